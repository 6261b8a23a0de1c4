// The faceted methods, psor and lemke: exact where facets are (no friction, plane), O(1/facets) elsewhere, and the same
// law whichever way it is written.
#include "friction/facets.h"
#include "friction/global/lcp_lemke.h"
#include "friction/law.h"
#include "sample_problems.h"

static bool always(void* data) {
  (void)data;
  return true;
}

static CpsLcpResult solve_lcp(int n, const double* M, const double* q, double* z) {
  CpsArena arena = {0};
  CpsLcpResult result = cps_lcp_lemke(n, M, q, &arena, always, NULL, z);
  cps_arena_free(&arena);
  return result;
}

static void check_lcp(int n, const double* M, const double* q, const double* z) {
  for (int i = 0; i < n; i++) {
    double w = q[i];
    for (int j = 0; j < n; j++) w += M[i * n + j] * z[j];
    assert_near(fmin(z[i], w), 0.0, 1e-10);  // a dozen pivots of numbers of size 1 lose a few digits
  }
}

// A A^T + a skew part is positive definite: exactly one solution. Half of q is zero, so that every ratio test ties.
static void random_definite_lcps_are_solved(void** state) {
  (void)state;
  enum { N = 20 };
  for (uint64_t seed = 0; seed < 50; seed++) {
    CpsRandom random = cps_random_seed(seed);
    double A[N * N], M[N * N], q[N], z[N];
    for (int k = 0; k < N * N; k++) A[k] = cps_random_normal(&random) / sqrt(N);
    for (int i = 0; i < N; i++) {
      for (int j = 0; j < N; j++) {
        M[i * N + j] = (i == j ? 0.1 : 0.0) + 0.5 * (A[i * N + j] - A[j * N + i]);
        for (int k = 0; k < N; k++) M[i * N + j] += A[i * N + k] * A[j * N + k];
      }
      q[i] = i % 2 == 0 ? cps_random_normal(&random) : 0.0;
    }
    assert_int_equal(solve_lcp(N, M, q, z), CPS_LCP_SOLVED);
    check_lcp(N, M, q, z);
  }
}

static void an_lcp_without_solution_ends_on_a_ray(void** state) {
  (void)state;
  const double M[4] = {0, 0, 0, 1}, q[2] = {-1, 1};
  double z[2];
  assert_int_equal(solve_lcp(2, M, q, z), CPS_LCP_RAY);
}

static bool never(void* data) {
  (void)data;
  return false;
}

static void a_stop_is_obeyed_before_the_first_pivot(void** state) {
  (void)state;
  const double M[1] = {1}, q[1] = {-1};
  double z[1];
  CpsArena arena = {0};
  assert_int_equal(cps_lcp_lemke(1, M, q, &arena, never, NULL, z), CPS_LCP_STOPPED);
  cps_arena_free(&arena);
}

static void solve(const CpsProblem* problem, CpsSolveOptions options, bool must_converge, double* r) {
  memset(r, 0, (size_t)cps_problem_row_count(problem) * sizeof *r);
  CpsError error = {{0}};
  CpsStatus status = cps_problem_solve(problem, &options, r, NULL, &error);
  if (must_converge ? status != CPS_OK : status < 0) fail_msg("%s", error.text);
}

static void without_friction_they_equal_gauss_seidel(void** state) {
  (void)state;
  enum { ROWS = 90 };
  for (int form = 0; form < 2; form++) {
    SampleDef def = {.contacts = ROWS / 3, .bodies = 25, .dim = 3, .dofs = 6, .seed = 2, .form_W = form == 1};
    CpsProblem* problem = sample_bodies(def);
    double exact[ROWS], r[ROWS];
    solve(problem, sample_options(CPS_METHOD_GS, 1e-12), true, exact);
    const CpsMethod methods[2] = {CPS_METHOD_PSOR, CPS_METHOD_LEMKE};
    for (int m = 0; m < 2; m++) {
      for (int kind = 0; kind < 2; kind++) {
        CpsSolveOptions options = sample_options(methods[m], 1e-12);
        options.facet_kind = (CpsFacets)kind;
        solve(problem, options, true, r);
        // residual 1e-12 times the condition of W_NN
        for (int c = 0; c < ROWS; c++) assert_near(r[c], exact[c], 1e-9);
      }
    }
    cps_problem_destroy(problem);
  }
}

static void in_the_plane_they_are_exact(void** state) {
  (void)state;
  SampleDef def = {.contacts = 20, .bodies = 20, .dim = 2, .dofs = 3, .mu = 0.4, .seed = 6};
  CpsProblem* problem = sample_bodies(def);
  const CpsMethod methods[2] = {CPS_METHOD_PSOR, CPS_METHOD_LEMKE};
  for (int m = 0; m < 2; m++) {
    for (int kind = 0; kind < 2; kind++) {
      CpsSolveOptions options = sample_options(methods[m], 1e-10);
      options.facet_kind = (CpsFacets)kind;
      double r[40];
      solve(problem, options, true, r);
    }
  }
  cps_problem_destroy(problem);
}

