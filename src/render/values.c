// Numbers that colours stand for. With points p_k of a line at equal arc lengths and edges e_k = p_k+1 - p_k,
//
//   curvature at p_k   2 |e_k-1 x e_k| / (|e_k-1| |e_k| |e_k-1 + e_k|)    (of the circle through three points)      (1)
//   pressure at p_k    half of the normal forces on the two edges beside it over 2 r |e|                              (3)
//   speed at p_k       |v_k|, or where the result does not hold v_k
//                      |p_k(t) - p_k(t')| / |t - t'|                      (t': the frame before, or after the first) (2)
#include <string.h>

#include "core/error.h"
#include "core/vec3.h"
#include "render/internal.h"

static double three_point_curvature(CpsVec3 a, CpsVec3 b, CpsVec3 c) {
  CpsVec3 e = cps_vec3_sub(b, a), f = cps_vec3_sub(c, b);
  double length = cps_vec3_norm(e) * cps_vec3_norm(f) * cps_vec3_norm(cps_vec3_add(e, f));
  return length > 0.0 ? 2.0 * cps_vec3_norm(cps_vec3_cross(e, f)) / length : 0.0;
}

static void fill_curvature(CpsRender* render, const CpsFrame* frame) {
  for (int32_t i = 0; i < render->things->line_count; ++i) {
    CpsResultLine line = render->things->lines[i];
    const CpsVec3* p = frame->points + line.first;
    double* out = render->values + line.first;
    for (int32_t k = 1; k + 1 < line.count; ++k) out[k] = three_point_curvature(p[k - 1], p[k], p[k + 1]);
    out[0] = line.count > 2 ? out[1] : 0.0;
    out[line.count - 1] = line.count > 2 ? out[line.count - 2] : 0.0;
  }
}

// (3): the normal forces of contacts on the width of the fibre.
static void fill_pressure(CpsRender* render, const CpsFrame* frame) {
  memset(render->values, 0, (size_t)render->things->point_count * sizeof *render->values);
  for (int32_t i = 0; frame->step > 0.0 && i < 2 * frame->contact_count; ++i) {
    const CpsFrameContact* c = &frame->contacts[i / 2];
    const CpsSide* side = &c->side[i % 2];
    if (side->thing.kind != CPS_THING_FIBRE || render->fibre_line[side->thing.index] < 0) continue;
    const CpsResultLine line = render->things->lines[render->fibre_line[side->thing.index]];
    const CpsVec3* p = frame->points + line.first;
    const double piece = cps_vec3_norm(cps_vec3_sub(p[1], p[0])), at = side->place.x / piece;
    if (!(piece > 0.0) || !isfinite(at)) continue;
    const int64_t k = line.first + (int64_t)fmin(fmax(at, 0.0), (double)(line.count - 2));
    const double half = 0.5 * c->impulse[0] / frame->step / (2.0 * line.radius * piece);
    render->values[k] += half;
    render->values[k + 1] += half;
  }
}

// Differences (2), from the current frame and a neighbour that is read for this.
static CpsStatus fill_differences(CpsRender* render, int64_t frame, CpsError* error) {
  const int64_t points = render->things->point_count, vertices = render->things->vertex_count,
                count = points + vertices;
  const CpsFrame* now = cps_show_frame(render->show);
  double time = now->time, dt = 0.0;
  memcpy(render->before, now->points, (size_t)points * sizeof *render->before);
  memcpy(render->before + points, now->vertices, (size_t)vertices * sizeof *render->before);
  memset(render->values, 0, (size_t)count * sizeof *render->values);
  if (cps_show_frame_count(render->show) < 2) return CPS_OK;
  CpsStatus status = cps_show_read(render->show, frame > 0 ? frame - 1 : 1, error);
  if (status != CPS_OK) return status;
  dt = fabs(now->time - time);
  for (int64_t k = 0; dt > 0.0 && k < count; ++k) {
    CpsVec3 p = k < points ? now->points[k] : now->vertices[k - points];
    render->values[k] = cps_vec3_norm(cps_vec3_sub(p, render->before[k])) / dt;
  }
  return cps_show_read(render->show, frame, error);
}

