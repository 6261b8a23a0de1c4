// Continuous collision detection by conservative advancement.
//
// The two sides are convex, and remain so while their vertices move along x_k + t v_k. For any unit vector n
//
//   d(t + τ) >= min over i in a, j in b of  n.(x_i - x_j) + τ n.(v_i - v_j)                                      (1)
//
// and with n from the nearest point of b to that of a, (1) is an equality at τ = 0. So time can advance by
//
//   τ = min over pairs that close of  (n.(x_i - x_j) - m) / -n.(v_i - v_j)                                       (2)
//
// while the distance stays at least m on the way: no impact can be missed. Then n is recomputed. Additive CCD (Li et
// al., Codimensional incremental potential contact, 2021) bounds the right side of (1) by the lengths of the motions,
//
//   τ = (d - m) / (max_i |v_i - v̄| + max_j |v_j - v̄|),                                                           (3)
//
// which never exceeds (2); but objects that slide along each other, as cloth at rest does, need (d - m) / |v| steps of
// (3) and one of (2). (3) remains in use when rounding spoils n, at distances near the limit of the numbers.
//
// A triangle that rotates during the approach defeats any fixed n. But the distance is also at least that of the vertex
// from the plane of the triangle, or of the lines of the two edges,
//
//   d >= |g| / |N|,   N = e1 × e2 a quadratic in τ,   g = N.r a cubic                                              (4)
//
// If all terms but the first are given the signs that close the gap, |g| - m |N| has a lower bound f that is concave
// and decreasing: its tangent at 0 reaches zero at some b beyond its root, and the chord from 0 to b before it.
#include "geometry/ccd.h"

#include <float.h>

enum { PLANAR_FROM = 4 };  // distance evaluations before (4) is used too

typedef struct Motion {
  int first_b;   // preceding points are side a
  CpsVec3 x[4];  // now, relative to the first point at the start
  CpsVec3 v[4];  // over the whole step
} Motion;

static CpsClosest distance_at(const Motion* motion, double t) {
  CpsVec3 x[4];
  for (int k = 0; k < 4; ++k) x[k] = cps_vec3_axpy(motion->x[k], t, motion->v[k]);
  return motion->first_b == 1 ? cps_closest_vertex_triangle(x[0], x + 1) : cps_closest_edge_edge(x, x + 2);
}

// (2) from the positions at time t.
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

// (4) from the positions at time t, or 0 if the plane is not farther than m. `error`: rounding of g.
static double planar_advance(const Motion* motion, double t, double m, double error) {
  CpsVec3 x[4];
  for (int k = 0; k < 4; ++k) x[k] = cps_vec3_axpy(motion->x[k], t, motion->v[k]);
  const bool edges = motion->first_b == 2;
  const CpsVec3 *v = motion->v, e1 = edges ? cps_vec3_sub(x[1], x[0]) : cps_vec3_sub(x[2], x[1]);
  const CpsVec3 e2 = edges ? cps_vec3_sub(x[3], x[2]) : cps_vec3_sub(x[3], x[1]),
                r = cps_vec3_sub(x[0], x[edges ? 2 : 1]);
  const CpsVec3 v1 = edges ? cps_vec3_sub(v[1], v[0]) : cps_vec3_sub(v[2], v[1]);
  const CpsVec3 v2 = edges ? cps_vec3_sub(v[3], v[2]) : cps_vec3_sub(v[3], v[1]),
                u = cps_vec3_sub(v[0], v[edges ? 2 : 1]);
  const CpsVec3 N0 = cps_vec3_cross(e1, e2), N2 = cps_vec3_cross(v1, v2);
  const CpsVec3 N1 = cps_vec3_add(cps_vec3_cross(v1, e2), cps_vec3_cross(e1, v2));
  const double g0 = cps_vec3_dot(N0, r), side = g0 < 0.0 ? -1.0 : 1.0;
  const double g1 = cps_vec3_dot(N1, r) + cps_vec3_dot(N0, u), g2 = cps_vec3_dot(N2, r) + cps_vec3_dot(N1, u);
  const double f0 = side * g0 - m * cps_vec3_norm(N0) - error;
  const double f1 = fmin(0.0, side * g1) - m * cps_vec3_norm(N1), f2 = fmin(0.0, side * g2) - m * cps_vec3_norm(N2);
  const double f3 = fmin(0.0, side * cps_vec3_dot(N2, u));
  if (!(f0 > 0.0)) return 0.0;
  const double b = fmin(f1 < 0.0 ? f0 / -f1 : INFINITY, 2.0);  // 2: after the end of the step
  const double fb = f0 + b * (f1 + b * (f2 + b * f3));
  return fb < 0.0 ? b * f0 / (f0 - fb) : b;
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
    const CpsVec3 x = cps_vec3_sub(start[k], start[0]), v = cps_vec3_sub(end[k], start[k]);
    const double most = (fabs(x.x) + fabs(x.y) + fabs(x.z)) + (fabs(v.x) + fabs(v.y) + fabs(v.z));  // without a root
    motion.x[k] = x;
    motion.v[k] = v;
    size = most > size ? most : size;
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
  const double size = rounding / (32.0 * DBL_EPSILON), volume_error = 8.0 * rounding * size * size;
  while (impact->at.distance > m + band) {
    const double additive = (impact->at.distance - m - rounding) / longest;  // infinite or NaN without motion
    double advance = fmax(directional_advance(motion, impact->time, impact->at.normal, m), additive);
    // only when needed: the first bound decides most motions
    if (impact->iterations >= PLANAR_FROM)
      advance = fmax(advance, planar_advance(motion, impact->time, m, volume_error));
    if (!(impact->time + advance <= 1.0)) return false;
    if (impact->iterations == CPS_CCD_MOST_ITERATIONS) return true;
    impact->time += advance;
    impact->at = distance_at(motion, impact->time);
    impact->iterations++;
  }
  return true;
}

