// Improves solved impulses, so that objects at rest stay at rest (docs/theory/rest.md).
#ifndef CAPSTAN_FRICTION_POLISH_H
#define CAPSTAN_FRICTION_POLISH_H

#include "friction/global/method.h"

// Improves solve->best_r, which is below the tolerance; never increases its residual. `guess`: it is the first guess
// and gets a sweep first.
CpsStatus cps_polish(CpsSolve* solve, bool guess);

#endif
