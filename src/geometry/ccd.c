// Continuous collision detection by conservative advancement.
//
// The two sides are convex, and stay so while their vertices move along x_k + t v_k. For any unit vector n
//
//   d(t + τ) >= min over i in a, j in b of  n.(x_i - x_j) + τ n.(v_i - v_j)                                          (1)
//
// and with n from the nearest point of b to that of a, (1) is an equality at τ = 0. So time may go on by
//
//   τ = min over pairs that close of  (n.(x_i - x_j) - m) / -n.(v_i - v_j)                                           (2)
//
// and the distance is not below m on the way: no impact can be jumped over. Then n is taken anew. Additive CCD (Li et al.,
// Codimensional incremental potential contact, 2021) bounds the right side of (1) by the lengths of the motions,
//
//   τ = (d - m) / (max_i |v_i - v̄| + max_j |v_j - v̄|),                                                               (3)
//
// which (2) is never below; but two things that slide along each other, as cloth at rest does, need (d - m) / |v| steps of (3)
// and one of (2). (3) is kept where rounding spoils n, at distances near the limit of the numbers.
#include "geometry/ccd.h"

#include <float.h>

typedef struct Motion {
  int first_b;   // points before it are side a
  CpsVec3 x[4];  // now, relative to the first point at the start
  CpsVec3 v[4];  // over the whole step
} Motion;

static CpsClosest distance_at(const Motion* motion, double t) {
  CpsVec3 x[4];
  for (int k = 0; k < 4; ++k) x[k] = cps_vec3_axpy(motion->x[k], t, motion->v[k]);
  return motion->first_b == 1 ? cps_closest_vertex_triangle(x[0], x + 1) : cps_closest_edge_edge(x, x + 2);
}

// (2) from the places at time t.
static double directional_advance(const Motion* motion, double t, CpsVec3 n, double m) {
  double height[4], rate[4], advance = INFINITY;
  for (int k = 0; k < 4; ++k) {
    rate[k] = cps_vec3_dot(n, motion->v[k]);
    height[k] = cps_vec3_dot(n, motion->x[k]) + t * rate[k];
  }
  for (int i = 0; i < motion->first_b; ++i) {
    for (int j = motion->first_b; j < 4; ++j) {
      const double closing = rate[j] - rate[i];
      if (closing > 0.0) advance = fmin(advance, (height[i] - height[j] - m) / closing);
    }
  }
  return advance;
}

// The denominator of (3).
static double longest_motion(const Motion* motion) {
  CpsVec3 mean = {0.0, 0.0, 0.0};
  for (int k = 0; k < 4; ++k) mean = cps_vec3_axpy(mean, 0.25, motion->v[k]);
  double longest[2] = {0.0, 0.0};
  for (int k = 0; k < 4; ++k) {
    double* side = &longest[k >= motion->first_b];
    *side = fmax(*side, cps_vec3_norm(cps_vec3_sub(motion->v[k], mean)));
  }
  return longest[0] + longest[1];
}

static Motion motion_of(const CpsVec3 start[4], const CpsVec3 end[4], int first_b, double* rounding) {
  Motion motion = {.first_b = first_b};
  double size = 0.0;
  for (int k = 0; k < 4; ++k) {
    motion.x[k] = cps_vec3_sub(start[k], start[0]);
    motion.v[k] = cps_vec3_sub(end[k], start[k]);
    size = fmax(size, cps_vec3_norm(motion.x[k]) + cps_vec3_norm(motion.v[k]));
  }
  *rounding = 32.0 * DBL_EPSILON * size;
  return motion;
}

static bool find_impact(const Motion* motion, double rounding, double separation, double tolerance, CpsImpact* impact) {
  *impact = (CpsImpact){.at = distance_at(motion, 0.0), .iterations = 1};
  const double d0 = impact->at.distance;
  if (!(d0 > 8.0 * rounding)) return true;
  double band = fmax(0.5 * tolerance, rounding);
  if (d0 < 4.0 * band) band = 0.25 * d0;
  const double m = fmin(separation, d0 - 2.0 * band), longest = longest_motion(motion);
  while (impact->at.distance > m + band) {
    const double additive = (impact->at.distance - m - rounding) / longest;  // infinite or NaN without motion
    const double advance = fmax(directional_advance(motion, impact->time, impact->at.normal, m), additive);
    if (!(impact->time + advance <= 1.0)) return false;
    if (impact->iterations == CPS_CCD_MOST_ITERATIONS) return true;
    impact->time += advance;
    impact->at = distance_at(motion, impact->time);
    impact->iterations++;
  }
  return true;
}

bool cps_ccd_vertex_triangle(const CpsVec3 start[4], const CpsVec3 end[4], double separation, double tolerance,
                             CpsImpact* impact) {
  double rounding;
  const Motion motion = motion_of(start, end, 1, &rounding);
  return find_impact(&motion, rounding, separation, tolerance, impact);
}

bool cps_ccd_edge_edge(const CpsVec3 start[4], const CpsVec3 end[4], double separation, double tolerance,
                       CpsImpact* impact) {
  double rounding;
  const Motion motion = motion_of(start, end, 2, &rounding);
  return find_impact(&motion, rounding, separation, tolerance, impact);
}
