#include "capstan/render.h"

#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "core/error.h"
#include "core/vec3.h"
#include "render/internal.h"

#define COOKIE 0x9e11de7

static const char* const colour_names[CPS_COLOUR_COUNT] = {"material", "speed",   "tension",  "curvature",
                                                           "status",   "stretch", "pressure", "stress"};

const char* cps_colour_name(CpsColour colour) {
  return (int)colour >= 0 && colour < CPS_COLOUR_COUNT ? colour_names[colour] : NULL;
}

CpsRenderOptions cps_render_options_default(void) {
  return (CpsRenderOptions){
      .width = 1280,
      .height = 720,
      .samples = 16,
      .ground = true,
      .legend = true,
      .hairs = 1,
      .grains = 8,
      .spread = 1.0,
      .cutaway = true,
      .camera = {.up = {0.0, 0.0, 1.0}, .fov = 30.0},
      .view = {-0.5, -1.0, 0.45},
      .last = -1,
      .threads = 1,
      .cookie = COOKIE,
  };
}

static CpsStatus check(CpsRenderOptions* options, int64_t frames, CpsError* error) {
  if (options->cookie != COOKIE) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "render options: start from cps_render_options_default()");
  }
  if (options->width < 1 || options->height < 1 || options->width > 16384 || options->height > 16384) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "size: %d x %d is not within 1 to 16384 pixels", options->width,
                    options->height);
  }
  if (options->samples < 1 || options->samples > 65536) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "samples: %d is not within 1 to 65536", options->samples);
  }
  if (options->threads < 1 || options->threads > 1024) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "threads: %d is not within 1 to 1024", options->threads);
  }
  if ((int)options->colour < 0 || options->colour >= CPS_COLOUR_COUNT) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "colour: no such mode");
  }
  if (!(options->high >= options->low) || !isfinite(options->high - options->low)) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "range: from %g to %g is none", options->low, options->high);
  }
  if (!(options->arrow_scale >= 0.0) || !isfinite(options->arrow_scale)) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "arrow_scale: must be positive, or 0 to be fitted");
  }
  if (!(options->fibre_width >= 0.0 && options->fibre_width <= 100.0)) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "fibre_width: %g is not within 0 to 100 pixels", options->fibre_width);
  }
  if (options->hairs < 1 || options->hairs > 1000) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "hairs: %d is not within 1 to 1000", options->hairs);
  }
  if (options->grains < 1 || options->grains > 1000) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "grains: %d is not within 1 to 1000", options->grains);
  }
  if (!(options->spread >= 0.0 && options->spread <= 100.0)) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "spread: %g is not within 0 to 100 radii", options->spread);
  }
  if (!isfinite(cps_vec3_norm(options->cut)) || (options->cut_at_given && !isfinite(cps_vec3_norm(options->cut_at)))) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "cut: must be a direction and a point, with finite numbers");
  }
  if (!(options->aperture >= 0.0) || !isfinite(options->aperture)) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "aperture: must be a length in metres, or 0 for a sharp picture");
  }
  CpsVec3 v = options->view;
  if (!isfinite(v.x + v.y + v.z) || (v.x == 0.0 && v.y == 0.0 && v.z == 0.0)) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "view: must be a direction");
  }
  if (frames < 1) return cps_fail(error, CPS_BAD_DATA, "there is no frame to draw");
  if (options->last < 0) options->last = frames - 1;
  if (options->first < 0 || options->first > options->last || options->last >= frames) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "frames: %lld to %lld do not all exist; the result has frames 0 to %lld",
                    (long long)options->first, (long long)options->last, (long long)frames - 1);
  }
  return CPS_OK;
}

static bool reserve(CpsRender* render) {
  size_t points = (size_t)(render->things->point_count + render->things->vertex_count) + 1,
         parts = (size_t)render->things->part_count + 1;
  size_t fibres = (size_t)render->things->fibre_count + 1, bodies = (size_t)render->things->body_count + 1;
  render->before = calloc(points, sizeof *render->before);
  render->values = calloc(points, sizeof *render->values);
  render->points = calloc(points, sizeof *render->points);
  render->areas = calloc((size_t)render->things->vertex_count + 1, sizeof *render->areas);
  render->turns = calloc((size_t)render->things->vertex_count + 1, sizeof *render->turns);
  if (!render->areas || !render->turns) return false;
  render->particles = calloc((size_t)render->things->particle_count + 1, sizeof *render->particles);
  if (!render->particles) return false;
  render->parts = calloc(parts, sizeof *render->parts);
  render->body_status = calloc(bodies, sizeof *render->body_status);
  render->fibre_line = calloc(fibres, sizeof *render->fibre_line);
  render->body_tone = calloc(bodies, sizeof *render->body_tone);
  render->fibre_tone = calloc(fibres, sizeof *render->fibre_tone);
  render->sheet_tone = calloc((size_t)render->things->sheet_count + 1, sizeof *render->sheet_tone);
  if (!render->body_tone || !render->fibre_tone || !render->sheet_tone) return false;
  if (!render->before || !render->values || !render->points || !render->parts || !render->body_status ||
      !render->fibre_line) {
    return false;
  }
  cps_render_number_families(render->things->body_names, render->things->body_count, render->body_tone);
  cps_render_number_families(render->things->fibre_names, render->things->fibre_count, render->fibre_tone);
  cps_render_number_families(render->things->sheet_names, render->things->sheet_count, render->sheet_tone);
  for (int32_t i = 0; i < render->things->fibre_count; ++i) render->fibre_line[i] = -1;
  for (int32_t i = 0; i < render->things->line_count; ++i) {
    CpsResultLine line = render->things->lines[i];
    if (line.branch < 0) render->fibre_line[line.fibre] = i;
  }
  return true;
}

