// Contact points of a cylinder b with a polytope, segment or triangle, or with another cylinder.
#ifndef CAPSTAN_GEOMETRY_CYLINDER_TOUCH_H
#define CAPSTAN_GEOMETRY_CYLINDER_TOUCH_H

#include "geometry/cylinder.h"

// One of `polytope` and `drum` is given: the shape a. Corners as from cps_finish_corners(), n from b to a.
int cps_drum_touch(const CpsPolytope* polytope, const CpsDrum* drum, const CpsPlace* place, CpsDrum b, double margin,
                   CpsVec3* n, CpsCorner* corners);

#endif
