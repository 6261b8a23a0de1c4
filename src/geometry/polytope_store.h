// Creation of a CpsPolytope: its memory, and its edges once the faces are known.
#ifndef CAPSTAN_GEOMETRY_POLYTOPE_STORE_H
#define CAPSTAN_GEOMETRY_POLYTOPE_STORE_H

#include "geometry/geom.h"

// `corners` is the sum of the faces' corners, twice the number of edges. NULL if memory runs out.
CpsPolytope* cps_polytope_allocate(int32_t vertices, int32_t faces, int32_t corners, int32_t edges);
// Fills in edge and edge_face from the faces; false if they do not form a closed surface.
bool cps_polytope_find_edges(CpsPolytope* polytope);

#endif
