// labels: release
// Every scene that the book names is there, is understood, and runs under the command; what cannot be solved exits with 1.
#include "cli/runner.h"

static const char* const NAMES[] = {
    "ramp",       "pinch",      "slide",       "roll",         "puck",         "column",     "triangle",   "settle-80",
    "settle-160", "settle-320", "wall",        "arch",         "cards",        "dominoes",   "heavy",      "loop",
    "hair",       "lock",       "spaghetti-7", "spaghetti-31", "spaghetti-76", "bend-twist", "cantilever", "capstan",
    "groom",      "knot",       "orbit",       "plectoneme",   "pony",         "rope-coil",  "stick-slip", "wavy-84",
    "willow",     "curly",      "free-a",      "free-b",       "settle-10000", "painleve"};
enum { COUNT = sizeof NAMES / sizeof NAMES[0], LARGE = 5 };  // the last LARGE are not run here

static void every_scene_is_understood(void** state) {
  (void)state;
  for (int k = 0; k < COUNT; ++k) {
    char words[512];
    snprintf(words, sizeof words, "check %s/scenes/%s.yaml", SOURCE_DIR, NAMES[k]);
    Outcome outcome = run(words);
    if (outcome.code != 0) print_error("%s: %s\n", NAMES[k], outcome.err);
    assert_int_equal(outcome.code, 0);
    forget(&outcome);
  }
}

static void every_scene_begins_without_an_unsolved_step(void** state) {
  (void)state;
  for (int k = 0; k < COUNT - LARGE; ++k) {
    char words[512];
    snprintf(words, sizeof words, "run %s/scenes/%s.yaml --until 0.02 -q -o out.h5", SOURCE_DIR, NAMES[k]);
    Outcome outcome = run(words);
    if (outcome.code != 0) print_error("%s: %s\n", NAMES[k], outcome.err);
    assert_int_equal(outcome.code, 0);
    forget(&outcome);
  }
}

static void painleves_rod_is_reported(void** state) {
  (void)state;
  Outcome outcome = run("run " SOURCE_DIR "/scenes/painleve.yaml --json -o out.h5");
  assert_int_equal(outcome.code, 1);
  assert_non_null(strstr(outcome.out, "\"unsolved_steps\": 100,"));
  forget(&outcome);
  outcome = run("run " SOURCE_DIR "/scenes/painleve.yaml --set mu=0.5 --json -o out.h5");
  assert_int_equal(outcome.code, 0);
  assert_non_null(strstr(outcome.out, "\"unsolved_steps\": 0,"));
  forget(&outcome);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_scene_is_understood),
      cmocka_unit_test(every_scene_begins_without_an_unsolved_step),
      cmocka_unit_test(painleves_rod_is_reported),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
