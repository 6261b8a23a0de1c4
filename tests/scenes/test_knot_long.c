// labels: long
// A trefoil knot under great force, and let go: with friction it holds.
#include "scenes/knot.h"

static void no_force_breaks_the_knot(void** state) {
  (void)state;
  pull_tight(1000.0, 0.6);
}

// How much of the distance of its ends the knot gives back when it is let go.
static double opened(double mu) {
  CpsWorld* world = open_knot(mu, 10.0);
  Rope rope = {0};
  run_rope(world, 0.6, &rope);
  double tight = rope.ends;
  run_rope(world, 1.0, &rope);
  assert_int_equal(rope.crossings, 0);
  cps_world_destroy(world);
  return (tight - rope.ends) / tight;
}

static void friction_holds_the_knot_when_it_is_let_go(void** state) {
  (void)state;
  assert_true(opened(0.0) > 0.3);  // the stiffness of the rope opens it
  assert_below(opened(0.5), 0.1);  // here only its ends relax
}

// Contacts of a rod whose lengths are projected act on constant lengths, too: the knot tightens as with lengths inside the
// mass solve. (When they did not, the strands passed through each other at 2 N.)
static void a_projection_after_the_solve_keeps_the_knot(void** state) {
  (void)state;
  Overrides o = {0};
  override(&o, "fibres.rope.model=der-projected");
  CpsWorld* world = open_scene("knot.yaml", &o);
  Rope rope = {0};
  run_rope(world, 0.3, &rope);
  assert_int_equal(rope.crossings, 0);
  assert_true(rope.info.length - rope.ends > 4.0 * 2.0 * ROPE_RADIUS);  // not straight
  cps_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_force_breaks_the_knot),
      cmocka_unit_test(a_projection_after_the_solve_keeps_the_knot),
      cmocka_unit_test(friction_holds_the_knot_when_it_is_let_go),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
