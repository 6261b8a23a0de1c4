// Two cylinders: the axis of largest separation.
//
//   s(n) = n.d - r |n x z| - h |n.z| - r' |n x w| - h' |n.w|                                                       (1)
//
// for axes z and w and the vector d between the centres. s has a kink where n is one of the axes or perpendicular to one, and is
// smooth elsewhere. Its maximum is therefore at +-z, +-w or +-(z x w), on one of the circles perpendicular to z or w (a side
// against a rim, arc.c), or between two rims. The last is a smooth maximum on the sphere, found by Newton steps
//
//   t = (1 - n n^T) x,   (r/|n x z| p p^T + r'/|n x w| q q^T + s 1) delta = t                                      (2)
//
// with x the difference of the support points (the gradient) and p, q the unit vectors along n x z and n x w. Where the matrix is
// not positive definite or a Newton step decreases s, a gradient step replaces it. Separated cylinders have a single maximum,
// identified by their common perpendicular (settled()), and the search ends there. For deep overlaps the search starts from the
// best six of 27 directions and may miss the global maximum.
#include "geometry/cylinder.h"

#include <float.h>

static const double bias_ratio = 1e-9;
// Of the size: overlaps up to which an axis with a common perpendicular is not questioned.
static const double settled_ratio = 2e-3;
static const double pi = 3.14159265358979323846;
static const CpsVec3 up = {0.0, 0.0, 1.0};

typedef struct Pair {
  CpsDrum b;
  CpsOpposite a;
  double bias, reach;  // reach: of the separation per radian
  CpsAxis* best;
} Pair;

// Caps and crossed sides suppress candidates that are better by less than the bias; smooth maxima do not.
static void offer(Pair* pair, CpsVec3 n, CpsAxisKind kind) {
  const double separation = cps_drum_separation(pair->b, &pair->a, n);
  const double bias = pair->best->kind == CPS_AXIS_OTHER ? 0.0 : pair->bias;
  if (separation > pair->best->separation + bias) *pair->best = (CpsAxis){n, separation, kind, -1, -1};
}

// One step of (2) from n; the direction of the gradient if the matrix does not help.
static CpsVec3 uphill(const Pair* pair, CpsVec3 n, double s) {
  const CpsVec3 x = cps_vec3_sub(cps_opposite_support(&pair->a, n), cps_drum_support(pair->b, n));
  const CpsVec3 t = cps_vec3_axpy(x, -cps_vec3_dot(x, n), n);
  const CpsMat3 frame = cps_mat3_frame(n, t);
  const CpsVec3 e1 = cps_vec3(frame.m[3], frame.m[4], frame.m[5]), e2 = cps_vec3(frame.m[6], frame.m[7], frame.m[8]);
  const CpsVec3 p = cps_vec3_cross(n, up), q = cps_vec3_cross(n, pair->a.axis);
  const double np = cps_vec3_norm(p), nq = cps_vec3_norm(q);
  double m11 = s, m12 = 0.0, m22 = s;
  if (np > 0.0) {
    const double w = pair->b.radius / (np * np * np), p1 = cps_vec3_dot(p, e1), p2 = cps_vec3_dot(p, e2);
    m11 += w * p1 * p1;
    m12 += w * p1 * p2;
    m22 += w * p2 * p2;
  }
  if (nq > 0.0) {
    const double w = pair->a.drum.radius / (nq * nq * nq), q1 = cps_vec3_dot(q, e1), q2 = cps_vec3_dot(q, e2);
    m11 += w * q1 * q1;
    m12 += w * q1 * q2;
    m22 += w * q2 * q2;
  }
  const double det = m11 * m22 - m12 * m12, g1 = cps_vec3_dot(t, e1), g2 = cps_vec3_dot(t, e2);
  if (!(m11 > 0.0 && det > 1e-12 * m11 * m22)) return cps_vec3_scale(1.0 / (pair->b.radius + pair->a.drum.radius), t);
  return cps_vec3_axpy(cps_vec3_scale((g1 * m22 - g2 * m12) / det, e1), (g2 * m11 - g1 * m12) / det, e2);
}

static void climb(Pair* pair, CpsVec3 n) {
  double s = cps_drum_separation(pair->b, &pair->a, n), last = 1.0;
  for (int step = 0; step < 40; ++step) {
    const CpsVec3 delta = uphill(pair, n, s);
    last = cps_vec3_norm(delta);
    // values near the maximum differ by rounding only: the last steps only improve the direction
    const double drop = last < 1e-6 ? 1e-14 * fabs(pair->reach) : 0.0;
    double x = last > 0.5 ? 0.5 / last : 1.0;  // not far around the sphere at once
    bool better = false;
    for (int half = 0; half < 20 && !better; ++half, x *= 0.5) {
      const CpsVec3 m = cps_vec3_unit(cps_vec3_axpy(n, x, delta));
      const double value = cps_drum_separation(pair->b, &pair->a, m);
      better = value > s - drop;
      if (better) {
        n = m;
        s = value;
      }
    }
    if (!better || last < 1e-14) break;
  }
  offer(pair, n, CPS_AXIS_OTHER);
}

static void try_circle(Pair* pair, CpsVec3 axis) {
  const CpsMat3 frame = cps_mat3_frame(axis, pair->a.point);
  CpsVec3 n;
  const double s = cps_drum_arc(pair->b, &pair->a, cps_vec3(frame.m[3], frame.m[4], frame.m[5]),
                                cps_vec3(frame.m[6], frame.m[7], frame.m[8]), 2.0 * pi, pair->best->separation, &n);
  if (s > pair->best->separation) offer(pair, n, CPS_AXIS_OTHER);
}

