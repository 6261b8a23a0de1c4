// The largest separation from a cylinder over an arc of directions.
//
//   s(n) = n.a(n) - n.b(n),     ds/dt = n'(t).(a(n) - b(n))                                                        (1)
//
// with the support points a(n) and b(n), which move perpendicular to n as n moves. On an edge of a polytope n runs
// between the normals of its two faces; s is smooth there except where n crosses the axis or the plane of the cylinder,
// where it has a concave kink. |n| s(n/|n|) is a concave function of n, so along the arc
//
//   s'' <= -s                                                                                                      (2)
//
// and s has several maxima only if the shapes overlap. The arc is sampled; every sample above its neighbours that could
// lead to something better by (2) is refined by false position on ds/dt. Two maxima closer than the samples, 15
// degrees, are not distinguished.
#include "geometry/cylinder.h"

static const double spacing = 0.27;
enum { SAMPLES = 32 };

CpsVec3 cps_drum_support(CpsDrum drum, CpsVec3 m) {
  const double flat = sqrt(m.x * m.x + m.y * m.y), out = flat > 0.0 ? drum.radius / flat : 0.0;
  const double up = m.z > 0.0 ? drum.half_length : m.z < 0.0 ? -drum.half_length : 0.0;
  return cps_vec3(out * m.x, out * m.y, up);
}

CpsVec3 cps_opposite_support(const CpsOpposite* a, CpsVec3 n) {
  if (!(a->drum.radius > 0.0)) return a->point;
  const double along = cps_vec3_dot(n, a->axis);
  const CpsVec3 turn = cps_vec3_cross(n, a->axis);
  const double flat = cps_vec3_norm(turn);
  CpsVec3 x = a->point;
  // n without its part along the axis, free of the rounding of a difference
  if (flat > 1e-14) x = cps_vec3_axpy(x, -a->drum.radius / flat, cps_vec3_cross(a->axis, turn));
  return cps_vec3_axpy(x, along > 0.0 ? -a->drum.half_length : along < 0.0 ? a->drum.half_length : 0.0, a->axis);
}

double cps_drum_separation(CpsDrum b, const CpsOpposite* a, CpsVec3 n) {
  double s = cps_vec3_dot(n, a->point) - b.radius * sqrt(n.x * n.x + n.y * n.y) - b.half_length * fabs(n.z);
  if (a->drum.radius > 0.0)
    s -= a->drum.radius * cps_vec3_norm(cps_vec3_cross(n, a->axis)) +
         a->drum.half_length * fabs(cps_vec3_dot(n, a->axis));
  return s;
}

typedef struct Arc {
  CpsDrum b;
  const CpsOpposite* a;
  CpsVec3 u, v;
} Arc;

static double value_at_point(const Arc* arc, double c, double s, double* slope, CpsVec3* n) {
  *n = cps_vec3_axpy(cps_vec3_scale(c, arc->u), s, arc->v);
  const CpsVec3 turn = cps_vec3_axpy(cps_vec3_scale(-s, arc->u), c, arc->v);
  const CpsVec3 w = cps_vec3_sub(cps_opposite_support(arc->a, *n), cps_drum_support(arc->b, *n));
  *slope = cps_vec3_dot(turn, w);
  return cps_drum_separation(arc->b, arc->a, *n);
}

static double value_at(const Arc* arc, double t, double* slope, CpsVec3* n) {
  return value_at_point(arc, cos(t), sin(t), slope, n);
}

// An upper bound of s between two samples, from (2): the tangents meet there, and s bends up by at most `bend` = max
// -s.
static double bound_between(double f, double f_slope, double g, double g_slope, double step, double bend) {
  double bound = fmin(f + fmax(f_slope, 0.0) * step, g + fmax(-g_slope, 0.0) * step);
  if (f_slope > g_slope) {
    const double t = fmin(fmax((g - f - g_slope * step) / (f_slope - g_slope), 0.0), step);
    bound = fmin(bound, f + f_slope * t);
  }
  return bound + 0.5 * bend * step * step;
}

