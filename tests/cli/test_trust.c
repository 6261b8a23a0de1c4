// What a run says about itself where every step was solved and it may still be wrong: overlaps at the start, how deep things
// got, names instead of numbers, exit codes.
#include "cli/runner.h"
#include "cli/scenes.h"

#include "folders.h"

// A scene of the users' that went wrong, or NULL if the data is not there.
static const char* shared_scene(const char* name) {
  static char path[512];
  snprintf(path, sizeof path, "%s/scenes/%s.yaml", SHARED_DATA, name);
  if (access(path, R_OK) == 0) return path;
  print_message("skipped: %s is not there\n", path);
  return NULL;
}

static Outcome run_shared(const char* name, const char* rest) {
  char words[900];
  const char* path = shared_scene(name);
  if (!path) skip();
  snprintf(words, sizeof words, "run %s -o %s.h5 %s", path, name, rest);
  return run(words);
}

static const char* last_line(char* text) {
  size_t length = strlen(text);
  assert_true(length > 0 && text[length - 1] == '\n');
  text[length - 1] = '\0';
  char* line = strrchr(text, '\n');
  return line ? line + 1 : text;
}

// Bodies inside each other used to stay so for good, unsaid.
static void overlapping_bodies_are_named_and_moved_apart(void** state) {
  (void)state;
  Outcome outcome = run_shared("overlap", "--until 0.2");
  assert_int_equal(outcome.code, 0);
  assert_non_null(strstr(outcome.err, "note: 13 pairs overlap at the start and were moved apart:\n"));
  assert_non_null(strstr(outcome.err, "  a[0] and a[3], 100 mm deep at ("));
  assert_non_null(strstr(outcome.err, "  s and t, "));
  const char* line = last_line(outcome.out);
  assert_int_equal(strncmp(line, "penetration at most ", 20), 0);
  assert_non_null(strstr(line, " % of the radius of 50 mm: "));
  assert_non_null(strstr(line, ", t = "));
  forget(&outcome);
}

// The rope used to fall through its peg.
static void a_rope_that_starts_in_its_pegs_is_lifted_out(void** state) {
  (void)state;
  Outcome outcome = run_shared("pegs-fall", "--until 0.3");
  assert_int_equal(outcome.code, 0);
  assert_non_null(strstr(outcome.err, "  rope and p1, 0.845 mm deep at ("));
  assert_non_null(strstr(outcome.err, "  rope and p2, 0.845 mm deep at ("));
  assert_int_equal(strncmp(last_line(outcome.out), "penetration at most ", 20), 0);
  forget(&outcome);
}

// "number 0 of the fibres flew apart in a step of 0.001 s: try a shorter one"
static void clamped_fibres_inside_each_other_are_named(void** state) {
  (void)state;
  Outcome outcome = run_shared("bundle", "--until 0.1");
  assert_int_equal(outcome.code, 0);
  assert_non_null(strstr(outcome.err, "warning: 21 pairs overlap at the start; 21 could not be moved apart:\n"));
  assert_non_null(strstr(outcome.err, "x[0] and x["));
  assert_non_null(strstr(outcome.err, "kept by held ends"));
  forget(&outcome);
  // kept as they are they go on, too, but not without a word
  outcome = run_shared("bundle", "--until 0.02 --set start=keep");
  assert_int_equal(outcome.code, 1);
  assert_non_null(strstr(outcome.err, "warning: 21 pairs overlap at the start and stay as they are (start: keep):\n"));
  assert_non_null(strstr(outcome.err, "they may have passed through each other"));
  assert_null(strstr(outcome.err, "shorter"));
  forget(&outcome);
}

