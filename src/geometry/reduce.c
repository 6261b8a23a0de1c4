#include "geometry/reduce.h"

static double square(CpsVec3 a) {
  return cps_vec3_dot(a, a);
}

// The first vertex at the lowest height, up to the tolerance; -1 if all are above the limit.
static int32_t lowest_vertex(const CpsPolytope* p, CpsVec3 n, double limit) {
  double low = INFINITY, size = 0.0;
  for (int32_t i = 0; i < p->vertex_count; i++) {
    low = fmin(low, cps_vec3_dot(n, p->vertex[i]));
    size = fmax(size, square(p->vertex[i]));
  }
  const double bound = fmin(limit, low + 1e-6 * sqrt(size));
  for (int32_t i = 0; i < p->vertex_count; i++) {
    if (cps_vec3_dot(n, p->vertex[i]) <= bound) return i;
  }
  return -1;
}

int cps_reduce_vertices(const CpsPolytope* p, CpsVec3 n, double limit, int most, int32_t* keep) {
  int count = 0;
  keep[count++] = lowest_vertex(p, n, limit);
  if (keep[0] < 0) return 0;
  while (count < most) {
    int32_t best = -1;
    double farthest = 0.0;
    for (int32_t i = 0; i < p->vertex_count; i++) {
      if (!(cps_vec3_dot(n, p->vertex[i]) <= limit)) continue;
      double nearest = INFINITY;
      for (int k = 0; k < count; k++) nearest = fmin(nearest, square(cps_vec3_sub(p->vertex[i], p->vertex[keep[k]])));
      if (nearest > farthest) {
        farthest = nearest;
        best = i;
      }
    }
    if (best < 0) break;
    keep[count++] = best;
  }
  for (int i = 1; i < count; i++) {  // ascending
    const int32_t value = keep[i];
    int k = i;
    for (; k > 0 && keep[k - 1] > value; k--) keep[k] = keep[k - 1];
    keep[k] = value;
  }
  return count;
}
