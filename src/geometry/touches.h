// A growing set of touches in the output array of cps_collide(): no two at the same place, and the nearest ones if
// there are too many.
#ifndef CAPSTAN_GEOMETRY_TOUCHES_H
#define CAPSTAN_GEOMETRY_TOUCHES_H

#include "geometry/collide.h"

typedef struct CpsTouches {
  CpsTouch* out;  // room for CPS_TOUCH_MAX
  int count;
  double margin;
  double same_place;  // closer points with the same normal count as one
} CpsTouches;

void cps_touches_add(CpsTouches* touches, const CpsTouch* touch);
// Transforms the set by a pose (NULL: leaves it), sorts it by feature and makes the features distinct. Returns the
// number.
int cps_touches_finish(CpsTouches* touches, const CpsPose* pose);

// A feature from two or three numbers. Different numbers may rarely give the same feature; finishing resolves this.
static inline uint32_t cps_touch_feature(uint32_t kind, uint32_t a, uint32_t b) {
  uint32_t h = kind * 0x9E3779B1u ^ a * 0x85EBCA77u ^ b * 0xC2B2AE3Du;
  h ^= h >> 15;
  h *= 0x2C1B3C6Du;
  return (h ^ h >> 13) >> 1;
}

#endif
