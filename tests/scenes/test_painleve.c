// Painleve's rod: where Coulomb's law and rigid bodies have no answer the step says so, and nothing breaks.
//
// The rod is a strut between a belt that draws its lower end inwards and a corner. With x and z the width and height
// between its ends and r its radius, moments about the lower contact balance for N x = mu N (z + r) at the most (the weight helps the
// floor only): above mu = x / (z + r) every impulse of the belt presses the rod harder into the corner, and none solves.
#include "scenes/scene_world.h"

static Run drag(double mu, double step) {
  Overrides o = {0};
  override(&o, "mu=%.17g", mu);
  override(&o, "time.step=%g", step);
  CpsWorld* world = open_scene("painleve.yaml", &o);
  Run run = {0};
  for (int k = 0; k < 20; ++k) {
    run_step(world, &run);
    CpsBodyState rod = body(world, 0);
    assert_true(isfinite(speed(rod.centre)) && isfinite(speed(rod.velocity)));
    assert_true(distance(rod.centre, (CpsVec3){0.25, 0.0, 0.453}) < 0.1);  // it is not thrown away either
  }
  cps_world_destroy(world);
  return run;
}

static void a_rod_that_does_not_jam_is_solved(void** state) {
  (void)state;
  double limit = sin(3.14159265358979323846 / 6.0) / (cos(3.14159265358979323846 / 6.0) + 0.02);
  assert_int_equal(drag(0.98 * limit, 1e-3).unsolved, 0);
  assert_int_equal(drag(0.2, 1e-3).unsolved, 0);
}

static void a_rod_that_jams_is_reported_in_every_step(void** state) {
  (void)state;
  double limit = sin(3.14159265358979323846 / 6.0) / (cos(3.14159265358979323846 / 6.0) + 0.02);
  assert_int_equal(drag(1.02 * limit, 1e-3).unsolved, 20);
  assert_int_equal(drag(1.0, 1e-3).unsolved, 20);
  assert_int_equal(drag(1.0, 1e-4).unsolved, 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_rod_that_does_not_jam_is_solved),
      cmocka_unit_test(a_rod_that_jams_is_reported_in_every_step),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
