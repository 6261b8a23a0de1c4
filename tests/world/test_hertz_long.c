// Hertz's contact within 2 %, its exponent over a decade of forces, and partial slip of Cattaneo and Mindlin.
// labels: long
#include "world/hertz.h"

// Cells of 1.2 mm: force, depth and radius. At the force that was found Hertz has another depth: both are within 2 %.
static void force_depth_and_radius_are_within_two_percent(void** state) {
  (void)state;
  const double depth = 0.9767e-3;
  double error[2];
  for (int k = 0; k < 2; ++k) {
    Pressed p;
    start_pressed(&p, k == 0 ? 2e-3 : 1.2e-3, 9e-3, 0.03, depth, 0.0, 4);
    press(&p, 4);
    const Load l = load_of(&p, 0.0);
    const double theory = pow(0.75 * l.F * (1.0 - POISSON * POISSON) / (YOUNG * sqrt(RADIUS)), 2.0 / 3.0);
    print_message("%d vertices: %.4f N on %d contacts, Hertz has a depth of %.4f mm for that; radius %.3f mm\n",
                  (int)p.tets.vertex_count, l.F, l.contacts, 1e3 * theory, 1e3 * l.radius);
    error[k] = fabs(l.F / hertz_force(depth) - 1.0);
    if (k == 1) {
      assert_near(l.F, 1.0, 0.02);
      assert_near(1e3 * theory, 0.9767, 0.02 * 0.9767);
      assert_near(1e3 * l.radius, 6.988, 0.02 * 6.988);
    }
    finish_pressed(&p);
  }
  assert_true(error[1] < 0.5 * error[0]);
}

// Depths whose forces are a decade apart, on one mesh: depth as force^(2/3).
static void depth_goes_with_the_power_two_thirds_over_a_decade(void** state) {
  (void)state;
  const double depth[2] = {0.9767e-3, 0.9767e-3 * pow(10.0, 2.0 / 3.0)};
  double F[2];
  for (int k = 0; k < 2; ++k) {
    Pressed p;
    start_pressed(&p, 2e-3, 1.6e-2, 0.06, depth[k], 0.0, 4);
    press(&p, 4);
    F[k] = load_of(&p, 0.0).F;
    finish_pressed(&p);
  }
  const double exponent = log(depth[1] / depth[0]) / log(F[1] / F[0]);
  print_message("%.4f N and %.4f N: exponent %.4f\n", F[0], F[1], exponent);
  assert_near(exponent, 2.0 / 3.0, 0.02);
}

// Pressed without friction, then drawn aside with mu = 0.5 by what brings about half of mu F. Inside the radius c nothing slips: with T what
// friction carries, c / a = (1 - T / mu F)^(1/3); and the second moment of its tractions is 1 - (c / a)^5 of that of full slip.
static void friction_slips_in_a_ring_as_mindlin_says(void** state) {
  (void)state;
  const double aside = 1.77e-4, mu = 0.5;
  Pressed p;
  start_pressed(&p, 2e-3, 9e-3, 0.03, 0.9767e-3, aside, 4);
  press(&p, 4);
  p.mu = mu;
  press(&p, 4);
  const Load l = load_of(&p, aside);
  const double full = fabs(l.T) / (mu * l.F), theory = cbrt(1.0 - full);
  const double found = pow(1.0 - fabs(l.T2) / (mu * l.F2), 0.2);
  print_message("T = %.4f mu F: c / a = %.4f, Mindlin has %.4f; %d of %d stick\n", full, found, theory, l.stick,
                l.contacts);
  assert_near(full, 0.5, 0.02);
  assert_near(found, theory, 0.03 * theory);
  assert_near(found, 0.793701, 0.03 * 0.793701);
  assert_true(l.stick > 0 && l.stick < l.contacts);
  finish_pressed(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(force_depth_and_radius_are_within_two_percent),
      cmocka_unit_test(depth_goes_with_the_power_two_thirds_over_a_decade),
      cmocka_unit_test(friction_slips_in_a_ring_as_mindlin_says),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
