// convex: one convex step with s = 0, Anitescu's relaxation (Anitescu 2006; Tasora and Anitescu 2011). For comparison.
//
//   K_{1/mu} contains u = W r + b, orthogonal to r in K_mu                                                        (1)
//
// is the convex law for every Coulomb block: a sliding contact takes off with u_N = mu ||u_T||. The result satisfies
// Coulomb's law only if nothing slides; the common residual measures the difference. A skew part of W is handled by
// repeating the step (fixed_point.c) until (1) holds to the tolerance for the given W.
#include "friction/global/convex_step.h"

static CpsStatus run(CpsSolve* solve, double* r) {
  CpsConvexStep step;
  CpsStatus status = cps_convex_step_create(solve, false, &step);
  if (status == CPS_OK) {
    CpsFixedPoint outer = {.conic = &step.conic, .step = cps_convex_step_run, .step_data = &step, .relaxed = true};
    status = cps_fixed_point_run(solve, &outer, r);
  }
  cps_convex_step_destroy(&step);
  return status;
}

const CpsMethodEntry cps_method_convex = {
    .info = {.name = "convex",
             .summary = "one convex step with s = 0: Anitescu's relaxation, not Coulomb's law where contacts slide",
             .reference = "Anitescu 2006; Tasora and Anitescu 2011",
             .laws = CPS_ALL_LAWS,
             .exact = false,
             .uses_local = false,
             .available = true},
    .run = run,
};
