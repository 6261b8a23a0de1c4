// Closest points of two segments p + s d and q + t e, 0 <= s, t <= 1.
//
// The squared distance is convex in (s, t). Its minimum in s for fixed t, clamped, is
//
//   s(t) = clamp((t d.e - d.w) / d.d),   w = p - q                                                       (1)
//   t(s) = clamp((s d.e + e.w) / e.e)                                                                    (2)
//
// Without bounds s = (d.e e.w - e.e d.w) / (d.d e.e - (d.e)^2). After clamping that s, t from (2) and, if t was clamped,
// s again from (1) is the minimum (Ericson, Real-Time Collision Detection, 2005, section 5.1.9). The denominator is
// computed as ||d × e||^2, which does not cancel for nearly parallel segments.
#include "geometry/segment.h"

void cps_segment_segment(CpsVec3 p, CpsVec3 d, CpsVec3 q, CpsVec3 e, double* s, double* t) {
  const CpsVec3 w = cps_vec3_sub(p, q), cross = cps_vec3_cross(d, e);
  const double dd = cps_vec3_dot(d, d), ee = cps_vec3_dot(e, e), de = cps_vec3_dot(d, e);
  const double dw = cps_vec3_dot(d, w), ew = cps_vec3_dot(e, w), denominator = cps_vec3_dot(cross, cross);
  if (!(dd > 0.0)) {
    *s = 0.0;
    *t = cps_segment_closest(q, e, p);
    return;
  }
  if (!(ee > 0.0)) {
    *t = 0.0;
    *s = cps_segment_closest(p, d, q);
    return;
  }
  // Below the rounding of the products the direction of the gap is noise: any s is valid, and the middle is the most stable.
  double at = denominator > 1e-28 * dd * ee ? cps_clamp((de * ew - ee * dw) / denominator, 0.0, 1.0) : 0.5;
  const double free_t = (de * at + ew) / ee;
  *t = cps_clamp(free_t, 0.0, 1.0);
  if (*t != free_t) at = cps_clamp((de * *t - dw) / dd, 0.0, 1.0);
  *s = at;
}
