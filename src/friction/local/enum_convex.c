// One contact under the law convex:  r in K_mu,  u = W r + b in K_mu^* = { u_N >= mu ||u_T|| },  r.u = 0.          (1)
//
// For symmetric W these are the optimality conditions of  min 1/2 r.W r + b.r  over the cone. The cases: take-off
// b in K_mu^*; stick u = 0; and the boundary, r_N = t > 0, ||r_T|| = mu t, u_T = -alpha r_T, u_N = mu ||u_T||. For a
// given t the tangential part is the problem of a disc,
//
//   (W_TT + alpha I) y = -(b_T + W_TN t),   alpha = 0 and ||y|| <= mu t,  or  alpha > 0 and ||y|| = mu t (2)
//
// (Newton on 1/||y||, as in trust regions), and t is the root of
//
//   D(t) = u_N - mu ||u_T|| = w_N t + W_NT y + b_N - mu^2 alpha t, (3)
//
// the slope of a convex function: D rises, D(0+) < 0 without take-off, so the root is unique and Newton with a bracket
// finds it. Sticking is the case alpha = 0 of the same root. Derivatives, with A = (W_TT + alpha I)^-1:
//
//   alpha' = -(mu^2 t + y.A W_TN) / (y.A y),   y' = -A W_TN - alpha' A y,
//   D' = w_N + W_NT y' - mu^2 (alpha + alpha' t)                                                                  (4)
//
// No solution is certified by a direction v = (1, y/t) of the cone with W v = 0 and b.v < 0. The method needs no
// symmetry of W, but only for a symmetric one is D known to rise.
#include "friction/local/enum_convex.h"

#include <float.h>
#include <string.h>

#include "friction/local/small.h"

typedef struct Disc {
  int m;
  double W_T[25], row[5], column[5];
  double mu, w_N, scale;
  double alpha;  // of the last solve, as the next start
  double y[5];
} Disc;

typedef struct DiscPoint {
  double norm, yAy;
  double A_column[5], A_y[5];
} DiscPoint;

// y = -A g for this alpha; products with A only on request.
static bool evaluate_disc(Disc* disc, const double* g, double alpha, DiscPoint* point) {
  const int m = disc->m;
  double LU[25];
  int pivot[5];
  memcpy(LU, disc->W_T, (size_t)(m * m) * sizeof *LU);
  for (int i = 0; i < m; i++) LU[i * m + i] += alpha;
  if (!cps_small_lu_factor(m, LU, pivot, 1e-15 * disc->scale)) return false;
  for (int i = 0; i < m; i++) disc->y[i] = -g[i];
  cps_small_lu_solve(m, LU, pivot, disc->y);
  memcpy(point->A_y, disc->y, (size_t)m * sizeof(double));
  cps_small_lu_solve(m, LU, pivot, point->A_y);
  memcpy(point->A_column, disc->column, (size_t)m * sizeof(double));
  cps_small_lu_solve(m, LU, pivot, point->A_column);
  point->norm = cps_small_norm(m, disc->y);
  point->yAy = cps_small_dot(m, disc->y, point->A_y);
  return isfinite(point->norm);
}

// Solves (2) for radius > 0.
static bool solve_disc(Disc* disc, const double* g, double radius, DiscPoint* point) {
  // alpha_min replaces 0 if W_TT is singular
  double alpha_min = 0.0;
  if (!evaluate_disc(disc, g, 0.0, point)) {
    alpha_min = 1e-14 * disc->scale;
    if (!evaluate_disc(disc, g, alpha_min, point)) return false;
  }
  if (point->norm <= radius) {
    disc->alpha = 0.0;
    return true;
  }
  double lo = alpha_min, hi = INFINITY;
  double alpha = disc->alpha > alpha_min ? disc->alpha : alpha_min;
  for (int iteration = 0; iteration < 200; iteration++) {
    if (!evaluate_disc(disc, g, alpha, point)) return false;
    const double excess = point->norm - radius;
    if (excess > 0.0) {
      lo = alpha;
    } else {
      hi = alpha;
    }
    const double next = alpha + point->norm * point->norm / point->yAy * (excess / radius);
    // alpha is known only to the rounding of W_TT + alpha I
    const double resolution = DBL_EPSILON * (alpha + disc->scale);
    if (fabs(next - alpha) <= resolution || fabs(excess) <= 2.0 * DBL_EPSILON * radius || hi - lo <= resolution) {
      disc->alpha = alpha;
      return true;
    }
    if (next > lo && next < hi) {
      alpha = next;
    } else {
      alpha = isfinite(hi) ? 0.5 * (lo + hi) : 4.0 * alpha + disc->scale;
    }
  }
  return false;
}

