// Textbook motions with friction: sliding to rest, tipping or sliding, slipping to rolling, a disc that spins down.
#include "scenes/scene_world.h"

static const double g = 9.81;

// The discrete way of theta = 1 is shorter than v^2 / (2 mu g) by v h / 2 - O(h^2).
static void a_sliding_block_stops_after_v2_over_2_mu_g(void** state) {
  (void)state;
  CpsWorld* world = open_scene("slide.yaml", NULL);
  Run run = run_until(world, 1.2);  // v / (mu g) = 1.02 s
  CpsBodyState end = body(world, 0);
  CpsEnergy energy = cps_world_energy(world);
  cps_world_destroy(world);
  double v = 3.0, mu = 0.3, h = 1e-3;
  assert_int_equal(run.unsolved, 0);
  assert_near(end.centre.x, v * v / (2.0 * mu * g) - 0.5 * v * h, 1e-5);
  assert_below(fabs(end.centre.y), 1e-8);           // the solver's tolerance over the whole way
  assert_near(energy.friction, 2.0 * v * v, 1e-6);  // 4 kg: all of its kinetic energy
}

// A block that slides with mu > width / height turns over its front edge; with less it slides on upright.
static double upright(double mu, double width, double height, double time) {
  Overrides o = {0};
  override(&o, "mu=%g", mu);
  override(&o, "width=%g", width);
  override(&o, "height=%g", height);
  override(&o, "speed=4");
  CpsWorld* world = open_scene("slide.yaml", &o);
  Run run = run_until(world, time);
  CpsQuat q = body(world, 0).pose.rotation;
  cps_world_destroy(world);
  assert_int_equal(run.unsolved, 0);
  return 1.0 - 2.0 * (q.x * q.x + q.y * q.y);  // cosine of the angle between its axis and the vertical
}

static void a_tall_block_tips_where_mu_is_above_width_over_height(void** state) {
  (void)state;
  assert_near(upright(0.49, 0.2, 0.4, 0.5), 1.0, 1e-9);  // mu < 1/2
  assert_below(upright(0.55, 0.2, 0.4, 0.5), 0.95);      // mu > 1/2
}

static void a_thrown_ball_rolls_at_five_sevenths_of_its_speed(void** state) {
  (void)state;
  CpsWorld* world = open_scene("roll.yaml", NULL);
  double v = 3.0, mu = 0.2, radius = 0.1, h = 1e-4, start = NAN, way = NAN;
  Run run = {0};
  while (cps_world_time(world) < 0.6) {
    run_step(world, &run);
    CpsContact contact = cps_world_contact(world, 0);
    if (isnan(start) && contact.status == CPS_CONTACT_STICK) {
      start = cps_world_time(world);
      way = body(world, 0).centre.x;
    }
  }
  CpsBodyState end = body(world, 0);
  cps_world_destroy(world);
  assert_int_equal(run.unsolved, 0);
  assert_near(start, 2.0 * v / (7.0 * mu * g), 1.001 * h);  // to the step
  assert_near(way, 12.0 * v * v / (49.0 * mu * g), v * h);
  assert_near(end.velocity.x, 5.0 / 7.0 * v, 1e-9);
  assert_near(end.angular_velocity.y, 5.0 / 7.0 * v / radius, 1e-8);
}

// The disc stands on 8 points of its rim: torque mu m g R, spin-down mu m g R / (m R^2 / 2) = 2 mu g / R. (With its weight
// spread evenly a disc would have 2/3 of that.)
static void a_spinning_disc_stops_at_the_time_of_its_contact_points(void** state) {
  (void)state;
  Overrides o = {0};
  override(&o, "speed=0");
  override(&o, "spin=30");
  CpsWorld* world = open_scene("puck.yaml", &o);
  double mu = 0.3, radius = 0.04, h = 1e-3, stop = 30.0 * radius / (2.0 * mu * g);
  run_until(world, 0.1);
  assert_near(body(world, 0).angular_velocity.z, 30.0 - 0.1 * 2.0 * mu * g / radius, 1e-6);
  Run run = {0};
  while (fabs(body(world, 0).angular_velocity.z) > 1e-9) run_step(world, &run);
  assert_near(cps_world_time(world), stop, 1.001 * h);
  assert_int_equal(run.unsolved, 0);
  // without a push it stays where it is
  assert_below(speed(body(world, 0).centre) - 0.0125, 1e-9);
  cps_world_destroy(world);
}

// A disc that slides and spins does both to the end: neither motion stops before the other.
static void sliding_and_spinning_end_together(void** state) {
  (void)state;
  Overrides o = {0};
  override(&o, "spin=50");
  override(&o, "speed=1");
  CpsWorld* world = open_scene("puck.yaml", &o);
  Run run = {0};
  double last_speed = 1.0, last_spin = 50.0;
  while (last_speed > 1e-9 && last_spin > 1e-9) {
    run_step(world, &run);
    last_speed = speed(body(world, 0).velocity);
    last_spin = fabs(body(world, 0).angular_velocity.z);
  }
  cps_world_destroy(world);
  // in the step before the last both are of the size of one step's change, mu g h and 2 mu g h / R
  assert_below(last_speed, 0.3 * g * 1e-3);
  assert_below(last_spin, 2.0 * 0.3 * g * 1e-3 / 0.04);
  // spinning makes friction weaker along the way: it slides on for longer than without
  assert_true((double)run.steps * 1e-3 > 1.0 / (0.3 * g));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_sliding_block_stops_after_v2_over_2_mu_g),
      cmocka_unit_test(a_tall_block_tips_where_mu_is_above_width_over_height),
      cmocka_unit_test(a_thrown_ball_rolls_at_five_sevenths_of_its_speed),
      cmocka_unit_test(a_spinning_disc_stops_at_the_time_of_its_contact_points),
      cmocka_unit_test(sliding_and_spinning_end_together),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
