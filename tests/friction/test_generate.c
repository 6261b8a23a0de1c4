// Generated problems: what every one of them promises, whatever the kind.
#include "capstan/capstan.h"
#include "friction/generate/rod.h"
#include "test_helpers.h"

#include <stdlib.h>
#include <string.h>

static const CpsGenerateKind KINDS[3] = {CPS_GENERATE_FIBRES, CPS_GENERATE_STACK, CPS_GENERATE_SPHERES};

static CpsProblem* generate(CpsGenerateKind kind, int32_t contacts, uint64_t seed, CpsForm form) {
  CpsGenerateDef def = cps_generate_def_default();
  def.kind = kind;
  def.contact_count = contacts;
  def.seed = seed;
  def.form = form;
  CpsProblem* problem = NULL;
  CpsError error;
  CpsStatus status = cps_problem_generate(&def, &problem, &error);
  if (status != CPS_OK) print_error("kind %d: %s\n", (int)kind, error.text);
  assert_int_equal(status, CPS_OK);
  return problem;
}

// W as a dense matrix; the caller frees it.
static double* dense_W(const CpsProblem* problem) {
  int64_t rows = cps_problem_row_count(problem), entries = cps_problem_W_entry_count(problem);
  int64_t* start = calloc((size_t)rows + 1, sizeof *start);
  int32_t* col = calloc((size_t)entries, sizeof *col);
  double* value = calloc((size_t)entries, sizeof *value);
  double* W = calloc((size_t)(rows * rows), sizeof *W);
  assert_true(start && col && value && W);
  assert_int_equal(cps_problem_W_csr(problem, start, col, value), CPS_OK);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t k = start[i]; k < start[i + 1]; ++k) W[i * rows + col[k]] += value[k];
  free(start);
  free(col);
  free(value);
  return W;
}

static void there_are_as_many_contacts_as_asked_for(void** state) {
  (void)state;
  const int32_t counts[] = {1, 3, 4, 17, 250};
  for (int kind = 0; kind < 3; ++kind)
    for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c) {
      CpsProblem* problem = generate(KINDS[kind], counts[c], 1, CPS_FORM_FACTORED);
      assert_int_equal(cps_problem_contact_count(problem), counts[c]);
      assert_false(cps_problem_has_W(problem));
      cps_problem_destroy(problem);
    }
}

static void the_same_seed_gives_the_same_bits_and_another_does_not(void** state) {
  (void)state;
  for (int kind = 0; kind < 3; ++kind) {
    CpsProblem* one = generate(KINDS[kind], 60, 7, CPS_FORM_W);
    CpsProblem* two = generate(KINDS[kind], 60, 7, CPS_FORM_W);
    CpsProblem* other = generate(KINDS[kind], 60, 8, CPS_FORM_W);
    size_t rows = (size_t)cps_problem_row_count(one);
    double *W_one = dense_W(one), *W_two = dense_W(two);
    assert_memory_equal(cps_problem_b(one), cps_problem_b(two), rows * sizeof(double));
    assert_memory_equal(W_one, W_two, rows * rows * sizeof(double));
    assert_memory_not_equal(cps_problem_b(one), cps_problem_b(other), rows * sizeof(double));
    free(W_one);
    free(W_two);
    cps_problem_destroy(one);
    cps_problem_destroy(two);
    cps_problem_destroy(other);
  }
}

