// A simulation at a terminal: the progress bar, and Ctrl-C, after which the run can be resumed with the line it printed.
#define _XOPEN_SOURCE 700  // pseudo-terminals

#include <signal.h>
#include <sys/ioctl.h>
#include <time.h>

#include "runner.h"

#include "capstan/result.h"
#include "scenes.h"
#include "terminal.h"

// Starts on a terminal of so many columns, waits for words on it, interrupts; returns the exit code. `seen` is what was
// on the screen till then.
static int interrupt(const char* words, int columns, const char* sight, char* seen, size_t room) {
  int terminal = -1, screen = open_terminal(&terminal);
  if (screen < 0) {
    print_message("skipped: no pseudo-terminals\n");
    skip();
  }
  struct winsize size = {.ws_row = 24, .ws_col = (unsigned short)columns};
  assert_int_equal(ioctl(terminal, TIOCSWINSZ, &size), 0);
  int file = open("stdout", O_RDWR | O_CREAT | O_TRUNC, 0600);
  pid_t child = start(words, file, terminal);
  bool shown = wait_for(screen, sight, seen, room);
  kill(child, shown ? SIGINT : SIGKILL);
  int code = finish(child);
  assert_true(shown);
  // the bar is wiped before the report
  char rest[4096];
  assert_true(wait_for(screen, "\r\033[K", rest, sizeof rest));
  close(terminal);
  close(screen);
  close(file);
  return code;
}

static CpsResultInfo read_info(const char* path) {
  CpsResult* result = NULL;
  assert_int_equal(cps_result_open(path, &result, NULL), CPS_OK);
  CpsResultInfo info = cps_result_info(result);
  info.title = info.scene_text = info.version = NULL;  // they go with the result
  cps_result_destroy(result);
  return info;
}

static void ctrl_c_says_how_to_resume(void** state) {
  (void)state;
  write_endless_balls("balls.yaml");
  static char seen[65536];
  setenv("LC_ALL", "C.UTF-8", 1);
  assert_int_equal(interrupt("run balls.yaml --set contact.mu=0.3 -o cut.h5", 200, "real time", seen, sizeof seen),
                   130);
  assert_non_null(strstr(seen, "\u2591"));
  assert_non_null(strstr(seen, "  contacts "));
  assert_non_null(strstr(seen, "  residual "));
  char* out = read_all("stdout");
  assert_non_null(strstr(out, "\nstopped at "));
  assert_null(strstr(out, "\ndone "));
  const char* resume = "\nresume: capstan run balls.yaml --set contact.mu=0.3 -o cut.h5 --resume\n";
  assert_non_null(strstr(out, resume));
  free(out);
  CpsResultInfo cut = read_info("cut.h5");
  assert_false(cut.finished);
  assert_true(cut.steps > 0 && cut.totals.steps == cut.steps);

  // what it printed goes on from there, to a time that is three steps on, and equals a run in one go
  char words[256];
  double until = cut.time + 0.003;
  snprintf(words, sizeof words, "run balls.yaml --set contact.mu=0.3 -o cut.h5 --resume --until %.17g -q", until);
  Outcome outcome = run(words);
  assert_int_equal(outcome.code, 0);
  forget(&outcome);
  snprintf(words, sizeof words, "run balls.yaml --set contact.mu=0.3 -o whole.h5 --until %.17g -q", until);
  outcome = run(words);
  assert_int_equal(outcome.code, 0);
  forget(&outcome);
  CpsResultInfo resumed = read_info("cut.h5"), whole = read_info("whole.h5");
  assert_int_equal(resumed.steps, cut.steps + 3);
  assert_int_equal(resumed.steps, whole.steps);
  assert_int_equal(resumed.frames, whole.frames);  // the frame of Ctrl-C has gone
  assert_true(resumed.hash == whole.hash);
}

