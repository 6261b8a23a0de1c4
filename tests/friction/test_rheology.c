// Dashpots and cohesion of contacts: closed forms on one block, limits, and the same answer in every form and by every method.
#include "dense_problem.h"

#include <math.h>
#include <string.h>

typedef struct Case {
  const char* name;
  double W[9], b[3], mu, dashpot, cohesion, r[3];
} Case;

// By hand. Sliding with a dashpot: u_N = 0 gives r_N = 1 - c, and with w = W_TT the slip is |u| = (|b_T| - w mu (r_N + c))/(1 + w d),
// r_T = -(mu (r_N + c) + d |u|) along b_T.
static const Case CASES[] = {
    {"slide, dashpot", {1, 0, 0, 0, 2, 0, 0, 0, 2}, {-1, 3, 4}, 0.5, 0.5, 0.0, {1.0, -0.6 * 1.5, -0.8 * 1.5}},
    {"take-off with drag", {2, 0, 0, 0, 2, 0, 0, 0, 2}, {1, 0.5, 0}, 0.5, 1.5, 0.0, {-0.375, -0.1875, 0.0}},
    {"stick feels no dashpot", {2, 0, 0, 0, 4, 0, 0, 0, 4}, {-2, 1, 0}, 0.5, 7.0, 0.0, {1.0, -0.25, 0.0}},
    {"cohesion holds a pull", {1, 0, 0, 0, 1, 0, 0, 0, 1}, {0.5, 0, 0}, 0.5, 0.0, 1.0, {-0.5, 0.0, 0.0}},
    {"a stronger pull tears it off", {1, 0, 0, 0, 1, 0, 0, 0, 1}, {2, 0.25, 0}, 0.5, 0.0, 1.0, {-1.0, 0.0, 0.0}},
    {"slide, cohesion", {1, 0, 0, 0, 2, 0, 0, 0, 2}, {-1, 3, 4}, 0.5, 0.0, 1.0, {1.0, -0.6, -0.8}},
    {"slide, both", {1, 0, 0, 0, 2, 0, 0, 0, 2}, {-1, 3, 4}, 0.5, 0.25, 1.0, {1.0, -0.6 * 1.5, -0.8 * 1.5}},
    {"very viscous",
     {1, 0, 0, 0, 2, 0, 0, 0, 2},
     {-1, 3, 4},
     0.5,
     5e4,
     0.0,
     {1.0, -1.4999880001199988, -1.9999840001599987}},
};

static CpsProblem* one(const Case* c, const double shift[3]) {
  const int32_t zero = 0;
  CpsContactsDef def = cps_contacts_def_default();
  def.count = 1;
  def.mu = &c->mu;
  def.b = c->b;
  def.shift = shift;
  def.dashpot = &c->dashpot;
  def.cohesion = &c->cohesion;
  CpsProblem* problem = NULL;
  CpsError error;
  assert_int_equal(cps_problem_from_blocks(&def, 1, &zero, &zero, c->W, &problem, &error), CPS_OK);
  return problem;
}

static CpsStatus solve(const CpsProblem* problem, CpsMethod method, double tolerance, double* r, CpsSolveInfo* info,
                       CpsError* error) {
  CpsSolveOptions options = cps_solve_options_default();
  options.method = method;
  options.tolerance = tolerance;
  options.max_iterations = 1000000;
  memset(r, 0, (size_t)cps_problem_row_count(problem) * sizeof *r);
  return cps_problem_solve(problem, &options, r, info, error);
}

// The residual of the exact answer is rounding, and the solver finds it: 1e-12 times a scale of about 10 and the conditioning.
static void closed_forms_of_one_block(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; ++i) {
    CpsProblem* problem = one(&CASES[i], NULL);
    CpsResidual residual;
    CpsError error;
    CpsSolveInfo info;
    assert_int_equal(cps_problem_residual(problem, CASES[i].r, &residual), CPS_OK);
    if (!(residual.natural < 1e-11)) fail_msg("%s: the closed form has residual %g", CASES[i].name, residual.natural);
    double r[3];
    assert_int_equal(solve(problem, CPS_METHOD_AUTO, 1e-12, r, &info, &error), CPS_OK);
    for (int k = 0; k < 3; ++k) {
      if (!(fabs(r[k] - CASES[i].r[k]) < 1e-8)) fail_msg("%s: r[%d] = %.12g", CASES[i].name, k, r[k]);
    }
    cps_problem_destroy(problem);
  }
}

