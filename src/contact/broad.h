// Which boxes overlap: a hashed grid with one level per size of box, O(n) for n boxes of any sizes.
#ifndef CAPSTAN_CONTACT_BROAD_H
#define CAPSTAN_CONTACT_BROAD_H

#include "core/arena.h"
#include "core/pool.h"
#include "geometry/geom.h"

typedef struct CpsBroadBox {
  CpsAabb box;    // may be infinite in any direction
  int32_t owner;  // boxes with the same owner are not paired; -1: an obstacle, not paired with another one
  int32_t group;  // boxes of one group > 0 are not paired
} CpsBroadBox;

typedef struct CpsBroadPair {
  int32_t a, b;  // a < b
} CpsBroadPair;

// All pairs of overlapping boxes in ascending order of (a, b), from the arena; NULL if memory is short.
CpsBroadPair* cps_broad_pairs(const CpsBroadBox* boxes, int32_t count, CpsPool* pool, CpsArena* arena,
                              int64_t* pair_count);

#endif
