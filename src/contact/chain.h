// Capsules that are joined to a chain, the pieces of a line: which of them owns a touch.
#ifndef CAPSTAN_CONTACT_CHAIN_H
#define CAPSTAN_CONTACT_CHAIN_H

#include "geometry/collide.h"
#include "geometry/collider.h"

// Keeps of the touches that colliders a and b have with each other those that belong to this pair and not to one of their
// neighbours in a chain; the order stays. Returns their number. A pure function of the colliders and the touches.
int cps_chain_own(const CpsCollider* colliders, int32_t a, int32_t b, CpsTouch* touches, int count);

// Arc length of a touch on a collider: side 0 is a, side 1 is b. 0 on what is not a piece of a line.
double cps_chain_arc(const CpsCollider* collider, const CpsTouch* touch, int side);

// Whether a collider is a piece of a line.
static inline bool cps_is_line_piece(const CpsCollider* collider) {
  return collider->arc[1] > collider->arc[0];
}

#endif
