// The methods built on convex subproblems: closed forms, the laws, W unsymmetric and singular, refusals.
#include "dense_problem.h"

#include <string.h>

#ifdef CAPSTAN_IO
#include "capstan/fclib.h"
#endif

// Those that converge to the exact law.
static const CpsMethod METHODS[] = {CPS_METHOD_CADOUX_DUAL, CPS_METHOD_CADOUX_PRIMAL, CPS_METHOD_APGD,
                                    CPS_METHOD_ADMM,        CPS_METHOD_DESAXCE,       CPS_METHOD_STAGGERED};
enum { METHOD_COUNT = sizeof METHODS / sizeof *METHODS };

static bool supports(CpsMethod method, const DenseProblem* dense) {
  const CpsMethodInfo* info = cps_method_info(method);
  for (int32_t i = 0; i < dense->count; i++) {
    if (!(info->laws & CPS_LAW_BIT(dense->laws[i]))) return false;
  }
  return info->available;
}

static CpsSolveInfo solve(const CpsProblem* problem, CpsMethod method, double tolerance, double* r) {
  CpsSolveOptions options = cps_solve_options_default();
  options.method = method;
  options.tolerance = tolerance;
  options.max_iterations = 100000;
  CpsSolveInfo info = {0};
  CpsError error;
  memset(r, 0, (size_t)cps_problem_row_count(problem) * sizeof *r);
  CpsStatus status = cps_problem_solve(problem, &options, r, &info, &error);
  if (status < 0) fail_msg("%s: %s", cps_method_info(method)->name, error.text);
  return info;
}

// Solves and fails with the method's name if it does not converge.
static CpsSolveInfo must_solve(const CpsProblem* problem, CpsMethod method, double tolerance, double* r) {
  CpsSolveInfo info = solve(problem, method, tolerance, r);
  if (info.status != CPS_OK) {
    fail_msg("%s: residual %g after %ld iterations", cps_method_info(method)->name, info.residual,
             (long)info.iterations);
  }
  return info;
}

// W, b, mu and the exact impulse of one contact.
typedef struct OneContactCase {
  const char* name;
  double W[9], b[3], mu, r[3];
} OneContactCase;

static const OneContactCase CASES[] = {
    {"1 take-off", {1, 0, 0, 0, 1, 0, 0, 0, 1}, {1, 5, -3}, 0.5, {0, 0, 0}},
    {"2 grazing", {1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 2, 0}, 0.5, {0, 0, 0}},
    {"3 stick", {2, 0, 0, 0, 4, 0, 0, 0, 4}, {-2, 1, 0}, 0.5, {1, -0.25, 0}},
    {"4 slide", {1, 0, 0, 0, 2, 0, 0, 0, 2}, {-1, 3, 4}, 0.5, {1, -0.3, -0.4}},
    {"5 no friction", {2, 1, 0, 1, 3, 0, 0, 0, 1}, {-4, 7, 1}, 0.0, {2, 0, 0}},
    {"6 anisotropic", {1, 0, 0, 0, 1, 0, 0, 0, 4}, {-1, 0.9, 2.4}, 0.5, {1, -0.3, -0.4}},
    {"7 coupled slide", {2, 1, 0, 1, 2, 0, 0, 0, 1}, {-3, 4, 0}, 0.5, {2, -1, 0}},
};

// The residual 1e-10 bounds the error of r up to the conditioning of these blocks, below 10, and the scale, below 10.
static void every_method_finds_the_closed_forms(void** state) {
  (void)state;
  for (size_t c = 0; c < sizeof CASES / sizeof *CASES; c++) {
    DenseProblem dense = {0};
    dense_problem_add_contact(&dense, 3, CPS_LAW_COULOMB, CASES[c].mu);
    memcpy(dense.W, CASES[c].W, sizeof CASES[c].W);
    memcpy(dense.b, CASES[c].b, sizeof CASES[c].b);
    CpsProblem* problem = dense_problem_build(&dense);
    for (int m = 0; m < METHOD_COUNT; m++) {
      if (!supports(METHODS[m], &dense)) continue;
      double r[3];
      must_solve(problem, METHODS[m], 1e-10, r);
      for (int k = 0; k < 3; k++) {
        if (!(fabs(r[k] - CASES[c].r[k]) < 1e-8)) {
          fail_msg("%s, %s: r[%d] = %.12g", CASES[c].name, cps_method_info(METHODS[m])->name, k, r[k]);
        }
      }
    }
    cps_problem_destroy(problem);
  }
}

