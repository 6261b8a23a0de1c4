// Point clouds with normals as surfaces: the field over them (field.h), and its places at the points.
#ifndef CAPSTAN_GEOMETRY_POINTS_H
#define CAPSTAN_GEOMETRY_POINTS_H

#include "geometry/bvh.h"
#include "geometry/field.h"

struct CpsPointCloud {
  CpsArena arena;
  CpsField field;
  CpsVec3* on;      // each point moved onto Psi = 0
  double* spacing;  // of each point: distance to its third neighbour
  CpsBvh tree;      // over `on`
};

// From a shape whose numbers are checked: refuses holes, points that crowd, normals that contradict each other.
CpsStatus cps_points_create(const CpsShape* shape, CpsPointCloud** cloud, CpsError* error);
void cps_points_destroy(CpsPointCloud* cloud);  // NULL is allowed

// points_mass.c: area of the surface, volume within, and the integrals of x and x x^T over it; false: it is not closed.
typedef struct CpsPointsMoments {
  double area, volume;
  CpsVec3 first;
  CpsMat3 second;
} CpsPointsMoments;
bool cps_points_moments(const CpsPointCloud* cloud, CpsPointsMoments* out);

// points_collide.c: whether a corner of a triangle is behind the surface; which.
bool cps_triangle_in_points(const CpsVec3 x[3], const CpsPointCloud* cloud, CpsVec3* at);

#endif