static CpsStatus fill_speed(CpsRender* render, int64_t frame, CpsError* error) {
  const CpsFrame* now = cps_show_frame(render->show);
  const int64_t points = render->things->point_count, vertices = render->things->vertex_count;
  if ((points > 0 && !now->point_velocities) || (vertices > 0 && !now->vertex_velocities)) {
    return fill_differences(render, frame, error);
  }
  for (int64_t k = 0; k < points; ++k) render->values[k] = cps_vec3_norm(now->point_velocities[k]);
  for (int64_t k = 0; k < vertices; ++k) render->values[points + k] = cps_vec3_norm(now->vertex_velocities[k]);
  return CPS_OK;
}

CpsStatus cps_render_check_colour(const CpsRender* render, CpsError* error) {
  const CpsThings* things = render->things;
  const CpsColour colour = render->options.colour;
  const bool sheets = things->vertex_count > 0, fibres = things->point_count > 0;
  if (colour == CPS_COLOUR_STRETCH && !sheets) {
    return cps_fail(error, CPS_UNSUPPORTED, "colour: stretch needs sheets, and this result has none");
  }
  if (colour == CPS_COLOUR_STRETCH && !things->rest) {
    return cps_fail(error, CPS_UNSUPPORTED,
                    "this result is of an older format without the shapes of its sheets at rest");
  }
  if (colour == CPS_COLOUR_STRESS && things->solid_count == 0) {
    return cps_fail(error, CPS_UNSUPPORTED, "colour: stress needs solids, and this result has none");
  }
  const bool grains = things->particle_count > 0 && colour == CPS_COLOUR_PRESSURE;
  if ((colour == CPS_COLOUR_PRESSURE || colour == CPS_COLOUR_CURVATURE) && !sheets && !fibres && !grains) {
    return cps_fail(error, CPS_UNSUPPORTED, "colour: %s needs sheets%s or fibres, and this result has none",
                    cps_colour_name(colour), colour == CPS_COLOUR_PRESSURE ? ", grains" : "");
  }
  return CPS_OK;
}

CpsStatus cps_render_read(CpsRender* render, int64_t frame, CpsError* error) {
  bool fibres = render->things->point_count > 0;
  CpsStatus status = cps_show_read(render->show, frame, error);
  if (status != CPS_OK) return status;
  const CpsFrame* now = cps_show_frame(render->show);
  for (int64_t k = 0; k < render->things->vertex_count; ++k) render->values[render->things->point_count + k] = NAN;
  if (render->options.colour == CPS_COLOUR_SPEED && (fibres || render->things->vertex_count > 0))
    return fill_speed(render, frame, error);
  if (render->options.colour == CPS_COLOUR_CURVATURE) {
    fill_curvature(render, now);
    cps_render_sheet_curvature(render, now);
  }
  if (render->options.colour == CPS_COLOUR_STRETCH) {
    for (int64_t k = 0; k < render->things->point_count; ++k) render->values[k] = NAN;
    cps_render_sheet_stretch(render, now);
  }
  if (render->options.colour == CPS_COLOUR_STRESS) {
    if (!now->stress || !render->things->tetrahedra) {
      return cps_fail(error, CPS_UNSUPPORTED, "this result does not contain the stress in its solids");
    }
    for (int64_t k = 0; k < render->things->point_count; ++k) render->values[k] = NAN;
    cps_render_solid_stress(render, now);
  }
  if (render->options.colour == CPS_COLOUR_PRESSURE) {
    if (render->things->vertex_count > 0 && !now->vertex_impulses) {
      return cps_fail(error, CPS_UNSUPPORTED, "this result is of an older format without the impulses on its sheets");
    }
    fill_pressure(render, now);
    cps_render_sheet_pressure(render, now);
  }
  if (render->options.colour == CPS_COLOUR_TENSION && fibres) {
    if (!now->tension) {
      return cps_fail(
          error, CPS_UNSUPPORTED,
          "this result does not contain the tension of its fibres; output.tension: true in the scene adds it");
    }
    memcpy(render->values, now->tension, (size_t)render->things->point_count * sizeof *render->values);
  }
  return CPS_OK;
}

double cps_render_particle_value(const CpsRender* render, int64_t particle) {
  const CpsFrame* frame = cps_show_frame(render->show);
  if (render->options.colour == CPS_COLOUR_SPEED) return cps_vec3_norm(frame->particle_velocities[particle]);
  return render->options.colour == CPS_COLOUR_PRESSURE ? frame->particle_pressures[particle] : NAN;
}

double cps_render_body_value(const CpsRender* render, int32_t body) {
  if (render->options.colour != CPS_COLOUR_SPEED) return NAN;
  return cps_vec3_norm(cps_show_frame(render->show)->body_velocities[body]);
}
