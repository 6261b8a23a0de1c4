// The Newton step of one contact, shared by the solvers that have a function f(r, u) to bring to zero.
#ifndef CAPSTAN_FRICTION_LOCAL_NEWTON_STEP_H
#define CAPSTAN_FRICTION_LOCAL_NEWTON_STEP_H

#include <math.h>
#include <string.h>

#include "friction/law.h"
#include "friction/local/local.h"
#include "friction/local/small.h"

// u = W r + b and the error e of r relative to ||r|| + b_size, b_size = xi ||b||, as cps_local_error() has it.
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

#endif
