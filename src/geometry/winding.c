// The winding number of a closed surface about a point: the sum of the solid angles subtended by its triangles,
//
//   w = 1 / (4 pi) sum of Omega,   tan(Omega / 2) = a.(b x c) / (|a||b||c| + (a.b)|c| + (b.c)|a| + (c.a)|b|)            (1)
//
// with a, b, c the corners relative to the point (van Oosterom and Strackee 1983). It needs neither rays nor an order of the
// triangles, and remains correct for crumpled surfaces.
#include "geometry/winding.h"

#include <math.h>

double cps_winding(const CpsTriangleTree* tree, const CpsVec3* x, CpsVec3 p) {
  double sum = 0.0;
  for (int32_t i = 0; i < tree->triangle_count; ++i) {
    const int32_t* k = tree->triangle[i].vertex;
    const CpsVec3 a = cps_vec3_sub(x[k[0]], p), b = cps_vec3_sub(x[k[1]], p), c = cps_vec3_sub(x[k[2]], p);
    const double la = cps_vec3_norm(a), lb = cps_vec3_norm(b), lc = cps_vec3_norm(c);
    const double below = la * lb * lc + cps_vec3_dot(a, b) * lc + cps_vec3_dot(b, c) * la + cps_vec3_dot(c, a) * lb;
    sum += atan2(cps_vec3_dot(a, cps_vec3_cross(b, c)), below);  // Omega / 2
  }
  return sum / (2.0 * acos(-1.0));
}
