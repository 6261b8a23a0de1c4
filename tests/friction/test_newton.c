// The Newton methods on whole problems: their assembled Jacobians, closed forms, and real files.
#include "capstan/capstan.h"
#include "core/random.h"
#include "test_helpers.h"

#include <stdlib.h>
#include <string.h>

#ifdef CAPSTAN_IO
#include "capstan/fclib.h"
#endif
#ifdef CAPSTAN_DIRECT
#include "friction/global/mcp_function.h"
#include "friction/global/newton_loop.h"
#include "friction/local/ac_function.h"
#include "friction/local/fb_function.h"
#endif

#ifdef CAPSTAN_DIRECT
enum { CONTACTS = 7, ROWS_MAX = 6 * CONTACTS, INNER = 30 };

// Contacts of all dimensions and laws with W = G G^T, G random: coupled, positive definite, a little unsymmetric.
// Contact 3 has the law that is asked for. Contact 6 is alone: nothing of its W is stored.
static CpsProblem* make_mixed(uint64_t seed, double skew, CpsLaw law3) {
  static const int32_t DIMS[CONTACTS] = {3, 2, 6, 3, 3, 2, 3};
  const CpsLaw laws[CONTACTS] = {CPS_LAW_COULOMB, CPS_LAW_COULOMB,   CPS_LAW_COULOMB, law3,
                                 CPS_LAW_COULOMB, CPS_LAW_BILATERAL, CPS_LAW_FREE};
  static const double MU[CONTACTS] = {0.5, 0.3, 0.8, 0.4, 0.0, 0.0, 0.0};
  CpsRandom random = cps_random_seed(seed);
  static double G[ROWS_MAX][INNER];
  double b[ROWS_MAX], values[CONTACTS * CONTACTS * 36];
  int32_t rows[CONTACTS * CONTACTS], cols[CONTACTS * CONTACTS];
  int offset[CONTACTS + 1] = {0};
  for (int i = 0; i < CONTACTS; i++) offset[i + 1] = offset[i] + DIMS[i];
  for (int k = 0; k < offset[CONTACTS]; k++) {
    b[k] = cps_random_normal(&random);
    for (int l = 0; l < INNER; l++) G[k][l] = cps_random_normal(&random) / sqrt(INNER);
  }
  int64_t count = 0, value = 0;
  for (int i = 0; i < CONTACTS - 1; i++) {
    for (int j = 0; j < CONTACTS - 1; j++) {
      if ((i + j) % 4 == 3) continue;  // some pairs are not coupled
      rows[count] = i;
      cols[count++] = j;
      for (int a = offset[i]; a < offset[i + 1]; a++) {
        for (int c = offset[j]; c < offset[j + 1]; c++) {
          values[value] = a < c ? skew : a > c ? -skew : 1.0;  // I keeps W definite although pairs are left out
          for (int l = 0; l < INNER; l++) values[value] += G[a][l] * G[c][l];
          value++;
        }
      }
    }
  }
  CpsContactsDef contacts = cps_contacts_def_default();
  contacts.count = CONTACTS;
  contacts.dim = 0;
  contacts.dims = DIMS;
  contacts.laws = laws;
  contacts.mu = MU;
  contacts.b = b;
  CpsProblem* problem = NULL;
  CpsError error;
  if (cps_problem_from_blocks(&contacts, count, rows, cols, values, &problem, &error) != CPS_OK) {
    fail_msg("%s", error.text);
  }
  return problem;
}

static void function_at(const CpsProblem* p, CpsContactFunction function, const double* r, double* f) {
  double u[ROWS_MAX];
  cps_problem_law_velocity(p, r, u);
  for (int32_t i = 0; i < p->contact_count; i++) {
    int64_t k = p->offset[i];
    function((CpsLaw)p->law[i], cps_contact_dim(p, i), p->mu[i], p->xi[i], r + k, u + k, f + k, NULL, NULL);
  }
}

