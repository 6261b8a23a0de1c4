// Solving on where contacts creep: what is nearly at rest decides between sticking and sliding by more digits than a
// simulation asks for (docs/theory/rest.md).
#ifndef CAPSTAN_FRICTION_REFINE_H
#define CAPSTAN_FRICTION_REFINE_H

#include "friction/global/method.h"

// Carries a solution that was found on to the accuracy of rest if it creeps, otherwise leaves it alone. Keeps the better
// impulses. CPS_OK or an error < 0. Without the direct methods there is nothing to carry it on with.
#ifdef CAPSTAN_DIRECT
CpsStatus cps_refine(CpsSolve* solve);
#else
static inline CpsStatus cps_refine(CpsSolve* solve) {
  (void)solve;
  return CPS_OK;
}
#endif

#endif