// W is singular, one tangential impulse is free within the cone.
static void a_sticking_contact_with_singular_W_sticks(void** state) {
  (void)state;
  DenseProblem dense = {.W = {1, 0, 0, 0, 0, 0, 0, 0, 1}, .b = {-1, 0, 0.25}};
  dense_problem_add_contact(&dense, 3, CPS_LAW_COULOMB, 0.5);
  CpsProblem* problem = dense_problem_build(&dense);
  for (int m = 0; m < METHOD_COUNT; m++) {
    if (!supports(METHODS[m], &dense)) continue;
    double r[3];
    must_solve(problem, METHODS[m], 1e-10, r);
    assert_near(r[0], 1.0, 1e-8);  // as above
    assert_near(r[2], -0.25, 1e-8);
    assert_below(fabs(r[1]), sqrt(0.25 - 0.0625) + 1e-8);
  }
  cps_problem_destroy(problem);
}

// Painleve: the smallest residual on a grid is 0.395, nobody may call it solved.
static void a_problem_without_solution_is_not_called_solved(void** state) {
  (void)state;
  DenseProblem dense = {.W = {1, 2, 0, 2, 4, 0, 0, 0, 1}, .b = {-1, 0, 0}};
  dense_problem_add_contact(&dense, 3, CPS_LAW_COULOMB, 1.0);
  CpsProblem* problem = dense_problem_build(&dense);
  for (int m = 0; m < METHOD_COUNT; m++) {
    if (!supports(METHODS[m], &dense)) continue;
    CpsSolveOptions options = cps_solve_options_default();
    options.method = METHODS[m];
    options.max_iterations = 50;
    double r[3] = {0};
    CpsSolveInfo info;
    CpsStatus status = cps_problem_solve(problem, &options, r, &info, NULL);
    assert_true(status > 0);
    assert_true(info.residual > 1e-4);  // relative to r, which grows along the kernel of W
    assert_true(isfinite(r[0]) && isfinite(r[1]) && isfinite(r[2]));
  }
  cps_problem_destroy(problem);
}

// The same contact twice; only the sum of the impulses is determined.
static void two_copies_of_a_contact_share_its_impulse(void** state) {
  (void)state;
  static const double W[9] = {1, 0, 0, 0, 2, 0, 0, 0, 2}, B[3] = {-1, 3, 4}, EXACT[3] = {1, -0.3, -0.4};
  DenseProblem dense = {0};
  dense_problem_add_contact(&dense, 3, CPS_LAW_COULOMB, 0.5);
  dense_problem_add_contact(&dense, 3, CPS_LAW_COULOMB, 0.5);
  for (int i = 0; i < 6; i++) {
    dense.b[i] = B[i % 3];
    for (int j = 0; j < 6; j++) dense.W[i * 6 + j] = W[i % 3 * 3 + j % 3];
  }
  CpsProblem* problem = dense_problem_build(&dense);
  for (int m = 0; m < METHOD_COUNT; m++) {
    if (!supports(METHODS[m], &dense)) continue;
    double r[6];
    must_solve(problem, METHODS[m], 1e-10, r);
    for (int k = 0; k < 3; k++) assert_near(r[k] + r[3 + k], EXACT[k], 1e-8);
  }
  cps_problem_destroy(problem);
}

static void add_mixed_contacts(DenseProblem* dense, bool convex) {
  dense_problem_add_contact(dense, 3, CPS_LAW_COULOMB, 0.4);
  dense_problem_add_contact(dense, 2, CPS_LAW_COULOMB, 0.3);
  dense_problem_add_contact(dense, 6, CPS_LAW_COULOMB, 0.5);
  dense_problem_add_contact(dense, 3, CPS_LAW_BILATERAL, 0.0);
  dense_problem_add_contact(dense, 3, CPS_LAW_FREE, 0.0);
  dense_problem_add_contact(dense, 3, CPS_LAW_COULOMB, 0.0);
  dense_problem_add_contact(dense, 3, convex ? CPS_LAW_CONVEX : CPS_LAW_COULOMB, 1.5);
  dense_problem_add_contact(dense, 3, CPS_LAW_COULOMB, 0.2);
}

