// One-contact solver: the fixed point of the diagonal model (Duriez 2008).
//
//   b^k = b + (W - D) r^k,   r^(k+1) solves the law for u = D r + b^k   (duriez06.c) (1)
//
// A fixed point has D r + b + (W - D) r = W r + b = u and satisfies the exact law. Convergence is at best linear and
// not guaranteed: it needs W - D small relative to D. Stops early if the error has not fallen for 50 iterations. Laws:
// Coulomb by (1); convex by the exact solver of enum_convex.c.
#include <string.h>

#include "friction/local/diagonal.h"
#include "friction/local/enum_convex.h"

static CpsLocalResult solve(const CpsLocalProblem* problem, const double* cache, const CpsLocalSettings* settings,
                            double* r) {
  (void)cache;
  CpsLocalResult simple;
  if (cps_local_solve_simple(problem, r, &simple)) return simple;
  if (problem->law == CPS_LAW_CONVEX) return cps_enum_solve_convex(problem, settings, r);
  const int d = problem->dim;
  const CpsDiagonal D = cps_diagonal(problem);
  if (!(D.w_N > 0.0) || !(D.w_T > 0.0)) return CPS_LOCAL_FAILED;
  double x[CPS_DIM_MAX], b[CPS_DIM_MAX] = {0}, best_error = INFINITY;
  int since_best = 0;
  memcpy(x, r, (size_t)d * sizeof *x);
  // A fixed-point step is some ten times cheaper than a Newton step, and converges more slowly.
  for (int iteration = 0; iteration <= 10 * settings->max_iterations && since_best <= 50; iteration++) {
    const double error = cps_local_error(problem, x);
    if (!isfinite(error)) break;
    since_best++;
    if (error < best_error) {
      best_error = error;
      since_best = 0;
      memcpy(r, x, (size_t)d * sizeof *r);
      if (error <= settings->tolerance) return CPS_LOCAL_SOLVED;
    }
    cps_local_velocity(problem, x, b);
    b[0] -= D.w_N * x[0];
    for (int i = 1; i < d; i++) b[i] -= D.w_T * x[i];
    cps_diagonal_solve(D, d, problem->mu, b, x);
  }
  return CPS_LOCAL_FAILED;
}

const CpsLocalSolver cps_local_duriez08 = {
    .info = {.name = "duriez08",
             .summary = "fixed point of the diagonal approximation, to the exact law",
             .reference = "Duriez 2008",
             .exact = true},
    .solve = solve,
};
