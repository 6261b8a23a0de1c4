// One-contact solver: invert, then scale (Moreau 1988; Renouf, Acary, Dumont 2005, section 6.2).
//
//   b_N >= 0: r = 0.   Otherwise  r = -W^-1 b,  and if ||r_T|| > mu r_N:  r_T <- mu r_N r_T / ||r_T|| (1)
//
// r_N is kept from the sticking trial. Exact if the contact sticks and for W = diag(w_N, w_t, …, w_t), that is for
// spheres; otherwise a sliding contact gets an r of wrong size and direction without any warning. Fails if W is
// singular or the trial pulls (r_N <= 0). Laws: Coulomb by (1); convex by the exact solver of enum_convex.c.
#include <string.h>

#include "friction/local/enum_convex.h"
#include "friction/local/local.h"
#include "friction/local/small.h"

static CpsLocalResult solve(const CpsLocalProblem* problem, const double* cache, const CpsLocalSettings* settings,
                            double* r) {
  (void)cache;
  CpsLocalResult simple;
  if (cps_local_solve_simple(problem, r, &simple)) return simple;
  if (problem->law == CPS_LAW_CONVEX) return cps_enum_solve_convex(problem, settings, r);
  const int d = problem->dim;
  if (problem->b[0] >= 0.0) {
    memset(r, 0, (size_t)d * sizeof *r);
    return CPS_LOCAL_SOLVED;
  }
  double LU[CPS_DIM_MAX * CPS_DIM_MAX], trial[CPS_DIM_MAX] = {0};
  int pivot[CPS_DIM_MAX];
  memcpy(LU, problem->W, (size_t)(d * d) * sizeof *LU);
  for (int i = 0; i < d; i++) trial[i] = -problem->b[i];
  if (!cps_small_lu_factor(d, LU, pivot, 1e-14 * cps_small_trace(d, problem->W))) return CPS_LOCAL_FAILED;
  cps_small_lu_solve(d, LU, pivot, trial);
  if (!(trial[0] > 0.0) || !isfinite(cps_small_norm(d, trial))) return CPS_LOCAL_FAILED;
  const double length = cps_small_norm(d - 1, trial + 1), radius = problem->mu * trial[0];
  const double factor = length > radius ? radius / length : 1.0;
  r[0] = trial[0];
  for (int i = 1; i < d; i++) r[i] = factor * trial[i];
  return CPS_LOCAL_SOLVED;
}

const CpsLocalSolver cps_local_radial = {
    .info = {.name = "radial",
             .summary = "stick trial scaled back to the cone; exact for spheres only",
             .reference = "Renouf, Acary, Dumont 2005, section 6.2",
             .exact = false},
    .solve = solve,
};
