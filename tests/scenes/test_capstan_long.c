// labels: long
// The capstan over the whole grid, from a quarter turn to three turns.
#include "scenes/capstan.h"

// Three turns with mu = 0.6 are 370 segments and some minutes.
static void the_ratio_is_eulers_over_five_decades(void** state) {
  (void)state;
  static const double DEGREES[] = {90.0, 180.0, 360.0, 720.0, 1080.0}, MU[] = {0.1, 0.3, 0.6};
  for (int i = 0; i < 5; ++i) {
    for (int k = 0; k < 3; ++k) {
      Capstan c = measure_capstan(MU[k], DEGREES[i], true);
      print_message("%5g degrees, mu %g: %10.3f, exp(mu phi) %10.3f, off by %.4f (segments: %.4f), %d steps\n",
                    DEGREES[i], MU[k], c.ratio, c.expected, c.ratio / c.expected - 1.0, c.ratio / c.discrete - 1.0,
                    (int)c.steps);
      assert_near(c.ratio / c.expected, 1.0, 0.01);
      assert_near(c.ratio / c.discrete, 1.0, 2e-3);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_ratio_is_eulers_over_five_decades)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
