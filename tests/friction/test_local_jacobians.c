// The derivatives of the Alart-Curnier and Fischer-Burmeister functions against central differences.
#include "friction/local/ac_function.h"
#include "friction/local/fb_function.h"
#include "friction/local_helpers.h"
#include "test_helpers.h"

typedef void (*Function)(CpsLaw law, int d, double mu, double rho, const double* r, const double* u, double* f,
                         double* df_du, double* df_dr);

enum { POINTS = 20000 };

// Largest entry of (df_du, df_dr) minus central differences of step 1e-6.
static double worst_difference(Function function, CpsLaw law, int d, double mu, double rho, const double* r,
                               const double* u) {
  const double h = 1e-6;
  double f[CPS_DIM_MAX], df_du[36], df_dr[36], plus[CPS_DIM_MAX] = {0}, minus[CPS_DIM_MAX] = {0};
  double moved[CPS_DIM_MAX], worst = 0.0;
  function(law, d, mu, rho, r, u, f, df_du, df_dr);
  for (int j = 0; j < d; j++)
    for (int side = 0; side < 2; side++) {
      const double* base = side == 0 ? r : u;
      const double* derivative = side == 0 ? df_dr : df_du;
      memcpy(moved, base, (size_t)d * sizeof *moved);
      moved[j] = base[j] + h;
      function(law, d, mu, rho, side == 0 ? moved : r, side == 0 ? u : moved, plus, NULL, NULL);
      moved[j] = base[j] - h;
      function(law, d, mu, rho, side == 0 ? moved : r, side == 0 ? u : moved, minus, NULL, NULL);
      for (int i = 0; i < d; i++) {
        worst = fmax(worst, fabs((plus[i] - minus[i]) / (2.0 * h) - derivative[i * d + j]));
      }
    }
  return worst;
}

// A point is used if everything that decides between pieces is farther than this from deciding otherwise.
static const double margin = 1e-2;

static bool far_from_ac_kinks(CpsLaw law, int d, double mu, double rho, const double* r, const double* u) {
  double x[CPS_DIM_MAX] = {0};
  for (int i = 0; i < d; i++) x[i] = r[i] - rho * u[i];
  const double t = cps_small_norm(d - 1, x + 1);
  if (t < margin) return false;
  if (law == CPS_LAW_CONVEX) return fabs(mu * t + x[0]) > margin && fabs(t - mu * x[0]) > margin;
  return fabs(x[0]) > margin && fabs(r[0]) > margin && fabs(t - mu * r[0]) > margin;
}

// l1 of fb_function.c is the square of a distance, hence margin squared; ||v|| may vanish in the denominator.
static bool far_from_fb_kinks(CpsLaw law, int d, double mu, double rho, const double* r, const double* u) {
  const double slip = cps_small_norm(d - 1, u + 1);
  const double x = mu * r[0], y = rho * (u[0] + (law == CPS_LAW_COULOMB ? mu * slip : 0.0));
  double square = x * x + y * y, v = 0.0;
  for (int i = 1; i < d; i++) {
    const double y_i = rho * mu * u[i], v_i = x * r[i] + y * y_i;
    square += r[i] * r[i] + y_i * y_i;
    v += v_i * v_i;
  }
  v = sqrt(v);
  return slip > 10.0 * margin && v > 10.0 * margin && square - 2.0 * v > 10.0 * margin;
}

static void check(Function function, bool (*far)(CpsLaw, int, double, double, const double*, const double*), CpsLaw law,
                  double bound) {
  CpsRandom random = cps_random_seed(20 + law);
  const int dims[] = {2, 3, 6};
  int used = 0;
  double worst = 0.0;
  for (int point = 0; point < POINTS; point++) {
    double r[CPS_DIM_MAX], u[CPS_DIM_MAX];
    const int d = dims[point % 3];
    const double mu = 0.1 + 1.4 * cps_random_uniform(&random), rho = 0.3 + 2.0 * cps_random_uniform(&random);
    for (int i = 0; i < d; i++) {
      r[i] = cps_random_normal(&random);
      u[i] = cps_random_normal(&random);
    }
    if (!far(law, d, mu, rho, r, u)) continue;
    used++;
    worst = fmax(worst, worst_difference(function, law, d, mu, rho, r, u));
  }
  assert_true(used > POINTS / 2);
  assert_below(worst, bound);
}

