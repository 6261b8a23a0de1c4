// Contact points of two shapes: the only entry to the narrow phase.
//
// A touch is a pair of points with  point_a = point_b + gap normal,  normal a unit vector from b to a, and gap < 0 for
// a penetration. Coincident faces give the corners of their common polygon, and edges the ends of their common part,
// reduced to at most CPS_TOUCH_PAIR_MAX points that span the same area. The functions are pure, with no memory between
// calls, so a resumed run gives the same bits. They are smooth where the shapes are: a body at rest gives the same
// points, up to rounding, in every step.
#ifndef CAPSTAN_GEOMETRY_COLLIDE_H
#define CAPSTAN_GEOMETRY_COLLIDE_H

#include "geometry/geom.h"

enum {
  CPS_TOUCH_PAIR_MAX = 8,  // points of two convex shapes
  CPS_TOUCH_MAX = 64       // any two shapes (a body on a mesh or between the turns of a tube)
};

typedef struct CpsTouch {
  CpsVec3 point_a, point_b;
  CpsVec3 normal;
  double gap;
  uint32_t feature;  // the same between steps for the same pair of features (face corner, edge pair, triangle, …);
                     // distinct within one call
} CpsTouch;

// Touches with gap <= margin (margin >= 0), in ascending order of feature. a is convex or points; b is any shape.
// Returns their number, at most CPS_TOUCH_MAX; `out` has room for that.
int cps_collide(const CpsGeom* a, const CpsPose* pose_a, const CpsGeom* b, const CpsPose* pose_b, double margin,
                CpsTouch* out);

#endif
