// How long a run will take is said once, and again when it turns out to be wrong; the clock is the test's own.
#include "test_helpers.h"

#include "cli/run_estimate.h"

// Simulated seconds pass at the same pace all the time: one word after a second, and no other.
static void a_steady_run_is_told_once(void** state) {
  (void)state;
  CpsRunEstimate e = cps_run_estimate_begin(100.0, 0.0);
  int said = 0;
  for (int i = 1; i <= 1000; i++) said += cps_run_estimate_look(&e, 100.0 + 0.1 * i, 0.01 * i, 10.0);
  assert_int_equal(said, 1);
  assert_true(e.said > 99.0 && e.said < 101.0);
}

// Things fall freely for the first half second on the clock, then each simulated second takes a thousand: `pour`. At the
// first look the run seems to be over soon, and nothing is said; the next look has seen the slow part.
static void a_run_that_slows_down_is_told_anew(void** state) {
  (void)state;
  CpsRunEstimate e = cps_run_estimate_begin(0.0, 0.0);
  assert_false(cps_run_estimate_look(&e, 1.0, 0.5, 2.0));
  int said = 0;
  double last = 0.0;
  for (int i = 1; i <= 1000; i++) {
    if (!cps_run_estimate_look(&e, 1.0 + i, 0.5 + 1e-3 * i, 2.0)) continue;
    said++;
    last = e.said;
  }
  assert_true(said >= 1 && said <= 2);
  assert_true(last > 1400.0 && last < 1600.0);
}

// One step that takes a minute: the pace is that minute's.
static void a_first_step_that_takes_long_is_no_reason_to_be_silent(void** state) {
  (void)state;
  CpsRunEstimate e = cps_run_estimate_begin(0.0, 0.0);
  assert_true(cps_run_estimate_look(&e, 60.0, 0.01, 1.0));
  assert_true(e.left > 5900.0 && e.left < 6000.0 && e.window == 60.0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_steady_run_is_told_once),
      cmocka_unit_test(a_run_that_slows_down_is_told_anew),
      cmocka_unit_test(a_first_step_that_takes_long_is_no_reason_to_be_silent),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
