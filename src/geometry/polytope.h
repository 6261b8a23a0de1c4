// Convex polyhedra: created with their shape, read-only afterwards.
#ifndef CAPSTAN_GEOMETRY_POLYTOPE_H
#define CAPSTAN_GEOMETRY_POLYTOPE_H

#include "geometry/geom.h"

// A box with full edge lengths `size`, centred at the origin. CPS_OK or CPS_NO_MEMORY.
CpsStatus cps_polytope_box(CpsVec3 size, CpsPolytope** out);
// The convex hull of points. Vertices keep the order of the points; points inside are dropped. CPS_BAD_DATA with a
// message if the points are not finite or do not span a volume.
CpsStatus cps_polytope_hull(const CpsVec3* points, int32_t count, CpsPolytope** out, CpsError* error);
void cps_polytope_destroy(CpsPolytope* polytope);  // NULL is allowed

#endif