// A yield stress that does not know of pressure: mu -> 0 with mu c = Y. Below it nothing moves, above it the slip is that of a Bingham
// body, (|b| - w Y)/(1 + w d). mu = 1e-7 leaves 1e-7 of the pressure.
static void bingham_is_the_limit_of_cohesion(void** state) {
  (void)state;
  const double Y = 0.8, d = 0.5, w = 2.0;
  for (int k = 0; k < 2; ++k) {
    const double pull = k == 0 ? 1.5 : 4.0;
    const Case c = {"bingham", {1, 0, 0, 0, w, 0, 0, 0, w}, {-1, pull, 0}, 1e-7, d, Y * 1e7, {0}};
    CpsProblem* problem = one(&c, NULL);
    CpsSolveInfo info;
    CpsError error;
    double r[3], u[3];
    assert_int_equal(solve(problem, CPS_METHOD_AUTO, 1e-14, r, &info, &error), CPS_OK);
    assert_int_equal(cps_problem_velocity(problem, r, u), CPS_OK);
    assert_near(u[1], k == 0 ? 0.0 : (pull - w * Y) / (1.0 + w * d), 1e-6);
    cps_problem_destroy(problem);
  }
}

// A dashpot feels u and not u + shift: with the shift 0.5 the contact closes at 0.5 at most, against d = 1.
static void a_dashpot_does_not_feel_the_shift(void** state) {
  (void)state;
  const double shift[3] = {0.5, 0.0, 0.0};
  const Case c = {"shift", {1, 0, 0, 0, 1, 0, 0, 0, 1}, {-2, 0, 0}, 0.5, 1.0, 0.0, {0}};
  CpsProblem* problem = one(&c, shift);
  CpsSolveInfo info;
  CpsError error;
  double r[3];
  assert_int_equal(solve(problem, CPS_METHOD_AUTO, 1e-12, r, &info, &error), CPS_OK);
  assert_near(r[0], 1.5, 1e-9);  // u_N = -0.5; of it the dashpot bears 0.5
  cps_problem_destroy(problem);
}

// Blocks of all dimensions. In dense, bodies' and nodes' form.
enum { COUNT = 4, NODES = 4 };
static const int32_t DIMS[COUNT] = {3, 3, 3, 3};
static const CpsLaw LAWS[COUNT] = {CPS_LAW_COULOMB, CPS_LAW_COULOMB, CPS_LAW_FREE, CPS_LAW_COULOMB};
static const double MU[COUNT] = {0.3, 0.2, 0.0, 0.4}, DASHPOT[COUNT] = {0.7, 0.0, 0.4, 2.0},
                    COHESION[COUNT] = {0.0, 0.3, 0.0, 0.2};

static CpsContactsDef chain(double* b, double* shift) {
  CpsRandom random = cps_random_seed(7);
  for (int k = 0; k < 3 * COUNT; ++k) {
    b[k] = cps_random_normal(&random) - (k % 3 == 0 ? 0.8 : 0.0);
    shift[k] = k % 3 == 0 ? 0.1 * k : 0.0;
  }
  CpsContactsDef def = cps_contacts_def_default();
  def.count = COUNT;
  def.dim = 0;
  def.dims = DIMS;
  def.laws = LAWS;
  def.mu = MU;
  def.b = b;
  def.shift = shift;
  def.dashpot = DASHPOT;
  def.cohesion = COHESION;
  return def;
}

// Contact i sees node i and, against it, node i + 1. M = 2 I.
static CpsProblem* nodes_form(void) {
  double b[3 * COUNT], shift[3 * COUNT], M[9 * NODES] = {0}, A[2 * COUNT * 9] = {0};
  int64_t M_start[NODES + 1], start[COUNT + 1] = {0};
  int32_t column[NODES], node[2 * COUNT];
  int terms = 0;
  CpsContactsDef def = chain(b, shift);
  for (int i = 0; i < NODES; ++i) {
    M_start[i] = i;
    column[i] = i;
    for (int a = 0; a < 3; ++a) M[9 * i + 4 * a] = 2.0;
  }
  M_start[NODES] = NODES;
  for (int i = 0; i < COUNT; ++i) {
    for (int side = 0; side < 2; ++side) {
      if (i + side >= NODES) continue;
      for (int a = 0; a < 3; ++a) A[9 * terms + 4 * a] = side ? -1.0 : 1.0;
      A[9 * terms + 1] = 0.25;
      node[terms++] = i + side;
    }
    start[i + 1] = terms;
  }
  const CpsSparseForm form = {.node_count = NODES,
                              .M_start = M_start,
                              .M_column = column,
                              .M_value = M,
                              .node_start = start,
                              .node = node,
                              .A = A};
  CpsProblem* problem = NULL;
  CpsError error;
  CpsStatus status = cps_problem_from_sparse(&def, &form, &problem, &error);
  if (status == CPS_UNSUPPORTED) skip();
  assert_int_equal(status, CPS_OK);
  return problem;
}

