// Impulses that grow without bound if there is no solution.
#ifndef CAPSTAN_FRICTION_RUNAWAY_H
#define CAPSTAN_FRICTION_RUNAWAY_H

#include "friction/residual.h"

// The contact whose impulse grew without bound at r (u = W r + b), -1 if there is none.
int32_t cps_runaway_contact(const CpsProblem* problem, const double* r, const double* u, const CpsMeasure* measure);

#endif
