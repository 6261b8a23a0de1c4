// When do a vertex and a triangle, or two edges, meet that move along straight paths in a step?
#ifndef CAPSTAN_GEOMETRY_CCD_H
#define CAPSTAN_GEOMETRY_CCD_H

#include "geometry/triangle_pairs.h"

typedef struct CpsImpact {
  double time;     // in [0, 1]: until then the two are at least the separation apart
  CpsClosest at;   // nearest points at that time
  int iterations;  // distances that were computed
} CpsImpact;

enum { CPS_CCD_MOST_ITERATIONS = 10000 };

// Four points move from start[k] to end[k], each along a straight line, uniformly. Side a is the vertex start[0] with
// side b the triangle start[1 … 3], or the edge start[0 … 1] with the edge start[2 … 3].
//
// Let d be the distance, d0 that at the start, and m the smaller of `separation` and d0 - tolerance (d0 / 2 at least,
// if d0 < 2 tolerance): what starts nearer than it should is asked not to come nearer still.
//   An impact is always found if d falls to m or below at some time, in particular if the two meet.
//   None is reported if d stays above m + tolerance / 2.
// At the time of the impact m <= d <= m + tolerance / 2, and d was above m before it; all within rounding.
// Two that touch at the start (within rounding) have an impact at time 0, whatever they do. So has, at the time
// that was reached, a motion that is not followed within CPS_CCD_MOST_ITERATIONS distances.
//
// All numbers must be finite; separation >= 0, tolerance > 0, both in metres. Raised to rounding where it is less.
bool cps_ccd_vertex_triangle(const CpsVec3 start[4], const CpsVec3 end[4], double separation, double tolerance,
                             CpsImpact* impact);
bool cps_ccd_edge_edge(const CpsVec3 start[4], const CpsVec3 end[4], double separation, double tolerance,
                       CpsImpact* impact);
// Whether a look along two directions tells that the two above have no impact: the first thing they ask.
bool cps_ccd_vertex_triangle_is_far(const CpsVec3 start[4], const CpsVec3 end[4], double separation, double tolerance);
bool cps_ccd_edge_edge_is_far(const CpsVec3 start[4], const CpsVec3 end[4], double separation, double tolerance);

#endif
