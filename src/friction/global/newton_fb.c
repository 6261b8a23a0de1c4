// Global Newton on the modified Fischer-Burmeister function (Fukushima, Luo and Tseng 2001; Daviet, Bertails-Descoubes
// and Boissieux 2011, section 4, which treats one contact; here all at once).
//
//   f_i(r_i, u_i) = 0 of fb_function.h for every contact, u = W r + b, rho_i = xi_i = d_i / tr W_ii          (1)
//   A d = -f,   A = (df/du) W + df/dr                                                                        (2)
//
// q = 1/2 ||f||^2 is differentiable except where u_T = 0, with gradient A^T f. The step length is halved until (Armijo)
//
//   q(alpha) <= q(0) + sigma alpha q'(0),   sigma = 1e-4                                                     (3)
//
// Not guaranteed: convergence; a stationary point of q need not be a solution for the non-monotone exact law.
#include "friction/global/method.h"

#ifdef CAPSTAN_DIRECT
#include "friction/global/newton_loop.h"
#include "friction/local/fb_function.h"

#include <math.h>

enum { HALVINGS_MAX = 30 };
static const double SIGMA = 1e-4;

static double armijo(const CpsNewtonLine* line, double q0, double slope, double* q_out) {
  double best = 0.0, best_q = INFINITY, alpha = 1.0;
  for (int k = 0; k < HALVINGS_MAX; k++, alpha *= 0.5) {
    double q = cps_newton_line_merit(line, alpha);
    if (q < best_q) {
      best_q = q;
      best = alpha;
    }
    if (q <= q0 + SIGMA * alpha * slope) break;
  }
  *q_out = best_q;
  return best > 0.0 ? best : alpha;
}

static CpsStatus run(CpsSolve* solve, double* r) {
  return cps_newton_run(solve, r, cps_fb_function, armijo);
}
#endif

const CpsMethodEntry cps_method_newton_fb = {
    .info = {.name = "newton-fb",
             .summary = "Newton on the modified Fischer-Burmeister function of all contacts, Armijo line search",
             .reference = "Fukushima, Luo, Tseng 2001; Daviet, Bertails-Descoubes, Boissieux 2011",
             .laws = CPS_ALL_LAWS,
             .exact = true,
             .available = CPS_DIRECT_AVAILABLE},
    .run = CPS_DIRECT(run),
};
