// The block LU of the Newton systems against a dense LU.
#include "sparse/block_lu.h"

#include "random_blocks.h"
#include "sparse/dense.h"

#include <string.h>

#ifdef CAPSTAN_DIRECT

enum { N = 20, ROWS = 3 * N };

// A diagonal that outweighs the rest: without pivoting between blocks no more is promised.
static void make_dominant(RandomBlocks* m, CpsRandom* random, double fill) {
  random_blocks_make(m, random, N, 3, fill, true);
  for (int32_t i = 0; i < N; ++i) {
    int64_t k = cps_block_matrix_find(&m->A, i, i);
    for (int a = 0; a < 3; ++a) {
      double size = 0.0;
      for (int q = 0; q < ROWS; ++q) size += fabs(m->dense[(3 * i + a) * ROWS + q]);
      m->value[9 * k + 4 * a] += size;
      m->dense[(3 * i + a) * ROWS + 3 * i + a] += size;
    }
  }
}

// Solves with the active rows and columns, densely; the rest of x is left alone.
static void dense_solve(const RandomBlocks* m, const bool* active, double* x) {
  static double A[ROWS * ROWS];
  double y[ROWS];
  int pivot[ROWS], index[ROWS], count = 0;
  for (int p = 0; p < ROWS; ++p) {
    if (active[p / 3]) index[count++] = p;
  }
  for (int p = 0; p < count; ++p) {
    y[p] = x[index[p]];
    for (int q = 0; q < count; ++q) A[p * count + q] = m->dense[index[p] * ROWS + index[q]];
  }
  if (count == 0) return;
  assert_true(cps_dense_lu_factor(count, A, pivot));
  cps_dense_lu_solve(count, A, pivot, y);
  for (int p = 0; p < count; ++p) x[index[p]] = y[p];
}

static RandomBlocks m;

// One object solves again and again, with other values and other active rows each time; a dominant matrix has a
// condition of a few tens here, so that 1e-12 is a hundred times rounding.
static void any_subset_is_solved_as_by_a_dense_LU(void** state) {
  (void)state;
  const double fills[] = {0.0, 0.05, 0.15, 0.5, 1.0};
  for (size_t f = 0; f < sizeof fills / sizeof *fills; ++f) {
    CpsRandom random = cps_random_seed(7 + f);
    CpsArena arena = {0};
    make_dominant(&m, &random, fills[f]);
    CpsBlockLu* lu = cps_block_lu_create(&m.A, &arena);
    assert_non_null(lu);
    for (int call = 0; call < 40; ++call) {
      // all, none, then random subsets, each of them twice in a row with different values
      static bool active[N];
      for (int i = 0; i < N && call % 2 == 0; ++i) {
        active[i] = call == 0 || (call != 2 && cps_random_uniform(&random) < 0.7);
      }
      for (int64_t k = 0; k < m.A.start[N] * 9; ++k) m.value[k] *= 1.0 + 0.01 * cps_random_uniform(&random);
      to_dense(&m.A, m.dense);
      double x[ROWS], expected[ROWS];
      for (int p = 0; p < ROWS; ++p) expected[p] = x[p] = cps_random_normal(&random);
      dense_solve(&m, active, expected);
      assert_int_equal(cps_block_lu_solve(lu, active, x), CPS_BLOCK_LU_OK);
      for (int p = 0; p < ROWS; ++p) assert_near(x[p], expected[p], active[p / 3] ? 1e-12 : 0.0);
    }
    cps_arena_free(&arena);
  }
}