// Well conditioned W (ridge 1) and moderate friction: the solution is unique, so that every method meets
// Gauss-Seidel's.
static void all_dimensions_and_laws_agree_with_gauss_seidel(void** state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 10; seed++) {
    CpsRandom random = cps_random_seed(seed);
    DenseProblem dense = {0};
    add_mixed_contacts(&dense, seed % 2 == 0);
    dense_problem_fill(&dense, &random, 40, 1.0);
    CpsProblem* problem = dense_problem_build(&dense);
    double expected[DENSE_ROWS], r[DENSE_ROWS];
    CpsSolveOptions options = cps_solve_options_default();
    options.method = CPS_METHOD_GS;
    options.local = CPS_LOCAL_ENUM;
    options.tolerance = 1e-12;
    memset(expected, 0, sizeof expected);
    assert_int_equal(cps_problem_solve(problem, &options, expected, NULL, NULL), CPS_OK);
    for (int m = 0; m < METHOD_COUNT; m++) {
      if (!supports(METHODS[m], &dense)) continue;
      must_solve(problem, METHODS[m], 1e-10, r);
      // 1e-10 times the size of r (about 5) times the condition number of W (about 5), with a margin of 20
      for (int k = 0; k < dense.rows; k++) assert_near(r[k], expected[k], 5e-8);
    }
    cps_problem_destroy(problem);
  }
}

// Gyroscopic terms: the skew part is carried by the outer loops, and the residual is that of W as given.
static void an_unsymmetric_W_is_solved_as_given(void** state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 5; seed++) {
    CpsRandom random = cps_random_seed(seed);
    DenseProblem dense = {0};
    for (int i = 0; i < 6; i++) dense_problem_add_contact(&dense, 3, CPS_LAW_COULOMB, 0.5);
    dense_problem_fill(&dense, &random, 15, 0.1);
    for (int i = 0; i < dense.rows; i++) {
      for (int j = 0; j < i; j++) {
        double skew = 4e-3 * cps_random_normal(&random);
        dense.W[i * dense.rows + j] += skew;
        dense.W[j * dense.rows + i] -= skew;
      }
    }
    CpsProblem* problem = dense_problem_build(&dense);
    for (int m = 0; m < METHOD_COUNT; m++) {
      if (!supports(METHODS[m], &dense)) continue;
      double r[DENSE_ROWS];
      CpsSolveInfo info = must_solve(problem, METHODS[m], 1e-9, r);
      assert_true(info.symmetrised == (METHODS[m] != CPS_METHOD_DESAXCE));
    }
    cps_problem_destroy(problem);
  }
}

// A block on four feet, pushed sideways: 12 rows of rank 6. Impulses are not unique, velocities are.
static void redundant_feet_slide_at_one_velocity(void** state) {
  (void)state;
  static const double FEET[4][2] = {{1, 1}, {1, -1}, {-1, -1}, {-1, 1}};
  DenseProblem dense = {0};
  double H[12][6] = {{0}};
  for (int i = 0; i < 4; i++) {
    dense_problem_add_contact(&dense, 3, CPS_LAW_COULOMB, 0.3);
    // foot at (x, y, -h): normal z, tangents x, y; columns v_x v_y v_z w_x w_y w_z
    double x = FEET[i][0], y = FEET[i][1], h = 0.5;
    double rows[3][6] = {{0, 0, 1, y, -x, 0}, {1, 0, 0, 0, -h, -y}, {0, 1, 0, h, 0, x}};
    memcpy(H[3 * i], rows, sizeof rows);
  }
  for (int i = 0; i < 12; i++) {
    dense.b[i] = i % 3 == 0 ? -1.0 : i % 3 == 1 ? 2.0 : 0.0;
    for (int j = 0; j < 12; j++) {
      for (int k = 0; k < 6; k++) dense.W[i * 12 + j] += H[i][k] * H[j][k];
    }
  }
  CpsProblem* problem = dense_problem_build(&dense);
  for (int m = 0; m < METHOD_COUNT; m++) {
    if (!supports(METHODS[m], &dense)) continue;
    double r[12], u[12], normal = 0.0;
    must_solve(problem, METHODS[m], 1e-10, r);
    cps_problem_velocity(problem, r, u);
    for (int i = 0; i < 4; i++) {
      // mass 1: normal impulses sum to 1, friction to 0.3 backwards; no foot lifts because 0.3 * 0.5 < 1
      normal += r[3 * i];
      assert_near(u[3 * i], 0.0, 1e-8);
      assert_near(u[3 * i + 1], 1.7, 1e-8);
      assert_near(u[3 * i + 2], 0.0, 1e-8);
    }
    assert_near(normal, 1.0, 1e-8);
  }
  cps_problem_destroy(problem);
}

