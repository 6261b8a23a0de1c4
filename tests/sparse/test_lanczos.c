// The look for a negative eigenvalue: certain when it says yes, silent on what rounding makes.
#include "sparse/lanczos.h"
#include "test_helpers.h"

// n blocks of size 3, I on the diagonal and c I everywhere else: eigenvalues 1 - c and 1 + (n - 1) c.
static CpsBlockMatrix coupled(int32_t n, double c, CpsArena* arena) {
  CpsBlockMatrix A = {.rows = n, .dim = 3};
  int64_t* offset = CPS_TAKE(arena, int64_t, n + 1);
  A.offset = offset;
  A.start = CPS_TAKE(arena, int64_t, n + 1);
  A.col = CPS_TAKE(arena, int32_t, n * n);
  A.at = CPS_TAKE(arena, int64_t, n * n + 1);
  A.value = CPS_TAKE_ZERO(arena, double, 9 * n * n);
  for (int32_t i = 0; i <= n; ++i) {
    offset[i] = 3 * i;
    A.start[i] = (int64_t)n * i;
  }
  for (int32_t k = 0; k < n * n; ++k) {
    A.col[k] = k % n;
    A.at[k] = 9 * k;
    for (int a = 0; a < 3; ++a) A.value[9 * k + 4 * a] = k / n == k % n ? 1.0 : c;
  }
  A.at[n * n] = 9 * n * n;
  return A;
}

// Every 2 x 2 minor is positive, yet 1 + (n - 1) c is not.
static void contacts_that_are_fine_in_pairs_can_be_indefinite_together(void** state) {
  (void)state;
  CpsArena arena = {0};
  CpsBlockMatrix A = coupled(5, -0.3, &arena);
  assert_int_equal(cps_lanczos_indefinite(&A, 1e-6, &arena), CPS_LANCZOS_INDEFINITE);
  cps_arena_free(&arena);
}

static void definite_and_singular_matrices_pass(void** state) {
  (void)state;
  CpsArena arena = {0};
  const double couplings[] = {0.0, 0.5, -0.2, -0.25, 1.0};  // -1/(n - 1) and 1 are singular
  for (size_t k = 0; k < sizeof couplings / sizeof *couplings; ++k) {
    CpsBlockMatrix A = coupled(5, couplings[k], &arena);
    assert_int_equal(cps_lanczos_indefinite(&A, 1e-6, &arena), CPS_LANCZOS_NOT_SEEN);
  }
  cps_arena_free(&arena);
}

// A skew part does not count: x . A x = x . S x.
static void a_skew_part_does_not_make_it_indefinite(void** state) {
  (void)state;
  CpsArena arena = {0};
  CpsBlockMatrix A = coupled(4, 0.1, &arena);
  A.value[9 * 1 + 1] += 5.0;  // block (0, 1), entry (0, 1)
  A.value[9 * 4 + 3] -= 5.0;  // block (1, 0), entry (1, 0)
  assert_int_equal(cps_lanczos_indefinite(&A, 1e-6, &arena), CPS_LANCZOS_NOT_SEEN);
  cps_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(contacts_that_are_fine_in_pairs_can_be_indefinite_together),
      cmocka_unit_test(definite_and_singular_matrices_pass),
      cmocka_unit_test(a_skew_part_does_not_make_it_indefinite),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
