// Forces on fast-spinning bodies, against closed forms: they act during the free rotation of the body, in its current directions.
#include "core/quat.h"
#include "world_helpers.h"

static const double G = 9.81;

// A heavy top on a joint, thrown into the precession m g l / (I3 spin) with its axis level, where that is exact.
typedef struct Top {
  double radius, height, arm, spin;
} Top;

static double precession_of(const Top* t) {
  return 2.0 * G * t->arm / (t->radius * t->radius * t->spin);
}

// How much of it rises or sinks at most in half a second, m; and what becomes of the precession.
static double stray(const Top* t, double h, double* azimuth) {
  CpsWorldDef def = cps_world_def_default();
  def.step = h;
  def.theta = 0.5;
  CpsWorld* world = make_world(&def);
  CpsBodyDef disc = cps_body_def_default();
  disc.shape = cps_cylinder(t->radius, t->height);
  disc.mass = 1.0;
  disc.position = (CpsVec3){t->arm, 0.0, 0.0};
  disc.rotation = (CpsQuat){0.70710678118654752, 0.0, 0.70710678118654752, 0.0};
  disc.angular_velocity = (CpsVec3){t->spin, 0.0, precession_of(t)};
  disc.velocity = (CpsVec3){0.0, precession_of(t) * t->arm, 0.0};
  const CpsBodyId id = add_body(world, &disc);
  CpsTieDef tie = cps_tie_def_default();
  tie.a = (CpsAnchor){.thing = cps_thing_body(id), .point = {0.0, 0.0, -t->arm}};
  must(cps_world_add_tie(world, &tie, NULL, &must_error));
  double most = 0.0;
  const int steps = (int)lround(0.5 / h);
  for (int i = 0; i < steps; ++i) {
    step(world, 1);
    most = fmax(most, fabs(state_of(world, id).pose.position.z));
  }
  const CpsVec3 x = state_of(world, id).pose.position;
  *azimuth = atan2(x.y, x.x) / (0.5 * precession_of(t));
  assert_below(cps_world_energy(world).error, 1e-11);
  cps_world_destroy(world);
  return most;
}

// Flat tops sank by 8.6 mm at 0.5 ms and long ones rose by 21 mm from nothing, in proportion to the step. Now 0.08 and 0.15 mm,
// of second order; the precession is within 0.4 and 0.6 %.
static void a_top_on_a_joint_keeps_its_height(void** state) {
  (void)state;
  const Top tops[] = {{0.05, 0.02, 0.1, 200.0}, {0.02, 0.1, 0.06, 500.0}};
  for (int k = 0; k < 2; ++k) {
    double azimuth[2];
    const double coarse = stray(&tops[k], 5e-4, &azimuth[0]), fine = stray(&tops[k], 2.5e-4, &azimuth[1]);
    print_message("top %d: off by %.3f and %.3f mm, precession %.5f and %.5f\n", k, 1e3 * coarse, 1e3 * fine,
                  azimuth[0], azimuth[1]);
    assert_below(coarse, 3e-4);
    assert_below(fine, 0.3 * coarse);
    assert_near(azimuth[0], 1.0, 0.01);
    assert_near(azimuth[1], 1.0, 0.0025);
  }
}

static CpsBodyDef gyroscope(void) {
  CpsBodyDef disc = cps_body_def_default();
  disc.shape = cps_cylinder(0.1, 0.02);
  disc.mass = 1.0;
  disc.angular_velocity = (CpsVec3){0.0, 0.0, 100.0};
  return disc;
}

static CpsWorld* empty_world(double h) {
  CpsWorldDef def = cps_world_def_default();
  def.step = h;
  def.theta = 0.5;
  def.gravity = (CpsVec3){0.0, 0.0, 0.0};
  return make_world(&def);
}

static void load(CpsWorld* world, CpsBodyId id, double torque, bool body_axes) {
  CpsLoadDef def = cps_load_def_default();
  def.thing = cps_thing_body(id);
  def.torque = (CpsVec3){torque, 0.0, 0.0};
  def.body_axes = body_axes;
  must(cps_world_add_load(world, &def, &must_error));
}

