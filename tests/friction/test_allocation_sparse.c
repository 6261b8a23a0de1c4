// Problems with large members: a warm refill and solve allocate nothing, and every allocation may fail.
#include "capstan/capstan.h"
#include "failing_memory.h"
#include "sheet_scene.h"

#ifdef CAPSTAN_DIRECT
static const CpsMethod METHODS[] = {CPS_METHOD_PRIMAL_NEWTON, CPS_METHOD_NODAL, CPS_METHOD_SPLITTING, CPS_METHOD_AUTO,
                                    CPS_METHOD_GS};
enum { METHOD_COUNT = sizeof METHODS / sizeof *METHODS };

static CpsStatus step(CpsProblem* p, CpsWorkspace* workspace, const SheetScene* s, CpsMethod method) {
  double r[120] = {0};
  CpsContactsDef def = sheet_contacts(s);
  CpsSparseForm form = sheet_form(s);
  CpsSolveOptions options = cps_solve_options_default();
  options.method = method;
  options.tolerance = 1e-6;
  CpsSolveInfo info;
  CpsStatus status = cps_problem_refill_sparse(p, &def, &form, NULL);
  return status == CPS_OK ? cps_workspace_solve(workspace, p, &options, r, &info, NULL) : status;
}

static void a_warm_step_allocates_nothing(void** state) {
  (void)state;
  SheetScene* s = sheet_on_planes(12, 11, 40, 1, 0.4, 0.2, 0, 5);
  CpsProblem* p = sheet_problem(s);
  for (int m = 0; m < METHOD_COUNT; ++m) {
    CpsWorkspace* workspace = NULL;
    assert_int_equal(cps_workspace_create(&workspace), CPS_OK);
    for (int k = 0; k < 3; ++k) assert_int_equal(step(p, workspace, s, METHODS[m]), CPS_OK);
    keep_failing = true;
    for (int k = 0; k < 3; ++k) {
      for (int64_t e = 0; e < 9 * s->M_start[s->node_count]; ++e) s->M_value[e] *= 1.01;  // another step, another M
      for (int q = 0; q < 120; ++q) s->b[q] *= 0.99;
      fail_allocation(0);
      CpsStatus status = step(p, workspace, s, METHODS[m]);
      stop_failing();
      assert_int_equal(status, CPS_OK);
      assert_false(allocation_failed);
    }
    cps_workspace_destroy(workspace);
  }
  cps_problem_destroy(p);
  sheet_free(s);
}

// Two islands of different sheets in turn, in one problem and workspace.
static void islands_in_turn_allocate_nothing(void** state) {
  (void)state;
  SheetScene* s[2] = {sheet_on_planes(12, 11, 40, 1, 0.4, 0.2, 0, 5), sheet_on_planes(9, 7, 30, 1, 0.4, 0.2, 0, 6)};
  CpsProblem* p = sheet_problem(s[0]);
  CpsWorkspace* workspace = NULL;
  assert_int_equal(cps_workspace_create(&workspace), CPS_OK);
  for (int k = 0; k < 6; ++k) assert_int_equal(step(p, workspace, s[k % 2], CPS_METHOD_SPLITTING), CPS_OK);
  keep_failing = true;
  for (int k = 0; k < 4; ++k) {
    fail_allocation(0);
    CpsStatus status = step(p, workspace, s[k % 2], CPS_METHOD_SPLITTING);
    stop_failing();
    assert_int_equal(status, CPS_OK);
    assert_false(allocation_failed);
  }
  cps_workspace_destroy(workspace);
  cps_problem_destroy(p);
  sheet_free(s[0]);
  sheet_free(s[1]);
}

// Every allocation of a first problem and solve fails once: an error, or the answer.
static void every_allocation_may_fail(void** state) {
  (void)state;
  SheetScene* s = sheet_on_planes(5, 4, 8, 1, 0.4, 0.2, 0, 6);
  CpsContactsDef def = sheet_contacts(s);
  CpsSparseForm form = sheet_form(s);
  keep_failing = false;
  for (int m = 0; m < METHOD_COUNT; ++m) {
    bool failed = true;
    for (int n = 0; failed; ++n) {
      CpsSolveOptions options = cps_solve_options_default();
      options.method = METHODS[m];
      CpsProblem* p = NULL;
      double r[24] = {0};
      fail_allocation(n);
      CpsStatus status = cps_problem_from_sparse(&def, &form, &p, NULL);
      if (status == CPS_OK) status = cps_problem_solve(p, &options, r, NULL, NULL);
      stop_failing();
      failed = allocation_failed;
      assert_int_equal(status, failed && status != CPS_OK ? CPS_NO_MEMORY : CPS_OK);
      cps_problem_destroy(p);
    }
  }
  sheet_free(s);
}
#endif

int main(void) {
#ifndef CAPSTAN_DIRECT
  printf("skipped: a build without the direct methods has no large members\n");
  return 0;
#else
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_warm_step_allocates_nothing),
      cmocka_unit_test(islands_in_turn_allocate_nothing),
      cmocka_unit_test(every_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
#endif
}
