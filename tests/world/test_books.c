// The energy balance closes in every step, and the projection of positions never injects energy.
#include "world/world_helpers.h"

// Everything at once: impacts with and without restitution, sliding, loads, a moving floor, theta below 1.
static void the_books_close(void** state) {
  (void)state;
  const double thetas[] = {0.5, 0.8, 1.0};
  for (int k = 0; k < 3; ++k) {
    CpsWorldDef def = cps_world_def_default();
    def.theta = thetas[k];
    def.step = 2e-3;
    def.restitution = k == 1 ? 0.4 : 0.0;
    CpsWorld* world = make_world(&def);
    add_heap(world, 12);
    CpsObstacleDef wall = cps_obstacle_def_default();
    wall.shape = cps_box((CpsVec3){0.1, 1, 1});
    wall.pose.position.x = -0.2;
    wall.motion = (CpsMotion){.kind = CPS_MOTION_SINE, .amplitude = {0.1, 0, 0}, .frequency = 1.5};
    add_obstacle(world, &wall);
    CpsLoadDef load = cps_load_def_default();
    load.force = (CpsVec3){0.5, 0.2, 0.0};
    load.torque = (CpsVec3){0.01, 0.0, 0.02};
    load.curve = (CpsCurve){.kind = CPS_CURVE_SINE, .frequency = 3.0};
    must(cps_world_add_load(world, &load, &must_error));
    for (int i = 0; i < 200; ++i) {
      cps_world_step(world, NULL, NULL);
      // sums of thousands of terms, each rounded
      assert_below(cps_world_energy(world).error, 1e-11);
    }
    CpsEnergy e = cps_world_energy(world);
    assert_true(e.friction > 0.0);
    assert_true(e.obstacles != 0.0);
    assert_true(e.external != 0.0);
    assert_true(e.projection >= -1e-12);
    cps_world_destroy(world);
  }
}

// theta = 1: a fall loses h^2 |F|^2 / 2m in each step, and no other term changes.
static void the_scheme_loses_what_it_should(void** state) {
  (void)state;
  CpsWorldDef def = cps_world_def_default();
  CpsWorld* world = make_world(&def);
  CpsBodyDef ball = ball_at(0.1, 0, 0, 10);
  ball.mass = 2.0;
  add_body(world, &ball);
  step(world, 100);
  CpsEnergy e = cps_world_energy(world);
  assert_near(e.scheme, 100 * 0.5 * 2.0 * 9.81 * 9.81 * 1e-6, 1e-12);
  assert_near(e.friction + e.impact + e.external + e.obstacles + e.projection, 0.0, 0.0);
  cps_world_destroy(world);
}

// Objects that are added, and states set by hand, start a new balance and are not an error.
static void changes_by_hand_are_a_new_start(void** state) {
  (void)state;
  CpsWorldDef def = cps_world_def_default();
  CpsWorld* world = make_world(&def);
  CpsBodyDef ball = ball_at(0.1, 0, 0, 5);
  CpsBodyId a = add_body(world, &ball);
  step(world, 10);
  ball.position.x = 1.0;
  CpsBodyId b = add_body(world, &ball);
  step(world, 10);
  must(cps_world_apply_impulse(world, a, (CpsVec3){1, 0, 0}, (CpsVec3){0, 0, 5.05}, &must_error));
  assert_below(cps_world_energy(world).error, 1e-13);
  step(world, 10);
  must(cps_world_remove_body(world, b, &must_error));
  step(world, 10);
  assert_below(cps_world_energy(world).error, 1e-13);
  cps_world_destroy(world);
}

// Boxes that overlap at the start: while they are pushed apart, the total energy never grows. A stack at rest with a penetration is
// not lifted.
static void projection_does_not_inject_energy(void** state) {
  (void)state;
  CpsWorldDef def = cps_world_def_default();
  CpsWorld* world = make_world(&def);
  add_floor(world);
  for (int i = 0; i < 4; ++i) {
    CpsBodyDef box = box_at((CpsVec3){0.2, 0.2, 0.2}, 0.01 * i, 0, 0.095 + 0.19 * i);
    box.velocity = (CpsVec3){0.5 * (i % 2), 0, 0};  // something to pay with
    add_body(world, &box);
  }
  step(world, 1);
  double last = cps_world_energy(world).kinetic + cps_world_energy(world).potential, first_depth = 0.0, depth = 0.0;
  for (int i = 0; i < 500; ++i) {
    CpsStepInfo info;
    assert_true(cps_world_step(world, &info, NULL) >= 0);
    CpsEnergy e = cps_world_energy(world);
    assert_below(e.kinetic + e.potential, last + 1e-12 * fabs(last));
    last = e.kinetic + e.potential;
    if (i == 0) first_depth = info.penetration;
    depth = info.penetration;
    assert_below(e.error, 1e-12);
  }
  assert_true(depth < first_depth);
  cps_world_destroy(world);
}

// A stack at rest for 20 s does not sink: the penetration at the end equals that at the beginning.
static void a_long_rest_does_not_sink(void** state) {
  (void)state;
  CpsWorldDef def = cps_world_def_default();
  def.step = 0.01;
  CpsWorld* world = make_world(&def);
  add_floor(world);
  CpsBodyId top = {0, 0};
  for (int i = 0; i < 5; ++i) {
    CpsBodyDef box = box_at((CpsVec3){0.2, 0.2, 0.1}, 0, 0, 0.05 + 0.1 * i);
    top = add_body(world, &box);
  }
  step(world, 10);
  double z = state_of(world, top).pose.position.z;
  step(world, 2000);
  assert_near(state_of(world, top).pose.position.z, z, 1e-10);
  cps_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_books_close),
      cmocka_unit_test(the_scheme_loses_what_it_should),
      cmocka_unit_test(changes_by_hand_are_a_new_start),
      cmocka_unit_test(projection_does_not_inject_energy),
      cmocka_unit_test(a_long_rest_does_not_sink),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
