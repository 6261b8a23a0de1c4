// Conjugate projected gradient: exact answers, the same answer in turned frames, and its own laws.
#include "sample_problems.h"

static void analytic_contacts_are_solved_exactly(void** state) {
  (void)state;
  assert_solves_sample_cases(CPS_METHOD_CPG);
}

static void a_singular_block_sticks_somewhere_in_its_set(void** state) {
  (void)state;
  const double W[9] = {1, 0, 0, 0, 0, 0, 0, 0, 1}, b[3] = {-1, 0, 0.25};
  CpsProblem* problem = sample_one(3, W, b, 0.5);
  CpsSolveOptions options = sample_options(CPS_METHOD_CPG, 1e-10);
  double r[3] = {0, 0, 0};
  assert_int_equal(cps_problem_solve(problem, &options, r, NULL, NULL), CPS_OK);
  assert_near(r[0], 1.0, 1e-9);
  assert_near(r[2], -0.25, 1e-9);
  assert_below(fabs(r[1]), sqrt(0.25 - 0.0625) + 1e-9);
  cps_problem_destroy(problem);
}

// Where W is zero and nothing pushes there is no direction at all; where something pushes there is no solution. The
// method must end in both.
static void a_vanishing_W_does_not_hang(void** state) {
  (void)state;
  const double W[9] = {0}, push[3] = {-1, 0, 0}, none[3] = {0, 1, 0};
  CpsSolveOptions options = sample_options(CPS_METHOD_CPG, 1e-10);
  options.max_iterations = 500;
  double r[3] = {0.5, 0, 0};
  CpsProblem* problem = sample_one(3, W, push, 0.5);
  assert_int_equal(cps_problem_solve(problem, &options, r, NULL, NULL), CPS_NOT_CONVERGED);
  cps_problem_destroy(problem);
  problem = sample_one(3, W, none, 0.5);
  memset(r, 0, sizeof r);
  assert_int_equal(cps_problem_solve(problem, &options, r, NULL, NULL), CPS_OK);
  cps_problem_destroy(problem);
}

enum { COUNT = 12, ROWS = 3 * COUNT };

// The problem in frames whose tangent axes are turned by angle[i]: W -> R W R^T, b -> R b.
static CpsProblem* turned(const CpsProblem* problem, const double* angle) {
  int64_t entries = cps_problem_W_entry_count(problem), row_start[ROWS + 1];
  int32_t* col = malloc((size_t)entries * sizeof *col);
  double* value = malloc((size_t)entries * sizeof *value);
  assert_true(col && value);
  assert_int_equal(cps_problem_W_csr(problem, row_start, col, value), CPS_OK);
  static double W[ROWS][ROWS];
  double b[ROWS], mu[COUNT];
  memset(W, 0, sizeof W);
  for (int row = 0; row < ROWS; row++) {
    for (int64_t k = row_start[row]; k < row_start[row + 1]; k++) W[row][col[k]] = value[k];
  }
  free(col);
  free(value);
  memcpy(b, cps_problem_b(problem), sizeof b);
  memcpy(mu, cps_problem_mu(problem), sizeof mu);
  for (int i = 0; i < COUNT; i++) {
    double c = cos(angle[i]), s = sin(angle[i]);
    int p = 3 * i + 1, q = 3 * i + 2;
    for (int k = 0; k < ROWS; k++) {
      double x = W[p][k], y = W[q][k];
      W[p][k] = c * x - s * y;
      W[q][k] = s * x + c * y;
    }
    for (int k = 0; k < ROWS; k++) {
      double x = W[k][p], y = W[k][q];
      W[k][p] = c * x - s * y;
      W[k][q] = s * x + c * y;
    }
    double x = b[p], y = b[q];
    b[p] = c * x - s * y;
    b[q] = s * x + c * y;
  }
  static int64_t full_start[ROWS + 1];
  static int32_t full_col[ROWS * ROWS];
  for (int k = 0; k <= ROWS; k++) full_start[k] = (int64_t)k * ROWS;
  for (int k = 0; k < ROWS * ROWS; k++) full_col[k] = k % ROWS;
  CpsContactsDef def = cps_contacts_def_default();
  def.count = COUNT;
  def.b = b;
  def.mu = mu;
  CpsProblem* out;
  assert_int_equal(cps_problem_from_csr(&def, full_start, full_col, &W[0][0], &out, NULL), CPS_OK);
  return out;
}

