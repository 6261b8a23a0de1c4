// Settings of a scene: gravity, time, solver, contact, output, camera.
#include <math.h>
#include <string.h>

#include "io/scene/internal.h"

#define DEGREE (3.14159265358979323846 / 180.0)

static void read_time(CpsScene* scene, const CpsNode* time) {
  CpsWorldDef* def = &scene->def;
  def->step = cps_map_number(time, "step", def->step);
  def->theta = cps_map_number(time, "theta", def->theta);
  scene->end = cps_map_number(time, "end", 1.0);
  def->mend = cps_map_bool(time, "mend", def->mend);
  const CpsNode* adaptive = cps_node_find(time, "adaptive");
  if (!adaptive) return;
  def->adaptive = adaptive->kind == CPS_NODE_MAP || adaptive->number != 0.0;
  def->step_min = cps_map_number(adaptive, "step_min", def->step_min);
  def->penetration_max = cps_map_number(adaptive, "penetration", def->penetration_max);
  def->residual_max = cps_map_number(adaptive, "residual", def->residual_max);
}

static CpsStatus read_solver(CpsReader* reader, const CpsNode* solver) {
  CpsWorldDef* def = &reader->scene->def;
  CpsSolveOptions* options = &def->solver;
  const CpsNode *method = cps_node_find(solver, "method"), *local = cps_node_find(solver, "local"),
                *kind = cps_node_find(solver, "facet_kind"), *facets = cps_node_find(solver, "facets");
  if (method) cps_solve_options_set_method(options, method->text);
  if (local) cps_solve_options_set_local(options, local->text);
  options->tolerance = cps_map_number(solver, "tolerance", options->tolerance);
  // the setting of the scene is the default for everything
  def->motion_tolerance = cps_node_find(solver, "tolerance") ? options->tolerance : def->motion_tolerance;
  def->motion_tolerance = cps_map_number(solver, "motion_tolerance", def->motion_tolerance);
  options->max_iterations = (int64_t)cps_map_number(solver, "iterations", (double)options->max_iterations);
  options->time_limit = cps_map_number(solver, "time_limit", options->time_limit);
  options->freeze = cps_map_bool(solver, "freeze", options->freeze);
  options->facets = cps_map_count(solver, "facets", options->facets);
  if (kind) options->facet_kind = strcmp(kind->text, "outer") == 0 ? CPS_FACETS_OUTER : CPS_FACETS_INNER;
  def->polish = cps_map_bool(solver, "polish", def->polish);
  bool any = options->method == CPS_METHOD_LEMKE, outer = options->facet_kind == CPS_FACETS_OUTER;
  if (any ? outer && options->facets < 3 : options->facets % 2 != 0 || options->facets < 4) {
    return cps_node_fail(reader->error, CPS_BAD_DATA, facets, "expected %s, found %d",
                         any ? "at least 3 facets outside the cone" : "an even number of at least 4",
                         (int)options->facets);
  }
  return CPS_OK;
}

static CpsStatus read_output(CpsReader* reader, const CpsNode* output) {
  enum { FREQUENCY, INTERVAL };  // forms of the key, as the schema has them
  CpsScene* scene = reader->scene;
  const CpsNode* frames = cps_node_find(output, "frames");
  scene->frame_interval = 1.0 / 60.0;
  if (frames) {
    scene->frame_interval = frames->form == FREQUENCY  ? 1.0 / frames->number
                            : frames->form == INTERVAL ? frames->number
                                                       : 0.0;
  }
  scene->output_contacts = cps_map_bool(output, "contacts", true);
  scene->output_tension = cps_map_bool(output, "tension", false);
  scene->output_velocity = cps_map_bool(output, "velocity", false);
  scene->output_fibre_points = cps_map_count(output, "fibre_points", 0);
  if (isfinite(scene->frame_interval)) return CPS_OK;
  return cps_node_fail(reader->error, CPS_BAD_DATA, frames, "the time between frames is not finite");
}

static bool is_zero(CpsVec3 a) {
  return a.x == 0.0 && a.y == 0.0 && a.z == 0.0;
}

