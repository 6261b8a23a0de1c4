// Dashpots and cohesion go into problem files and come back: the same law, the same residual.
#include "capstan/fclib.h"
#include "friction/sheet_scene.h"

#include <unistd.h>

#ifdef CAPSTAN_DIRECT
enum { CONTACTS = 50 };

static void a_saved_problem_keeps_its_rheology(void** state) {
  (void)state;
  SheetScene* s = sheet_on_planes(20, 10, CONTACTS, 1, 0.4, 0.2, 0, 7);
  double dashpot[CONTACTS], cohesion[CONTACTS], shift[3 * CONTACTS] = {0}, r[3 * CONTACTS] = {0}, u[3 * CONTACTS];
  for (int i = 0; i < CONTACTS; ++i) {
    dashpot[i] = 0.01 * (i % 3);
    cohesion[i] = i % 2 ? 0.002 : 0.0;
    shift[3 * i] = 0.05 * (i % 4);
  }
  CpsContactsDef def = cps_contacts_def_default();
  def.count = CONTACTS;
  def.mu = s->mu;
  def.b = s->b;
  def.shift = shift;
  def.dashpot = dashpot;
  def.cohesion = cohesion;
  const CpsSparseForm form = {.node_count = s->node_count,
                              .M_start = s->M_start,
                              .M_column = s->M_column,
                              .M_value = s->M_value,
                              .node_start = s->node_start,
                              .node = s->node,
                              .A = s->A};
  CpsProblem* p = NULL;
  CpsError error;
  assert_int_equal(cps_problem_from_sparse(&def, &form, &p, &error), CPS_OK);
  CpsSolveOptions options = cps_solve_options_default();
  CpsSolveInfo info;
  assert_int_equal(cps_problem_solve(p, &options, r, &info, &error), CPS_OK);
  assert_int_equal(cps_problem_velocity(p, r, u), CPS_OK);
  // without the rheology the same impulses are far from the law
  def.dashpot = def.cohesion = NULL;
  CpsProblem* plain = NULL;
  CpsResidual before, after;
  assert_int_equal(cps_problem_from_sparse(&def, &form, &plain, &error), CPS_OK);
  assert_int_equal(cps_problem_residual(plain, r, &after), CPS_OK);
  assert_true(after.natural > 1e-4);
  cps_problem_destroy(plain);
  char path[64];
  (void)snprintf(path, sizeof path, "fclib_rheology_%d.h5", (int)getpid());
  assert_int_equal(cps_fclib_write(path, p, r, u, "viscous", &error), CPS_OK);
  assert_int_equal(cps_problem_residual(p, r, &before), CPS_OK);
  for (int k = 0; k < 2; ++k) {
    CpsProblem* read = NULL;
    assert_int_equal(cps_fclib_read(path, k ? CPS_FORM_W : CPS_FORM_SPARSE, &read, NULL, &error), CPS_OK);
    assert_memory_equal(cps_problem_dashpot(read), dashpot, sizeof dashpot);
    assert_memory_equal(cps_problem_cohesion(read), cohesion, sizeof cohesion);
    assert_int_equal(cps_problem_residual(read, r, &after), CPS_OK);
    assert_near(after.natural, before.natural, 1e-11);  // rounding of W written out
    cps_problem_destroy(read);
  }
#ifdef CAPSTAN_COMMAND
  char command[600];
  (void)snprintf(command, sizeof command, "%s solve %s --tol 1e-9 > /dev/null", CAPSTAN_COMMAND, path);
  assert_int_equal(system(command), 0);
#endif
  (void)remove(path);
  cps_problem_destroy(p);
  sheet_free(s);
}
#endif

int main(void) {
#ifdef CAPSTAN_DIRECT
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_saved_problem_keeps_its_rheology)};
  return cmocka_run_group_tests(tests, NULL, NULL);
#else
  return 0;
#endif
}
