// Moving obstacles, and loads that depend on time.
#include "world/world_helpers.h"

// A block on a sliding, belt-driven or turning floor is carried along exactly once it sticks.
static void a_moving_floor_carries_what_sticks(void** state) {
  (void)state;
  for (int belt = 0; belt < 2; ++belt) {
    CpsWorldDef def = cps_world_def_default();
    def.mu = 0.8;
    CpsWorld* world = make_world(&def);
    CpsObstacleDef floor = cps_obstacle_def_default();
    floor.shape = cps_plane();
    if (belt) {
      floor.surface_velocity = (CpsVec3){0.3, -0.1, 0};
    } else {
      floor.motion = (CpsMotion){.kind = CPS_MOTION_VELOCITY, .velocity = {0.3, -0.1, 0}};
    }
    add_obstacle(world, &floor);
    CpsBodyDef block = box_at((CpsVec3){0.2, 0.2, 0.1}, 0, 0, 0.05);
    CpsBodyId id = add_body(world, &block);
    step(world, 500);
    CpsBodyState s = state_of(world, id);
    assert_near(s.velocity.x, 0.3, 1e-12);
    assert_near(s.velocity.y, -0.1, 1e-12);
    // it slid for v / (mu g) seconds and lost half of that way; the scheme is off by at most a step
    double v = sqrt(0.1), lost = 0.5 * v * v / (0.8 * 9.81);
    assert_near(s.pose.position.x, 0.3 * (0.5 - lost / v), 0.3 * 2e-3);
    cps_world_destroy(world);
  }
}

// On a turntable a block goes round in a circle while mu g exceeds omega^2 r, and leaves when it does not.
static void a_turntable_holds_by_friction(void** state) {
  (void)state;
  for (int fast = 0; fast < 2; ++fast) {
    CpsWorldDef def = cps_world_def_default();
    def.mu = 0.5;
    CpsWorld* world = make_world(&def);
    CpsObstacleDef table = cps_obstacle_def_default();
    table.shape = cps_cylinder(2.0, 0.1);
    table.pose.position.z = -0.05;
    double omega = fast ? 3.4 : 2.9;  // the limit is sqrt(0.5 * 9.81 / 0.5) = 3.13 rad/s
    table.motion = (CpsMotion){.kind = CPS_MOTION_VELOCITY, .angular_velocity = {0, 0, omega}};
    add_obstacle(world, &table);
    CpsBodyDef block = box_at((CpsVec3){0.05, 0.05, 0.02}, 0.5, 0, 0.01);
    block.velocity.y = 0.5 * omega;
    block.angular_velocity.z = omega;
    CpsBodyId id = add_body(world, &block);
    step(world, 1000);
    CpsVec3 p = state_of(world, id).pose.position;
    double r = sqrt(p.x * p.x + p.y * p.y);
    if (fast) {
      assert_true(r > 0.52);
    } else {
      assert_near(r, 0.5, 2e-3);  // a chord instead of an arc, first order in h: h omega^2 r t / 2
    }
    cps_world_destroy(world);
  }
}

// A shaking plate throws a ball once its acceleration exceeds g, and not before.
static void a_shaking_plate_throws_above_one_g(void** state) {
  (void)state;
  for (int strong = 0; strong < 2; ++strong) {
    CpsWorldDef def = cps_world_def_default();
    CpsWorld* world = make_world(&def);
    CpsObstacleDef plate = cps_obstacle_def_default();
    plate.shape = cps_box((CpsVec3){1, 1, 0.1});
    plate.pose.position.z = -0.05;
    double f = 5.0, w = 2 * 3.141592653589793 * f, a = (strong ? 1.3 : 0.8) * 9.81 / (w * w);
    plate.motion = (CpsMotion){.kind = CPS_MOTION_SINE, .amplitude = {0, 0, a}, .frequency = f};
    CpsObstacleId id = add_obstacle(world, &plate);
    CpsBodyDef ball = ball_at(0.05, 0, 0, 0.05);
    CpsBodyId b = add_body(world, &ball);
    double most = 0.0;
    for (int i = 0; i < 1000; ++i) {
      step(world, 1);
      CpsPose pose;
      assert_int_equal(cps_world_obstacle_pose(world, id, &pose), CPS_OK);
      most = fmax(most, state_of(world, b).pose.position.z - 0.05 - (pose.position.z + 0.05));
    }
    if (strong) {
      assert_true(most > 1e-3);
    } else {
      assert_below(most, 1e-4);  // the first step starts with a jump of velocity of w a h
    }
    cps_world_destroy(world);
  }
}

