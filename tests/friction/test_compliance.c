// A compliance of contacts adds to the diagonal of W, whichever form the problem has.
#include "capstan/problem.h"
#include "capstan/solve.h"
#include "test_helpers.h"

#include <math.h>

static void compliance_adds_to_the_diagonal(void** state) {
  (void)state;
  const double mu[2] = {0.5, 0.5}, b[6] = {-1.0, 0.2, 0.0, -2.0, 0.0, 0.1}, c[2] = {0.25, 0.0},
               r[6] = {1, 2, 3, 4, 5, 6};
  const double H[18] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  const int32_t dofs[1] = {3}, body[2] = {0, 0}, rows[4] = {0, 0, 1, 1}, cols[4] = {0, 1, 0, 1};
  const int64_t start[3] = {0, 1, 2};
  double blocks[36];
  for (int k = 0; k < 36; ++k) blocks[k] = k % 9 % 4 == 0 ? 1.0 : 0.0;  // identities
  CpsContactsDef def = cps_contacts_def_default();
  def.count = 2;
  def.mu = mu;
  def.b = b;
  def.compliance = c;
  const CpsFactoredForm form = {1, dofs, start, body, H, H};
  CpsProblem* problem[2] = {NULL, NULL};
  CpsError error;
  assert_int_equal(cps_problem_from_bodies(&def, &form, &problem[0], &error), CPS_OK);
  assert_int_equal(cps_problem_from_blocks(&def, 4, rows, cols, blocks, &problem[1], &error), CPS_OK);
  for (int p = 0; p < 2; ++p) {
    double u[6];
    assert_int_equal(cps_problem_velocity(problem[p], r, u), CPS_OK);
    for (int k = 0; k < 6; ++k) {
      assert_near(u[k], r[k % 3] + r[3 + k % 3] + (k < 3 ? 0.25 * r[k] : 0.0) + b[k], 1e-15 * 20.0);
    }
    cps_problem_destroy(problem[p]);
  }
  const double bad[2] = {-1.0, NAN};
  def.compliance = bad;
  assert_int_equal(cps_problem_from_bodies(&def, &form, &problem[0], &error), CPS_BAD_DATA);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(compliance_adds_to_the_diagonal)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
