// Surfaces of triangles that move: which of their features come near each other in a step, and which met.
#ifndef CAPSTAN_CONTACT_SURFACES_H
#define CAPSTAN_CONTACT_SURFACES_H

#include "core/arena.h"
#include "core/pool.h"
#include "geometry/ccd.h"
#include "geometry/collider.h"

typedef enum CpsSurfacePair {
  CPS_PAIR_VERTEX_TRIANGLE = 0,  // a vertex of a and a triangle of b
  CPS_PAIR_EDGE_EDGE = 1,        // an edge of each
  CPS_PAIR_TRIANGLE_BALL = 2,    // a triangle of a and a corner or a round end of a collider
  CPS_PAIR_EDGE_SEGMENT = 3,     // an edge of a and an edge or the axis of a collider
  CPS_PAIR_EDGE_SHAPE = 4,       // an edge of a and the surface of a collider
  CPS_PAIR_TRIANGLE_SHAPE = 5    // a triangle of a and the surface of a collider
} CpsSurfacePair;

// Two features.
typedef struct CpsSurfaceTouch {
  int32_t a, b;           // surfaces; b is -1 for a collider:
  int32_t collider;       // its number
  double along;           // where on its axis, in [0, 1]: pieces of lines
  double radius;          // of its ball or segment, m
  uint64_t key_a, key_b;  // for the one who sorts: names of the features from step to step
  int32_t rank;           // and which of two of one name stays, the lowest
  int32_t pair;           // CpsSurfacePair
  int32_t feature[2];
  CpsClosest at;  // nearest points: their weights and the normal from b to a
  double gap;     // at the beginning, along the normal, between the two thick surfaces, m
} CpsSurfaceTouch;

typedef struct CpsSurfaceTouches {
  int64_t count;
  CpsSurfaceTouch* touch;  // by surfaces, pair and features
} CpsSurfaceTouches;

// A list that grows in the memory of an arena.
typedef struct CpsSurfaceList {
  CpsArena* arena;
  CpsSurfaceTouch* touch;
  int64_t count, capacity;
} CpsSurfaceList;
bool cps_surface_put(CpsSurfaceList* list, const CpsSurfaceTouch* touch);  // false if memory runs out

// Vertices and triangles that are nearer than `skin` or get there on their straight ways; of the triangles that see the same
// nearest point the first. The trees are refitted. Memory of the arena; false if it is short.
bool cps_surfaces_near(const CpsSurfaceMesh* surfaces, int32_t count, double skin, CpsPool* pool, CpsArena* arena,
                       CpsSurfaceTouches* out);
// Features that come nearer to each other than the part `separation` of the thickness on their straight ways, and nearer than
// they were: the two as they meet, the gap along the normal then. Two that begin through each other are left out.
bool cps_surfaces_met(const CpsSurfaceMesh* surfaces, int32_t count, double separation, CpsPool* pool, CpsArena* arena,
                      CpsSurfaceTouches* out);

// The nearest points of a point (a) and a triangle (b) of a closed surface: a point behind the face is pushed out of it, at a
// negative distance, if the face is what it is nearest to; false: it is not a touch, nor if it is a point of the surface itself.
bool cps_surface_turn_out(CpsClosest* at, const CpsVec3 corner[3], bool own);

// Where a collider is at the end of a step.
typedef struct CpsColliderEnd {
  CpsPose pose;
  bool line;               // a piece of a line:
  CpsVec3 from[2], to[2];  // the ends of its axis at the beginning and at the end
} CpsColliderEnd;
// Surfaces and the colliders that they may touch in a step.
typedef struct CpsSurfaceScene {
  const CpsSurfaceMesh* surfaces;
  int32_t count;
  const CpsCollider* colliders;
  const CpsColliderEnd* ends;  // of each collider
  int32_t collider_count;
} CpsSurfaceScene;

// Corners, ends, edges and rims of colliders that are near triangles and edges of a surface (surface_shapes.c); `ends` are not
// used. What a vertex of the surface touches by itself is left out: all of a plane.
bool cps_surface_shapes(const CpsSurfaceScene* scene, double h, double skin, CpsArena* arena, CpsSurfaceTouches* out);
// Triangles that come nearer to a collider on their ways than a part of half their thickness, and nearer than they were: `from_faces`
// to planes, boxes and hulls, over which edges do not sag, `separation` to others and for guards of smooth surfaces
// (surface_impacts.c); after cps_surfaces_met(), which fits the trees to these ways. What begins inside a shape is left out.
// Touches of different rounds, 0 to 14, have different names.
bool cps_surface_shapes_met(const CpsSurfaceScene* scene, double separation, double from_faces, int round,
                            CpsArena* arena, CpsSurfaceTouches* out);
// The same of meshes at the beginning of a step, on the ways that are expected: triangles that would sag over them as far as they
// may. Once met or expected, that is what the gap is counted from. After cps_surfaces_near().
bool cps_surface_meshes_expected(const CpsSurfaceScene* scene, CpsArena* arena, CpsSurfaceTouches* out);

// Tells the touches of two features apart that have the same keys.
static inline uint32_t cps_surface_feature(const CpsSurfaceTouch* t) {
  return (uint32_t)t->pair | (t->b < 0 ? (uint32_t)t->feature[1] << 3 : 0u);
}

// The nodes of a side of a touch, at most three; weights are those of at.weight_a or weight_b.
int cps_surface_nodes(const CpsSurfaceMesh* surface, const CpsSurfaceTouch* touch, int side, int32_t node[3]);

#endif
