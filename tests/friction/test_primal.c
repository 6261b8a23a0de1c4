// labels: threads
// Methods that never form W, against those that do, on sheets pressed on planes.
#include "friction/problem.h"
#include "sheet_scene.h"

#ifdef CAPSTAN_DIRECT
static const CpsMethod PRIMAL[] = {CPS_METHOD_PRIMAL_NEWTON, CPS_METHOD_NODAL, CPS_METHOD_SPLITTING, CPS_METHOD_AUTO};
enum { PRIMAL_COUNT = sizeof PRIMAL / sizeof *PRIMAL };

typedef struct Answer {
  double* r;
  double* u;
  CpsSolveInfo info;
} Answer;

// Solves from zero; fails unless that is solved, or is refused by `nodal` where it may.
static bool solve(const CpsProblem* p, CpsMethod method, double tolerance, int32_t threads, Answer* answer) {
  CpsSolveOptions options = cps_solve_options_default();
  size_t rows = (size_t)cps_problem_row_count(p) + 1;
  options.method = method;
  options.tolerance = tolerance;
  options.threads = threads;
  options.max_iterations = 200000;
  *answer = (Answer){.r = calloc(rows, sizeof(double)), .u = calloc(rows, sizeof(double))};
  CpsError error;
  CpsStatus status = cps_problem_solve(p, &options, answer->r, &answer->info, &error);
  if (status == CPS_UNSUPPORTED && method == CPS_METHOD_NODAL) return false;
  if (status != CPS_OK) fail_msg("%s: %s", cps_method_info(method)->name, error.text);
  assert_true(answer->info.residual <= tolerance);
  assert_int_equal(cps_problem_velocity(p, answer->r, answer->u), CPS_OK);
  return true;
}

static void forget(Answer* answer) {
  free(answer->r);
  free(answer->u);
}

static double largest(const double* x, int64_t count) {
  double most = 0.0;
  for (int64_t k = 0; k < count; ++k) most = fmax(most, fabs(x[k]));
  return most;
}

// Impulses of redundant contacts are not unique, their velocities are; otherwise both are compared.
static void compare(const CpsProblem* p, double tolerance, bool redundant) {
  Answer dual;
  assert_true(solve(p, CPS_METHOD_PROXIMAL, 1e-12, 1, &dual));
  int64_t rows = cps_problem_row_count(p);
  for (int k = 0; k < PRIMAL_COUNT; ++k) {
    Answer primal;
    bool solved = solve(p, PRIMAL[k], tolerance, 1, &primal);
    if (!solved) assert_true(redundant || p->factors.body_count > 0);
    // a residual of e leaves errors of about e times the condition of W, some hundreds here
    for (int64_t q = 0; solved && q < rows; ++q) {
      assert_near(primal.u[q], dual.u[q], 1e3 * tolerance * largest(dual.u, rows));
      if (!redundant) assert_near(primal.r[q], dual.r[q], 1e3 * tolerance * largest(dual.r, rows));
    }
    forget(&primal);
  }
  forget(&dual);
}

static void primal_and_dual_solutions_are_the_same(void** state) {
  (void)state;
  const double mu[] = {0.0, 0.1, 0.4, 0.9};
  for (size_t k = 0; k < sizeof mu / sizeof *mu; ++k) {
    SheetScene* s = sheet_on_planes(12, 11, 40, 1, mu[k], 0.2, 0, 11 + k);
    CpsProblem* p = sheet_problem(s);
    compare(p, 1e-10, false);
    cps_problem_destroy(p);
    sheet_free(s);
  }
}

static void sheets_and_bodies_are_solved_together(void** state) {
  (void)state;
  SheetScene* s = sheet_on_planes(12, 11, 40, 1, 0.5, 0.2, 4, 21);
  CpsProblem* p = sheet_problem(s);
  compare(p, 1e-10, false);
  cps_problem_destroy(p);
  sheet_free(s);
}

// Two contacts at each node, in the same plane: W is singular.
static void redundant_contacts_are_solved(void** state) {
  (void)state;
  SheetScene* s = sheet_on_planes(12, 11, 40, 2, 0.5, 0.2, 0, 31);
  for (int32_t i = 1; i < 40; i += 2) {
    memcpy(s->A + 9 * i, s->A + 9 * (i - 1), 9 * sizeof(double));
    memcpy(s->b + 3 * i, s->b + 3 * (i - 1), 3 * sizeof(double));
  }
  CpsProblem* p = sheet_problem(s);
  compare(p, 1e-10, true);
  cps_problem_destroy(p);
  sheet_free(s);
}

