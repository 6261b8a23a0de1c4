// Brings many resting rigid bodies to a standstill (docs/theory/rest.md).
#ifndef CAPSTAN_FRICTION_STANDSTILL_H
#define CAPSTAN_FRICTION_STANDSTILL_H

#include "friction/global/method.h"

// Improves solve->best_r, which is below the tolerance, if more than a few hundred contacts of rigid bodies creep; never increases
// its residual.
CpsStatus cps_standstill(CpsSolve* solve);

#endif
