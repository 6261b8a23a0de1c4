// The supernodal Cholesky factor: against dense ones, by residuals, and bit for bit over numbers of threads.
// labels: threads
#include "sparse/cholesky.h"

#include "random_blocks.h"
#include "sparse/dense.h"
#include "spd_grid.h"

#include <stdlib.h>
#include <string.h>

enum { N = 20, ROWS = 3 * N };

static CpsArena arena, scratch, matrix;

static int free_arenas(void** state) {
  (void)state;
  cps_arena_free(&arena);
  cps_arena_free(&scratch);
  cps_arena_free(&matrix);
  return 0;
}

static CpsCholesky* analyse(const CpsBlockMatrix* A, CpsCholeskyOrder order, CpsPool* pool) {
  CpsCholeskyOptions options = {.order = order, .pool = pool};
  CpsCholesky* factor = cps_cholesky_create(A, &options, &arena, &scratch);
  assert_non_null(factor);
  cps_arena_reset(&scratch);
  return factor;
}

// Symmetric, with a diagonal that outweighs the rest: positive definite with a condition of some tens.
static void make_spd(RandomBlocks* m, CpsRandom* random, double fill) {
  random_blocks_make(m, random, N, 3, fill, true);
  for (int32_t i = 0; i < N; i++) {
    for (int64_t k = m->start[i]; k < m->start[i + 1]; k++) {
      const double* mirror = m->value + 9 * cps_block_matrix_find(&m->A, m->col[k], i);
      for (int e = 0; e < 9 && m->col[k] < i; e++) m->value[9 * k + e] = mirror[e % 3 * 3 + e / 3];
    }
    double* own = m->value + 9 * cps_block_matrix_find(&m->A, i, i);
    own[1] = own[3], own[2] = own[6], own[5] = own[7];
  }
  to_dense(&m->A, m->dense);
  for (int32_t i = 0; i < ROWS; i++) {
    double size = 1.0;
    for (int32_t j = 0; j < ROWS; j++) size += fabs(m->dense[i * ROWS + j]);
    m->value[9 * cps_block_matrix_find(&m->A, i / 3, i / 3) + i % 3 * 4] += size;
  }
  to_dense(&m->A, m->dense);
}

static RandomBlocks m;

// The condition is some tens: 1e-13 of the solution is a hundred times rounding.
static void random_matrices_are_solved_as_by_a_dense_factor(void** state) {
  (void)state;
  const double fills[] = {0.0, 0.05, 0.15, 0.5, 1.0};
  for (size_t round = 0; round < 15; round++) {
    CpsRandom random = cps_random_seed(round);
    make_spd(&m, &random, fills[round % 5]);
    CpsCholesky* factor = analyse(&m.A, (CpsCholeskyOrder)(round % 4), NULL);
    static double dense[ROWS * ROWS];
    double x[3 * ROWS], work[3 * ROWS];
    for (int again = 0; again < 2; again++) {  // refactored with other values
      for (int64_t k = 0; k < 9 * m.start[N]; k++) m.value[k] *= 1.5;
      to_dense(&m.A, dense);
      assert_int_equal(cps_cholesky_factor(factor, m.value), -1);
      assert_true(cps_dense_cholesky_factor(ROWS, dense, 0.0));
      double expected[3][ROWS];
      for (int i = 0; i < 3 * ROWS; i++) x[i] = expected[i % 3][i / 3] = cps_random_normal(&random);
      cps_cholesky_solve(factor, 3, x, work);
      for (int c = 0; c < 3; c++) cps_dense_cholesky_solve(ROWS, dense, expected[c]);
      for (int i = 0; i < 3 * ROWS; i++) assert_near(x[i], expected[i % 3][i / 3], 1e-13);
    }
    free_arenas(NULL);
  }
}

