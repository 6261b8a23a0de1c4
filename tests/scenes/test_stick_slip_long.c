// Stick-slip on the full grid of mu and eps, each model.
// labels: long
#include "scenes/stick_slip.h"

static void every_cell_away_from_the_line_is_right_for_every_model(void** state) {
  (void)state;
  static const char* const MODELS[] = {"super-helix", "super-helix-recursive", "super-clothoid", "mass-spring", "corde",
                                       "der",         "der-inextensible"};
  double mu[19];
  for (int i = 0; i < 19; ++i) mu[i] = 0.04 + 0.02 * i;
  for (int m = 0; m < 7; ++m) check_cells(MODELS[m], mu, 19);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_cell_away_from_the_line_is_right_for_every_model),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
