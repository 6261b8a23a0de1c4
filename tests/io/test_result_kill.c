// A few kills; test_result_kills.c makes many.
#include "io/kills.h"

static void a_killed_run_leaves_a_result_that_opens_and_goes_on(void** state) {
  (void)state;
  Kills kills = {.random = cps_random_seed(3)};
  measure_a_whole_run(&kills);
  kill_writers(&kills, 3);
  kill_commands(&kills, 2);
  assert_true(kills.kills >= 2 && kills.seen >= 2);
  check_the_copies(&kills);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_killed_run_leaves_a_result_that_opens_and_goes_on)};
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
