// A person at a terminal: the progress line, and Ctrl-C, which stops at the next iteration and still reports.
#define _XOPEN_SOURCE 700  // pseudo-terminals

#include <signal.h>

#include "runner.h"
#include "terminal.h"

static void interrupt_while_solving(const char* words, char** out) {
  int terminal = -1, screen = open_terminal(&terminal);
  if (screen < 0) {
    print_message("skipped: no pseudo-terminals\n");
    skip();
  }
  int file = open("stdout", O_RDWR | O_CREAT | O_TRUNC, 0600);
  pid_t child = start(words, file, terminal);
  char seen[65536];
  bool shown = wait_for(screen, " it  residual ", seen, sizeof seen);
  kill(child, shown ? SIGINT : SIGKILL);
  assert_int_equal(finish(child), 1);
  assert_true(shown);
  // the line is wiped before the report, and only the line was written there
  assert_true(wait_for(screen, "\r\033[K", seen, sizeof seen));
  close(terminal);
  close(screen);
  close(file);
  *out = read_all("stdout");
}

static void ctrl_c_stops_and_still_reports(void** state) {
  (void)state;
  char* out = NULL;
  write_endless("endless.hdf5");
  interrupt_while_solving("solve endless.hdf5 --method gs --max-iter 1e9 --json -o best.hdf5", &out);
  char keys[1024];
  assert_one_object(out, keys);
  assert_non_null(strstr(out, "\"status\": \"interrupted\""));
  free(out);
  // the best iterate was written
  double* r = malloc(9000 * sizeof *r);
  assert_int_equal(cps_fclib_read_solution("best.hdf5", 9000, r, NULL, NULL), CPS_OK);
  assert_true(r[3000] > 0.0);
  free(r);
}

static void ctrl_c_stops_a_comparison_and_shows_what_there_is(void** state) {
  (void)state;
  char* out = NULL;
  write_endless("endless.hdf5");
  interrupt_while_solving("compare endless.hdf5 --methods gs,gs/enum --max-iter 1e9 --time-limit 0", &out);
  assert_non_null(strstr(out, "interrupted"));
  assert_non_null(strstr(out, "0 of 1"));
  free(out);
}

static void quiet_shows_no_progress_on_a_terminal(void** state) {
  (void)state;
  write_endless("endless.hdf5");
  stays_silent_on_a_terminal("solve endless.hdf5 --method gs --max-iter 1e9 --time-limit 0.5 --quiet", 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ctrl_c_stops_and_still_reports),
      cmocka_unit_test(ctrl_c_stops_a_comparison_and_shows_what_there_is),
      cmocka_unit_test(quiet_shows_no_progress_on_a_terminal),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
