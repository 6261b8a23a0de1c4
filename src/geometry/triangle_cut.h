// A triangle against the surfaces and tubes that obstacles may be: whether one is in the other between all vertices.
#ifndef CAPSTAN_GEOMETRY_TRIANGLE_CUT_H
#define CAPSTAN_GEOMETRY_TRIANGLE_CUT_H

#include "geometry/geom.h"

// Whether a triangle cuts a surface of triangles, in the axes of the surface; if so, where.
bool cps_triangle_cuts_mesh(const CpsVec3 x[3], const CpsMeshTree* mesh, CpsVec3* point);
// How near a triangle comes to the centre line of a tube, taken as chords, if that is below `least`; else `least`.
// @param point  out: a point of the triangle near that place; untouched if there is none
double cps_triangle_near_tube(const CpsVec3 x[3], const CpsTubeTree* tube, double least, CpsVec3* point);

#endif
