// A real groom of thin strands at long steps and default settings: nothing goes through anything, and nothing gets deeper into
// anything than a tenth of its radius, of which `capstan run` would warn.
#include "scenes/scene_world.h"

#include <stdio.h>

static const double RADIUS = 40e-6;

static void strands_of_a_file_stay_on_their_sides(void** state) {
  (void)state;
  FILE* file = fopen(SHARED_DATA "/hair/yuksel_straight.hair", "rb");
  if (!file) {
    print_message("skipped: " SHARED_DATA "/hair/yuksel_straight.hair is missing\n");
    skip();
  }
  fclose(file);
  Overrides o = {.count = 0};
  override(&o, "fibres.hair.hair.file=%s/hair/yuksel_straight.hair", SHARED_DATA);
  CpsWorld* world = open_scene("../tests/scenes/groom_file.yaml", &o);
  // contacts alone let strands through 64 times until then; set right only where they passed, they were 2 radii deep,
  // and 0.8 where they were half a radius deep
  Run run = run_until(world, SHORTER ? 0.06 : 0.26);
  print_message("%d contacts, deepest %.1f um, %d crossings\n", (int)run.contacts_max, 1e6 * run.penetration_max,
                (int)run.crossings);
  assert_int_equal(run.unsolved, 0);
  assert_int_equal(run.crossings, 0);
  assert_below(run.penetration_max, 0.1 * RADIUS);
  assert_below(run.books_error, 1e-12);
  cps_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(strands_of_a_file_stay_on_their_sides)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
