// Cholesky factorisation of a symmetric positive definite banded matrix, A = L L^T, row by row:
//
//   L_ij = (A_ij - sum_{m < j} L_im L_jm) / L_jj,    L_ii = sqrt(A_ii - sum_{m < i} L_im^2)                        (1)
//
// No pivoting, so L has the band of A: n k^2 operations to factorise, 2 n k for each triangular solve.
#include "sparse/banded.h"

#include <math.h>

static int32_t band_start(int32_t k, int32_t i) {
  return i > k ? i - k : 0;
}

// Row i of the band, such that row[j] is the entry (i, j).
static const double* row_of(const double* a, int32_t k, int32_t i) {
  return a + ((ptrdiff_t)i * k + k);
}

bool cps_banded_factor(int32_t n, int32_t k, double* a) {
  for (int32_t i = 0; i < n; ++i) {
    double* Li = a + ((ptrdiff_t)i * k + k);
    int32_t start = band_start(k, i);
    double diagonal = Li[i];
    for (int32_t j = start; j < i; ++j) {
      const double* Lj = row_of(a, k, j);
      double sum = Li[j];
      for (int32_t m = start; m < j; ++m) sum -= Li[m] * Lj[m];
      Li[j] = sum / Lj[j];
      diagonal -= Li[j] * Li[j];
    }
    if (!(diagonal > 0.0) || !isfinite(diagonal)) return false;
    Li[i] = sqrt(diagonal);
  }
  return true;
}

void cps_banded_solve_lower(int32_t n, int32_t k, const double* a, int32_t first, double* x) {
  for (int32_t i = first; i < n; ++i) {
    const double* L = row_of(a, k, i);
    int32_t start = band_start(k, i);
    double sum = x[i];
    for (int32_t j = start > first ? start : first; j < i; ++j) sum -= L[j] * x[j];
    x[i] = sum / L[i];
  }
}

void cps_banded_solve_upper(int32_t n, int32_t k, const double* a, double* x) {
  for (int32_t i = n - 1; i >= 0; --i) {
    const double* L = row_of(a, k, i);
    double value = x[i] / L[i];
    x[i] = value;
    for (int32_t j = band_start(k, i); j < i; ++j) x[j] -= L[j] * value;
  }
}

void cps_banded_multiply(int32_t n, int32_t k, const double* a, const double* x, double* y) {
  for (int32_t i = 0; i < n; ++i) {
    const double* A = row_of(a, k, i);
    double sum = A[i] * x[i];
    for (int32_t j = band_start(k, i); j < i; ++j) {
      sum += A[j] * x[j];
      y[j] += A[j] * x[i];
    }
    y[i] = sum;
  }
}
