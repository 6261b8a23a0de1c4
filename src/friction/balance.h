// Impulses that hold many rigid bodies at rest, if such impulses exist (docs/theory/rest.md).
#ifndef CAPSTAN_FRICTION_BALANCE_H
#define CAPSTAN_FRICTION_BALANCE_H

#include "friction/global/method.h"

// Whether the search applies: contacts of rigid bodies, too many for polish.c and refine.c.
bool cps_balance_fits(const CpsProblem* problem);
// Whether all bodies are at rest under solve->best_r, whose residual is below the tolerance. Not strictly: velocities small enough
// to be left over from earlier motion also count. If forces caused them, the next step, which begins at rest, would show it.
bool cps_balance_holds(CpsSolve* solve, bool strictly);
// Searches for such impulses near solve->best_r and makes them the best, with a residual below the tolerance. *found: whether
// the search succeeded. `operations`: budget of a search by factorisation.
CpsStatus cps_balance_find(CpsSolve* solve, double operations, bool* found);

#endif
