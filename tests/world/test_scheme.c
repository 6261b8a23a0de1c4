// The time-stepping scheme on bodies with known motion: fall, bounce, spin, push.
#include "world/world_helpers.h"

static const double G = 9.81;

// z_n = z_0 - g h^2 (n (n + 1)/2 theta + n (n - 1)/2 (1 - theta)), the sum that the theta-scheme makes of free fall.
static void free_fall_is_the_sum_of_the_scheme(void** state) {
  (void)state;
  const double thetas[] = {0.5, 0.75, 1.0};
  for (int k = 0; k < 3; ++k) {
    CpsWorldDef def = cps_world_def_default();
    def.theta = thetas[k];
    CpsWorld* world = make_world(&def);
    CpsBodyDef ball = ball_at(0.1, 0, 0, 10);
    CpsBodyId id = add_body(world, &ball);
    step(world, 1000);
    double n = 1000, h = def.step;
    double z = 10 - G * h * h * (0.5 * n * (n + 1) * def.theta + 0.5 * n * (n - 1) * (1 - def.theta));
    assert_near(state_of(world, id).pose.position.z, z, 1e-12);  // 1000 roundings of numbers of size 10
    assert_near(cps_world_time(world), 1.0, 1e-12);
    cps_world_destroy(world);
  }
}

// With theta = 1/2 and e = 1 a ball keeps its energy to rounding for any number of bounces; with e = 1/2 the first
// bounce keeps a quarter of the kinetic energy.
static void restitution_is_newtons(void** state) {
  (void)state;
  CpsWorldDef def = cps_world_def_default();
  def.theta = 0.5;
  def.restitution = 1.0;
  CpsWorld* world = make_world(&def);
  add_floor(world);
  CpsBodyDef ball = ball_at(0.1, 0, 0, 0.5);
  add_body(world, &ball);
  cps_world_energy(world);
  step(world, 1);
  double start = cps_world_energy(world).start;
  step(world, 3000);
  CpsEnergy e = cps_world_energy(world);
  assert_near((e.kinetic + e.potential) / start, 1.0, 1e-12);
  cps_world_destroy(world);

  def.restitution = 0.5;
  world = make_world(&def);
  add_floor(world);
  CpsBodyId id = add_body(world, &ball);
  double before = 0.0, after = 0.0;
  while (after <= 0.0) {
    before = after;
    step(world, 1);
    after = state_of(world, id).velocity.z;
  }
  // u+ = -e u-, u- the velocity at the beginning of the step
  assert_near(after, -0.5 * before, 1e-12);
  cps_world_destroy(world);
}

// A body that is pushed down while it already moves away must not be pulled back by restitution: e min(u-, 0).
static void a_separating_contact_does_not_bounce_inwards(void** state) {
  (void)state;
  CpsWorldDef def = cps_world_def_default();
  def.gravity = (CpsVec3){0, 0, 0};
  def.restitution = 0.8;
  def.projection = false;  // it would open the gap first
  CpsWorld* world = make_world(&def);
  add_floor(world);
  CpsBodyDef ball = ball_at(0.1, 0, 0, 0.0999);
  ball.velocity.z = 0.05;  // leaving, yet g + h u <= 0
  ball.mass = 1.0;
  CpsBodyId id = add_body(world, &ball);
  CpsLoadDef load = cps_load_def_default();
  load.thing = cps_thing_body(id);
  load.force.z = -5000;
  must(cps_world_add_load(world, &load, &must_error));
  step(world, 1);
  assert_near(state_of(world, id).velocity.z, 0.0, 1e-9);
  cps_world_destroy(world);
}

// Without restitution bodies meet exactly at theta = 1: no penetration and no gap, whatever the speed. With theta = 1/2
// half of the last step is made with the old velocity, and no impulse can take that back: h u / 2 at most.
static void a_landing_closes_the_gap_and_no_more(void** state) {
  (void)state;
  const double thetas[] = {0.5, 1.0};
  for (int k = 0; k < 2; ++k) {
    CpsWorldDef def = cps_world_def_default();
    def.theta = thetas[k];
    def.projection = false;
    CpsWorld* world = make_world(&def);
    add_floor(world);
    CpsBodyDef ball = ball_at(0.1, 0, 0, 0.3);
    ball.velocity.z = -20;  // 2 cm a step
    CpsBodyId id = add_body(world, &ball);
    double least = 1.0;
    for (int i = 0; i < 200; ++i) {
      step(world, 1);
      least = fmin(least, state_of(world, id).pose.position.z);
    }
    // solver tolerance 1e-6 times the last gap of at most 2 cm; the fall makes 20 m/s a little faster
    assert_near(least, 0.1, k == 0 ? 0.5 * def.step * 20.1 : 1e-9);
    assert_near(state_of(world, id).velocity.z, 0.0, 1e-6);
    cps_world_destroy(world);
  }
}

