// Impulses inside their cones that hold many rigid bodies at rest.
//
//   W_SS r_S + b_S = 0,   r_i in K_i,   S the contacts that are closed                                              (1)
//
// is a convex problem: a point of an affine set in a product of second-order cones. Newton's method with the barrier
//
//   phi(r) = sum_i -log((mu_i r_i,N)^2 - ||r_i,T||^2) + (2 / load) sum_i r_i,N                                      (2)
//
// stays inside the cones and reaches (1) on its way. The last term keeps impulses that only press against each other at the
// size of the mean load. With D the inverse of the second derivative of the barrier, block by block
//
//   D_i = x x^T - det / 2 J,   x = (mu r_N, r_T),  det = x_0^2 - ||x_T||^2,  J = diag(1, -1, -1)                     (3)
//
// in these variables, and D times the gradient of (2) = -r + (2 / load) D e_N, a step is
//
//   A z = -H^T D u,   A y = z - H^T q,   dr = D H y + q,   q = c (r - (2 / load) D e_N),   A = H_S^T D H_S            (4)
//
// (rest_factor.h) and covers at most BACK of the distance to the boundary of a cone. c is small while steps are long, so that
// impulses change little, and 1 after a short step, which moves all impulses to the middle of their cones. After a full step (1)
// holds up to rounding, and c = 0.
//
// Not guaranteed: that (1) has a solution inside the cones. If it has none, steps become short and the search stops.
#include "friction/interior.h"

#include "core/error.h"
#include "friction/law.h"
#include "friction/rest_factor.h"
#include "friction/rigid.h"

#include <math.h>

enum {
  STEPS = 20,
  PATIENCE = 4,  // short steps in a row before the search stops
  TYPICAL = 4,   // factorisations of a typical search, for its cost
};
// Always allowed for a factorisation, a few tenths of a second: an interrupted run waits for its end.
static const double MOST_OPERATIONS = 2e9;
static const double BACK = 0.9;               // share of the distance to the nearest boundary
static const double SHORT = 0.5, TINY = 0.1;  // step lengths
static const double NEAR = 0.1;               // c after a step that was not short
// The start: friction at most this share of its limit, and normal impulses at least this share of the mean.
static const double RIM = 0.99, LEAST = 1e-3;

typedef struct Interior {
  CpsSolve* solve;
  const bool* moves;
  double load;  // mean normal impulse at the start
  double *r, *u, *dr, *q;
  double* D;      // xx, xy, xz, yy, yz, zz of each contact
  double *z, *y;  // in slots of bodies
} Interior;

static bool take(Interior* a) {
  CpsArena* arena = a->solve->arena;
  const CpsProblem* p = a->solve->problem;
  const int64_t slots = CPS_RIGID_SLOT * (int64_t)p->factors.body_count;
  a->u = CPS_TAKE(arena, double, p->row_count);
  a->dr = CPS_TAKE(arena, double, p->row_count);
  a->q = CPS_TAKE(arena, double, p->row_count);
  a->D = CPS_TAKE(arena, double, 6 * (int64_t)p->contact_count);
  a->z = CPS_TAKE(arena, double, slots);
  a->y = CPS_TAKE(arena, double, slots);
  return a->u && a->dr && a->q && a->D && a->z && a->y;
}

// Moves every contact of S inside its cone. False: no contact is loaded.
static bool enter(Interior* a) {
  const CpsProblem* p = a->solve->problem;
  double sum = 0.0, loaded = 0.0;
  for (int64_t i = 0; i < p->contact_count; ++i) {
    if (!a->moves[i] || !(a->r[3 * i] > 0.0)) continue;
    sum += a->r[3 * i];
    loaded += 1.0;
  }
  if (!(sum > 0.0)) return false;
  a->load = sum / loaded;
  for (int64_t i = 0; i < p->contact_count; ++i) {
    double* r = a->r + 3 * i;
    if (!a->moves[i]) continue;
    r[0] = fmax(r[0], LEAST * a->load);
    const double tangent = cps_law_tangent_norm(3, r), limit = RIM * p->mu[i] * r[0];
    for (int k = 1; k < 3 && tangent > limit; ++k) r[k] *= limit / tangent;
  }
  return true;
}

// (3) and q of (4). Without friction, only for the normal impulse.
static void weigh(Interior* a, double c) {
  const CpsProblem* p = a->solve->problem;
  for (int64_t i = 0; i < p->contact_count; ++i) {
    const double *r = a->r + 3 * i, mu = p->mu[i];
    double *D = a->D + 6 * i, *q = a->q + 3 * i;
    const double square = r[0] * r[0], half = 0.5 * (mu * mu * square - r[1] * r[1] - r[2] * r[2]);
    D[0] = mu > 0.0 ? square - half / (mu * mu) : 0.5 * square;
    D[1] = r[0] * r[1];
    D[2] = r[0] * r[2];
    D[3] = r[1] * r[1] + half;
    D[4] = r[1] * r[2];
    D[5] = r[2] * r[2] + half;
    for (int k = 0; k < 6 && !a->moves[i]; ++k) D[k] = 0.0;
    for (int k = 0; k < 3; ++k) q[k] = a->moves[i] ? c * (r[k] - 2.0 / a->load * D[k]) : 0.0;
  }
}

