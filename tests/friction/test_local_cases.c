// The analytic one-contact problems (docs/theory/one-contact.md, table of cases) with every solver of the exact law.
#include "friction/local_helpers.h"
#include "test_helpers.h"

typedef struct Case {
  const char* name;
  double W[9], b[3], mu;
  double r[3], u[3];
} Case;

static const Case cases[] = {
    {"take-off", {1, 0, 0, 0, 1, 0, 0, 0, 1}, {1, 5, -3}, .5, {0, 0, 0}, {1, 5, -3}},
    {"grazing", {1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 2, 0}, .5, {0, 0, 0}, {0, 2, 0}},
    {"stick", {2, 0, 0, 0, 4, 0, 0, 0, 4}, {-2, 1, 0}, .5, {1, -.25, 0}, {0, 0, 0}},
    {"isotropic slide", {1, 0, 0, 0, 2, 0, 0, 0, 2}, {-1, 3, 4}, .5, {1, -.3, -.4}, {0, 2.4, 3.2}},
    {"no friction", {2, 1, 0, 1, 3, 0, 0, 0, 1}, {-4, 7, 1}, 0, {2, 0, 0}, {0, 9, 1}},
    {"anisotropic slide", {1, 0, 0, 0, 1, 0, 0, 0, 4}, {-1, .9, 2.4}, .5, {1, -.3, -.4}, {0, .6, .8}},
    {"coupled slide", {2, 1, 0, 1, 2, 0, 0, 0, 1}, {-3, 4, 0}, .5, {2, -1, 0}, {0, 4, 0}},
};

static const CpsLocal exact_solvers[] = {CPS_LOCAL_MFB, CPS_LOCAL_AC, CPS_LOCAL_AC_DAMPED, CPS_LOCAL_ENUM,
                                         CPS_LOCAL_DURIEZ08};
enum { EXACT_COUNT = sizeof exact_solvers / sizeof *exact_solvers };

static CpsLocalResult run(const CpsLocalSolver* solver, const OneContact* contact, double* r) {
  double cache[64];
  if (solver->cache_size == NULL) return solver->solve(&contact->problem, NULL, &local_settings, r);
  assert_true(solver->cache_size(contact->problem.dim) <= 64);
  solver->prepare(&contact->problem, cache);
  return solver->solve(&contact->problem, cache, &local_settings, r);
}

static void contact_of(const double* W, const double* b, double mu, OneContact* contact) {
  memcpy(contact->W, W, 9 * sizeof *W);
  memcpy(contact->b, b, 3 * sizeof *b);
  one_contact_set(contact, CPS_LAW_COULOMB, 3, mu);
}

static void exact_solvers_find_the_unique_answers(void** state) {
  (void)state;
  for (int s = 0; s < EXACT_COUNT; s++) {
    const CpsLocalSolver* solver = cps_local_solver(exact_solvers[s]);
    assert_true(solver->info.exact);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
      OneContact contact;
      double r[3] = {0}, u[3];
      contact_of(cases[c].W, cases[c].b, cases[c].mu, &contact);
      if (run(solver, &contact, r) != CPS_LOCAL_SOLVED) fail_msg("%s fails on %s", solver->info.name, cases[c].name);
      cps_local_velocity(&contact.problem, r, u);
      // the tolerance 1e-12 bounds xi u and r by 1e-12 (||r|| + xi ||b||) < 3e-12; a factor 10 for conditioning
      assert_below(largest_difference(3, r, cases[c].r), 3e-11);
      assert_below(largest_difference(3, u, cases[c].u), 3e-11);
    }
  }
}

