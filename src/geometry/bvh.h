// A tree of boxes over many items, for overlap queries without allocation or recursion.
#ifndef CAPSTAN_GEOMETRY_BVH_H
#define CAPSTAN_GEOMETRY_BVH_H

#include "geometry/geom.h"

typedef struct CpsBvhNode {
  CpsAabb box;
  int32_t first;  // leaf: first of its items in `order`; otherwise its left child (the right one follows)
  int32_t count;  // leaf: number of items; otherwise 0
} CpsBvhNode;

typedef struct CpsBvh {
  CpsBvhNode* node;
  int32_t node_count;
  int32_t* order;  // items, leaf by leaf
} CpsBvh;

// Builds a tree over the boxes of items. false if memory runs out; count >= 1.
bool cps_bvh_build(CpsBvh* tree, const CpsAabb* boxes, int32_t count);
void cps_bvh_free(CpsBvh* tree);

// A walk over all leaves that overlap a box:
//     CpsBvhWalk walk = cps_bvh_walk(tree, &box);
//     for (const CpsBvhNode* leaf; (leaf = cps_bvh_next(&walk)) != NULL;) …
enum { CPS_BVH_DEPTH = 64 };
typedef struct CpsBvhWalk {
  const CpsBvh* tree;
  CpsAabb box;
  int32_t stack[CPS_BVH_DEPTH];
  int depth;
} CpsBvhWalk;
CpsBvhWalk cps_bvh_walk(const CpsBvh* tree, const CpsAabb* box);
const CpsBvhNode* cps_bvh_next(CpsBvhWalk* walk);

static inline CpsAabb cps_aabb_union(CpsAabb a, CpsAabb b) {
  return (CpsAabb){cps_vec3(fmin(a.min.x, b.min.x), fmin(a.min.y, b.min.y), fmin(a.min.z, b.min.z)),
                   cps_vec3(fmax(a.max.x, b.max.x), fmax(a.max.y, b.max.y), fmax(a.max.z, b.max.z))};
}
static inline CpsAabb cps_aabb_grow(CpsAabb a, double by) {
  const CpsVec3 d = {by, by, by};
  return (CpsAabb){cps_vec3_sub(a.min, d), cps_vec3_add(a.max, d)};
}

#endif
