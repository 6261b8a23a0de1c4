// A trefoil knot pulled tight: it never breaks, and with friction it holds when it is let go.
#include "scenes/ropes.h"

static const double ROPE = 0.002;

static CpsWorld* open_knot(double mu, double force) {
  Overrides o = {0};
  override(&o, "mu=%g", mu);
  override(&o, "force=%g", force);
  return open_scene("knot.yaml", &o);
}

// A tight trefoil takes up about ten diameters of rope; a rope without a knot would be straight.
static void the_knot_is_pulled_tight_and_does_not_break(void** state) {
  (void)state;
  CpsWorld* world = open_knot(0.3, SHORTER ? 10.0 : 200.0);
  Rope rope = {0};
  run_rope(world, 0.4, &rope);
  run_rope(world, SHORTER ? 0.42 : 0.55, &rope);
  assert_int_equal(rope.crossings, 0);
  assert_int_equal(rope.unsolved, 0);
  assert_below(rope.penetration, 0.02 * ROPE);
  double taken = rope.info.length - rope.ends;
  assert_true(taken > 8.0 * 2.0 * ROPE);
  assert_true(taken < 20.0 * 2.0 * ROPE);
  cps_world_destroy(world);
}

static double opened(double mu) {
  CpsWorld* world = open_knot(mu, 10.0);
  Rope rope = {0};
  run_rope(world, 0.6, &rope);
  double tight = rope.ends;
  run_rope(world, 0.9, &rope);
  assert_int_equal(rope.crossings, 0);
  cps_world_destroy(world);
  return (tight - rope.ends) / tight;
}

static void friction_holds_the_knot_when_it_is_let_go(void** state) {
  (void)state;
  if (SHORTER) skip();
  assert_true(opened(0.0) > 0.3);  // the stiffness of the rope opens it
  assert_below(opened(0.5), 0.1);  // here only its ends relax
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_knot_is_pulled_tight_and_does_not_break),
      cmocka_unit_test(friction_holds_the_knot_when_it_is_let_go),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
