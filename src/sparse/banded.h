// Symmetric positive definite banded matrices: n x n, entries (i, j) with |i - j| <= k. The lower band is stored by rows,
//
//   (i, j), i - k <= j <= i, at a[i (k + 1) + k - (i - j)]
//
// so the diagonal is the last number of each row; entries left of column 0 are never read. Nothing allocates.
#ifndef CAPSTAN_SPARSE_BANDED_H
#define CAPSTAN_SPARSE_BANDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Position of the entry (i, j), i - k <= j <= i.
static inline ptrdiff_t cps_banded_at(int32_t k, int32_t i, int32_t j) {
  return (ptrdiff_t)i * (k + 1) + k - (i - j);
}
// In-place Cholesky A = L L^T. False if a pivot is not positive; a is then spoilt.
bool cps_banded_factor(int32_t n, int32_t k, double* a);
// L x = b in place; b is zero before index `first`, and so is x.
void cps_banded_solve_lower(int32_t n, int32_t k, const double* a, int32_t first, double* x);
// L^T x = b in place.
void cps_banded_solve_upper(int32_t n, int32_t k, const double* a, double* x);
// y = A x, with the matrix itself.
void cps_banded_multiply(int32_t n, int32_t k, const double* a, const double* x, double* y);

#endif
