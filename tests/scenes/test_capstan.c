// The capstan: a rope that slips on a drum carries forces whose ratio is exp(mu phi), less what the arm of friction takes.
#include "scenes/capstan.h"

// What the n segments of the rope should do in closed form, and Euler's law within 1 %.
static void check(double mu, double degrees, bool turning) {
  Capstan c = measure_capstan(mu, degrees, turning);
  assert_near(c.ratio / c.expected, 1.0, 0.01);
  // the remainder: the stiffness of the rope, E I / (T R^2) = 4e-5 at the weak end, and inertia
  assert_near(c.ratio / c.discrete, 1.0, 2e-3);
  // T = T_1 exp(mu s / R) all along: half way it is the geometric mean of the ends
  assert_near(c.middle, 1.0, 0.03);
}

static void a_rope_that_is_pulled_slips_at_eulers_ratio(void** state) {
  (void)state;
  check(0.1, 90.0, false);
  check(0.6, 90.0, false);
  check(0.3, 180.0, false);
}

static void a_drum_that_turns_under_the_rope_gives_the_same(void** state) {
  (void)state;
  check(0.1, 90.0, true);
  check(0.3, 180.0, true);
  check(0.1, 360.0, true);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_rope_that_is_pulled_slips_at_eulers_ratio),
      cmocka_unit_test(a_drum_that_turns_under_the_rope_gives_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