// |L^-1 P x|^2 = x A^-1 x: the halves of a solve are what they say.
static void forward_and_backward_are_the_halves_of_a_solve(void** state) {
  (void)state;
  CpsRandom random = cps_random_seed(4);
  make_spd(&m, &random, 0.2);
  CpsCholesky* factor = analyse(&m.A, CPS_CHOLESKY_CHEAPEST, NULL);
  assert_int_equal(cps_cholesky_factor(factor, m.value), -1);
  double b[ROWS], x[ROWS], y[ROWS], z[ROWS], work[ROWS], product = 0.0, square = 0.0;
  for (int i = 0; i < ROWS; i++) b[i] = x[i] = cps_random_normal(&random);
  cps_cholesky_solve(factor, 1, x, work);
  cps_cholesky_forward(factor, 1, b, y);
  for (int i = 0; i < ROWS; i++) {
    product += b[i] * x[i];
    square += y[i] * y[i];
  }
  assert_near(product, square, 1e-13 * square);
  cps_cholesky_backward(factor, 1, y, z);
  assert_memory_equal(x, z, sizeof x);
  free_arenas(NULL);
}

// Blocks above the diagonal are not read, also if they are there.
static void the_lower_triangle_is_enough(void** state) {
  (void)state;
  CpsRandom random = cps_random_seed(5);
  make_spd(&m, &random, 0.3);
  double full[ROWS], lower[ROWS], work[ROWS];
  for (int i = 0; i < ROWS; i++) full[i] = lower[i] = cps_random_normal(&random);
  CpsCholesky* factor = analyse(&m.A, CPS_CHOLESKY_AMD, NULL);
  assert_int_equal(cps_cholesky_factor(factor, m.value), -1);
  cps_cholesky_solve(factor, 1, full, work);
  static int64_t start[N + 1];
  static int32_t col[N * N];
  static double value[9 * N * N];
  int64_t count = 0;
  for (int32_t i = 0; i < N; i++) {
    start[i] = count;
    for (int64_t k = m.start[i]; k < m.start[i + 1] && m.col[k] <= i; k++) {
      memcpy(value + 9 * count, m.value + 9 * k, 9 * sizeof *value);
      col[count++] = m.col[k];
    }
  }
  start[N] = count;
  CpsBlockMatrix A = {.rows = N, .dim = 3, .start = start, .col = col};
  factor = analyse(&A, CPS_CHOLESKY_AMD, NULL);
  assert_int_equal(cps_cholesky_factor(factor, value), -1);
  cps_cholesky_solve(factor, 1, lower, work);
  assert_memory_equal(full, lower, sizeof full);
  free_arenas(NULL);
}

static void nothing_one_node_and_separate_nodes(void** state) {
  (void)state;
  int64_t start[8] = {0};
  int32_t col[7];
  double value[63] = {0}, x[21], work[21];
  CpsBlockMatrix A = {.rows = 0, .dim = 3, .start = start, .col = col};
  for (int32_t order = 0; order < CPS_CHOLESKY_GIVEN; order++) {
    A.rows = 0;
    CpsCholesky* factor = analyse(&A, (CpsCholeskyOrder)order, NULL);
    assert_int_equal(cps_cholesky_factor(factor, value), -1);
    cps_cholesky_solve(factor, 1, x, work);
    assert_int_equal(cps_cholesky_fill(factor), 0);
    for (A.rows = 1; A.rows <= 7; A.rows += 6) {  // diagonal blocks 4, 8, … times the identity
      for (int32_t i = 0; i < A.rows; i++) {
        start[i + 1] = i + 1;
        col[i] = i;
        for (int a = 0; a < 3; a++) value[9 * i + 4 * a] = 4.0 * (i + 1), x[3 * i + a] = a + 1.0;
      }
      factor = analyse(&A, (CpsCholeskyOrder)order, NULL);
      assert_int_equal(cps_cholesky_factor(factor, value), -1);
      cps_cholesky_solve(factor, 1, x, work);
      for (int32_t i = 0; i < 3 * A.rows; i++) assert_near(x[i], (i % 3 + 1.0) / (4.0 * (i / 3 + 1)), 1e-15);
    }
  }
  free_arenas(NULL);
}

