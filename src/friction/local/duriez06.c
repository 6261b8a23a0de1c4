// One-contact solver with a diagonal approximation of the Delassus block (Duriez et al. 2006).
//
//   W ~ D = diag(w_N, w_T, …, w_T),  w_T the mean of the diagonal of W_TT;   u = D r + b obeys Coulomb's law   (1)
//   r_N = max(0, -b_N / w_N),   r_T = -b_T / w_T, cut to the disc of radius mu r_N
//
// Exact for spheres (W = D). For any other W the answer satisfies the law of the model (1), not that of W, and a
// Gauss-Seidel loop with it may converge to something else or diverge. Laws: Coulomb by (1); convex by the exact solver
// of enum_convex.c. Fails if w_N or w_T is not positive.
#include "friction/local/diagonal.h"
#include "friction/local/enum_convex.h"

static CpsLocalResult solve(const CpsLocalProblem* problem, const double* cache, const CpsLocalSettings* settings,
                            double* r) {
  (void)cache;
  CpsLocalResult simple;
  if (cps_local_solve_simple(problem, r, &simple)) return simple;
  if (problem->law == CPS_LAW_CONVEX) return cps_enum_solve_convex(problem, settings, r);
  const CpsDiagonal D = cps_diagonal(problem);
  if (!(D.w_N > 0.0) || !(D.w_T > 0.0) || !isfinite(cps_local_error(problem, r))) return CPS_LOCAL_FAILED;
  cps_diagonal_solve(D, problem->dim, problem->mu, problem->b, r);
  return CPS_LOCAL_SOLVED;
}

const CpsLocalSolver cps_local_duriez06 = {
    .info = {.name = "duriez06",
             .summary = "diagonal approximation of the block; exact for spheres only",
             .reference = "Duriez, Dubois, Kheddar, Andriot 2006",
             .exact = false},
    .solve = solve,
};
