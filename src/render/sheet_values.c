// Numbers of sheets that colours stand for, at vertex i with the triangles t around it (a third of their areas is its own, A_i):
//
//   stretch     mean over t, by area, of lambda - 1, lambda^2 the largest eigenvalue of F^T F, F = dx/dX                 (1)
//   curvature   |sum over edges ij of (cot alpha_ij + cot beta_ij) (x_i - x_j)| / (2 A_i): the sum of the two curvatures, 1/R
//               for a cylinder; at a border the mean of the neighbours inside                                           (2)
//   pressure    |r_i . n_i| / (h A_i), r_i the impulse of contacts on it in the step h                                    (3)
#include <math.h>
#include <string.h>

#include "core/vec3.h"
#include "render/internal.h"

static double* values_of(CpsRender* render) {
  return render->values + render->things->point_count;
}

static CpsVec3* vectors_of(CpsRender* render) {
  return render->before + render->things->point_count;  // unused unless the mode is speed
}

typedef struct Triangle {
  const int32_t* corner;
  CpsVec3 x[3], normal;  // normal: its length is twice the area
  double area;
} Triangle;

static Triangle triangle_of(const CpsRender* render, const CpsFrame* frame, int64_t t) {
  Triangle out = {.corner = render->things->triangles + 3 * t};
  for (int k = 0; k < 3; ++k) out.x[k] = frame->vertices[out.corner[k]];
  out.normal = cps_vec3_cross(cps_vec3_sub(out.x[1], out.x[0]), cps_vec3_sub(out.x[2], out.x[0]));
  out.area = 0.5 * cps_vec3_norm(out.normal);
  return out;
}

static void clear(CpsRender* render) {
  const size_t count = (size_t)render->things->vertex_count;
  memset(values_of(render), 0, count * sizeof(double));
  memset(vectors_of(render), 0, count * sizeof(CpsVec3));
  memset(render->areas, 0, count * sizeof *render->areas);
  memset(render->turns, 0, count * sizeof *render->turns);
}

// lambda - 1 of (1); NaN if the triangle has no rest shape.
static double stretch_of(const Triangle* t, const double rest[3]) {
  CpsVec3 f1 = cps_vec3_scale(1.0 / rest[0], cps_vec3_sub(t->x[1], t->x[0]));
  CpsVec3 f2 = cps_vec3_scale(1.0 / rest[2], cps_vec3_axpy(cps_vec3_sub(t->x[2], t->x[0]), -rest[1], f1));
  double a = cps_vec3_dot(f1, f1), b = cps_vec3_dot(f2, f2), c = cps_vec3_dot(f1, f2);
  return sqrt(0.5 * (a + b) + sqrt(0.25 * (a - b) * (a - b) + c * c)) - 1.0;
}

void cps_render_sheet_stretch(CpsRender* render, const CpsFrame* frame) {
  double* values = values_of(render);
  clear(render);
  for (int64_t i = 0; i < render->things->triangle_count; ++i) {
    const double* rest = render->things->rest + 3 * i;
    const Triangle t = triangle_of(render, frame, i);
    const double stretch = stretch_of(&t, rest), area = 0.5 * rest[0] * rest[2];
    for (int k = 0; isfinite(stretch) && k < 3; ++k) {
      values[t.corner[k]] += area * stretch;
      render->areas[t.corner[k]] += area;
    }
  }
  for (int64_t k = 0; k < render->things->vertex_count; ++k) values[k] /= render->areas[k];
}

// Sets border vertices to the mean of their inner neighbours, or NaN if there are none.
static void fill_borders(CpsRender* render) {
  double* values = values_of(render);
  CpsVec3* sums = vectors_of(render);
  memset(sums, 0, (size_t)render->things->vertex_count * sizeof *sums);
  for (int64_t i = 0; i < render->things->triangle_count; ++i) {
    const int32_t* corner = render->things->triangles + 3 * i;
    for (int k = 0; k < 9; ++k) {
      const int32_t at = corner[k / 3], from = corner[k % 3];
      if (render->turns[at] == 0 || render->turns[from] != 0) continue;
      sums[at].x += values[from];
      sums[at].y += 1.0;
    }
  }
  for (int64_t k = 0; k < render->things->vertex_count; ++k) {
    if (render->turns[k] != 0) values[k] = sums[k].x / sums[k].y;
  }
}

void cps_render_sheet_curvature(CpsRender* render, const CpsFrame* frame) {
  double* values = values_of(render);
  CpsVec3* sums = vectors_of(render);
  clear(render);
  for (int64_t i = 0; i < render->things->triangle_count; ++i) {
    const Triangle t = triangle_of(render, frame, i);
    for (int k = 0; k < 3; ++k) {
      const int a = k, b = (k + 1) % 3, c = (k + 2) % 3;
      // turns sums differences of the opposite corners' numbers: around an inner vertex they cancel
      render->turns[t.corner[a]] += (int64_t)t.corner[c] - t.corner[b];
      render->areas[t.corner[a]] += t.area / 3.0;
      const CpsVec3 u = cps_vec3_sub(t.x[b], t.x[a]), v = cps_vec3_sub(t.x[c], t.x[a]);
      const double cot = cps_vec3_dot(u, v) / (2.0 * t.area);
      const CpsVec3 across = cps_vec3_scale(isfinite(cot) ? cot : 0.0, cps_vec3_sub(t.x[b], t.x[c]));
      sums[t.corner[b]] = cps_vec3_add(sums[t.corner[b]], across);
      sums[t.corner[c]] = cps_vec3_sub(sums[t.corner[c]], across);
    }
  }
  for (int64_t k = 0; k < render->things->vertex_count; ++k) {
    values[k] = cps_vec3_norm(sums[k]) / (2.0 * render->areas[k]);
  }
  fill_borders(render);
}

void cps_render_sheet_pressure(CpsRender* render, const CpsFrame* frame) {
  double* values = values_of(render);
  CpsVec3* normals = vectors_of(render);
  if (render->things->vertex_count == 0) return;
  clear(render);
  for (int64_t i = 0; i < render->things->triangle_count; ++i) {
    const Triangle t = triangle_of(render, frame, i);
    for (int k = 0; k < 3; ++k) {
      normals[t.corner[k]] = cps_vec3_add(normals[t.corner[k]], t.normal);
      render->areas[t.corner[k]] += t.area / 3.0;
    }
  }
  for (int64_t k = 0; k < render->things->vertex_count; ++k) {
    const double along = cps_vec3_dot(frame->vertex_impulses[k], cps_vec3_unit(normals[k]));
    values[k] = frame->step > 0.0 ? fabs(along) / (frame->step * render->areas[k]) : 0.0;
  }
}
