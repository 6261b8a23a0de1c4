// Finds overlapping boxes: a hashed grid with one level per box size, O(n) for n boxes of any sizes.
#ifndef CAPSTAN_CONTACT_BROAD_H
#define CAPSTAN_CONTACT_BROAD_H

#include "core/arena.h"
#include "core/pool.h"
#include "geometry/geom.h"

typedef struct CpsBroadBox {
  CpsAabb box;           // may be infinite in any direction
  int32_t owner;         // boxes with the same owner are paired only as cps_broad_self() says; -1: an obstacle
  int32_t group;         // boxes of one group > 0 are not paired, unless they have the same owner
  double arc[2];         // pieces of a line: the part that it is, m
  double self_distance;  // so much of the line lies at least between two of its pieces that touch; 0: never
  bool idle;             // two of them are not paired
} CpsBroadBox;

// Whether two pieces of one owner may touch: they must be far enough apart along the line.
static inline bool cps_broad_self(const double arc_a[2], double self_a, const double arc_b[2], double self_b) {
  const double between = arc_a[0] < arc_b[0] ? arc_b[0] - arc_a[1] : arc_a[0] - arc_b[1];
  return self_a > 0.0 && self_b > 0.0 && between >= (self_a > self_b ? self_a : self_b);
}

typedef struct CpsBroadPair {
  int32_t a, b;  // a < b
} CpsBroadPair;

// All pairs of overlapping boxes in ascending order of (a, b), from the arena; NULL if memory runs out.
CpsBroadPair* cps_broad_pairs(const CpsBroadBox* boxes, int32_t count, CpsPool* pool, CpsArena* arena,
                              int64_t* pair_count);

#endif
