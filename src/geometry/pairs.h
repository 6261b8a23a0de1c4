// The pairs of shapes behind cps_collide(), one function per kind of second shape. Shapes are handed over at their place
// in the world, so that rotation matrices are made once per step and not once per pair.
#ifndef CAPSTAN_GEOMETRY_PAIRS_H
#define CAPSTAN_GEOMETRY_PAIRS_H

#include "geometry/convex.h"

// A shape of any kind at its place; the triangle is not set.
void cps_place(const CpsGeom* geom, const CpsPose* pose, CpsConvex* out);
// As cps_collide().
int cps_collide_placed(const CpsConvex* a, const CpsConvex* b, double margin, CpsTouch* out);

// Spheres and capsules with each other.
int cps_round_collide(const CpsConvex* a, const CpsConvex* b, double margin, CpsTouch* out);
// Any convex shape on a plane.
int cps_plane_collide(const CpsConvex* a, const CpsConvex* plane, double margin, CpsTouch* out);

// Touch of two balls: the ends of thick lines come down to this. `fallback` is the normal where the centres coincide.
CpsTouch cps_ball_touch(CpsVec3 centre_a, double radius_a, CpsVec3 centre_b, double radius_b, CpsVec3 fallback,
                        uint32_t feature);

// The axis of a capsule, cylinder or plane in the world.
static inline CpsVec3 cps_place_axis(const CpsConvex* a) {
  return cps_vec3(a->rotation.m[2], a->rotation.m[5], a->rotation.m[8]);
}

#endif
