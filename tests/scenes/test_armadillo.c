// labels: release
// A tank top on a rigid armadillo that turns and sways: friction keeps the straps on its shoulders, without it they slide off
// (Larionov et al. 2021, figure 12a).
#include "scenes/armadillo.h"

static void straps_stay_with_friction_and_slide_without(void** state) {
  (void)state;
  skip_without_armadillo();
  char path[128];
  snprintf(path, sizeof path, "/tmp/capstan-armadillo-%d.ply", (int)getpid());
  CpsMeshFile body, points;
  read_armadillo(&body);
  assert_int_equal(cps_mesh_sample(&body, 1.3, &points, NULL), CPS_OK);
  assert_int_equal(cps_mesh_file_write(path, &points, NULL), CPS_OK);
  const Fit held = fit_top(open_rigid(path, 0.8, "tank-top-tiny", 8e-3, 0.02), 0.16);
  const Fit free = fit_top(open_rigid(path, 0.0, "tank-top-tiny", 8e-3, 0.02), 0.16);
  unlink(path);
  cps_mesh_file_free(&body);
  cps_mesh_file_free(&points);
  // the top falls by its slack of 1 cm and is drawn tight; without friction the straps then go on, down the slopes
  assert_true(free.outwards > 0.03);
  assert_true(free.outwards > 2.5 * held.outwards);
  assert_below(held.outwards, 0.02);
  assert_true(held.run.contacts_max > 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(straps_stay_with_friction_and_slide_without),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
