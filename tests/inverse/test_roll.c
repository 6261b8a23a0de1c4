// The roll of a flat section is the user's: it turns the section about the centreline, and leaves the centreline in place.
#include "inverse_helpers.h"

static const double PI = 3.14159265358979323846, L = 0.3;

// A drawn line that bends in all directions, as points.
static void draw_line(CpsVec3* points, int count) {
  for (int i = 0; i < count; ++i) {
    const double t = (double)i / (count - 1);
    points[i] = (CpsVec3){0.1 * sin(2.0 * t), 0.08 * t * t, -0.2 * t - 0.03 * sin(5.0 * t)};
  }
}

static CpsFibreId add_line(CpsWorld* world, int m, double root, double tip, double flat) {
  CpsVec3 points[41];
  draw_line(points, 41);
  CpsFibreDef def = clamped(INVERTIBLE[m], m < 3 ? 12 : 40);
  def.point_count = 41;
  def.points = points;
  def.bending[1] *= flat;
  def.natural_as_placed = true;
  def.roll[0] = root;
  def.roll[1] = tip;
  return add_fibre(world, &def);
}

// w L^4 / 8 E I with E I of the axis that is level: the second one, or the third if the section is turned by a right angle.
static void a_flat_rod_sags_about_its_level_axis(void** state) {
  (void)state;
  for (int m = 0; m < MODELS; ++m) {
    double drop[2];
    for (int k = 0; k < 2; ++k) {
      CpsWorld* world = still_world(0.002);
      CpsFibreDef def = clamped(INVERTIBLE[m], m < 3 ? 10 : 40);
      def.bending[0] = 3.1e-3;
      def.bending[1] = 12.4e-3;
      def.twisting = 2.1e-3;
      def.roll[0] = def.roll[1] = 0.5 * PI * k;
      const CpsFibreId id = add_fibre(world, &def);
      CpsVec3 at[PLACES];
      must(cps_world_settle_fibre(world, id, NULL, &must_error));
      look(world, id, at);
      drop[k] = -at[PLACES - 1].z;
      const double wished = 8e-4 * GRAVITY * pow(L, 4) / (8.0 * def.bending[k]);
      assert_near(drop[k], wished, 0.01 * wished);
      cps_world_destroy(world);
    }
    assert_near(drop[0] / drop[1], 4.0, 1e-3);
  }
}

// A round section can be turned by any angle: the rod moves as before.
static void a_round_rod_moves_the_same(void** state) {
  (void)state;
  for (int m = 0; m < MODELS; ++m) {
    CpsVec3 plain[PLACES], rolled[PLACES], start[PLACES];
    for (int k = 0; k < 2; ++k) {
      CpsWorld* world = still_world(0.002);
      const CpsFibreId id = add_line(world, m, 0.7 * k, 0.7 * k, 1.0);
      look(world, id, start);
      for (int i = 0; i < 40; ++i) must(cps_world_step(world, NULL, &must_error));
      look(world, id, k == 0 ? plain : rolled);
      cps_world_destroy(world);
    }
    assert_true(farthest(plain, start, PLACES) > 0.01 * L);  // it sags
    assert_true(farthest(plain, rolled, PLACES) < 1e-8 * L);
  }
}

// The angle about the tangent from the frame of one fibre to that of another; arcs beyond the tip mean the tip.
static double angle_between(const CpsWorld* world, CpsFibreId id, const CpsWorld* other, CpsFibreId from, double arc) {
  CpsFibrePoint a, b;
  assert_int_equal(cps_world_fibre_at(other, from, arc, &a), CPS_OK);
  assert_int_equal(cps_world_fibre_at(world, id, arc, &b), CPS_OK);
  const CpsQuat p = a.frame, q = b.frame;  // w and x of p* q
  return 2.0 * atan2(p.w * q.x - p.x * q.w - p.y * q.z + p.z * q.y, p.w * q.w + p.x * q.x + p.y * q.y + p.z * q.z);
}

// Whatever the roll, the line that was drawn is where it was and stands still; the section has turned by what was asked.
static void a_drawn_line_stands_with_any_roll(void** state) {
  (void)state;
  static const double ROLLS[2][2] = {{0.9, 0.9}, {0.9, 2.4}};
  for (int m = 0; m < MODELS; ++m) {
    for (int k = 0; k < 2; ++k) {
      CpsVec3 drawn[PLACES], at[PLACES], now[PLACES];
      CpsWorld *plain = still_world(0.002), *world = still_world(0.002);
      const CpsFibreId other = add_line(plain, m, 0.0, 0.0, 3.0),
                       id = add_line(world, m, ROLLS[k][0], ROLLS[k][1], 3.0);
      look(plain, other, drawn);
      look(world, id, at);
      // a super-helix whose section winds is another approximation of the line
      assert_true(farthest(at, drawn, PLACES) < (k == 0 || m >= 3 ? 1e-9 : 2e-3) * L);
      assert_near(remainder(angle_between(world, id, plain, other, 0.0) - ROLLS[k][0], 2.0 * PI), 0.0, 0.05);
      assert_near(remainder(angle_between(world, id, plain, other, 1.0) - ROLLS[k][1], 2.0 * PI), 0.0, 0.08);
      CpsInvertOptions options = cps_invert_options_default();
      CpsInvertInfo info;
      options.stiffen = true;
      options.stiffen_most = 100.0;
      must(cps_world_invert(world, &options, &info, &must_error));
      assert_int_equal(info.inverted_count, 1);
      assert_int_equal(info.unstable_count, 0);
      for (int i = 0; i < 100; ++i) must(cps_world_step(world, NULL, &must_error));
      look(world, id, now);
      assert_true(farthest(at, now, PLACES) < 1e-11 * L);
      cps_world_destroy(plain);
      cps_world_destroy(world);
    }
  }
}

static void bad_rolls_are_refused(void** state) {
  (void)state;
  CpsWorld* world = still_world(0.002);
  CpsFibreDef def = clamped(CPS_ROD_SUPER_HELIX_RECURSIVE, 5);
  CpsError error;
  def.roll[1] = NAN;
  assert_int_equal(cps_world_add_fibre(world, &def, NULL, &error), CPS_BAD_DATA);
  CpsFibreBranch branch = {.parent = -1, .at = 2, .elements = 2, .length = 0.1, .radius = 1e-4};
  def.roll[1] = 0.0;
  def.branch_count = 1;
  def.branches = &branch;
  assert_int_equal(cps_world_add_fibre(world, &def, NULL, &error), CPS_OK);
  def.roll[0] = 1.0;
  assert_int_equal(cps_world_add_fibre(world, &def, NULL, &error), CPS_UNSUPPORTED);
  assert_string_equal(error.text, "a tree cannot have a roll");
  cps_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_flat_rod_sags_about_its_level_axis),
      cmocka_unit_test(a_round_rod_moves_the_same),
      cmocka_unit_test(a_drawn_line_stands_with_any_roll),
      cmocka_unit_test(bad_rolls_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
