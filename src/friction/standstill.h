// Bringing many rigid bodies that rest to a standstill (docs/theory/rest.md).
#ifndef CAPSTAN_FRICTION_STANDSTILL_H
#define CAPSTAN_FRICTION_STANDSTILL_H

#include "friction/global/method.h"

// Improves solve->best_r, which is below the tolerance, where more than a few hundred contacts of rigid bodies creep; never makes its
// residual worse.
CpsStatus cps_standstill(CpsSolve* solve);

#endif
