// `capstan` on scenes with ties: what it says of them, what a result holds, and that a resumed run has the same bits.
#include "runner.h"

#include <math.h>

#include "capstan/frame.h"

// A ball on a rod and one on a thread that a growing load tears off.
static void write_hanging(void) {
  FILE* file = fopen("hang.yaml", "w");
  assert_non_null(file);
  fputs(
      "gravity: 10\n"
      "bodies:\n"
      "  ball: {sphere: {radius: 5 cm}, mass: 1 kg, copies: [[0.1, 0, -1], [3, 0, -1]]}\n"
      "ties:\n"
      "  - {name: arm, kind: rod, a: {body: \"ball[0]\"}, b: {at: [0, 0, 0]}}\n"
      "  - {name: thread, kind: rod, breaking: 12 N, a: {body: \"ball[1]\"}, b: {at: [3, 0, 0]}}\n"
      "loads: [{on: \"ball[1]\", force: [0, 0, -1 N], table: {times: [0, 1], values: [0, 10]}}]\n"
      "time: {step: 1 ms, end: 0.4 s}\n"
      "output: {frames: 100 Hz}\n",
      file);
  fclose(file);
}

static void a_tie_that_breaks_is_named(void** state) {
  (void)state;
  write_hanging();
  Outcome outcome = run("check hang.yaml");
  assert_int_equal(outcome.code, 0);
  assert_string_equal(outcome.out, "hang.yaml: 2 bodies, 0 obstacles, 2 ties, h 1 ms, end 0.4 s\n");
  forget(&outcome);
  outcome = run("run hang.yaml");
  assert_int_equal(outcome.code, 0);
  assert_non_null(strstr(outcome.out, "2 bodies, 0 obstacles, 2 ties  h 1 ms"));
  // 10 N of weight and 10 N/s of load: 12 N at 0.2 s
  assert_non_null(strstr(outcome.out, "\ntie `thread` broke at t = 0.2"));
  assert_non_null(strstr(outcome.out, " N > 12 N\n"));
  assert_non_null(strstr(outcome.out, ", 1 tie broken, energy balance error "));
  forget(&outcome);
  outcome = run("info hang.h5");
  assert_non_null(strstr(outcome.out, "\nties       2, 1 broken\n"));
  forget(&outcome);
  outcome = run("info --json hang.h5");
  assert_non_null(strstr(outcome.out, "\"ties\": 2, "));
  assert_non_null(strstr(outcome.out, "\"broken\": 1, "));
  forget(&outcome);
  outcome = run("run hang.yaml --json -o json.h5");
  assert_non_null(strstr(outcome.out, "\"broken\": 1, "));
  assert_null(strstr(outcome.out, "broke at"));
  forget(&outcome);
}

// Rods of 30, 10 and 10 cm make no triangle. Each step is solved; that they do not hold is told at the end.
static void ties_that_cannot_all_hold_are_told(void** state) {
  (void)state;
  FILE* file = fopen("triangle.yaml", "w");
  assert_non_null(file);
  fputs(
      "gravity: 0\n"
      "bodies:\n"
      "  ball: {sphere: {radius: 1 cm}, mass: 1 kg, copies: [[0, 0, 0], [0.3, 0, 0], [0.15, 0.2, 0]]}\n"
      "ties:\n"
      "  - {name: long, kind: rod, a: {body: \"ball[0]\"}, b: {body: \"ball[1]\"}}\n"
      "  - {name: left, kind: rod, a: {body: \"ball[0]\"}, b: {body: \"ball[2]\"}, length: 10 cm}\n"
      "  - {name: right, kind: rod, a: {body: \"ball[1]\"}, b: {body: \"ball[2]\"}, length: 10 cm}\n"
      "time: {step: 1 ms, end: 20 ms}\n",
      file);
  fclose(file);
  Outcome outcome = run("run triangle.yaml");
  const char* line = strstr(outcome.out, "\nties at the end at most ");
  assert_non_null(line);
  assert_true(strtod(line + strlen("\nties at the end at most "), NULL) > 0.04);
  forget(&outcome);
  write_hanging();
  outcome = run("run hang.yaml --json");
  line = strstr(outcome.out, "\"ties_apart\": ");
  assert_non_null(line);
  assert_below(strtod(line + strlen("\"ties_apart\": "), NULL), 1e-5);
  forget(&outcome);
}

static void a_result_holds_what_ties_do(void** state) {
  (void)state;
  write_hanging();
  Outcome outcome = run("run hang.yaml -o full.h5 --quiet");
  assert_int_equal(outcome.code, 0);
  forget(&outcome);
  CpsResult* result = NULL;
  CpsShow* show = NULL;
  assert_int_equal(cps_result_open("full.h5", &result, NULL), CPS_OK);
  assert_int_equal(cps_result_info(result).ties, 2);
  assert_int_equal(cps_result_info(result).totals.broken, 1);
  assert_int_equal(cps_show_result(result, &show, NULL), CPS_OK);
  const CpsThings* things = cps_show_things(show);
  assert_int_equal(things->tie_count, 2);
  assert_string_equal(things->tie_names[1], "thread");
  assert_int_equal(things->tie_kinds[1], CPS_TIE_ROD);
  assert_int_equal(cps_show_read(show, 10, NULL), CPS_OK);
  const CpsFrameTie* ties = cps_show_frame(show)->ties;
  assert_near(ties[1].force.z, 11.0, 0.02);  // at 0.1 s
  assert_near(ties[1].point[1].x, 3.0, 0.0);
  assert_near(ties[1].point[0].z, -1.0, 1e-9);
  assert_true(ties[0].apart < 1e-9 && ties[0].residual < 1e-6 && !ties[1].broken);
  assert_int_equal(cps_show_read(show, 40, NULL), CPS_OK);
  ties = cps_show_frame(show)->ties;
  assert_true(ties[1].broken && !ties[0].broken);
  assert_near(ties[1].force.z, 0.0, 0.0);
  int64_t steps = cps_result_info(result).steps;
  double* lost = malloc((size_t)steps * sizeof *lost);
  assert_int_equal(cps_result_series(result, "ties", lost, NULL), CPS_OK);
  assert_true(isfinite(lost[steps - 1]));
  assert_int_equal(cps_result_series(result, "broken", lost, NULL), CPS_OK);
  double sum = 0.0;
  for (int64_t i = 0; i < steps; ++i) sum += lost[i];
  assert_near(sum, 1.0, 0.0);
  free(lost);
  cps_show_destroy(show);
  cps_result_destroy(result);
}

