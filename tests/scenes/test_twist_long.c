// labels: long
// Four turns.
#include "scenes/twist.h"

static void four_turns_leave_no_cut(void** state) {
  (void)state;
  CpsWorld* world = open_scene("twist.yaml", NULL);
  check_twist(world, 4.0);
  cps_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(four_turns_leave_no_cut),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
