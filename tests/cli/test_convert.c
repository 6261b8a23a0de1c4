// `capstan convert` and `capstan info` on files of hair.
#include "runner.h"

#include "capstan/hair.h"

static void write_strands(const char* path) {
  CpsVec3 points[5] = {{0, 0, 0}, {0, 0, 1}, {0, 0, 2}, {1, 0, 0}, {1, 3, 0}};
  int64_t first[3] = {0, 3, 5};
  CpsHair hair = {.strand_count = 2, .point_count = 5, .first = first, .points = points, .diameter = 0.5};
  assert_int_equal(cps_hair_write(path, &hair, NULL), CPS_OK);
}

static void write_text(const char* path, const char* text) {
  FILE* file = fopen(path, "wb");
  assert_true(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void info_describes_strands(void** state) {
  (void)state;
  write_strands("two.hair");
  Outcome outcome = run("info two.hair");
  assert_int_equal(outcome.code, 0);
  assert_string_equal(outcome.err, "");
  assert_true(strncmp(outcome.out, "two.hair: strands of hair\n", 26) == 0);
  assert_non_null(strstr(outcome.out, "\nstrands    2\n"));
  assert_non_null(strstr(outcome.out, "\npoints     5, 2 to 3 per strand\n"));
  assert_non_null(strstr(outcome.out, "\nlength     2 to 3, mean 2.5, "));
  forget(&outcome);
  outcome = run("info two.hair --json");
  char keys[1024];
  assert_one_object(outcome.out, keys);
  assert_non_null(strstr(outcome.out, "\"strands\": 2, \"points\": 5, "));
  forget(&outcome);
}

static void strands_are_converted_and_scaled(void** state) {
  (void)state;
  write_text("three.ply",
             "ply\nformat ascii 1.0\nelement vertex 5\nproperty float x\nproperty float y\nproperty float z\n"
             "property int strand\nend_header\n0 0 0 0\n0 0 2 0\n5 5 5 1\n1 1 1 2\n1 1 4 2\n");
  Outcome outcome = run("convert three.ply three.hair --scale 0.5");
  assert_int_equal(outcome.code, 0);
  assert_string_equal(outcome.out, "wrote three.hair (2 strands, 4 points; skipped 1)\n");
  forget(&outcome);
  CpsHair hair;
  assert_int_equal(cps_hair_read("three.hair", &hair, NULL), CPS_OK);
  assert_true(hair.strand_count == 2 && hair.points[1].z == 1.0 && hair.points[3].z == 2.0);
  cps_hair_free(&hair);
}

static void fibres_of_a_result_are_written(void** state) {
  (void)state;
  write_text("rod.yaml",
             "fibres: {a: {length: 0.2, root: clamped}, b: {length: 0.1, root: clamped, position: [0, 1, 0]}}\n"
             "time: {step: 2 ms, end: 0.02}\noutput: {fibre_points: 7}\n");
  Outcome outcome = run("run rod.yaml --quiet");
  assert_int_equal(outcome.code, 0);
  forget(&outcome);
  outcome = run("convert rod.h5 rod.hair --quiet");
  assert_int_equal(outcome.code, 0);
  assert_string_equal(outcome.out, "");
  forget(&outcome);
  CpsHair hair;
  assert_int_equal(cps_hair_read("rod.hair", &hair, NULL), CPS_OK);
  assert_true(hair.strand_count == 2 && hair.point_count == 14);
  assert_true(hair.points[6].z < -1e-4);  // it fell
  cps_hair_free(&hair);
  outcome = run("convert rod.h5 rod.hair --frame 0 --quiet");
  assert_int_equal(outcome.code, 0);
  forget(&outcome);
  assert_int_equal(cps_hair_read("rod.hair", &hair, NULL), CPS_OK);
  assert_near(hair.points[6].x, 0.2, 1e-7);  // as it was placed, in 32-bit floats
  cps_hair_free(&hair);
}

static void what_cannot_be_converted_is_refused(void** state) {
  (void)state;
  write_strands("two.hair");
  write_text("none.hair", "hello");
  static const char* const CASES[][2] = {
      {"convert", "needs an input file and an output file"},
      {"convert two.hair", "needs an input file and an output file"},
      {"convert two.hair out.ply", ".hair"},
      {"convert none.hair out.hair", "none.hair"},
      {"convert missing.hair out.hair", "missing.hair"},
      {"convert two.hair /nowhere/out.hair", "/nowhere/out.hair"},
      {"convert two.hair out.hair --scale 0", "scale"},
      {"info missing.data", "missing.data"},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; ++i) {
    Outcome outcome = run(CASES[i][0]);
    check_refused(&outcome, CASES[i][0], CASES[i][1]);
    forget(&outcome);
    assert_false(exists("out.hair"));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(info_describes_strands),
      cmocka_unit_test(strands_are_converted_and_scaled),
      cmocka_unit_test(fibres_of_a_result_are_written),
      cmocka_unit_test(what_cannot_be_converted_is_refused),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
