// Five seconds of real grooms without a move.
// labels: long
#include "scenes/groom_still.h"

static void grooms_hang_for_five_seconds(void** state) {
  (void)state;
  for (int g = 0; g < 2; ++g) {
    CpsWorld* world = open_groom(g, 300, false, "", 0);
    if (!world) skip();
    int32_t contacts;
    double first;
    const double moved = still_for(world, 5.0, &contacts, &first);
    print_message("%d contacts: drift %.1e L in 5 s\n", (int)contacts, moved);
    assert_true(moved < 1e-7);
    cps_world_destroy(world);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(grooms_hang_for_five_seconds)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
