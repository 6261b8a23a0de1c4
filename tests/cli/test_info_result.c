// `capstan info` on results of simulations.
#include "runner.h"

#include "scenes.h"

static void info_describes_a_result(void** state) {
  (void)state;
  write_balls("balls.yaml");
  Outcome outcome = run("run balls.yaml --quiet");
  assert_int_equal(outcome.code, 0);
  forget(&outcome);
  outcome = run("info balls.h5");
  assert_int_equal(outcome.code, 0);
  assert_string_equal(outcome.err, "");
  assert_true(strncmp(outcome.out, "balls.h5: result of a simulation", 32) == 0);
  assert_non_null(strstr(outcome.out, "\nbodies     5, and "));
  assert_non_null(strstr(outcome.out, "\nframes     21, from 0 s to 0.20 s\n"));
  assert_non_null(strstr(outcome.out, "\nstate      finished\n"));
  assert_non_null(strstr(outcome.out, "\nsteps      200 in "));
  forget(&outcome);
}

static void info_describes_a_result_in_json(void** state) {
  (void)state;
  write_balls("balls.yaml");
  Outcome outcome = run("run balls.yaml --quiet -o json.h5 --until 0.1");
  assert_int_equal(outcome.code, 0);
  forget(&outcome);
  outcome = run("info json.h5 --json");
  assert_int_equal(outcome.code, 0);
  char keys[1024];
  assert_one_object(outcome.out, keys);
  assert_string_equal(
      keys,
      "result title version bodies obstacles fibres sheets solids sheet_vertices ties frames time end finished steps "
      "unsolved_steps contacts_max "
      "iterations residual_max penetration_max deepest crossings broken energy_error wall_seconds hash bytes ");
  assert_non_null(strstr(outcome.out, "\"frames\": 11, "));
  assert_non_null(strstr(outcome.out, "\"finished\": true, \"steps\": 100, "));
  forget(&outcome);
}

static void info_says_what_is_wrong_with_a_damaged_result(void** state) {
  (void)state;
  write_balls("balls.yaml");
  Outcome outcome = run("run balls.yaml --quiet -o cut.h5 --until 0.01");
  assert_int_equal(outcome.code, 0);
  forget(&outcome);
  struct stat facts;
  assert_int_equal(stat("cut.h5", &facts), 0);
  assert_int_equal(truncate("cut.h5", facts.st_size - 1), 0);
  outcome = run("info cut.h5");
  assert_int_equal(outcome.code, 2);
  assert_string_equal(outcome.out, "");
  assert_string_equal(outcome.err, "capstan: cut.h5: is an HDF5 file but truncated or damaged\n");
  forget(&outcome);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(info_describes_a_result),
      cmocka_unit_test(info_describes_a_result_in_json),
      cmocka_unit_test(info_says_what_is_wrong_with_a_damaged_result),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
