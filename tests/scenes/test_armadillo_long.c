// labels: long
// Figure 12 of Larionov et al. (2021) at three coefficients of friction, since its text has 0.2 and its caption 0.8: on the rigid
// armadillo, and on a soft one that is filled anew with fewer tetrahedra.
#include "scenes/armadillo.h"

static void straps_on_the_rigid_armadillo_slip_less_with_more_friction(void** state) {
  (void)state;
  skip_without_armadillo();
  const double mu[3] = {0.0, 0.2, 0.8};
  double outwards[3];
  for (int k = 0; k < 3; ++k) {
    print_message("mu %.1f ", mu[k]);
    outwards[k] = fit_top(open_rigid(ARMADILLO, mu[k], "tank-top-short", 5e-3, 0.01), 0.4).outwards;
  }
  assert_true(outwards[0] > outwards[1] && outwards[1] > outwards[2]);
  assert_true(outwards[0] > 2.5 * outwards[2]);
}

// The surface of the armadillo, filled with larger tetrahedra.
static void write_coarse(const char* path) {
  CpsMeshFile fine, coarse;
  CpsError error;
  read_armadillo(&fine);
  assert_int_equal(cps_mesh_fill(&fine, 6.0, &coarse, NULL, &error), CPS_OK);
  assert_int_equal(cps_mesh_file_write(path, &coarse, &error), CPS_OK);
  print_message("%d vertices, %d tetrahedra\n", coarse.vertex_count, coarse.tetrahedron_count);
  cps_mesh_file_free(&fine);
  cps_mesh_file_free(&coarse);
}

static void straps_on_the_soft_armadillo_stay_with_friction_and_slide_without(void** state) {
  (void)state;
  skip_without_armadillo();
  char path[128];
  snprintf(path, sizeof path, "/tmp/capstan-armadillo-%d.msh", (int)getpid());
  write_coarse(path);
  const double mu[3] = {0.0, 0.2, 0.8};
  double outwards[3];
  for (int k = 0; k < 3; ++k) {
    Overrides o = {0};
    override(&o, "solids.armadillo.file=%s", path);
    override(&o, "sheets.top.file=parts/tank-top-short.obj");
    override(&o, "solids.armadillo.reach=6 cm");
    override(&o, "mu=%g", mu[k]);
    override(&o, "thick=5 mm");
    override(&o, "step=5 ms");
    print_message("mu %.1f ", mu[k]);
    outwards[k] = fit_top(open_scene("armadillo-fit.yaml", &o), 0.3).outwards;
  }
  unlink(path);
  assert_true(outwards[0] > outwards[1] && outwards[1] > outwards[2]);
  assert_true(outwards[0] > 2.0 * outwards[2]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(straps_on_the_rigid_armadillo_slip_less_with_more_friction),
      cmocka_unit_test(straps_on_the_soft_armadillo_stay_with_friction_and_slide_without),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
