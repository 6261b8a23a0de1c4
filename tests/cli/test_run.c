// `capstan run` as its users meet it: files, JSON, exit codes, resuming, restarting, problems of single steps.
#include "runner.h"

#include <sys/resource.h>

#include "capstan/result.h"
#include "scenes.h"

#define RUN_KEYS                                                                                                \
  "scene time steps bodies fibres contacts_max residual_max unsolved_steps tolerance penetration_max deepest "  \
  "overlaps crossings stopped broken inverted passes energy_error energy_excess energy_created energy_drained " \
  "spin_lost wall_seconds hash "

// The text after "key": up to the next comma or brace.
static void json_field(const char* json, const char* key, char value[64]) {
  char quoted[64];
  snprintf(quoted, sizeof quoted, "\"%s\": ", key);
  const char* at = strstr(json, quoted);
  assert_non_null(at);
  at += strlen(quoted);
  snprintf(value, 64, "%.*s", (int)strcspn(at, ",}"), at);
}

static double json_figure(const char* json, const char* key) {
  char value[64];
  json_field(json, key, value);
  return strtod(value, NULL);
}

// Runs, expects an exit code, checks that stdout is the one object, and keeps its hash.
static Outcome run_json(const char* words, int code, char hash[64]) {
  Outcome outcome = run(words);
  if (outcome.code != code) print_error("%s -> %d %s\n", words, outcome.code, outcome.err);
  assert_int_equal(outcome.code, code);
  char keys[1024];
  assert_one_object(outcome.out, keys);
  assert_string_equal(keys, RUN_KEYS);
  json_field(outcome.out, "hash", hash);
  assert_int_equal(strlen(hash), 18);  // 16 digits in quotes
  return outcome;
}

static CpsResultInfo read_info(const char* path) {
  CpsResult* result = NULL;
  CpsError error = {""};
  CpsStatus status = cps_result_open(path, &result, &error);
  if (status != CPS_OK) print_error("%s\n", error.text);
  assert_int_equal(status, CPS_OK);
  CpsResultInfo info = cps_result_info(result);
  info.title = info.scene_text = info.version = NULL;  // they go with the result
  cps_result_destroy(result);
  return info;
}

static void a_run_says_what_it_did_and_where_the_result_is(void** state) {
  (void)state;
  write_balls("balls.yaml");
  Outcome outcome = run("run balls.yaml");
  if (outcome.code != 0) print_error("%s", outcome.err);
  assert_int_equal(outcome.code, 0);
  assert_string_equal(outcome.err, "");  // quiet in a pipe
  assert_true(strncmp(outcome.out, "balls  ", 7) == 0);
  assert_non_null(strstr(outcome.out, "5 bodies"));
  assert_non_null(strstr(outcome.out, "\ndone 0.20 s, 200 steps in "));
  assert_non_null(strstr(outcome.out, ", every step solved, energy balance error "));
  assert_non_null(strstr(outcome.out, "\nwrote balls.h5 ("));
  assert_non_null(strstr(outcome.out, "view: capstan view balls.h5   plots: capstan plot balls.h5"));
  forget(&outcome);
  CpsResultInfo info = read_info("balls.h5");
  assert_true(info.finished);
  assert_int_equal(info.steps, 200);
  assert_int_equal(info.frames, 21);
  assert_near(info.time, 0.2, 1e-12);
}

static void json_has_exactly_the_promised_keys(void** state) {
  (void)state;
  write_balls("balls.yaml");
  char hash[64];
  Outcome outcome = run_json("run balls.yaml --json -o json.h5", 0, hash);
  assert_non_null(strstr(outcome.out, "{\"scene\": \"balls.yaml\", "));
  assert_near(json_figure(outcome.out, "time"), 0.2, 1e-12);
  assert_true(json_figure(outcome.out, "steps") == 200.0);
  assert_true(json_figure(outcome.out, "bodies") == 5.0);
  assert_true(json_figure(outcome.out, "contacts_max") >= 4.0);  // four balls end on the floor
  assert_true(json_figure(outcome.out, "unsolved_steps") == 0.0);
  assert_true(json_figure(outcome.out, "residual_max") <= 1e-6);
  assert_true(json_figure(outcome.out, "wall_seconds") > 0.0);
  forget(&outcome);
}

