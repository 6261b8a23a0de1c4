// Memory of the sparse Cholesky factor: none taken by a factorisation or a solve, and every failing allocation survived.
#include "failing_memory.h"
#include "sparse/cholesky.h"
#include "spd_grid.h"

#include <string.h>

static void a_factorisation_and_solves_allocate_nothing(void** state) {
  (void)state;
  CpsArena matrix = {0}, arena = {0}, scratch = {0};
  CpsBlockMatrix A = spd_grid_make(24, 20, 5, &matrix);
  CpsPool* pool = cps_pool_create(2);
  CpsCholeskyOptions options = {.pool = pool};
  CpsCholesky* factor = cps_cholesky_create(&A, &options, &arena, &scratch);
  assert_non_null(factor);
  double *x = CPS_TAKE_ZERO(&matrix, double, 6 * A.rows), *work = CPS_TAKE(&matrix, double, 6 * A.rows);
  double* block = CPS_TAKE(&matrix, double, 9 * A.start[A.rows]);
  x[7] = 1.0;
  assert_true(cps_cholesky_inverse(factor, NULL, block, &scratch));  // the scratch grows once
  cps_arena_reset(&scratch);
  for (int again = 0; again < 3; again++) {
    fail_allocation(0);
    int32_t bad = cps_cholesky_factor(factor, A.value);
    cps_cholesky_solve(factor, 2, x, work);
    bool inverted = cps_cholesky_inverse(factor, NULL, block, &scratch), failed = allocation_failed;
    stop_failing();
    assert_int_equal(bad, -1);
    assert_true(inverted);
    assert_false(failed);
  }
  cps_pool_destroy(pool);
  cps_arena_free(&matrix);
  cps_arena_free(&arena);
  cps_arena_free(&scratch);
}

// With the order kept, an analysis of a pattern of the same size needs no heap either.
static void an_analysis_with_a_given_order_reuses_its_arenas(void** state) {
  (void)state;
  CpsArena matrix = {0}, arena = {0}, scratch = {0};
  CpsBlockMatrix A = spd_grid_make(20, 20, 5, &matrix);
  CpsCholesky* factor = cps_cholesky_create(&A, NULL, &arena, &scratch);
  assert_non_null(factor);
  int32_t* order = CPS_TAKE(&matrix, int32_t, A.rows);
  memcpy(order, cps_cholesky_order(factor), (size_t)A.rows * sizeof *order);
  CpsCholeskyOptions options = {.order = CPS_CHOLESKY_GIVEN, .given = order};
  for (int again = 0; again < 3; again++) {
    cps_arena_reset(&arena);
    cps_arena_reset(&scratch);
    if (again > 0) fail_allocation(0);
    factor = cps_cholesky_create(&A, &options, &arena, &scratch);
    bool failed = again > 0 && allocation_failed;
    stop_failing();
    assert_non_null(factor);
    assert_false(failed);
  }
  cps_arena_free(&matrix);
  cps_arena_free(&arena);
  cps_arena_free(&scratch);
}

static void every_allocation_of_the_analysis_may_fail(void** state) {
  (void)state;
  CpsArena matrix = {0};
  CpsBlockMatrix A = spd_grid_make(12, 10, 5, &matrix);
  bool done = false;
  for (int number = 0; !done; number++) {
    assert_true(number < 1000);
    CpsArena arena = {0}, scratch = {0};
    fail_allocation(number);
    CpsCholesky* factor = cps_cholesky_create(&A, NULL, &arena, &scratch);
    done = !allocation_failed;
    stop_failing();
    assert_true(factor != NULL || !done);
    // an arena that cannot have a generous chunk asks for a small one: the factor is then whole
    if (factor) assert_int_equal(cps_cholesky_factor(factor, A.value), -1);
    assert_true(factor == NULL || done || !keep_failing);
    cps_arena_free(&arena);
    cps_arena_free(&scratch);
  }
  cps_arena_free(&matrix);
}

static void every_allocation_of_the_inverse_may_fail(void** state) {
  (void)state;
  CpsArena matrix = {0}, arena = {0};
  CpsBlockMatrix A = spd_grid_make(12, 10, 5, &matrix);
  CpsArena first = {0};
  CpsCholesky* factor = cps_cholesky_create(&A, NULL, &arena, &first);
  assert_non_null(factor);
  assert_int_equal(cps_cholesky_factor(factor, A.value), -1);
  double* block = CPS_TAKE(&matrix, double, 9 * A.start[A.rows]);
  bool done = false;
  for (int number = 0; !done; number++) {
    assert_true(number < 100);
    CpsArena scratch = {0};
    fail_allocation(number);
    bool inverted = cps_cholesky_inverse(factor, NULL, block, &scratch);
    done = !allocation_failed;
    stop_failing();
    assert_true(inverted == done);
    cps_arena_free(&scratch);
  }
  cps_arena_free(&first);
  cps_arena_free(&arena);
  cps_arena_free(&matrix);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_factorisation_and_solves_allocate_nothing),
      cmocka_unit_test(an_analysis_with_a_given_order_reuses_its_arenas),
      cmocka_unit_test_setup(every_allocation_of_the_analysis_may_fail, fail_one),
      cmocka_unit_test_setup(every_allocation_of_the_analysis_may_fail, fail_the_rest),
      cmocka_unit_test_setup(every_allocation_of_the_inverse_may_fail, fail_the_rest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
