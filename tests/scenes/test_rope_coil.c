// A rope let down on a floor: by a hand that turns it coils, otherwise it stays in its plane and folds.
#include "scenes/ropes.h"

// Angle in turns by which the horizontal direction of the rope turns, from the tip to where it leaves the floor.
static double turns_on_floor(const CpsWorld* world, const Rope* rope) {
  int32_t n = rope->info.elements;
  double l = rope->info.length / n, sum = 0.0, before = NAN;
  for (int32_t i = n; i > 0; --i) {
    CpsVec3 a = rope_point(world, i * l), b = rope_point(world, (i - 1) * l);
    if (b.z > 8.0 * rope->info.radius) break;
    double angle = atan2(b.y - a.y, b.x - a.x);
    if (!isnan(before)) sum += remainder(angle - before, 2.0 * acos(-1.0));
    before = angle;
  }
  return sum / (2.0 * acos(-1.0));
}

static void a_rope_from_a_turning_hand_coils_on_itself(void** state) {
  (void)state;
  CpsWorld* world = open_scene("rope-coil.yaml", NULL);
  Rope rope = {0};
  run_rope(world, SHORTER ? 0.5 : 1.2, &rope);
  assert_int_equal(rope.crossings, 0);
  assert_int_equal(rope.unsolved, 0);
  assert_below(rope.penetration, 0.02 * 0.003);
  if (!SHORTER) assert_true(turns_on_floor(world, &rope) > 1.0);  // with the hand
  cps_world_destroy(world);
}

// Nothing leads out of the plane x, z: the scene is symmetric, and so is what follows, to the last bit.
static void a_symmetric_rope_stays_in_its_plane(void** state) {
  (void)state;
  Overrides o = {0};
  override(&o, "bent=0");
  override(&o, "spin=0");
  CpsWorld* world = open_scene("rope-coil.yaml", &o);
  Rope rope = {0};
  run_rope(world, SHORTER ? 0.3 : 0.8, &rope);
  double out = 0.0, wide = 0.0;
  for (int k = 0; k <= 100; ++k) {
    CpsVec3 x = rope_point(world, rope.info.length * k / 100.0);
    out = fmax(out, fabs(x.y));
    wide = fmax(wide, fabs(x.x));
  }
  assert_below(out, 0.0);
  if (!SHORTER) assert_true(wide > 0.03);
  assert_int_equal(rope.crossings, 0);
  cps_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_rope_from_a_turning_hand_coils_on_itself),
      cmocka_unit_test(a_symmetric_rope_stays_in_its_plane),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