// K_mu contains r, K_{1/mu} contains u, r.u = 0, for the convex law and W of rank 10 with 18 rows.
static void the_convex_law_obeys_its_optimality_conditions(void** state) {
  (void)state;
  static const CpsMethod CONVEX[] = {CPS_METHOD_CADOUX_DUAL, CPS_METHOD_CADOUX_PRIMAL, CPS_METHOD_APGD,
                                     CPS_METHOD_ADMM,        CPS_METHOD_DESAXCE,       CPS_METHOD_CONVEX};
  for (uint64_t seed = 1; seed <= 5; seed++) {
    CpsRandom random = cps_random_seed(seed);
    DenseProblem dense = {0};
    for (int i = 0; i < 6; i++) dense_problem_add_contact(&dense, 3, CPS_LAW_CONVEX, 0.5);
    dense_problem_fill(&dense, &random, 10, 0.0);
    // b in the range of W, shifted into the dual cone, so that the problem is bounded below
    double x[18];
    for (int k = 0; k < 18; k++) x[k] = cps_random_normal(&random);
    for (int i = 0; i < 18; i++) {
      dense.b[i] = i % 3 == 0 ? 0.1 : 0.0;
      for (int j = 0; j < 18; j++) dense.b[i] += dense.W[i * 18 + j] * x[j];
    }
    CpsProblem* problem = dense_problem_build(&dense);
    for (size_t m = 0; m < sizeof CONVEX / sizeof *CONVEX; m++) {
      if (!supports(CONVEX[m], &dense)) continue;
      double r[18], u[18];
      must_solve(problem, CONVEX[m], 1e-9, r);
      cps_problem_velocity(problem, r, u);
      for (int i = 0; i < 18; i += 3) {
        // the residual 1e-9 times a scale of about 10 bounds each of these
        assert_below(hypot(r[i + 1], r[i + 2]) - 0.5 * r[i], 1e-7);
        assert_below(0.5 * hypot(u[i + 1], u[i + 2]) - u[i], 1e-7);
        assert_near(r[i] * u[i] + r[i + 1] * u[i + 1] + r[i + 2] * u[i + 2], 0.0, 1e-7);
      }
    }
    cps_problem_destroy(problem);
  }
}

// Problem 4 under Anitescu's relaxation: along the slip n - 1 = mu (5 - n), so n = 7/3, and the contact lifts with
// u_N = mu ||u_T|| = 4/3.
static void the_relaxation_lifts_a_sliding_contact(void** state) {
  (void)state;
  DenseProblem dense = {.W = {1, 0, 0, 0, 2, 0, 0, 0, 2}, .b = {-1, 3, 4}};
  dense_problem_add_contact(&dense, 3, CPS_LAW_COULOMB, 0.5);
  CpsProblem* problem = dense_problem_build(&dense);
  double r[3];
  CpsSolveInfo info = solve(problem, CPS_METHOD_CONVEX, 1e-10, r);
  assert_int_equal(info.status, CPS_NOT_CONVERGED);  // it is not Coulomb's law, and the residual says so
  assert_int_equal(info.iterations, 1);
  assert_true(info.residual > 0.1);
  assert_false(cps_method_info(CPS_METHOD_CONVEX)->exact);
  // the best r by Coulomb's measure is what is returned, and that is the relaxation's: r = 0 is worse
  assert_near(r[0], 7.0 / 3.0, 1e-8);
  assert_near(r[1], -0.6 * 7.0 / 6.0, 1e-8);
  assert_near(r[2], -0.8 * 7.0 / 6.0, 1e-8);
  cps_problem_destroy(problem);
}

