// labels: long
// The same of cloths as wide as the paper's: thresholds to 1e-4 on the finest mesh, slip on three.
#include "scenes/cloth_cylinder.h"

static Cylinder cylinder;

static void thresholds_of_the_finest_mesh(void** state) {
  (void)state;
  static const double OFFSET[] = {0.16, 0.32, 0.4, 0.48, 0.64};
  for (int k = 0; k < 5; ++k) {
    const double exact = cylinder_threshold(OFFSET[k]);
    double low = exact - 4e-3, high = exact + 4e-3;
    while (high - low > 1e-4) {
      const double mu = 0.5 * (low + high);
      *(cylinder_speed(&cylinder, 120, 2, mu, OFFSET[k], 0.6) > 1e-4 ? &low : &high) = mu;
    }
    print_message("offset %.2f m: slides up to %.5f, theory %.5f\n", OFFSET[k], 0.5 * (low + high), exact);
    assert_near(0.5 * (low + high), exact, 3e-4);
  }
}

// The finest mesh first: the others are measured by it. Contacts are solved to 1e-6 in motion, too: at 1e-4, which is usual there, the
// errors of contacts at the row of vertices that leaves the cylinder make 1e-8 m of rounding on the finest mesh.
static void three_meshes_slide_alike(void** state) {
  (void)state;
  static const int32_t ALONG[] = {120, 64, 28}, ACROSS[] = {30, 16, 8};
  double slip[3];
  for (int k = 0; k < 3; ++k) {
    cylinder_open(&cylinder, ALONG[k], ACROSS[k], 0.13, 0.4, "solver.tolerance=1e-6");
    Run run = run_until(cylinder.world, 1.5);
    slip[k] = cylinder_slip(&cylinder, NULL);
    print_message("%5d elements: slip %.4f m, mirror image within %.1e m\n", (int)(2 * ALONG[k] * ACROSS[k]), slip[k],
                  cylinder_asymmetry(&cylinder));
    assert_int_equal(run.unsolved, 0);
    assert_int_equal(run.crossings, 0);
    assert_below(cylinder_asymmetry(&cylinder), 1e-9);
    assert_near(slip[k] / slip[0], 1.0, 0.05);  // errors of 3e-4 in the threshold grow exponentially
    cps_world_destroy(cylinder.world);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(thresholds_of_the_finest_mesh),
      cmocka_unit_test(three_meshes_slide_alike),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
