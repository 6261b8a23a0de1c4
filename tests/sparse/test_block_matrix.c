// Block-sparse matrices against their dense twins: uniform and mixed block sizes, unsymmetric patterns.
#include "sparse/block_matrix.h"

#include "random_blocks.h"

#include <string.h>

typedef struct Case {
  int32_t dim;
  double fill;
  bool symmetric_pattern;
} Case;
static const Case CASES[] = {{3, 0.3, false}, {3, 0.3, true}, {2, 0.5, false}, {6, 0.2, true},
                             {0, 0.3, false}, {0, 0.4, true}, {3, 0.0, false}, {0, 1.0, false}};
enum { CASE_COUNT = sizeof CASES / sizeof *CASES };

static RandomBlocks m;
static double S_dense[MOST_ROWS * MOST_ROWS];

static void make_case(int c) {
  CpsRandom random = cps_random_seed(100 + (uint64_t)c);
  random_blocks_make(&m, &random, 17, CASES[c].dim, CASES[c].fill, CASES[c].symmetric_pattern);
}

static void a_product_is_that_of_the_dense_matrix(void** state) {
  (void)state;
  CpsRandom random = cps_random_seed(1);
  for (int c = 0; c < CASE_COUNT; ++c) {
    make_case(c);
    double x[MOST_ROWS], y[MOST_ROWS], row[6];
    for (int k = 0; k < m.rows; ++k) x[k] = cps_random_normal(&random);
    memset(y, 0x7f, sizeof y);  // what was there must not matter
    cps_block_matrix_multiply(&m.A, x, y);
    for (int p = 0; p < m.rows; ++p) {
      double sum = 0.0, size = 0.0;
      for (int q = 0; q < m.rows; ++q) {
        sum += m.dense[p * m.rows + q] * x[q];
        size += fabs(m.dense[p * m.rows + q] * x[q]);
      }
      // two sums of at most 102 terms in different order
      assert_near(y[p], sum, 102 * 2.3e-16 * size);
    }
    for (int32_t i = 0; i < m.A.rows; ++i) {
      cps_block_matrix_row_multiply(&m.A, i, x, row);
      assert_memory_equal(row, y + m.offset[i], (size_t)(m.offset[i + 1] - m.offset[i]) * sizeof *row);
    }
  }
}

static void a_block_is_found_if_and_only_if_it_is_stored(void** state) {
  (void)state;
  for (int c = 0; c < CASE_COUNT; ++c) {
    make_case(c);
    for (int32_t i = 0; i < m.A.rows; ++i) {
      int64_t expected = m.start[i];
      for (int32_t j = 0; j < m.A.rows; ++j) {
        // Gaussian entries are not zero, so the dense twin knows what is stored
        bool stored = m.dense[m.offset[i] * m.rows + m.offset[j]] != 0.0;
        assert_int_equal(cps_block_matrix_find(&m.A, i, j), stored ? expected : -1);
        expected += stored;
      }
    }
  }
}

static void asymmetry_is_the_largest_difference_to_the_transpose(void** state) {
  (void)state;
  for (int c = 0; c < CASE_COUNT; ++c) {
    make_case(c);
    double largest = 0.0, difference = 0.0;
    for (int p = 0; p < m.rows; ++p) {
      for (int q = 0; q < m.rows; ++q) {
        largest = fmax(largest, fabs(m.dense[p * m.rows + q]));
        difference = fmax(difference, fabs(m.dense[p * m.rows + q] - m.dense[q * m.rows + p]));
      }
    }
    assert_near(cps_block_matrix_asymmetry(&m.A), difference / largest, 0.0);
  }
  memset(m.value, 0, sizeof m.value);
  assert_near(cps_block_matrix_asymmetry(&m.A), 0.0, 0.0);
}

static void the_symmetric_part_is_that_of_the_dense_matrix(void** state) {
  (void)state;
  for (int c = 0; c < CASE_COUNT; ++c) {
    make_case(c);
    CpsArena arena = {0};
    CpsBlockMatrix S;
    assert_true(cps_block_matrix_symmetrise(&m.A, &arena, &S));
    to_dense(&S, S_dense);
    for (int p = 0; p < m.rows; ++p) {
      for (int q = 0; q < m.rows; ++q) {
        // halves are exact and a sum does not depend on the order of its two terms
        double half = 0.5 * m.dense[p * m.rows + q] + 0.5 * m.dense[q * m.rows + p];
        assert_near(S_dense[p * m.rows + q], half, 0.0);
      }
    }
    assert_near(cps_block_matrix_asymmetry(&S), 0.0, 0.0);
    assert_int_equal(S.dim, m.A.dim);
    cps_arena_free(&arena);
  }
}

static void completing_adds_zero_blocks_only(void** state) {
  (void)state;
  for (int c = 0; c < CASE_COUNT; ++c) {
    make_case(c);
    CpsArena arena = {0};
    CpsBlockMatrix P;
    assert_true(cps_block_matrix_complete(&m.A, &arena, &P));
    to_dense(&P, S_dense);
    assert_memory_equal(S_dense, m.dense, (size_t)m.rows * (size_t)m.rows * sizeof *S_dense);
    for (int32_t i = 0; i < P.rows; ++i) {
      for (int64_t k = P.start[i]; k < P.start[i + 1]; ++k) {
        assert_true(cps_block_matrix_find(&P, P.col[k], i) >= 0);
        assert_true(k == P.start[i] || P.col[k - 1] < P.col[k]);
        assert_int_equal(P.at[k + 1] - P.at[k],
                         (P.offset[i + 1] - P.offset[i]) * (P.offset[P.col[k] + 1] - P.offset[P.col[k]]));
      }
    }
    // a symmetric pattern is not copied
    bool same = CASES[c].symmetric_pattern || CASES[c].fill == 0.0 || CASES[c].fill == 1.0;
    assert_int_equal(P.value == m.A.value, same);
    cps_arena_free(&arena);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_product_is_that_of_the_dense_matrix),
      cmocka_unit_test(a_block_is_found_if_and_only_if_it_is_stored),
      cmocka_unit_test(asymmetry_is_the_largest_difference_to_the_transpose),
      cmocka_unit_test(the_symmetric_part_is_that_of_the_dense_matrix),
      cmocka_unit_test(completing_adds_zero_blocks_only),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
