// labels: long
// Stacked things for their full times.
#include "scenes/masonry.h"

static void an_arch_stands_for_60_s_above_its_limit(void** state) {
  (void)state;
  Run run;
  double way = arch_way(arch_limit(15) + 0.01, SHORTER ? 3.0 : 60.0, &run);
  assert_int_equal(run.unsolved, 0);
  assert_below(way, 1e-6);
}

static void an_arch_collapses_below(void** state) {
  (void)state;
  Run run;
  assert_true(arch_way(arch_limit(15) - 0.01, SHORTER ? 1.0 : 3.0, &run) > (SHORTER ? 0.1 : 1.0));
  assert_below(run.books_error, 1e-10);
}

static void the_whole_wall_stands(void** state) {
  (void)state;
  CpsWorld* world = open_scene("wall.yaml", NULL);
  Run run;
  double way = settle_and_measure(world, SHORTER ? 0.1 : 3.0, &run);
  cps_world_destroy(world);
  assert_int_equal(run.unsolved, 0);
  assert_below(way, 1e-5);
}

static void the_whole_row_of_dominoes_falls(void** state) {
  (void)state;
  CpsWorld* world = open_scene("dominoes.yaml", NULL);
  run_until(world, 2.0);
  for (int32_t i = 0; i < cps_world_body_count(world); ++i) assert_below(body(world, i).centre.z, 0.02);
  cps_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_arch_stands_for_60_s_above_its_limit),
      cmocka_unit_test(an_arch_collapses_below),
      cmocka_unit_test(the_whole_wall_stands),
      cmocka_unit_test(the_whole_row_of_dominoes_falls),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