// Where b touches along n: its support, moved within it to be nearest to the support of a.
static CpsVec3 touching_point(const Pair* pair, CpsVec3 n, bool sides) {
  const CpsOpposite* a = &pair->a;
  CpsVec3 p = cps_drum_support(pair->b, n);
  if (sides) {
    // the side lines cross where the axes do, seen along n
    const CpsVec3 across = cps_vec3_cross(a->axis, n);
    p.z = cps_vec3_dot(a->point, across) / across.z;
    return p;
  }
  const CpsVec3 x = cps_opposite_support(a, n);
  if (fabs(n.z) < 1e-9) p.z = fmin(fmax(x.z, -pair->b.half_length), pair->b.half_length);
  if (sqrt(n.x * n.x + n.y * n.y) < 1e-9) {
    const double flat = sqrt(x.x * x.x + x.y * x.y), in = flat > pair->b.radius ? pair->b.radius / flat : 1.0;
    p.x = in * x.x;
    p.y = in * x.y;
  }
  return p;
}

// Whether the best axis has a common perpendicular: a point of a straight above the touching point of b. Then the axis gives
// the distance of separated cylinders, and is accurate enough for small overlaps.
static bool settled(const Pair* pair, const CpsPlace* place) {
  const CpsAxis* axis = pair->best;
  if (axis->separation < -settled_ratio * pair->bias / bias_ratio) return false;
  const CpsVec3 b = touching_point(pair, axis->normal, axis->kind == CPS_AXIS_EDGES);
  const CpsVec3 above = cps_vec3_sub(cps_vec3_axpy(b, axis->separation, axis->normal), place->d);
  const CpsVec3 own = cps_mat3_apply_transposed(place->R, above);
  const double slack = pair->bias;
  return fabs(b.z) <= pair->b.half_length + slack && fabs(own.z) <= pair->a.drum.half_length + slack &&
         sqrt(own.x * own.x + own.y * own.y) <= pair->a.drum.radius + slack;
}

enum { STARTS = 27, CLIMBS = 6 };

static void climb_from_everywhere(Pair* pair, const CpsPlace* place) {
  if (settled(pair, place)) return;
  // besides the best so far, which may be a tip: the maximum is near it where a rim passes just beyond another
  const CpsVec3 tip = pair->best->normal;
  const CpsVec3 w = cps_vec3_sub(cps_opposite_support(&pair->a, tip), cps_drum_support(pair->b, tip));
  const CpsVec3 t = cps_vec3_unit(cps_vec3_axpy(w, -cps_vec3_dot(w, tip), tip));
  for (double step = 0.02; step > 1e-5; step *= 0.05) {
    climb(pair, cps_vec3_unit(cps_vec3_axpy(tip, step, t)));
    if (settled(pair, place)) return;
  }
  const CpsMat3 frame = cps_mat3_frame(up, pair->a.point);
  CpsVec3 start[STARTS];
  double value[STARTS];
  for (int k = 0; k < STARTS; ++k) {
    const int x = k % 3 - 1, y = k / 3 % 3 - 1, z = k / 9 - 1;
    const CpsVec3 m = cps_vec3(x, y, z);
    start[k] = k == STARTS / 2 ? cps_vec3_unit(pair->a.point) : cps_vec3_unit(cps_mat3_apply_transposed(frame, m));
    value[k] = cps_drum_separation(pair->b, &pair->a, start[k]);
  }
  for (int climbs = 0; climbs < CLIMBS; ++climbs) {
    int best = 0;
    for (int k = 1; k < STARTS; ++k) {
      if (value[k] > value[best]) best = k;
    }
    value[best] = -DBL_MAX;
    if (!(cps_vec3_dot(start[best], start[best]) > 0.5)) continue;  // the middles coincide
    climb(pair, start[best]);
    if (settled(pair, place)) return;
  }
}

bool cps_drum_drum(CpsDrum a, const CpsPlace* place, CpsDrum b, double margin, bool flat, CpsAxis* axis,
                   CpsVec3* point) {
  *axis = (CpsAxis){.separation = -DBL_MAX, .kind = CPS_AXIS_FACE_B, .a = -1, .b = -1};
  const CpsVec3 w = cps_mat3_apply(place->R, up);
  const double size = fmin(fmin(a.radius, a.half_length), fmin(b.radius, b.half_length));
  const double reach = cps_vec3_norm(place->d) + hypot(a.radius, a.half_length) + hypot(b.radius, b.half_length);
  Pair pair = {b, {a, w, place->d}, bias_ratio * size, reach, axis};
  const CpsVec3 cross = cps_vec3_cross(up, w);
  const double sine = cps_vec3_norm(cross);
  for (int sign = -1; sign <= 1; sign += 2) {
    offer(&pair, cps_vec3_scale(sign, up), CPS_AXIS_FACE_B);
    offer(&pair, cps_vec3_scale(sign, w), CPS_AXIS_FACE_A);
    if (sine > 1e-6) offer(&pair, cps_vec3_scale(sign / sine, cross), CPS_AXIS_EDGES);
  }
  // side by side: exact where the axes are parallel
  const CpsVec3 beside = cps_vec3(place->d.x, place->d.y, 0.0);
  if (sine < 0.1 && cps_vec3_norm(beside) > 0.0) offer(&pair, cps_vec3_unit(beside), CPS_AXIS_FACE_B);
  if (axis->separation > margin) return false;
  if (!flat) {
    try_circle(&pair, up);
    try_circle(&pair, w);
    if (axis->separation > margin) return false;
    climb_from_everywhere(&pair, place);
    if (axis->separation > margin) return false;
  }
  *point = touching_point(&pair, axis->normal, axis->kind == CPS_AXIS_EDGES);
  return true;
}
