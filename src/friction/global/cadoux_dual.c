// cadoux-dual: fixed point on s, the convex problem solved in the impulses (Cadoux 2009; Acary et al. 2011, section 3).
//
//   r^{k+1} = argmin 1/2 r^T W r + (b + E s^k).r  over r in K_mu,    s^{k+1}_i = ||u_T,i||,  u = W r^{k+1} + b (1)
//
// fixed_point.c is the outer loop (and handles the skew part of W). Inside, the interior point method of conic_ip.c
// solves (1), or the accelerated projected gradient of conic_apg.c in a build without SuiteSparse. A limit satisfies
// the exact law. Convergence of (1) is not guaranteed.
#include "friction/global/convex_step.h"

static CpsStatus run(CpsSolve* solve, double* r) {
  CpsConvexStep step;
  CpsStatus status = cps_convex_step_create(solve, false, &step);
  if (status == CPS_OK) {
    CpsFixedPoint outer = {.conic = &step.conic, .step = cps_convex_step_run, .step_data = &step, .inner_ratio = 0.05};
    status = cps_fixed_point_run(solve, &outer, r);
  }
  cps_convex_step_destroy(&step);
  return status;
}

const CpsMethodEntry cps_method_cadoux_dual = {
    .info = {.name = "cadoux-dual",
             .summary = "fixed point on s, convex conic problem in the impulses, interior point inside",
             .reference = "Cadoux 2009; Acary, Cadoux, Lemarechal, Malick 2011, section 3",
             .laws = CPS_ALL_LAWS,
             .exact = true,
             .uses_local = false,
             .available = true},
    .run = run,
};