// D and D' of (3), (4) at t.
static bool evaluate_normal(const CpsLocalProblem* problem, Disc* disc, double t, double* D, double* slope) {
  const int m = disc->m;
  const double mu = disc->mu;
  double g[5] = {0};
  DiscPoint point;
  for (int i = 0; i < m; i++) g[i] = problem->b[i + 1] + disc->column[i] * t;
  if (!solve_disc(disc, g, mu * t, &point)) return false;
  const double alpha = disc->alpha;
  *D = disc->w_N * t + cps_small_dot(m, disc->row, disc->y) + problem->b[0] - mu * mu * alpha * t;
  *slope = disc->w_N - cps_small_dot(m, disc->row, point.A_column);
  if (alpha > 0.0) {
    const double dalpha = -(mu * mu * t + cps_small_dot(m, disc->y, point.A_column)) / point.yAy;
    *slope -= dalpha * cps_small_dot(m, disc->row, point.A_y) + mu * mu * (alpha + dalpha * t);
  }
  return isfinite(*D) && isfinite(*slope);
}

static CpsLocalResult finish(const CpsLocalProblem* problem, const CpsLocalSettings* settings, const Disc* disc,
                             double t, double* r) {
  double candidate[CPS_DIM_MAX];
  candidate[0] = t;
  memcpy(candidate + 1, disc->y, (size_t)disc->m * sizeof *candidate);
  const double enough = fmax(settings->tolerance, 64.0 * DBL_EPSILON);  // no better than rounding
  double error = cps_local_error(problem, candidate);
  if (!(error <= enough) && isfinite(error)) {
    cps_local_ac.solve(problem, NULL, settings, candidate);
    error = cps_local_error(problem, candidate);
  }
  if (error <= enough || (isfinite(error) && !(error >= cps_local_error(problem, r)))) {
    memcpy(r, candidate, (size_t)problem->dim * sizeof *r);
  }
  return error <= enough ? CPS_LOCAL_SOLVED : CPS_LOCAL_FAILED;
}

// Can the impulse grow without bound in the direction (1, y/t)?
static bool is_recession(const CpsLocalProblem* problem, const Disc* disc, double t) {
  const int d = problem->dim;
  double v[CPS_DIM_MAX], Wv[CPS_DIM_MAX];
  v[0] = 1.0;
  for (int i = 1; i < d; i++) v[i] = disc->y[i - 1] / t;
  cps_small_apply(d, problem->W, v, Wv);
  const double size = cps_small_norm(d, v);
  return cps_small_norm(d, Wv) <= 1e-13 * disc->scale * size &&
         cps_small_dot(d, problem->b, v) < -1e-8 * cps_small_norm(d, problem->b) * size;
}

CpsLocalResult cps_enum_solve_convex(const CpsLocalProblem* problem, const CpsLocalSettings* settings, double* r) {
  const int d = problem->dim, m = d - 1;
  const double mu = problem->mu;
  const double *W = problem->W, *b = problem->b;
  const double b_norm = cps_small_norm(d, b), b_T = cps_small_norm(m, b + 1);
  if (b[0] >= mu * b_T) {
    memset(r, 0, (size_t)d * sizeof *r);
    return CPS_LOCAL_SOLVED;
  }
  if (!isfinite(b_norm) || !isfinite(cps_small_norm(d * d, W))) return CPS_LOCAL_FAILED;
  Disc disc = {.m = m, .mu = mu, .w_N = W[0], .scale = cps_small_trace(d, W)};
  if (!(disc.scale > 0.0)) return CPS_LOCAL_NO_SOLUTION;  // W = 0 and b outside K^*
  for (int i = 0; i < m; i++) {
    disc.row[i] = W[i + 1];
    disc.column[i] = W[(i + 1) * d];
    memcpy(disc.W_T + i * m, W + (i + 1) * d + 1, (size_t)m * sizeof(double));
  }
  // The guess, or the best impulse on the ray of the cone opposite to b.
  double v[CPS_DIM_MAX], Wv[CPS_DIM_MAX];
  v[0] = 1.0;
  for (int i = 1; i < d; i++) v[i] = b_T > 0.0 ? -mu * b[i] / b_T : 0.0;
  cps_small_apply(d, W, v, Wv);
  const double ray = (mu * b_T - b[0]) / cps_small_dot(d, v, Wv);
  const double limit = 1e15 * b_norm / disc.scale;
  double t = r[0] > 0.0 ? r[0] : ray;
  if (!(t > 0.0) || !(t < limit)) t = b_norm / disc.scale;
  double lo = 0.0, hi = INFINITY;
  for (int iteration = 0; iteration < 200; iteration++) {
    double D, slope;
    if (!evaluate_normal(problem, &disc, t, &D, &slope)) return CPS_LOCAL_FAILED;
    if (D < 0.0) {
      lo = t;
    } else {
      hi = t;
    }
    double next = t - D / slope;
    const bool newton = next > lo && next < hi;
    if (!newton) next = isfinite(hi) ? 0.5 * (lo + hi) : 8.0 * t;
    if (fabs(D) <= 2.0 * DBL_EPSILON * b_norm || (newton && fabs(next - t) <= 2.0 * DBL_EPSILON * t) ||
        hi - lo <= 2.0 * DBL_EPSILON * t) {
      return finish(problem, settings, &disc, t, r);
    }
    if (next > limit) {
      return is_recession(problem, &disc, t) ? CPS_LOCAL_NO_SOLUTION : finish(problem, settings, &disc, t, r);
    }
    t = next;
  }
  return finish(problem, settings, &disc, t, r);
}
