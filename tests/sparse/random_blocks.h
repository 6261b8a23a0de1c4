// Random block-sparse matrices beside their dense twins.
#ifndef CAPSTAN_TESTS_SPARSE_RANDOM_BLOCKS_H
#define CAPSTAN_TESTS_SPARSE_RANDOM_BLOCKS_H

#include "core/random.h"
#include "sparse/block_matrix.h"
#include "test_helpers.h"

#include <string.h>

enum { MOST_BLOCK_ROWS = 24, MOST_ROWS = 6 * MOST_BLOCK_ROWS };

typedef struct RandomBlocks {
  CpsBlockMatrix A;
  int rows;  // scalar rows
  int64_t offset[MOST_BLOCK_ROWS + 1], start[MOST_BLOCK_ROWS + 1], at[MOST_BLOCK_ROWS * MOST_BLOCK_ROWS + 1];
  int32_t col[MOST_BLOCK_ROWS * MOST_BLOCK_ROWS];
  double value[MOST_ROWS * MOST_ROWS], dense[MOST_ROWS * MOST_ROWS];
} RandomBlocks;

// n block rows of dimension `dim`, or of 2, 3 and 6 in turn if it is 0; a block off the diagonal is there with
// probability `fill`, with its mirror image if `symmetric_pattern`; diagonal blocks always. Entries are Gaussian.
static inline void random_blocks_make(RandomBlocks* m, CpsRandom* random, int32_t n, int32_t dim, double fill,
                                      bool symmetric_pattern) {
  static const int DIMS[] = {2, 3, 6};
  bool there[MOST_BLOCK_ROWS][MOST_BLOCK_ROWS];
  for (int32_t i = 0; i < n; ++i) {
    for (int32_t j = 0; j < n; ++j) {
      there[i][j] = i == j || cps_random_uniform(random) < fill;
      if (symmetric_pattern && j < i) there[i][j] = there[j][i];
    }
  }
  m->offset[0] = 0;
  for (int32_t i = 0; i < n; ++i) m->offset[i + 1] = m->offset[i] + (dim ? dim : DIMS[i % 3]);
  m->rows = (int)m->offset[n];
  memset(m->dense, 0, sizeof m->dense);
  int64_t blocks = 0, values = 0;
  for (int32_t i = 0; i < n; ++i) {
    m->start[i] = blocks;
    for (int32_t j = 0; j < n; ++j) {
      if (!there[i][j]) continue;
      m->col[blocks] = j;
      m->at[blocks++] = values;
      for (int64_t p = m->offset[i]; p < m->offset[i + 1]; ++p) {
        for (int64_t q = m->offset[j]; q < m->offset[j + 1]; ++q) {
          m->value[values] = m->dense[p * m->rows + q] = cps_random_normal(random);
          values++;
        }
      }
    }
  }
  m->start[n] = blocks;
  m->at[blocks] = values;
  m->A = (CpsBlockMatrix){
      .rows = n, .dim = dim, .offset = m->offset, .start = m->start, .col = m->col, .at = m->at, .value = m->value};
}

// The dense twin of any block matrix.
static inline void to_dense(const CpsBlockMatrix* A, double* dense) {
  int64_t n = A->offset[A->rows];
  memset(dense, 0, (size_t)(n * n) * sizeof *dense);
  for (int32_t i = 0; i < A->rows; ++i) {
    for (int64_t k = A->start[i]; k < A->start[i + 1]; ++k) {
      int64_t first = A->offset[A->col[k]], cols = A->offset[A->col[k] + 1] - first;
      for (int64_t p = A->offset[i]; p < A->offset[i + 1]; ++p) {
        for (int64_t q = 0; q < cols; ++q) {
          dense[p * n + first + q] = A->value[A->at[k] + (p - A->offset[i]) * cols + q];
        }
      }
    }
  }
}

#endif
