// The other one-contact solvers: faceted and diagonal models obey their own law, Newton converges from near the answer.
#include "friction/facets.h"
#include "friction/local_helpers.h"
#include "test_helpers.h"

static void well_conditioned(CpsRandom* random, CpsLaw law, int d, double mu, OneContact* contact) {
  one_contact_random(random, law, d, d, 2.0, mu, contact);
  for (int i = 0; i < d; i++) contact->W[i * d + i] += 0.1;
  one_contact_set(contact, law, d, mu);
}

static CpsLocalResult run(const CpsLocalSolver* solver, const OneContact* contact, double* r) {
  return solver->solve(&contact->problem, NULL, &local_settings, r);
}

// In dimension 2 the disc is a segment: the faceted law is the exact one.
static void the_pyramid_is_exact_in_the_plane(void** state) {
  (void)state;
  CpsRandom random = cps_random_seed(1);
  for (int t = 0; t < 1000; t++) {
    OneContact contact;
    double r[2] = {0}, exact[2] = {0};
    well_conditioned(&random, CPS_LAW_COULOMB, 2, .7, &contact);
    assert_int_equal(run(&cps_local_pyramid, &contact, r), CPS_LOCAL_SOLVED);
    assert_int_equal(run(&cps_local_enum, &contact, exact), CPS_LOCAL_SOLVED);
    assert_below(largest_difference(2, r, exact),
                 1e-10 * (1.0 + cps_small_norm(2, exact)));  // rounding x condition 1e3
  }
}

// r_T/(mu r_N) lies in the polygon P, u_N = 0 and -u_T points into the normal cone of P there: no corner is farther
// along -u_T.
static void a_sliding_pyramid_obeys_the_faceted_law(void** state) {
  (void)state;
  CpsRandom random = cps_random_seed(2);
  const int sides[] = {4, 6, 8, 32};
  for (int t = 0; t < 2000; t++) {
    CpsLocalSettings settings = local_settings;
    settings.facets = sides[t % 4];
    settings.facet_kind = t % 8 < 4 ? CPS_FACETS_INNER : CPS_FACETS_OUTER;
    OneContact contact;
    double r[3] = {0}, u[3], c[2], p[2];
    well_conditioned(&random, CPS_LAW_COULOMB, 3, .5, &contact);
    assert_int_equal(cps_local_pyramid.solve(&contact.problem, NULL, &settings, r), CPS_LOCAL_SOLVED);
    assert_true(r[0] > 0.0);  // b_N < 0
    cps_local_velocity(&contact.problem, r, u);
    const double tiny = 1e-8 * (1.0 + cps_small_norm(3, r)) * (1.0 + cps_small_norm(3, contact.b));  // its slack 1e-10
    assert_near(u[0], 0.0, tiny);
    const double apothem = cps_facet_apothem(3, settings.facets, settings.facet_kind);
    for (int k = 0; k < settings.facets; k++) {
      cps_facet_normal(3, settings.facets, settings.facet_kind, k, c);
      cps_facet_corner(3, settings.facets, settings.facet_kind, k, p);
      assert_true(cps_small_dot(2, r + 1, c) <= .5 * r[0] * apothem + tiny);
      assert_true(cps_small_dot(2, u + 1, r + 1) <= .5 * r[0] * cps_small_dot(2, u + 1, p) + tiny);
    }
  }
}

// With more sides the faceted answers tend to the exact one, as 1/nu in direction.
static void finer_pyramids_tend_to_the_cone(void** state) {
  (void)state;
  double mean[2][3] = {{0}};
  for (int kind = 0; kind < 2; kind++)
    for (int level = 0; level < 3; level++) {
      CpsRandom random = cps_random_seed(3);
      CpsLocalSettings settings = local_settings;
      settings.facets = 4 << (2 * level);  // 4, 16, 64
      settings.facet_kind = kind == 0 ? CPS_FACETS_INNER : CPS_FACETS_OUTER;
      for (int t = 0; t < 300; t++) {
        OneContact contact;
        double r[3] = {0}, exact[3] = {0};
        well_conditioned(&random, CPS_LAW_COULOMB, 3, .3, &contact);
        assert_int_equal(cps_local_pyramid.solve(&contact.problem, NULL, &settings, r), CPS_LOCAL_SOLVED);
        assert_int_equal(run(&cps_local_enum, &contact, exact), CPS_LOCAL_SOLVED);
        mean[kind][level] += largest_difference(3, r, exact) / cps_small_norm(3, exact) / 300.0;
      }
    }
  for (int kind = 0; kind < 2; kind++) {
    // four times as many sides: a quarter of the error on average; half is what we insist on
    assert_true(mean[kind][1] < 0.5 * mean[kind][0]);
    assert_true(mean[kind][2] < 0.5 * mean[kind][1]);
    assert_below(mean[kind][2], 0.02);  // pi/64 = 0.05 is the largest error of direction, times mu = 0.3
  }
}

