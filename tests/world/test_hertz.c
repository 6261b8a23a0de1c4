// Hertz's contact on coarse meshes: convergence and its limit; partial slip.
// labels: release
#include "world/hertz.h"

// 1 N on a sphere of 5 cm radius, E = 0.1 MPa, nu = 0.3: a = 6.988 mm, depth 0.9767 mm. Errors of the force fall with the square of
// the cells, and the remainder without them is below 3 %, on a small block.
static void force_and_radius_converge_to_hertz(void** state) {
  (void)state;
  const double h[2] = {3e-3, 2.25e-3}, depth = 0.9767e-3;
  double error[2];
  assert_near(hertz_force(depth), 1.0, 1e-4);
  for (int k = 0; k < 2; ++k) {
    Pressed p;
    start_pressed(&p, h[k], 9e-3, 0.03, depth, 0.0, 4);
    press(&p, 4);
    Load l = load_of(&p, 0.0);
    print_message("cells of %.1f mm: %.4f N on %d contacts, radius %.3f mm\n", 1e3 * h[k], l.F, l.contacts,
                  1e3 * l.radius);
    error[k] = l.F / hertz_force(depth) - 1.0;
    assert_near(1e3 * l.radius, 6.988, 0.07 * 6.988);
    finish_pressed(&p);
  }
  assert_true(error[1] > 0.0 && error[1] < 0.09 && error[1] < 0.75 * error[0]);
  const double part = (h[1] * h[1]) / (h[0] * h[0]);
  assert_near((error[1] - part * error[0]) / (1.0 - part), 0.0, 0.03);
}

// Drawn aside with friction, cells of 3 mm: c / a of the circle that sticks by the second moment of its tractions, 1 - (c / a)^5 of that of full
// slip, and by what friction carries, 1 - (c / a)^3 of mu F. test_hertz_long.c has finer cells, on which they are nearer.
static void a_ring_slips_about_a_circle_that_sticks(void** state) {
  (void)state;
  const double aside = 1.5e-4, mu = 0.5;
  Pressed p;
  start_pressed(&p, 3e-3, 9e-3, 0.03, 0.9767e-3, aside, 2);
  press(&p, 2);
  p.mu = mu;
  press(&p, 2);
  const Load l = load_of(&p, aside);
  const double part = fabs(l.T) / (mu * l.F), theory = cbrt(1.0 - part);
  const double found = pow(1.0 - fabs(l.T2) / (mu * l.F2), 0.2);
  print_message("T = %.4f mu F: c / a = %.4f, Mindlin has %.4f; %d of %d stick\n", part, found, theory, l.stick,
                l.contacts);
  assert_true(part > 0.4 && part < 0.5);
  assert_near(found, theory, 0.05 * theory);
  assert_true(l.stick > 0 && l.stick < l.contacts);
  finish_pressed(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(force_and_radius_converge_to_hertz),
      cmocka_unit_test(a_ring_slips_about_a_circle_that_sticks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