// Central differences of f(r, W r + b) against the assembled D W + E: step 1e-6, so rounding 1e-10 and curvature 1e-12
// times third derivatives of up to 1e3. A random point may lie within the step of a kink, where the two differ rightly:
// one column in a hundred is allowed to.
static void check_jacobian(CpsContactFunction function) {
  const double step = 1e-6;
  int bad_columns = 0, columns = 0;
  for (uint64_t seed = 1; seed <= 10; seed++) {
    CpsProblem* p = make_mixed(seed, 0.01, CPS_LAW_CONVEX);
    CpsArena arena = {0};
    CpsSolve solve = {.problem = p, .arena = &arena};
    CpsNewtonSystem system;
    assert_true(cps_newton_system_create(&solve, &system));
    double r[ROWS_MAX], u[ROWS_MAX], plus[ROWS_MAX], minus[ROWS_MAX];
    CpsRandom random = cps_random_seed(100 + seed);
    for (int k = 0; k < p->row_count; k++) r[k] = cps_random_normal(&random);
    for (int32_t i = 0; i < p->contact_count; i++) r[p->offset[i]] += 1.0;
    cps_problem_law_velocity(p, r, u);
    cps_newton_evaluate(&system, function, r, u);
    cps_newton_system_assemble(&system);
    for (int64_t c = 0; c < p->row_count; c++, columns++) {
      double column[ROWS_MAX] = {0}, worst = 0.0, kept = r[c];
      for (int64_t k = system.full_start[c]; k < system.full_start[c + 1]; k++) {
        column[system.full_row[k]] += system.full_value[k];
      }
      r[c] = kept + step;
      function_at(p, function, r, plus);
      r[c] = kept - step;
      function_at(p, function, r, minus);
      r[c] = kept;
      for (int64_t k = 0; k < p->row_count; k++) {
        worst = fmax(worst, fabs((plus[k] - minus[k]) / (2.0 * step) - column[k]));
      }
      if (!(worst < 1e-6)) bad_columns++;
    }
    cps_newton_system_destroy(&system);
    cps_arena_free(&arena);
    cps_problem_destroy(p);
  }
  if (bad_columns > columns / 100) fail_msg("%d of %d columns differ", bad_columns, columns);
}

static void the_assembled_jacobian_of_alart_curnier_is_the_derivative(void** state) {
  (void)state;
  check_jacobian(cps_ac_function);
}

static void the_assembled_jacobian_of_fischer_burmeister_is_the_derivative(void** state) {
  (void)state;
  check_jacobian(cps_fb_function);
}

// F of one contact at a point given as one vector (r, u, l), and its derivative by a component of it.
static void mcp_at(CpsLaw law, int d, double mu, double rho, double weight, const double* x, CpsMcpValue* value) {
  cps_mcp_function(law, d, mu, rho, weight, x, x + d, x[2 * d], value);
}

static double mcp_derivative(const CpsMcpValue* value, int d, int row, int by) {
  if (row < d) {
    return by < d ? value->dFr_dr[row * d + by] : by < 2 * d ? value->dFr_du[row * d + by - d] : value->dFr_dl[row];
  }
  return by < d ? value->dFl_dr[by] : by < 2 * d ? value->dFl_du[by - d] : value->dFl_dl;
}

// Central differences as above, one contact at a time; a kink may lie within the step of one point in a hundred.
static void the_jacobian_of_the_mixed_form_is_the_derivative(void** state) {
  (void)state;
  static const int DIMS[3] = {2, 3, 6};
  static const CpsLaw LAWS[3] = {CPS_LAW_COULOMB, CPS_LAW_BILATERAL, CPS_LAW_FREE};
  const double step = 1e-6;
  CpsRandom random = cps_random_seed(5);
  int bad = 0, points = 0;
  for (; points < 3000; points++) {
    int d = DIMS[points % 3];
    CpsLaw law = LAWS[points % 10 < 8 ? 0 : points % 10 - 7];
    double mu = points % 7 == 0 ? 0.0 : 0.6, rho = 0.7, x[2 * CPS_DIM_MAX + 1], worst = 0.0;
    for (int k = 0; k <= 2 * d; k++) x[k] = cps_random_normal(&random);
    double weight = cps_mcp_weight(mu, x, x[2 * d]);
    CpsMcpValue value, plus, minus;
    mcp_at(law, d, mu, rho, weight, x, &value);
    for (int by = 0; by <= 2 * d; by++) {
      double kept = x[by];
      x[by] = kept + step;
      mcp_at(law, d, mu, rho, weight, x, &plus);
      x[by] = kept - step;
      mcp_at(law, d, mu, rho, weight, x, &minus);
      x[by] = kept;
      for (int row = 0; row <= d; row++) {
        double difference = row < d ? plus.F_r[row] - minus.F_r[row] : plus.F_l - minus.F_l;
        worst = fmax(worst, fabs(difference / (2.0 * step) - mcp_derivative(&value, d, row, by)));
      }
    }
    if (!(worst < 1e-6)) bad++;
    assert_true(value.dFl_dl > 0.58);  // 2 - sqrt 2: the elimination of l is safe
  }
  if (bad > points / 100) fail_msg("%d of %d points differ", bad, points);
}