// Truncation h^2 f'''/6 with f''' ~ 1/margin^2 gives 2e-9, rounding eps/h 2e-10; both times a few.
static void the_alart_curnier_derivative_is_right(void** state) {
  (void)state;
  check(cps_ac_function, far_from_ac_kinks, CPS_LAW_COULOMB, 1e-7);
  check(cps_ac_function, far_from_ac_kinks, CPS_LAW_CONVEX, 1e-7);
}

// sqrt(l1) with l1 > 0.1 has a third derivative of up to about 3/8 l1^(-5/2) ||x||^3 ~ 1e4: truncation 2e-9, rounding
// of l1 (a difference of squares up to 100) 1e-14 / h / sqrt(l1) = 3e-8.
static void the_fischer_burmeister_derivative_is_right(void** state) {
  (void)state;
  check(cps_fb_function, far_from_fb_kinks, CPS_LAW_COULOMB, 1e-6);
  check(cps_fb_function, far_from_fb_kinks, CPS_LAW_CONVEX, 1e-6);
}

// Laws without a cone are linear (free, bilateral) or a scalar function (mu = 0).
static void simple_laws_have_the_right_derivatives(void** state) {
  (void)state;
  const double r[3] = {.7, .2, -.4}, u[3] = {.3, -1.1, .6};
  const CpsLaw laws[] = {CPS_LAW_BILATERAL, CPS_LAW_FREE, CPS_LAW_COULOMB, CPS_LAW_CONVEX};
  for (int l = 0; l < 4; l++) {
    // rounding 1e-16 / 1e-6 and truncation 1e-12 f'''
    assert_below(worst_difference(cps_ac_function, laws[l], 3, 0.0, 1.3, r, u), 1e-9);
    assert_below(worst_difference(cps_fb_function, laws[l], 3, 0.0, 1.3, r, u), 1e-9);
  }
}

// On the boundary l1 = 0 (x and y parallel, on the cone) f is not differentiable, but ||f||^2 / 2 is, and the
// derivative chosen there makes J^T f its gradient.
static void the_boundary_choice_gives_the_gradient_of_the_merit(void** state) {
  (void)state;
  CpsRandom random = cps_random_seed(7);
  const double h = 1e-5;
  double worst = 0.0;
  for (int point = 0; point < 2000; point++) {
    // law convex: x = (mu r_N, r_T), y = rho (u_N, mu u_T) are independent; put both on one ray of the boundary of K_1
    const double mu = 0.2 + cps_random_uniform(&random), rho = 0.5 + cps_random_uniform(&random);
    const double angle = 6.283185307179586 * cps_random_uniform(&random);
    const double a = cps_random_normal(&random), c = cps_random_normal(&random);
    double r[3] = {a / mu, a * cos(angle), a * sin(angle)};
    double u[3] = {c / rho, c / (rho * mu) * cos(angle), c / (rho * mu) * sin(angle)};
    double f[3], df_du[9], df_dr[9];
    if (fabs(a) < 0.1 || fabs(c) < 0.1) continue;
    cps_fb_function(CPS_LAW_CONVEX, 3, mu, rho, r, u, f, df_du, df_dr);
    for (int j = 0; j < 3; j++)
      for (int side = 0; side < 2; side++) {
        double* x = side == 0 ? r : u;
        const double* J = side == 0 ? df_dr : df_du;
        double plus[3], minus[3];
        const double keep = x[j], gradient = J[j] * f[0] + J[3 + j] * f[1] + J[6 + j] * f[2];
        x[j] = keep + h;
        cps_fb_function(CPS_LAW_CONVEX, 3, mu, rho, r, u, plus, NULL, NULL);
        x[j] = keep - h;
        cps_fb_function(CPS_LAW_CONVEX, 3, mu, rho, r, u, minus, NULL, NULL);
        x[j] = keep;
        const double slope = 0.5 * (cps_small_dot(3, plus, plus) - cps_small_dot(3, minus, minus)) / (2.0 * h);
        worst = fmax(worst, fabs(slope - gradient) / (1.0 + fabs(gradient)));
      }
  }
  // The gradient is Lipschitz but not differentiable here: the error of a difference is of order h, times curvatures
  // ~10.
  assert_below(worst, 5e-4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_alart_curnier_derivative_is_right),
      cmocka_unit_test(the_fischer_burmeister_derivative_is_right),
      cmocka_unit_test(simple_laws_have_the_right_derivatives),
      cmocka_unit_test(the_boundary_choice_gives_the_gradient_of_the_merit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