// Two grids that do not touch: a forest.
static void disconnected_grids_are_solved(void** state) {
  (void)state;
  CpsBlockMatrix one = spd_grid_make(9, 8, 5, &matrix);
  int32_t n = one.rows;
  int64_t count = one.start[n];
  CpsBlockMatrix A = {.rows = 2 * n, .dim = 3, .start = CPS_TAKE(&matrix, int64_t, 2 * n + 1)};
  A.col = CPS_TAKE(&matrix, int32_t, 2 * count);
  A.value = CPS_TAKE(&matrix, double, 18 * count);
  for (int32_t i = 0; i <= 2 * n; i++) A.start[i] = i < n ? one.start[i] : count + one.start[i - n];
  for (int64_t k = 0; k < 2 * count; k++) A.col[k] = one.col[k % count] + (k < count ? 0 : n);
  for (int64_t k = 0; k < 18 * count; k++) A.value[k] = one.value[k % (9 * count)];
  CpsPool* pool = cps_pool_create(2);
  for (int threads = 1; threads <= 2; threads++) {
    CpsCholesky* factor = analyse(&A, CPS_CHOLESKY_CHEAPEST, threads == 2 ? pool : NULL);
    assert_int_equal(cps_cholesky_factor(factor, A.value), -1);
    double *x = CPS_TAKE(&matrix, double, 6 * n), *b = CPS_TAKE(&matrix, double, 6 * n);
    double* work = CPS_TAKE(&matrix, double, 6 * n);
    for (int32_t i = 0; i < 6 * n; i++) x[i] = b[i] = sin(i % (3 * n)) * (i < 3 * n ? 1.0 : 2.0);
    cps_cholesky_solve(factor, 1, x, work);
    assert_below(spd_residual(&one, x, b, work), 1e-14);
    assert_below(spd_residual(&one, x + 3 * n, b + 3 * n, work), 1e-14);
  }
  cps_pool_destroy(pool);
  free_arenas(NULL);
}

// Fronts of some hundred rows, so that also their own loops are shared between the threads.
static void a_grid_gives_the_same_bits_for_any_number_of_threads(void** state) {
  (void)state;
  CpsBlockMatrix A = spd_grid_make(56, 50, 5, &matrix);
  int32_t n = A.rows;
  double *b = CPS_TAKE(&matrix, double, 3 * n), *first = CPS_TAKE(&matrix, double, 3 * n);
  double *x = CPS_TAKE(&matrix, double, 3 * n), *work = CPS_TAKE(&matrix, double, 3 * n);
  size_t bytes = (size_t)(9 * A.start[n]) * sizeof(double);
  double *block = CPS_TAKE_ZERO(&matrix, double, 9 * A.start[n]), *inverse = CPS_TAKE(&matrix, double, 9 * A.start[n]);
  for (int32_t i = 0; i < 3 * n; i++) b[i] = sin(i);
  for (int threads = 1; threads <= (UNDER_TSAN ? 2 : 4); threads *= 2) {
    CpsPool* pool = cps_pool_create(threads);
    CpsCholesky* factor = analyse(&A, CPS_CHOLESKY_METIS, pool);
    for (int again = 0; again < 2; again++) {
      assert_int_equal(cps_cholesky_factor(factor, A.value), -1);
      memcpy(x, b, (size_t)(3 * n) * sizeof *x);
      cps_cholesky_solve(factor, 1, x, work);
      if (threads == 1) memcpy(first, x, (size_t)(3 * n) * sizeof *x);
      assert_memory_equal(x, first, (size_t)(3 * n) * sizeof *x);
    }
    // stable: some roundings relative to the matrix and the solution
    assert_below(spd_residual(&A, x, b, work), 1e-14);
    assert_true(cps_cholesky_inverse(factor, NULL, block, &scratch));
    if (threads == 1) memcpy(inverse, block, bytes);
    assert_memory_equal(block, inverse, bytes);
    cps_pool_destroy(pool);
  }
  free_arenas(NULL);
}

