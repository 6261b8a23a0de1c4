// Time of impact of a vertex and a triangle, or of two edges, on straight paths in a step.
#ifndef CAPSTAN_GEOMETRY_CCD_H
#define CAPSTAN_GEOMETRY_CCD_H

#include "geometry/triangle_pairs.h"

typedef struct CpsImpact {
  double time;     // in [0, 1]: until then the distance is at least the separation
  CpsClosest at;   // nearest points at that time
  int iterations;  // number of distance evaluations
} CpsImpact;

enum { CPS_CCD_MOST_ITERATIONS = 10000 };

// Four points move from start[k] to end[k], each along a straight line, uniformly. Side a is the vertex start[0] with
// side b the triangle start[1 … 3], or the edge start[0 … 1] with the edge start[2 … 3].
//
// Let d be the distance, d0 that at the start, and m the smaller of `separation` and d0 - tolerance (at least d0 / 2 if
// d0 < 2 tolerance): a pair that starts too close must only not come closer.
//   An impact is always found if d falls to m or below at some time, in particular if the two meet.
//   None is reported if d stays above m + tolerance / 2.
// At the time of the impact m <= d <= m + tolerance / 2, and d was above m before it; all within rounding.
// A pair in contact at the start (within rounding) has an impact at time 0, whatever its motion. A motion that cannot
// be followed within CPS_CCD_MOST_ITERATIONS distances has an impact at the time reached.
//
// All numbers must be finite; separation >= 0, tolerance > 0, both in metres. Smaller values are raised to rounding.
bool cps_ccd_vertex_triangle(const CpsVec3 start[4], const CpsVec3 end[4], double separation, double tolerance,
                             CpsImpact* impact);
bool cps_ccd_edge_edge(const CpsVec3 start[4], const CpsVec3 end[4], double separation, double tolerance,
                       CpsImpact* impact);
// Whether tests along two directions rule out an impact: the first test of the two functions above.
bool cps_ccd_vertex_triangle_is_far(const CpsVec3 start[4], const CpsVec3 end[4], double separation, double tolerance);
bool cps_ccd_edge_edge_is_far(const CpsVec3 start[4], const CpsVec3 end[4], double separation, double tolerance);

#endif