static void factored_and_formed_problems_have_the_same_velocities(void** state) {
  (void)state;
  for (int kind = 0; kind < 3; ++kind) {
    CpsProblem* factored = generate(KINDS[kind], 80, 3, CPS_FORM_FACTORED);
    CpsProblem* formed = generate(KINDS[kind], 80, 3, CPS_FORM_W);
    assert_true(cps_problem_has_W(formed));
    int64_t rows = cps_problem_row_count(formed);
    double *r = calloc((size_t)rows, sizeof *r), *u = calloc((size_t)rows, sizeof *u),
           *v = calloc((size_t)rows, sizeof *v);
    assert_true(r && u && v);
    for (int64_t i = 0; i < rows; ++i) r[i] = 1e-5 * sin(1.0 + (double)i);
    assert_int_equal(cps_problem_velocity(factored, r, u), CPS_OK);
    assert_int_equal(cps_problem_velocity(formed, r, v), CPS_OK);
    double scale = 0.0;
    for (int64_t i = 0; i < rows; ++i) scale = fmax(scale, fabs(v[i]));
    // two orders of summation of some hundred products each: rounding times the number of them
    for (int64_t i = 0; i < rows; ++i) assert_near(u[i], v[i], 1e-12 * scale);
    free(r);
    free(u);
    free(v);
    cps_problem_destroy(factored);
    cps_problem_destroy(formed);
  }
}

// Cholesky with a tiny shift must run through, and r.Wr >= 0 along any r.
static void W_is_symmetric_and_positive_semi_definite(void** state) {
  (void)state;
  for (int kind = 0; kind < 3; ++kind) {
    CpsProblem* problem = generate(KINDS[kind], 50, 5, CPS_FORM_W);
    int64_t n = cps_problem_row_count(problem);
    double* W = dense_W(problem);
    double largest = 0.0;
    for (int64_t i = 0; i < n; ++i) largest = fmax(largest, W[i * n + i]);
    // Y comes from a Cholesky solve with condition up to 1e6: asymmetry up to 1e6 times rounding
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < i; ++j) assert_near(W[i * n + j], W[j * n + i], 1e-9 * largest);
    // a negative eigenvalue below -1e-9 of the largest entry would stop this factorisation
    for (int64_t i = 0; i < n; ++i) W[i * n + i] += 1e-8 * largest;
    for (int64_t j = 0; j < n; ++j) {
      double pivot = W[j * n + j];
      for (int64_t k = 0; k < j; ++k) pivot -= W[j * n + k] * W[j * n + k];
      assert_true(pivot > 0.0);
      pivot = sqrt(pivot);
      W[j * n + j] = pivot;
      for (int64_t i = j + 1; i < n; ++i) {
        double sum = W[i * n + j];
        for (int64_t k = 0; k < j; ++k) sum -= W[i * n + k] * W[j * n + k];
        W[i * n + j] = sum / pivot;
      }
    }
    free(W);
    cps_problem_destroy(problem);
  }
}

static void bundles_are_as_over_constrained_as_the_ponytail_of_the_paper(void** state) {
  (void)state;
  // Daviet et al. 2011: 10 000 contacts on 334 rods; at a tenth of that, 33 rods of 15 degrees of freedom
  CpsProblem* problem = generate(CPS_GENERATE_FIBRES, 1000, 1, CPS_FORM_FACTORED);
  CpsProblemInfo info;
  assert_int_equal(cps_problem_describe(problem, &info), CPS_OK);
  assert_int_equal(info.dof_count, 33 * 15);
  assert_near(info.nu, 3000.0 / 495.0, 1e-12);
  cps_problem_destroy(problem);
}

static void solutions_have_contacts_of_more_than_one_status(void** state) {
  (void)state;
  for (int kind = 0; kind < 3; ++kind) {
    CpsProblem* problem = generate(KINDS[kind], 120, 1, CPS_FORM_FACTORED);
    double* r = calloc((size_t)cps_problem_row_count(problem), sizeof *r);
    assert_non_null(r);
    CpsSolveOptions options = cps_solve_options_default();
    options.method = CPS_METHOD_GS;
    options.tolerance = 1e-3;
    CpsSolveInfo info;
    assert_int_equal(cps_problem_solve(problem, &options, r, &info, NULL), CPS_OK);
    assert_int_equal(info.takeoff + info.stick + info.slide, 120);
    assert_true(info.takeoff >= 6);
    assert_true(info.stick + info.slide >= 12);
    free(r);
    cps_problem_destroy(problem);
  }
}