static void the_pyramid_refuses_six_dimensions(void** state) {
  (void)state;
  CpsRandom random = cps_random_seed(4);
  OneContact contact;
  double r[6] = {1, 0, 0, 0, 0, 0};
  well_conditioned(&random, CPS_LAW_COULOMB, 6, .5, &contact);
  assert_int_equal(run(&cps_local_pyramid, &contact, r), CPS_LOCAL_FAILED);
  assert_near(r[0], 1.0, 0.0);  // the guess is left alone
}

// What an exact solver calls solved is solved, whatever it started from, and duriez06 says solved though it is not.
static void exact_solvers_never_lie(void** state) {
  (void)state;
  const CpsLocal solvers[] = {CPS_LOCAL_MFB, CPS_LOCAL_AC, CPS_LOCAL_AC_DAMPED, CPS_LOCAL_ENUM, CPS_LOCAL_DURIEZ08};
  const int dims[] = {2, 3, 6};
  const CpsLaw laws[] = {CPS_LAW_COULOMB, CPS_LAW_CONVEX};
  for (int s = 0; s < 5; s++) {
    CpsRandom random = cps_random_seed(5);
    for (int t = 0; t < 1200; t++) {
      const int d = dims[t % 3];
      OneContact contact;
      double r[CPS_DIM_MAX];
      one_contact_random(&random, laws[(t / 3) % 2], d, d, 1e4, .8, &contact);
      for (int i = 0; i < d; i++) r[i] = cps_random_normal(&random);
      const CpsLocalResult result = run(cps_local_solver(solvers[s]), &contact, r);
      assert_int_not_equal(result, CPS_LOCAL_NO_SOLUTION);  // W is regular
      assert_true(isfinite(cps_small_norm(d, r)));
      if (result == CPS_LOCAL_SOLVED) assert_below(cps_local_error(&contact.problem, r), 1e-12);  // as asked for
    }
  }
}

// From within 1 % of the answer every Newton solver converges, as it does inside a simulation.
static void newton_converges_from_a_warm_start(void** state) {
  (void)state;
  const CpsLocal solvers[] = {CPS_LOCAL_MFB, CPS_LOCAL_AC, CPS_LOCAL_AC_DAMPED};
  const int dims[] = {2, 3, 6};
  for (int s = 0; s < 3; s++) {
    CpsRandom random = cps_random_seed(6);
    for (int t = 0; t < 600; t++) {
      const int d = dims[t % 3];
      OneContact contact;
      double exact[CPS_DIM_MAX] = {0}, r[CPS_DIM_MAX];
      well_conditioned(&random, CPS_LAW_COULOMB, d, .5, &contact);
      assert_int_equal(run(&cps_local_enum, &contact, exact), CPS_LOCAL_SOLVED);
      const double size = cps_small_norm(d, exact);
      for (int i = 0; i < d; i++) r[i] = exact[i] + 0.01 / sqrt(d) * size * (2.0 * cps_random_uniform(&random) - 1.0);
      if (run(cps_local_solver(solvers[s]), &contact, r) != CPS_LOCAL_SOLVED) {
        fail_msg("%s fails from near the answer, problem %d", cps_local_solver(solvers[s])->info.name, t);
      }
    }
  }
}

// The diagonal model is not the law of a coupled block; its fixed point is.
static void the_fixed_point_of_the_diagonal_model_is_exact(void** state) {
  (void)state;
  CpsRandom random = cps_random_seed(7);
  int differ = 0;
  for (int t = 0; t < 500; t++) {
    OneContact contact;
    double model[3] = {0}, fixed[3] = {0}, exact[3] = {0};
    well_conditioned(&random, CPS_LAW_COULOMB, 3, .3, &contact);
    for (int i = 0; i < 3; i++) contact.W[4 * i] += 20.0;  // diagonally dominant: the fixed point converges
    one_contact_set(&contact, CPS_LAW_COULOMB, 3, .3);
    assert_int_equal(run(&cps_local_duriez06, &contact, model), CPS_LOCAL_SOLVED);
    assert_int_equal(run(&cps_local_duriez08, &contact, fixed), CPS_LOCAL_SOLVED);
    assert_int_equal(run(&cps_local_enum, &contact, exact), CPS_LOCAL_SOLVED);
    assert_below(largest_difference(3, fixed, exact), 1e-10 * (1.0 + cps_small_norm(3, exact)));  // 1e-12 x condition
    differ += largest_difference(3, model, exact) > 1e-3 * cps_small_norm(3, exact);
  }
  assert_true(differ > 400);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_pyramid_is_exact_in_the_plane),
      cmocka_unit_test(a_sliding_pyramid_obeys_the_faceted_law),
      cmocka_unit_test(finer_pyramids_tend_to_the_cone),
      cmocka_unit_test(the_pyramid_refuses_six_dimensions),
      cmocka_unit_test(exact_solvers_never_lie),
      cmocka_unit_test(newton_converges_from_a_warm_start),
      cmocka_unit_test(the_fixed_point_of_the_diagonal_model_is_exact),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