static uint64_t hash_of(const char* path) {
  CpsResult* result = NULL;
  assert_int_equal(cps_result_open(path, &result, NULL), CPS_OK);
  uint64_t hash = cps_result_info(result).hash;
  cps_result_destroy(result);
  return hash;
}

// Before and after the thread broke.
static void a_resumed_run_has_the_same_bits(void** state) {
  (void)state;
  write_hanging();
  Outcome outcome = run("run hang.yaml -o one.h5 --quiet");
  forget(&outcome);
  const char* const stops[] = {"0.1", "0.3"};
  for (int i = 0; i < 2; ++i) {
    char line[120];
    snprintf(line, sizeof line, "run hang.yaml -o two.h5 --quiet --until %s", stops[i]);
    outcome = run(line);
    assert_int_equal(outcome.code, 0);
    forget(&outcome);
    outcome = run("run hang.yaml -o two.h5 --quiet --resume");
    assert_int_equal(outcome.code, 0);
    forget(&outcome);
    assert_true(hash_of("one.h5") == hash_of("two.h5"));
    remove("two.h5");
  }
}

static void what_run_refuses_check_refuses(void** state) {
  (void)state;
  static const char* const TIES[] = {"{a: {body: bal}}",
                                     "{a: {body: ball}, b: {body: ball}}",
                                     "{kind: spring, a: {body: ball}}",
                                     "{a: {fibre: rope, at: 3 m}}",
                                     "{kind: hinge, a: {fibre: soft}}",
                                     "{a: {fibre: rope}, b: {fibre: rope}}"};
  for (size_t i = 0; i < sizeof TIES / sizeof *TIES; ++i) {
    FILE* file = fopen("bad.yaml", "w");
    assert_non_null(file);
    fprintf(file,
            "bodies: {ball: {sphere: {radius: 1}}}\nfibres: {rope: {length: 1, position: [9, 0, 0]}, "
            "soft: {length: 1, position: [9, 9, 0], model: mass-spring}}\nties:\n  - %s\n",
            TIES[i]);
    fclose(file);
    const char* const lines[] = {"check bad.yaml", "run bad.yaml --quiet"};
    for (int k = 0; k < 2; ++k) {
      Outcome outcome = run(lines[k]);
      assert_int_equal(outcome.code, 2);
      assert_non_null(strstr(outcome.err, "bad.yaml"));
      forget(&outcome);
    }
    assert_false(exists("bad.h5"));
  }
}

// A vertex of a sheet and an end of a rope that start beside what they are tied to, and a rope that is tied where it is.
static void ties_out_of_place_are_told_at_the_start(void** state) {
  (void)state;
  FILE* file = fopen("far.yaml", "w");
  assert_non_null(file);
  fputs(
      "gravity: 0\n"
      "bodies: {ball: {sphere: {radius: 1 cm}, mass: 1 kg, position: [0, 0, -20 cm]}}\n"
      "fibres: {rope: {length: 15 cm, position: [0, 0, 0], direction: [0, 0, -1], root: free}}\n"
      "sheets: {cloth: {grid: {size: [10 cm, 10 cm], cells: [2, 2]}, position: [1, 0, 0]}}\n"
      "ties:\n"
      "  - {name: knot, a: {fibre: rope, at: tip}, b: {body: ball, point: [0, 0, 1 cm]}}\n"
      "  - {name: button, a: {sheet: cloth, vertex: 0}, b: {at: [1, 0, 0.5]}}\n"
      "  - {name: hook, a: {fibre: rope, at: root}, b: {at: [0, 0, 0]}}\n"
      "time: {step: 1 ms, end: 1 ms}\n",
      file);
  fclose(file);
  const char* const lines[] = {"check far.yaml", "run far.yaml"};
  for (int k = 0; k < 2; ++k) {
    Outcome outcome = run(lines[k]);
    assert_non_null(strstr(outcome.err, "warning: the points of tie `knot` are 0.04 m out of place and are brought"));
    assert_non_null(strstr(outcome.err, "warning: the points of tie `button` are 0.505 m out of place"));
    assert_null(strstr(outcome.err, "hook"));
    forget(&outcome);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_tie_that_breaks_is_named),     cmocka_unit_test(ties_that_cannot_all_hold_are_told),
      cmocka_unit_test(a_result_holds_what_ties_do),    cmocka_unit_test(a_resumed_run_has_the_same_bits),
      cmocka_unit_test(what_run_refuses_check_refuses), cmocka_unit_test(ties_out_of_place_are_told_at_the_start),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
