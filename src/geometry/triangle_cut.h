// A triangle against the surfaces and tubes of obstacles: detects an intersection that lies between the vertices.
#ifndef CAPSTAN_GEOMETRY_TRIANGLE_CUT_H
#define CAPSTAN_GEOMETRY_TRIANGLE_CUT_H

#include "geometry/geom.h"

// Whether a triangle cuts a surface of triangles, in the frame of the surface; if so, where.
bool cps_triangle_cuts_mesh(const CpsVec3 x[3], const CpsMeshTree* mesh, CpsVec3* point);
// Distance from a triangle to the centre line of a tube, taken as chords, if that is below `least`; else `least`.
// @param point  out: a point of the triangle near that place; unchanged if there is none
double cps_triangle_near_tube(const CpsVec3 x[3], const CpsTubeTree* tube, double least, CpsVec3* point);

#endif