// Sticking and take-off do not feel the facets; the slide of problem 7 is along an axis, where four inner corners lie.
static void analytic_contacts_that_facets_do_not_touch(void** state) {
  (void)state;
  static const struct {
    double W[9], b[3], mu, r[3];
  } cases[] = {
      {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {1, 5, -3}, 0.5, {0, 0, 0}},
      {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 2, 0}, 0.5, {0, 0, 0}},
      {{2, 0, 0, 0, 4, 0, 0, 0, 4}, {-2, 1, 0}, 0.5, {1, -0.25, 0}},
      {{2, 1, 0, 1, 3, 0, 0, 0, 1}, {-4, 7, 1}, 0.0, {2, 0, 0}},
      {{2, 1, 0, 1, 2, 0, 0, 0, 1}, {-3, 4, 0}, 0.5, {2, -1, 0}},
  };
  const CpsMethod methods[2] = {CPS_METHOD_PSOR, CPS_METHOD_LEMKE};
  for (int m = 0; m < 2; m++) {
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
      CpsProblem* problem = sample_one(3, cases[k].W, cases[k].b, cases[k].mu);
      double r[3];
      solve(problem, sample_options(methods[m], 1e-12), true, r);
      for (int c = 0; c < 3; c++) assert_near(r[c], cases[k].r[c], 1e-10);
      cps_problem_destroy(problem);
    }
  }
}

// Sets of equilibria: with W singular every (1, t, -1/4) sticks; two identical contacts share the impulse of one.
static void singular_problems_are_solved(void** state) {
  (void)state;
  const double W[9] = {1, 0, 0, 0, 0, 0, 0, 0, 1}, b[3] = {-1, 0, 0.25};
  const CpsMethod methods[2] = {CPS_METHOD_PSOR, CPS_METHOD_LEMKE};
  for (int m = 0; m < 2; m++) {
    for (int kind = 0; kind < 2; kind++) {
      CpsProblem* problem = sample_one(3, W, b, 0.5);
      CpsSolveOptions options = sample_options(methods[m], 1e-10);
      options.facet_kind = (CpsFacets)kind;
      double r[6];
      solve(problem, options, true, r);
      assert_near(r[0], 1.0, 1e-9);
      assert_near(r[2], -0.25, 1e-9);
      cps_problem_destroy(problem);

      double one[9] = {1, 0, 0, 0, 2, 0, 0, 0, 2}, values[36], b2[6] = {-1, 3, 0, -1, 3, 0}, mu[2] = {0.5, 0.5};
      for (int k = 0; k < 4; k++) memcpy(values + 9 * k, one, sizeof one);
      int32_t rows[4] = {0, 0, 1, 1}, cols[4] = {0, 1, 0, 1};
      CpsContactsDef def = cps_contacts_def_default();
      def.count = 2;
      def.b = b2;
      def.mu = mu;
      assert_int_equal(cps_problem_from_blocks(&def, 4, rows, cols, values, &problem, NULL), CPS_OK);
      // inner corners lie on the axis of sliding and outer sides touch it there: exact with both
      solve(problem, options, true, r);
      assert_near(r[0] + r[3], 1.0, 1e-8);
      assert_near(r[1] + r[4], -0.5, 1e-8);
      assert_near(r[2] + r[5], 0.0, 1e-8);
      cps_problem_destroy(problem);
    }
  }
}

// Mean relative distance from the exact answer over ten problems.
static double facet_error(CpsMethod method, int facets, CpsFacets kind) {
  enum { ROWS = 24 };
  double sum = 0.0;
  for (uint64_t seed = 0; seed < 10; seed++) {
    SampleDef def = {.contacts = ROWS / 3, .bodies = 12, .dim = 3, .dofs = 6, .mu = 0.4, .seed = 100 + seed};
    CpsProblem* problem = sample_bodies(def);
    double exact[ROWS], r[ROWS], difference = 0.0, size = 0.0;
    CpsSolveOptions options = sample_options(CPS_METHOD_GS, 1e-12);
    solve(problem, options, true, exact);
    options.method = method;
    options.facets = facets;
    options.facet_kind = kind;
    options.tolerance = 1e-10;
    solve(problem, options, false, r);
    for (int c = 0; c < ROWS; c++) {
      difference += (r[c] - exact[c]) * (r[c] - exact[c]);
      size += exact[c] * exact[c];
    }
    sum += sqrt(difference / size);
    cps_problem_destroy(problem);
  }
  return sum / 10.0;
}

