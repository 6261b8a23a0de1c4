// One-contact solver: Newton on the modified Fischer-Burmeister function (Daviet et al. 2011, appendix A.2).
//
//   f(r) = f_FB(r, u(r)) = 0,   u = W r + b,   J = df/dr + df/du W   (fb_function.c)                              (1)
//   step = -J^-1 f, or -J^T f where J is singular or step.J^T f > -sigma ||step|| ||J^T f||                       (2)
//
// Differences from the paper: the derivative is the corrected one, rho = d / tr W (the paper's 1 has no units), a pivot
// is compared with the size of J, and the iteration stops by the common error of the contact, not by ||f||^2. b_N >= 0
// (convex: b in the dual cone) immediately gives r = 0. Laws: all; convex uses u in place of u~ in f.
//
// Not guaranteed to converge: from a cold start a few percent of coupled problems fail (docs/theory/one-contact.md
// lists measured rates). There is no line search; the gradient step has no scale and serves only as an escape.
#include "friction/local/fb_function.h"
#include "friction/local/local.h"
#include "friction/local/newton_step.h"

static const double sigma = 1e-3;

// x += step of (2).
static inline void step_or_gradient(const CpsLocalProblem* problem, int d, const double* J, const double* f,
                                    double* x) {
  (void)problem;
  double step[CPS_DIM_MAX], gradient[CPS_DIM_MAX];
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

static CpsLocalResult solve(const CpsLocalProblem* problem, const double* cache, const CpsLocalSettings* settings,
                            double* r) {
  (void)cache;
  const int d = problem->dim;
  const double* b = problem->b;
  const bool coulomb = problem->law == CPS_LAW_COULOMB, convex = problem->law == CPS_LAW_CONVEX;
  if (problem->mu > 0.0 &&
      ((coulomb && b[0] >= 0.0) || (convex && b[0] >= problem->mu * cps_small_norm(d - 1, b + 1)))) {
    memset(r, 0, (size_t)d * sizeof *r);
    return CPS_LOCAL_SOLVED;
  }
  return cps_newton_run(problem, settings, cps_fb_function, step_or_gradient, r);
}

const CpsLocalSolver cps_local_mfb = {
    .info = {.name = "mfb",
             .summary = "Newton on the modified Fischer-Burmeister function",
             .reference = "Daviet, Bertails-Descoubes, Boissieux 2011, section 5 and appendix A",
             .exact = true},
    .solve = solve,
};