// out = D x
static void times_D(const Interior* a, const double* x, double* out) {
  for (int64_t i = 0; i < a->solve->problem->contact_count; ++i, x += 3, out += 3) {
    const double *D = a->D + 6 * i, n = x[0], s = x[1], t = x[2];
    out[0] = D[0] * n + D[1] * s + D[2] * t;
    out[1] = D[1] * n + D[3] * s + D[4] * t;
    out[2] = D[2] * n + D[4] * s + D[5] * t;
  }
}

// Largest s with r + s d in the cone: the first root of (mu r_N)^2 = ||r_T||^2 along d, or the zero of r_N.
static double room(double mu, const double* r, const double* d) {
  const double most = d[0] < 0.0 ? -r[0] / d[0] : INFINITY;
  if (!(mu > 0.0)) return most;
  const double a = mu * mu * d[0] * d[0] - d[1] * d[1] - d[2] * d[2];
  const double b = mu * mu * r[0] * d[0] - r[1] * d[1] - r[2] * d[2];
  const double c = mu * mu * r[0] * r[0] - r[1] * r[1] - r[2] * r[2];
  const double discriminant = b * b - a * c;
  if (a >= 0.0 && (b >= 0.0 || discriminant < 0.0)) return most;
  const double root = sqrt(fmax(discriminant, 0.0));
  return fmin(most, b >= 0.0 ? -(b + root) / a : c / (root - b));
}

// u, and its largest part in S as an impulse.
static double measure(Interior* a) {
  const CpsProblem* p = a->solve->problem;
  double most = 0.0;
  cps_solve_apply_W(a->solve, a->r, p->b_plain, a->u);
  for (int64_t i = 0; i < p->contact_count; ++i) {
    const double* u = a->u + 3 * i;
    if (a->moves[i]) most = fmax(most, p->xi[i] * sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]));
  }
  return most;
}

// (4); returns the step length, 0: A has no factor.
static double step(Interior* a, double c) {
  const CpsProblem* p = a->solve->problem;
  const int64_t slots = CPS_RIGID_SLOT * (int64_t)p->factors.body_count;
  double part = INFINITY;
  weigh(a, c);
  if (!cps_rest_factor_make_blocks(a->solve, a->moves, a->D)) return 0.0;
  a->solve->factorisations++;
  times_D(a, a->u, a->dr);
  cps_rigid_push(p, a->dr, a->z);
  cps_rest_factor_apply(a->solve, a->z);
  cps_rigid_push(p, a->q, a->y);
  for (int64_t k = 0; k < slots; ++k) a->y[k] = -a->z[k] - a->y[k];
  cps_rest_factor_apply(a->solve, a->y);
  cps_rigid_velocity(p, NULL, a->y, NULL, a->u);
  times_D(a, a->u, a->dr);
  for (int64_t i = 0; i < p->contact_count; ++i) {
    for (int k = 0; k < 3; ++k) a->dr[3 * i + k] += a->q[3 * i + k];
    if (a->moves[i]) part = fmin(part, room(p->mu[i], a->r + 3 * i, a->dr + 3 * i));
  }
  part = fmin(1.0, BACK * part);
  for (int64_t k = 0; k < p->row_count; ++k) a->r[k] += part * a->dr[k];
  return part;
}

CpsStatus cps_interior_find(CpsSolve* solve, const bool* moves, double operations, double still, double* r,
                            bool* found) {
  bool possible;
  *found = false;
  if (!(operations > 0.0)) return CPS_OK;
  CpsStatus status = cps_rest_factor_prepare(solve, 0.0, fmin(operations / TYPICAL, MOST_OPERATIONS), &possible);
  if (status != CPS_OK || !possible) return status;
  Interior a = {.solve = solve, .moves = moves, .r = r};
  if (!take(&a)) return cps_fail(solve->error, CPS_NO_MEMORY, "not enough memory to look for rest");
  if (!enter(&a)) return CPS_OK;
  double c = NEAR, part = 1.0, before = INFINITY;
  for (int k = 0, idle = 0; k < STEPS && idle < PATIENCE && part > 0.0; ++k) {
    const double left = measure(&a);
    *found = left <= still;
    // the error after a full step is rounding, which the next step removes
    if (*found || cps_solve_cancelled(solve) || (c == 0.0 && !(left < 0.5 * before))) return CPS_OK;
    before = left;
    part = step(&a, c);
    idle = part < TINY ? idle + 1 : 0;
    c = part >= 1.0 ? 0.0 : part < SHORT ? 1.0 : NEAR;
  }
  return CPS_OK;
}