// How far the angular momentum is from L + t T after a second of a torque T, of T.
static double off_angular_momentum(double h) {
  CpsWorld* world = empty_world(h);
  const CpsBodyDef def = gyroscope();
  const CpsBodyId id = add_body(world, &def);
  CpsVec3 p, before, after;
  load(world, id, 0.2, false);
  cps_world_momentum(world, &p, &before);
  step(world, (int)lround(1.0 / h));
  cps_world_momentum(world, &p, &after);
  cps_world_destroy(world);
  CpsVec3 gained = cps_vec3_sub(after, before);
  gained.x -= 0.2;
  return cps_vec3_norm(gained) / 0.2;
}

// It went aside by half the angle of a step, 0.05 at 1 ms. Now by its square.
static void a_torque_changes_the_angular_momentum_by_itself(void** state) {
  (void)state;
  const double coarse = off_angular_momentum(1e-3), fine = off_angular_momentum(5e-4);
  print_message("off by %.2e and %.2e of the torque\n", coarse, fine);
  assert_below(coarse, 0.5 * 0.1 * 0.1);
  assert_below(fine, 0.3 * coarse);
}

// With n = (I3/I1 - 1) s3 a torque T that turns with the body gives it the spin s1 + i s2 = T/(I1 n) (exp(i n t) - 1)/i.
static double off_spin(double h) {
  CpsWorld* world = empty_world(h);
  const CpsBodyDef def = gyroscope();
  const CpsBodyId id = add_body(world, &def);
  load(world, id, 0.2, true);
  step(world, (int)lround(0.25 / h));
  const CpsBodyState s = state_of(world, id);
  const CpsVec3 spin = cps_quat_rotate_back(s.pose.rotation, s.angular_velocity);
  cps_world_destroy(world);
  const double I3 = 0.005, I1 = 0.0025 + 4e-4 / 12.0, n = (I3 / I1 - 1.0) * 100.0, a = 0.2 / (I1 * n);
  return hypot(spin.x - a * sin(n * 0.25), spin.y - a * (1.0 - cos(n * 0.25))) / a;
}

static void a_torque_of_the_body_turns_with_it(void** state) {
  (void)state;
  const double coarse = off_spin(1e-3), fine = off_spin(5e-4);
  print_message("off by %.2e and %.2e of the spin\n", coarse, fine);
  assert_below(coarse, 0.05);
  assert_below(fine, 0.3 * coarse);
}

// A thruster across the axis of a body that turns by s sends it round a circle: v = F/(m s) (sin, 1 - cos)(s t).
static void a_force_of_the_body_turns_with_it(void** state) {
  (void)state;
  double off[2];
  for (int k = 0; k < 2; ++k) {
    const double h = k == 0 ? 1e-3 : 5e-4;
    CpsWorld* world = empty_world(h);
    const CpsBodyDef def = gyroscope();
    const CpsBodyId id = add_body(world, &def);
    CpsLoadDef thrust = cps_load_def_default();
    thrust.thing = cps_thing_body(id);
    thrust.force = (CpsVec3){3.0, 0.0, 0.0};
    thrust.body_axes = true;
    must(cps_world_add_load(world, &thrust, &must_error));
    step(world, (int)lround(0.25 / h));
    const CpsVec3 v = state_of(world, id).velocity;
    off[k] = hypot(v.x - 0.03 * sin(25.0), v.y - 0.03 * (1.0 - cos(25.0))) / 0.03;
    cps_world_destroy(world);
  }
  print_message("off by %.2e and %.2e of the speed\n", off[0], off[1]);
  assert_below(off[0], 2e-3);
  assert_below(off[1], 0.3 * off[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_top_on_a_joint_keeps_its_height),
      cmocka_unit_test(a_torque_changes_the_angular_momentum_by_itself),
      cmocka_unit_test(a_torque_of_the_body_turns_with_it),
      cmocka_unit_test(a_force_of_the_body_turns_with_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
