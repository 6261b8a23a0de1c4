// Strands of real files hang as they were combed, whoever carries whom; taken as natural shapes they sag. The same bits for any
// number of threads.
// labels: threads
#include "scenes/groom_still.h"

static void grooms_hang_as_they_were_combed(void** state) {
  (void)state;
  for (int g = 0; g < 2; ++g) {
    const int count = SHORTER ? 30 : g == 0 ? 120 : 150;  // two of these would buckle under forces that squeeze them
    CpsWorld* world = open_groom(g, count, false, "", 0);
    if (!world) skip();
    int32_t contacts, others;
    double first, sagging;
    const double moved = still_for(world, SHORTER ? 0.02 : 0.12, &contacts, &first);
    cps_world_destroy(world);
    world = open_groom(g, count, false, ", natural: as-placed", 0);
    const double sagged = still_for(world, SHORTER ? 0.02 : 0.04, &others, &sagging);
    print_message("%d contacts: drift %.1e L, as placed %.1e L; kinetic energy of the first step %.1e J, %.1e J\n",
                  (int)contacts, moved, sagged, first, sagging);
    assert_true(SHORTER || contacts > 5);
    assert_true(moved < 1e-10);
    assert_true(sagged > 1e-3);
    assert_true(first < 1e-15 * sagging);
    cps_world_destroy(world);
  }
}

static void threads_change_no_bits_of_a_groom(void** state) {
  (void)state;
  uint64_t hash[3];
  for (int t = 0; t < 3; ++t) {
    CpsWorld* world = open_groom(1, 100, true, "", 1 << t);
    if (!world) skip();
    CpsError error;
    assert_int_equal(cps_world_step(world, NULL, &error), CPS_OK);
    hash[t] = cps_world_hash(world);
    cps_world_destroy(world);
  }
  assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(grooms_hang_as_they_were_combed),
      cmocka_unit_test(threads_change_no_bits_of_a_groom),
  };
#ifdef __SANITIZE_THREAD__
  cmocka_set_test_filter("threads_*");  // the others run in one thread
#endif
  return cmocka_run_group_tests(tests, NULL, NULL);
}
