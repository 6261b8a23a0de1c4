// `capstan sweep`: many runs of one scene, as a user sees them.
#include <math.h>
#include <signal.h>
#include <time.h>

#include "cli/runner.h"

// A block on a ramp slides by a t^2/2 with a = g (sin - mu cos), or stays.
static const char RAMP[] =
    "parameters: {mu: 0.2, angle: 20 deg, seed: 1}\n"
    "obstacles:\n"
    "  ramp: {plane: {}, rotation: {axis: [0, 1, 0], angle: = angle}}\n"
    "bodies:\n"
    "  block: {frame: ramp, box: {size: [0.2, 0.2, 0.1]}, position: [0, 0, 0.05]}\n"
    "contact: {mu: = mu}\n"
    "sweep: {vary: \"mu=0.1,0.3\", what: \"way:block\"}\n"
    "time: {step: 1 ms, end: 100 ms}\n";

static void write_text_file(const char* name, const char* text) {
  FILE* file = fopen(name, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static void remove_folder(const char* name) {
  DIR* folder = opendir(name);
  assert_non_null(folder);
  for (struct dirent* entry; (entry = readdir(folder));) {
    char path[600];
    snprintf(path, sizeof path, "%s/%s", name, entry->d_name);
    if (entry->d_name[0] != '.') remove(path);
  }
  closedir(folder);
  assert_int_equal(rmdir(name), 0);
}

// Column `name` of a table.csv, `count` values.
static void read_column(const char* path, const char* name, double* values, int count) {
  FILE* file = fopen(path, "r");
  assert_non_null(file);
  char line[1024];
  assert_non_null(fgets(line, sizeof line, file));
  int column = 0;
  char* at = line;
  for (char* end; (end = at + strcspn(at, ",\n")), strncmp(at, name, (size_t)(end - at)) != 0 || name[end - at];
       ++column) {
    assert_int_equal(*end, ',');
    at = end + 1;
  }
  for (int i = 0; i < count; ++i) {
    assert_non_null(fgets(line, sizeof line, file));
    at = line;
    for (int c = 0; c < column; ++c) at += strcspn(at, ",") + 1;
    values[i] = strtod(at, NULL);
  }
  fclose(file);
}

static void a_grid_is_run_and_gathered(void** state) {
  (void)state;
  write_text_file("ramp.yaml", RAMP);
  Outcome outcome =
      run("sweep ramp.yaml --vary mu=0.1:0.3:0.1 --vary angle=0.3,0.5 -j 2 -o grid --what way:block,unsolved");
  assert_int_equal(outcome.code, 0);
  assert_non_null(strstr(outcome.out, "grid: 6 cases, 6 sound, 0 unsound, 0 failed"));
  forget(&outcome);
  double mu[6], angle[6], way[6], unsolved[6];
  read_column("grid/table.csv", "mu", mu, 6);
  read_column("grid/table.csv", "angle", angle, 6);
  read_column("grid/table.csv", "way:block", way, 6);
  read_column("grid/table.csv", "unsolved", unsolved, 6);
  for (int i = 0; i < 6; ++i) {
    assert_near(mu[i], 0.1 * (1 + i / 2), 1e-12);
    assert_near(angle[i], i % 2 ? 0.5 : 0.3, 1e-12);
    assert_int_equal(unsolved[i], 0);
    // the implicit step of h moves by a t (t + h) / 2
    double a = 9.81 * (sin(angle[i]) - mu[i] * cos(angle[i]));
    assert_near(way[i], a > 0.0 ? 0.5 * a * 0.1 * 0.101 : 0.0, 2e-3 * fabs(a) * 0.005 + 1e-9);
  }
  assert_true(exists("grid/table.h5") && exists("grid/0006.h5") && exists("grid/0006.log"));
  outcome = run("sweep ramp.yaml --vary mu=0.1:0.3:0.1 --vary angle=0.3,0.5 -o grid");
  assert_int_equal(outcome.code, 0);
  assert_non_null(strstr(outcome.out, "(6 already finished)"));
  forget(&outcome);
  outcome = run("sweep --table -o grid --what way:block,max:kinetic,z:block");
  assert_int_equal(outcome.code, 0);
  assert_non_null(strstr(outcome.out, "max:kinetic"));
  forget(&outcome);
  outcome = run("plot grid --what way:block -o grid.svg");
  assert_int_equal(outcome.code, 0);
  char* picture = read_all("grid.svg");
  assert_non_null(strstr(picture, "angle=0.5"));
  free(picture);
  forget(&outcome);
  remove_folder("grid");
}

static void the_scene_says_what_varies(void** state) {
  (void)state;
  write_text_file("ramp.yaml", RAMP);
  Outcome outcome = run("sweep ramp.yaml --quiet");
  assert_int_equal(outcome.code, 0);
  assert_string_equal(outcome.out, "");
  double mu[2], way[2];
  read_column("ramp-sweep/table.csv", "mu", mu, 2);
  read_column("ramp-sweep/table.csv", "way:block", way, 2);
  assert_true(mu[0] == 0.1 && mu[1] == 0.3 && way[0] > way[1]);
  forget(&outcome);
  remove_folder("ramp-sweep");
}

static void a_hypercube_hits_each_part_once(void** state) {
  (void)state;
  write_text_file("ramp.yaml", RAMP);
  Outcome outcome =
      run("sweep ramp.yaml --vary mu=0:1 --vary angle=0.1:0.5 --samples 5 --seeds 2 -j 2 -u 0.002 -o cube");
  assert_int_equal(outcome.code, 0);
  double mu[10], angle[10], seed[10];
  read_column("cube/table.csv", "mu", mu, 10);
  read_column("cube/table.csv", "angle", angle, 10);
  read_column("cube/table.csv", "seed", seed, 10);
  int in_mu[5] = {0}, in_angle[5] = {0};
  for (int i = 0; i < 10; ++i) {
    assert_true(mu[i] >= 0.0 && mu[i] < 1.0 && angle[i] >= 0.1 && angle[i] < 0.5);
    ++in_mu[(int)(5.0 * mu[i])];
    ++in_angle[(int)(5.0 * (angle[i] - 0.1) / 0.4)];
    assert_int_equal(seed[i], 1 + i % 2);
    if (i % 2) assert_true(mu[i] == mu[i - 1] && angle[i] == angle[i - 1]);
  }
  for (int k = 0; k < 5; ++k) assert_true(in_mu[k] == 2 && in_angle[k] == 2);
  forget(&outcome);
  remove_folder("cube");
}

static void what_fails_is_listed_and_the_rest_goes_on(void** state) {
  (void)state;
  write_text_file("ramp.yaml", RAMP);
  static const char* const VALUES[] = {"-1,0.2,0.3", "0.2,-1,0.3", "0.2,0.3,-1"};
  Outcome outcome;
  for (int bad = 0; bad < 3; ++bad) {
    char words[80], failure[64];
    snprintf(words, sizeof words, "sweep ramp.yaml --vary mu=%s -u 0.002 -o some", VALUES[bad]);
    snprintf(failure, sizeof failure, "case %04d (mu=-1) failed, exit 2: ", bad + 1);
    outcome = run(words);
    assert_int_equal(outcome.code, 1);
    assert_non_null(strstr(outcome.err, failure));
    assert_non_null(strstr(outcome.out, "3 cases, 2 sound, 0 unsound, 1 failed"));
    assert_int_equal(exists("some/0001.h5"), bad != 0);
    assert_int_equal(exists("some/0002.h5"), bad != 1);
    assert_int_equal(exists("some/0003.h5"), bad != 2);
    forget(&outcome);
    remove_folder("some");
  }
  // a minute of simulation is stopped after a fifth of a second, and is not run again until it is asked for
  outcome = run("sweep ramp.yaml --vary mu=0.2,0.3 -u 6000 --time-limit 0.2 -j 2 -o late");
  assert_int_equal(outcome.code, 1);
  assert_non_null(strstr(outcome.err, "case 0001 (mu=0.2) failed"));
  assert_non_null(strstr(outcome.err, "stopped after"));
  forget(&outcome);
  outcome = run("sweep ramp.yaml --vary mu=0.2,0.3 -u 6000 -o late --json");
  assert_int_equal(outcome.code, 1);
  assert_non_null(strstr(outcome.out, "\"failed\": 2"));
  assert_non_null(strstr(outcome.out, "\"before\": 2"));
  forget(&outcome);
  remove_folder("late");
  outcome = run("sweep ramp.yaml --vary mu=0.2 -u 0.1 --memory 1 -o small");
  assert_int_equal(outcome.code, 1);
  assert_non_null(strstr(outcome.err, "killed by signal"));
  assert_non_null(strstr(outcome.err, "the memory limit may be too small"));
  forget(&outcome);
  remove_folder("small");
}

static void shares_add_up(void** state) {
  (void)state;
  write_text_file("ramp.yaml", RAMP);
  Outcome first = run("sweep ramp.yaml --vary mu=0.1:0.5:0.1 -u 0.002 -o shared --task 1/2 --json"),
          second = run("sweep ramp.yaml --vary mu=0.1:0.5:0.1 -u 0.002 -o shared --task 2/2 --json");
  assert_non_null(strstr(first.out, "\"cases\": 3"));
  assert_non_null(strstr(second.out, "\"cases\": 2"));
  forget(&first);
  forget(&second);
  for (int i = 1; i <= 5; ++i) {
    char path[32];
    snprintf(path, sizeof path, "shared/%04d.done", i);
    assert_true(exists(path));
  }
  remove_folder("shared");
}

// The "hash" of a report.
static void read_hash(const char* path, char hash[17]) {
  char* text = read_all(path);
  assert_non_null(text);
  const char* at = strstr(text, "\"hash\": \"");
  assert_non_null(at);
  memcpy(hash, at + 9, 16);
  hash[16] = '\0';
  free(text);
}

// A sweep that is stopped, and one that is killed, go on where they were and end with the same bits.
static void a_stopped_sweep_goes_on(void** state) {
  (void)state;
  static const char WORDS[] = "sweep ramp.yaml --vary mu=0.1,0.2 -u 6 -j 2 -o stopped";
  write_text_file("ramp.yaml", RAMP);
  const int signals[] = {SIGINT, SIGKILL};
  for (int k = 0; k < 2; ++k) {
    int out = open("stdout", O_RDWR | O_CREAT | O_TRUNC, 0600);
    pid_t child = start(WORDS, out, out);
    for (int i = 0; i < 2000 && !(exists("stopped/0001.h5") && exists("stopped/0002.h5")); ++i) {
      nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
    kill(child, signals[k]);
    int code = finish(child);
    close(out);
    if (k == 0) {
      char* text = read_all("stdout");
      assert_int_equal(code, 130);
      assert_non_null(strstr(text, "interrupted; to continue, run the same command: capstan sweep ramp.yaml"));
      assert_false(exists("stopped/0001.done"));
      free(text);
    }
  }
  // the runs of the killed one stop by themselves; until they have, their cases are somebody else's
  Outcome outcome = {0};
  for (int i = 0; i < 100; ++i) {
    outcome = run(WORDS);
    if (!strstr(outcome.out, "elsewhere")) break;
    forget(&outcome);
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
  }
  assert_int_equal(outcome.code, 0);
  forget(&outcome);
  char swept[17], alone[17];
  read_hash("stopped/0002.json", swept);
  outcome = run("run ramp.yaml --set mu=0.2 -u 6 -o alone.h5 --json");
  assert_int_equal(outcome.code, 0);
  write_text_file("alone.json", outcome.out);
  read_hash("alone.json", alone);
  assert_string_equal(swept, alone);
  forget(&outcome);
  remove_folder("stopped");
}

static void a_changed_scene_is_noticed(void** state) {
  (void)state;
  write_text_file("ramp.yaml", RAMP);
  Outcome outcome = run("sweep ramp.yaml --vary mu=0.1,0.2 -u 0.002 -o kept");
  assert_int_equal(outcome.code, 0);
  forget(&outcome);
  outcome = run("sweep ramp.yaml --vary mu=0.1,0.3 -u 0.002 -o kept");
  check_refused(&outcome, "other values", "kept: contains another sweep");
  forget(&outcome);
  char changed[sizeof RAMP + 32];
  snprintf(changed, sizeof changed, "%sgravity: 1\n", RAMP);
  write_text_file("ramp.yaml", changed);
  outcome = run("sweep ramp.yaml --vary mu=0.1,0.2 -u 0.002 -o kept");
  check_refused(&outcome, "changed scene", "kept: the scene has changed since this sweep started");
  forget(&outcome);
  outcome = run("sweep ramp.yaml --vary mu=0.1,0.2 -u 0.002 -o kept --again");
  assert_int_equal(outcome.code, 0);
  assert_null(strstr(outcome.out, "before"));
  forget(&outcome);
  remove_folder("kept");
}

static void mistakes_exit_2_with_a_sentence(void** state) {
  (void)state;
  write_text_file("ramp.yaml", RAMP);
  static const struct {
    const char *words, *sentence;
  } CASES[] = {
      {"sweep", "sweep needs a scene file"},
      {"sweep ramp.yaml other.yaml", "unexpected argument 'other.yaml'"},
      {"sweep nowhere.yaml --vary mu=1,2", "nowhere.yaml"},
      {"sweep ramp.yaml --vary mu", "--vary: 'mu' is not KEY=VALUES"},
      {"sweep ramp.yaml --vary mu=1,,2", "a value of '1,,2' is empty"},
      {"sweep ramp.yaml --vary mu=0:1", "mu is a range without a step"},
      {"sweep ramp.yaml --vary mu=0:1:-0.1", "does not lead from 0 to 1"},
      {"sweep ramp.yaml --vary mu=0:1:0", "does not lead from 0 to 1"},
      {"sweep ramp.yaml --vary mu=0:1:x10", "does not lead from 0 to 1"},
      {"sweep ramp.yaml --vary mu=0:1:1e-9", "more than 100000 values"},
      {"sweep ramp.yaml --vary mu=0:1:0.1:7", "is not FROM:TO"},
      {"sweep ramp.yaml --vary mu=0:1:0.001 --vary angle=0:1:0.001", "more than 100000 cases"},
      {"sweep ramp.yaml --vary mu=1,2 --vary mu=3,4", "mu is varied twice"},
      {"sweep ramp.yaml --vary nu=1,2", "--vary nu: unknown key; did you mean 'mu'?"},
      {"sweep ramp.yaml --vary stiffness=1,2", "--vary stiffness: unknown parameter 'stiffness'; there are"},
      {"sweep ramp.yaml --vary mu=1,2 --task 3/2", "--task: '3/2' is not K/N"},
      {"sweep --table", "sweep --table needs a sweep folder, -o DIR"},
      {"sweep --table -o nowhere", "nowhere: not a sweep folder"},
      {"sweep ramp.yaml --vary mu=1,2 -o nowhere/deeper", "nowhere/deeper"},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; ++i) {
    Outcome outcome = run(CASES[i].words);
    check_refused(&outcome, CASES[i].words, CASES[i].sentence);
    forget(&outcome);
  }
  write_text_file("plain.yaml", "bodies: {ball: {sphere: {radius: 0.1}}}\n");
  Outcome outcome = run("sweep plain.yaml --seeds 2");
  check_refused(&outcome, "seeds", "--seeds: the scene has no parameter 'seed'");
  forget(&outcome);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_grid_is_run_and_gathered),
      cmocka_unit_test(the_scene_says_what_varies),
      cmocka_unit_test(a_hypercube_hits_each_part_once),
      cmocka_unit_test(what_fails_is_listed_and_the_rest_goes_on),
      cmocka_unit_test(shares_add_up),
      cmocka_unit_test(a_stopped_sweep_goes_on),
      cmocka_unit_test(a_changed_scene_is_noticed),
      cmocka_unit_test(mistakes_exit_2_with_a_sentence),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
