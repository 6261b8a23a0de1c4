// Winding number of a closed surface of triangles about a point. See winding.c.
#ifndef CAPSTAN_GEOMETRY_WINDING_H
#define CAPSTAN_GEOMETRY_WINDING_H

#include "geometry/triangle_tree.h"

// 1 inside and 0 outside a closed surface with outward normals; other integers if it passes through itself. x: its vertices.
double cps_winding(const CpsTriangleTree* tree, const CpsVec3* x, CpsVec3 p);

#endif