// Not only the limit: every iterate turns with the frames, so the same number of iterations is made.
static void turning_the_tangent_axes_turns_the_answer(void** state) {
  (void)state;
  for (uint64_t seed = 0; seed < 5; seed++) {
    SampleDef def = {.contacts = COUNT, .bodies = 12, .dim = 3, .dofs = 6, .mu = 0.3, .seed = seed, .form_W = true};
    CpsProblem* problem = sample_bodies(def);
    CpsRandom random = cps_random_seed(1000 + seed);
    double angle[COUNT], r[ROWS] = {0}, r_turned[ROWS] = {0};
    for (int i = 0; i < COUNT; i++) angle[i] = 6.0 * cps_random_uniform(&random);
    CpsProblem* other = turned(problem, angle);
    CpsSolveOptions options = sample_options(CPS_METHOD_CPG, 1e-13);
    options.max_iterations = 20;
    assert_true(cps_problem_solve(problem, &options, r, NULL, NULL) >= 0);
    assert_true(cps_problem_solve(other, &options, r_turned, NULL, NULL) >= 0);
    for (int i = 0; i < COUNT; i++) {
      double c = cos(angle[i]), s = sin(angle[i]), *x = r + 3 * i, *y = r_turned + 3 * i;
      // twenty iterations of rounding on numbers of size 1
      assert_near(y[0], x[0], 1e-9);
      assert_near(y[1], c * x[1] - s * x[2], 1e-9);
      assert_near(y[2], s * x[1] + c * x[2], 1e-9);
    }
    cps_problem_destroy(other);
    cps_problem_destroy(problem);
  }
}

// Without contacts that open or slide it is a conjugate gradient: as many steps as rows, up to rounding.
static void ties_are_solved_in_as_many_steps_as_rows(void** state) {
  (void)state;
  enum { N = 4 };
  CpsRandom random = cps_random_seed(9);
  static double W[3 * N * 3 * N], A[3 * N * 3 * N];
  int64_t start[3 * N + 1];
  int32_t col[9 * N * N];
  double b[3 * N];
  CpsLaw laws[N];
  for (int k = 0; k < 9 * N * N; k++) A[k] = cps_random_normal(&random);
  for (int i = 0; i < 3 * N; i++) {
    b[i] = cps_random_normal(&random);
    for (int j = 0; j < 3 * N; j++) {
      double sum = i == j ? 2.0 : 0.0;
      for (int k = 0; k < 3 * N; k++) sum += A[i * 3 * N + k] * A[j * 3 * N + k];
      W[i * 3 * N + j] = sum;
      col[i * 3 * N + j] = j;
    }
  }
  for (int k = 0; k <= 3 * N; k++) start[k] = 3 * N * k;
  for (int k = 0; k < N; k++) laws[k] = CPS_LAW_BILATERAL;
  CpsContactsDef def = cps_contacts_def_default();
  def.count = N;
  def.b = b;
  def.laws = laws;
  CpsProblem* problem;
  assert_int_equal(cps_problem_from_csr(&def, start, col, W, &problem, NULL), CPS_OK);
  CpsSolveOptions options = sample_options(CPS_METHOD_CPG, 1e-10);
  double r[3 * N] = {0};
  CpsSolveInfo info;
  assert_int_equal(cps_problem_solve(problem, &options, r, &info, NULL), CPS_OK);
  assert_true(info.iterations <= 3 * N + 3);
  cps_problem_destroy(problem);
}

static void it_solves_coupled_problems_on_both_forms(void** state) {
  (void)state;
  for (int form = 0; form < 2; form++) {
    SampleDef def = {.contacts = 60, .bodies = 60, .dim = 3, .dofs = 6, .mu = 0.3, .seed = 8, .form_W = form == 1};
    CpsProblem* problem = sample_bodies(def);
    CpsSolveOptions options = sample_options(CPS_METHOD_CPG, 1e-8);
    double r[180] = {0};
    assert_int_equal(cps_problem_solve(problem, &options, r, NULL, NULL), CPS_OK);
    cps_problem_destroy(problem);
  }
}

// Five tangent axes: sliding against a free velocity along one diagonal of them.
static void stress_like_blocks_of_dimension_six_are_solved(void** state) {
  (void)state;
  double W[36] = {0}, b[6] = {-1, 3, 0, 0, 4, 0}, r[6] = {0};
  for (int k = 0; k < 6; k++) W[7 * k] = k == 0 ? 1.0 : 2.0;
  CpsProblem* problem = sample_one(6, W, b, 0.5);
  CpsSolveOptions options = sample_options(CPS_METHOD_CPG, 1e-12);
  assert_int_equal(cps_problem_solve(problem, &options, r, NULL, NULL), CPS_OK);
  const double exact[6] = {1, -0.3, 0, 0, -0.4, 0};
  for (int c = 0; c < 6; c++) assert_near(r[c], exact[c], 1e-11);
  cps_problem_destroy(problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(analytic_contacts_are_solved_exactly),
      cmocka_unit_test(a_singular_block_sticks_somewhere_in_its_set),
      cmocka_unit_test(a_vanishing_W_does_not_hang),
      cmocka_unit_test(turning_the_tangent_axes_turns_the_answer),
      cmocka_unit_test(ties_are_solved_in_as_many_steps_as_rows),
      cmocka_unit_test(it_solves_coupled_problems_on_both_forms),
      cmocka_unit_test(stress_like_blocks_of_dimension_six_are_solved),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
