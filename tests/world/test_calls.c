// The contract of the calls: stale ids, refused arguments, the adaptive step, the problem of a step.
#include <string.h>

#include "world/world_helpers.h"

#include <stdlib.h>

static void ids_go_stale(void** state) {
  (void)state;
  CpsWorldDef def = cps_world_def_default();
  CpsWorld* world = make_world(&def);
  CpsObstacleId floor = add_floor(world);
  CpsBodyDef ball = ball_at(0.1, 0, 0, 0.1);
  CpsBodyId a = add_body(world, &ball);
  ball.position.x = 1;
  CpsBodyId b = add_body(world, &ball);
  assert_int_equal(cps_world_body_count(world), 2);
  step(world, 5);
  must(cps_world_remove_body(world, a, &must_error));
  CpsBodyState s;
  assert_int_equal(cps_world_body_state(world, a, &s), CPS_BAD_ARGUMENT);
  assert_false(cps_world_body_exists(world, a));
  assert_true(cps_world_body_exists(world, b));
  CpsError error;
  assert_int_equal(cps_world_remove_body(world, a, &error), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_world_apply_impulse(world, a, (CpsVec3){0}, (CpsVec3){0}, &error), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_world_body(world, 0).index, b.index);
  assert_int_equal(cps_world_body(world, 1).generation, 0);
  step(world, 5);
  ball.position.x = 2;
  CpsBodyId c = add_body(world, &ball);  // the place of a, not its name
  assert_int_equal(c.index, a.index);
  assert_true(c.generation != a.generation);
  assert_false(cps_world_body_exists(world, a));
  step(world, 5);
  must(cps_world_remove_obstacle(world, floor, &must_error));
  assert_int_equal(cps_world_remove_obstacle(world, floor, &error), CPS_BAD_ARGUMENT);
  CpsPose pose;
  assert_int_equal(cps_world_obstacle_pose(world, floor, &pose), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_world_obstacle_count(world), 0);
  step(world, 100);
  assert_true(state_of(world, b).pose.position.z < 0.09);  // nothing holds it any longer
  cps_world_destroy(world);
}

static void an_impulse_that_overflows_is_refused(void** state) {
  (void)state;
  CpsWorldDef def = cps_world_def_default();
  CpsWorld* world = make_world(&def);
  CpsBodyDef ball = ball_at(1e-3, 0, 0, 0);
  CpsBodyId id = add_body(world, &ball);
  uint64_t before = cps_world_hash(world);
  const CpsVec3 huge = {1e308, 0, 0}, none = {0}, far = {0, 1e308, 0}, small = {1e-3, 0, 0};
  CpsError error = {""};
  assert_int_equal(cps_world_apply_impulse(world, id, huge, none, &error), CPS_BAD_DATA);
  assert_int_equal(cps_world_apply_impulse(world, id, small, far, &error), CPS_BAD_DATA);
  assert_true(error.text[0] != 0 && cps_world_hash(world) == before);
  cps_world_destroy(world);
}

static void refuse_world(CpsWorldDef def, CpsStatus expected) {
  CpsWorld* world = NULL;
  CpsError error = {""};
  assert_int_equal(cps_world_create(&def, &world, &error), expected);
  assert_true(error.text[0] != 0);
  assert_null(world);
}

static void bad_settings_are_refused(void** state) {
  (void)state;
  CpsWorldDef def = cps_world_def_default();
  CpsWorldDef d = def;
  d.cookie = 0;
  refuse_world(d, CPS_BAD_ARGUMENT);
  d = def, d.step = 0.0;
  refuse_world(d, CPS_BAD_DATA);
  d = def, d.step = NAN;
  refuse_world(d, CPS_BAD_DATA);
  d = def, d.theta = 0.4;
  refuse_world(d, CPS_BAD_DATA);
  d = def, d.mu = -0.1;
  refuse_world(d, CPS_BAD_DATA);
  d = def, d.restitution = 1.5;
  refuse_world(d, CPS_BAD_DATA);
  d = def, d.threads = 0;
  refuse_world(d, CPS_BAD_DATA);
  d = def, d.gravity.y = INFINITY;
  refuse_world(d, CPS_BAD_DATA);
  d = def, d.solver.tolerance = -1.0;
  refuse_world(d, CPS_BAD_ARGUMENT);
  d = def, d.step_min = 1.0;
  refuse_world(d, CPS_BAD_DATA);
  CpsWorld* world = make_world(&def);
  d = def, d.theta = 2.0;
  assert_int_equal(cps_world_configure(world, &d, NULL), CPS_BAD_DATA);
  assert_near(cps_world_settings(world).theta, 1.0, 0.0);
  assert_int_equal(cps_world_create(&def, NULL, NULL), CPS_BAD_ARGUMENT);
  cps_world_destroy(world);
  cps_world_destroy(NULL);
}

