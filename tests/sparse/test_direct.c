// Sparse direct solvers: that A x = b is solved, and that singular matrices are refused.
#ifdef CAPSTAN_DIRECT
#include "sparse/ldl.h"
#include "sparse/lu.h"
#endif

#include "test_helpers.h"

#include <stdbool.h>

#ifdef CAPSTAN_DIRECT
enum { SIDE = 12, N = SIDE * SIDE, ENTRIES_MAX = 5 * N };

typedef struct Matrix {
  int64_t col_start[N + 1];
  int64_t row[ENTRIES_MAX];
  double value[ENTRIES_MAX];
} Matrix;

// Five-point Laplacian of a square plus `wind` times a central difference along x (unsymmetric) plus `mass` I.
static void make_grid(double wind, double mass, Matrix* A) {
  int64_t k = 0;
  for (int j = 0; j < N; j++) {
    int x = j % SIDE, y = j / SIDE;
    A->col_start[j] = k;
    const int di[5] = {0, -1, 1, -SIDE, SIDE};
    const bool inside[5] = {true, x > 0, x<SIDE - 1, y> 0, y < SIDE - 1};
    const double value[5] = {4.0 + mass, -1.0 - wind, -1.0 + wind, -1.0, -1.0};
    for (int e = 0; e < 5; e++) {
      if (!inside[e]) continue;
      A->row[k] = j + di[e];
      A->value[k++] = value[e];
    }
  }
  A->col_start[N] = k;
}

static void multiply(const Matrix* A, const double* x, double* y) {
  for (int i = 0; i < N; i++) y[i] = 0.0;
  for (int j = 0; j < N; j++) {
    for (int64_t k = A->col_start[j]; k < A->col_start[j + 1]; k++) y[A->row[k]] += A->value[k] * x[j];
  }
}

// Condition number about 60 (Laplacian of 12 x 12), 1e-16 each: 1e-12 leaves two decades.
static const double SOLVE_TOLERANCE = 1e-12;

static void lu_solves_an_unsymmetric_grid_again_and_again(void** state) {
  (void)state;
  static Matrix A;
  make_grid(0.3, 0.0, &A);
  CpsLu* lu = cps_lu_create(N, A.col_start, A.row);
  assert_non_null(lu);
  for (int round = 0; round < 3; round++) {  // new values in the same pattern
    make_grid(0.3 * round, 0.1 * round, &A);
    double x[N], b[N];
    for (int i = 0; i < N; i++) x[i] = cos(i);
    multiply(&A, x, b);
    assert_true(cps_lu_factor(lu, A.value));
    cps_lu_solve(lu, b);
    for (int i = 0; i < N; i++) assert_near(b[i], x[i], SOLVE_TOLERANCE);
    assert_true(cps_lu_rcond(lu) > 1e-3);
  }
  cps_lu_destroy(lu);
}

static void ldl_solves_a_symmetric_grid_again_and_again(void** state) {
  (void)state;
  static Matrix A;
  make_grid(0.0, 0.0, &A);
  CpsLdl* ldl = cps_ldl_create(N, A.col_start, A.row);
  assert_non_null(ldl);
  for (int round = 0; round < 3; round++) {
    make_grid(0.0, 0.5 * round, &A);
    double x[N], b[N];
    for (int i = 0; i < N; i++) x[i] = cos(i);
    multiply(&A, x, b);
    assert_true(cps_ldl_factor(ldl, A.value));
    cps_ldl_solve(ldl, b);
    for (int i = 0; i < N; i++) assert_near(b[i], x[i], SOLVE_TOLERANCE);
  }
  cps_ldl_destroy(ldl);
}

// [2 1; 1 -1], quasi-definite: D has both signs.
static void ldl_solves_a_quasidefinite_matrix(void** state) {
  (void)state;
  const int64_t col_start[3] = {0, 2, 4}, row[4] = {0, 1, 0, 1};
  const double value[4] = {2, 1, 1, -1};
  CpsLdl* ldl = cps_ldl_create(2, col_start, row);
  assert_non_null(ldl);
  assert_true(cps_ldl_factor(ldl, value));
  double x[2] = {5, 1};  // A (2, 1)
  cps_ldl_solve(ldl, x);
  assert_near(x[0], 2.0, 1e-15);
  assert_near(x[1], 1.0, 1e-15);
  cps_ldl_destroy(ldl);
}

