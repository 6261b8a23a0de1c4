// One-contact solver with a faceted cone: the disc of radius mu r_N becomes mu r_N P, P a regular polygon (facets.h).
//
//   take-off  r = 0, b_N >= 0
//   stick     W r = -b,  r_T in mu r_N P
//   corner    r = r_N (1, mu p_k),  u_N = 0,  p_k farthest of P along -u_T                                        (1)
//   side      r_T between mu r_N p_k and mu r_N p_(k+1),  u_N = 0,  u_T = -kappa c,  kappa > 0, c its normal      (2)
//
// (the linear complementarity problem of one contact: Renouf, Acary, Dumont 2005, section 5, with u_T in the normal
// cone of the polygon). The solver tries its 1 + 2 nu linear systems and takes the solution nearest to the guess, which
// matters because a faceted law has more solutions than the round one. Exact in dimension 2, where P is a segment; in
// dimension 3 the direction of sliding is off by up to pi/nu. Dimensions above 3 are not supported: CPS_LOCAL_FAILED.
// Laws: Coulomb; convex by the exact solver of enum_convex.c, with the round cone.
#include <float.h>
#include <string.h>

#include "friction/facets.h"
#include "friction/local/enum_convex.h"
#include "friction/local/local.h"
#include "friction/local/small.h"

// Relative violation allowed in inequalities: corners and sides meet where both hold with equality.
static const double slack = 1e-10;

typedef struct Search {
  const CpsLocalProblem* problem;
  const double* guess;
  double distance;  // of the best so far, squared
  double best[3];
} Search;

static void offer(Search* search, const double* r) {
  double distance = 0.0;
  for (int i = 0; i < search->problem->dim; i++) {
    distance += (r[i] - search->guess[i]) * (r[i] - search->guess[i]);
  }
  if (!(distance < search->distance)) return;
  search->distance = distance;
  memcpy(search->best, r, (size_t)search->problem->dim * sizeof *r);
}

// x.c for the tangential parts
static double along(const CpsLocalProblem* problem, const double* x_T, const double* c) {
  return cps_small_dot(problem->dim - 1, x_T, c);
}

static void try_stick(Search* search, const CpsLocalSettings* settings) {
  const CpsLocalProblem* problem = search->problem;
  const int d = problem->dim, count = cps_facet_count(d, settings->facets);
  double LU[9], r[3] = {0}, c[2] = {0};
  int pivot[3];
  memcpy(LU, problem->W, (size_t)(d * d) * sizeof *LU);
  for (int i = 0; i < d; i++) r[i] = -problem->b[i];
  if (!cps_small_lu_factor(d, LU, pivot, 1e-13 * cps_small_trace(d, problem->W))) return;
  cps_small_lu_solve(d, LU, pivot, r);
  const double radius = problem->mu * r[0] * cps_facet_apothem(d, settings->facets, settings->facet_kind);
  for (int k = 0; k < count; k++) {
    cps_facet_normal(d, settings->facets, settings->facet_kind, k, c);
    if (!(along(problem, r + 1, c) <= radius + slack * fabs(radius))) return;
  }
  offer(search, r);
}

static void try_corner(Search* search, const double* before, const double* p, const double* after) {
  const CpsLocalProblem* problem = search->problem;
  const int d = problem->dim;
  double r[3] = {0}, u[3] = {0};
  const double w = problem->W[0] + problem->mu * along(problem, problem->W + 1, p);
  r[0] = -problem->b[0] / w;
  if (!(r[0] > 0.0) || !isfinite(r[0])) return;
  for (int i = 1; i < d; i++) r[i] = problem->mu * r[0] * p[i - 1];
  cps_local_velocity(problem, r, u);
  // Farthest along -u_T: by convexity only the neighbours matter.
  const double here = along(problem, u + 1, p), limit = slack * cps_small_norm(d - 1, u + 1);
  if (here <= along(problem, u + 1, before) + limit && here <= along(problem, u + 1, after) + limit) offer(search, r);
}

// Side between corners p and q, dimension 3.
static void try_side(Search* search, const double* p, const double* q) {
  const CpsLocalProblem* problem = search->problem;
  const double *W = problem->W, *b = problem->b;
  const double e[2] = {q[0] - p[0], q[1] - p[1]};
  const double c[2] = {p[0] + q[0], p[1] + q[1]};  // normal, not of unit length
  const double reach = problem->mu * along(problem, c, p);
  // u_N = 0;  u_T.e = 0;  c.r_T = mu r_N c.p
  double A[9] = {W[0],
                 W[1],
                 W[2],
                 e[0] * W[3] + e[1] * W[6],
                 e[0] * W[4] + e[1] * W[7],
                 e[0] * W[5] + e[1] * W[8],
                 -reach * W[0],
                 c[0] * W[0],
                 c[1] * W[0]};
  double r[3] = {-b[0], -(e[0] * b[1] + e[1] * b[2]), 0.0}, u[3] = {0};
  int pivot[3];
  if (!cps_small_lu_factor(3, A, pivot, DBL_MIN)) return;
  cps_small_lu_solve(3, A, pivot, r);
  if (!(r[0] > 0.0) || !isfinite(cps_small_norm(3, r))) return;
  const double place = along(problem, r + 1, e), lo = problem->mu * r[0] * along(problem, p, e);
  const double hi = problem->mu * r[0] * along(problem, q, e), room = slack * (hi - lo);
  if (!(place >= lo - room && place <= hi + room)) return;
  cps_local_velocity(problem, r, u);
  if (along(problem, u + 1, c) <= slack * cps_small_norm(3, b)) offer(search, r);
}

static CpsLocalResult solve(const CpsLocalProblem* problem, const double* cache, const CpsLocalSettings* settings,
                            double* r) {
  (void)cache;
  CpsLocalResult simple;
  if (cps_local_solve_simple(problem, r, &simple)) return simple;
  if (problem->law == CPS_LAW_CONVEX) return cps_enum_solve_convex(problem, settings, r);
  const int d = problem->dim;
  if (d > 3) return CPS_LOCAL_FAILED;
  if (problem->b[0] >= 0.0) {
    memset(r, 0, (size_t)d * sizeof *r);
    return CPS_LOCAL_SOLVED;
  }
  Search search = {.problem = problem, .guess = r, .distance = INFINITY};
  const int facets = settings->facets, count = cps_facet_count(d, facets);
  try_stick(&search, settings);
  // Sticking is preferred if possible, as in the enumeration of the round law.
  if (!isfinite(search.distance)) {
    double before[2] = {0}, p[2] = {0}, after[2] = {0};
    cps_facet_corner(d, facets, settings->facet_kind, count - 1, before);
    cps_facet_corner(d, facets, settings->facet_kind, 0, p);
    for (int k = 0; k < count; k++) {
      cps_facet_corner(d, facets, settings->facet_kind, (k + 1) % count, after);
      try_corner(&search, before, p, after);
      if (d == 3) try_side(&search, p, after);
      memcpy(before, p, sizeof p);
      memcpy(p, after, sizeof p);
    }
  }
  if (!isfinite(search.distance)) return CPS_LOCAL_FAILED;
  memcpy(r, search.best, (size_t)d * sizeof *r);
  return CPS_LOCAL_SOLVED;
}

const CpsLocalSolver cps_local_pyramid = {
    .info = {.name = "pyramid",
             .summary = "faceted cone, solved exactly by trying its corners and sides; dimensions 2 and 3",
             .reference = "Renouf, Acary, Dumont 2005, section 5",
             .exact = false},
    .solve = solve,
};
