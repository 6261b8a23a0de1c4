// A trefoil knot pulled tight: it does not break.
#include "scenes/knot.h"

static void the_knot_is_pulled_tight_and_does_not_break(void** state) {
  (void)state;
  pull_tight(SHORTER ? 10.0 : 100.0, SHORTER ? 0.3 : 0.4);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_knot_is_pulled_tight_and_does_not_break)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
