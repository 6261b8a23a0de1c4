// Two convex shapes: separating axes, and contact polygons by clipping.
#ifndef CAPSTAN_GEOMETRY_CONVEX_H
#define CAPSTAN_GEOMETRY_CONVEX_H

#include "geometry/collide.h"

// A convex shape in its world position: a geom (sphere, box, capsule, cylinder, hull) or one triangle.
typedef struct CpsConvex {
  const CpsGeom* geom;  // NULL: the triangle
  CpsPose pose;         // of the geom
  CpsMat3 rotation;     // matrix of pose.rotation
  CpsVec3 triangle[3];  // world, counter-clockwise seen from the touchable side
} CpsConvex;

CpsConvex cps_convex_geom(const CpsGeom* geom, const CpsPose* pose);
CpsConvex cps_convex_triangle(CpsVec3 a, CpsVec3 b, CpsVec3 c);

// Touches of two convex shapes, at most CPS_TOUCH_PAIR_MAX; as cps_collide(). A triangle (only as b) is touched from
// its front: a shape with its centre behind it does not touch it. Features fit in 20 bits.
int cps_convex_collide(const CpsConvex* a, const CpsConvex* b, double margin, CpsTouch* out);

#endif
