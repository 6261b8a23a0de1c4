// A convex set by its support function, the farthest point along a direction; and its distance from a triangle, also
// while the corners of the triangle move.
#ifndef CAPSTAN_GEOMETRY_SUPPORT_H
#define CAPSTAN_GEOMETRY_SUPPORT_H

#include "geometry/ccd.h"
#include "geometry/cylinder.h"

// The hull of points, or a cylinder about z, in the frame of a shape; the shape consists of all points within `radius` of it.
typedef struct CpsSupport {
  const CpsVec3* point;  // NULL: the drum
  int32_t count;
  CpsDrum drum;
  double radius;
} CpsSupport;

// Of a sphere, capsule, box, hull or cylinder. `room` stores the two points of an axis.
CpsSupport cps_support_of(const CpsGeom* geom, CpsVec3 room[2]);
// The point farthest along m.
CpsVec3 cps_support_point(const CpsSupport* s, CpsVec3 m);

// Nearest points of a triangle and a set, ignoring its radius.
typedef struct CpsSupportNearest {
  double distance;   // 0: they meet
  CpsVec3 normal;    // unit, from the set to the triangle
  double weight[3];  // of the corners of the triangle in its nearest point
  CpsVec3 point;     // of the set
} CpsSupportNearest;
// By the algorithm of Gilbert, Johnson and Keerthi, to rounding for points; for a drum to 1e-9 of the distance.
CpsSupportNearest cps_support_nearest(const CpsVec3 triangle[3], const CpsSupport* s);

// Time at which a triangle with corners moving straight from start to end comes near the set. As cps_ccd_vertex_triangle(),
// with the distance from the set less its radius; a triangle that starts inside the radius must only not come closer. `at`:
// the nearest points at that time. False also for a triangle that meets the set at the start.
typedef struct CpsSupportImpact {
  double time;
  CpsSupportNearest at;
} CpsSupportImpact;
bool cps_ccd_support(const CpsVec3 start[3], const CpsVec3 end[3], const CpsSupport* s, double separation,
                     double tolerance, CpsSupportImpact* impact);

#endif
