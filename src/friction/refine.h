// Refines creeping contacts: near rest, sticking and sliding differ by more digits than a simulation requests
// (docs/theory/rest.md).
#ifndef CAPSTAN_FRICTION_REFINE_H
#define CAPSTAN_FRICTION_REFINE_H

#include "friction/global/method.h"

// Refines a solution to the accuracy of rest if it creeps; otherwise leaves it unchanged. Keeps the better impulses.
// CPS_OK or an error < 0. Without the direct methods it does nothing.
#ifdef CAPSTAN_DIRECT
CpsStatus cps_refine(CpsSolve* solve);
#else
static inline CpsStatus cps_refine(CpsSolve* solve) {
  (void)solve;
  return CPS_OK;
}
#endif

#endif