// Ties hold nodes to the ground and to each other; other laws are beside them.
static void ties_hold(void** state) {
  (void)state;
  SheetScene* s = sheet_on_planes(12, 11, 40, 1, 0.5, 0.2, 0, 41);
  for (int32_t i = 0; i < 40; i += 5) s->law[i] = CPS_LAW_BILATERAL;
  s->law[3] = CPS_LAW_CONVEX;
  s->law[7] = CPS_LAW_FREE;
  CpsProblem* p = sheet_problem(s);
  compare(p, 1e-10, false);
  Answer answer;
  assert_true(solve(p, CPS_METHOD_PRIMAL_NEWTON, 1e-12, 1, &answer));
  for (int32_t i = 0; i < 40; i += 5) {
    for (int a = 0; a < 3; ++a) assert_near(answer.u[3 * i + a], 0.0, 1e-9);
  }
  forget(&answer);
  cps_problem_destroy(p);
  sheet_free(s);
}

// b = 0, and a sheet that only takes off: the answer is no impulse, found without a step.
static void without_load_nothing_happens(void** state) {
  (void)state;
  for (int lift = 0; lift < 2; ++lift) {
    SheetScene* s = sheet_on_planes(8, 8, 20, 1, 0.5, 0.2, 0, 51);
    for (int k = 0; k < 60; ++k) s->b[k] = k % 3 == 0 ? lift : 0.0;
    CpsProblem* p = sheet_problem(s);
    for (int k = 0; k < PRIMAL_COUNT; ++k) {
      Answer answer;
      assert_true(solve(p, PRIMAL[k], 1e-12, 1, &answer));
      assert_int_equal(answer.info.iterations, 0);
      assert_true(largest(answer.r, 60) == 0.0);
      forget(&answer);
    }
    cps_problem_destroy(p);
    sheet_free(s);
  }
}

static void threads_do_not_change_the_bits(void** state) {
  (void)state;
  SheetScene* s = sheet_on_planes(24, 20, 90, 1, 0.4, 0.2, 0, 61);
  CpsProblem* p = sheet_problem(s);
  const CpsMethod methods[] = {CPS_METHOD_PRIMAL_NEWTON, CPS_METHOD_NODAL, CPS_METHOD_SPLITTING, CPS_METHOD_AUTO,
                               CPS_METHOD_PROXIMAL};
  for (size_t k = 0; k < sizeof methods / sizeof *methods; ++k) {
    Answer one;
    assert_true(solve(p, methods[k], 1e-6, 1, &one));
    for (int32_t threads = 2; threads <= 4; threads += 2) {
      Answer more;
      assert_true(solve(p, methods[k], 1e-6, threads, &more));
      assert_memory_equal(one.r, more.r, 270 * sizeof(double));
      forget(&more);
    }
    forget(&one);
  }
  cps_problem_destroy(p);
  sheet_free(s);
}

// A workspace keeps its memory from solve to solve, but not what decides how sums are rounded: a world that was loaded has another
// workspace than the one that was saved.
static void what_was_solved_before_does_not_change_the_bits(void** state) {
  (void)state;
  SheetScene* before = sheet_on_planes(12, 10, 30, 1, 0.4, 0.2, 2, 62);
  SheetScene* s = sheet_on_planes(12, 10, 60, 1, 0.4, 0.2, 2, 63);
  CpsProblem *other = sheet_problem(before), *p = sheet_problem(s);
  const CpsMethod methods[] = {CPS_METHOD_PRIMAL_NEWTON, CPS_METHOD_AUTO};
  for (size_t k = 0; k < sizeof methods / sizeof *methods; ++k) {
    CpsSolveOptions options = cps_solve_options_default();
    options.method = methods[k];
    options.tolerance = 1e-6;
    CpsWorkspace *used, *empty;
    assert_int_equal(cps_workspace_create(&used), CPS_OK);
    assert_int_equal(cps_workspace_create(&empty), CPS_OK);
    double first[3 * 30] = {0.0}, after[3 * 60] = {0.0}, alone[3 * 60] = {0.0};
    assert_int_equal(cps_workspace_solve(used, other, &options, first, NULL, NULL), CPS_OK);
    assert_int_equal(cps_workspace_solve(used, p, &options, after, NULL, NULL), CPS_OK);
    assert_int_equal(cps_workspace_solve(empty, p, &options, alone, NULL, NULL), CPS_OK);
    assert_memory_equal(after, alone, sizeof alone);
    cps_workspace_destroy(used);
    cps_workspace_destroy(empty);
  }
  cps_problem_destroy(other);
  cps_problem_destroy(p);
  sheet_free(before);
  sheet_free(s);
}