// Stick, slide, take-off and grazing are zeros of the mixed form; a wrong multiplier or a wrong case is not.
static void the_mixed_form_vanishes_at_coulombs_law_alone(void** state) {
  (void)state;
  static const struct {
    double r[3], u[3], l;
    bool holds;
  } CASES[] = {
      {{1, 0.3, 0.2}, {0, 0, 0}, 0, true},
      {{1, -0.3, -0.4}, {0, 0.6, 0.8}, 1, true},
      {{0, 0, 0}, {2, 3, 4}, 5, true},
      {{0, 0, 0}, {0, 0, 0}, 0, true},
      {{0, 0, 0}, {2, 3, 4}, 4, false},
      {{1, -0.3, -0.4}, {0, 0.8, 0.6}, 1, false},
      {{1, -0.15, -0.2}, {0, 0.6, 0.8}, 2, false},
      {{1, 0.6, 0}, {0, 0, 0}, 0, false},
      {{1, 0, 0}, {1, 0, 0}, 0, false},
  };
  for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
    CpsMcpValue value;
    double weight = cps_mcp_weight(0.5, CASES[k].r, CASES[k].l);
    cps_mcp_function(CPS_LAW_COULOMB, 3, 0.5, 1.0, weight, CASES[k].r, CASES[k].u, CASES[k].l, &value);
    double size = fabs(value.F_l);
    for (int c = 0; c < 3; c++) size = fmax(size, fabs(value.F_r[c]));
    if (CASES[k].holds) assert_below(size, 1e-15);  // rounding of numbers of size 1
    if (!CASES[k].holds) assert_true(size > 0.05);
  }
}

// -f.f is the slope of an exact Newton step (f.A d = -f.f), also with the zeros taken out of the matrix.
static void an_exact_step_has_the_slope_minus_f_squared(void** state) {
  (void)state;
  CpsProblem* p = make_mixed(3, 0.01, CPS_LAW_CONVEX);
  CpsArena arena = {0};
  CpsSolve solve = {.problem = p, .arena = &arena};
  CpsNewtonSystem system;
  assert_true(cps_newton_system_create(&solve, &system));
  double r[ROWS_MAX] = {0}, u[ROWS_MAX], d[ROWS_MAX], Wd[ROWS_MAX], slope;
  for (int round = 0; round < 3; round++) {
    cps_problem_law_velocity(p, r, u);
    double q = cps_newton_evaluate(&system, cps_ac_function, r, u);
    assert_true(cps_newton_system_direction(&solve, &system, d, Wd, &slope));
    assert_near(system.shift, 0.0, 0.0);
    assert_near(slope, -2.0 * q, 1e-13 * q);  // condition number of A about 1e2
    for (int64_t k = 0; k < p->row_count; k++) r[k] += d[k];
  }
  assert_true(solve.factorisations >= 3);
  cps_newton_system_destroy(&system);
  cps_arena_free(&arena);
  cps_problem_destroy(p);
}

static const CpsMethod METHODS[] = {CPS_METHOD_NEWTON_AC, CPS_METHOD_NEWTON_FB, CPS_METHOD_MCP};
enum { METHOD_COUNT = sizeof METHODS / sizeof *METHODS };

static CpsSolveInfo solve_from_zero(const CpsProblem* problem, CpsMethod method, double tolerance, double* r) {
  CpsSolveOptions options = cps_solve_options_default();
  CpsSolveInfo info;
  CpsError error;
  options.method = method;
  options.tolerance = tolerance;
  options.max_iterations = 1000;
  memset(r, 0, (size_t)cps_problem_row_count(problem) * sizeof *r);
  if (cps_problem_solve(problem, &options, r, &info, &error) < 0) fail_msg("%s", error.text);
  return info;
}

