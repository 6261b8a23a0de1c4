// A few points that represent many.
#ifndef CAPSTAN_GEOMETRY_REDUCE_H
#define CAPSTAN_GEOMETRY_REDUCE_H

#include "geometry/geom.h"

// Vertices v of a polyhedron with n.v <= limit, at most `most` of them, in ascending order: the lowest and then, one
// after the other, the one farthest from all chosen so far. Distances are those in the polyhedron's own frame, and
// heights within a millionth of its size count as equal, so a body at rest keeps its points. Returns their number.
int cps_reduce_vertices(const CpsPolytope* polytope, CpsVec3 n, double limit, int most, int32_t* keep);

#endif
