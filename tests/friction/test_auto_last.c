// labels: release
// Packs of spheres too large for a factor to be worth its time: where sweeps with momentum have used half of the iterations in vain, the
// proximal method is tried once, whatever it costs.
#include "capstan/capstan.h"
#include "capstan/generate.h"

#include "test_helpers.h"

#include <stdlib.h>

// Sweeps take 805 iterations, more than they are given here.
static void what_sweeps_do_not_solve_is_factored(void** state) {
  (void)state;
  CpsGenerateDef def = cps_generate_def_default();
  CpsProblem* problem = NULL;
  def.kind = CPS_GENERATE_SPHERES;
  def.contact_count = 2100;
  def.form = CPS_FORM_FACTORED;
  def.seed = 1;
  assert_int_equal(cps_problem_generate(&def, &problem, NULL), CPS_OK);
  CpsSolveOptions options = cps_solve_options_default();
  CpsSolveInfo info;
  options.tolerance = 1e-5;
  options.max_iterations = 760;
  if (!cps_method_info(CPS_METHOD_PROXIMAL)->available) skip();
  double* r = calloc((size_t)cps_problem_row_count(problem), sizeof *r);
  assert_non_null(r);
  assert_int_equal(cps_problem_solve(problem, &options, r, &info, NULL), CPS_OK);
  assert_true(info.residual <= options.tolerance);
  assert_true(info.iterations <= options.max_iterations);
  free(r);
  cps_problem_destroy(problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(what_sweeps_do_not_solve_is_factored)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
