// labels: long
// Fifteen cards stand for 30 s.
#include "scenes/cards_sheet.h"

static void fifteen_cards_stand_for_half_a_minute(void** state) {
  (void)state;
  static Cards start;
  CpsWorld* world = open_scene("cards-sheet.yaml", NULL);
  cards_read(world, &start);
  Run run = run_until(world, 30.0);
  assert_int_equal(run.unsolved, 0);
  assert_int_equal(run.crossings, 0);
  cards_check_rest(world, &start, 30.0);
  cps_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fifteen_cards_stand_for_half_a_minute),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
