// Impulses inside their cones that hold many rigid bodies at rest, by an interior-point method (docs/theory/rest.md).
#ifndef CAPSTAN_FRICTION_INTERIOR_H
#define CAPSTAN_FRICTION_INTERIOR_H

#include "friction/global/method.h"

// Searches for impulses r of the contacts `moves` that hold their bodies at rest: W_SS r_S + b_S = 0 inside the cones, b without
// the shift.
// @param operations  budget of the search; a more expensive search is not started
// @param still       the largest xi ||u|| of a contact at rest
// @param r           in: the start, zero outside S; out: the impulses, if *found
CpsStatus cps_interior_find(CpsSolve* solve, const bool* moves, double operations, double still, double* r,
                            bool* found);

#endif
