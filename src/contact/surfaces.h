// Moving triangle meshes: which of their features come close to each other in a step, and which meet.
#ifndef CAPSTAN_CONTACT_SURFACES_H
#define CAPSTAN_CONTACT_SURFACES_H

#include "core/arena.h"
#include "core/pool.h"
#include "geometry/ccd.h"
#include "geometry/collider.h"

typedef enum CpsSurfacePair {
  CPS_PAIR_VERTEX_TRIANGLE = 0,  // a vertex of a and a triangle of b
  CPS_PAIR_EDGE_EDGE = 1,        // an edge of each
  CPS_PAIR_TRIANGLE_BALL = 2,    // a triangle of a and a corner or rounded end of a collider
  CPS_PAIR_EDGE_SEGMENT = 3,     // an edge of a and an edge or the axis of a collider
  CPS_PAIR_EDGE_SHAPE = 4,       // an edge of a and the surface of a collider
  CPS_PAIR_TRIANGLE_SHAPE = 5    // a triangle of a and the surface of a collider
} CpsSurfacePair;

// Two features.
typedef struct CpsSurfaceTouch {
  int32_t a, b;           // surface indices; b is -1 for a collider
  int32_t collider;       // collider index
  double along;           // position on its axis, in [0, 1], for pieces of lines
  double radius;          // of its ball or segment, m
  uint64_t key_a, key_b;  // sort keys: names of the features, stable from step to step
  int32_t rank;           // of two touches with the same name, the one with the lower rank is kept
  int32_t pair;           // CpsSurfacePair
  int32_t feature[2];
  CpsClosest at;  // nearest points: weights, and the normal from b to a
  double gap;     // initial gap along the normal, between the thickened surfaces, m
} CpsSurfaceTouch;

typedef struct CpsSurfaceTouches {
  int64_t count;
  CpsSurfaceTouch* touch;  // sorted by surfaces, pair and features
} CpsSurfaceTouches;

// A list that grows in the memory of an arena.
typedef struct CpsSurfaceList {
  CpsArena* arena;
  CpsSurfaceTouch* touch;
  int64_t count, capacity;
} CpsSurfaceList;
bool cps_surface_put(CpsSurfaceList* list, const CpsSurfaceTouch* touch);  // false: out of memory

// Vertices and triangles that are closer than `skin` or get so close on straight paths; of several triangles with the same
// nearest point, the first. Refits the trees. Uses the arena; false: out of memory.
bool cps_surfaces_near(const CpsSurfaceMesh* surfaces, int32_t count, double skin, CpsPool* pool, CpsArena* arena,
                       CpsSurfaceTouches* out);
// Features that approach each other on straight paths to less than `separation` times the thickness: the pair at that time, with
// the gap along its normal. Pairs that intersect initially are omitted.
bool cps_surfaces_met(const CpsSurfaceMesh* surfaces, int32_t count, double separation, CpsPool* pool, CpsArena* arena,
                      CpsSurfaceTouches* out);

// The nearest points of a point (a) and a triangle (b) of a closed surface. A point behind the face has a negative distance and
// is pushed out if the face is the nearest feature. False: not a touch, also for a point of the surface itself.
bool cps_surface_turn_out(CpsClosest* at, const CpsVec3 corner[3], bool own);

// Position of a collider at the end of a step.
typedef struct CpsColliderEnd {
  CpsPose pose;
  bool line;               // whether it is a piece of a line
  CpsVec3 from[2], to[2];  // ends of its axis at the beginning and the end of the step
} CpsColliderEnd;
// Surfaces, and the colliders that they may touch in a step.
typedef struct CpsSurfaceScene {
  const CpsSurfaceMesh* surfaces;
  int32_t count;
  const CpsCollider* colliders;
  const CpsColliderEnd* ends;  // of each collider
  int32_t collider_count;
} CpsSurfaceScene;

// Corners, ends, edges and rims of colliders close to triangles and edges of a surface (surface_shapes.c); `ends` is not
// used. Features that vertices of the surface touch anyway are omitted, such as all of a plane.
bool cps_surface_shapes(const CpsSurfaceScene* scene, double h, double skin, CpsArena* arena, CpsSurfaceTouches* out);
// Triangles that come nearer to a collider during the step than a fraction of half their thickness, and nearer than they were.
// `from_faces` is the fraction for planes, boxes and hulls, over which edges do not sag; `separation` is the one for other shapes
// and for guards of smooth surfaces (surface_impacts.c). Call after cps_surfaces_met(), which fits the trees to this motion.
// Triangles that begin inside a shape are omitted. Touches of different rounds, 0 to 14, have different names.
bool cps_surface_shapes_met(const CpsSurfaceScene* scene, double separation, double from_faces, int round,
                            CpsArena* arena, CpsSurfaceTouches* out);
// The same at the beginning of a step, for expected paths over meshes: triangles that would sag over them by the full allowance,
// from which the gap is then measured. Call after cps_surfaces_near().
bool cps_surface_meshes_expected(const CpsSurfaceScene* scene, CpsArena* arena, CpsSurfaceTouches* out);

// Distinguishes touches of the same two features, which have the same keys.
static inline uint32_t cps_surface_feature(const CpsSurfaceTouch* t) {
  return (uint32_t)t->pair | (t->b < 0 ? (uint32_t)t->feature[1] << 3 : 0u);
}

// The nodes of a side of a touch, at most three; their weights are at.weight_a or at.weight_b.
int cps_surface_nodes(const CpsSurfaceMesh* surface, const CpsSurfaceTouch* touch, int side, int32_t node[3]);

#endif
