// Space clothoids by power series (Bertails-Descoubes 2012; Casati and Bertails-Descoubes 2013).
//
// All quantities are expressed in the axes of the section at s, where they obey one kind of equation. With X(s) = R(s)^T x(s),
//
//   X' = X × k(s) + f(s),    k(s) = k + s g                                                                        (1)
//
//   R^T                   f = 0                          (each column)
//   position r            f = e                          e the first axis
//   spin                  f = k'(s)                      k' the rate of the curvature in time
//   velocity              f = spin × e
//   turn by k0, k1        f = (1 - s/l) a, (s/l) a       a each axis: the rotation vector of d R
//   slide by k0, k1       f = turn × e                   d r
//
// so the terms of the power series of X follow by recursion:
//
//   (n + 1) X_{n+1} = X_n × k + X_{n-1} × g + f_n                                                                  (2)
//
// The terms of a long series grow before they decay, and their sum cancels. The clothoid is therefore cut into pieces of length
//
//   s = 2 x / (|k| + sqrt(|k|^2 + 4 x |g|)),    the root of  s |k| + s^2 |g| = x                                   (3)
//
// with k taken at the beginning of the piece: their terms decay almost from the start. The number of terms follows from a
// scalar majorant of (2).
#include "model/clothoid.h"

#include "core/simd.h"

#include <math.h>

static const double TURNING = 2.0;       // x of (3)
static const double SMALLEST = 1e-17;    // terms below it are neglected, relative
static const double FEWEST = 1.0 / 128;  // least length of a piece in clothoids: extreme values terminate too

enum { X, Y, Z };
enum { TRANSPOSED = 0, POSITION = 3, SPIN = 4, VELOCITY = 5 };
enum { UP_TO_SLIDE = 12 };  // lanes; ten are needed without motion

// The first lane of slides, and that of turns; they take the place of the motion if there is none.
static inline int slide_lane(int lanes) {
  return lanes == CPS_CLOTHOID_STATIC ? SPIN : 6;
}
static inline int turn_lane(int lanes) {
  return slide_lane(lanes) + 6;
}
static inline bool has_motion(int lanes) {
  return lanes >= CPS_CLOTHOID_MOTION && lanes != CPS_CLOTHOID_STATIC;
}
static inline bool has_jacobian(int lanes) {
  return lanes >= CPS_CLOTHOID_STATIC;
}

static CpsVec3 curvature_at(const CpsClothoidWalk* walk, double s) {
  return cps_vec3_axpy(walk->clothoid.k0, s, walk->slope);
}

static CpsVec3 get(double a[3][CPS_CLOTHOID_LANES], int lane) {
  return cps_vec3(a[X][lane], a[Y][lane], a[Z][lane]);
}

static void set(double a[3][CPS_CLOTHOID_LANES], int lane, CpsVec3 v) {
  a[X][lane] = v.x;
  a[Y][lane] = v.y;
  a[Z][lane] = v.z;
}

static void add(double a[3][CPS_CLOTHOID_LANES], int lane, double s, CpsVec3 v) {
  set(a, lane, cps_vec3_axpy(get(a, lane), s, v));
}

void cps_clothoid_start(CpsClothoidWalk* walk, const CpsClothoid* clothoid, double until, CpsClothoidCarry carry,
                        const CpsMat3* R0, const CpsClothoidMotion* motion) {
  double inverse = 1.0 / clothoid->length;
  walk->clothoid = *clothoid;
  walk->slope = cps_vec3_scale(inverse, cps_vec3_sub(clothoid->k1, clothoid->k0));
  walk->lanes = (int)carry;
  walk->until = until;
  walk->at = 0.0;
  walk->size = -1.0;
  walk->order = 0;
  for (int c = 0; c < 3; ++c)
    for (int lane = 0; lane < walk->lanes; ++lane) walk->term[0][c][lane] = 0.0;
  for (int j = 0; j < 3; ++j)
    set(walk->term[0], TRANSPOSED + j, cps_vec3(R0->m[3 * j], R0->m[3 * j + 1], R0->m[3 * j + 2]));
  walk->rate = walk->rate_slope = cps_vec3(0.0, 0.0, 0.0);
  if (!motion || !has_motion(walk->lanes)) return;
  walk->rate = motion->rate0;
  walk->rate_slope = cps_vec3_scale(inverse, cps_vec3_sub(motion->rate1, motion->rate0));
  set(walk->term[0], SPIN, cps_mat3_apply_transposed(*R0, motion->spin));
  set(walk->term[0], VELOCITY, cps_mat3_apply_transposed(*R0, motion->velocity));
}