static void refuse_body(CpsWorld* world, CpsBodyDef def, CpsStatus expected) {
  CpsError error = {""};
  assert_int_equal(cps_world_add_body(world, &def, NULL, &error), expected);
  assert_true(error.text[0] != 0);
}

static void bad_things_are_refused(void** state) {
  (void)state;
  CpsWorldDef def = cps_world_def_default();
  CpsWorld* world = make_world(&def);
  CpsBodyDef ball = ball_at(0.1, 0, 0, 1), b = ball;
  b.cookie = 0;
  refuse_body(world, b, CPS_BAD_ARGUMENT);
  b = ball, b.shape.radius = -1.0;
  refuse_body(world, b, CPS_BAD_DATA);
  b = ball, b.shape = cps_plane();
  refuse_body(world, b, CPS_BAD_DATA);
  b = ball, b.mass = -2.0;
  refuse_body(world, b, CPS_BAD_DATA);
  b = ball, b.density = 0.0;
  refuse_body(world, b, CPS_BAD_DATA);
  b = ball, b.position.x = NAN;
  refuse_body(world, b, CPS_BAD_DATA);
  b = ball, b.material = 7;
  refuse_body(world, b, CPS_BAD_ARGUMENT);
  b = ball, b.mu = -1.0;
  refuse_body(world, b, CPS_BAD_DATA);
  b = ball, b.mu_across = 0.0;
  refuse_body(world, b, CPS_BAD_DATA);
  b = ball, b.mu_across = 0.3, b.grain = (CpsVec3){0, 0, 0};
  refuse_body(world, b, CPS_BAD_DATA);
  assert_int_equal(cps_world_body_count(world), 0);

  CpsError error;
  CpsObstacleDef o = cps_obstacle_def_default();
  assert_int_equal(cps_world_add_obstacle(world, &o, NULL, &error), CPS_BAD_DATA);  // no shape
  o.shape = cps_plane();
  o.motion.kind = CPS_MOTION_KEYFRAMES;
  assert_int_equal(cps_world_add_obstacle(world, &o, NULL, &error), CPS_BAD_ARGUMENT);
  const double times[] = {0.0, 0.0};
  const CpsPose poses[2] = {{{0, 0, 0}, {1, 0, 0, 0}}, {{0, 0, 0}, {1, 0, 0, 0}}};
  o.motion.key_count = 2, o.motion.key_times = times, o.motion.key_poses = poses;
  assert_int_equal(cps_world_add_obstacle(world, &o, NULL, &error), CPS_BAD_DATA);
  assert_int_equal(cps_world_obstacle_count(world), 0);

  CpsLoadDef load = cps_load_def_default();
  load.thing = cps_thing_body((CpsBodyId){3, 1});
  assert_int_equal(cps_world_add_load(world, &load, &error), CPS_BAD_ARGUMENT);
  load = cps_load_def_default();
  load.force.x = NAN;
  assert_int_equal(cps_world_add_load(world, &load, &error), CPS_BAD_DATA);
  load = cps_load_def_default();
  load.curve = (CpsCurve){.kind = CPS_CURVE_TABLE};
  assert_int_equal(cps_world_add_load(world, &load, &error), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_world_add_material(world, (CpsPair){-1, 0}, NULL, &error), CPS_BAD_DATA);
  assert_int_equal(cps_world_set_pair(world, 0, 5, (CpsPair){1, 0}, &error), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_world_step(NULL, NULL, &error), CPS_BAD_ARGUMENT);
  step(world, 3);  // an empty world passes the time
  assert_near(cps_world_time(world), 3e-3, 1e-15);
  assert_int_equal(cps_world_contact(world, 0).side[0].thing.generation, 0);
  cps_world_destroy(world);
}

