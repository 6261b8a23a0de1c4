// Impulses under which many rigid bodies stand still, where there are any (docs/theory/rest.md).
#ifndef CAPSTAN_FRICTION_BALANCE_H
#define CAPSTAN_FRICTION_BALANCE_H

#include "friction/global/method.h"

// Whether this is for the problem: contacts of rigid bodies, more than polish.c and refine.c bring to rest.
bool cps_balance_fits(const CpsProblem* problem);
// Whether nothing moves under solve->best_r, which is below the tolerance.
bool cps_balance_holds(CpsSolve* solve);
// Looks for such impulses near solve->best_r and makes them the best, with a residual below the tolerance. *found: whether there
// were any.
CpsStatus cps_balance_find(CpsSolve* solve, bool* found);

#endif
