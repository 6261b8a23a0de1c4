// A strip pushed onto a floor sticks or slips as the elastica and Coulomb's law say.
#include "scenes/stick_slip.h"

static void a_strip_sticks_or_slips_as_the_elastica_says(void** state) {
  (void)state;
  static const double MU[] = {0.05, 0.1, 0.2, 0.3, 0.4};
  check_cells("super-helix", SHORTER ? MU + 1 : MU, SHORTER ? 1 : 5);
}

static void a_discrete_strip_does_too(void** state) {
  (void)state;
  static const double MU[] = {0.05, 0.15, 0.25};
  check_cells("der", MU, SHORTER ? 1 : 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_strip_sticks_or_slips_as_the_elastica_says),
      cmocka_unit_test(a_discrete_strip_does_too),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