// The problem of a step, solved again, has the impulses of the step.
static void a_step_is_a_problem(void** state) {
  (void)state;
  CpsWorldDef def = cps_world_def_default();
  CpsWorld* world = make_world(&def);
  add_heap(world, 9);
  CpsStepInfo info;
  for (int i = 0; i < 60; ++i) assert_true(cps_world_step(world, &info, NULL) >= 0);
  int32_t n = cps_world_contact_count(world);
  assert_int_equal(n, info.contacts);
  assert_true(n > 0);
  double* r = malloc(3 * (size_t)n * sizeof *r);
  CpsProblem* problem = NULL;
  must(cps_world_problem(world, &problem, r, &must_error));
  CpsResidual residual;
  assert_int_equal(cps_problem_residual(problem, r, &residual), CPS_OK);
  // islands are measured by their own largest impulse, the whole by that of all: never larger
  assert_below(residual.natural, 1.001 * info.residual + 1e-15);
  double* u = malloc(3 * (size_t)n * sizeof *u);
  assert_int_equal(cps_problem_velocity(problem, r, u), CPS_OK);
  for (int32_t i = 0; i < n; ++i) {
    CpsContact c = cps_world_contact(world, i);
    for (int k = 0; k < 3; ++k) {
      assert_near(c.impulse[k], r[3 * i + k], 0.0);
      assert_near(c.velocity[k], u[3 * i + k], 1e-12);  // velocities of some m/s, summed in another order
    }
  }
  free(u);
  free(r);
  cps_problem_destroy(problem);
  cps_world_destroy(world);
}

// With theta = 1/2 a landing ball goes h u / 2 too far: the adaptive step keeps the penetration that a step adds below
// the bound, the fixed step does not; and it comes back to the full step.
static void an_adaptive_step_keeps_its_bound(void** state) {
  (void)state;
  double deepest[2] = {0.0, 0.0};
  for (int adaptive = 0; adaptive < 2; ++adaptive) {
    CpsWorldDef def = cps_world_def_default();
    def.step = 5e-3;
    def.theta = 0.5;
    def.projection = false;
    def.adaptive = adaptive;
    def.penetration_max = 2e-4;
    CpsWorld* world = make_world(&def);
    add_floor(world);
    CpsBodyDef ball = ball_at(0.1, 0, 0, 0.3);
    ball.velocity.z = -1.0;
    add_body(world, &ball);
    int shorter = 0;
    CpsStepInfo info = {0};
    while (cps_world_time(world) < 2.0) {
      assert_int_equal(cps_world_step(world, &info, NULL), CPS_OK);
      deepest[adaptive] = fmax(deepest[adaptive], info.penetration);
      shorter += info.step < 0.9 * def.step;
    }
    assert_true(adaptive ? shorter > 0 : shorter == 0);
    assert_near(info.step, def.step, 0.0);
    cps_world_destroy(world);
  }
  assert_below(deepest[1], 2e-4);
  assert_true(deepest[0] > 1e-3);
}

// Centre of mass and inertia of a body as given, which differ from those of its shape: a force rotates the body accordingly.
static void mass_properties_can_be_given(void** state) {
  (void)state;
  CpsWorldDef settings = cps_world_def_default();
  CpsWorld* world = NULL;
  settings.gravity = (CpsVec3){0.0, 0.0, 0.0};
  assert_int_equal(cps_world_create(&settings, &world, NULL), CPS_OK);
  CpsBodyDef def = cps_body_def_default();
  def.shape = cps_box((CpsVec3){1.0, 1.0, 1.0});
  def.mass = 2.0;
  def.centre = (CpsVec3){0.1, 0.0, 0.0};
  const double inertia[6] = {3.0, 4.0, 5.0, 0.0, 0.0, 0.0};
  memcpy(def.inertia, inertia, sizeof inertia);
  CpsBodyId id;
  assert_int_equal(cps_world_add_body(world, &def, &id, NULL), CPS_OK);
  CpsBodyState now = {0};
  assert_int_equal(cps_world_body_state(world, id, &now), CPS_OK);
  assert_near(now.mass, 2.0, 1e-15);
  assert_near(now.centre.x, 0.1, 1e-15);
  // an impulse of 1 N s along y, 0.4 m from the centre: 0.5 m/s and 0.4 / 5 rad/s about z
  assert_int_equal(cps_world_apply_impulse(world, id, (CpsVec3){0.0, 1.0, 0.0}, (CpsVec3){0.5, 0.0, 0.0}, NULL),
                   CPS_OK);
  assert_int_equal(cps_world_body_state(world, id, &now), CPS_OK);
  assert_near(now.velocity.y, 0.5, 1e-12);
  assert_near(now.angular_velocity.z, 0.08, 1e-12);
  def.inertia[2] = 8.0;
  CpsError error;
  assert_int_equal(cps_world_add_body(world, &def, &id, &error), CPS_BAD_DATA);
  assert_string_equal(error.text, "the principal moments of inertia 3, 4, 8 kg m^2 are not those of any solid");
  cps_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ids_go_stale),
      cmocka_unit_test(an_impulse_that_overflows_is_refused),
      cmocka_unit_test(bad_settings_are_refused),
      cmocka_unit_test(bad_things_are_refused),
      cmocka_unit_test(a_step_is_a_problem),
      cmocka_unit_test(an_adaptive_step_keeps_its_bound),
      cmocka_unit_test(mass_properties_can_be_given),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
