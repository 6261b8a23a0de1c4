// One-contact solver: pure Newton on the Alart-Curnier function.
//
//   f(r) = f_AC(r, u(r)) = 0,   u = W r + b,   A = df/du W + df/dr,   A step = -f   (ac_function.c) (1)
//
// Alart and Curnier 1991; Jourdan, Alart, Jean 1998; Bertails-Descoubes et al. 2011, algorithm 1, with the sign of the
// step corrected and rho = d / tr W (the default 1 of the paper fails on a fifth of the problems even for spheres). A
// singular A is solved by least squares. Laws: all; convex has the natural map of the cone for f.
//
// Not guaranteed to converge: without damping the iteration may cycle (measured rates in docs/theory/one-contact.md).
#include "friction/local/ac_function.h"
#include "friction/local/local.h"
#include "friction/local/newton_step.h"

static inline CpsLocalResult iterate(const CpsLocalProblem* problem, int d, const CpsLocalSettings* settings,
                                     double* r) {
  const double b_size = problem->xi * cps_small_norm(d, problem->b);
  double x[CPS_DIM_MAX], best_error = INFINITY;
  memcpy(x, r, (size_t)d * sizeof *x);
  for (int iteration = 0; iteration <= settings->max_iterations; iteration++) {
    double u[CPS_DIM_MAX] = {0}, f[CPS_DIM_MAX], step[CPS_DIM_MAX] = {0};
    double df_du[CPS_DIM_MAX * CPS_DIM_MAX], df_dr[CPS_DIM_MAX * CPS_DIM_MAX], A[CPS_DIM_MAX * CPS_DIM_MAX] = {0};
    const double error = cps_newton_error(problem, d, b_size, x, u);
    if (!isfinite(error)) break;
    if (error < best_error) {
      best_error = error;
      memcpy(r, x, (size_t)d * sizeof *r);
      if (error <= settings->tolerance) return CPS_LOCAL_SOLVED;
    }
    cps_ac_function(problem->law, d, problem->mu, problem->xi, x, u, f, df_du, df_dr);
    cps_newton_total(d, df_du, df_dr, problem->W, A);
    cps_newton_solve_any(d, A, f, step);
    for (int i = 0; i < d; i++) x[i] += step[i];
  }
  return CPS_LOCAL_FAILED;
}

static CpsLocalResult solve(const CpsLocalProblem* problem, const double* cache, const CpsLocalSettings* settings,
                            double* r) {
  (void)cache;
  CpsLocalResult simple;
  if (cps_local_solve_simple(problem, r, &simple)) return simple;
  const int d = problem->dim;
  // the constant lets the compiler unroll the usual dimension
  return d == 3 ? iterate(problem, 3, settings, r) : iterate(problem, d, settings, r);
}

const CpsLocalSolver cps_local_ac = {
    .info = {.name = "ac",
             .summary = "pure Newton on the Alart-Curnier function",
             .reference = "Alart, Curnier 1991; Bertails-Descoubes et al. 2011",
             .exact = true},
    .solve = solve,
};
