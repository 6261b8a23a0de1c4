// Dense factorisations: closed forms first, then that the factors reproduce the matrix.
#include "sparse/dense.h"

#include "test_helpers.h"

#include <string.h>

enum { N = 7 };

// A fixed well-conditioned matrix without symmetry.
static void make_general(double* A) {
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) A[i * N + j] = sin(1.0 + 3.7 * i + 1.3 * j * j) + (i == j ? 0.2 : 0.0);
  }
}

// B B^T with B of `rank` columns: positive semi-definite of that rank.
static void make_gram(int rank, double* A) {
  double B[N * N];
  make_general(B);
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      A[i * N + j] = 0.0;
      for (int k = 0; k < rank; k++) A[i * N + j] += B[i * N + k] * B[j * N + k];
    }
  }
}

static void lu_solves_a_matrix_whose_first_pivot_is_zero(void** state) {
  (void)state;
  double A[9] = {0, 2, 1, 1, 0, 0, 3, 0, 1};
  double x[3] = {7, 1, 6};  // A (1, 2, 3)
  int pivot[3];
  assert_true(cps_dense_lu_factor(3, A, pivot));
  cps_dense_lu_solve(3, A, pivot, x);
  for (int i = 0; i < 3; i++) assert_near(x[i], i + 1.0, 1e-15);  // a few roundings of numbers of size 1
}

static void lu_solves_a_general_matrix(void** state) {
  (void)state;
  double A[N * N], LU[N * N], x[N];
  int pivot[N];
  make_general(A);
  memcpy(LU, A, sizeof A);
  for (int i = 0; i < N; i++) {
    x[i] = 0.0;
    for (int j = 0; j < N; j++) x[i] += A[i * N + j] * (j - 3.0);
  }
  assert_true(cps_dense_lu_factor(N, LU, pivot));
  cps_dense_lu_solve(N, LU, pivot, x);
  for (int i = 0; i < N; i++) assert_near(x[i], i - 3.0, 1e-12);  // condition number below 1e3 times 1e-16
}

static void lu_refuses_singular_and_nan_matrices(void** state) {
  (void)state;
  double A[4] = {1, 2, 2, 4}, B[4] = {NAN, 1, 1, 1}, zero[4] = {0};
  int pivot[2];
  assert_false(cps_dense_lu_factor(2, A, pivot));
  assert_false(cps_dense_lu_factor(2, B, pivot));
  assert_false(cps_dense_lu_factor(2, zero, pivot));
}

static void cholesky_of_a_known_matrix(void** state) {
  (void)state;
  double A[9] = {4, 99, 99, 2, 5, 99, 0, 2, 5};  // the upper triangle is not read
  assert_true(cps_dense_cholesky_factor(3, A, 0.0));
  const double L[6] = {2, 1, 2, 0, 1, 2};
  assert_near(A[0], L[0], 1e-15);
  assert_near(A[3], L[1], 1e-15);
  assert_near(A[4], L[2], 1e-15);
  assert_near(A[6], L[3], 1e-15);
  assert_near(A[7], L[4], 1e-15);
  assert_near(A[8], L[5], 1e-15);
  double x[3] = {6, 9, 7};  // A (1, 1, 1)
  cps_dense_cholesky_solve(3, A, x);
  for (int i = 0; i < 3; i++) assert_near(x[i], 1.0, 1e-15);
}

static void cholesky_refuses_what_is_not_positive_definite(void** state) {
  (void)state;
  double indefinite[4] = {1, 2, 2, 1}, singular[4] = {1, 1, 1, 1}, invalid[4] = {NAN, 0, 0, 1};
  assert_false(cps_dense_cholesky_factor(2, indefinite, 1e-14));
  assert_false(cps_dense_cholesky_factor(2, singular, 1e-14));
  assert_false(cps_dense_cholesky_factor(2, invalid, 1e-14));
}

static void eigenvalues_of_a_known_matrix_come_in_ascending_order(void** state) {
  (void)state;
  double A[4] = {2, 1, 1, 2}, value[2], V[4];
  cps_dense_symmetric_eigen(2, A, value, V);
  assert_near(value[0], 1.0, 1e-15);
  assert_near(value[1], 3.0, 1e-15);
  assert_near(fabs(V[0]), sqrt(0.5), 1e-15);
  assert_near(V[0] + V[2], 0.0, 1e-15);  // (1, -1)/sqrt 2
  assert_near(V[1] - V[3], 0.0, 1e-15);  // (1, 1)/sqrt 2
}

static void eigenvectors_are_orthonormal_and_rebuild_the_matrix(void** state) {
  (void)state;
  double A[N * N], work[N * N], value[N], V[N * N];
  make_gram(N - 2, A);
  memcpy(work, A, sizeof A);
  cps_dense_symmetric_eigen(N, work, value, V);
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      double sum = 0.0, dot = 0.0;
      for (int k = 0; k < N; k++) {
        sum += V[i * N + k] * value[k] * V[j * N + k];
        dot += V[k * N + i] * V[k * N + j];
      }
      assert_near(sum, A[i * N + j], 1e-13);  // entries of size 1, about 100 rotations
      assert_near(dot, i == j ? 1.0 : 0.0, 1e-13);
    }
  }
  assert_near(value[0], 0.0, 1e-14);  // rank N - 2
  assert_near(value[1], 0.0, 1e-14);
  assert_true(value[2] > 1e-6);
}

static void rank_of_a_gram_matrix_is_the_number_of_its_vectors(void** state) {
  (void)state;
  for (int expected = 0; expected <= N; expected++) {
    double A[N * N], condition, most_negative;
    int order[N];
    make_gram(expected, A);
    assert_int_equal(cps_dense_rank(N, A, 1e-10, order, &condition, &most_negative), expected);
    assert_true(condition >= 1.0);
    assert_near(most_negative, 0.0, 1e-12);  // rounding of the Schur complements
  }
}

static void rank_reports_pivots_and_negative_remainders(void** state) {
  (void)state;
  double A[9] = {1, 0, 0, 0, 4, 0, 0, 0, -2}, condition, most_negative;
  int order[3];
  assert_int_equal(cps_dense_rank(3, A, 1e-10, order, &condition, &most_negative), 2);
  assert_int_equal(order[0], 1);
  assert_near(condition, 4.0, 0.0);
  assert_near(most_negative, -0.5, 0.0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lu_solves_a_matrix_whose_first_pivot_is_zero),
      cmocka_unit_test(lu_solves_a_general_matrix),
      cmocka_unit_test(lu_refuses_singular_and_nan_matrices),
      cmocka_unit_test(cholesky_of_a_known_matrix),
      cmocka_unit_test(cholesky_refuses_what_is_not_positive_definite),
      cmocka_unit_test(eigenvalues_of_a_known_matrix_come_in_ascending_order),
      cmocka_unit_test(eigenvectors_are_orthonormal_and_rebuild_the_matrix),
      cmocka_unit_test(rank_of_a_gram_matrix_is_the_number_of_its_vectors),
      cmocka_unit_test(rank_reports_pivots_and_negative_remainders),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
