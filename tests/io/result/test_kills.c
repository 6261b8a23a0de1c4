// labels: long memory
// Sixty kills of writers and sixty of the command, at random moments.
#include "io/result/kills.h"

static void results_survive_many_kills(void** state) {
  (void)state;
  int total = 0, seen = 0;
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    Kills kills = {.random = cps_random_seed(seed)};
    measure_a_whole_run(&kills);
    kill_writers(&kills, 6);
    kill_commands(&kills, 6);
    check_the_copies(&kills);
    total += kills.kills;
    seen += kills.seen;
  }
  print_message("%d kills, %d results looked at\n", total, seen);
  assert_true(total >= 60 && seen >= 50);  // of 120: some come before the first frame or after the end
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(results_survive_many_kills)};
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
