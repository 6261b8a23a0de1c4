// Point clouds with normals as surfaces: their field (field.h), and the projections of the points.
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

// From a shape with checked numbers: refuses holes, crowded points and contradictory normals.
CpsStatus cps_points_create(const CpsShape* shape, CpsPointCloud** cloud, CpsError* error);
void cps_points_destroy(CpsPointCloud* cloud);  // NULL is allowed

// points_mass.c: area of the surface, enclosed volume, and the integrals of x and x x^T over it; false: it is not closed.
typedef struct CpsPointsMoments {
  double area, volume;
  CpsVec3 first;
  CpsMat3 second;
} CpsPointsMoments;
bool cps_points_moments(const CpsPointCloud* cloud, CpsPointsMoments* out);

// points_collide.c: which corner of a triangle is behind the surface, if any.
bool cps_triangle_in_points(const CpsVec3 x[3], const CpsPointCloud* cloud, CpsVec3* at);

// points_way.c: entry points of a moving shape into the surface.
typedef struct CpsPointsEntry {
  CpsVec3 place, normal;  // on the surface, and its normal there: in the frame of the cloud
  double time;            // on the path, in [0, 1]
} CpsPointsEntry;
enum { CPS_POINTS_ENTRIES = 8 };
// A shape moves from one pose to another, in the frame of the cloud; each of its points along a straight line. Entries of points that
// get deeper than `depth` and began less deep: the first one, and those farthest from it and from each other. Not for planes.
int cps_points_entered(const CpsPointCloud* cloud, const CpsGeom* shape, const CpsPose* from, const CpsPose* to,
                       double depth, CpsPointsEntry out[CPS_POINTS_ENTRIES]);

#endif
