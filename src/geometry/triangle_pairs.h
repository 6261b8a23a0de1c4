// Nearest points of the features of triangle meshes: a vertex and a triangle, two edges.
#ifndef CAPSTAN_GEOMETRY_TRIANGLE_PAIRS_H
#define CAPSTAN_GEOMETRY_TRIANGLE_PAIRS_H

#include "core/vec3.h"

#include <stdint.h>

// The nearest points are sums of weights times vertices; the weights of a side are >= 0, add up to 1 within rounding,
// and are 0 where the side has no such vertex.
typedef struct CpsClosest {
  double distance;                  // >= 0
  CpsVec3 normal;                   // unit, from b to a
  double weight_a[3], weight_b[3];  // of the vertices of each side
  uint8_t feature_a, feature_b;  // bit k: vertex k has a weight in the nearest point. 1, 2, 4 a vertex; 3, 5, 6 an edge
  bool parallel;  // two edges that are parallel within rounding; the point is the middle of the common part
} CpsClosest;

// A vertex (a) and a triangle (b), possibly degenerate. If they touch, the normal is that of the triangle.
CpsClosest cps_closest_vertex_triangle(CpsVec3 vertex, const CpsVec3 triangle[3]);
// Two edges, possibly of zero length. Exchanging the sides gives the same bits with the opposite sign of the normal,
// and swapping the ends of an edge only swaps its weights. If the edges cross, the normal is perpendicular to both.
// Only two edges with the same ends leave the side undefined; then the sign is arbitrary.
CpsClosest cps_closest_edge_edge(const CpsVec3 a[2], const CpsVec3 b[2]);

#endif
