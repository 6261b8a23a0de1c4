// One-contact solver: Newton on the Alart-Curnier function with a Goldstein-Price line search.
//
//   A step = -f,   q(s) = 1/2 ||f(r + s step)||^2,   q'(0) = f.A step   (-2 q(0) for an exact step)   (1)
//   accept s if  m2 q'(0) <= (q(s) - q(0)) / s <= m1 q'(0),   m1 = 0.1, m2 = 0.9                                  (2)
//
// Bertails-Descoubes et al. 2011, algorithm 2, corrected: the search starts from s = 1, the slope is that of the total
// derivative A = df/du W + df/dr, s grows tenfold until it is too long and is then bisected between the bounds. f is
// not smooth, so possibly no s passes both tests: after 30 trials the best s is used. rho = d / tr W. Laws: all; for
// convex, f is the natural map of the cone.
//
// Not guaranteed to converge: a step that reduces ||f|| may lead into a local minimum of it.
#include "friction/local/ac_function.h"
#include "friction/local/local.h"
#include "friction/local/newton_step.h"

static const double m1 = 0.1, m2 = 0.9;

static double merit(const CpsLocalProblem* problem, const double* x, double s, const double* step, double* trial) {
  const int d = problem->dim;
  double u[CPS_DIM_MAX] = {0}, f[CPS_DIM_MAX];
  for (int i = 0; i < d; i++) trial[i] = x[i] + s * step[i];
  cps_local_velocity(problem, trial, u);
  cps_ac_function(problem->law, d, problem->mu, problem->xi, trial, u, f, NULL, NULL);
  return 0.5 * cps_small_dot(d, f, f);
}

// x <- x + s step with s by (2).
static void search(const CpsLocalProblem* problem, double q0, double slope0, const double* step, double* x) {
  const size_t bytes = (size_t)problem->dim * sizeof *x;
  double lo = 0.0, hi = INFINITY, s = 1.0, best = INFINITY, best_x[CPS_DIM_MAX] = {0}, trial[CPS_DIM_MAX] = {0};
  for (int i = 0; i < 30; i++) {
    const double q = merit(problem, x, s, step, trial);
    if (q < best || i == 0) {
      best = q;
      memcpy(best_x, trial, bytes);
    }
    const double slope = (q - q0) / s;
    if (slope > m1 * slope0 || !isfinite(slope)) {
      hi = s;  // too long
    } else if (slope < m2 * slope0) {
      lo = s;  // too short
    } else {
      memcpy(best_x, trial, bytes);
      break;
    }
    s = isfinite(hi) ? 0.5 * (lo + hi) : 10.0 * s;
  }
  memcpy(x, best_x, bytes);
}

static inline void damped_step(const CpsLocalProblem* problem, int d, const double* A, const double* f, double* x) {
  double step[CPS_DIM_MAX] = {0}, A_step[CPS_DIM_MAX];
  cps_newton_solve_any(d, A, f, step);
  cps_small_apply(d, A, step, A_step);
  search(problem, 0.5 * cps_small_dot(d, f, f), cps_small_dot(d, f, A_step), step, x);
}

static CpsLocalResult solve(const CpsLocalProblem* problem, const double* cache, const CpsLocalSettings* settings,
                            double* r) {
  (void)cache;
  return cps_newton_run(problem, settings, cps_ac_function, damped_step, r);
}

const CpsLocalSolver cps_local_ac_damped = {
    .info = {.name = "ac-damped",
             .summary = "Newton on the Alart-Curnier function with a Goldstein-Price line search",
             .reference = "Bertails-Descoubes, Cadoux, Daviet, Acary 2011",
             .exact = true},
    .solve = solve,
};