// Killed and interrupted in turn at moments that no one chose, resumed each time: the end is that of a run in one go.
static void kills_and_interrupts_leave_no_trace(void** state) {
  (void)state;
  write_endless_balls("balls.yaml");
  char words[128];
  int nothing = open("/dev/null", O_WRONLY);
  for (int k = 0; k < 6; ++k) {
    pid_t child = start("run balls.yaml -o torn.h5 --resume --quiet", nothing, nothing);
    struct timespec while_it_runs = {.tv_nsec = 20000000 + 7919000 * k % 60000000};
    nanosleep(&while_it_runs, NULL);
    kill(child, k % 3 == 2 ? SIGINT : SIGKILL);
    int code = finish(child);
    assert_true(code == -SIGKILL || code == -SIGINT || code == 130);  // -SIGINT: before it listened
  }
  close(nothing);
  CpsResultInfo torn = exists("torn.h5") ? read_info("torn.h5") : (CpsResultInfo){0};
  assert_false(torn.finished);
  for (int whole = 0; whole < 2; ++whole) {
    snprintf(words, sizeof words, "run balls.yaml -o %s.h5 --quiet --resume --until %.17g", whole ? "whole2" : "torn",
             torn.time + 0.0421);
    Outcome outcome = run(words);
    if (outcome.code != 0) print_error("%s\n", outcome.err);
    assert_int_equal(outcome.code, 0);
    forget(&outcome);
  }
  CpsResultInfo whole = read_info("whole2.h5");
  torn = read_info("torn.h5");
  assert_int_equal(torn.steps, whole.steps);
  assert_int_equal(torn.frames, whole.frames);
  assert_int_equal(torn.totals.contacts_max, whole.totals.contacts_max);
  assert_true(torn.hash == whole.hash);
}

static void interrupted_json_is_still_one_object(void** state) {
  (void)state;
  write_endless_balls("balls.yaml");
  static char seen[65536];
  setenv("LC_ALL", "C", 1);
  assert_int_equal(interrupt("run balls.yaml --json -o json.h5", 60, " left", seen, sizeof seen), 130);
  assert_non_null(strstr(seen, "...."));  // no more than ASCII where the locale knows no more
  for (char* line = strtok(seen, "\r"); line; line = strtok(NULL, "\r")) {
    assert_true(strlen(line) < 60 + strlen("\033[K"));  // and no line that would wrap
  }
  char keys[1024];
  char* out = read_all("stdout");
  assert_one_object(out, keys);
  free(out);
}

static void quiet_shows_no_bar_on_a_terminal(void** state) {
  (void)state;
  write_endless_balls("balls.yaml");
  stays_silent_on_a_terminal("run balls.yaml --until 3 --quiet -o quiet.h5", 0);
}

// Whether a process catches a signal (Linux; elsewhere half a second must do).
static bool catches(pid_t child, int signal) {
  char path[64], line[256];
  unsigned long long mask = ~0ull;
  snprintf(path, sizeof path, "/proc/%d/status", (int)child);
  FILE* file = fopen(path, "r");
  while (file && fgets(line, sizeof line, file)) {
    if (sscanf(line, "SigCgt: %llx", &mask) == 1) break;
  }
  if (file) fclose(file);
  return mask >> (signal - 1) & 1;
}