// The direction of sliding friction is off by up to half the angle of a side, pi / facets: the error is O(1/facets).
static void more_facets_come_closer_to_the_disc(void** state) {
  (void)state;
  const CpsMethod methods[2] = {CPS_METHOD_PSOR, CPS_METHOD_LEMKE};
  for (int m = 0; m < 2; m++) {
    for (int kind = 0; kind < 2; kind++) {
      double coarse = facet_error(methods[m], 4, (CpsFacets)kind);
      double fine = facet_error(methods[m], 32, (CpsFacets)kind);
      assert_true(coarse > 1e-3);
      // eight times as many facets; a factor of two is left for luck with the directions
      assert_below(fine, coarse / 4.0);
      assert_below(fine, 2.0 * acos(-1.0) / 32.0);
    }
  }
}

// Distance of r_T to the outside of mu r_N times the polygon (positive: it sticks out), and of -u_T to the normals.
static double polygon_error(const double* r, const double* u, double mu, int facets, CpsFacets kind) {
  double error = fmax(fmax(-r[0], -u[0]), fabs(fmin(r[0], u[0])));
  double support = -INFINITY, work = 0.0;
  for (int k = 0; k < facets; k++) {
    double c[2], p[2];
    cps_facet_normal(3, facets, kind, k, c);
    cps_facet_corner(3, facets, kind, k, p);
    error = fmax(error, c[0] * r[1] + c[1] * r[2] - cps_facet_apothem(3, facets, kind) * mu * r[0]);
    support = fmax(support, -(p[0] * u[1] + p[1] * u[2]));
  }
  // maximal dissipation on the polygon: -u_T.r_T = mu r_N max over the corners
  work = -(u[1] * r[1] + u[2] * r[2]);
  return fmax(error, fabs(mu * r[0] * support - work));
}

static void every_way_of_writing_it_solves_the_law_of_the_polygon(void** state) {
  (void)state;
  enum { ROWS = 60 };
  // 20 contacts of 12 bodies of 6: W_TT is regular. Of 5 bodies: 40 tangent rows on 30 degrees of freedom, singular.
  const int32_t bodies[2] = {12, 5};
  const CpsMethod methods[2] = {CPS_METHOD_PSOR, CPS_METHOD_LEMKE};
  for (int few = 0; few < 2; few++) {
    SampleDef def = {.contacts = ROWS / 3, .bodies = bodies[few], .dim = 3, .dofs = 6, .mu = 0.3, .seed = 77};
    CpsProblem* problem = sample_bodies(def);
    for (int m = 0; m < 2; m++) {
      for (int kind = 0; kind < 2; kind++) {
        for (int facets = 4; facets <= 12; facets += 4) {
          CpsSolveOptions options = sample_options(methods[m], 1e-10);
          options.facets = facets;
          options.facet_kind = (CpsFacets)kind;
          options.max_iterations = 100000;
          double r[ROWS], u[ROWS];
          solve(problem, options, false, r);
          assert_int_equal(cps_problem_velocity(problem, r, u), CPS_OK);
          for (int i = 0; i < ROWS / 3; i++) {
            // impulses and velocities of size 1, tolerance 1e-12 of psor times the condition of W
            assert_below(polygon_error(r + 3 * i, u + 3 * i, 0.3, facets, (CpsFacets)kind), 1e-8);
          }
        }
      }
    }
    cps_problem_destroy(problem);
  }
}

static void free_blocks_stay_without_impulse(void** state) {
  (void)state;
  double values[18] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1}, b[6] = {-1, 0, 0, -1, 0, 0};
  double mu[2] = {0.5, 0.0};
  CpsLaw laws[2] = {CPS_LAW_COULOMB, CPS_LAW_FREE};
  int32_t at[2] = {0, 1};
  CpsContactsDef def = cps_contacts_def_default();
  def.count = 2;
  def.b = b;
  def.mu = mu;
  def.laws = laws;
  CpsProblem* problem;
  assert_int_equal(cps_problem_from_blocks(&def, 2, at, at, values, &problem, NULL), CPS_OK);
  const CpsMethod methods[2] = {CPS_METHOD_PSOR, CPS_METHOD_LEMKE};
  for (int m = 0; m < 2; m++) {
    CpsSolveOptions options = sample_options(methods[m], 1e-10);
    double r[6] = {0, 0, 0, 5, 1, 1};
    assert_int_equal(cps_problem_solve(problem, &options, r, NULL, NULL), CPS_OK);
    assert_near(r[0], 1.0, 1e-10);
    for (int c = 3; c < 6; c++) assert_true(r[c] == 0.0);
  }
  cps_problem_destroy(problem);
}

