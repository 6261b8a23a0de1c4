// Touches during a step: where two colliders meet is not always where they are closest at the beginning.
#ifndef CAPSTAN_CONTACT_SWEEP_H
#define CAPSTAN_CONTACT_SWEEP_H

#include "geometry/collide.h"
#include "geometry/collider.h"

// Replaces the touches of two colliders at the beginning of the step by those where their free motion brings them
// together, or closest to each other. A touch that would push although the free motion clears it is rotated until it does
// not, or dropped. Closed touches of rotating or sliding shapes are taken from the middle of the step (sweep.c). Touches that
// the free motion does not close, and everything that moves little, stay bit-identical.
// @param margin   as for cps_collide(): how far the two may move in the step
// @param fine     gaps up to this count as closed, m
// @param touches  in and out; room for CPS_TOUCH_MAX
// @param[out] lead  of each touch: tangential displacement of its points in the step beyond what the initial lever arms
//                   predict, m; room for CPS_TOUCH_MAX
// @return the new number of touches
int cps_sweep(const CpsCollider* a, const CpsCollider* b, double margin, double fine, CpsTouch* touches, CpsVec3* lead,
              int count);

#endif