// dx/dk by central differences; the rod is short of 1e-9 of curvature 8 everywhere smooth, so h^2 and eps/h meet at
// 1e-9.
static void the_rod_jacobian_is_the_derivative_of_the_position(void** state) {
  (void)state;
  double k[9] = {2.0, 8.0, -3.0, 0.5, 1e-7, 2e-7, -4.0, 30.0, 12.0}, J[27], unused[27];
  CpsRod rod = {.root = {0.1, -0.2, 0.3}, .dofs = 9, .length = 0.3, .k = k};
  rod.frame = cps_mat3_frame(cps_vec3_unit(cps_vec3(1.0, 2.0, -0.5)), cps_vec3(0.0, 0.0, 1.0));
  for (int station = 1; station <= 6; ++station) {
    double s = 0.05 * station, step = 1e-5;
    CpsVec3 x, tangent;
    cps_rod_at(&rod, s, &x, &tangent, J);
    assert_near(cps_vec3_norm(tangent), 1.0, 1e-14);
    for (int i = 0; i < 9; ++i) {
      CpsVec3 high, low;
      double old = k[i];
      k[i] = old + step;
      cps_rod_at(&rod, s, &high, &tangent, unused);
      k[i] = old - step;
      cps_rod_at(&rod, s, &low, &tangent, unused);
      k[i] = old;
      CpsVec3 d = cps_vec3_scale(0.5 / step, cps_vec3_sub(high, low));
      // rounding 1e-16 of a position of 0.3 over a step of 1e-5, times a few operations; the cut-off error is smaller
      assert_near(J[i], d.x, 1e-10);
      assert_near(J[9 + i], d.y, 1e-10);
      assert_near(J[18 + i], d.z, 1e-10);
    }
  }
}

static void bad_definitions_are_refused_and_leave_the_output_alone(void** state) {
  (void)state;
  CpsGenerateDef good = cps_generate_def_default();
  CpsProblem* untouched = (CpsProblem*)&good;
  CpsError error;
  CpsGenerateDef bad[12];
  for (int i = 0; i < 12; ++i) bad[i] = good;
  bad[0].cookie = 0;
  bad[1].contact_count = 0;
  bad[2].contact_count = -5;
  bad[3].body_count = -1;
  bad[4].dofs_per_rod = 14;
  bad[5].dofs_per_rod = 303;
  bad[6].mu = -0.1;
  bad[7].mu = NAN;
  bad[8].kind = (CpsGenerateKind)9;
  bad[9].body_count = 1;
  bad[10].kind = CPS_GENERATE_STACK;
  bad[10].body_count = 2;
  bad[11].kind = CPS_GENERATE_SPHERES;
  bad[11].body_count = 2;
  for (int i = 0; i < 12; ++i) {
    CpsProblem* problem = untouched;
    assert_int_equal(cps_problem_generate(&bad[i], &problem, &error), CPS_BAD_ARGUMENT);
    assert_ptr_equal(problem, untouched);
    assert_true(strlen(error.text) > 0);
  }
  CpsProblem* problem = untouched;
  assert_int_equal(cps_problem_generate(NULL, &problem, NULL), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_problem_generate(&good, NULL, NULL), CPS_BAD_ARGUMENT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(there_are_as_many_contacts_as_asked_for),
      cmocka_unit_test(the_same_seed_gives_the_same_bits_and_another_does_not),
      cmocka_unit_test(factored_and_formed_problems_have_the_same_velocities),
      cmocka_unit_test(W_is_symmetric_and_positive_semi_definite),
      cmocka_unit_test(bundles_are_as_over_constrained_as_the_ponytail_of_the_paper),
      cmocka_unit_test(solutions_have_contacts_of_more_than_one_status),
      cmocka_unit_test(the_rod_jacobian_is_the_derivative_of_the_position),
      cmocka_unit_test(bad_definitions_are_refused_and_leave_the_output_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