// Refines a maximum between two directions, from the samples around it.
static void refine(const Arc* arc, double low, double middle, double high, double reach, double* best, CpsVec3* n) {
  double slope_low, slope_high, slope;
  CpsVec3 m;
  value_at(arc, low, &slope_low, &m);
  value_at(arc, high, &slope_high, &m);
  double top = value_at(arc, middle, &slope, &m);
  // with a minimum in between too: shrink the interval around its highest point until the minimum is outside
  for (int k = 0; k < 40 && !(slope_low > 0.0 && slope_high < 0.0); ++k) {
    const bool left = middle - low > high - middle;
    const double t = left ? 0.5 * (low + middle) : 0.5 * (middle + high);
    const double s = value_at(arc, t, &slope, &m);
    if (s > top) {
      if (left) {
        high = middle;
        value_at(arc, high, &slope_high, &m);
      } else {
        low = middle;
        value_at(arc, low, &slope_low, &m);
      }
      middle = t;
      top = s;
    } else if (left) {
      low = t;
      slope_low = slope;
    } else {
      high = t;
      slope_high = slope;
    }
  }
  if (!(slope_low > 0.0 && slope_high < 0.0)) return;  // the arc ends uphill: a face is as good
  CpsVec3 at = *n;
  top = -INFINITY;
  int side = 0;  // side that moved last: if it moves twice, the slope of the other is halved (Dowell and Jarratt 1971)
  for (int k = 0; k < 80 && high - low > 1e-16; ++k) {
    double t = k % 8 == 7 ? 0.5 * (low + high) : low + (high - low) * slope_low / (slope_low - slope_high);
    if (!(t > low && t < high)) t = 0.5 * (low + high);
    const double s = value_at(arc, t, &slope, &m);
    // near the maximum values differ only by rounding, and the later point has the better direction
    if (s >= top - 1e-15 * reach) {
      top = s;
      at = m;
    }
    if (slope == 0.0 || t == low || t == high) break;
    if (slope > 0.0) {
      low = t;
      slope_low = slope;
      if (side > 0) slope_high *= 0.5;
      side = 1;
    } else {
      high = t;
      slope_high = slope;
      if (side < 0) slope_low *= 0.5;
      side = -1;
    }
  }
  if (top >= *best) {
    *best = top;
    *n = at;
  }
}

double cps_drum_arc(CpsDrum b, const CpsOpposite* a, CpsVec3 u, CpsVec3 v, double end, double worst, CpsVec3* n) {
  const Arc arc = {b, a, u, v};
  const bool whole = end > 6.28;  // a whole circle has no ends
  int count = 2 + (int)(end / spacing);
  if (count > SAMPLES) count = SAMPLES;
  const double step = end / count, turn_c = cos(step), turn_s = sin(step);
  double sample[SAMPLES + 1], slope[SAMPLES + 1], bound[SAMPLES + 1], best = -INFINITY, bend = 0.0, c = 1.0, s = 0.0;
  CpsVec3 m;
  for (int k = 0; k <= count; ++k) {
    sample[k] = value_at_point(&arc, c, s, &slope[k], &m);
    bend = fmax(bend, -sample[k]);
    if (sample[k] > best) {
      best = sample[k];
      *n = m;
    }
    const double next = c * turn_c - s * turn_s;
    s = s * turn_c + c * turn_s;
    c = next;
  }
  const double reach =
      cps_vec3_norm(a->point) + hypot(b.radius, b.half_length) + hypot(a->drum.radius, a->drum.half_length);
  bend = fmin(bend + reach * step, reach);
  for (int k = 0; k < count; ++k)
    bound[k] = bound_between(sample[k], slope[k], sample[k + 1], slope[k + 1], step, bend);
  for (int k = 0; k <= count; ++k) {
    const int left = k > 0 ? k - 1 : whole ? count - 1 : -1, right = k < count ? k : whole ? 0 : -1;
    const double before = left >= 0 ? sample[left] : -INFINITY, after = right >= 0 ? sample[right + 1] : -INFINITY;
    if (sample[k] < before || sample[k] < after) continue;
    const double most = fmax(left >= 0 ? bound[left] : -INFINITY, right >= 0 ? bound[right] : -INFINITY);
    if (most < fmax(worst, best)) continue;
    const double low = left >= 0 ? (k - 1) * step : 0.0, high = right >= 0 ? (k + 1) * step : end;
    refine(&arc, low, k * step, high, reach, &best, n);
  }
  return best;
}
