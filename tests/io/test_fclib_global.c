// A problem with large members is written in global form and read back as one: the same problem, the same residual.
#include "capstan/capstan.h"
#include "capstan/fclib.h"
#include "friction/problem.h"
#include "friction/sheet_scene.h"

#include <unistd.h>

#ifdef CAPSTAN_DIRECT
// 200 nodes: more coupled dofs than the reader takes as a dense body.
static SheetScene* scene(int32_t bodies) {
  return sheet_on_planes(20, 10, 50, 1, 0.4, 0.2, bodies, 7);
}

static void a_saved_step_has_the_same_residual(void** state) {
  (void)state;
  for (int32_t bodies = 0; bodies < 4; bodies += 3) {
    SheetScene* s = scene(bodies);
    CpsProblem *p = sheet_problem(s), *read = NULL;
    double r[150] = {0}, u[150], other[150] = {0};
    CpsSolveOptions options = cps_solve_options_default();
    CpsSolveInfo info;
    assert_int_equal(cps_problem_solve(p, &options, r, &info, NULL), CPS_OK);
    assert_int_equal(cps_problem_velocity(p, r, u), CPS_OK);
    char path[256];
    (void)snprintf(path, sizeof path, "fclib_global_%d.h5", (int)getpid());
    CpsError error;
    if (cps_fclib_write(path, p, r, u, "a sheet", &error) != CPS_OK) fail_msg("%s", error.text);
    CpsFclibInfo file;
    if (cps_fclib_read(path, CPS_FORM_SPARSE, &read, &file, &error) != CPS_OK) fail_msg("%s", error.text);
    assert_true(file.global && file.has_solution);
    assert_string_equal(file.title, "a sheet");
    assert_true(cps_problem_node_count(read) >= s->node_count);
    assert_memory_equal(cps_problem_mu(read), cps_problem_mu(p), 50 * sizeof(double));
    CpsResidual before, after;
    assert_int_equal(cps_fclib_read_solution(path, 150, other, NULL, NULL), CPS_OK);
    assert_memory_equal(r, other, sizeof r);
    assert_int_equal(cps_problem_residual(p, r, &before), CPS_OK);
    assert_int_equal(cps_problem_residual(read, other, &after), CPS_OK);
    assert_near(after.natural, before.natural, 1e-13);  // rounding of another order of elimination
    for (int i = 0; i < 50; ++i) assert_near(read->xi[i], p->xi[i], 1e-11 * p->xi[i]);
#ifdef CAPSTAN_COMMAND
    char command[600];
    (void)snprintf(command, sizeof command, "%s solve %s --method primal-newton --tol 1e-10 > /dev/null",
                   CAPSTAN_COMMAND, path);
    assert_int_equal(system(command), 0);
#endif
    // the same file as an explicit W
    CpsProblem* dual = NULL;
    assert_int_equal(cps_fclib_read(path, CPS_FORM_W, &dual, NULL, NULL), CPS_OK);
    assert_true(cps_problem_has_W(dual));
    assert_int_equal(cps_problem_residual(dual, r, &after), CPS_OK);
    assert_near(after.natural, before.natural, 1e-11);
    cps_problem_destroy(dual);
    cps_problem_destroy(read);
    cps_problem_destroy(p);
    sheet_free(s);
    (void)remove(path);
  }
}

// M v = H^T r + f for the global form that keeps M, and W where M is not symmetric.
static void free_velocities_of_a_global_form(void** state) {
  (void)state;
  enum { DOFS = 100 };  // not a multiple of three
  int64_t start[DOFS + 1], H_start[4] = {0, 1, 2, 3};
  int32_t row[3 * DOFS], H_col[3] = {50, 51, 49};
  double value[3 * DOFS], f[DOFS], H_value[3] = {1.0, 1.0, 1.0}, w[3] = {0.0, 0.1, -0.2}, mu = 0.3;
  for (int skew = 0; skew < 2; ++skew) {
    int64_t at = 0;
    for (int j = 0; j < DOFS; ++j) {
      start[j] = at;
      f[j] = -1.0;
      for (int i = j > 0 ? j - 1 : 0; i <= j + 1 && i < DOFS; ++i) {
        row[at] = i;
        value[at++] = i == j ? 3.0 : i < j ? -1.0 - 0.5 * skew : -1.0;
      }
    }
    start[DOFS] = at;
    CpsContactsDef contacts = cps_contacts_def_default();
    contacts.count = 1;
    contacts.mu = &mu;
    contacts.b = w;
    CpsGlobalForm global = {
        .M = {.kind = CPS_MASS_SPARSE, .dof_count = DOFS, .value = value, .col_start = start, .row = row},
        .H_row_start = H_start,
        .H_col = H_col,
        .H_value = H_value,
        .f = f};
    CpsProblem *kept = NULL, *dual = NULL;
    assert_int_equal(cps_problem_from_global(&contacts, &global, CPS_FORM_SPARSE, &kept, NULL), CPS_OK);
    assert_int_equal(cps_problem_from_global(&contacts, &global, CPS_FORM_W, &dual, NULL), CPS_OK);
    assert_int_equal(cps_problem_node_count(kept), skew ? 0 : 34);
    for (int k = 0; k < 3; ++k) assert_near(cps_problem_b(kept)[k], cps_problem_b(dual)[k], 1e-12);
    for (int k = 0; k < 9; ++k) assert_near(cps_contact_W(kept, 0)[k], cps_contact_W(dual, 0)[k], 1e-12);
    double r[3] = {1.0, 0.2, -0.1}, v[2][DOFS];
    assert_int_equal(cps_problem_dof_velocity(kept, r, v[0]), CPS_OK);
    assert_int_equal(cps_problem_dof_velocity(dual, r, v[1]), CPS_OK);
    for (int k = 0; k < DOFS; ++k) assert_near(v[0][k], v[1][k], 1e-12);
    cps_problem_destroy(kept);
    cps_problem_destroy(dual);
  }
}
#endif

int main(void) {
#ifndef CAPSTAN_DIRECT
  printf("skipped: a build without the direct methods has no large members\n");
  return 0;
#else
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_saved_step_has_the_same_residual),
      cmocka_unit_test(free_velocities_of_a_global_form),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
#endif
}
