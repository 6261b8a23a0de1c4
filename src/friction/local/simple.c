// Blocks that need no iteration: bilateral, free, and cones without friction.
//
//   free       r = 0
//   bilateral  W r = -b, by least squares where W is singular                                                     (1)
//   mu = 0     r_T = 0,  0 <= r_N  complementary to  w_N r_N + b_N >= 0                                            (2)
//
// With mu = 0 the laws coulomb and convex are the same (K_0 is the normal half-line, De Saxce's shift vanishes).
// No solution: W singular and b outside its range (1); w_N = 0 and b_N < 0 (2).
#include <string.h>

#include "friction/local/local.h"
#include "friction/local/small.h"

// Columns of W below this share of the largest count as zero: well above the rounding of a W assembled in double.
static const double rank_tolerance = 1e-12;
// A singular system counts as consistent if its residual is below this share of ||b||.
static const double consistency_tolerance = 1e-9;

static CpsLocalResult solve_bilateral(const CpsLocalProblem* problem, double* r) {
  const int d = problem->dim;
  double A[CPS_DIM_MAX * CPS_DIM_MAX], x[CPS_DIM_MAX] = {0};
  int pivot[CPS_DIM_MAX];
  const double b_norm = cps_small_norm(d, problem->b);
  double largest = 0.0;
  for (int i = 0; i < d * d; i++) largest = fmax(largest, fabs(problem->W[i]));
  memcpy(A, problem->W, (size_t)(d * d) * sizeof *A);
  if (cps_small_lu_factor(d, A, pivot, rank_tolerance * largest)) {
    for (int i = 0; i < d; i++) x[i] = -problem->b[i];
    cps_small_lu_solve(d, A, pivot, x);
    if (!isfinite(cps_small_norm(d, x))) return CPS_LOCAL_FAILED;
    memcpy(r, x, (size_t)d * sizeof *r);
    return CPS_LOCAL_SOLVED;
  }
  // Singular: correct the guess, W (r + x) = -b, so that its part in the null space of W stays.
  double u[CPS_DIM_MAX];
  cps_local_velocity(problem, r, u);
  for (int i = 0; i < d; i++) u[i] = -u[i];
  memcpy(A, problem->W, (size_t)(d * d) * sizeof *A);
  cps_small_least_squares(d, A, u, rank_tolerance, x);
  for (int i = 0; i < d; i++) x[i] += r[i];
  if (!isfinite(cps_small_norm(d, x))) return CPS_LOCAL_FAILED;
  memcpy(r, x, (size_t)d * sizeof *r);
  cps_local_velocity(problem, r, u);
  return cps_small_norm(d, u) <= consistency_tolerance * b_norm ? CPS_LOCAL_SOLVED : CPS_LOCAL_NO_SOLUTION;
}

static CpsLocalResult solve_frictionless(const CpsLocalProblem* problem, double* r) {
  const int d = problem->dim;
  const double w_N = problem->W[0], b_N = problem->b[0];
  double normal = 0.0;
  if (!(b_N >= 0.0)) {
    // W positive semi-definite: w_N = 0 zeroes the whole row, u_N = b_N < 0 for every r
    if (!(w_N > rank_tolerance * cps_small_trace(d, problem->W))) {
      return isfinite(b_N) ? CPS_LOCAL_NO_SOLUTION : CPS_LOCAL_FAILED;
    }
    normal = -b_N / w_N;
    if (!isfinite(normal)) return CPS_LOCAL_FAILED;
  }
  memset(r, 0, (size_t)d * sizeof *r);
  r[0] = normal;
  return CPS_LOCAL_SOLVED;
}

bool cps_local_solve_simple(const CpsLocalProblem* problem, double* r, CpsLocalResult* result) {
  switch (problem->law) {
    case CPS_LAW_FREE:
      memset(r, 0, (size_t)problem->dim * sizeof *r);
      *result = CPS_LOCAL_SOLVED;
      return true;
    case CPS_LAW_BILATERAL:
      *result = solve_bilateral(problem, r);
      return true;
    case CPS_LAW_COULOMB:
    case CPS_LAW_CONVEX:
      if (problem->mu > 0.0) return false;
      *result = solve_frictionless(problem, r);
      return true;
  }
  return false;
}