// Keyframes: at the keys the obstacle is where they say, between them on the line and half-way round.
static void keyframes_are_met(void** state) {
  (void)state;
  CpsWorldDef def = cps_world_def_default();
  CpsWorld* world = make_world(&def);
  CpsObstacleDef box = cps_obstacle_def_default();
  box.shape = cps_box((CpsVec3){1, 1, 1});
  const double times[] = {0.0, 0.2, 0.3};
  double s = sqrt(0.5);
  const CpsPose poses[] = {{{0, 0, 0}, {1, 0, 0, 0}}, {{2, 0, 0}, {s, 0, 0, s}}, {{2, 1, 0}, {s, 0, 0, s}}};
  box.motion = (CpsMotion){.kind = CPS_MOTION_KEYFRAMES, .key_count = 3, .key_times = times, .key_poses = poses};
  CpsObstacleId id = add_obstacle(world, &box);
  CpsPose p;
  step(world, 100);
  cps_world_obstacle_pose(world, id, &p);
  assert_near(p.position.x, 1.0, 1e-9);
  assert_near(p.rotation.z, sin(3.141592653589793 / 8), 1e-9);
  step(world, 400);
  cps_world_obstacle_pose(world, id, &p);
  assert_near(p.position.y, 1.0, 0.0);
  assert_near(p.rotation.w, s, 1e-15);
  cps_world_destroy(world);
}

// Loads: an impulse is the integral of the force, whichever curve.
static void loads_are_integrated(void** state) {
  (void)state;
  CpsWorldDef def = cps_world_def_default();
  def.gravity = (CpsVec3){0, 0, 0};
  def.theta = 0.5;
  const double times[] = {0.0, 0.5, 1.0}, values[] = {0.0, 2.0, 1.0};
  const CpsCurve curves[] = {
      {.kind = CPS_CURVE_CONSTANT},
      {.kind = CPS_CURVE_SINE, .frequency = 0.5},
      {.kind = CPS_CURVE_TABLE, .count = 3, .times = times, .values = values},
      {.kind = CPS_CURVE_TABLE, .count = 3, .times = times, .values = values, .steps = true},
      {.kind = CPS_CURVE_TABLE, .count = 3, .times = times, .values = values, .steps = true, .period = 0.75},
  };
  // integrals over one second
  const double expected[] = {1.0, 2.0 / 3.141592653589793, 0.5 + 0.75, 1.0, 0.5};
  for (int k = 0; k < 5; ++k) {
    CpsWorld* world = make_world(&def);
    CpsBodyDef ball = ball_at(0.1, 0, 0, 0);
    ball.mass = 2.0;
    CpsBodyId id = add_body(world, &ball);
    CpsLoadDef load = cps_load_def_default();
    load.thing = cps_thing_body(id);
    load.force.x = 3.0;
    load.curve = curves[k];
    must(cps_world_add_load(world, &load, &must_error));
    step(world, 1000);
    assert_near(state_of(world, id).velocity.x, 1.5 * expected[k], 1e-5);  // second order in h
    cps_world_destroy(world);
  }
}

// A torque in body axes spins up a box about its own axis, wherever that points.
static void a_load_in_body_axes_turns_with_the_body(void** state) {
  (void)state;
  CpsWorldDef def = cps_world_def_default();
  def.gravity = (CpsVec3){0, 0, 0};
  CpsWorld* world = make_world(&def);
  CpsBodyDef box = box_at((CpsVec3){0.1, 0.1, 0.3}, 0, 0, 0);
  double s = sqrt(0.5);
  box.rotation = (CpsQuat){s, s, 0, 0};  // its z axis points along -y
  CpsBodyId id = add_body(world, &box);
  CpsLoadDef load = cps_load_def_default();
  load.body_axes = true;
  load.torque.z = 0.01;
  load.force.x = 1.0;
  must(cps_world_add_load(world, &load, &must_error));
  step(world, 100);
  CpsBodyState st = state_of(world, id);
  double inertia = st.mass * (0.01 + 0.01) / 12.0;
  assert_near(st.angular_velocity.y, -0.01 * 0.1 / inertia, 1e-12);
  // the force turns with the body, by alpha t^2 / 2: v_z = F/m alpha t^3 / 6, first order in h
  assert_near(st.velocity.z, 1.0 / st.mass * (0.01 / inertia) * 1e-3 / 6.0, 5e-6);
  assert_near(st.velocity.x, 0.1 / st.mass, 1e-5);
  cps_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_moving_floor_carries_what_sticks),
      cmocka_unit_test(a_turntable_holds_by_friction),
      cmocka_unit_test(a_shaking_plate_throws_above_one_g),
      cmocka_unit_test(keyframes_are_met),
      cmocka_unit_test(loads_are_integrated),
      cmocka_unit_test(a_load_in_body_axes_turns_with_the_body),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