// 1/(n + 1), the bits of the quotient.
static const double PART[CPS_CLOTHOID_ORDER] = {
    1.0 / 1,  1.0 / 2,  1.0 / 3,  1.0 / 4,  1.0 / 5,  1.0 / 6,  1.0 / 7,  1.0 / 8,  1.0 / 9,
    1.0 / 10, 1.0 / 11, 1.0 / 12, 1.0 / 13, 1.0 / 14, 1.0 / 15, 1.0 / 16, 1.0 / 17, 1.0 / 18,
    1.0 / 19, 1.0 / 20, 1.0 / 21, 1.0 / 22, 1.0 / 23, 1.0 / 24, 1.0 / 25, 1.0 / 26, 1.0 / 27,
    1.0 / 28, 1.0 / 29, 1.0 / 30, 1.0 / 31, 1.0 / 32, 1.0 / 33, 1.0 / 34, 1.0 / 35, 1.0 / 36};

// Number of terms beyond which two successive majorants of R, turn and slide are negligible: (2) in scalars, in units of the
// piece.
static int choose_order(double k, double g) {
  double a = 1.0, a_before = 0.0, b = 0.0, b_before = 0.0, c = 0.0, c_before = 0.0;
  int small = 0, n = 0;
  while (n < CPS_CLOTHOID_ORDER && small < 2) {
    double factor = PART[n];
    double a_next = factor * (k * a + g * a_before);
    double b_next = factor * (k * b + g * b_before + (n < 2 ? 1.0 : 0.0));
    double c_next = factor * (k * c + g * c_before + b);
    a_before = a;
    b_before = b;
    c_before = c;
    a = a_next;
    b = b_next;
    c = c_next;
    ++n;
    small = a < SMALLEST && b < SMALLEST && c < SMALLEST ? small + 1 : 0;
  }
  return n;
}

typedef double Lanes[CPS_CLOTHOID_LANES];

// The homogeneous part of (2): next = (now × k + before × g) / (n + 1). With a number of lanes known at compile time, the
// loops are unrolled.
static inline void turn_lanes(int lanes, CpsVec3 k, CpsVec3 g, const Lanes* restrict now, const Lanes* restrict before,
                              Lanes* restrict next) {
  for (int i = 0; i < lanes; ++i) {
    next[X][i] = now[Y][i] * k.z - now[Z][i] * k.y + (before[Y][i] * g.z - before[Z][i] * g.y);
    next[Y][i] = now[Z][i] * k.x - now[X][i] * k.z + (before[Z][i] * g.x - before[X][i] * g.z);
    next[Z][i] = now[X][i] * k.y - now[Y][i] * k.x + (before[X][i] * g.y - before[Y][i] * g.x);
  }
}

static inline void turn_terms(int lanes, CpsClothoidWalk* walk, int n, CpsVec3 k, CpsVec3 g) {
  static const Lanes NOTHING[3];
  double factor = PART[n];
  k = cps_vec3_scale(factor, k);
  g = cps_vec3_scale(factor, g);
  const Lanes *now = (const Lanes*)walk->term[n], *before = n > 0 ? (const Lanes*)walk->term[n - 1] : NOTHING;
  turn_lanes(lanes, k, g, now, before, walk->term[n + 1]);
}

// v × e
static CpsVec3 cross_first(CpsVec3 v) {
  return cps_vec3(0.0, v.z, -v.y);
}

