// Impulses inside their cones under which many rigid bodies stand still, by an interior-point method (docs/theory/rest.md).
#ifndef CAPSTAN_FRICTION_INTERIOR_H
#define CAPSTAN_FRICTION_INTERIOR_H

#include "friction/global/method.h"

// Looks for impulses r of the contacts that `moves` under which these stand still: W_SS r_S + b_S = 0 inside the cones, b without
// the shift.
// @param operations  what the search may cost; if it should cost more, there is none
// @param still       the largest xi ||u|| of a contact that stands still
// @param r           in: where to begin, zero outside S; out: the impulses, if *found
CpsStatus cps_interior_find(CpsSolve* solve, const bool* moves, double operations, double still, double* r,
                            bool* found);

#endif