static CpsProblem* bodies_form(void) {
  double b[3 * COUNT], shift[3 * COUNT], H[2 * COUNT * 9] = {0};
  int64_t start[COUNT + 1] = {0};
  int32_t dofs[NODES], body[2 * COUNT];
  int terms = 0;
  CpsContactsDef def = chain(b, shift);
  for (int i = 0; i < NODES; ++i) dofs[i] = 3;
  for (int i = 0; i < COUNT; ++i) {
    for (int side = 0; side < 2; ++side) {
      if (i + side >= NODES) continue;
      for (int a = 0; a < 3; ++a) H[9 * terms + 4 * a] = (side ? -1.0 : 1.0) / sqrt(2.0);
      H[9 * terms + 1] = 0.25 / sqrt(2.0);
      body[terms++] = i + side;
    }
    start[i + 1] = terms;
  }
  const CpsFactoredForm form = {NODES, dofs, start, body, H, H};
  CpsProblem* problem = NULL;
  CpsError error;
  assert_int_equal(cps_problem_from_bodies(&def, &form, &problem, &error), CPS_OK);
  return problem;
}

// W written out, with the same contacts.
static CpsProblem* W_form(const CpsProblem* from) {
  double b[3 * COUNT], shift[3 * COUNT];
  CpsContactsDef def = chain(b, shift);
  int64_t start[3 * COUNT + 1];
  int32_t col[9 * COUNT * COUNT];
  double value[9 * COUNT * COUNT];
  assert_true(cps_problem_W_entry_count(from) <= 9 * COUNT * COUNT);
  assert_int_equal(cps_problem_W_csr(from, start, col, value), CPS_OK);
  CpsProblem* problem = NULL;
  CpsError error;
  assert_int_equal(cps_problem_from_csr(&def, start, col, value, &problem, &error), CPS_OK);
  return problem;
}

// Every exact method that converges finds the same velocities in each form; those that cannot say why. Residual 1e-10, blocks of a
// conditioning below 100.
static void all_forms_and_methods_agree(void** state) {
  (void)state;
  CpsProblem* problem[3] = {bodies_form(), nodes_form(), NULL};
  problem[2] = W_form(problem[0]);
  double reference[3 * COUNT], r[3 * COUNT], u[3 * COUNT];
  CpsSolveInfo info;
  CpsError error;
  assert_int_equal(solve(problem[1], CPS_METHOD_SPLITTING, 1e-12, r, &info, &error), CPS_OK);
  assert_int_equal(cps_problem_velocity(problem[1], r, reference), CPS_OK);
  int solved = 0, refused = 0;
  for (int m = 0; m < CPS_METHOD_COUNT; ++m) {
    const CpsMethodInfo* method = cps_method_info((CpsMethod)m);
    for (int form = 0; method->available && method->exact && form < 3; ++form) {
      CpsStatus status = solve(problem[form], (CpsMethod)m, 1e-10, r, &info, &error);
      if (status == CPS_UNSUPPORTED) {
        assert_non_null(strstr(error.text, method->name));
        ++refused;
        continue;
      }
      if (status != CPS_OK) fail_msg("%s, form %d: %s", method->name, form, error.text);
      CpsResidual residual;
      assert_int_equal(cps_problem_residual(problem[form], r, &residual), CPS_OK);
      assert_true(residual.natural <= 1e-10);
      assert_int_equal(cps_problem_velocity(problem[form], r, u), CPS_OK);
      for (int k = 0; k < 3 * COUNT; ++k) {
        if (!(fabs(u[k] - reference[k]) < 1e-7)) {
          fail_msg("%s, form %d: u[%d] = %.12g, not %.12g", method->name, form, k, u[k], reference[k]);
        }
      }
      ++solved;
    }
  }
  assert_true(solved >= 30);
  for (int i = 0; i < 3; ++i) cps_problem_destroy(problem[i]);
}

static void bad_numbers_are_refused(void** state) {
  (void)state;
  double b[3 * COUNT], shift[3 * COUNT], bad[COUNT] = {0.0, -1.0, 0.0, 0.0};
  const int32_t place[COUNT] = {0, 1, 2, 3};
  double blocks[9 * COUNT];
  for (int k = 0; k < 9 * COUNT; ++k) blocks[k] = k % 9 % 4 == 0 ? 1.0 : 0.0;
  CpsProblem* problem = NULL;
  CpsError error;
  for (int which = 0; which < 2; ++which) {
    CpsContactsDef def = chain(b, shift);
    if (which == 0) def.dashpot = bad;
    if (which == 1) def.cohesion = bad;
    assert_int_equal(cps_problem_from_blocks(&def, COUNT, place, place, blocks, &problem, &error), CPS_BAD_DATA);
    assert_non_null(strstr(error.text, which == 0 ? "dashpot -1" : "cohesion -1"));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(closed_forms_of_one_block),         cmocka_unit_test(bingham_is_the_limit_of_cohesion),
      cmocka_unit_test(a_dashpot_does_not_feel_the_shift), cmocka_unit_test(all_forms_and_methods_agree),
      cmocka_unit_test(bad_numbers_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
