// Linear algebra of one contact (n <= CPS_DIM_MAX), inline so that the compiler can unroll it for the caller.
#ifndef CAPSTAN_FRICTION_LOCAL_SMALL_H
#define CAPSTAN_FRICTION_LOCAL_SMALL_H

#include <math.h>
#include <stdbool.h>

#include "capstan/problem.h"

static inline double cps_small_dot(int n, const double* a, const double* b) {
  double sum = 0.0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static inline double cps_small_norm(int n, const double* a) {
  return sqrt(cps_small_dot(n, a, a));
}

// y = A x
static inline void cps_small_apply(int n, const double* A, const double* x, double* y) {
  for (int i = 0; i < n; i++) y[i] = cps_small_dot(n, A + i * n, x);
}

static inline double cps_small_trace(int n, const double* A) {
  double sum = 0.0;
  for (int i = 0; i < n; i++) sum += A[i * n + i];
  return sum;
}

// In-place LU with partial pivoting. False if a pivot is not larger than `floor` in magnitude; A is then incomplete.
static inline bool cps_small_lu_factor(int n, double* A, int* pivot, double floor) {
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(A[i * n + k]) > fabs(A[best * n + k])) best = i;
    pivot[k] = best;
    if (!(fabs(A[best * n + k]) > floor)) return false;
    if (best != k)
      for (int j = 0; j < n; j++) {
        double swap = A[k * n + j];
        A[k * n + j] = A[best * n + j];
        A[best * n + j] = swap;
      }
    const double inverse = 1.0 / A[k * n + k];
    for (int i = k + 1; i < n; i++) {
      const double factor = A[i * n + k] *= inverse;
      for (int j = k + 1; j < n; j++) A[i * n + j] -= factor * A[k * n + j];
    }
  }
  return true;
}

// x <- A^-1 x with the factors above.
static inline void cps_small_lu_solve(int n, const double* LU, const int* pivot, double* x) {
  for (int k = 0; k < n; k++) {
    const double swap = x[k];
    x[k] = x[pivot[k]];
    x[pivot[k]] = swap;
  }
  for (int i = 1; i < n; i++)
    for (int j = 0; j < i; j++) x[i] -= LU[i * n + j] * x[j];
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) x[i] -= LU[i * n + j] * x[j];
    x[i] /= LU[i * n + i];
  }
}

// Least-squares solution x of A x = b by Householder QR with column pivoting; A (n x n) and b are destroyed. Columns
// with a remainder below relative * the largest column are dropped (their unknowns are 0). Returns the rank.
int cps_small_least_squares(int n, double* A, double* b, double relative, double* x);

#endif
