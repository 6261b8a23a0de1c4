// The short helix through two points with given tangents, and joints moved to make it exist (floating tangents).
#ifndef CAPSTAN_GEOMETRY_SHORT_HELIX_H
#define CAPSTAN_GEOMETRY_SHORT_HELIX_H

#include "core/vec3.h"

#include <stdbool.h>
#include <stdint.h>

// A piece of a helix: its length, and the rotation vector of its frame per arc length, 1/m, in the world.
typedef struct CpsShortHelix {
  double length;
  CpsVec3 turn;
} CpsShortHelix;

// The helix of less than one turn from p0 with the unit tangent t0 to p1 with t1. If (p1 - p0).(t1 - t0) is not 0, it misses p1
// along t1 - t0. False: the points are the same.
bool cps_short_helix(CpsVec3 p0, CpsVec3 t0, CpsVec3 p1, CpsVec3 t1, CpsShortHelix* helix);

// Moves the points p_1 ... p_n as little as possible so that (p_{i+1} - p_i).(t_{i+1} - t_i) = 0; p_0 stays. `work`: 3 n numbers.
void cps_float_joints(int32_t n, CpsVec3* p, const CpsVec3* t, double* work);

#endif
