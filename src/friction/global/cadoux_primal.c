// cadoux-primal: fixed point on s, the convex problem solved in the velocities (Cadoux 2009, chapter 4).
//
//   min 1/2 v^T M v - f.v  over  u~ = H v + w + E s in K_{1/mu};   s_i = ||u~_T,i||                               (1)
//
// Only W and b are available, so v is expressed in coordinates in which M is the identity and f is zero. With S +
// epsilon I = L L^T (sparse L D L^T, always possible, S may be singular) and y the velocity in these coordinates, (1)
// is
//
//   min 1/2 ||y||^2  over  u~ = L y + b + E s in K_{1/mu},      y = L^T r,  r the multiplier of the cone          (2)
//
// The interior point of conic_ip.c solves it in its primal form, with y as the unknown of the linear systems; s comes
// from the velocity u~ of (2), not from r (unless projected gradient steps on r had to finish the solve). epsilon is
// 1e-13 of the diagonal, and the refinement in conic_kkt.c removes its effect. Bilateral blocks: u~ = 0; free blocks:
// no constraint. Convergence of the fixed point is not guaranteed. Derivation: docs/theory/convex-fixed-point.md,
// section 4.
#include "friction/global/convex_step.h"

#ifdef CAPSTAN_DIRECT
#include "core/error.h"

static CpsStatus run(CpsSolve* solve, double* r) {
  CpsConvexStep step;
  CpsStatus status = cps_convex_step_create(solve, true, &step);
  if (status == CPS_OK) {
    CpsFixedPoint outer = {.conic = &step.conic, .step = cps_convex_step_run, .step_data = &step, .inner_ratio = 0.05};
    status = cps_fixed_point_run(solve, &outer, r);
  } else if (status == CPS_BAD_DATA) {
    cps_fail(solve->error, status, "method 'cadoux-primal' needs a positive semi-definite W");
  }
  cps_convex_step_destroy(&step);
  return status;
}
#endif

const CpsMethodEntry cps_method_cadoux_primal = {
    .info = {.name = "cadoux-primal",
             .summary = "fixed point on s, convex conic problem in the velocities, interior point inside",
             .reference = "Cadoux 2009, chapter 4; Acary, Cadoux, Lemarechal, Malick 2011",
             .laws = CPS_ALL_LAWS,
             .exact = true,
             .uses_local = false,
             .available = CPS_DIRECT_AVAILABLE},
    .run = CPS_DIRECT(run),
};
