// Contacts from one step to the next: the same feature of the same pair keeps its impulse as the first guess.
#ifndef CAPSTAN_CONTACT_TRACK_H
#define CAPSTAN_CONTACT_TRACK_H

#include "core/vec3.h"

#include <stdint.h>

typedef struct CpsTrack {
  uint64_t key_a, key_b;  // of the colliders
  uint32_t feature;
  CpsVec3 point;    // world, middle of the two points
  CpsVec3 impulse;  // on a, world axes, divided by the step length: a force, N
} CpsTrack;

// Fills in `now[i].impulse` from `before`; both are sorted by (key_a, key_b, feature). A contact whose feature is new
// takes over the impulse of the nearest contact of the same pair that nothing else continues, if it is within
// `distance`; otherwise it starts from zero. Linear in both counts for pairs of bounded size.
void cps_track_match(const CpsTrack* before, int32_t before_count, CpsTrack* now, int32_t now_count, double distance);

#endif
