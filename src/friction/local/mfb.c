// One-contact solver: Newton on the modified Fischer-Burmeister function (Daviet et al. 2011, appendix A.2).
//
//   f(r) = f_FB(r, u(r)) = 0,   u = W r + b,   J = df/dr + df/du W   (fb_function.c) (1) step = -J^-1 f, or -J^T f
//   where J is singular or step.J^T f > -sigma ||step|| ||J^T f||                           (2)
//
// Differences from the paper: the derivative is the corrected one, rho = d / tr W (the paper's 1 has no units), a pivot
// is compared with the size of J, and the iteration stops by the common error of the contact, not by ||f||^2.
// b_N >= 0 is answered by r = 0 at once. Laws: all; convex uses u in place of u~ in f.
//
// Not guaranteed to converge: from a cold start a few percent of coupled problems fail (docs/theory/one-contact.md has
// measured rates). There is no line search; the gradient step has no scale and serves only as an escape.
#include "friction/local/fb_function.h"
#include "friction/local/local.h"
#include "friction/local/newton_step.h"

static const double sigma = 1e-3;

static inline CpsLocalResult iterate(const CpsLocalProblem* problem, int d, const CpsLocalSettings* settings,
                                     double* r) {
  const double b_size = problem->xi * cps_small_norm(d, problem->b);
  double x[CPS_DIM_MAX], best_error = INFINITY;
  memcpy(x, r, (size_t)d * sizeof *x);
  for (int iteration = 0; iteration <= settings->max_iterations; iteration++) {
    double u[CPS_DIM_MAX] = {0}, f[CPS_DIM_MAX], step[CPS_DIM_MAX], gradient[CPS_DIM_MAX];
    double df_du[CPS_DIM_MAX * CPS_DIM_MAX], df_dr[CPS_DIM_MAX * CPS_DIM_MAX], J[CPS_DIM_MAX * CPS_DIM_MAX] = {0};
    const double error = cps_newton_error(problem, d, b_size, x, u);
    if (!isfinite(error)) break;
    if (error < best_error) {
      best_error = error;
      memcpy(r, x, (size_t)d * sizeof *r);
      if (error <= settings->tolerance) return CPS_LOCAL_SOLVED;
    }
    cps_fb_function(problem->law, d, problem->mu, problem->xi, x, u, f, df_du, df_dr);
    cps_newton_total(d, df_du, df_dr, problem->W, J);
    for (int j = 0; j < d; j++) {
      gradient[j] = 0.0;
      for (int i = 0; i < d; i++) gradient[j] += J[i * d + j] * f[i];
    }
    const bool regular = cps_newton_solve(d, J, f, step);
    const double slope = regular ? cps_small_dot(d, step, gradient) : 0.0;
    if (!regular || slope > -sigma * cps_small_norm(d, step) * cps_small_norm(d, gradient)) {
      for (int i = 0; i < d; i++) step[i] = -gradient[i];
    }
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
  if (problem->law == CPS_LAW_COULOMB && problem->b[0] >= 0.0) {
    memset(r, 0, (size_t)d * sizeof *r);
    return CPS_LOCAL_SOLVED;
  }
  // the constant lets the compiler unroll the usual dimension
  return d == 3 ? iterate(problem, 3, settings, r) : iterate(problem, d, settings, r);
}

const CpsLocalSolver cps_local_mfb = {
    .info = {.name = "mfb",
             .summary = "Newton on the modified Fischer-Burmeister function",
             .reference = "Daviet, Bertails-Descoubes, Boissieux 2011, section 5 and appendix A",
             .exact = true},
    .solve = solve,
};