static void psor_solves_ties_as_unknowns_without_bounds(void** state) {
  (void)state;
  double W[9] = {2, 1, 0, 1, 3, 0, 0, 0, 1}, b[3] = {4, -7, 1}, mu = 0.0;
  CpsLaw law = CPS_LAW_BILATERAL;
  int32_t at = 0;
  CpsContactsDef def = cps_contacts_def_default();
  def.count = 1;
  def.b = b;
  def.mu = &mu;
  def.laws = &law;
  CpsProblem* problem;
  assert_int_equal(cps_problem_from_blocks(&def, 1, &at, &at, W, &problem, NULL), CPS_OK);
  CpsSolveOptions options = sample_options(CPS_METHOD_PSOR, 1e-12);
  double r[3] = {0, 0, 0};
  assert_int_equal(cps_problem_solve(problem, &options, r, NULL, NULL), CPS_OK);
  // r = -W^-1 b by hand
  assert_near(r[0], -19.0 / 5.0, 1e-10);
  assert_near(r[1], 18.0 / 5.0, 1e-10);
  assert_near(r[2], -1.0, 1e-10);
  options.method = CPS_METHOD_LEMKE;
  assert_int_equal(cps_problem_solve(problem, &options, r, NULL, NULL), CPS_UNSUPPORTED);
  cps_problem_destroy(problem);
}

static void dimension_six_is_refused_with_a_sentence(void** state) {
  (void)state;
  double W[36] = {0}, b[6] = {-1, 0, 0, 0, 0, 0};
  for (int k = 0; k < 6; k++) W[7 * k] = 1.0;
  CpsProblem* problem = sample_one(6, W, b, 0.5);
  const CpsMethod methods[2] = {CPS_METHOD_PSOR, CPS_METHOD_LEMKE};
  for (int m = 0; m < 2; m++) {
    CpsSolveOptions options = sample_options(methods[m], 1e-8);
    double r[6] = {0};
    CpsError error;
    assert_int_equal(cps_problem_solve(problem, &options, r, NULL, &error), CPS_UNSUPPORTED);
    assert_non_null(strstr(error.text, "contact 0 has 6"));
  }
  cps_problem_destroy(problem);
}

static void an_island_too_large_for_a_dense_tableau_is_refused(void** state) {
  (void)state;
  SampleDef def = {.contacts = 30, .bodies = 6, .dim = 3, .dofs = 6, .mu = 0.3, .seed = 1};
  CpsProblem* problem = sample_bodies(def);
  CpsSolveOptions options = sample_options(CPS_METHOD_LEMKE, 1e-8);
  options.facets = 200;
  double r[90];
  memset(r, 0, sizeof r);
  CpsError error;
  assert_int_equal(cps_problem_solve(problem, &options, r, NULL, &error), CPS_UNSUPPORTED);
  assert_non_null(strstr(error.text, "limit"));
  for (int c = 0; c < 90; c++) assert_true(r[c] == 0.0);
  cps_problem_destroy(problem);
}

static void a_pivot_limit_is_an_iteration_limit(void** state) {
  (void)state;
  SampleDef def = {.contacts = 10, .bodies = 6, .dim = 3, .dofs = 6, .mu = 0.3, .seed = 1};
  CpsProblem* problem = sample_bodies(def);
  CpsSolveOptions options = sample_options(CPS_METHOD_LEMKE, 1e-8);
  options.max_iterations = 3;
  double r[30] = {0};
  CpsSolveInfo info;
  assert_int_equal(cps_problem_solve(problem, &options, r, &info, NULL), CPS_NOT_CONVERGED);
  assert_int_equal(info.iterations, 3);
  cps_problem_destroy(problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_definite_lcps_are_solved),
      cmocka_unit_test(an_lcp_without_solution_ends_on_a_ray),
      cmocka_unit_test(a_stop_is_obeyed_before_the_first_pivot),
      cmocka_unit_test(without_friction_they_equal_gauss_seidel),
      cmocka_unit_test(in_the_plane_they_are_exact),
      cmocka_unit_test(analytic_contacts_that_facets_do_not_touch),
      cmocka_unit_test(singular_problems_are_solved),
      cmocka_unit_test(more_facets_come_closer_to_the_disc),
      cmocka_unit_test(every_way_of_writing_it_solves_the_law_of_the_polygon),
      cmocka_unit_test(free_blocks_stay_without_impulse),
      cmocka_unit_test(psor_solves_ties_as_unknowns_without_bounds),
      cmocka_unit_test(dimension_six_is_refused_with_a_sentence),
      cmocka_unit_test(an_island_too_large_for_a_dense_tableau_is_refused),
      cmocka_unit_test(a_pivot_limit_is_an_iteration_limit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