static void the_scene_says_what_to_do_with_overlaps(void** state) {
  (void)state;
  write_text("two.yaml",
             "gravity: 0\nbodies: {a: {sphere: {radius: 0.1}, copies: [[0, 0, 0], [0.15, 0, 0]]}}\n"
             "time: {end: 10 ms}\n");
  Outcome outcome = run("check two.yaml");
  assert_int_equal(outcome.code, 0);
  assert_null(strstr(outcome.out, "overlap"));
  assert_non_null(strstr(outcome.err,
                         "note: 1 pair overlaps at the start and was moved apart:\n  a[0] and a[1], 50 mm deep at "
                         "(0.075, 0, 0) m\n"));
  forget(&outcome);
  outcome = run("check two.yaml --set start=keep");
  assert_int_equal(outcome.code, 0);
  assert_non_null(strstr(outcome.err, "stay as they are (start: keep)"));
  forget(&outcome);
  outcome = run("run two.yaml --set start=refuse");
  assert_int_equal(outcome.code, 2);
  assert_non_null(strstr(outcome.err, "a[0] and a[1] by 50 mm"));
  assert_false(exists("two.h5"));
  forget(&outcome);
  outcome = run("run two.yaml --set start=keep");
  assert_int_equal(outcome.code, 0);
  // half a radius deep: the report says so on the standard output, and the warning is on the standard error
  assert_null(strstr(outcome.out, "warning"));
  assert_non_null(strstr(
      outcome.err, "warning: a[0] and a[1] penetrate each other by 50 % of the radius of the smaller at t = 1 ms\n"));
  assert_int_equal(strncmp(last_line(outcome.out),
                           "penetration at most 50 mm, 50 % of the radius of 100 mm: "
                           "a[0] and a[1] at (0.075, 0, 0) m, t = 1 ms",
                           91),
                   0);
  forget(&outcome);
  outcome = run("info two.h5");
  assert_non_null(strstr(outcome.out, "penetration at most 50 mm, 50 % of the radius of 100 mm: a[0] and a[1] at "));
  forget(&outcome);
  outcome = run("run two.yaml --json");
  assert_non_null(strstr(outcome.out, "\"overlaps\": {\"count\": 1, \"left\": 0, "));
  forget(&outcome);
}

// A box that stands on a slope is in it by 1e-15 m now and then: rounding, and no depth that anybody wants to read of.
static void rounding_is_no_penetration(void** state) {
  (void)state;
  write_text("stand.yaml",
             "contact: {mu: = tan(0.4) * (1 + 1e-9)}\n"
             "obstacles: {slope: {plane: {}, rotation: {axis: [0, 1, 0], angle: 0.4 rad}}}\n"
             "bodies:\n"
             "  box: {box: {size: [0.1, 0.1, 0.06]}, position: [= 0.03 * sin(0.4), 0, = 0.03 * cos(0.4)],\n"
             "        rotation: {axis: [0, 1, 0], angle: 0.4 rad}}\n"
             "time: {step: 5 ms, end: 0.2}\n");
  Outcome outcome = run("run stand.yaml --json");
  const char* depth = strstr(outcome.out, "\"penetration_max\": ");
  assert_non_null(depth);
  assert_true(atof(depth + 19) > 0.0);  // otherwise this scene shows nothing
  forget(&outcome);
  outcome = run("run stand.yaml");
  assert_string_equal(last_line(outcome.out), "penetration none");
  forget(&outcome);
}

static void deeper_than_a_radius_is_not_a_success(void** state) {
  (void)state;
  write_text("deep.yaml",
             "gravity: 0\nstart: keep\nbodies: {a: {sphere: {radius: 0.1}, copies: [[0, 0, 0], [0.05, 0, 0]]}}\n"
             "time: {end: 5 ms}\n");
  Outcome outcome = run("run deep.yaml");
  assert_int_equal(outcome.code, 1);
  assert_int_equal(strncmp(last_line(outcome.out), "penetration at most 150 mm, 150 % of", 36), 0);
  assert_non_null(strstr(outcome.err, ", so they may have passed through each other\n"));
  forget(&outcome);
  outcome = run("run deep.yaml --json");
  assert_int_equal(outcome.code, 1);
  assert_non_null(strstr(outcome.out, "\"ratio\": 1.5"));
  forget(&outcome);
}

// A rope thrown at a peg and at another rope, with a tolerance at which no impulses at all are good enough.
static const char careless[] =
    "gravity: 0\n"
    "time: {step: 1 ms, end: 10 ms, mend: false}\n"
    "solver: {tolerance: 1e6, polish: false}\n"
    "contact: {projection: false}\n"
    "obstacles: {peg: {capsule: {radius: 1 mm, length: 0.2}, position: [0, 0.05, 0],\n"
    "  rotation: {euler: [0, 90 deg, 0]}}}\n"
    "fibres:\n"
    "  still: {model: der, elements: 10, radius: 1 mm, young: 10 MPa, points: [[-0.1, 0, 0], [0.1, 0, 0]]}\n"
    "  thrown: {model: der, elements: 10, radius: 1 mm, young: 10 MPa, velocity: [0, 0, -4],\n"
    "    points: [[0, -0.09, 11 mm], [0, 0.11, 11 mm]]}\n";

