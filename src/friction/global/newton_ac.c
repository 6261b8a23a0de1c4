// Global Newton on the Alart-Curnier function (Alart and Curnier 1991; as used by Bertails-Descoubes et al. 2011,
// algorithms 1 and 2, with the corrections of docs/theory/newton.md).
//
//   f_i(r_i, u_i) = 0 of ac_function.h for every contact, u = W r + b, rho_i = xi_i = d_i / tr W_ii          (1)
//   A d = -f,   A = (df/du) W + df/dr                                                                        (2)
//
// with the line search of Goldstein and Price on q(alpha) = 1/2 ||f(r + alpha d)||^2: accept alpha where
//
//   m2 q'(0) <= (q(alpha) - q(0)) / alpha <= m1 q'(0),   m1 = 0.1, m2 = 0.9                                  (3)
//
// Below m2 q'(0) the step is too short, above m1 q'(0) too long. f has kinks, so possibly no alpha satisfies both: the
// search ends after 30 trials with the best alpha.
//
// Not guaranteed: convergence. Fails if many contacts are redundant and A is singular throughout.
#include "friction/global/method.h"

#ifdef CAPSTAN_DIRECT
#include "friction/global/newton_loop.h"
#include "friction/local/ac_function.h"

#include <math.h>

enum { TRIALS_MAX = 30 };
static const double M1 = 0.1;
static const double M2 = 0.9;

static double goldstein_price(const CpsNewtonLine* line, double q0, double slope, double* q_out) {
  double alpha = 1.0, low = 0.0, high = INFINITY, best = 0.0, best_q = INFINITY;
  for (int trial = 0; trial < TRIALS_MAX; trial++) {
    double q = cps_newton_line_merit(line, alpha);
    if (q < best_q) {
      best_q = q;
      best = alpha;
    }
    double secant = (q - q0) / alpha;
    if (secant < M2 * slope) {
      low = alpha;
    } else if (!(secant <= M1 * slope)) {  // also NaN: far too long
      high = alpha;
    } else {
      break;
    }
    alpha = isfinite(high) ? 0.5 * (low + high) : 10.0 * alpha;
  }
  *q_out = best_q;
  return best > 0.0 ? best : alpha;
}

static CpsStatus run(CpsSolve* solve, double* r) {
  return cps_newton_run(solve, r, cps_ac_function, goldstein_price);
}
#endif

const CpsMethodEntry cps_method_newton_ac = {
    .info = {.name = "newton-ac",
             .summary = "Newton on the Alart-Curnier function of all contacts, Goldstein-Price line search",
             .reference = "Alart and Curnier 1991; Bertails-Descoubes, Cadoux, Daviet, Acary 2011",
             .laws = CPS_ALL_LAWS,
             .exact = true,
             .available = CPS_DIRECT_AVAILABLE},
    .run = CPS_DIRECT(run),
};