static void quiet_prints_nothing(void** state) {
  (void)state;
  write_balls("balls.yaml");
  Outcome outcome = run("run balls.yaml --quiet --until 0.01 -o quiet.h5");
  assert_int_equal(outcome.code, 0);
  assert_string_equal(outcome.out, "");
  assert_string_equal(outcome.err, "");
  forget(&outcome);
  assert_int_equal(read_info("quiet.h5").steps, 10);
}

static void the_hash_is_the_same_for_any_number_of_threads(void** state) {
  (void)state;
  write_balls("balls.yaml");
  char one[64], two[64], other[64];
  Outcome outcome = run_json("run balls.yaml --json --threads 1 -o one.h5", 0, one);
  forget(&outcome);
  outcome = run_json("run balls.yaml --json --threads 2 -o two.h5", 0, two);
  forget(&outcome);
  outcome = run_json("run balls.yaml --json --set contact.mu=0.1 -o other.h5", 0, other);
  forget(&outcome);
  assert_string_equal(one, two);
  assert_string_not_equal(one, other);
}

// Times and poses of all frames, and the series that do not measure the machine.
static void assert_same_frames(const char* one, const char* other) {
  enum { BODIES = 5, STEPS = 200 };
  CpsResult *a = NULL, *b = NULL;
  assert_int_equal(cps_result_open(one, &a, NULL), CPS_OK);
  assert_int_equal(cps_result_open(other, &b, NULL), CPS_OK);
  assert_int_equal(cps_result_info(a).frames, cps_result_info(b).frames);
  for (int64_t i = 0; i < cps_result_info(a).frames; ++i) {
    CpsPose pa[BODIES], pb[BODIES];
    assert_true(cps_result_frame_time(a, i) == cps_result_frame_time(b, i));
    assert_int_equal(cps_result_frame_poses(a, i, pa, NULL), CPS_OK);
    assert_int_equal(cps_result_frame_poses(b, i, pb, NULL), CPS_OK);
    assert_memory_equal(pa, pb, sizeof pa);
  }
  const char* names[] = {"time", "contacts", "residual", "iterations", "kinetic", "friction", "impact", "scheme"};
  for (int k = 0; k < 8; ++k) {
    double va[STEPS], vb[STEPS];
    assert_int_equal(cps_result_series(a, names[k], va, NULL), CPS_OK);
    assert_int_equal(cps_result_series(b, names[k], vb, NULL), CPS_OK);
    assert_memory_equal(va, vb, sizeof va);
  }
  cps_result_destroy(a);
  cps_result_destroy(b);
}

// Stopped at a time that is not a multiple of the frame interval and extended: the bits are those of the run in one go.
static void a_resumed_run_equals_the_uninterrupted_one(void** state) {
  (void)state;
  write_balls("balls.yaml");
  char whole[64], parts[64];
  Outcome outcome = run_json("run balls.yaml --json -o whole.h5", 0, whole);
  forget(&outcome);
  const char* words[] = {"run balls.yaml --json -o parts.h5 --resume --until 0.0435",
                         "run balls.yaml --json -o parts.h5 --resume --until 0.111 --threads 2",
                         "run balls.yaml --json -o parts.h5 --resume"};
  for (int k = 0; k < 3; ++k) {
    outcome = run_json(words[k], 0, parts);
    if (k == 2) assert_true(json_figure(outcome.out, "steps") == 200.0);
    forget(&outcome);
  }
  assert_string_equal(whole, parts);
  CpsResultInfo info = read_info("parts.h5");
  assert_true(info.finished);
  assert_int_equal(info.steps, 200);
  assert_int_equal(info.frames, 21);  // the ends of the parts were no frames of the schedule
  assert_same_frames("whole.h5", "parts.h5");
}

