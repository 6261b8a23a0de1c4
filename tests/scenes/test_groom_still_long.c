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

// Two thousand strands of a file as the command runs them, many of them placed inside each other: the rounding of one strand must not have
// all overlaps pushed apart, which moved five strands by a thousandth of their length after 0.35 s. The head turns at 1 s.
static void a_large_groom_keeps_its_overlaps(void** state) {
  (void)state;
  FILE* file = fopen(GROOMS[0][0], "rb");
  if (!file) skip();
  fclose(file);
  const char* const sets[] = {"count=2000"};
  CpsScene* scene = NULL;
  CpsWorld* world = NULL;
  CpsError error = {{0}};
  if (cps_scene_load(GROOMS[0][0], sets, 1, &scene, &error) != CPS_OK ||
      cps_scene_build(scene, 0, &world, &error) != CPS_OK) {
    fail_msg("%s", error.text);
  }
  cps_scene_destroy(scene);
  assert_int_equal(cps_world_fibre_count(world), 2000);
  int32_t contacts;
  double first;
  const double moved = still_for(world, 0.9, &contacts, &first);
  print_message("%d contacts: drift %.1e L in 0.9 s\n", (int)contacts, moved);
  cps_world_destroy(world);
  assert_true(moved < 1e-9);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(grooms_hang_for_five_seconds),
                                     cmocka_unit_test(a_large_groom_keeps_its_overlaps)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
