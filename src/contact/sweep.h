// Touches on the way: what two colliders meet in a step is not always what is nearest at its beginning.
#ifndef CAPSTAN_CONTACT_SWEEP_H
#define CAPSTAN_CONTACT_SWEEP_H

#include "geometry/collide.h"
#include "geometry/collider.h"

// Replaces the touches of two colliders at the beginning of the step by those that they have where their free motion
// brings them together, or nearest to each other. A touch that would push although the free motion clears it is turned
// until it does not, or dropped. Closed touches of shapes that turn or slide are taken from the middle of the step
// (sweep.c). Touches that the free motion does not close stay bit for bit, and so does everything that moves little.
// @param margin   as for cps_collide(): how far the two may get in the step
// @param fine     gaps up to this count as closed, m
// @param touches  in and out; room for CPS_TOUCH_MAX
// @param[out] lead  of each touch: how much farther than the arms of the touch say its points get past each other at
//                   the end of the step, per step, m; room for CPS_TOUCH_MAX
// @return their new number
int cps_sweep(const CpsCollider* a, const CpsCollider* b, double margin, double fine, CpsTouch* touches, CpsVec3* lead,
              int count);

#endif