// At theta = 1/2 a plate of 1 mm at 20 m/s drifts by 2 cm before the wall stops it, which is 1 mm thick. Nothing was said: beyond the wall
// nothing is deep. The step is shortened until the drift is less than half a plate.
static void thin_plates_do_not_drift_through_walls(void** state) {
  (void)state;
  for (int k = 0; k < 8; ++k) {
    CpsWorldDef def = cps_world_def_default();
    def.theta = 0.5;
    def.step = 2e-3;
    def.adaptive = k % 2;
    def.restitution = k / 2 % 2 ? 0.2 : 0.0;
    def.gravity = (CpsVec3){0, 0, 0};
    CpsWorld* world = make_world(&def);
    CpsBodyDef plate = box_at((CpsVec3){0.03, 0.02, 1e-3}, 0, 0, 0.1);
    plate.velocity = (CpsVec3){1, 2, -20};
    plate.angular_velocity = (CpsVec3){20, -30, 5};
    CpsBodyId id = add_body(world, &plate);
    if (k < 4) {
      CpsObstacleDef wall = cps_obstacle_def_default();
      wall.shape = cps_box((CpsVec3){1, 1, 1e-3});
      add_obstacle(world, &wall);
    } else {
      CpsBodyDef wall = box_at((CpsVec3){1, 1, 1e-3}, 0, 0, 0);
      wall.mass = 1e3;
      add_body(world, &wall);
    }
    double least = 1.0, deepest = 0.0;
    while (cps_world_time(world) < 0.02) {
      CpsStepInfo info;
      must(cps_world_step(world, &info, &must_error));
      least = fmin(least, state_of(world, id).pose.position.z);
      deepest = fmax(deepest, info.penetration);
    }
    print_message("case %d: least height %g mm, penetration %g mm\n", k, 1e3 * least, 1e3 * deepest);
    assert_true(least > 0.0 && deepest < 0.5e-3);
    cps_world_destroy(world);
  }
}

// A free symmetric top precesses about its angular momentum at the rate L / I_1.
static void a_free_top_precesses(void** state) {
  (void)state;
  CpsWorldDef def = cps_world_def_default();
  def.gravity = (CpsVec3){0, 0, 0};
  def.theta = 0.5;
  def.step = 1e-4;
  CpsWorld* world = make_world(&def);
  CpsBodyDef top = cps_body_def_default();
  top.shape = cps_cylinder(0.1, 0.05);
  top.angular_velocity = (CpsVec3){2.0, 0.0, 10.0};
  CpsBodyId id = add_body(world, &top);
  CpsMassProperties m;
  must(cps_shape_mass(&top.shape, top.density, &m, &must_error));
  CpsVec3 L;
  cps_world_momentum(world, NULL, &L);
  double rate = sqrt(L.x * L.x + L.z * L.z) / m.inertia.x;
  step(world, 10000);
  // the axis after 1 s: turned about L by the rate. Axis e, L/|L| = l: e cos + (l x e) sin + l (l.e)(1 - cos)
  double n = sqrt(L.x * L.x + L.z * L.z), lx = L.x / n, lz = L.z / n, c = cos(rate), s = sin(rate);
  double ex = lx * lz * (1 - c), ey = -lx * s, ez = c + lz * lz * (1 - c);
  CpsQuat q = state_of(world, id).pose.rotation;
  double ax = 2 * (q.x * q.z + q.w * q.y), ay = 2 * (q.y * q.z - q.w * q.x), az = 1 - 2 * (q.x * q.x + q.y * q.y);
  assert_near(ax, ex, 1e-5);  // second order: (h omega)^2 over 1 s at 10 rad/s
  assert_near(ay, ey, 1e-5);
  assert_near(az, ez, 1e-5);
  CpsVec3 now;
  cps_world_momentum(world, NULL, &now);
  assert_near(now.x / n, lx, 1e-5);
  assert_near(now.z / n, lz, 1e-5);
  cps_world_destroy(world);
}

