// Capstan through its public interface.
#include "world/engine.h"

#include <stdio.h>
#include <stdlib.h>

#include "capstan/world.h"
#include "core/vec3.h"

typedef struct World {
  CpsWorld* world;
  int32_t body_count;
  double step;
  CpsStepInfo info;
  void* blank;  // saved before the first step: no impulses
  size_t blank_size;
} World;

static void check(CpsStatus status, const CpsError* error) {
  if (status == CPS_OK) return;
  fprintf(stderr, "Capstan: %s\n", error->text);
  abort();
}

static void add_plane(CpsWorld* world, CpsVec3 position, CpsQuat rotation) {
  CpsObstacleDef def = cps_obstacle_def_default();
  CpsError error;
  def.shape = cps_plane();
  def.pose = (CpsPose){position, rotation};
  check(cps_world_add_obstacle(world, &def, NULL, &error), &error);
}

static void add_box(CpsWorld* world, double half_width) {
  const double s = 0.70710678118654752440;
  add_plane(world, (CpsVec3){0.0, 0.0, 0.0}, (CpsQuat){1.0, 0.0, 0.0, 0.0});
  if (!(half_width > 0.0)) return;
  // z turned to x, -x, y and -y
  add_plane(world, (CpsVec3){-half_width, 0.0, 0.0}, (CpsQuat){s, 0.0, s, 0.0});
  add_plane(world, (CpsVec3){half_width, 0.0, 0.0}, (CpsQuat){s, 0.0, -s, 0.0});
  add_plane(world, (CpsVec3){0.0, -half_width, 0.0}, (CpsQuat){s, -s, 0.0, 0.0});
  add_plane(world, (CpsVec3){0.0, half_width, 0.0}, (CpsQuat){s, s, 0.0, 0.0});
}

static void configure(CpsWorldDef* def, const CpsBenchSettings* settings) {
  CpsError error = {.text = "no such method"};
  def->threads = settings->threads;
  def->polish = !settings->no_polish;
  def->projection = !settings->no_projection;
  def->penetration_max = settings->no_projection ? 1e3 : 0.0;
  def->solver.tolerance = settings->tolerance;
  if (settings->sweeps > 0) def->solver.max_iterations = settings->sweeps;
  const char* method = settings->method ? settings->method : "auto";
  check(cps_solve_options_set_method(&def->solver, method), &error);
  // the one-contact solver that also auto uses
  check(cps_solve_options_set_local(&def->solver, "enum"), &error);
}

static void* create(const CpsBenchScene* scene, const CpsBenchSettings* settings) {
  World* w = calloc(1, sizeof *w);
  if (!w) abort();
  CpsWorldDef def = cps_world_def_default();
  CpsError error;
  def.gravity = (CpsVec3){0.0, 0.0, -CPS_BENCH_GRAVITY};
  def.step = w->step = scene->step;
  def.mu = scene->mu;
  configure(&def, settings);
  check(cps_world_create(&def, &w->world, &error), &error);
  add_box(w->world, scene->half_width);
  w->body_count = scene->body_count;
  for (int32_t i = 0; i < scene->body_count; ++i) {
    CpsBodyDef body = cps_body_def_default();
    body.shape = scene->bodies[i].shape;
    body.mass = scene->bodies[i].mass;
    body.position = scene->start[i].pose.position;
    body.rotation = scene->start[i].pose.rotation;
    body.velocity = scene->start[i].velocity;
    body.angular_velocity = scene->start[i].angular_velocity;
    check(cps_world_add_body(w->world, &body, NULL, &error), &error);
  }
  w->blank_size = cps_world_state_size(w->world);
  w->blank = malloc(w->blank_size);
  if (!w->blank) abort();
  check(cps_world_save(w->world, w->blank, w->blank_size, &error), &error);
  return w;
}

static void destroy(void* world) {
  World* w = world;
  cps_world_destroy(w->world);
  free(w->blank);
  free(w);
}

static void set_state(void* world, const CpsBenchState* states) {
  World* w = world;
  CpsError error;
  check(cps_world_load(w->world, w->blank, w->blank_size, &error), &error);
  for (int32_t i = 0; i < w->body_count; ++i) {
    CpsBodyState state = {
        .pose = states[i].pose, .velocity = states[i].velocity, .angular_velocity = states[i].angular_velocity};
    check(cps_world_set_body_state(w->world, cps_world_body(w->world, i), &state, &error), &error);
  }
}

static void get_state(const void* world, CpsBenchState* states) {
  const World* w = world;
  for (int32_t i = 0; i < w->body_count; ++i) {
    CpsBodyState state;
    CpsError error = {.text = "no such body"};
    check(cps_world_body_state(w->world, cps_world_body(w->world, i), &state), &error);
    states[i] = (CpsBenchState){state.pose, state.velocity, state.angular_velocity};
  }
}

static void reconfigure(void* world, const CpsBenchSettings* settings) {
  World* w = world;
  CpsWorldDef def = cps_world_settings(w->world);
  CpsError error;
  configure(&def, settings);
  check(cps_world_configure(w->world, &def, &error), &error);
}

static bool step(void* world) {
  World* w = world;
  CpsError error;
  CpsStatus status = cps_world_step(w->world, &w->info, &error);
  if (status < 0) check(status, &error);
  return status == CPS_OK;
}

// Of the problem as it was solved: after positions were projected, which the states before the step do not show.
static double residual(const void* world) {
  const World* w = world;
  CpsProblem* problem = NULL;
  CpsResidual out = {0};
  CpsError error = {.text = "no residual"};
  double* r = calloc(3 * (size_t)cps_world_contact_count(w->world) + 1, sizeof *r);
  if (!r) abort();
  check(cps_world_problem(w->world, &problem, r, &error), &error);
  check(cps_problem_residual(problem, r, &out), &error);
  cps_problem_destroy(problem);
  free(r);
  return out.natural;
}

static double solve_seconds(const void* world) {
  return ((const World*)world)->info.seconds_solve;
}

static int32_t contact_count(const void* world) {
  return cps_world_contact_count(((const World*)world)->world);
}

static int32_t body_index(CpsThing thing) {
  return thing.kind == CPS_THING_BODY ? thing.index : -1;
}

static void contacts(const void* world, CpsBenchContact* out) {
  const World* w = world;
  for (int32_t i = 0; i < cps_world_contact_count(w->world); ++i) {
    CpsContact c = cps_world_contact(w->world, i);
    CpsVec3 impulse = cps_vec3_scale(c.impulse[0], c.normal);
    impulse = cps_vec3_axpy(impulse, c.impulse[1], c.tangent1);
    impulse = cps_vec3_axpy(impulse, c.impulse[2], c.tangent2);
    out[i] = (CpsBenchContact){.a = body_index(c.side[0].thing),
                               .b = body_index(c.side[1].thing),
                               .point_a = c.side[0].point,
                               .point_b = c.side[1].point,
                               .normal = c.normal,
                               .gap = c.gap,
                               .bias = c.gap > 0.0 ? c.gap / w->step : 0.0,
                               .mu = c.mu,
                               .impulse = impulse};
  }
}

const CpsBenchEngine* cps_bench_capstan(void) {
  static const CpsBenchEngine engine = {.name = "Capstan",
                                        .create = create,
                                        .destroy = destroy,
                                        .set_state = set_state,
                                        .get_state = get_state,
                                        .configure = reconfigure,
                                        .step = step,
                                        .residual = residual,
                                        .solve_seconds = solve_seconds,
                                        .contact_count = contact_count,
                                        .contacts = contacts};
  return &engine;
}
