// `capstan` on scenes with fibres: what it says of them, and that every model runs the same scene.
#include "runner.h"

#include <math.h>

#include "capstan/fibre.h"
#include "capstan/result.h"
#include "scenes.h"

static void every_command_says_how_many_fibres_there_are(void** state) {
  (void)state;
  write_hairs("hairs.yaml");
  Outcome outcome = run("check hairs.yaml");
  assert_int_equal(outcome.code, 0);
  assert_string_equal(outcome.out, "hairs.yaml: 0 bodies, 1 obstacle, 3 fibres (der), h 1 ms, end 0.1 s\n");
  forget(&outcome);
  outcome = run("run hairs.yaml");
  assert_int_equal(outcome.code, 0);
  assert_non_null(strstr(outcome.out, "0 bodies, 1 obstacle, 3 fibres (der, "));
  assert_non_null(strstr(outcome.out, " dof)  h 1 ms"));
  assert_non_null(strstr(outcome.out, ", every step solved, 0 crossings, energy balance error "));
  forget(&outcome);
  outcome = run("info hairs.h5");
  assert_int_equal(outcome.code, 0);
  assert_non_null(strstr(outcome.out, "\nfibres     3 with 75 points, 0 crossings\n"));
  forget(&outcome);
  outcome = run("run hairs.yaml --json -o json.h5");
  assert_int_equal(outcome.code, 0);
  assert_non_null(strstr(outcome.out, "\"fibres\": 3, "));
  assert_non_null(strstr(outcome.out, "\"crossings\": 0, "));
  forget(&outcome);
}

// Height of the lowest point of the last frame.
static double lowest(const char* path) {
  CpsResult* result = NULL;
  CpsError error = {""};
  assert_int_equal(cps_result_open(path, &result, &error), CPS_OK);
  CpsResultInfo info = cps_result_info(result);
  CpsVec3* points = malloc((size_t)info.fibre_points * sizeof *points);
  assert_non_null(points);
  assert_int_equal(cps_result_frame_fibres(result, info.frames - 1, points, NULL, &error), CPS_OK);
  double low = INFINITY;
  for (int64_t i = 0; i < info.fibre_points; ++i) low = fmin(low, points[i].z);
  free(points);
  cps_result_destroy(result);
  return low;
}

// After 0.1 s the tips have fallen by about g t^2 / 2 = 5 cm, whatever the model, and are above the floor.
static void every_model_runs_the_same_scene(void** state) {
  (void)state;
  write_hairs("hairs.yaml");
  for (int i = 0; i < CPS_ROD_MODEL_COUNT; ++i) {
    const char* model = cps_rod_model_name((CpsRodModel)i);
    char words[200];
    // explicit forces need a step below the period of the fastest wave
    const char* step = i == CPS_ROD_CORDE_EXPLICIT ? "50us" : "1ms";
    snprintf(words, sizeof words, "run hairs.yaml -s fibres.hair.model=%s -s time.step=%s -o model.h5", model, step);
    Outcome outcome = run(words);
    if (outcome.code != 0) print_error("%s: %s%s", model, outcome.out, outcome.err);
    assert_int_equal(outcome.code, 0);
    char said[64];
    snprintf(said, sizeof said, "3 fibres (%s, ", model);
    assert_non_null(strstr(outcome.out, said));
    forget(&outcome);
    double low = lowest("model.h5");
    if (!(low > -0.0595 && low < -0.04)) print_error("%s: %g m\n", model, low);
    assert_true(low > -0.0595 && low < -0.04);
  }
}

static void the_bits_do_not_depend_on_threads_or_on_a_stop(void** state) {
  (void)state;
  write_hairs("hairs.yaml");
  char hashes[3][20];
  static const char* const WORDS[] = {"run hairs.yaml --json -o one.h5", "run hairs.yaml --json --threads 2 -o two.h5",
                                      "run hairs.yaml --json --resume -o stopped.h5"};
  Outcome outcome = run("run hairs.yaml --quiet --until 0.043 -o stopped.h5");
  assert_int_equal(outcome.code, 0);
  forget(&outcome);
  for (int i = 0; i < 3; ++i) {
    outcome = run(WORDS[i]);
    assert_int_equal(outcome.code, 0);
    const char* at = strstr(outcome.out, "\"hash\": \"");
    assert_non_null(at);
    snprintf(hashes[i], sizeof hashes[i], "%.16s", at + 9);
    forget(&outcome);
  }
  assert_string_equal(hashes[0], hashes[1]);
  assert_string_equal(hashes[0], hashes[2]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_command_says_how_many_fibres_there_are),
      cmocka_unit_test(every_model_runs_the_same_scene),
      cmocka_unit_test(the_bits_do_not_depend_on_threads_or_on_a_stop),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
