// Cholesky with the upper factor by rows, right-looking: row i is finished, then subtracted from all rows below. Kernels
// compiled twice are static: the shared library would export a choice made at load time.
#include "sparse/upper.h"

#include "core/simd.h"

#include <math.h>

CPS_HOT static bool factor(int32_t n, double* A) {
  for (int32_t i = 0; i < n; ++i) {
    double* restrict row = A + (int64_t)i * n;
    if (!(row[i] > 0.0) || !(row[i] <= 1e300)) return false;
    double inverse = 1.0 / sqrt(row[i]);
    row[i] = inverse;
    for (int32_t k = i + 1; k < n; ++k) row[k] *= inverse;
    for (int32_t j = i + 1; j < n; ++j) {
      double* restrict below = A + (int64_t)j * n;
      double by = row[j];
      for (int32_t k = j; k < n; ++k) below[k] -= by * row[k];
    }
  }
  return true;
}

CPS_HOT static void solve_rows(int32_t n, const double* U, int32_t first, double* G) {
  double* restrict g0 = G, * restrict g1 = G + n, * restrict g2 = G + 2 * (int64_t)n;
  for (int32_t i = first; i < n; ++i) {
    const double* restrict row = U + (int64_t)i * n;
    double a = g0[i] *= row[i], b = g1[i] *= row[i], c = g2[i] *= row[i];
    for (int32_t k = i + 1; k < n; ++k) {
      g0[k] -= a * row[k];
      g1[k] -= b * row[k];
      g2[k] -= c * row[k];
    }
  }
}

CPS_HOT static void solve_transposed(int32_t n, const double* U, double* x) {
  for (int32_t i = 0; i < n; ++i) {
    const double* restrict row = U + (int64_t)i * n;
    double a = x[i] *= row[i];
    for (int32_t k = i + 1; k < n; ++k) x[k] -= a * row[k];
  }
}

bool cps_upper_factor(int32_t n, double* A) {
  return factor(n, A);
}

void cps_upper_solve_rows(int32_t n, const double* U, int32_t first, double* G) {
  solve_rows(n, U, first, G);
}

void cps_upper_solve_transposed(int32_t n, const double* U, double* x) {
  solve_transposed(n, U, x);
}

void cps_upper_solve(int32_t n, const double* U, double* x) {
  for (int32_t i = n - 1; i >= 0; --i) {
    const double* row = U + (int64_t)i * n;
    double sum = x[i];
    for (int32_t k = i + 1; k < n; ++k) sum -= row[k] * x[k];
    x[i] = sum * row[i];
  }
}