// A signal half a second after the start of a run ends it within a second, with the code of an interrupted one. On a busy machine
// the program may need longer to start: before its first line nobody can catch a signal.
static void ends_soon(const char* command, int out, int err, int signal) {
  pid_t child = start(command, out, err);
  struct timespec a_while = {.tv_nsec = 500000000}, a_moment = {.tv_nsec = 10000000}, from, to;
  nanosleep(&a_while, NULL);
  for (int tries = 0; tries < 1000 && !catches(child, signal); ++tries) nanosleep(&a_moment, NULL);
  clock_gettime(CLOCK_MONOTONIC, &from);
  kill(child, signal);
  assert_int_equal(finish(child), 130);
  clock_gettime(CLOCK_MONOTONIC, &to);
  double seconds = (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
  assert_true(seconds < 1.0);
}

// A step that never ends: no solver reaches this tolerance. SIGTERM and SIGHUP end it within a second all the same.
static void signals_end_a_run_however_long_the_step(void** state) {
  (void)state;
  write_text("endless.yaml",
             "obstacles: {floor: {plane: {}}}\n"
             "bodies: {b: {box: {size: [0.1, 0.1, 0.1]}, copies: [[0, 0, 0.05], [0.01, 0, 0.15], [0, 0.01, 0.25]], "
             "velocity: [1, 0.3, 0]}}\n"
             "solver: {method: gs, tolerance: 1e-300, iterations: 2000000000, polish: false}\n");
  static const int SIGNALS[] = {SIGTERM, SIGHUP, SIGINT};
  for (int k = 0; k < 3; ++k) {
    FILE* out = fopen("signal.txt", "w");
    int nothing = open("/dev/null", O_WRONLY);
    ends_soon("run endless.yaml -o endless.h5", fileno(out), nothing, SIGNALS[k]);
    fclose(out);
    close(nothing);
    char* text = read_all("signal.txt");
    assert_non_null(strstr(text, "\nresume: capstan run endless.yaml -o endless.h5 --resume\n"));
    free(text);
    assert_false(read_info("endless.h5").finished);
  }
}

// A start that takes long: hairs that were combed into each other are moved apart. Nothing is written yet, and the command says so.
static void signals_end_a_run_that_has_not_begun(void** state) {
  (void)state;
  write_text("start.yaml",
             "obstacles: {head: {sphere: {radius: 9.5 cm}}}\n"
             "fibres: {hair: {elements: 6, radius: 60 um, contact_radius: 0.4 mm, root: {kind: clamped, on: head}, "
             "hair: {on: head, count: 4000, style: wavy, length: 25 cm}}}\n");
  static const int SIGNALS[] = {SIGTERM, SIGHUP, SIGINT};
  for (int k = 0; k < 3; ++k) {
    FILE* err = fopen("start.txt", "w");
    int nothing = open("/dev/null", O_WRONLY);
    ends_soon("run start.yaml -o start.h5", nothing, fileno(err), SIGNALS[k]);
    fclose(err);
    close(nothing);
    char* text = read_all("start.txt");
    assert_string_equal(text, "capstan: interrupted before the first step; nothing was written\n");
    free(text);
    assert_false(exists("start.h5"));
  }
}

// A pipe that is full: what is written to it waits until it is read. Returns the side that is written to.
static int full_pipe(int* reading) {
  int ends[2];
  static const char nothing[1024];
  assert_int_equal(pipe(ends), 0);
  assert_int_equal(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
  for (size_t size = sizeof nothing; size > 0; size /= 2) {
    while (write(ends[1], nothing, size) > 0) continue;
  }
  assert_int_equal(fcntl(ends[1], F_SETFL, 0), 0);
  *reading = ends[0];
  return ends[1];
}

// Sends two signals to a run whose report waits for a reader, so that it is there for the second one however fast it is; returns
// its code, and in `told` what it reported. `timeout` sends its signal twice: to the command, and to the group that it is in.
static int interrupt_twice(int milliseconds, char* told, size_t room) {
  int reading, writing = full_pipe(&reading), nothing = open("/dev/null", O_WRONLY);
  remove("twice.h5");
  pid_t child = start("run balls.yaml --json -o twice.h5", writing, nothing);
  close(writing);
  struct timespec a_while = {.tv_nsec = 200000000}, between = {.tv_nsec = 1000000L * milliseconds};
  for (int k = 0; k < 100 && !exists("twice.h5"); ++k) nanosleep(&a_while, NULL);
  nanosleep(&a_while, NULL);
  kill(child, SIGINT);
  nanosleep(&between, NULL);
  kill(child, SIGINT);
  nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
  size_t length = 0;
  for (char c; read(reading, &c, 1) == 1;) {
    if (c != '\0' && length + 1 < room) told[length++] = c;
  }
  told[length] = '\0';
  close(reading);
  close(nothing);
  return finish(child);
}

static void a_signal_that_comes_twice_is_one_request(void** state) {
  (void)state;
  char told[16384], keys[1024];
  write_endless_balls("balls.yaml");
  assert_int_equal(interrupt_twice(20, told, sizeof told), 130);
  assert_one_object(told, keys);
  assert_false(read_info("twice.h5").finished);
}

static void a_second_ctrl_c_ends_a_run_at_once(void** state) {
  (void)state;
  char told[16384];
  write_endless_balls("balls.yaml");
  assert_int_equal(interrupt_twice(900, told, sizeof told), -SIGINT);
  assert_string_equal(told, "");
}

// Also in a pipe, where there is no bar.
static void a_long_run_says_how_long_it_will_take(void** state) {
  (void)state;
  write_endless_balls("balls.yaml");
  FILE* out = fopen("long.txt", "w");
  int nothing = open("/dev/null", O_WRONLY);
  pid_t child = start("run balls.yaml -o long.h5", fileno(out), nothing);
  struct timespec while_it_runs = {.tv_sec = 3};
  nanosleep(&while_it_runs, NULL);
  kill(child, SIGTERM);
  assert_int_equal(finish(child), 130);
  fclose(out);
  close(nothing);
  char* text = read_all("long.txt");
  assert_non_null(strstr(text, "\nabout "));
  assert_non_null(strstr(text, " left at the pace of the first second, "));
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ctrl_c_says_how_to_resume),
      cmocka_unit_test(kills_and_interrupts_leave_no_trace),
      cmocka_unit_test(interrupted_json_is_still_one_object),
      cmocka_unit_test(quiet_shows_no_bar_on_a_terminal),
      cmocka_unit_test(signals_end_a_run_however_long_the_step),
      cmocka_unit_test(signals_end_a_run_that_has_not_begun),
      cmocka_unit_test(a_signal_that_comes_twice_is_one_request),
      cmocka_unit_test(a_second_ctrl_c_ends_a_run_at_once),
      cmocka_unit_test(a_long_run_says_how_long_it_will_take),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
