// The factorisations of a build without SuiteSparse against those of the library, on the same matrices.
#ifdef CAPSTAN_DIRECT
#define cps_ldl_create plain_ldl_create
#define cps_ldl_destroy plain_ldl_destroy
#define cps_ldl_factor plain_ldl_factor
#define cps_ldl_no_memory plain_ldl_no_memory
#define cps_ldl_solve plain_ldl_solve
#define cps_ldl_root_count plain_ldl_root_count
#define cps_ldl_root plain_ldl_root
#define cps_lu_create plain_lu_create
#define cps_lu_destroy plain_lu_destroy
#define cps_lu_factor plain_lu_factor
#define cps_lu_no_memory plain_lu_no_memory
#define cps_lu_solve plain_lu_solve
#define cps_lu_rcond plain_lu_rcond
#define cps_block_order plain_block_order
#include "sparse/ldl_plain.c"     // NOLINT
#include "sparse/lu_plain.c"      // NOLINT
#include "sparse/order_levels.c"  // NOLINT
#undef cps_ldl_create
#undef cps_ldl_destroy
#undef cps_ldl_factor
#undef cps_ldl_solve
#undef cps_lu_create
#undef cps_lu_destroy
#undef cps_lu_factor
#undef cps_lu_solve
#undef cps_lu_rcond

#include "core/random.h"
#include "test_helpers.h"

CpsLdl* cps_ldl_create(int64_t n, const int64_t* col_start, const int64_t* row);
void cps_ldl_destroy(CpsLdl* ldl);
bool cps_ldl_factor(CpsLdl* ldl, const double* value);
void cps_ldl_solve(const CpsLdl* ldl, double* x);
CpsLu* cps_lu_create(int64_t n, const int64_t* col_start, const int64_t* row);
void cps_lu_destroy(CpsLu* lu);
bool cps_lu_factor(CpsLu* lu, const double* value);
void cps_lu_solve(CpsLu* lu, double* x);
double cps_lu_rcond(CpsLu* lu);

enum { SIDE = 20, N = SIDE * SIDE, MOST = N * 12 };

typedef struct Matrix {
  int64_t n;
  int64_t start[N + 1], row[MOST];
  double value[MOST];
} Matrix;

// A grid with a random value on each edge, and on each column three entries anywhere. `kind` 0: definite; 1: quasi-definite, the
// second half of the diagonal negative; 2: unsymmetric, without a diagonal on every third column.
static void make_matrix(int kind, uint64_t seed, Matrix* A) {
  CpsRandom random = cps_random_seed(seed);
  static double dense[N][N];
  memset(dense, 0, sizeof dense);
  for (int i = 0; i < N; ++i) {
    int right = i + 1, below = i + SIDE, far = (int)(cps_random_uniform(&random) * N);
    const int others[3] = {i % SIDE < SIDE - 1 ? right : i, below < N ? below : i, far < N ? far : i};
    for (int k = 0; k < 3; ++k) {
      int j = others[k];
      if (j == i) continue;
      double value = cps_random_uniform(&random) - 0.5;
      dense[i][j] = value;
      dense[j][i] = kind == 2 ? cps_random_uniform(&random) - 0.5 : value;
    }
  }
  for (int i = 0; i < N; ++i) {
    double sum = 0.1;
    for (int j = 0; j < N; ++j) sum += fabs(dense[i][j]);
    dense[i][i] = kind == 2 ? (i % 3 ? cps_random_uniform(&random) : 0.0) : kind == 1 && i >= N / 2 ? -sum : sum;
  }
  A->n = N;
  int64_t count = 0;
  for (int j = 0; j < N; ++j) {
    A->start[j] = count;
    for (int i = 0; i < N; ++i) {
      if (dense[i][j] == 0.0) continue;
      assert_true(count < MOST);
      A->row[count] = i;
      A->value[count++] = dense[i][j];
    }
  }
  A->start[N] = count;
}

// Backward error |b - A x| / (|A| |x| + |b|), Frobenius' norm of A.
static double residual(const Matrix* A, const double* x, const double* b) {
  double r[N], of_r = 0.0, of_b = 0.0, of_x = 0.0, of_A = 0.0;
  memcpy(r, b, sizeof r);
  for (int64_t j = 0; j < A->n; ++j) {
    for (int64_t e = A->start[j]; e < A->start[j + 1]; ++e) r[A->row[e]] -= A->value[e] * x[j];
  }
  for (int64_t e = 0; e < A->start[A->n]; ++e) of_A += A->value[e] * A->value[e];
  for (int i = 0; i < N; ++i) of_r += r[i] * r[i], of_b += b[i] * b[i], of_x += x[i] * x[i];
  return sqrt(of_r) / (sqrt(of_A * of_x) + sqrt(of_b));
}

static void ldl_agrees_with_the_library(void** state) {
  (void)state;
  static Matrix A;
  for (int kind = 0; kind < 2; ++kind) {
    make_matrix(kind, 7, &A);
    CpsLdl *plain = plain_ldl_create(N, A.start, A.row), *library = cps_ldl_create(N, A.start, A.row);
    assert_true(plain && library);
    for (uint64_t round = 0; round < 3; ++round) {  // new values in the same pattern
      make_matrix(kind, 7, &A);
      for (int64_t e = 0; e < A.start[N]; ++e) A.value[e] *= 1.0 + (double)round;
      assert_true(plain_ldl_factor(plain, A.value) && cps_ldl_factor(library, A.value));
      double b[N], x[N], y[N];
      for (int i = 0; i < N; ++i) b[i] = x[i] = y[i] = sin(i);
      plain_ldl_solve(plain, x);
      cps_ldl_solve(library, y);
      // diagonally dominant: a condition of about a hundred, so that both answers have fourteen digits
      assert_true(residual(&A, x, b) < 1e-15);
      for (int i = 0; i < N; ++i) assert_near(x[i], y[i], 1e-12);
    }
    plain_ldl_destroy(plain);
    cps_ldl_destroy(library);
  }
}

