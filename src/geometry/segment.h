// Closest points of points and segments.
#ifndef CAPSTAN_GEOMETRY_SEGMENT_H
#define CAPSTAN_GEOMETRY_SEGMENT_H

#include "core/vec3.h"

static inline double cps_clamp(double x, double low, double high) {
  return x < low ? low : x > high ? high : x;
}

// Parameter in [0, 1] of the point of p + t d nearest to x; 0 if d vanishes.
static inline double cps_segment_closest(CpsVec3 p, CpsVec3 d, CpsVec3 x) {
  const double dd = cps_vec3_dot(d, d);
  return dd > 0.0 ? cps_clamp(cps_vec3_dot(d, cps_vec3_sub(x, p)) / dd, 0.0, 1.0) : 0.0;
}

// Parameters s, t in [0, 1] of the points of p + s d and q + t e nearest to each other. If the segments are parallel,
// it is one of the nearest pairs.
void cps_segment_segment(CpsVec3 p, CpsVec3 d, CpsVec3 q, CpsVec3 e, double* s, double* t);

#endif
