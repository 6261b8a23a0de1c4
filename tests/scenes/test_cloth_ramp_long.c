// labels: long
// A cloth on a slope stops and slides alike on the three meshes of the paper (Larionov et al. 2021, figure 5b): 392, 2 000 and 7 000
// elements.
#include "scenes/cloth_ramp.h"

static void three_meshes_stop_and_slide_alike(void** state) {
  (void)state;
  static const int COLUMNS[] = {14, 32, 60}, ROWS[] = {14, 31, 58};
  for (int k = 0; k < 3; ++k) {
    check_ramp(COLUMNS[k], ROWS[k], 0.177, 0.2);
    check_ramp(COLUMNS[k], ROWS[k], 0.176, 0.2);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(three_meshes_stop_and_slide_alike)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