enum { DENSE = 150 };

// A full symmetric matrix, `sign` on the last tenth of its diagonal: large enough that CHOLMOD goes supernodal.
static void make_dense(double sign, int64_t* col_start, int64_t* row, double* value) {
  for (int j = 0; j < DENSE; j++) {
    col_start[j] = (int64_t)j * DENSE;
    for (int i = 0; i < DENSE; i++) {
      row[j * DENSE + i] = i;
      value[j * DENSE + i] = i != j ? cos(i * j) : (i < DENSE - DENSE / 10 ? 1.0 : sign) * 2.0 * DENSE;
    }
  }
  col_start[DENSE] = (int64_t)DENSE * DENSE;
}

// Dominant diagonal, condition below 3: 1e-13 is two decades above rounding in sums of 150.
static void ldl_solves_a_dense_matrix_of_any_signature(void** state) {
  (void)state;
  static int64_t col_start[DENSE + 1], row[DENSE * DENSE];
  static double A[DENSE * DENSE];
  make_dense(1.0, col_start, row, A);
  CpsLdl* ldl = cps_ldl_create(DENSE, col_start, row);
  assert_non_null(ldl);
  const double signs[4] = {1.0, -1.0, 1.0, -1.0};  // the pattern stays, definite or not
  for (int round = 0; round < 4; round++) {
    make_dense(signs[round], col_start, row, A);
    assert_true(cps_ldl_factor(ldl, A));
    double b[DENSE] = {0};
    for (int j = 0; j < DENSE; j++) {
      for (int i = 0; i < DENSE; i++) b[i] += A[j * DENSE + i] * sin(j);
    }
    cps_ldl_solve(ldl, b);
    for (int i = 0; i < DENSE; i++) assert_near(b[i], sin(i), 1e-13);
  }
  A[0] = NAN;
  assert_false(cps_ldl_factor(ldl, A));
  cps_ldl_destroy(ldl);
}

// R R^T = A, entry by entry; false if there is no root.
static bool root_squares_to(int n, const int64_t* col_start, const int64_t* row, const double* value, double scale) {
  CpsLdl* ldl = cps_ldl_create(n, col_start, row);
  assert_non_null(ldl);
  assert_true(cps_ldl_factor(ldl, value));
  size_t count = (size_t)cps_ldl_root_count(ldl), size = (size_t)n;
  int64_t* R_start = test_calloc(size + 1, sizeof *R_start);
  int64_t* R_row = test_calloc(count, sizeof *R_row);
  double* R = test_calloc(count, sizeof *R);
  double* square = test_calloc(size * size, sizeof *square);
  bool rooted = cps_ldl_root(ldl, R_start, R_row, R);
  if (rooted) {
    assert_true(R_start[n] <= (int64_t)count);
    for (int j = 0; j < n; j++) {
      for (int64_t a = R_start[j]; a < R_start[j + 1]; a++) {
        for (int64_t b = R_start[j]; b < R_start[j + 1]; b++) square[R_row[a] * n + R_row[b]] += R[a] * R[b];
      }
    }
    for (int j = 0; j < n; j++) {
      for (int64_t k = col_start[j]; k < col_start[j + 1]; k++) square[(int64_t)j * n + row[k]] -= value[k];
    }
    for (size_t k = 0; k < size * size; k++) assert_near(square[k], 0.0, 1e-13 * scale);
  }
  test_free(R_start);
  test_free(R_row);
  test_free(R);
  test_free(square);
  cps_ldl_destroy(ldl);
  return rooted;
}

