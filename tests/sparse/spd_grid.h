// A symmetric positive definite matrix of 3 x 3 blocks on a grid of nodes: springs to all nodes within a distance, and a mass.
#ifndef CAPSTAN_TESTS_SPARSE_SPD_GRID_H
#define CAPSTAN_TESTS_SPARSE_SPD_GRID_H

#include "core/arena.h"
#include "core/random.h"
#include "sparse/block_matrix.h"
#include "test_helpers.h"

#include <math.h>

// Nodes of a cell (a, b) and (c, d) are coupled if their squared distance is at most `reach`; 5 gives 21 blocks a row, like
// bending patches of cloth. The full pattern.
static inline CpsBlockMatrix spd_grid_make(int32_t wide, int32_t high, int32_t reach, CpsArena* arena) {
  int32_t n = wide * high;
  CpsRandom random = cps_random_seed(11);
  CpsBlockMatrix A = {.rows = n, .dim = 3, .start = CPS_TAKE(arena, int64_t, n + 1)};
  int64_t* offset = CPS_TAKE(arena, int64_t, n + 1);
  A.col = CPS_TAKE(arena, int32_t, (int64_t)n * 49);
  A.at = CPS_TAKE(arena, int64_t, (int64_t)n * 49 + 1);
  A.value = CPS_TAKE_ZERO(arena, double, (int64_t)n * 49 * 9);
  assert_true(offset && A.start && A.col && A.at && A.value);
  A.offset = offset;
  int64_t count = 0;
  for (int32_t i = 0; i < n; i++) {
    A.start[i] = count;
    for (int32_t j = 0; j < n; j++) {
      int32_t a = i % wide - j % wide, b = i / wide - j / wide;
      if (a * a + b * b <= reach) A.col[count++] = j;
    }
  }
  A.start[n] = count;
  for (int32_t i = 0; i <= n; i++) offset[i] = 3 * (int64_t)i;
  for (int64_t k = 0; k <= count; k++) A.at[k] = 9 * k;
  for (int32_t i = 0; i < n; i++) {
    double* own = A.value + 9 * cps_block_matrix_find(&A, i, i);
    for (int e = 0; e < 9; e += 4) own[e] += 0.05;
    for (int64_t k = A.start[i]; k < A.start[i + 1] && A.col[k] < i; k++) {
      double* other = A.value + 9 * cps_block_matrix_find(&A, A.col[k], A.col[k]);
      double* mirror = A.value + 9 * cps_block_matrix_find(&A, A.col[k], i);
      double direction[3];
      for (int a = 0; a < 3; a++) direction[a] = cps_random_normal(&random);
      for (int e = 0; e < 9; e++) {
        double spring = direction[e / 3] * direction[e % 3] + (e % 4 == 0 ? 0.1 : 0.0);
        own[e] += spring;
        other[e] += spring;
        A.value[9 * k + e] -= spring;
        mirror[e] -= spring;
      }
    }
  }
  return A;
}

// max |A x - b| / (max |A| max |x|): rounding, times some growth, for a stable solve.
static inline double spd_residual(const CpsBlockMatrix* A, const double* x, const double* b, double* work) {
  double worst = 0.0, size = 0.0, largest = 0.0;
  cps_block_matrix_multiply(A, x, work);
  for (int64_t k = 0; k < 9 * A->start[A->rows]; k++) largest = fmax(largest, fabs(A->value[k]));
  for (int32_t i = 0; i < 3 * A->rows; i++) {
    worst = fmax(worst, fabs(work[i] - b[i]));
    size = fmax(size, fabs(x[i]));
  }
  return worst / (largest * size);
}

#endif
