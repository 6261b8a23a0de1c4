// Banded Cholesky: the second difference in closed form, random matrices against what they were made of, refusals.
#include "sparse/banded.h"

#include "core/random.h"
#include "test_helpers.h"

#include <string.h>

enum { N_MAX = 40, K_MAX = 12 };

// L of the matrix (-1, 2, -1) has the diagonal sqrt((i + 2) / (i + 1)), and its solve for a constant load is a parabola.
static void second_difference_has_its_closed_form(void** state) {
  (void)state;
  enum { N = 20 };
  double a[2 * N], x[N];
  for (int i = 0; i < N; ++i) {
    a[2 * i] = -1.0;
    a[2 * i + 1] = 2.0;
    x[i] = 1.0;
  }
  assert_true(cps_banded_factor(N, 1, a));
  for (int i = 0; i < N; ++i) assert_near(a[cps_banded_at(1, i, i)], sqrt((i + 2.0) / (i + 1.0)), 1e-14);
  cps_banded_solve_lower(N, 1, a, 0, x);
  cps_banded_solve_upper(N, 1, a, x);
  // rounding: the condition number is about 200
  for (int i = 0; i < N; ++i) assert_near(x[i], 0.5 * (i + 1.0) * (N - i), 1e-11);
}

// Random symmetric matrix with a dominant diagonal, and NaN where nobody may read.
static void random_band(CpsRandom* random, int n, int k, double* a) {
  for (int i = 0; i < n; ++i) {
    for (int j = i - k; j <= i; ++j) {
      double* entry = &a[cps_banded_at(k, i, j)];
      *entry = j < 0 ? NAN : j < i ? cps_random_uniform(random) - 0.5 : k + 1.0;
    }
  }
}

static void solves_undo_the_product(void** state) {
  (void)state;
  CpsRandom random = cps_random_seed(7);
  for (int n = 1; n <= N_MAX; n += 3) {
    for (int k = 0; k <= K_MAX; k += 4) {
      double a[N_MAX * (K_MAX + 1)], x[N_MAX], y[N_MAX];
      random_band(&random, n, k, a);
      for (int i = 0; i < n; ++i) x[i] = cps_random_uniform(&random) - 0.5;
      cps_banded_multiply(n, k, a, x, y);
      assert_true(cps_banded_factor(n, k, a));
      cps_banded_solve_lower(n, k, a, 0, y);
      cps_banded_solve_upper(n, k, a, y);
      // the diagonal dominates: condition below 3
      for (int i = 0; i < n; ++i) assert_near(y[i], x[i], 1e-14);
    }
  }
}

// A right side that starts late gives the bits of the full solve.
static void late_right_sides_start_late(void** state) {
  (void)state;
  enum { N = 30, K = 7 };
  CpsRandom random = cps_random_seed(8);
  double a[N * (K + 1)];
  random_band(&random, N, K, a);
  assert_true(cps_banded_factor(N, K, a));
  for (int first = 0; first < N; ++first) {
    double whole[N] = {0}, late[N] = {0};
    for (int i = first; i < N && i < first + 3; ++i) whole[i] = late[i] = 1.0 + i;
    cps_banded_solve_lower(N, K, a, 0, whole);
    cps_banded_solve_lower(N, K, a, first, late);
    assert_memory_equal(whole, late, sizeof whole);
  }
}

static void what_is_not_positive_definite_is_refused(void** state) {
  (void)state;
  double indefinite[] = {0, 1, 2, 1}, zero[] = {0}, nan[] = {NAN}, huge[] = {INFINITY};
  assert_false(cps_banded_factor(2, 1, indefinite));
  assert_false(cps_banded_factor(1, 0, zero));
  assert_false(cps_banded_factor(1, 0, nan));
  assert_false(cps_banded_factor(1, 0, huge));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(second_difference_has_its_closed_form),
      cmocka_unit_test(solves_undo_the_product),
      cmocka_unit_test(late_right_sides_start_late),
      cmocka_unit_test(what_is_not_positive_definite_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