// W = diag(1, 0, 1): every r = (1, t, -1/4) with |t| <= sqrt(3)/4 sticks. Any of them will do.
static void a_singular_block_sticks_anywhere_in_its_set(void** state) {
  (void)state;
  const double W[9] = {1, 0, 0, 0, 0, 0, 0, 0, 1}, b[3] = {-1, 0, .25};
  for (int s = 0; s < EXACT_COUNT; s++) {
    OneContact contact;
    double r[3] = {0};
    contact_of(W, b, .5, &contact);
    const CpsLocalResult result = run(cps_local_solver(exact_solvers[s]), &contact, r);
    if (exact_solvers[s] == CPS_LOCAL_DURIEZ08) {
      // expected: with w_T = (0 + 1)/2 its step is r_2 <- -r_2 - 1/2, which turns back and forth
      assert_int_equal(result, CPS_LOCAL_FAILED);
      continue;
    }
    if (result != CPS_LOCAL_SOLVED) fail_msg("%s fails", cps_local_solver(exact_solvers[s])->info.name);
    assert_near(r[0], 1.0, 1e-11);  // solver tolerance 1e-12, as above
    assert_near(r[2], -.25, 1e-11);
    assert_below(fabs(r[1]), sqrt(.1875) + 1e-11);
  }
}

// Painleve: u_N = 0 forces u_T > 0, then r_T = -r_N, and r_N (1 - 2) = 1 has no positive solution.
static void painleve_has_no_solution_and_says_so(void** state) {
  (void)state;
  const double W[9] = {1, 2, 0, 2, 4, 0, 0, 0, 1}, b[3] = {-1, 0, 0};
  for (int s = 0; s < EXACT_COUNT; s++) {
    OneContact contact;
    double r[3] = {0};
    contact_of(W, b, 1.0, &contact);
    const CpsLocalResult result = run(cps_local_solver(exact_solvers[s]), &contact, r);
    // only the enumeration can prove it; the iterative ones must not claim success
    assert_int_equal(result, exact_solvers[s] == CPS_LOCAL_ENUM ? CPS_LOCAL_NO_SOLUTION : CPS_LOCAL_FAILED);
    assert_true(isfinite(r[0]) && isfinite(r[1]) && isfinite(r[2]));
  }
}

// Three solutions: take-off, slide and stick. Any of them is right; the guess at each must be kept or left for another.
static void one_of_three_solutions_is_returned(void** state) {
  (void)state;
  const double W[9] = {1, 2, 0, 2, 4.5, 0, 0, 0, 1}, b[3] = {1, 3, 0};
  const double answers[3][3] = {{0, 0, 0}, {1, -1, 0}, {3, -2, 0}};
  for (int s = 0; s < EXACT_COUNT; s++)
    for (int guess = 0; guess < 3; guess++) {
      OneContact contact;
      double r[3], distance = INFINITY;
      contact_of(W, b, 1.0, &contact);
      memcpy(r, answers[guess], sizeof r);
      assert_int_equal(run(cps_local_solver(exact_solvers[s]), &contact, r), CPS_LOCAL_SOLVED);
      for (int a = 0; a < 3; a++) distance = fmin(distance, largest_difference(3, r, answers[a]));
      assert_below(distance, 1e-9);  // solver tolerance 1e-12 times cond(W) < 100, rounded up
    }
}

// The isotropic slide split into two contacts at the same place: the sum of the impulses is that of one.
static void two_copies_share_the_impulse(void** state) {
  (void)state;
  const Case* one = &cases[3];
  for (int s = 0; s < EXACT_COUNT; s++) {
    double r[2][3] = {{0}};
    for (int sweep = 0; sweep < 200; sweep++)
      for (int i = 0; i < 2; i++) {
        OneContact contact;
        double b[3];
        for (int k = 0; k < 3; k++) b[k] = one->b[k] + cps_small_dot(3, one->W + 3 * k, r[1 - i]);
        contact_of(one->W, b, one->mu, &contact);
        assert_int_equal(run(cps_local_solver(exact_solvers[s]), &contact, r[i]), CPS_LOCAL_SOLVED);
      }
    // two coupled solves of tolerance 1e-12 each, times a conditioning of about 10
    for (int k = 0; k < 3; k++) assert_near(r[0][k] + r[1][k], one->r[k], 1e-10);
  }
}