// Eight one-contact problems with answers by hand, each alone.
static void one_contact_problems_have_their_exact_answers(void** state) {
  (void)state;
  static const struct {
    double W[9], b[3], mu, r[3];
  } PROBLEMS[] = {
      {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {1, 5, -3}, 0.5, {0, 0, 0}},
      {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 2, 0}, 0.5, {0, 0, 0}},
      {{2, 0, 0, 0, 4, 0, 0, 0, 4}, {-2, 1, 0}, 0.5, {1, -0.25, 0}},
      {{1, 0, 0, 0, 2, 0, 0, 0, 2}, {-1, 3, 4}, 0.5, {1, -0.3, -0.4}},
      {{2, 1, 0, 1, 3, 0, 0, 0, 1}, {-4, 7, 1}, 0, {2, 0, 0}},
      {{1, 0, 0, 0, 1, 0, 0, 0, 4}, {-1, 0.9, 2.4}, 0.5, {1, -0.3, -0.4}},
      {{2, 1, 0, 1, 2, 0, 0, 0, 1}, {-3, 4, 0}, 0.5, {2, -1, 0}},
      {{1, 0, 0, 0, 0, 0, 0, 0, 1}, {-1, 0, 0.25}, 0.5, {1, NAN, -0.25}},  // r_1 is free: W is singular
  };
  const int32_t zero[1] = {0};
  for (size_t k = 0; k < sizeof PROBLEMS / sizeof *PROBLEMS; k++) {
    CpsContactsDef contacts = cps_contacts_def_default();
    contacts.count = 1;
    contacts.mu = &PROBLEMS[k].mu;
    contacts.b = PROBLEMS[k].b;
    CpsProblem* problem = NULL;
    assert_int_equal(cps_problem_from_blocks(&contacts, 1, zero, zero, PROBLEMS[k].W, &problem, NULL), CPS_OK);
    for (int m = 0; m < METHOD_COUNT; m++) {
      double r[3];
      CpsSolveInfo info = solve_from_zero(problem, METHODS[m], 1e-11, r);
      if (info.status != CPS_OK) {
        fail_msg("problem %zu, %s: residual %g", k + 1, cps_method_info(METHODS[m])->name, info.residual);
      }
      for (int c = 0; c < 3; c++) {
        // grazing has r = 0 exactly on the boundary, where the square of r is what the residual sees: 1e-5
        if (!isnan(PROBLEMS[k].r[c])) assert_near(r[c], PROBLEMS[k].r[c], k == 1 ? 1e-5 : 1e-9);
      }
    }
    cps_problem_destroy(problem);
  }
}

static void mixed_dimensions_and_laws_are_solved(void** state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 10; seed++) {
    for (int m = 0; m < METHOD_COUNT; m++) {
      // the mixed complementarity form has no convex law
      CpsProblem* problem = make_mixed(seed, 0.01, METHODS[m] == CPS_METHOD_MCP ? CPS_LAW_COULOMB : CPS_LAW_CONVEX);
      double r[ROWS_MAX];
      CpsSolveInfo info = solve_from_zero(problem, METHODS[m], 1e-10, r);
      if (info.status != CPS_OK) {
        fail_msg("seed %d, %s: residual %g", (int)seed, cps_method_info(METHODS[m])->name, info.residual);
      }
      CpsIdentities identities;
      assert_int_equal(cps_problem_identities(problem, r, &identities), CPS_OK);
      assert_below(identities.orthogonality, 1e-8);  // the residual, times the condition of the problem
      assert_below(identities.cone, 1e-8);
      assert_below(identities.alignment, 1e-8);
      cps_problem_destroy(problem);
    }
  }
}

// Twice the same contact: W is singular and r is not unique, but its sum is.
static void two_copies_of_a_contact_share_its_impulse(void** state) {
  (void)state;
  const int32_t rows[4] = {0, 0, 1, 1}, cols[4] = {0, 1, 0, 1};
  const double b[6] = {-1, 3, 4, -1, 3, 4}, mu[2] = {0.5, 0.5}, expected[3] = {1, -0.3, -0.4};
  double values[36] = {0};
  for (int k = 0; k < 4; k++) {
    values[9 * k] = 1.0;
    values[9 * k + 4] = values[9 * k + 8] = 2.0;
  }
  CpsContactsDef contacts = cps_contacts_def_default();
  contacts.count = 2;
  contacts.mu = mu;
  contacts.b = b;
  CpsProblem* problem = NULL;
  assert_int_equal(cps_problem_from_blocks(&contacts, 4, rows, cols, values, &problem, NULL), CPS_OK);
  for (int m = 0; m < METHOD_COUNT; m++) {
    double r[6];
    CpsSolveInfo info = solve_from_zero(problem, METHODS[m], 1e-10, r);
    assert_int_equal(info.status, CPS_OK);
    for (int c = 0; c < 3; c++) assert_near(r[c] + r[3 + c], expected[c], 1e-9);
  }
  cps_problem_destroy(problem);
}

static void a_solved_problem_takes_no_iteration(void** state) {
  (void)state;
  CpsProblem* problem = make_mixed(1, 0.0, CPS_LAW_COULOMB);
  for (int m = 0; m < METHOD_COUNT; m++) {
    double r[ROWS_MAX];
    solve_from_zero(problem, METHODS[m], 1e-10, r);
    CpsSolveOptions options = cps_solve_options_default();
    CpsSolveInfo info;
    options.method = METHODS[m];
    assert_int_equal(cps_problem_solve(problem, &options, r, &info, NULL), CPS_OK);
    assert_int_equal(info.iterations, 0);
    assert_int_equal(info.factorisations, 0);
  }
  cps_problem_destroy(problem);
}

