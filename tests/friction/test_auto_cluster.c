// Newton on the contacts that sweeps leave unsolved, in both forms of W.
#include "capstan/generate.h"
#include "friction/global/auto_cluster.h"
#include "friction/residual.h"
#include "test_helpers.h"

#include <stdlib.h>
#include <string.h>

#ifdef CAPSTAN_DIRECT
static CpsProblem* fibres(int32_t contacts, int32_t rods, CpsForm form) {
  CpsGenerateDef def = cps_generate_def_default();
  def.contact_count = contacts;
  def.body_count = rods;
  def.form = form;
  CpsProblem* problem = NULL;
  assert_int_equal(cps_problem_generate(&def, &problem, NULL), CPS_OK);
  return problem;
}

// After a few sweeps of a problem that is small enough to be one cluster, the cluster solves what is left: only contacts
// outside of it, whose error was below the tolerance, can keep the whole above it.
static void a_cluster_takes_the_residual_down_where_a_few_sweeps_did_not(void** state) {
  (void)state;
  const CpsForm forms[] = {CPS_FORM_W, CPS_FORM_FACTORED};
  for (int k = 0; k < 2; ++k) {
    CpsProblem* problem = fibres(300, 12, forms[k]);
    CpsSolveOptions options = cps_solve_options_default();
    CpsArena arena = {0};
    int64_t rows = cps_problem_row_count(problem);
    CpsSolve solve = {.problem = problem, .options = &options, .arena = &arena, .best_residual = INFINITY};
    solve.best_r = CPS_TAKE_ZERO(&arena, double, rows);
    solve.u_scratch = CPS_TAKE(&arena, double, rows);
    double* r = CPS_TAKE_ZERO(&arena, double, rows);
    CpsGsLoop loop;
    assert_int_equal(cps_gs_loop_create(&solve, CPS_LOCAL_ENUM, false, false, r, &loop), CPS_OK);
    for (int sweep = 0; sweep < 3; ++sweep) (void)cps_gs_loop_sweep(&loop);
    double before, after;
    assert_true(cps_gs_loop_measure(&solve, &loop, &before));
    assert_true(before > 1e-6);
    bool tried;
    assert_int_equal(cps_auto_cluster(&solve, &loop, r, &tried), CPS_OK);
    assert_true(tried);
    (void)cps_gs_loop_measure(&solve, &loop, &after);
    // the members go to 0.3 of the tolerance; those that were held feel the change, and were below it before
    assert_below(after, 1e-2 * before);
    assert_true(solve.factorisations > 0 && solve.outside_bytes > 0);
    cps_arena_free(&arena);
    cps_problem_destroy(problem);
  }
}

// Matrix-free, more than 2000 contacts and over 64 blocks of W per contact: W is not formed, and the clusters are what
// makes the factorisations that are reported.
static void a_large_matrix_free_problem_is_solved_without_forming_W(void** state) {
  (void)state;
  CpsProblem* problem = fibres(2200, 60, CPS_FORM_FACTORED);
  int64_t rows = cps_problem_row_count(problem);
  double* r[2];
  for (int k = 0; k < 2; ++k) {
    r[k] = calloc((size_t)rows, sizeof(double));
    assert_non_null(r[k]);
    CpsSolveOptions options = cps_solve_options_default();
    options.tolerance = 1e-6;
    options.threads = k + 1;
    CpsSolveInfo info;
    assert_int_equal(cps_problem_solve(problem, &options, r[k], &info, NULL), CPS_OK);
    assert_true(info.factorisations > 0);
    CpsResidual residual;
    assert_int_equal(cps_problem_residual(problem, r[k], &residual), CPS_OK);
    assert_below(residual.natural, options.tolerance);
  }
  assert_memory_equal(r[0], r[1], (size_t)rows * sizeof(double));
  free(r[0]);
  free(r[1]);
  cps_problem_destroy(problem);
}

#endif

int main(void) {
#ifndef CAPSTAN_DIRECT
  print_message("[  SKIPPED ] clusters are solved by the direct methods\n");
  return 0;
#else
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_cluster_takes_the_residual_down_where_a_few_sweeps_did_not),
      cmocka_unit_test(a_large_matrix_free_problem_is_solved_without_forming_W),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
#endif
}