static void spheres_are_exact_for_every_model(void** state) {
  (void)state;
  const CpsLocal models[] = {CPS_LOCAL_DURIEZ06, CPS_LOCAL_RADIAL};
  const int isotropic[] = {0, 1, 2, 3};
  for (int m = 0; m < 2; m++)
    for (int c = 0; c < 4; c++) {
      const Case* one = &cases[isotropic[c]];
      OneContact contact;
      double r[3] = {0};
      contact_of(one->W, one->b, one->mu, &contact);
      assert_false(cps_local_solver(models[m])->info.exact);
      assert_int_equal(run(cps_local_solver(models[m]), &contact, r), CPS_LOCAL_SOLVED);
      assert_below(largest_difference(3, r, one->r), 1e-15);  // closed forms: a few roundings of numbers below 1
    }
}

// The coupled slide: the stick trial is (10/3, -11/3, 0) and radial scaling keeps its r_N, which is not 2.
static void radial_scaling_is_wrong_for_coupled_blocks(void** state) {
  (void)state;
  OneContact contact;
  double r[3] = {0};
  contact_of(cases[6].W, cases[6].b, cases[6].mu, &contact);
  assert_int_equal(run(&cps_local_radial, &contact, r), CPS_LOCAL_SOLVED);
  const double expected[3] = {10.0 / 3.0, -5.0 / 3.0, 0};
  assert_below(largest_difference(3, r, expected), 1e-14);  // a 3x3 solve of condition 5
}

static void a_nan_or_infinite_velocity_is_never_called_solved(void** state) {
  (void)state;
  const double bad[] = {NAN, INFINITY, -INFINITY};
  for (int l = 0; l < CPS_LOCAL_COUNT; l++)
    for (int law = 0; law <= CPS_LAW_BILATERAL; law++)
      for (int where = 0; where < 3; where++)
        for (int k = 0; k < 3; k++) {
          OneContact contact;
          double r[3] = {.5, .1, .1};
          contact_of(cases[2].W, cases[2].b, cases[2].mu, &contact);
          contact.b[where] = bad[k];
          contact.problem.law = (CpsLaw)law;
          const CpsLocalResult result = run(cps_local_solver((CpsLocal)l), &contact, r);
          if (!isfinite(r[0] + r[1] + r[2])) fail_msg("%s returns no number", cps_local_solver((CpsLocal)l)->info.name);
          // an infinite b_N > 0 separates, that is no error
          if (!(where == 0 && bad[k] > 0.0) && result == CPS_LOCAL_SOLVED) {
            fail_msg("%s solves law %d with b[%d] = %g", cps_local_solver((CpsLocal)l)->info.name, law, where, bad[k]);
          }
        }
}

static void the_table_has_every_solver_once(void** state) {
  (void)state;
  for (int l = 0; l < CPS_LOCAL_COUNT; l++) {
    const CpsLocalSolver* solver = cps_local_solver((CpsLocal)l);
    assert_non_null(solver);
    assert_true(strlen(solver->info.name) > 0 && strlen(solver->info.summary) > 0 &&
                strlen(solver->info.reference) > 0);
    for (int k = 0; k < l; k++) assert_string_not_equal(solver->info.name, cps_local_solver((CpsLocal)k)->info.name);
  }
  assert_null(cps_local_solver(CPS_LOCAL_COUNT));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exact_solvers_find_the_unique_answers),
      cmocka_unit_test(a_singular_block_sticks_anywhere_in_its_set),
      cmocka_unit_test(painleve_has_no_solution_and_says_so),
      cmocka_unit_test(one_of_three_solutions_is_returned),
      cmocka_unit_test(two_copies_share_the_impulse),
      cmocka_unit_test(spheres_are_exact_for_every_model),
      cmocka_unit_test(radial_scaling_is_wrong_for_coupled_blocks),
      cmocka_unit_test(a_nan_or_infinite_velocity_is_never_called_solved),
      cmocka_unit_test(the_table_has_every_solver_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
