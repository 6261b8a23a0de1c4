// Hertz and Cattaneo-Mindlin on fine meshes.
// labels: long
#include "world/hertz.h"

// Within 2 % of the force and the radius of Hertz at 1 N.
static void a_fine_mesh_is_within_two_percent_of_hertz(void** state) {
  (void)state;
  const double depth = 0.9767e-3;
  Pressed p;
  start_pressed(&p, 1.2e-3, 9e-3, 0.04, depth, 0.0, 6);
  press(&p, 6);
  Load l = load_of(&p, 0.0);
  print_message("%.4f N on %d contacts, radius %.3f mm\n", l.F, l.contacts, 1e3 * l.radius);
  assert_near(l.F, 1.0, 0.02);
  assert_near(1e3 * l.radius, 6.988, 0.02 * 6.988);
  finish_pressed(&p);
}

// depth ~ F^(2/3) over a decade of forces.
static void depth_goes_with_the_force_to_two_thirds(void** state) {
  (void)state;
  const double depth[3] = {0.9767e-3, 2.104e-3, 4.533e-3};  // 1, 3.16 and 10 N
  double F[3];
  for (int k = 0; k < 3; ++k) {
    Pressed p;
    start_pressed(&p, 2e-3, 16e-3, 0.07, depth[k], 0.0, 6);
    press(&p, 6);
    F[k] = load_of(&p, 0.0).F;
    finish_pressed(&p);
  }
  const double exponent = log(depth[2] / depth[0]) / log(F[2] / F[0]);
  print_message("%.3f, %.3f and %.3f N: exponent %.4f\n", F[0], F[1], F[2], exponent);
  assert_near(exponent, 2.0 / 3.0, 0.02);
}

// Cattaneo and Mindlin: at T = mu F (1 - (c/a)^3) the middle c sticks. The second moments say c by themselves:
// sum q r^2 / (mu sum p r^2) = 1 - (c/a)^5. Friction begins where the normal force stands, as in the theory.
static void the_middle_sticks_as_cattaneo_and_mindlin_have_it(void** state) {
  (void)state;
  const double depth = 0.9767e-3, mu = 0.3, a = sqrt(RADIUS * depth), F = hertz_force(depth);
  const double G = YOUNG / (2.0 * (1.0 + POISSON)), half = 1.0 - pow(0.5, 2.0 / 3.0);
  const double aside = 3.0 * mu * F * (2.0 - POISSON) / (16.0 * a * G) * half;  // T = mu F / 2
  Pressed p;
  start_pressed(&p, 1.5e-3, 9e-3, 0.04, depth, aside, 6);
  press(&p, 6);
  p.mu = mu;
  press(&p, 6);
  Load l = load_of(&p, aside);
  const double part = l.T / (mu * l.F), moments = pow(1.0 - l.T2 / (mu * l.F2), 0.2), force = cbrt(1.0 - part);
  print_message("T / mu F %.4f, c/a %.4f by the force, %.4f by the moments; %d of %d contacts stick\n", part, force,
                moments, l.stick, l.contacts);
  assert_near(force, 0.7937, 0.03 * 0.7937);
  assert_near(moments, force, 0.03 * force);
  finish_pressed(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_middle_sticks_as_cattaneo_and_mindlin_have_it),
      cmocka_unit_test(depth_goes_with_the_force_to_two_thirds),
      cmocka_unit_test(a_fine_mesh_is_within_two_percent_of_hertz),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
