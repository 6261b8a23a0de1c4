// Surfaces of triangles that move (sheets): which of their features come near each other in a step, and which met.
#ifndef CAPSTAN_CONTACT_SURFACES_H
#define CAPSTAN_CONTACT_SURFACES_H

#include "core/arena.h"
#include "core/pool.h"
#include "geometry/ccd.h"
#include "geometry/collider.h"

typedef enum CpsSurfacePair { CPS_PAIR_VERTEX_TRIANGLE = 0, CPS_PAIR_EDGE_EDGE = 1 } CpsSurfacePair;

// Two features: a vertex of a and a triangle of b, or an edge of each.
typedef struct CpsSurfaceTouch {
  int32_t a, b;  // surfaces
  int32_t pair;  // CpsSurfacePair
  int32_t feature[2];
  CpsClosest at;  // nearest points: their weights and the normal from b to a
  double gap;     // at the beginning, along the normal, between the two thick surfaces, m
} CpsSurfaceTouch;

typedef struct CpsSurfaceTouches {
  int64_t count;
  CpsSurfaceTouch* touch;  // by surfaces, pair and features
} CpsSurfaceTouches;

// Vertices and triangles that are nearer than `skin` or get there on their straight ways; of the triangles that see the same
// nearest point the first. The trees are refitted. Memory of the arena; false if it is short.
bool cps_surfaces_near(const CpsSurfaceMesh* surfaces, int32_t count, double skin, CpsPool* pool, CpsArena* arena,
                       CpsSurfaceTouches* out);
// Features that come nearer to each other than the part `separation` of the thickness on their straight ways, and nearer than
// they were: the two as they meet, the gap along the normal then. Two that begin through each other are left out.
bool cps_surfaces_met(const CpsSurfaceMesh* surfaces, int32_t count, double separation, CpsPool* pool, CpsArena* arena,
                      CpsSurfaceTouches* out);

// The nodes of a side of a touch, at most three; weights are those of at.weight_a or weight_b.
int cps_surface_nodes(const CpsSurfaceMesh* surface, const CpsSurfaceTouch* touch, int side, int32_t node[3]);

#endif
