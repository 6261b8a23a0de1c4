// Nothing creeps: what Coulomb's law holds stays where it is to rounding, and what it does not hold slides as fast as the
// law says. Short forms; test_creep_long.c has the full times.
#include "scenes/creep.h"

// 1e-10 m is asked; what is seen is rounding of the first steps.
static void a_block_a_hair_below_the_angle_of_friction_rests(void** state) {
  (void)state;
  double angle = 20.0 * degree;
  assert_below(ramp_drift(angle, tan(angle) + 1e-3, 1e-3, SHORTER ? 0.2 : 2.0), 1e-10);
}

static void a_block_a_hair_above_slides_as_newton_says(void** state) {
  (void)state;
  double angle = 20.0 * degree, mu = tan(angle) - 1e-3, time = SHORTER ? 0.2 : 2.0;
  CpsWorld* world = open_ramp(angle, mu, 1e-3);
  Run run = run_until(world, time);
  assert_int_equal(run.unsolved, 0);
  double a = g * (sin(angle) - mu * cos(angle));
  assert_near(speed(body(world, 0).velocity) / (a * time), 1.0, 1e-3);
  cps_world_destroy(world);
}

// A coarse form of the grid, with steps of 10 ms.
static void every_cell_of_a_grid_of_angles_and_coefficients_is_right(void** state) {
  (void)state;
  int cells = SHORTER ? 2 : 6;
  for (int i = 0; i < cells; ++i) {
    for (int j = 0; j < cells; ++j) {
      check_ramp_cell((5.0 + 40.0 * i / cells) * degree, 0.07 + 0.9 * j / cells, 1e-2, 1.0);
    }
  }
}

// 1e-9 m: velocities below the solver's tolerance (1e-6 of the step's g h) for the first steps, then rounding.
static void a_pinched_capsule_does_not_slip(void** state) {
  (void)state;
  double time = SHORTER ? 0.05 : 0.5;
  assert_below(pinch_slip(20.0, 0.0, 0.0, time), 1e-9);
  assert_below(pinch_slip(20.0, 35.0 * degree, 0.0, time), 1e-9);
  assert_below(pinch_slip(95.0, 70.0 * degree, 20.0 * degree, time), 1e-9);
}

// Half of what would hold it: it must fall, or the test above could not fail.
static void a_capsule_pinched_too_weakly_falls(void** state) {
  (void)state;
  Overrides o = {0};
  override(&o, "factor=0.5");
  CpsWorld* world = open_scene("pinch.yaml", &o);
  run_until(world, 0.1);
  double fall = body(world, 0).velocity.z;
  cps_world_destroy(world);
  assert_near(fall, -0.5 * g * 0.1, 1e-4);  // friction carries half of the weight
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_block_a_hair_below_the_angle_of_friction_rests),
      cmocka_unit_test(a_block_a_hair_above_slides_as_newton_says),
      cmocka_unit_test(every_cell_of_a_grid_of_angles_and_coefficients_is_right),
      cmocka_unit_test(a_pinched_capsule_does_not_slip),
      cmocka_unit_test(a_capsule_pinched_too_weakly_falls),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