// Both orders of a grid, the cheaper one chosen, and an order that is given.
static void the_cheapest_order_is_taken_and_one_can_be_given(void** state) {
  (void)state;
  CpsBlockMatrix A = spd_grid_make(30, 30, 5, &matrix);
  double metis = cps_cholesky_operations(analyse(&A, CPS_CHOLESKY_METIS, NULL));
  double amd = cps_cholesky_operations(analyse(&A, CPS_CHOLESKY_AMD, NULL));
  // level sets cost more, but not several times as much
  assert_below(cps_cholesky_operations(analyse(&A, CPS_CHOLESKY_LEVELS, NULL)), 2.5 * metis);
  CpsCholesky* factor = analyse(&A, CPS_CHOLESKY_CHEAPEST, NULL);
  // operations are counted before supernodes are merged, which changes them by a few percent
  assert_below(cps_cholesky_operations(factor), 1.1 * fmin(metis, amd));
  double chosen = cps_cholesky_ordering(factor) == CPS_CHOLESKY_METIS ? metis : amd;
  assert_true(cps_cholesky_operations(factor) == chosen);

  CpsCholeskyOptions options = {.order = CPS_CHOLESKY_GIVEN, .given = cps_cholesky_order(factor)};
  CpsCholesky* same = cps_cholesky_create(&A, &options, &arena, &scratch);
  assert_non_null(same);
  assert_true(cps_cholesky_operations(same) <= 1.1 * chosen);
  int32_t twice[900];
  for (int32_t k = 0; k < 900; k++) {
    twice[k] = k / 2;
    assert_int_equal(cps_cholesky_position(same)[cps_cholesky_order(same)[k]], k);
  }
  options.given = twice;
  assert_null(cps_cholesky_create(&A, &options, &arena, &scratch));
  options.given = NULL;
  assert_null(cps_cholesky_create(&A, &options, &arena, &scratch));
  free_arenas(NULL);
}

// METIS draws from rand(), which belongs to the program.
static void the_programs_random_numbers_are_left_alone(void** state) {
  (void)state;
  CpsBlockMatrix A = spd_grid_make(20, 20, 5, &matrix);
  srand(77);
  int first = rand(), second = rand();
  srand(77);
  assert_int_equal(rand(), first);
  analyse(&A, CPS_CHOLESKY_METIS, NULL);
  assert_int_equal(rand(), second);
  free_arenas(NULL);
}

static void blocks_of_the_inverse_are_those_of_the_columns_of_solves(void** state) {
  (void)state;
  CpsBlockMatrix A = spd_grid_make(24, 20, 5, &matrix);
  int32_t n = A.rows;
  CpsCholesky* factor = analyse(&A, CPS_CHOLESKY_CHEAPEST, NULL);
  assert_int_equal(cps_cholesky_factor(factor, A.value), -1);
  double* block = CPS_TAKE(&matrix, double, 9 * A.start[n]);
  double *x = CPS_TAKE(&matrix, double, 9 * n), *work = CPS_TAKE(&matrix, double, 9 * n);
  bool* wanted = CPS_TAKE_ZERO(&matrix, bool, n);
  for (int part = 0; part < 2; part++) {  // all blocks, then those between some nodes
    for (int32_t i = 0; i < n; i++) wanted[i] = i % 7 == 0 || i % 7 == 1 || i == 50;
    for (int64_t k = 0; k < 9 * A.start[n]; k++) block[k] = 99.0;
    assert_true(cps_cholesky_inverse(factor, part ? wanted : NULL, block, &scratch));
    for (int32_t i = 0; i < n; i++) {
      memset(x, 0, (size_t)(9 * n) * sizeof *x);
      for (int a = 0; a < 3; a++) x[(3 * i + a) * 3 + a] = 1.0;
      cps_cholesky_solve(factor, 3, x, work);
      for (int64_t k = A.start[i]; k < A.start[i + 1]; k++) {
        bool there = A.col[k] <= i && (part == 0 || (wanted[i] && wanted[A.col[k]]));
        for (int e = 0; e < 9; e++) {
          // entries of the inverse are below 1 / mass = 20, its condition some thousands
          double expected = there ? x[(3 * A.col[k] + e % 3) * 3 + e / 3] : 99.0;
          assert_near(block[9 * k + e], expected, there ? 1e-13 : 0.0);
        }
      }
    }
  }
  free_arenas(NULL);
}