// R R^T = A, entry by entry.
static void the_root_multiplies_to_the_matrix(void** state) {
  (void)state;
  static Matrix A;
  static double dense[N][N];
  make_matrix(0, 11, &A);
  CpsLdl* ldl = plain_ldl_create(N, A.start, A.row);
  assert_non_null(ldl);
  assert_true(plain_ldl_factor(ldl, A.value) && !plain_ldl_no_memory(ldl));
  int64_t count = plain_ldl_root_count(ldl), *start = malloc((N + 1) * sizeof *start);
  int64_t* row = malloc((size_t)count * sizeof *row);
  double* value = malloc((size_t)count * sizeof *value);
  assert_true(start && row && value && plain_ldl_root(ldl, start, row, value));
  memset(dense, 0, sizeof dense);
  for (int j = 0; j < N; ++j) {
    for (int64_t e = start[j]; e < start[j + 1]; ++e) {
      for (int64_t f = start[j]; f < start[j + 1]; ++f) dense[row[e]][row[f]] += value[e] * value[f];
    }
    for (int64_t e = A.start[j]; e < A.start[j + 1]; ++e) dense[A.row[e]][j] -= A.value[e];
  }
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < N; ++j) assert_near(dense[i][j], 0.0, 1e-13);
  }
  make_matrix(1, 11, &A);  // not definite: no root
  assert_true(plain_ldl_factor(ldl, A.value) && !plain_ldl_root(ldl, start, row, value));
  free(start);
  free(row);
  free(value);
  plain_ldl_destroy(ldl);
}

static void lu_agrees_with_the_library(void** state) {
  (void)state;
  static Matrix A;
  for (uint64_t seed = 1; seed < 6; ++seed) {
    make_matrix(2, seed, &A);
    CpsLu *plain = plain_lu_create(N, A.start, A.row), *library = cps_lu_create(N, A.start, A.row);
    assert_true(plain && library);
    for (int round = 0; round < 2; ++round) {
      assert_true(plain_lu_factor(plain, A.value) && cps_lu_factor(library, A.value));
      double b[N], x[N], y[N];
      for (int i = 0; i < N; ++i) b[i] = x[i] = y[i] = cos(i);
      plain_lu_solve(plain, x);
      cps_lu_solve(library, y);
      // pivots of a thousandth of the largest entry are taken, so that three digits of sixteen may be lost in a column
      assert_true(residual(&A, x, b) < 1e-12 && residual(&A, y, b) < 1e-12);
      // both are estimates from pivots: of the same size at most within the growth
      assert_true(plain_lu_rcond(plain) > 0.0 && plain_lu_rcond(plain) <= 1.0);
      for (int64_t e = 0; e < A.start[N]; ++e) A.value[e] *= 3.0;
    }
    plain_lu_destroy(plain);
    cps_lu_destroy(library);
  }
}

static void what_is_singular_is_refused(void** state) {
  (void)state;
  // two equal columns; an empty row; NaN; and nothing at all
  const int64_t start[] = {0, 2, 4}, row[] = {0, 1, 0, 1};
  const double twice[] = {1.0, 2.0, 1.0, 2.0}, empty[] = {1.0, 0.0, 1.0, 0.0}, lost[] = {1.0, NAN, 1.0, 2.0};
  CpsLu* lu = plain_lu_create(2, start, row);
  assert_non_null(lu);
  assert_false(plain_lu_factor(lu, twice));
  assert_false(plain_lu_factor(lu, empty));
  assert_false(plain_lu_factor(lu, lost));
  assert_false(plain_lu_no_memory(lu));
  assert_true(plain_lu_rcond(lu) == 0.0);
  const double good[] = {0.0, 2.0, 4.0, 0.0};  // no pivot on the diagonal
  double x[] = {8.0, 6.0};
  assert_true(plain_lu_factor(lu, good));
  plain_lu_solve(lu, x);
  assert_true(x[0] == 3.0 && x[1] == 2.0);
  plain_lu_destroy(lu);
  CpsLdl* ldl = plain_ldl_create(2, start, row);
  assert_non_null(ldl);
  assert_false(plain_ldl_factor(ldl, (const double[]){1.0, 2.0, 2.0, 4.0}));
  assert_false(plain_ldl_factor(ldl, (const double[]){1.0, NAN, NAN, 4.0}));
  assert_true(plain_ldl_factor(ldl, (const double[]){1.0, 2.0, 2.0, 5.0}));
  plain_ldl_destroy(ldl);
  CpsLu* none = plain_lu_create(0, start, row);
  CpsLdl* nothing = plain_ldl_create(0, start, row);
  assert_true(none && nothing && plain_lu_factor(none, good) && plain_ldl_factor(nothing, good));
  assert_true(plain_lu_rcond(none) == 1.0 && plain_ldl_root_count(nothing) == 0);
  plain_lu_destroy(none);
  plain_ldl_destroy(nothing);
}

#else
// Without the direct methods there is nothing to compare with.
#include "test_helpers.h"

static void nothing_to_compare(void** state) {
  (void)state;
  print_message("skipped: built without the direct methods (CAPSTAN_DIRECT=OFF)\n");
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
#ifdef CAPSTAN_DIRECT
      cmocka_unit_test(ldl_agrees_with_the_library),
      cmocka_unit_test(the_root_multiplies_to_the_matrix),
      cmocka_unit_test(lu_agrees_with_the_library),
      cmocka_unit_test(what_is_singular_is_refused),
#else
      cmocka_unit_test(nothing_to_compare),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
