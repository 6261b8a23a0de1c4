// What hangs swings with the period of its closed form, and nothing that is tied comes apart.
#include "scenes/pendulum.h"

static void assert_period(const char* who, const Clock* clock, double expected, double tolerance) {
  double found = period_of(clock), off = found / expected - 1.0;
  print_message("%s: %.6f s, expected %.6f s, %+.1e\n", who, found, expected, off);
  if (fabs(off) > tolerance) fail_msg("the period of the %s is %.6f s, expected %.6f s", who, found, expected);
}

static void periods_are_those_of_the_closed_forms(void** state) {
  (void)state;
  Overrides o = {0};
  override(&o, "step=2ms");
  Swings s = swing(&o, 10.0);
  const double angle = PI / 18.0, length = 0.6;
  assert_period("board", &s.board, board_period(length, angle), 1e-4);
  assert_period("bob", &s.bob, bob_period(length, angle), 1e-4);
  assert_period("chain", &s.chain, chain_mode().period, 1e-4);
  // 0.1 m/s at the lowest point: an amplitude of 0.032, 0.006 % more than a small swing
  assert_period("crate", &s.crate, finite(crate_mode().period, 0.032), 1e-4);
  print_message("apart %.1e m, books %.1e, residual %.1e, at most %d iterations\n", s.apart, s.run.books_error,
                s.run.residual_max, (int)s.run.iterations_max);
  assert_int_equal(s.run.unsolved, 0);
  assert_below(s.apart, 1e-6);
  assert_below(s.run.books_error, 1e-10);
}

// 60 degrees take 7.3 % more than a small swing. theta = 0.51 takes some of the amplitude, and so of the period.
static void a_large_swing_takes_longer(void** state) {
  (void)state;
  Overrides o = {0};
  override(&o, "step=2ms");
  override(&o, "angle=60 deg");
  Swings s = swing(&o, SHORTER ? 6.5 : 8.0);
  assert_period("board", &s.board, board_period(0.6, PI / 3.0), 1e-3);
  assert_period("bob", &s.bob, bob_period(0.6, PI / 3.0), 1e-3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(periods_are_those_of_the_closed_forms),
      cmocka_unit_test(a_large_swing_takes_longer),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