// Reads a camera position, or the direction of view of a fitted camera.
static CpsStatus read_camera(CpsReader* reader, const CpsNode* camera) {
  CpsScene* scene = reader->scene;
  const CpsNode *eye = cps_node_find(camera, "eye"), *target = cps_node_find(camera, "target"),
                *view = cps_node_find(camera, "view"), *up = cps_node_find(camera, "up");
  scene->camera = (CpsCamera){.eye = {-0.5, -1.0, 0.45}, .up = {0.0, 0.0, 1.0}};
  scene->camera.fov = cps_node_find(camera, "fov") ? cps_map_number(camera, "fov", 0.0) / DEGREE : 30.0;
  if (!(scene->camera.fov >= 1.0 && scene->camera.fov <= 150.0)) {
    return cps_node_fail(reader->error, CPS_BAD_DATA, cps_node_find(camera, "fov"), "is not within 1 to 150 deg");
  }
  if (!eye != !target) {
    return cps_node_fail(reader->error, CPS_BAD_DATA, eye ? eye : target, "eye and target must be given together");
  }
  if (eye && view) return cps_node_fail(reader->error, CPS_BAD_DATA, view, "cannot be combined with eye and target");
  if (up) scene->camera.up = cps_node_vec3(up);
  if (is_zero(scene->camera.up)) return cps_node_fail(reader->error, CPS_BAD_DATA, up, "must not be zero");
  scene->camera_placed = eye != NULL;
  if (eye) scene->camera.target = cps_node_vec3(target);
  if (eye || view) scene->camera.eye = cps_node_vec3(eye ? eye : view);
  if (is_zero(cps_vec3_sub(scene->camera.eye, scene->camera.target))) {
    return cps_node_fail(reader->error, CPS_BAD_DATA, eye ? eye : view, eye ? "is at the target" : "must not be zero");
  }
  return CPS_OK;
}

static CpsStatus read_sweep(CpsReader* reader, const CpsNode* sweep) {
  const CpsNode *vary = cps_node_find(sweep, "vary"), *what = cps_node_find(sweep, "what");
  reader->scene->sweep_vary = cps_scene_text(reader, vary ? vary->text : "");
  reader->scene->sweep_what = cps_scene_text(reader, what ? what->text : "");
  return reader->scene->sweep_vary && reader->scene->sweep_what ? CPS_OK : cps_scene_no_memory(reader);
}

static void read_inverse(CpsScene* scene, const CpsNode* inverse) {
  CpsInvertOptions* options = &scene->invert;
  *options = cps_invert_options_default();
  options->stiffen = cps_map_bool(inverse, "stiffen", options->stiffen);
  options->stiffen_margin = cps_map_number(inverse, "stiffen_margin", options->stiffen_margin);
  options->stiffen_most = cps_map_number(inverse, "stiffen_most", options->stiffen_most);
  scene->stiffen_said = cps_node_find(inverse, "stiffen") != NULL;
  scene->most_said = cps_node_find(inverse, "stiffen_most") != NULL;
  options->contacts = cps_map_bool(inverse, "contacts", options->contacts);
  options->guess = (CpsGuess)cps_map_count(inverse, "guess", (int32_t)options->guess);
  options->margin = cps_map_number(inverse, "margin", options->margin);
  options->compliance = cps_map_number(inverse, "compliance", options->compliance);
  options->tolerance = cps_map_number(inverse, "tolerance", options->tolerance);
  const CpsNode* unstable = cps_node_find(inverse, "unstable");
  scene->unstable_allowed = unstable && strcmp(unstable->text, "allow") == 0;
}

CpsStatus cps_scene_load_settings(CpsReader* reader) {
  CpsScene* scene = reader->scene;
  const CpsNode* root = reader->root;
  CpsWorldDef* def = &scene->def;
  *def = cps_world_def_default();
  const CpsNode* gravity = cps_node_find(root, "gravity");
  if (gravity && gravity->kind == CPS_NODE_LIST) def->gravity = cps_node_vec3(gravity);
  if (gravity && gravity->kind == CPS_NODE_SCALAR) def->gravity = cps_vec3(0.0, 0.0, -gravity->number);
  const CpsNode* contact = cps_node_find(root, "contact");
  def->mu = cps_map_number(contact, "mu", def->mu);
  def->restitution = cps_map_number(contact, "restitution", def->restitution);
  enum { NUMBER };  // form of the key, as the schema has it
  const CpsNode* everywhere = cps_node_find(contact, "mu_everywhere");
  if (everywhere && everywhere->form == NUMBER) def->mu_everywhere = everywhere->number;
  def->projection = cps_map_bool(contact, "projection", def->projection);
  const CpsNode* coupling = cps_node_find(contact, "coupling");
  if (coupling) def->coupling = (CpsCoupling)coupling->form;
  def->slop = cps_map_number(contact, "slop", def->slop);
  def->threads = cps_map_count(root, "threads", def->threads);
  const CpsNode* start = cps_node_find(root, "start");
  scene->start = start ? (CpsStart)start->form : CPS_START_SEPARATE;
  read_inverse(scene, cps_node_find(root, "inverse"));
  read_time(scene, cps_node_find(root, "time"));
  CpsStatus status = read_output(reader, cps_node_find(root, "output"));
  if (status == CPS_OK) status = read_sweep(reader, cps_node_find(root, "sweep"));
  if (status == CPS_OK) status = read_camera(reader, cps_node_find(root, "camera"));
  if (status != CPS_OK) return status;
  if (def->step_min > def->step) {
    const CpsNode* node = cps_node_find(cps_node_find(cps_node_find(root, "time"), "adaptive"), "step_min");
    return cps_node_fail(reader->error, CPS_BAD_DATA, node, "is larger than the step");
  }
  return read_solver(reader, cps_node_find(root, "solver"));
}