// The diagonal block of row 0 vanishes together with its couplings: for any order, its pivot is zero.
static void a_singular_block_is_reported_and_forgotten(void** state) {
  (void)state;
  CpsRandom random = cps_random_seed(3);
  CpsArena arena = {0};
  make_dominant(&m, &random, 0.2);
  static RandomBlocks whole;
  memcpy(whole.value, m.value, sizeof m.value);
  CpsBlockLu* lu = cps_block_lu_create(&m.A, &arena);
  assert_non_null(lu);
  bool active[N];
  for (int i = 0; i < N; ++i) active[i] = true;
  for (int32_t j = 0; j < N; ++j) {
    int64_t k = cps_block_matrix_find(&m.A, 0, j);
    if (k >= 0) memset(m.value + 9 * k, 0, 9 * sizeof(double));
  }
  double x[ROWS], expected[ROWS];
  for (int p = 0; p < ROWS; ++p) x[p] = 1.0;
  assert_int_equal(cps_block_lu_solve(lu, active, x), CPS_BLOCK_LU_SINGULAR);
  // without that row it can be solved, and with its values back too: nothing of the failure is left behind
  for (int again = 0; again < 2; ++again) {
    active[0] = again == 1;
    if (again) memcpy(m.value, whole.value, sizeof m.value);
    to_dense(&m.A, m.dense);
    for (int p = 0; p < ROWS; ++p) expected[p] = x[p] = cps_random_normal(&random);
    dense_solve(&m, active, expected);
    assert_int_equal(cps_block_lu_solve(lu, active, x), CPS_BLOCK_LU_OK);
    for (int p = 0; p < ROWS; ++p) assert_near(x[p], expected[p], active[p / 3] ? 1e-12 : 0.0);
  }
  // a block of NaN is not taken for a regular one
  m.value[9 * cps_block_matrix_find(&m.A, 0, 0)] = NAN;
  assert_int_equal(cps_block_lu_solve(lu, active, x), CPS_BLOCK_LU_SINGULAR);
  cps_arena_free(&arena);
}

// Row k of U has l_k blocks right of the diagonal and is used for l_k rows, on l_k blocks and the column it makes:
// sum of l (l + 1). By hand: none for a diagonal matrix; l = 1, …, 1, 0 for a chain (a tree has no fill in a minimum
// degree order); l = n-1, …, 1, 0 for a full one, for any order.
static void the_estimate_counts_block_operations(void** state) {
  (void)state;
  const int64_t full_fill = (int64_t)N * (N - 1) / 2, full = (int64_t)(N - 1) * N * (N + 1) / 3;
  for (int kind = 0; kind < 3; ++kind) {
    CpsRandom random = cps_random_seed(11);
    CpsArena arena = {0};
    random_blocks_make(&m, &random, N, 3, kind == 2 ? 1.0 : 0.0, true);
    if (kind == 1) {
      int64_t count = 0;
      for (int32_t i = 0; i < N; ++i) {
        m.start[i] = count;
        for (int32_t j = i > 0 ? i - 1 : 0; j <= i + 1 && j < N; ++j) m.col[count++] = j;
      }
      m.start[N] = count;
    }
    CpsBlockLu* lu = cps_block_lu_create(&m.A, &arena);
    assert_non_null(lu);
    int64_t operations = -1;
    assert_true(cps_block_lu_estimate(lu, NULL, full_fill, &operations));
    assert_int_equal(operations, kind == 0 ? 0 : kind == 1 ? 2 * (N - 1) : full);
    // half of the fill of a full matrix is not enough for it, and more than enough for the others
    assert_int_equal(cps_block_lu_estimate(lu, NULL, full_fill / 2, &operations), kind != 2);
    cps_arena_free(&arena);
  }
}

// The estimate shares the work space of the solves and must not disturb them.
static void an_estimate_between_two_solves_changes_nothing(void** state) {
  (void)state;
  CpsRandom random = cps_random_seed(13);
  CpsArena arena = {0};
  make_dominant(&m, &random, 0.2);
  CpsBlockLu* lu = cps_block_lu_create(&m.A, &arena);
  assert_non_null(lu);
  bool active[N];
  double x[ROWS], again[ROWS];
  for (int i = 0; i < N; ++i) active[i] = i % 3 != 0;
  for (int p = 0; p < ROWS; ++p) again[p] = x[p] = cps_random_normal(&random);
  assert_int_equal(cps_block_lu_solve(lu, active, x), CPS_BLOCK_LU_OK);
  int64_t operations;
  assert_true(cps_block_lu_estimate(lu, NULL, INT64_MAX, &operations));
  assert_int_equal(cps_block_lu_solve(lu, active, again), CPS_BLOCK_LU_OK);
  assert_memory_equal(x, again, sizeof x);
  cps_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_subset_is_solved_as_by_a_dense_LU),
      cmocka_unit_test(a_singular_block_is_reported_and_forgotten),
      cmocka_unit_test(the_estimate_counts_block_operations),
      cmocka_unit_test(an_estimate_between_two_solves_changes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void) {
  print_message("[  SKIPPED ] block LU: this build leaves the direct methods out\n");
  return 0;
}

#endif