static void resuming_a_finished_run_says_the_same_again(void** state) {
  (void)state;
  write_balls("balls.yaml");
  char hash[64];
  remove("again.h5");
  Outcome first = run_json("run balls.yaml --json --resume -o again.h5", 0, hash);  // without a file it starts
  struct stat before, after;
  assert_int_equal(stat("again.h5", &before), 0);
  Outcome second = run_json("run balls.yaml --json --resume -o again.h5", 0, hash);
  assert_int_equal(stat("again.h5", &after), 0);
  assert_string_equal(first.out, second.out);
  assert_int_equal(before.st_size, after.st_size);
  assert_int_equal(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
  forget(&first);
  forget(&second);
}

static void a_result_of_another_scene_is_not_resumed(void** state) {
  (void)state;
  write_balls("balls.yaml");
  Outcome outcome = run("run balls.yaml --quiet --until 0.05 -o mine.h5");
  assert_int_equal(outcome.code, 0);
  forget(&outcome);
  uint64_t hash = read_info("mine.h5").hash;
  outcome = run("run balls.yaml --resume -o mine.h5 --set contact.mu=0.1");
  assert_int_equal(outcome.code, 2);
  assert_non_null(strstr(outcome.err, "mine.h5"));
  assert_string_equal(outcome.out, "");
  forget(&outcome);
  assert_true(read_info("mine.h5").hash == hash);
}

// From frame 10 (t = 0.1 s) without edits the run ends where the old one ended; with an edit it does not.
static void a_run_starts_again_from_a_frame(void** state) {
  (void)state;
  write_balls("balls.yaml");
  char whole[64], same[64], edited[64];
  Outcome outcome = run_json("run balls.yaml --json", 0, whole);
  forget(&outcome);
  outcome = run_json("run balls.yaml --json --from-frame 10 -o same.h5", 0, same);
  assert_true(json_figure(outcome.out, "steps") == 100.0);
  forget(&outcome);
  outcome = run_json("run balls.yaml --json --from-frame 10 --from balls.h5 --set contact.mu=0", 0, edited);
  forget(&outcome);
  assert_string_equal(whole, same);
  assert_string_not_equal(whole, edited);
  assert_int_equal(read_info("same.h5").frames, 11);
  assert_true(exists("balls-from10.h5"));
  // the older result is as it was
  assert_int_equal(read_info("balls.h5").frames, 21);
}

// The faceted cone of `lemke` does not solve the exact law where a ball slides along a diagonal of the facets.
static void a_step_that_is_not_solved_is_counted_and_exits_1(void** state) {
  (void)state;
  write_text("slide.yaml",
             "obstacles: {floor: {plane: {}}}\n"
             "bodies:\n"
             "  block: {box: {size: [0.2, 0.2, 0.1]}, position: [0, 0, 0.05], velocity: [1, 0.3, 0]}\n"
             "time: {step: 1 ms, end: 20 ms}\n"
             "solver: {method: lemke, tolerance: 1e-10}\n");
  char hash[64];
  Outcome outcome = run_json("run slide.yaml --json", 1, hash);
  assert_true(json_figure(outcome.out, "unsolved_steps") >= 1.0);
  assert_true(json_figure(outcome.out, "residual_max") > 1e-10);
  forget(&outcome);
  outcome = run("run slide.yaml");
  assert_int_equal(outcome.code, 1);
  assert_non_null(strstr(outcome.out, " not solved to 1e-10"));
  assert_null(strstr(outcome.out, "every step solved"));
  forget(&outcome);
  outcome = run_json("run slide.yaml --json --resume", 1, hash);  // finished, and still not solved
  forget(&outcome);
  outcome = run_json("run slide.yaml --json --method auto", 0, hash);
  forget(&outcome);
}

// A block whose top is pulled through its bottom stays inverted: nothing else can be done between these pins, and it is told.
static void inverted_tetrahedra_are_warned_about(void** state) {
  (void)state;
  write_text("mirror.yaml",
             "solids:\n"
             "  block: {box: {size: [4 cm, 4 cm, 2 cm], cells: [2, 2, 1]}, young: 0.1 MPa, self_contact: false,\n"
             "          pins: [{side: -z}, {side: +z, motion: {velocity: [0, 0, -1]}}]}\n"
             "gravity: 0\n"
             "time: {step: 2 ms, end: 0.04 s}\n");
  char hash[64];
  Outcome outcome = run_json("run mirror.yaml --json", 0, hash);
  assert_near(json_figure(outcome.out, "inverted"), 20.0, 0.0);  // all of 5 in each of 4 cells
  forget(&outcome);
  outcome = run("run mirror.yaml");
  assert_int_equal(outcome.code, 0);
  assert_non_null(strstr(outcome.err, "warning: `block` ends with 20 of 20 tetrahedra inverted, the worst at ("));
  forget(&outcome);
  outcome = run("run mirror.yaml --set solids.block.law=neo-hookean");  // has no such state, and no energy there
  assert_int_equal(outcome.code, 2);
  assert_non_null(strstr(outcome.err, "solid `block` became unstable at t = "));
  forget(&outcome);
  outcome = run("run mirror.yaml --until 10ms");
  assert_null(strstr(outcome.err, "inverted"));
  forget(&outcome);
}

// Implicit steps slow down a rope that spins in free flight, by (h w)^2 of its spin in each of them.
static void spin_that_steps_lose_is_warned_about(void** state) {
  (void)state;
  write_text("baton.yaml",
             "fibres:\n"
             "  baton: {model: der, elements: 8, length: 40 cm, radius: 4 mm, young: 100 MPa, position: [0, 0, 1],\n"
             "          angular_velocity: [0, 0, 30]}\n"
             "time: {step: 1 ms, end: 0.1 s}\n");
  char hash[64];
  Outcome outcome = run_json("run baton.yaml --json", 0, hash);
  assert_true(json_figure(outcome.out, "spin_lost") > 0.1);
  forget(&outcome);
  outcome = run("run baton.yaml");
  assert_int_equal(outcome.code, 0);
  assert_non_null(strstr(outcome.err, "warning: `baton` lost up to "));
  assert_non_null(strstr(outcome.err, "to the time step: use `time.theta: 0.5` or a shorter step"));
  forget(&outcome);
  outcome = run("run baton.yaml --set time.theta=0.5");
  assert_null(strstr(outcome.err, "angular momentum"));
  forget(&outcome);
}

static void the_problem_of_a_step_can_be_solved_again(void** state) {
  (void)state;
  write_balls("balls.yaml");
  Outcome outcome = run("run balls.yaml --quiet --save-problem 50 -o saved.h5");
  assert_int_equal(outcome.code, 0);
  forget(&outcome);
  assert_true(exists("saved-step000050.hdf5") && exists("saved-step000200.hdf5"));
  assert_false(exists("saved-step000049.hdf5"));
  outcome = run("info saved-step000200.hdf5");
  assert_int_equal(outcome.code, 0);
  assert_non_null(strstr(outcome.out, "solution   in the file, residual "));
  forget(&outcome);
  // the impulses of the simulation are already good enough to the tolerance of the simulation
  outcome = run("solve saved-step000200.hdf5 --method gs --warm --tol 1e-6 --max-iter 1 --json");
  assert_int_equal(outcome.code, 0);
  forget(&outcome);
  outcome = run("solve saved-step000200.hdf5 --json");
  assert_int_equal(outcome.code, 0);
  assert_true(json_figure(outcome.out, "contacts") >= 4.0);
  forget(&outcome);
}

// Ties have a law that FCLIB does not know; the file says it, and the impulses of the step obey it. As contacts they would not.
static void the_problem_of_a_step_with_ties_keeps_its_law(void** state) {
  (void)state;
  write_text("tied.yaml",
             "obstacles: {floor: {plane: {}}}\n"
             "bodies:\n"
             "  crate: {box: {size: [0.1, 0.1, 0.1]}, position: [0, 0, 0.05]}\n"
             "  bob: {sphere: {radius: 3 cm}, position: [0.3, 0, 0.5]}\n"
             "ties: [{kind: rod, a: {body: bob}, b: {at: [0, 0, 0.5]}}]\n"
             "time: {step: 1 ms, end: 0.05}\n");
  Outcome outcome = run("run tied.yaml --quiet --save-problem 50 -o tied.h5");
  assert_int_equal(outcome.code, 0);
  forget(&outcome);
  outcome = run("solve tied-step000050.hdf5 --warm --json");
  assert_int_equal(outcome.code, 0);
  assert_true(json_figure(outcome.out, "contacts") >= 5.0);
  assert_true(json_figure(outcome.out, "iterations") == 0.0 && json_figure(outcome.out, "residual") < 1e-6);
  forget(&outcome);
}

// Stresses of grains in space have six rows beside the three of contacts, which FCLIB cannot say: groups of ours do.
static void the_problem_of_a_step_with_grains_in_space_is_solved_again(void** state) {
  (void)state;
  write_text("sand.yaml",
             "obstacles: {floor: {plane: {}}}\n"
             "bodies: {ball: {sphere: {radius: 6 cm}, position: [0.1, 0.1, 0.27]}}\n"
             "grid: {cell: 5 cm}\n"
             "grains: {bed: {box: {from: [0, 0, 0], to: [0.2, 0.2, 0.2]}}}\n"
             "time: {step: 2 ms, end: 0.01}\n");
  Outcome outcome = run("run sand.yaml --quiet --tol 1e-7 --save-problem 5 -o sand.h5");
  assert_int_equal(outcome.code, 0);
  forget(&outcome);
  outcome = run("solve sand-step000005.hdf5 --warm --tol 1e-6 --json");
  assert_int_equal(outcome.code, 0);
  assert_true(json_figure(outcome.out, "contacts") > 100.0);
  assert_true(json_figure(outcome.out, "iterations") == 0.0 && json_figure(outcome.out, "residual") < 1e-6);
  forget(&outcome);
  outcome = run("solve sand-step000005.hdf5 --tol 1e-4 --json");
  assert_int_equal(outcome.code, 0);
  forget(&outcome);
}

// A flow in a fixed domain has stresses and no contact with anything: its steps are problems too.
static void the_problem_of_a_flow_in_space_is_solved_again(void** state) {
  (void)state;
  write_text("flow.yaml",
             "gravity: [8, 0, -5]\n"
             "flow: {domain: {to: [0.1, 0.1, 0.1]}, cells: [2, 1, 2], periodic: true, bottom: {wall: no-slip}, "
             "viscosity: 5 Pa*s}\n"
             "time: {step: 1 s, end: 2}\n");
  Outcome outcome = run("run flow.yaml --quiet --tol 1e-7 --save-problem 2 -o flow.h5");
  assert_int_equal(outcome.code, 0);
  forget(&outcome);
  outcome = run("solve flow-step000002.hdf5 --warm --tol 1e-6 --json");
  assert_int_equal(outcome.code, 0);
  assert_true(json_figure(outcome.out, "contacts") == 12.0 && json_figure(outcome.out, "iterations") == 0.0);
  forget(&outcome);
  outcome = run("solve flow-step000002.hdf5 --tol 1e-4 --json");
  assert_int_equal(outcome.code, 0);
  forget(&outcome);
  outcome = run("run flow.yaml --until 1 --set flow.mu_i.grain=1mm -o flow.h5");
  assert_int_equal(outcome.code, 0);
  assert_non_null(strstr(outcome.out, ", a flow of 12 points (friction mu(I)"));
  forget(&outcome);
}

// A file that may not grow any longer stands for a full disk: a message, exit 2, and what was written can be read.
static void a_full_disk_leaves_what_was_written(void** state) {
  (void)state;
  write_balls("balls.yaml");
  struct rlimit before, limit;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  Outcome outcome = run("run balls.yaml --quiet --until 0.05 -o small.h5");
  assert_int_equal(outcome.code, 0);
  forget(&outcome);
  struct stat facts;
  assert_int_equal(stat("small.h5", &facts), 0);
  limit = before;
  limit.rlim_cur = (rlim_t)facts.st_size;
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
  outcome = run("run balls.yaml --set output.frames=1ms -o full.h5");
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  assert_int_equal(outcome.code, 2);
  assert_non_null(strstr(outcome.err, "full.h5: cannot be written: "));
  assert_null(strstr(outcome.out, "done"));
  assert_non_null(strstr(outcome.err, "resume: capstan run balls.yaml --set output.frames=1ms -o full.h5 --resume\n"));
  forget(&outcome);
  CpsResultInfo info = read_info("full.h5");
  assert_true(info.frames > 0 && info.frames < 201);
  // with room again it goes on
  outcome = run("run balls.yaml --set output.frames=1ms -o full.h5 --resume --quiet");
  assert_int_equal(outcome.code, 0);
  forget(&outcome);
  assert_int_equal(read_info("full.h5").frames, 201);
}

static void mistakes_are_answered_with_one_sentence(void** state) {
  (void)state;
  write_balls("wrong.yaml");
  static const char* const cases[][2] = {
      {"run", "needs a scene file"},
      {"run wrong.yaml wrong.yaml", "takes one scene file"},
      {"run not-there.yaml", "not-there.yaml"},
      {"run wrong.yaml -o no/such/folder.h5", "no/such/folder.h5: cannot be written"},
      {"run wrong.yaml -o wrong.yaml", "wrong.yaml: this is the scene file"},
      {"run wrong.yaml -o .", ".: is a directory"},
      {"run wrong.yaml --until 0", "--until: '0'"},
      {"run wrong.yaml --until nan", "--until: 'nan'"},
      {"run wrong.yaml --threads 0", "--threads: '0'"},
      {"run wrong.yaml --set", "--set needs a value"},
      {"run wrong.yaml --set contact.muu=1", "did you mean 'mu'?"},
      {"run wrong.yaml --set contact.mu=-1", "contact.mu"},
      {"run wrong.yaml --resum", "unknown option '--resum'; did you mean '--resume'?"},
      {"run wrong.yaml --method gss", "unknown method 'gss'; did you mean 'gs'?"},
      {"run wrong.yaml --tol 0", "--tol: '0'"},
      {"run wrong.yaml --save-problem 0", "--save-problem: '0'"},
      {"run wrong.yaml --save-problem 5x", "--save-problem: '5x'"},
      {"run wrong.yaml --save-problem 5:no/such", "no/such/wrong-step000005.hdf5: cannot be written"},
      {"run wrong.yaml --from old.h5", "--from needs --from-frame"},
      {"run wrong.yaml --from-frame -1", "--from-frame: '-1'"},
      {"run wrong.yaml --from-frame 1 --from old.h5", "old.h5"},
      {"run wrong.yaml --from-frame 1 --from new.h5 -o new.h5", "new.h5: this is the result to start from"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
    Outcome outcome = run(cases[k][0]);
    check_refused(&outcome, cases[k][0], cases[k][1]);
    assert_false(exists("wrong.h5"));
    forget(&outcome);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_run_says_what_it_did_and_where_the_result_is),
      cmocka_unit_test(json_has_exactly_the_promised_keys),
      cmocka_unit_test(quiet_prints_nothing),
      cmocka_unit_test(the_hash_is_the_same_for_any_number_of_threads),
      cmocka_unit_test(a_resumed_run_equals_the_uninterrupted_one),
      cmocka_unit_test(resuming_a_finished_run_says_the_same_again),
      cmocka_unit_test(a_result_of_another_scene_is_not_resumed),
      cmocka_unit_test(a_run_starts_again_from_a_frame),
      cmocka_unit_test(a_step_that_is_not_solved_is_counted_and_exits_1),
      cmocka_unit_test(spin_that_steps_lose_is_warned_about),
      cmocka_unit_test(inverted_tetrahedra_are_warned_about),
      cmocka_unit_test(the_problem_of_a_step_can_be_solved_again),
      cmocka_unit_test(the_problem_of_a_step_with_ties_keeps_its_law),
      cmocka_unit_test(the_problem_of_a_step_with_grains_in_space_is_solved_again),
      cmocka_unit_test(the_problem_of_a_flow_in_space_is_solved_again),
      cmocka_unit_test(a_full_disk_leaves_what_was_written),
      cmocka_unit_test(mistakes_are_answered_with_one_sentence),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
