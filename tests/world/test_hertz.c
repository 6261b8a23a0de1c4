// Hertz's contact on coarse meshes: convergence, and what it converges to.
// labels: release
#include "world/hertz.h"

// 1 N on a sphere of 5 cm radius, E = 0.1 MPa, nu = 0.3: a = 6.988 mm, depth 0.9767 mm. Errors of the force fall with the square of
// the cells, and what is left without them is below 3 %, on a small block.
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(force_and_radius_converge_to_hertz),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