static void what_went_through_what_is_named_and_is_not_a_success(void** state) {
  (void)state;
  write_text("through.yaml", careless);
  Outcome outcome = run("run through.yaml");
  assert_int_equal(outcome.code, 1);
  assert_non_null(strstr(outcome.out, "every step solved, 2 crossings"));
  assert_non_null(strstr(outcome.err, "warning: objects passed through each other in 2 places:\n"));
  assert_non_null(strstr(outcome.err, "  still passed through thrown at (0, 0, "));
  assert_non_null(strstr(outcome.err, "  thrown passed through peg at (0, 0.05, "));
  assert_non_null(strstr(outcome.err, " m, t = 3 ms\n"));
  assert_null(strstr(outcome.out, "warning"));
  forget(&outcome);
  // again from the file alone, which counts them
  outcome = run("run through.yaml --resume");
  assert_int_equal(outcome.code, 1);
  assert_non_null(strstr(outcome.err, "warning: objects passed through each other in 2 places\n"));
  forget(&outcome);
  outcome = run("run through.yaml --json");
  assert_int_equal(outcome.code, 1);
  assert_non_null(strstr(outcome.out,
                         "\"crossings\": 2, \"stopped\": 0, \"broken\": 0, \"inverted\": 0, "
                         "\"passes\": [{\"time\": 0.003"));
  assert_non_null(
      strstr(outcome.out, "\"kind\": \"fibre\", \"index\": 1, \"name\": \"thrown\", \"part\": 0, \"place\": ["));
  assert_non_null(strstr(outcome.out, "\"name\": \"peg\""));
  forget(&outcome);
  // with the defaults nothing passes
  outcome = run("run through.yaml --set time.mend=true --set solver.tolerance=1e-6 --set contact.projection=true");
  assert_int_equal(outcome.code, 0);
  assert_non_null(strstr(outcome.out, "every step solved, 0 crossings"));
  assert_string_equal(outcome.err, "");
  forget(&outcome);
}

// Energy that the step makes and damping takes again, or that the correction of positions takes: nothing of it is left at the end.
static void energy_of_the_discretisation_is_not_silent(void** state) {
  (void)state;
  static const char* const SCENES[2] = {
      "contact: {mu: 0.3}\n"
      "obstacles:\n"
      "  bar: {cylinder: {radius: 3 mm, length: 1}, position: [-0.1, 0, -0.15], rotation: {axis: [1, 0, 0], angle: 90 "
      "deg},\n"
      "    motion: {velocity: [2, 0, 0]}}\n"
      "fibres:\n"
      "  h: {model: der, elements: 24, length: 0.25, radius: 0.5 mm, young: 100 MPa, root: clamped, direction: [0, 0, "
      "-1]}\n"
      "time: {step: 2 ms, mend: false, end: 0.1}\n",
      "contact: {mu: 0.3}\n"
      "obstacles: {wire: {cylinder: {radius: 0.7 mm, length: 0.4}, rotation: {axis: [1, 0, 0], angle: 90 deg}}}\n"
      "fibres:\n"
      "  f: {elements: 6, length: 0.4, radius: 2 mm, young: 0.5 MPa, position: [-0.17, 0.02, 0.05], direction: [1, "
      "0.1, 0.05],\n"
      "    velocity: [0, 0, -20]}\n"
      "time: {step: 1 ms, end: 50 ms}\n"};
  static const char* const WARNINGS[2] = {
      "warning: the time step created ",
      "% of the energy that was there or given was lost to the correction of positions"};
  for (int k = 0; k < 2; ++k) {
    write_text("energy.yaml", SCENES[k]);
    Outcome outcome = run("run energy.yaml -o energy.h5");
    assert_int_equal(outcome.code, 0);
    assert_non_null(strstr(outcome.out, "every step solved"));
    assert_non_null(strstr(outcome.err, WARNINGS[k]));
    forget(&outcome);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(overlapping_bodies_are_named_and_moved_apart),
      cmocka_unit_test(a_rope_that_starts_in_its_pegs_is_lifted_out),
      cmocka_unit_test(clamped_fibres_inside_each_other_are_named),
      cmocka_unit_test(the_scene_says_what_to_do_with_overlaps),
      cmocka_unit_test(rounding_is_no_penetration),
      cmocka_unit_test(deeper_than_a_radius_is_not_a_success),
      cmocka_unit_test(energy_of_the_discretisation_is_not_silent),
      cmocka_unit_test(what_went_through_what_is_named_and_is_not_a_success),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
