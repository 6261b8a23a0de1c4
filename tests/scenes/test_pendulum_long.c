// labels: long
// A minute of swinging: no tie drifts, no period changes, the energy balance closes.
#include "scenes/pendulum.h"

static void nothing_drifts_in_a_minute(void** state) {
  (void)state;
  Overrides o = {0};
  Swings s = swing(&o, 60.0);
  const double angle = PI / 18.0;
  print_message("apart %.1e m, books %.1e, residual %.1e\n", s.apart, s.run.books_error, s.run.residual_max);
  print_message("board %+.1e, bob %+.1e, chain %+.1e, crate %+.1e\n",
                period_of(&s.board) / board_period(0.6, angle) - 1.0, period_of(&s.bob) / bob_period(0.6, angle) - 1.0,
                period_of(&s.chain) / chain_mode().period - 1.0,
                period_of(&s.crate) / finite(crate_mode().period, 0.032) - 1.0);
  assert_int_equal(s.run.unsolved, 0);
  assert_below(s.apart, 1e-7);
  assert_near(period_of(&s.board) / board_period(0.6, angle), 1.0, 1e-4);
  assert_near(period_of(&s.bob) / bob_period(0.6, angle), 1.0, 1e-4);
  assert_near(period_of(&s.chain) / chain_mode().period, 1.0, 1e-4);
  assert_near(period_of(&s.crate) / finite(crate_mode().period, 0.032), 1.0, 1e-4);
  assert_below(s.run.books_error, 1e-10);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_drifts_in_a_minute)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
