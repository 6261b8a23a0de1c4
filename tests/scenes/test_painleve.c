// labels: memory
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

// A free rod that slides tip first at 63 degrees with mu = 2 has no sliding solution (Painleve: mu > (1 + 3 cos^2) / (3 sin
// cos) = 4/3), but W is positive definite and the tip can be stopped at once: the same jump for any step.
static CpsVec3 jump_of_a_free_rod(double step) {
  CpsWorldDef def = cps_world_def_default();
  def.step = step;
  def.mu = 2.0;
  def.solver.tolerance = 1e-10;
  CpsWorld* world = NULL;
  assert_int_equal(cps_world_create(&def, &world, NULL), CPS_OK);
  CpsObstacleDef floor = cps_obstacle_def_default();
  floor.shape = cps_plane();
  assert_int_equal(cps_world_add_obstacle(world, &floor, NULL, NULL), CPS_OK);
  double half = 0.5 * (atan(0.5));  // half the angle against the upright, tan = 1/2
  CpsBodyDef rod = cps_body_def_default();
  rod.shape = cps_capsule(0.002, 1.0);
  rod.mass = 1.0;
  rod.rotation = (CpsQuat){cos(half), 0.0, -sin(half), 0.0};  // the upper end trails
  rod.position = (CpsVec3){0.0, 0.0, 0.5 * cos(2.0 * half) + 0.002};
  rod.velocity = (CpsVec3){1.0, 0.0, 0.0};
  assert_int_equal(cps_world_add_body(world, &rod, NULL, NULL), CPS_OK);
  Run run = {0};
  run_step(world, &run);
  assert_int_equal(run.unsolved, 0);
  assert_int_equal(cps_world_contact_count(world), 1);
  assert_int_equal(cps_world_contact(world, 0).status, CPS_CONTACT_STICK);
  CpsVec3 v = body(world, 0).velocity;
  cps_world_destroy(world);
  return v;
}

static void a_free_rod_jams_in_one_step_of_any_length(void** state) {
  (void)state;
  CpsVec3 coarse = jump_of_a_free_rod(1e-4), fine = jump_of_a_free_rod(1e-6);
  assert_true(fine.x < 0.7);                         // it was 1 m/s
  assert_below(distance(coarse, fine), 2.0 * 1e-3);  // g h of the longer step
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_rod_that_does_not_jam_is_solved),
      cmocka_unit_test(a_rod_that_jams_is_reported_in_every_step),
      cmocka_unit_test(a_free_rod_jams_in_one_step_of_any_length),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