// What is kept are the same bits, whatever was wanted before; a new factorisation forgets it.
static void blocks_of_the_inverse_that_are_kept_are_those_of_the_last_factor(void** state) {
  (void)state;
  CpsBlockMatrix A = spd_grid_make(24, 20, 5, &matrix);
  const int32_t n = A.rows;
  const int64_t blocks = A.start[n];
  CpsCholeskyOptions options = {.keep_inverse = true};
  CpsCholesky* factor = cps_cholesky_create(&A, &options, &matrix, &scratch);
  double *all = CPS_TAKE(&matrix, double, 9 * blocks), *value = CPS_TAKE(&matrix, double, 9 * blocks);
  bool* wanted = CPS_TAKE(&matrix, bool, n);
  assert_true(factor && all && value && wanted);
  memcpy(value, A.value, 9 * (size_t)blocks * sizeof *value);
  for (int round = 0; round < 2; round++) {
    for (int64_t k = 0; round > 0 && k < 9 * blocks; k++) value[k] *= 2.0;
    assert_int_equal(cps_cholesky_factor(factor, value), -1);
    assert_true(cps_cholesky_inverse(factor, NULL, all, &scratch));
    for (int part = 0; part < 4; part++) {  // some nodes, the same, some of them, others
      for (int32_t i = 0; i < n; i++) wanted[i] = part < 2 ? i % 7 < 2 : part < 3 ? i % 7 == 0 : i % 5 < 2;
      const double* block = cps_cholesky_kept_inverse(factor, wanted, &scratch);
      assert_non_null(block);
      for (int32_t i = 0; i < n; i++) {
        for (int64_t k = A.start[i]; k < A.start[i + 1]; k++) {
          if (A.col[k] > i || !wanted[i] || !wanted[A.col[k]]) continue;
          assert_memory_equal(block + 9 * k, all + 9 * k, 9 * sizeof *all);
        }
      }
    }
  }
  free_arenas(NULL);
}

// The same numbers as a dense right side gives, and nothing touched outside the path.
static void sparse_right_sides_stay_on_their_path(void** state) {
  (void)state;
  CpsBlockMatrix A = spd_grid_make(24, 20, 5, &matrix);
  int32_t n = A.rows, node[3] = {17, 18, 300};
  CpsCholesky* factor = analyse(&A, CPS_CHOLESKY_METIS, NULL);
  assert_int_equal(cps_cholesky_factor(factor, A.value), -1);
  double *x = CPS_TAKE_ZERO(&matrix, double, 6 * n), *y = CPS_TAKE(&matrix, double, 6 * n);
  double* z = CPS_TAKE(&matrix, double, 6 * n);
  int32_t* reach = CPS_TAKE(&matrix, int32_t, cps_cholesky_supernodes(factor));
  for (int k = 0; k < 18; k++) x[(3 * node[k / 6] + k % 6 / 2) * 2 + k % 2] = 1.0 + k;
  cps_cholesky_forward(factor, 2, x, y);
  int32_t work[3], count = cps_cholesky_reach(factor, 3, node, reach, work), length = 0;
  for (int32_t i = 0; i < 6 * n; i++) z[i] = NAN;
  for (int32_t k = 0; k < count; k++) {
    assert_true(k == 0 || reach[k] > reach[k - 1]);
    int32_t first = cps_cholesky_first(factor, reach[k]), last = cps_cholesky_first(factor, reach[k] + 1);
    memset(z + 6 * first, 0, (size_t)(6 * (last - first)) * sizeof *z);
    length += last - first;
  }
  assert_true(length < n);  // some part of the tree is not above these nodes
  for (int k = 0; k < 18; k++) {
    int32_t at = cps_cholesky_position(factor)[node[k / 6]];
    z[(3 * at + k % 6 / 2) * 2 + k % 2] = 1.0 + k;
  }
  cps_cholesky_forward_reach(factor, count, reach, 2, z);
  for (int32_t i = 0; i < 6 * n; i++) assert_true(isnan(z[i]) ? y[i] == 0.0 : z[i] == y[i]);
  cps_cholesky_backward_reach(factor, count, reach, 2, z);
  cps_cholesky_backward(factor, 2, y, x);
  for (int k = 0; k < 18; k++) {
    int32_t at = cps_cholesky_position(factor)[node[k / 6]];
    assert_true(z[(3 * at + k % 6 / 2) * 2 + k % 2] == x[(3 * node[k / 6] + k % 6 / 2) * 2 + k % 2]);
  }
  free_arenas(NULL);
}