// Checks a given camera before the frames are searched.
static CpsStatus check_camera(const CpsRenderOptions* options, CpsError* error) {
  CpsEye eye;
  CpsCamera camera = options->camera;
  if (!options->camera_given) {
    camera.target = (CpsVec3){0.0, 0.0, 0.0};
    camera.eye = options->view;
  }
  return cps_eye_make(&camera, options->width, options->height, &eye, error);
}

// Sets the plane that cuts sheets and solids, once the camera is known.
static void set_cut(CpsRender* render) {
  const CpsRenderOptions* options = &render->options;
  const double length = cps_vec3_norm(options->cut);
  render->scene.cut = length > 0.0;
  if (!render->scene.cut) return;
  render->scene.cut_normal = cps_vec3_scale(1.0 / length, options->cut);
  render->scene.cut_point = options->cut_at_given ? options->cut_at : render->camera.target;
}

CpsStatus cps_render_create(CpsShow* show, const CpsRenderOptions* options, CpsRender** out, CpsError* error) {
  if (!show || !options || !out) return cps_fail(error, CPS_BAD_ARGUMENT, "cps_render_create: an argument is NULL");
  CpsRenderOptions checked = *options;
  CpsStatus status = check(&checked, cps_show_frame_count(show), error);
  if (status == CPS_OK) status = check_camera(&checked, error);
  if (status != CPS_OK) return status;
  CpsRender* render = calloc(1, sizeof *render);
  if (!render) return cps_fail(error, CPS_NO_MEMORY, "out of memory");
  render->show = show;
  render->things = cps_show_things(show);
  render->options = checked;
  render->pool = cps_pool_create(checked.threads);
  if (!render->pool || !reserve(render)) {
    status = cps_fail(error, CPS_NO_MEMORY, "out of memory");
  }
  if (status == CPS_OK) status = cps_render_check_colour(render, error);
  if (status == CPS_OK) status = cps_render_scene_create(render->things, &render->scene, error);
  render->scene.least_width = (float)checked.fibre_width;
  render->scene.hairs = checked.hairs;
  render->scene.grains = checked.grains;
  render->scene.spread = (float)checked.spread;
  if (status == CPS_OK) status = cps_render_survey(render, error);
  if (status == CPS_OK) set_cut(render);
  if (status == CPS_OK && checked.cutaway) cps_render_cut_away(render);
  if (status == CPS_OK) status = cps_eye_make(&render->camera, checked.width, checked.height, &render->eye, error);
  if (status != CPS_OK) {
    cps_render_destroy(render);
    return status;
  }
  *out = render;
  return cps_succeed(error);
}

void cps_render_destroy(CpsRender* render) {
  if (!render) return;
  cps_render_scene_destroy(&render->scene);
  cps_pool_destroy(render->pool);
  cps_room_free(&render->pixels);
  cps_room_free(&render->mask);
  free(render->before);
  free(render->values);
  free(render->points);
  free(render->areas);
  free(render->turns);
  free(render->parts);
  free(render->particles);
  free(render->body_status);
  free(render->fibre_line);
  free(render->body_tone);
  free(render->fibre_tone);
  free(render->sheet_tone);
  free(render);
}

CpsCamera cps_render_camera(const CpsRender* render) {
  return render->camera;
}

CpsRenderInfo cps_render_info(const CpsRender* render) {
  return render->info;
}

CpsStatus cps_render_frame(CpsRender* render, int64_t frame, uint8_t* rgb, CpsError* error) {
  if (!render || !rgb) return cps_fail(error, CPS_BAD_ARGUMENT, "cps_render_frame: an argument is NULL");
  CpsStatus status = cps_render_read(render, frame, error);
  if (status != CPS_OK) return status;
  double start = cps_clock_wall();
  cps_render_colour(render);
  CpsRenderColours colours = {render->points, render->points + render->things->point_count, render->parts,
                              render->particles};
  status = cps_render_scene_build(&render->scene, cps_show_frame(render->show), &render->eye, &colours, &render->arrows,
                                  render->options.ground, error);
  if (status != CPS_OK) return status;
  render->stage = cps_stage_make(&render->scene, &render->eye, render->options.dark, render->options.side_light);
  render->stage.halve = render->options.samples % 2 == 0;
  if (!cps_render_make_mask(render)) return cps_fail(error, CPS_NO_MEMORY, "out of memory");
  double built = cps_clock_wall();
  status = cps_render_trace_image(render, rgb);
  double traced = cps_clock_wall();
  if (status == CPS_OK && render->options.legend) cps_render_legend(render, rgb);
  render->info = (CpsRenderInfo){
      .build_seconds = built - start,
      .trace_seconds = traced - built,
      .low = render->low,
      .high = render->high,
      .arrow_scale = render->arrows.scale,
      .curve_pieces = render->scene.piece_count,
      .triangle_count = render->scene.triangle_count + render->scene.sheet_triangles,
  };
  if (status < 0) return cps_fail(error, status, "out of memory");
  cps_succeed(error);
  return status;
}
