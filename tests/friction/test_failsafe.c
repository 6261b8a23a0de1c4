// The fail-safe of Gauss-Seidel: what counts as a failure of the one-contact solver.
#include "capstan/capstan.h"
#include "test_helpers.h"

// Isotropic sliding along (3, 4), which no side of a square pyramid follows.
static const double W[9] = {1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0};
static const double b[3] = {-1.0, 3.0, 4.0};
static const double mu[1] = {0.5};

static CpsSolveInfo solve(const char* name, double r[3]) {
  CpsContactsDef contacts = cps_contacts_def_default();
  contacts.count = 1;
  contacts.mu = mu;
  contacts.b = b;
  const int32_t zero = 0;
  CpsProblem* problem = NULL;
  assert_int_equal(cps_problem_from_blocks(&contacts, 1, &zero, &zero, W, &problem, NULL), CPS_OK);
  CpsSolveOptions options = cps_solve_options_default();
  assert_int_equal(cps_solve_options_set_method(&options, name), CPS_OK);
  options.max_iterations = 50;
  r[0] = r[1] = r[2] = 0.0;
  CpsSolveInfo info = {0};
  assert_true(cps_problem_solve(problem, &options, r, &info, NULL) >= 0);
  cps_problem_destroy(problem);
  return info;
}

static void a_faceted_answer_alone_misses_the_sliding_direction(void** state) {
  (void)state;
  double r[3];
  CpsSolveInfo info = solve("4sides", r);
  assert_int_equal(info.status, CPS_NOT_CONVERGED);
  // four sides at most 45 degrees off: far above any tolerance
  assert_true(info.residual > 1e-2);
  assert_int_equal(info.local_fallbacks, 0);
}

static void with_a_fail_safe_a_faceted_answer_counts_by_the_exact_law(void** state) {
  (void)state;
  double r[3];
  CpsSolveInfo info = solve("4sides+Enum", r);
  assert_int_equal(info.status, CPS_OK);
  assert_true(info.local_fallbacks > 0);
  // the exact answer; 1e-8 is the tolerance of the solve
  assert_near(r[0], 1.0, 1e-7);
  assert_near(r[1], -0.3, 1e-7);
  assert_near(r[2], -0.4, 1e-7);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_faceted_answer_alone_misses_the_sliding_direction),
      cmocka_unit_test(with_a_fail_safe_a_faceted_answer_counts_by_the_exact_law),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
