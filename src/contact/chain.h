// Assigns touches to the capsules of a chain, the pieces of a line.
#ifndef CAPSTAN_CONTACT_CHAIN_H
#define CAPSTAN_CONTACT_CHAIN_H

#include "geometry/collide.h"
#include "geometry/collider.h"

// Keeps the touches of colliders a and b that belong to this pair, and drops those that belong to a neighbour in a chain. The
// order is unchanged. Returns the number of touches kept. A pure function of the colliders and the touches.
int cps_chain_own(const CpsCollider* colliders, int32_t a, int32_t b, CpsTouch* touches, int count);

// Arc length of a touch on a collider: side 0 is a, side 1 is b. 0 if the collider is not a piece of a line.
double cps_chain_arc(const CpsCollider* collider, const CpsTouch* touch, int side);

// Whether a collider is a piece of a line.
static inline bool cps_is_line_piece(const CpsCollider* collider) {
  return collider->arc[1] > collider->arc[0];
}

#endif