// Sums of at most 150 products of the size of the diagonal: 1e-13 of it is two decades above rounding.
static void the_root_of_a_definite_matrix_squares_to_it(void** state) {
  (void)state;
  static Matrix grid;
  make_grid(0.0, 0.1, &grid);
  assert_true(root_squares_to(N, grid.col_start, grid.row, grid.value, 4.1));
  static int64_t col_start[DENSE + 1], row[DENSE * DENSE];
  static double A[DENSE * DENSE];
  make_dense(1.0, col_start, row, A);
  assert_true(root_squares_to(DENSE, col_start, row, A, 2.0 * DENSE));
  make_dense(-1.0, col_start, row, A);
  assert_false(root_squares_to(DENSE, col_start, row, A, 2.0 * DENSE));
}

static void singular_values_are_refused_and_can_be_followed_by_good_ones(void** state) {
  (void)state;
  const int64_t col_start[3] = {0, 2, 4}, row[4] = {0, 1, 0, 1};
  const double singular[4] = {1, 1, 1, 1}, good[4] = {2, 1, 1, 2}, invalid[4] = {NAN, 1, 1, 1};
  CpsLu* lu = cps_lu_create(2, col_start, row);
  CpsLdl* ldl = cps_ldl_create(2, col_start, row);
  assert_non_null(lu);
  assert_non_null(ldl);
  assert_false(cps_lu_factor(lu, singular));
  assert_near(cps_lu_rcond(lu), 0.0, 0.0);
  assert_false(cps_ldl_factor(ldl, singular));
  assert_false(cps_ldl_factor(ldl, invalid));
  assert_true(cps_lu_factor(lu, good));
  assert_true(cps_ldl_factor(ldl, good));
  double x[2] = {3, 3}, y[2] = {3, 3};
  cps_lu_solve(lu, x);
  cps_ldl_solve(ldl, y);
  for (int i = 0; i < 2; i++) {
    assert_near(x[i], 1.0, 1e-15);
    assert_near(y[i], 1.0, 1e-15);
  }
  cps_lu_destroy(lu);
  cps_ldl_destroy(ldl);
}

static void a_structurally_singular_pattern_is_refused(void** state) {
  (void)state;
  const int64_t col_start[3] = {0, 1, 2}, row[2] = {0, 0};  // row 1 is empty
  const double value[2] = {1, 1};
  CpsLu* lu = cps_lu_create(2, col_start, row);
  assert_non_null(lu);
  assert_false(cps_lu_factor(lu, value));
  assert_false(cps_lu_no_memory(lu));
  assert_near(cps_lu_rcond(lu), 0.0, 0.0);
  cps_lu_destroy(lu);
}

static void an_empty_matrix_is_fine(void** state) {
  (void)state;
  const int64_t col_start[1] = {0};
  CpsLu* lu = cps_lu_create(0, col_start, NULL);
  CpsLdl* ldl = cps_ldl_create(0, col_start, NULL);
  assert_non_null(lu);
  assert_non_null(ldl);
  assert_true(cps_lu_factor(lu, NULL));
  assert_true(cps_ldl_factor(ldl, NULL));
  cps_lu_destroy(lu);
  cps_ldl_destroy(ldl);
  cps_lu_destroy(NULL);
  cps_ldl_destroy(NULL);
}
#else
static void the_direct_solvers_are_left_out(void** state) {
  (void)state;
  print_message("skipped: built without SuiteSparse (CAPSTAN_DIRECT=OFF)\n");
  skip();
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
#ifdef CAPSTAN_DIRECT
      cmocka_unit_test(lu_solves_an_unsymmetric_grid_again_and_again),
      cmocka_unit_test(ldl_solves_a_symmetric_grid_again_and_again),
      cmocka_unit_test(ldl_solves_a_quasidefinite_matrix),
      cmocka_unit_test(ldl_solves_a_dense_matrix_of_any_signature),
      cmocka_unit_test(the_root_of_a_definite_matrix_squares_to_it),
      cmocka_unit_test(singular_values_are_refused_and_can_be_followed_by_good_ones),
      cmocka_unit_test(a_structurally_singular_pattern_is_refused),
      cmocka_unit_test(an_empty_matrix_is_fine),
#else
      cmocka_unit_test(the_direct_solvers_are_left_out),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