static void the_mixed_form_refuses_the_convex_law_by_name(void** state) {
  (void)state;
  CpsProblem* problem = make_mixed(1, 0.0, CPS_LAW_CONVEX);
  CpsSolveOptions options = cps_solve_options_default();
  double r[ROWS_MAX] = {0};
  CpsError error;
  options.method = CPS_METHOD_MCP;
  assert_int_equal(cps_problem_solve(problem, &options, r, NULL, &error), CPS_UNSUPPORTED);
  assert_non_null(strstr(error.text, "convex"));
  cps_problem_destroy(problem);
}

#ifdef CAPSTAN_IO
// What each method is known to solve at 1e-8 in 1000 iterations; KaplasTower is left to the long tests.
static void real_files_are_solved(void** state) {
  (void)state;
  static const char* const NAMES[] = {
      "OneObject-i100000-316", "Rover1040",     "Rover3865",         "NESpheres_10_1", "G2L_Spheres-i099-356-679",
      "Confeti-ex13-Fc3D-SBM", "FC3D_Example1", "G2L_GFC3D_TwoRods1"};
  int solved = 0;
  for (size_t k = 0; k < sizeof NAMES / sizeof *NAMES; k++) {
    char path[512];
    CpsProblem* problem = NULL;
    CpsError error;
    snprintf(path, sizeof path, "%s/fclib/%s.hdf5", SHARED_DATA, NAMES[k]);
    CpsStatus status = cps_fclib_read(path, CPS_FORM_W, &problem, NULL, &error);
    if (status == CPS_FILE_ERROR) continue;
    if (status != CPS_OK) fail_msg("%s", error.text);
    double* r = malloc((size_t)cps_problem_row_count(problem) * sizeof *r);
    for (int m = 0; m < METHOD_COUNT; m++) {
      CpsSolveInfo info = solve_from_zero(problem, METHODS[m], 1e-8, r);
      if (info.status != CPS_OK) {
        fail_msg("%s, %s: residual %g", NAMES[k], cps_method_info(METHODS[m])->name, info.residual);
      }
      solved++;
    }
    free(r);
    cps_problem_destroy(problem);
  }
  if (solved == 0) {
    print_message("skipped: no files in %s/fclib\n", SHARED_DATA);
    skip();
  }
}
#endif
#else
static void a_build_without_factorisations_says_so(void** state) {
  (void)state;
  const double W[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, b[3] = {-1, 0, 0}, mu[1] = {0.5};
  const int32_t zero[1] = {0};
  CpsContactsDef contacts = cps_contacts_def_default();
  contacts.count = 1;
  contacts.mu = mu;
  contacts.b = b;
  CpsProblem* problem = NULL;
  assert_int_equal(cps_problem_from_blocks(&contacts, 1, zero, zero, W, &problem, NULL), CPS_OK);
  double r[3] = {0};
  CpsSolveOptions options = cps_solve_options_default();
  CpsError error;
  options.method = CPS_METHOD_NEWTON_AC;
  assert_int_equal(cps_problem_solve(problem, &options, r, NULL, &error), CPS_UNSUPPORTED);
  assert_non_null(strstr(error.text, "newton-ac"));
  cps_problem_destroy(problem);
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
#ifdef CAPSTAN_DIRECT
      cmocka_unit_test(the_assembled_jacobian_of_alart_curnier_is_the_derivative),
      cmocka_unit_test(the_assembled_jacobian_of_fischer_burmeister_is_the_derivative),
      cmocka_unit_test(the_jacobian_of_the_mixed_form_is_the_derivative),
      cmocka_unit_test(the_mixed_form_vanishes_at_coulombs_law_alone),
      cmocka_unit_test(an_exact_step_has_the_slope_minus_f_squared),
      cmocka_unit_test(one_contact_problems_have_their_exact_answers),
      cmocka_unit_test(mixed_dimensions_and_laws_are_solved),
      cmocka_unit_test(two_copies_of_a_contact_share_its_impulse),
      cmocka_unit_test(a_solved_problem_takes_no_iteration),
      cmocka_unit_test(the_mixed_form_refuses_the_convex_law_by_name),
#ifdef CAPSTAN_IO
      cmocka_unit_test(real_files_are_solved),
#endif
#else
      cmocka_unit_test(a_build_without_factorisations_says_so),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