// A body spinning about its middle axis tumbles (Dzhanibekov); however fast, its energy stays.
static void a_fast_spin_does_not_blow_up(void** state) {
  (void)state;
  const double spins[] = {10.0, 1e3, 1e5};
  for (int k = 0; k < 3; ++k) {
    CpsWorldDef def = cps_world_def_default();
    def.gravity = (CpsVec3){0, 0, 0};
    CpsWorld* world = make_world(&def);
    CpsBodyDef box = box_at((CpsVec3){0.3, 0.2, 0.1}, 0, 0, 0);
    box.angular_velocity = (CpsVec3){1e-2 * spins[k], spins[k], 1e-2 * spins[k]};
    CpsBodyId id = add_body(world, &box);
    step(world, 1);
    double start = cps_world_energy(world).start, lowest = 1.0;
    for (int i = 0; i < 2000; ++i) {
      step(world, 1);
      CpsVec3 w = state_of(world, id).angular_velocity;
      CpsQuat q = state_of(world, id).pose.rotation;
      // component along the body's middle axis, relative
      double y = 2 * (q.x * q.y - q.w * q.z) * w.x + (1 - 2 * (q.x * q.x + q.z * q.z)) * w.y +
                 2 * (q.y * q.z + q.w * q.x) * w.z;
      lowest = fmin(lowest, y / spins[k]);
    }
    // Newton's method is exact to about 1e-15 a step
    assert_near(cps_world_energy(world).kinetic / start, 1.0, 1e-10);
    if (k == 0) assert_below(lowest, -0.9);  // it has turned over
    cps_world_destroy(world);
  }
}

// Two free balls that collide off-centre with friction keep linear and angular momentum.
static void a_collision_keeps_momentum(void** state) {
  (void)state;
  CpsWorldDef def = cps_world_def_default();
  def.gravity = (CpsVec3){0, 0, 0};
  def.restitution = 0.3;
  CpsWorld* world = make_world(&def);
  CpsBodyDef a = ball_at(0.1, 0, 0, 0), b = ball_at(0.2, 0.5, 0.12, 0.05);
  a.velocity.x = 3.0;
  b.angular_velocity = (CpsVec3){1, 2, 30};
  add_body(world, &a);
  add_body(world, &b);
  CpsVec3 p0, L0, p, L;
  cps_world_momentum(world, &p0, &L0);
  step(world, 300);
  cps_world_momentum(world, &p, &L);
  double scale = p0.x;  // kg m/s, arms of some 0.1 m to 1 m
  assert_near(p.x, p0.x, 1e-12 * scale);
  assert_near(p.y, p0.y, 1e-12 * scale);
  assert_near(p.z, p0.z, 1e-12 * scale);
  // the two points of a contact are a gap of at most h u = 3 mm apart: the pair of forces turns a little
  assert_near(L.x, L0.x, 3e-3 * scale);
  assert_near(L.y, L0.y, 3e-3 * scale);
  assert_near(L.z, L0.z, 3e-3 * scale);
  assert_true(cps_world_energy(world).friction > 0.0);
  cps_world_destroy(world);
}

// A rotation that is fixed stays, whatever pulls at the body.
static void a_fixed_rotation_does_not_turn(void** state) {
  (void)state;
  CpsWorldDef def = cps_world_def_default();
  CpsWorld* world = make_world(&def);
  add_floor(world);
  CpsBodyDef ball = ball_at(0.1, 0, 0, 0.1);
  ball.fixed_rotation = true;
  ball.velocity.x = 2.0;
  ball.mu = 0.25;
  CpsBodyId id = add_body(world, &ball);
  step(world, 200);
  CpsBodyState s = state_of(world, id);
  assert_near(s.pose.rotation.w, 1.0, 0.0);
  assert_near(s.velocity.x, 2.0 - 0.25 * G * 0.2, 1e-6);  // it slides: solver tolerance
  cps_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(free_fall_is_the_sum_of_the_scheme),
      cmocka_unit_test(restitution_is_newtons),
      cmocka_unit_test(a_separating_contact_does_not_bounce_inwards),
      cmocka_unit_test(a_landing_closes_the_gap_and_no_more),
      cmocka_unit_test(thin_plates_do_not_drift_through_walls),
      cmocka_unit_test(a_free_top_precesses),
      cmocka_unit_test(a_fast_spin_does_not_blow_up),
      cmocka_unit_test(a_collision_keeps_momentum),
      cmocka_unit_test(a_fixed_rotation_does_not_turn),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