// f_n of (2), in units of the piece and divided by n + 1.
static inline void add_sources(int lanes, CpsClothoidWalk* walk, int n) {
  double h = walk->size, factor = h / (n + 1);
  double(*now)[CPS_CLOTHOID_LANES] = walk->term[n], (*next)[CPS_CLOTHOID_LANES] = walk->term[n + 1];
  if (n == 0) next[X][POSITION] += factor;
  if (has_motion(lanes)) {
    if (n == 0) add(next, SPIN, factor, cps_vec3_axpy(walk->rate, walk->at, walk->rate_slope));
    if (n == 1) add(next, SPIN, factor * h, walk->rate_slope);
    add(next, VELOCITY, factor, cross_first(get(now, SPIN)));
  }
  if (has_jacobian(lanes)) {
    const int turn = turn_lane(lanes), slide = slide_lane(lanes);
    double length = walk->clothoid.length, weight = n == 0 ? walk->at / length : h / length;
    for (int j = 0; j < 3 && n < 2; ++j) {
      next[j][turn + j] += factor * (n == 0 ? 1.0 - weight : -weight);
      next[j][turn + 3 + j] += factor * weight;
    }
    for (int j = 0; j < 6; ++j) {
      next[Y][slide + j] += factor * now[Z][turn + j];
      next[Z][slide + j] -= factor * now[Y][turn + j];
    }
  }
}

// All terms of a piece by (2).
static inline void fill_lanes(int lanes, CpsClothoidWalk* walk, CpsVec3 k, CpsVec3 g) {
  for (int n = 0; n < walk->order; ++n) {
    turn_terms(lanes, walk, n, k, g);
    add_sources(lanes, walk, n);
  }
}

CPS_HOT static void fill_jacobian(CpsClothoidWalk* walk, CpsVec3 k, CpsVec3 g) {
  fill_lanes(CPS_CLOTHOID_JACOBIAN, walk, k, g);
}

CPS_HOT static void fill_static(CpsClothoidWalk* walk, CpsVec3 k, CpsVec3 g) {
  fill_lanes(CPS_CLOTHOID_STATIC, walk, k, g);
}

static void fill_terms(CpsClothoidWalk* walk, CpsVec3 k, CpsVec3 g) {
  if (walk->lanes == CPS_CLOTHOID_FRAME) {
    fill_lanes(CPS_CLOTHOID_FRAME, walk, k, g);
  } else if (walk->lanes == CPS_CLOTHOID_MOTION) {
    fill_lanes(CPS_CLOTHOID_MOTION, walk, k, g);
  } else if (walk->lanes == CPS_CLOTHOID_STATIC) {
    fill_static(walk, k, g);
  } else {
    fill_jacobian(walk, k, g);
  }
}

// The sums at t by Horner's rule.
static inline void sum_lanes(int lanes, const CpsClothoidWalk* walk, double t, Lanes* restrict out) {
  for (int c = 0; c < 3; ++c) {
    for (int i = 0; i < lanes; ++i) out[c][i] = walk->term[walk->order][c][i];
  }
  for (int n = walk->order - 1; n >= 0; --n) {
    for (int c = 0; c < 3; ++c)
      for (int i = 0; i < lanes; ++i) out[c][i] = walk->term[n][c][i] + t * out[c][i];
  }
}

CPS_HOT static void sum_jacobian(const CpsClothoidWalk* walk, double t, Lanes* out) {
  sum_lanes(CPS_CLOTHOID_JACOBIAN, walk, t, out);
}

CPS_HOT static void sum_static(const CpsClothoidWalk* walk, double t, Lanes* out) {
  sum_lanes(CPS_CLOTHOID_STATIC, walk, t, out);
}

CPS_HOT static void sum_slides(const CpsClothoidWalk* walk, double t, Lanes* out) {
  sum_lanes(UP_TO_SLIDE, walk, t, out);
}

