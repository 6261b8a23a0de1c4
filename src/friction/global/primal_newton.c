// `primal-newton`: the proximal point method of prox_loop.c with Newton systems in the velocities (primal_step.c), for
// problems with large members. For other problems it is `proximal`.
#include "friction/global/method.h"

#ifdef CAPSTAN_DIRECT
#include "friction/global/prox_loop.h"

#include <limits.h>

static CpsStatus run(CpsSolve* solve, double* r) {
  CpsProximal proximal;
  CpsStatus status = solve->problem->sparse ? cps_proximal_create_primal(solve, NULL, 1.0, &proximal)
                                            : cps_proximal_create(solve, 1.0, &proximal);
  if (status != CPS_OK) return status;
  bool go = true;
  return cps_proximal_run(solve, &proximal, INT_MAX, r, &go);
}
#endif

const CpsMethodEntry cps_method_primal_newton = {
    .info = {.name = "primal-newton",
             .summary = "proximal semismooth Newton in the velocities, for sheets and solids; without them `proximal`",
             .reference = "docs/theory/primal.md; Alart, Curnier 1991; Rockafellar 1976",
             .laws = CPS_ALL_LAWS,
             .exact = true,
             .available = CPS_DIRECT_AVAILABLE},
    .run = CPS_DIRECT(run),
    .sparse = true,
};