// A block of one node on a plane tilted by theta: sticks for mu > tan(theta), otherwise slides with the closed form.
static void one_node_on_a_ramp(void** state) {
  (void)state;
  for (int sticks = 0; sticks < 2; ++sticks) {
    SheetScene* s = sheet_create(1, 1, 1, 1, 0);
    double theta = 0.2, mass = 2.0, mu = tan(theta) * (sticks ? 1.001 : 0.9), g = 0.01;
    s->M_start[1] = 1;
    for (int a = 0; a < 3; ++a) s->M_value[4 * a] = mass;
    s->node_start[1] = 1;
    const double frame[9] = {-sin(theta), 0.0, cos(theta), cos(theta), 0.0, sin(theta), 0.0, 1.0, 0.0};
    memcpy(s->A, frame, sizeof frame);
    s->mu[0] = mu;
    s->b[0] = -g * cos(theta);
    s->b[1] = -g * sin(theta);
    CpsProblem* p = sheet_problem(s);
    for (int k = 0; k < PRIMAL_COUNT; ++k) {
      Answer answer;
      assert_true(solve(p, PRIMAL[k], 1e-12, 1, &answer));
      double r_N = mass * g * cos(theta), r_T = sticks ? mass * g * sin(theta) : mu * r_N;
      assert_near(answer.r[0], r_N, 1e-10 * r_N);
      assert_near(answer.r[1], r_T, 1e-10 * r_N);
      assert_near(answer.u[1], r_T / mass - g * sin(theta), 1e-10 * g);
      forget(&answer);
    }
    cps_problem_destroy(p);
    sheet_free(s);
  }
}

// Polishing carries a sheet that rests on all of its nodes to rounding.
static void rest_is_polished_without_W(void** state) {
  (void)state;
  SheetScene* s = sheet_on_planes(8, 5, 40, 1, 0.5, 0.05, 0, 71);
  for (int q = 0; q < 120; ++q) s->b[q] = 0.1 * s->A[3 * q] - s->A[3 * q + 2];  // every node falls alike
  CpsProblem* p = sheet_problem(s);
  CpsSolveOptions options = cps_solve_options_default();
  options.tolerance = 1e-4;
  options.polish = true;
  double r[120] = {0};
  CpsSolveInfo info;
  assert_int_equal(cps_problem_solve(p, &options, r, &info, NULL), CPS_OK);
  assert_int_equal(info.stick, 40);
  assert_true(info.residual < 1e-12);
  cps_problem_destroy(p);
  sheet_free(s);
}

static void nodal_refuses_what_it_cannot_do(void** state) {
  (void)state;
  SheetScene* s = sheet_on_planes(6, 6, 20, 2, 0.5, 0.2, 0, 81);
  CpsProblem* p = sheet_problem(s);
  CpsSolveOptions options = cps_solve_options_default();
  options.method = CPS_METHOD_NODAL;
  double r[60] = {0};
  CpsError error;
  assert_int_equal(cps_problem_solve(p, &options, r, NULL, &error), CPS_UNSUPPORTED);
  assert_non_null(strstr(error.text, "one contact per node"));
  cps_problem_destroy(p);
  sheet_free(s);
}
#endif

int main(void) {
#ifndef CAPSTAN_DIRECT
  printf("skipped: a build without the direct methods has no large members\n");
  return 0;
#else
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(primal_and_dual_solutions_are_the_same),
      cmocka_unit_test(sheets_and_bodies_are_solved_together),
      cmocka_unit_test(redundant_contacts_are_solved),
      cmocka_unit_test(ties_hold),
      cmocka_unit_test(without_load_nothing_happens),
      cmocka_unit_test(threads_do_not_change_the_bits),
      cmocka_unit_test(what_was_solved_before_does_not_change_the_bits),
      cmocka_unit_test(one_node_on_a_ramp),
      cmocka_unit_test(rest_is_polished_without_W),
      cmocka_unit_test(nodal_refuses_what_it_cannot_do),
  };
  keep_to_threads("threads_*");
  return cmocka_run_group_tests(tests, NULL, NULL);
#endif
}
