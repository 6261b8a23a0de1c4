// One-contact solver: pure Newton on the Alart-Curnier function.
//
//   f(r) = f_AC(r, u(r)) = 0,   u = W r + b,   A = df/du W + df/dr,   A step = -f   (ac_function.c) (1)
//
// Alart and Curnier 1991; Jourdan, Alart, Jean 1998; Bertails-Descoubes et al. 2011, algorithm 1, with the sign of the
// step corrected and rho = d / tr W (the paper's default of 1 fails on a fifth of the problems even for spheres). A
// singular A is solved by least squares. Laws: all; for convex, f is the natural map of the cone.
//
// Not guaranteed to converge: without damping the iteration may cycle (measured rates in docs/theory/one-contact.md).
#include "friction/local/ac_function.h"
#include "friction/local/local.h"
#include "friction/local/newton_step.h"

static inline void full_step(const CpsLocalProblem* problem, int d, const double* A, const double* f, double* x) {
  (void)problem;
  double step[CPS_DIM_MAX] = {0};
  cps_newton_solve_any(d, A, f, step);
  for (int i = 0; i < d; i++) x[i] += step[i];
}

static CpsLocalResult solve(const CpsLocalProblem* problem, const double* cache, const CpsLocalSettings* settings,
                            double* r) {
  (void)cache;
  return cps_newton_run(problem, settings, cps_ac_function, full_step, r);
}

const CpsLocalSolver cps_local_ac = {
    .info = {.name = "ac",
             .summary = "pure Newton on the Alart-Curnier function",
             .reference = "Alart, Curnier 1991; Bertails-Descoubes et al. 2011",
             .exact = true},
    .solve = solve,
};