// Whether the two stay farther apart than m along n throughout: heights are linear in time, so both ends decide. This rejects
// most pairs with overlapping boxes without a root or a division.
static bool stays_apart(const Motion* motion, CpsVec3 n, double m, double rounding) {
  double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};  // of sides a and b
  double later_low[2] = {INFINITY, INFINITY}, later_high[2] = {-INFINITY, -INFINITY};
  for (int k = 0; k < 4; ++k) {
    const int side = k >= motion->first_b;
    const double h = cps_vec3_dot(n, motion->x[k]), later = h + cps_vec3_dot(n, motion->v[k]);
    low[side] = h < low[side] ? h : low[side], high[side] = h > high[side] ? h : high[side];
    later_low[side] = later < later_low[side] ? later : later_low[side];
    later_high[side] = later > later_high[side] ? later : later_high[side];
  }
  const double above = low[0] - high[1], later_above = later_low[0] - later_high[1];
  const double below = low[1] - high[0], later_below = later_low[1] - later_high[0];
  const double up = above < later_above ? above : later_above, down = below < later_below ? below : later_below;
  const double gap = up > down ? up : down, least = m + rounding;
  return gap > 0.0 && gap * gap > least * least * cps_vec3_dot(n, n);
}

// The normal of the triangle, or of both edges; and the direction from the middle of one side to that of the other.
static bool is_far(const Motion* motion, double separation, double tolerance, double rounding) {
  const CpsVec3* x = motion->x;
  const bool edges = motion->first_b == 2;
  const CpsVec3 N = edges ? cps_vec3_cross(cps_vec3_sub(x[1], x[0]), cps_vec3_sub(x[3], x[2]))
                          : cps_vec3_cross(cps_vec3_sub(x[2], x[1]), cps_vec3_sub(x[3], x[1]));
  const double m = separation + tolerance;
  if (stays_apart(motion, N, m, rounding)) return true;
  const CpsVec3 a = edges ? cps_vec3_scale(1.5, cps_vec3_add(x[0], x[1])) : cps_vec3_scale(3.0, x[0]);
  const CpsVec3 b =
      edges ? cps_vec3_scale(1.5, cps_vec3_add(x[2], x[3])) : cps_vec3_add(cps_vec3_add(x[1], x[2]), x[3]);
  return stays_apart(motion, cps_vec3_sub(a, b), m, rounding);
}

bool cps_ccd_vertex_triangle(const CpsVec3 start[4], const CpsVec3 end[4], double separation, double tolerance,
                             CpsImpact* impact) {
  double rounding;
  const Motion motion = motion_of(start, end, 1, &rounding);
  if (is_far(&motion, separation, tolerance, rounding)) {
    *impact = (CpsImpact){.iterations = 0};
    return false;
  }
  return find_impact(&motion, rounding, separation, tolerance, impact);
}

bool cps_ccd_edge_edge(const CpsVec3 start[4], const CpsVec3 end[4], double separation, double tolerance,
                       CpsImpact* impact) {
  double rounding;
  const Motion motion = motion_of(start, end, 2, &rounding);
  if (is_far(&motion, separation, tolerance, rounding)) {
    *impact = (CpsImpact){.iterations = 0};
    return false;
  }
  return find_impact(&motion, rounding, separation, tolerance, impact);
}

bool cps_ccd_vertex_triangle_is_far(const CpsVec3 start[4], const CpsVec3 end[4], double separation, double tolerance) {
  double rounding;
  const Motion motion = motion_of(start, end, 1, &rounding);
  return is_far(&motion, separation, tolerance, rounding);
}

bool cps_ccd_edge_edge_is_far(const CpsVec3 start[4], const CpsVec3 end[4], double separation, double tolerance) {
  double rounding;
  const Motion motion = motion_of(start, end, 2, &rounding);
  return is_far(&motion, separation, tolerance, rounding);
}