// Other units: b in mm/s and W for grams change nothing but the unit of r.
static void units_do_not_matter(void** state) {
  (void)state;
  CpsRandom random = cps_random_seed(3);
  DenseProblem dense = {0};
  for (int i = 0; i < 5; i++) dense_problem_add_contact(&dense, 3, CPS_LAW_COULOMB, 0.4);
  dense_problem_fill(&dense, &random, 12, 0.3);
  CpsProblem* problem = dense_problem_build(&dense);
  for (int k = 0; k < dense.rows; k++) dense.b[k] *= 1e-9;
  for (int k = 0; k < dense.rows * dense.rows; k++) dense.W[k] *= 1e6;
  CpsProblem* scaled = dense_problem_build(&dense);
  for (int m = 0; m < METHOD_COUNT; m++) {
    if (!supports(METHODS[m], &dense)) continue;
    double r[DENSE_ROWS], r_scaled[DENSE_ROWS];
    must_solve(problem, METHODS[m], 1e-10, r);
    must_solve(scaled, METHODS[m], 1e-10, r_scaled);
    // both are within 1e-10 * condition (about 10) * size (about 5), with a margin of 20
    for (int k = 0; k < dense.rows; k++) assert_near(1e15 * r_scaled[k], r[k], 1e-7);
  }
  cps_problem_destroy(problem);
  cps_problem_destroy(scaled);
}

static bool stop_at_three(const CpsProgress* progress, void* data) {
  (void)data;
  return progress->iteration < 3;
}

static void the_progress_function_stops_each_method(void** state) {
  (void)state;
  CpsRandom random = cps_random_seed(5);
  DenseProblem dense = {0};
  for (int i = 0; i < 6; i++) dense_problem_add_contact(&dense, 3, CPS_LAW_COULOMB, 0.8);
  dense_problem_fill(&dense, &random, 14, 0.0);
  CpsProblem* problem = dense_problem_build(&dense);
  for (int m = 0; m < METHOD_COUNT; m++) {
    if (!supports(METHODS[m], &dense)) continue;
    CpsSolveOptions options = cps_solve_options_default();
    options.method = METHODS[m];
    options.tolerance = 1e-300;  // out of reach
    options.progress = stop_at_three;
    double r[DENSE_ROWS] = {0};
    CpsSolveInfo info;
    assert_int_equal(cps_problem_solve(problem, &options, r, &info, NULL), CPS_INTERRUPTED);
    assert_int_equal(info.iterations, 3);
  }
  cps_problem_destroy(problem);
}

static void staggered_refuses_the_convex_law_by_name(void** state) {
  (void)state;
  DenseProblem dense = {.W = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .b = {-1, 0, 0}};
  dense_problem_add_contact(&dense, 3, CPS_LAW_CONVEX, 0.5);
  CpsProblem* problem = dense_problem_build(&dense);
  CpsSolveOptions options = cps_solve_options_default();
  options.method = CPS_METHOD_STAGGERED;
  double r[3] = {7, 8, 9};
  CpsError error;
  assert_int_equal(cps_problem_solve(problem, &options, r, NULL, &error), CPS_UNSUPPORTED);
  assert_non_null(strstr(error.text, "convex"));
  assert_true(r[0] == 7 && r[1] == 8 && r[2] == 9);
  cps_problem_destroy(problem);
}

static void a_problem_without_contacts_is_solved(void** state) {
  (void)state;
  DenseProblem dense = {0};
  CpsProblem* problem = dense_problem_build(&dense);
  for (int m = 0; m < METHOD_COUNT; m++) {
    if (!supports(METHODS[m], &dense)) continue;
    double r[1];
    must_solve(problem, METHODS[m], 1e-10, r);
  }
  cps_problem_destroy(problem);
}

