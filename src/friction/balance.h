// Impulses under which many rigid bodies stand still, where there are any (docs/theory/rest.md).
#ifndef CAPSTAN_FRICTION_BALANCE_H
#define CAPSTAN_FRICTION_BALANCE_H

#include "friction/global/method.h"

// Whether this is for the problem: contacts of rigid bodies, more than polish.c and refine.c bring to rest.
bool cps_balance_fits(const CpsProblem* problem);
// Whether nothing moves under solve->best_r, which is below the tolerance. Not strictly: or so slowly that it may be what is left of
// the motion before. Were it due to forces, the next step, which begins at rest, would tell.
bool cps_balance_holds(CpsSolve* solve, bool strictly);
// Looks for such impulses near solve->best_r and makes them the best, with a residual below the tolerance. *found: whether there
// were any. `operations`: what a search by factors may cost.
CpsStatus cps_balance_find(CpsSolve* solve, double operations, bool* found);

#endif