// A node is given a negative diagonal: for any order, its own pivot fails, the only one that can.
static void a_pivot_that_is_not_positive_is_named(void** state) {
  (void)state;
  CpsBlockMatrix A = spd_grid_make(30, 24, 5, &matrix);
  const double bad[] = {-1.0e3, 0.0, NAN, INFINITY};
  for (int threads = 1; threads <= 2; threads++) {
    CpsPool* pool = cps_pool_create(threads);
    CpsCholesky* factor = analyse(&A, CPS_CHOLESKY_CHEAPEST, pool);
    for (int32_t node = 3; node < A.rows; node += SANITIZED ? 513 : 171) {
      for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        double* pivot = A.value + 9 * cps_block_matrix_find(&A, node, node) + 4;
        double good = *pivot;
        *pivot = bad[k];
        assert_int_equal(cps_cholesky_factor(factor, A.value), node);
        *pivot = good;
        assert_int_equal(cps_cholesky_factor(factor, A.value), -1);
      }
    }
    // two of them: the first in elimination order is named
    double *one = A.value + 9 * cps_block_matrix_find(&A, 5, 5),
           *two = A.value + 9 * cps_block_matrix_find(&A, 600, 600);
    double keep_one = *one, keep_two = *two;
    *one = *two = -1.0e3;
    const int32_t* position = cps_cholesky_position(factor);
    assert_int_equal(cps_cholesky_factor(factor, A.value), position[5] < position[600] ? 5 : 600);
    *one = keep_one;
    *two = keep_two;
    cps_pool_destroy(pool);
  }
  free_arenas(NULL);
}

// A diagonal block that the pattern lacks is zero, so the matrix is not positive definite.
static void a_missing_diagonal_block_is_a_zero_pivot(void** state) {
  (void)state;
  int64_t start[] = {0, 1, 1};
  int32_t col[] = {0};
  double value[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  CpsBlockMatrix A = {.rows = 2, .dim = 3, .start = start, .col = col};
  assert_int_equal(cps_cholesky_factor(analyse(&A, CPS_CHOLESKY_CHEAPEST, NULL), value), 1);
  free_arenas(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_matrices_are_solved_as_by_a_dense_factor),
      cmocka_unit_test(forward_and_backward_are_the_halves_of_a_solve),
      cmocka_unit_test(the_lower_triangle_is_enough),
      cmocka_unit_test(nothing_one_node_and_separate_nodes),
      cmocka_unit_test(disconnected_grids_are_solved),
      cmocka_unit_test(a_grid_gives_the_same_bits_for_any_number_of_threads),
      cmocka_unit_test(the_cheapest_order_is_taken_and_one_can_be_given),
      cmocka_unit_test(the_programs_random_numbers_are_left_alone),
      cmocka_unit_test(blocks_of_the_inverse_are_those_of_the_columns_of_solves),
      cmocka_unit_test(blocks_of_the_inverse_that_are_kept_are_those_of_the_last_factor),
      cmocka_unit_test(sparse_right_sides_stay_on_their_path),
      cmocka_unit_test(a_pivot_that_is_not_positive_is_named),
      cmocka_unit_test(a_missing_diagonal_block_is_a_zero_pivot),
  };
  keep_to_threads("a_*");
  return cmocka_run_group_tests(tests, NULL, free_arenas);
}