static void sum_terms(const CpsClothoidWalk* walk, double t, Lanes* out) {
  if (walk->lanes == CPS_CLOTHOID_FRAME) {
    sum_lanes(CPS_CLOTHOID_FRAME, walk, t, out);
  } else if (walk->lanes == CPS_CLOTHOID_MOTION) {
    sum_lanes(CPS_CLOTHOID_MOTION, walk, t, out);
  } else if (walk->lanes == CPS_CLOTHOID_STATIC) {
    sum_static(walk, t, out);
  } else {
    sum_jacobian(walk, t, out);
  }
}

// Length of a piece by (3), without a sliver at the end.
static double choose_size(const CpsClothoidWalk* walk) {
  double k = cps_vec3_norm(curvature_at(walk, walk->at)), g = cps_vec3_norm(walk->slope), rest = walk->until - walk->at;
  double size = 2.0 * TURNING / (k + sqrt(k * k + 4.0 * TURNING * g));
  size = fmax(size, FEWEST * walk->clothoid.length);
  if (!(size < rest)) return rest;
  return size < 0.5 * rest ? size : 0.5 * rest;
}

bool cps_clothoid_next(CpsClothoidWalk* walk) {
  if (walk->size >= 0.0) {
    double end = walk->at + walk->size;
    if (!(end < walk->until * (1.0 - 1e-15))) return false;
    double sum[3][CPS_CLOTHOID_LANES];
    sum_terms(walk, 1.0, sum);
    for (int c = 0; c < 3; ++c)
      for (int i = 0; i < walk->lanes; ++i) walk->term[0][c][i] = sum[c][i];
    walk->at = end;
  }
  double h = walk->size = choose_size(walk);
  CpsVec3 k = cps_vec3_scale(h, curvature_at(walk, walk->at)), g = cps_vec3_scale(h * h, walk->slope);
  walk->order = choose_order(cps_vec3_norm(k), cps_vec3_norm(g));
  fill_terms(walk, k, g);
  return true;
}

static CpsMat3 frame_of(Lanes* sum) {
  CpsMat3 R;
  for (int c = 0; c < 3; ++c)
    for (int j = 0; j < 3; ++j) R.m[3 * j + c] = sum[c][TRANSPOSED + j];
  return R;
}

void cps_clothoid_read_slides(const CpsClothoidWalk* walk, double t, CpsVec3* position, CpsVec3 slide[6]) {
  double sum[3][CPS_CLOTHOID_LANES];
  sum_slides(walk, t, sum);
  const CpsMat3 R = frame_of(sum);
  *position = cps_mat3_apply(R, get(sum, POSITION));
  const int first = slide_lane(walk->lanes);
  for (int j = 0; j < 6; ++j) slide[j] = cps_mat3_apply(R, get(sum, first + j));
}

void cps_clothoid_read(const CpsClothoidWalk* walk, double t, CpsClothoidPoint* point) {
  double sum[3][CPS_CLOTHOID_LANES];
  sum_terms(walk, t, sum);
  const CpsMat3 R = frame_of(sum);
  point->frame = R;
  point->position = cps_mat3_apply(R, get(sum, POSITION));
  if (has_motion(walk->lanes)) {
    point->spin = cps_mat3_apply(R, get(sum, SPIN));
    point->velocity = cps_mat3_apply(R, get(sum, VELOCITY));
  }
  if (!has_jacobian(walk->lanes)) return;
  const int turn = turn_lane(walk->lanes), slide = slide_lane(walk->lanes);
  for (int j = 0; j < 6; ++j) {
    point->turn[j] = cps_mat3_apply(R, get(sum, turn + j));
    point->slide[j] = cps_mat3_apply(R, get(sum, slide + j));
  }
}

void cps_clothoid_at(const CpsClothoid* clothoid, double s, CpsClothoidCarry carry, const CpsMat3* R0,
                     const CpsClothoidMotion* motion, CpsClothoidPoint* point) {
  CpsClothoidWalk walk;
  cps_clothoid_start(&walk, clothoid, s, carry, R0, motion);
  while (cps_clothoid_next(&walk)) continue;
  cps_clothoid_read(&walk, 1.0, point);
}
