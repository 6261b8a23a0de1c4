// A rod twisted until it winds up about itself: strands never pass through each other.
#include "scenes/ropes.h"

// Turns of the clamp = twist + writhe (Calugareanu 1959, White 1969, Fuller 1971), to rounding for a polygon with
// parallel transport. A strand that passed through another would change the writhe by two.
static void turns_are_twist_plus_writhe(void** state) {
  (void)state;
  Overrides o = {0};
  if (SHORTER) override(&o, "fibres.rod.elements=60");
  CpsWorld* world = open_scene("plectoneme.yaml", &o);
  Rope rope = {0};
  double turns = 12.0, touched = 0.0;
  for (int k = 1; k <= 8; ++k) {
    run_rope(world, 0.25 * k, &rope);
    double twist = twist_turns(world, &rope), wr = writhe(world, &rope);
    // the extra pieces end after 10 km: the remainder of them is 1e-5 of a turn
    assert_near(twist + wr, turns * k / 8.0, 1e-4);
    if (k == 8) assert_true(wr > 3.0);
    touched = fmax(touched, cps_world_contact_count(world));
  }
  assert_int_equal(rope.crossings, 0);
  assert_int_equal(rope.unsolved, 0);
  assert_true(touched > 10.0);
  assert_below(rope.penetration, 0.02 * 0.0015);  // of the radius
  // lengths hold to the last digits
  assert_near(rope.info.stored_length, rope.info.length, 1e-8 * rope.info.length);
  cps_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(turns_are_twist_plus_writhe)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