// The same bundle of fibres with W and without it: 300 dofs for 90 rows. Both answers have a residual of at most 1e-8;
// the velocities then agree to that times the condition of the contacts' coupling, for which 1e3 is allowed.
static void a_problem_without_W_is_solved_like_the_one_with_it(void** state) {
  (void)state;
  CpsGenerateDef def = cps_generate_def_default();
  def.contact_count = 30;
  def.body_count = 20;
  CpsProblem *with = NULL, *without = NULL;
  CpsError error;
  if (cps_problem_generate(&def, &without, &error) != CPS_OK) fail_msg("%s", error.text);
  def.form = CPS_FORM_W;
  if (cps_problem_generate(&def, &with, &error) != CPS_OK) fail_msg("%s", error.text);
  int64_t rows = cps_problem_row_count(with);
  double* r = test_calloc((size_t)(2 * rows), sizeof *r);
  double* u = test_calloc((size_t)(2 * rows), sizeof *u);
  for (int m = 0; m < METHOD_COUNT; m++) {
    if (!cps_method_info(METHODS[m])->available) continue;
    must_solve(with, METHODS[m], 1e-8, r);
    must_solve(without, METHODS[m], 1e-8, r + rows);
    cps_problem_velocity(with, r, u);
    cps_problem_velocity(with, r + rows, u + rows);
    double size = 0.0, difference = 0.0;
    for (int64_t k = 0; k < rows; k++) {
      size = fmax(size, fabs(u[k]));
      difference = fmax(difference, fabs(u[k] - u[rows + k]));
    }
    assert_below(difference, 1e-5 * size);
  }
  test_free(r);
  test_free(u);
  cps_problem_destroy(with);
  cps_problem_destroy(without);
}

#ifdef CAPSTAN_IO
// Real one-step problems that every one of these methods solves; the harder ones are in the table of docs/theory.
static void real_problems_are_solved(void** state) {
  (void)state;
  static const char* const FILES[] = {
      "Confeti-ex13-Fc3D-SBM", "G2L_Box_Stacks-i0122-82-5", "NESpheres_10_1", "OneObject-i100000-316", "Rover1039",
      "FC3D_Example1"};
  for (size_t f = 0; f < sizeof FILES / sizeof *FILES; f++) {
    char path[1024];
    snprintf(path, sizeof path, "%s/fclib/%s.hdf5", SHARED_DATA, FILES[f]);
    CpsProblem* problem = NULL;
    CpsStatus status = cps_fclib_read(path, CPS_FORM_W, &problem, NULL, NULL);
    if (status == CPS_FILE_ERROR) {
      print_message("skipped: %s is not there\n", path);
      skip();
    }
    assert_int_equal(status, CPS_OK);
    double* r = test_calloc((size_t)cps_problem_row_count(problem), sizeof *r);
    for (int m = 0; m < METHOD_COUNT; m++) {
      if (cps_method_info(METHODS[m])->available) must_solve(problem, METHODS[m], 1e-8, r);
    }
    test_free(r);
    cps_problem_destroy(problem);
  }
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_method_finds_the_closed_forms),
      cmocka_unit_test(a_sticking_contact_with_singular_W_sticks),
      cmocka_unit_test(a_problem_without_solution_is_not_called_solved),
      cmocka_unit_test(two_copies_of_a_contact_share_its_impulse),
      cmocka_unit_test(all_dimensions_and_laws_agree_with_gauss_seidel),
      cmocka_unit_test(an_unsymmetric_W_is_solved_as_given),
      cmocka_unit_test(redundant_feet_slide_at_one_velocity),
      cmocka_unit_test(the_convex_law_obeys_its_optimality_conditions),
      cmocka_unit_test(the_relaxation_lifts_a_sliding_contact),
      cmocka_unit_test(units_do_not_matter),
      cmocka_unit_test(the_progress_function_stops_each_method),
      cmocka_unit_test(staggered_refuses_the_convex_law_by_name),
      cmocka_unit_test(a_problem_without_contacts_is_solved),
      cmocka_unit_test(a_problem_without_W_is_solved_like_the_one_with_it),
#ifdef CAPSTAN_IO
      cmocka_unit_test(real_problems_are_solved),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
