// labels: threads release
// The bits of `auto` do not depend on the number of threads: large problems are swept by colours, one thread or many.
#include "loop_bench.h"

#include <string.h>

// Bits are compared after `iterations`, converged or not: past the change of method too. It comes after the tenth sweep at the
// earliest.
static void check(CpsGenerateKind kind, CpsForm form, double tolerance, int iterations) {
  CpsProblem* p = generate_pack(kind, 2200, 0, form);
  assert_true(cps_problem_contact_count(p) >= 2000);  // fewer are not coloured
  size_t rows = (size_t)cps_problem_row_count(p);
  double *first = calloc(rows, sizeof *first), *r = malloc(rows * sizeof *r);
  assert_true(first && r);
  CpsSolveInfo info, first_info;
  for (int threads = 1; threads <= (UNDER_TSAN ? 2 : 3); ++threads) {
    CpsSolveOptions options = cps_solve_options_default();
    options.tolerance = tolerance;
    options.max_iterations = iterations;
    options.threads = threads;
    memset(r, 0, rows * sizeof *r);
    CpsStatus status = cps_problem_solve(p, &options, r, &info, NULL);
    assert_true(status == CPS_OK || status == CPS_NOT_CONVERGED);
    if (threads == 1) {
      memcpy(first, r, rows * sizeof *r);
      first_info = info;
    }
    assert_memory_equal(first, r, rows * sizeof *r);
    assert_int_equal(info.iterations, first_info.iterations);
    assert_int_equal(info.local_calls, first_info.local_calls);
    assert_int_equal(info.factorisations, first_info.factorisations);
  }
#ifdef CAPSTAN_DIRECT
  if (kind == CPS_GENERATE_SPHERES) assert_true(first_info.factorisations > 0);  // the change of method was seen
#endif
  free(first);
  free(r);
  cps_problem_destroy(p);
}

// Below 1e-5 the sweeps over W have no momentum, and the proximal method takes over.
static void threads_change_no_bit_with_W(void** state) {
  (void)state;
  check(CPS_GENERATE_SPHERES, CPS_FORM_W, 1e-6, 11);
}

// Sweeps with momentum: clusters come when they have settled four contacts of five, here after some 120 of them.
static void threads_change_no_bit_without_W(void** state) {
  (void)state;
  if (SANITIZED) {
    print_message(
        "skipped: takes minutes under a sanitizer; momentum and clusters have tests of their own that run there\n");
    skip();
  }
  check(CPS_GENERATE_SPHERES, CPS_FORM_FACTORED, 1e-4, 130);
}

static void threads_change_no_bit_among_fibres(void** state) {
  (void)state;
  check(CPS_GENERATE_FIBRES, CPS_FORM_FACTORED, 1e-4, 11);
}

// Of these 3000 contacts less than three in five rest after sixty sweeps, and the remainder is one cluster. Momentum solves most of
// it: clusters of all contacts, which were factored 50 times, cost four times as much.
static void momentum_takes_over_where_few_fibres_settle(void** state) {
  (void)state;
  CpsProblem* p = generate_pack(CPS_GENERATE_FIBRES, 3000, 0, CPS_FORM_FACTORED);
  size_t rows = (size_t)cps_problem_row_count(p);
  double* r[2] = {calloc(rows, sizeof(double)), calloc(rows, sizeof(double))};
  for (int k = 0; k < 2; ++k) {
    assert_non_null(r[k]);
    CpsSolveOptions options = cps_solve_options_default();
    options.tolerance = 1e-4;
    options.threads = k + 1;
    CpsSolveInfo info;
    assert_int_equal(cps_problem_solve(p, &options, r[k], &info, NULL), CPS_OK);
    assert_below(info.residual, options.tolerance);
    assert_true(info.factorisations <= 20);
  }
  assert_memory_equal(r[0], r[1], rows * sizeof(double));
  free(r[0]);
  free(r[1]);
  cps_problem_destroy(p);
}

// Below 1e-5 there is no momentum for the remainder, and the clusters after sixty sweeps, of nearly all contacts, are factored. A limit
// of 1500 contacts for them cost sixty more sweeps.
static void large_clusters_of_fibres_are_solved_where_there_is_no_momentum(void** state) {
  (void)state;
#ifdef CAPSTAN_DIRECT
  CpsProblem* p = generate_pack(CPS_GENERATE_FIBRES, 2000, 154, CPS_FORM_FACTORED);
  double* r = calloc((size_t)cps_problem_row_count(p), sizeof *r);
  assert_non_null(r);
  CpsSolveOptions options = cps_solve_options_default();
  options.tolerance = 1e-6;
  CpsSolveInfo info;
  assert_int_equal(cps_problem_solve(p, &options, r, &info, NULL), CPS_OK);
  assert_true(info.iterations < 120);
  free(r);
  cps_problem_destroy(p);
#else
  skip();
#endif
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(threads_change_no_bit_with_W),
      cmocka_unit_test(threads_change_no_bit_without_W),
      cmocka_unit_test(threads_change_no_bit_among_fibres),
      cmocka_unit_test(momentum_takes_over_where_few_fibres_settle),
      cmocka_unit_test(large_clusters_of_fibres_are_solved_where_there_is_no_momentum),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
