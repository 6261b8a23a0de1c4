// labels: release
// Houses of cards that are sheets: two leaning cards stand exactly from mu = tan(lean) / 2 on, fifteen stand or fall by friction.
#include "scenes/cards_sheet.h"

// Two cards of the house alone, after 0.3 s. Round edges of thickness t: moments about a foot give the thrust at the top
//
//   H (L cos a + t/2) = W L sin(a) / 2,   and it stands iff mu >= H / W: tan(a) / 2 for t -> 0
static double tent_speed(double mu) {
  static Cards cards;
  Overrides o = {0};
  override(&o, "mu=%.17g", mu);
  override(&o, "lean=30 deg");
  override(&o, "pitch=120 mm");
  override(&o, "thick=0.2 mm");
  override(&o, "gap=1e-9 m");
  override(&o, "bending=50 N m");  // rigid
  CpsWorld* world = open_scene("cards-sheet.yaml", &o);
  while (cps_world_sheet_count(world) > 2) {
    assert_int_equal(cps_world_remove_sheet(world, cps_world_sheet(world, cps_world_sheet_count(world) - 1), NULL),
                     CPS_OK);
  }
  Run run = run_until(world, 0.3);
  const double fastest = cards_speed(world, &cards);
  assert_int_equal(run.unsolved, 0);
  cps_world_destroy(world);
  return fastest;
}

static void two_cards_stand_from_half_the_tangent_on(void** state) {
  (void)state;
  const double a = acos(-1.0) / 6.0, L = 0.09, t = 2e-4, least = 0.5 * L * sin(a) / (L * cos(a) + 0.5 * t);
  assert_near(0.5 * tan(a), 0.288675, 1e-6);
  assert_near(least / (0.5 * tan(a)), 1.0, 2e-3);
  const double stands = tent_speed(least + 1e-3), falls = tent_speed(least - 1e-3);
  print_message("threshold %.5f: %.1e m/s above, %.1e m/s below\n", least, stands, falls);
  assert_below(stands, 1e-9);
  assert_true(falls > 1e-3);
}

static void fifteen_cards_stand_or_fall_by_friction(void** state) {
  (void)state;
  static Cards start, now;
  for (int k = 0; k < 2; ++k) {
    Overrides o = {0};
    override(&o, "mu=%g", k == 0 ? 0.6 : 0.2);
    CpsWorld* world = open_scene("cards-sheet.yaml", &o);
    assert_int_equal(cps_world_sheet_count(world), CARDS);
    cards_read(world, &start);
    Run run = run_until(world, k == 0 ? 1.0 : 0.3);
    assert_int_equal(run.unsolved, 0);
    assert_int_equal(run.crossings, 0);
    if (k == 0) {
      cards_check_rest(world, &start, cps_world_time(world));
    } else {
      cards_read(world, &now);
      const double top = now.x[CARDS - 1][0].z, before = start.x[CARDS - 1][0].z;
      print_message("at mu = 0.2 the top has come down by %.3f m\n", before - top);
      assert_true(before - top > 0.09);
    }
    cps_world_destroy(world);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(two_cards_stand_from_half_the_tangent_on),
      cmocka_unit_test(fifteen_cards_stand_or_fall_by_friction),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
