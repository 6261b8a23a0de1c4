// 200 drawn shapes: 2 % above the least factor on the stiffness a tug dies out, 2 % below it grows.
// labels: long
#include "tug.h"

static void all_shapes_come_back_above_the_least_factor_and_not_below(void** state) {
  (void)state;
  assert_int_equal(wrong_of_shapes(200, 1), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_shapes_come_back_above_the_least_factor_and_not_below),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
