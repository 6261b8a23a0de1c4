// Upper Cholesky factors by rows: against the matrix they came from.
#include "sparse/upper.h"

#include "test_helpers.h"

enum { N = 17 };

// B^T B + I of random B: well conditioned
static void make(double* A) {
  double B[N * N];
  unsigned seed = 12345;
  for (int i = 0; i < N * N; ++i) {
    seed = seed * 1664525u + 1013904223u;
    B[i] = (double)seed / 4294967296.0 - 0.5;
  }
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < N; ++j) {
      A[N * i + j] = i == j;
      for (int k = 0; k < N; ++k) A[N * i + j] += B[N * k + i] * B[N * k + j];
    }
  }
}

static void factor_gives_the_matrix_back(void** state) {
  (void)state;
  double A[N * N], U[N * N];
  make(A);
  make(U);
  assert_true(cps_upper_factor(N, U));
  for (int i = 0; i < N; ++i) {
    for (int j = i; j < N; ++j) {
      double sum = 0.0;
      for (int k = 0; k <= i; ++k) {
        double left = k == i ? 1.0 / U[N * k + i] : U[N * k + i], right = k == j ? 1.0 / U[N * k + j] : U[N * k + j];
        sum += left * right;
      }
      assert_near(sum, A[N * i + j], 1e-14);
    }
  }
}

static void solves_undo_the_factors(void** state) {
  (void)state;
  double A[N * N], U[N * N], x[N], b[N];
  make(A);
  make(U);
  assert_true(cps_upper_factor(N, U));
  for (int i = 0; i < N; ++i) {
    b[i] = x[i] = 0.1 * i - 0.7;
  }
  cps_upper_solve_transposed(N, U, x);
  cps_upper_solve(N, U, x);
  for (int i = 0; i < N; ++i) {
    double sum = 0.0;
    for (int j = 0; j < N; ++j) sum += A[N * i + j] * x[j];
    assert_near(sum, b[i], 1e-13);
  }
}

// Three rows at once, with zeros in front, are three solves with the transposed factor.
static void rows_are_solved_like_vectors(void** state) {
  (void)state;
  double U[N * N], G[3 * N] = {0}, x[3][N] = {{0}};
  make(U);
  assert_true(cps_upper_factor(N, U));
  const int first = 5;
  for (int r = 0; r < 3; ++r) {
    for (int i = first; i < N; ++i) G[N * r + i] = x[r][i] = sin(i + 10.0 * r);
    cps_upper_solve_transposed(N, U, x[r]);
  }
  cps_upper_solve_rows(N, U, first, G);
  for (int r = 0; r < 3; ++r) {
    for (int i = 0; i < N; ++i) assert_near(G[N * r + i], x[r][i], 0.0);
  }
}

static void what_is_not_positive_is_refused(void** state) {
  (void)state;
  double A[4] = {1.0, 2.0, 2.0, 1.0}, B[1] = {NAN}, C[1] = {INFINITY};
  assert_false(cps_upper_factor(2, A));
  assert_false(cps_upper_factor(1, B));
  assert_false(cps_upper_factor(1, C));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(factor_gives_the_matrix_back),
      cmocka_unit_test(solves_undo_the_factors),
      cmocka_unit_test(rows_are_solved_like_vectors),
      cmocka_unit_test(what_is_not_positive_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
