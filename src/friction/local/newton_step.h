// The Newton step of one contact, shared by the solvers that find a zero of a function f(r, u).
#ifndef CAPSTAN_FRICTION_LOCAL_NEWTON_STEP_H
#define CAPSTAN_FRICTION_LOCAL_NEWTON_STEP_H

#include <math.h>
#include <string.h>

#include "friction/law.h"
#include "friction/local/local.h"
#include "friction/local/small.h"

// u = W r + b and the error e of r relative to ||r|| + b_size, b_size = xi ||b||, as in cps_local_error().
static inline double cps_newton_error(const CpsLocalProblem* problem, int d, double b_size, const double* r,
                                      double* u) {
  cps_small_apply(d, problem->W, r, u);
  for (int i = 0; i < d; i++) u[i] += problem->b[i];
  const double error = cps_law_error(problem->law, d, problem->mu, problem->xi, r, u);
  return error == 0.0 ? 0.0 : error / (cps_small_norm(d, r) + b_size);
}

// Total derivative A = df/du W + df/dr, since u = W r + b.
static inline void cps_newton_total(int d, const double* df_du, const double* df_dr, const double* W, double* A) {
  for (int i = 0; i < d; i++)
    for (int j = 0; j < d; j++) {
      double sum = df_dr[i * d + j];
      for (int k = 0; k < d; k++) sum += df_du[i * d + k] * W[k * d + j];
      A[i * d + j] = sum;
    }
}

// A step = -f by LU; false if a pivot is below 1e-14 of the largest entry (the determinant has no scale).
static inline bool cps_newton_solve(int d, const double* A, const double* f, double* step) {
  double LU[CPS_DIM_MAX * CPS_DIM_MAX];
  int pivot[CPS_DIM_MAX];
  double largest = 0.0;
  for (int i = 0; i < d * d; i++) largest = fmax(largest, fabs(A[i]));
  memcpy(LU, A, (size_t)(d * d) * sizeof *LU);
  if (!cps_small_lu_factor(d, LU, pivot, 1e-14 * largest)) return false;
  for (int i = 0; i < d; i++) step[i] = -f[i];
  cps_small_lu_solve(d, LU, pivot, step);
  return true;
}

// The same, by least squares where A is singular.
static inline void cps_newton_solve_any(int d, const double* A, const double* f, double* step) {
  double QR[CPS_DIM_MAX * CPS_DIM_MAX], minus_f[CPS_DIM_MAX];
  if (cps_newton_solve(d, A, f, step)) return;
  memcpy(QR, A, (size_t)(d * d) * sizeof *QR);
  for (int i = 0; i < d; i++) minus_f[i] = -f[i];
  cps_small_least_squares(d, QR, minus_f, 1e-12, step);
}

// f(r, u) with its partial derivatives, as in ac_function.h and fb_function.h.
typedef void (*CpsNewtonFunction)(CpsLaw law, int d, double mu, double rho, const double* r, const double* u, double* f,
                                  double* df_du, double* df_dr);
// Moves x from f and the total derivative A at x.
typedef void (*CpsNewtonMove)(const CpsLocalProblem* problem, int d, const double* A, const double* f, double* x);

// The loop of the Newton solvers: measures the common error of x, keeps the best r, updates x. Inline, with constants
// for `function` and `move`, so that each solver gets its own loop.
static inline CpsLocalResult cps_newton_loop(const CpsLocalProblem* problem, int d, const CpsLocalSettings* settings,
                                             CpsNewtonFunction function, CpsNewtonMove move, double* r) {
  const double b_size = problem->xi * cps_small_norm(d, problem->b);
  double x[CPS_DIM_MAX], best_error = INFINITY;
  memcpy(x, r, (size_t)d * sizeof *x);
  for (int iteration = 0; iteration <= settings->max_iterations; iteration++) {
    double u[CPS_DIM_MAX] = {0}, f[CPS_DIM_MAX];
    double df_du[CPS_DIM_MAX * CPS_DIM_MAX], df_dr[CPS_DIM_MAX * CPS_DIM_MAX], A[CPS_DIM_MAX * CPS_DIM_MAX] = {0};
    const double error = cps_newton_error(problem, d, b_size, x, u);
    if (!isfinite(error)) break;
    if (error < best_error) {
      best_error = error;
      memcpy(r, x, (size_t)d * sizeof *r);
      if (error <= settings->tolerance) return CPS_LOCAL_SOLVED;
    }
    function(problem->law, d, problem->mu, problem->xi, x, u, f, df_du, df_dr);
    cps_newton_total(d, df_du, df_dr, problem->W, A);
    move(problem, d, A, f, x);
  }
  return CPS_LOCAL_FAILED;
}

// The same for a problem of any law; the constant dimension lets the compiler unroll the usual case.
static inline CpsLocalResult cps_newton_run(const CpsLocalProblem* problem, const CpsLocalSettings* settings,
                                            CpsNewtonFunction function, CpsNewtonMove move, double* r) {
  CpsLocalResult simple;
  if (cps_local_solve_simple(problem, r, &simple)) return simple;
  const int d = problem->dim;
  return d == 3 ? cps_newton_loop(problem, 3, settings, function, move, r)
                : cps_newton_loop(problem, d, settings, function, move, r);
}

#endif
