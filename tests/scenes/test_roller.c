// labels: release
// Rollers draw a soft block in, or do not.
#include "capstan/solid.h"
#include "scenes/scene_world.h"

// The velocity of the block along x after a while, m/s.
static double velocity_after(double mu, double time) {
  Overrides o = {0};
  override(&o, "mu=%g", mu);
  CpsWorld* world = open_scene("roller.yaml", &o);
  CpsSolidInfo info;
  CpsVec3 p, L;
  assert_int_equal(cps_world_solid_info(world, cps_world_solid(world, 0), &info), CPS_OK);
  Run run = run_until(world, time);
  cps_world_momentum(world, &p, &L);
  assert_int_equal(run.unsolved, 0);
  assert_int_equal(run.crossings, 0);
  cps_world_destroy(world);
  print_message("mu = %.4f: %.4f m/s\n", mu, p.x / info.mass);
  return p.x / info.mass;
}

// A corner that touches a roller at the angle a gets N (mu cos a - sin a) along the way in: it is drawn in where mu > tan a. The little
// that it comes in by itself makes the angle smaller: a tenth below the limit the block is thrown back, at the limit it is drawn in and has
// the speed of the rollers, 0.2 m/s.
static void rollers_bite_where_friction_is_more_than_the_tangent(void** state) {
  (void)state;
  const double cosine = 1.0 - (0.04 + 2.0 * 1e-4 - 0.03) / 0.1, limit = sqrt(1.0 - cosine * cosine) / cosine;
  assert_near(limit, 0.4900, 1e-4);
  const double back = velocity_after(0.92 * limit, 0.3);
  assert_true(back < 0.0 && back > -5.1e-3);
  assert_near(velocity_after(1.01 * limit, 0.34), 0.2, 0.01);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rollers_bite_where_friction_is_more_than_the_tangent),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
