// apgd: Nesterov's accelerated projected gradient inside the fixed point on s, so that the limit obeys the exact law.
//
//   r^{k+1} ~ argmin 1/2 r^T W r + (b + E s^k).r  over r in K_mu,    s^{k+1}_i = ||u_T,i||                          (1)
//
// Mazhar, Heyn, Negrut, Tasora 2015 (APGD) solve (1) once, with s = 0. Here the steps are inexact: each stops at a
// share of the current error or after a few hundred gradient steps, and then s is updated (fixed_point.c). The method
// needs only products with W, which is never formed if it is symmetric. It is slow if W is badly conditioned: the rate
// is that of a gradient method.
#include "friction/global/conic_apg.h"
#include "friction/global/fixed_point.h"

static const int64_t inner_iterations = 500;

static CpsStatus step(void* data, CpsSolve* solve, const double* q, double tolerance, double* r, double* ut,
                      bool* has_ut) {
  (void)ut;
  *has_ut = false;
  cps_conic_apg_run(solve, data, q, tolerance, inner_iterations, r);
  return CPS_OK;
}

static CpsStatus run(CpsSolve* solve, double* r) {
  CpsConic conic;
  CpsConicApg apg;
  if (!cps_conic_create(solve, false, &conic) || !cps_conic_apg_create(solve, &conic, &apg))
    return cps_conic_no_memory(solve);
  CpsFixedPoint outer = {.conic = &conic, .step = step, .step_data = &apg, .inner_ratio = 0.3};
  return cps_fixed_point_run(solve, &outer, r);
}

const CpsMethodEntry cps_method_apgd = {
    .info = {.name = "apgd",
             .summary = "accelerated projected gradient inside the fixed point on s; on W or matrix-free",
             .reference = "Mazhar, Heyn, Negrut, Tasora 2015; Nesterov 1983",
             .laws = CPS_ALL_LAWS,
             .exact = true,
             .uses_local = false,
             .available = true},
    .run = run,
};
