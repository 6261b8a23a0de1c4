// Inside the convex methods: the algebra of the second-order cone, the linear systems of the interior point, and its
// minimisers against those of the projected gradient.
#include "dense_problem.h"
#include "friction/global/conic_apg.h"
#include "friction/global/soc.h"
#include "friction/residual.h"

#include <string.h>

#ifdef CAPSTAN_DIRECT
#include "friction/global/convex_step.h"
#endif

// A random point inside the cone, at least `margin` from its boundary.
static void random_inside(CpsRandom* random, int d, double margin, double* x) {
  for (int k = 0; k < d; k++) x[k] = cps_random_normal(random);
  x[0] += margin - cps_soc_margin(d, x);
}

// F x = F^-1 z is what the scaling is for. Condition numbers of F are below 1e4 here, so 1e-10 leaves room.
static void the_nesterov_todd_scaling_maps_both_points_to_one(void** state) {
  (void)state;
  CpsRandom random = cps_random_seed(1);
  for (int trial = 0; trial < 1000; trial++) {
    int d = 1 + trial % CPS_DIM_MAX;
    double x[6], z[6], a[6], b[6], square[36], twice[6];
    random_inside(&random, d, 0.01, x);
    random_inside(&random, d, 0.01, z);
    CpsSocScaling F;
    assert_true(cps_soc_scaling(d, x, z, &F));
    cps_soc_scale(&F, d, x, a);
    cps_soc_unscale(&F, d, z, b);
    double size = fabs(a[0]);
    for (int k = 0; k < d; k++) assert_near(a[k], b[k], 1e-10 * size);
    // F^2 = F F, and F^-1 undoes F
    cps_soc_square(&F, d, square);
    cps_soc_scale(&F, d, a, twice);
    for (int i = 0; i < d; i++) {
      double sum = 0.0;
      for (int j = 0; j < d; j++) sum += square[i * d + j] * x[j];
      assert_near(sum, twice[i], 1e-10 * fabs(twice[0]));
    }
    cps_soc_unscale(&F, d, a, b);
    for (int k = 0; k < d; k++) assert_near(b[k], x[k], 1e-10 * fabs(x[0]));
  }
}

static void points_outside_the_cone_have_no_scaling(void** state) {
  (void)state;
  const double inside[3] = {2, 1, 1}, boundary[3] = {5, 3, 4}, nan_point[3] = {NAN, 0, 0};
  CpsSocScaling F;
  assert_true(cps_soc_scaling(3, inside, inside, &F));
  assert_false(cps_soc_scaling(3, inside, boundary, &F));
  assert_false(cps_soc_scaling(3, boundary, inside, &F));
  assert_false(cps_soc_scaling(3, nan_point, inside, &F));
}

static void division_undoes_the_jordan_product(void** state) {
  (void)state;
  CpsRandom random = cps_random_seed(2);
  for (int trial = 0; trial < 1000; trial++) {
    int d = 1 + trial % CPS_DIM_MAX;
    double x[6], y[6], product[6];
    random_inside(&random, d, 0.05, x);
    for (int k = 0; k < d; k++) y[k] = cps_random_normal(&random);
    cps_soc_product(d, x, y, product);
    cps_soc_divide(d, x, product, product);
    for (int k = 0; k < d; k++) assert_near(product[k], y[k], 1e-11);  // condition of x below 1e3
  }
}

static void the_longest_step_ends_on_the_boundary(void** state) {
  (void)state;
  CpsRandom random = cps_random_seed(3);
  int bounded = 0;
  for (int trial = 0; trial < 2000; trial++) {
    int d = 1 + trial % CPS_DIM_MAX;
    double x[6], dx[6], end[6];
    random_inside(&random, d, 0.1, x);
    for (int k = 0; k < d; k++) dx[k] = cps_random_normal(&random);
    double step = cps_soc_max_step(d, x, dx);
    if (step < INFINITY) {
      bounded++;
      for (int k = 0; k < d; k++) end[k] = x[k] + step * dx[k];
      assert_near(cps_soc_margin(d, end), 0.0, 1e-9 * (1.0 + step));  // rounding of end, amplified near its apex
    }
    // and everything before it is inside
    double shorter = 0.99 * fmin(step, 1e3);
    for (int k = 0; k < d; k++) end[k] = x[k] + shorter * dx[k];
    assert_true(cps_soc_margin(d, end) > 0.0);
  }
  assert_true(bounded > 500);  // the test has seen both kinds
}

// The complementarity equation that the interior point linearises, phi = (F x) o (F^-1 z) with F fixed: central
// differences of step 1e-6 against lambda o (F dx + F^-1 dz). phi is quadratic, so that only rounding is left.
static void the_linearised_complementarity_is_the_derivative(void** state) {
  (void)state;
  CpsRandom random = cps_random_seed(4);
  const double h = 1e-6;
  for (int trial = 0; trial < 500; trial++) {
    int d = 1 + trial % CPS_DIM_MAX;
    double x[6], z[6], dx[6], dz[6], phi[2][6], lambda[6], sum[6], derivative[6];
    random_inside(&random, d, 0.1, x);
    random_inside(&random, d, 0.1, z);
    for (int k = 0; k < d; k++) dx[k] = cps_random_normal(&random), dz[k] = cps_random_normal(&random);
    CpsSocScaling F;
    assert_true(cps_soc_scaling(d, x, z, &F));
    for (int side = 0; side < 2; side++) {
      double a[6], b[6], sign = side ? -h : h;
      for (int k = 0; k < d; k++) a[k] = x[k] + sign * dx[k], b[k] = z[k] + sign * dz[k];
      cps_soc_scale(&F, d, a, a);
      cps_soc_unscale(&F, d, b, b);
      cps_soc_product(d, a, b, phi[side]);
    }
    cps_soc_scale(&F, d, x, lambda);
    cps_soc_scale(&F, d, dx, sum);
    cps_soc_unscale(&F, d, dz, derivative);
    for (int k = 0; k < d; k++) sum[k] += derivative[k];
    cps_soc_product(d, lambda, sum, derivative);
    double size = 1.0 + fabs(phi[0][0]);
    for (int k = 0; k < d; k++) {
      // rounding of phi over the step: 1e-16 / 1e-6, times cond(F)^2 of up to 1e3
      assert_near((phi[0][k] - phi[1][k]) / (2.0 * h), derivative[k], 1e-7 * size);
    }
  }
}

#ifdef CAPSTAN_DIRECT
static void add_contacts(DenseProblem* dense) {
  dense_problem_add_contact(dense, 3, CPS_LAW_COULOMB, 0.5);
  dense_problem_add_contact(dense, 6, CPS_LAW_CONVEX, 0.8);
  dense_problem_add_contact(dense, 2, CPS_LAW_CONVEX, 2.0);
  dense_problem_add_contact(dense, 3, CPS_LAW_BILATERAL, 0.0);
  dense_problem_add_contact(dense, 3, CPS_LAW_FREE, 0.0);
  dense_problem_add_contact(dense, 3, CPS_LAW_COULOMB, 0.0);
  dense_problem_add_contact(dense, 3, CPS_LAW_COULOMB, 0.05);
}

// Both forms solve (A + F^2) dx = g; A has rank 12 of 19 unknowns, F^2 between 0.1 and 10 makes it regular.
static void primal_and_dual_systems_have_one_solution(void** state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 5; seed++) {
    CpsRandom random = cps_random_seed(seed);
    DenseProblem dense = {0};
    add_contacts(&dense);
    dense_problem_fill(&dense, &random, 12, 0.0);
    CpsProblem* problem = dense_problem_build(&dense);
    CpsArena arena = {0};
    CpsSolveOptions options = cps_solve_options_default();
    CpsSolve solve = {.problem = problem, .options = &options, .arena = &arena};
    CpsConic conic;
    assert_true(cps_conic_create(&solve, true, &conic));
    CpsConicRows rows;
    assert_true(cps_conic_rows_create(&solve, true, &rows));
    assert_int_equal(rows.count, 3 + 6 + 2 + 3 + 0 + 1 + 3);

    double F2[36 * 7] = {0}, g[DENSE_ROWS], dx[2][DENSE_ROWS], check[DENSE_ROWS];
    for (int64_t k = 0; k < rows.count; k++) g[k] = cps_random_normal(&random);
    for (int form = 0; form < 2; form++) {
      CpsConicKkt kkt;
      assert_int_equal(cps_conic_kkt_create(&solve, &conic, &rows, form ? CPS_CONIC_PRIMAL : CPS_CONIC_DUAL, &kkt),
                       CPS_OK);
      for (int32_t i = 0; i < problem->contact_count; i++) {
        int d = (int)(rows.first[i + 1] - rows.first[i]);
        for (int k = 0; k < d; k++) F2[kkt.F2_first[i] + k * d + k] = pow(10.0, (double)((i + k) % 3 - 1));
      }
      assert_true(cps_conic_kkt_factor(&kkt, F2));
      cps_conic_kkt_solve(&kkt, F2, g, dx[form]);
      cps_conic_kkt_multiply(&kkt, dx[form], check);
      for (int32_t i = 0; i < problem->contact_count; i++) {
        int d = (int)(rows.first[i + 1] - rows.first[i]);
        for (int k = 0; k < d; k++) {
          int64_t at = rows.first[i] + k;
          // refined to rounding, condition below 1e4
          assert_near(check[at] + F2[kkt.F2_first[i] + k * d + k] * dx[form][at], g[at], 1e-11);
        }
      }
      cps_conic_kkt_destroy(&kkt);
    }
    for (int64_t k = 0; k < rows.count; k++) assert_near(dx[0][k], dx[1][k], 1e-10);
    cps_arena_free(&arena);
    cps_problem_destroy(problem);
  }
}

// W positive definite: one minimiser. Alone the interior point is good for 1e-6 (its directions of slip are as good as
// the root of its gap, see conic_ip.c), which the condition of W, below 20, makes 2e-5 in r; with the projected
// gradient steps that the methods put after it, 1e-11 and 2e-10.
static void interior_point_and_projected_gradient_meet(void** state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 10; seed++) {
    CpsRandom random = cps_random_seed(seed);
    DenseProblem dense = {0};
    add_contacts(&dense);
    dense_problem_fill(&dense, &random, 30, 0.5);
    CpsProblem* problem = dense_problem_build(&dense);
    CpsArena arena = {0};
    CpsSolveOptions options = cps_solve_options_default();
    CpsSolve solve = {.problem = problem, .options = &options, .arena = &arena};
    CpsConic conic;
    CpsConicApg apg;
    assert_true(cps_conic_create(&solve, true, &conic));
    assert_true(cps_conic_apg_create(&solve, &conic, &apg));
    double expected[DENSE_ROWS] = {0}, ut[DENSE_ROWS], g[DENSE_ROWS];
    assert_below(cps_conic_apg_run(&solve, &apg, dense.b, 1e-12, 100000, expected), 1e-12);
    for (int primal = 0; primal < 2; primal++) {
      CpsConicIp ip;
      double r[DENSE_ROWS] = {0};
      assert_int_equal(cps_conic_ip_create(&solve, &conic, primal ? CPS_CONIC_PRIMAL : CPS_CONIC_DUAL, &ip), CPS_OK);
      assert_below(cps_conic_ip_run(&solve, &ip, dense.b, 1e-6, r, ut), 1e-6);
      cps_conic_ip_destroy(&ip);
      cps_conic_apply(&conic, r, g);
      for (int k = 0; k < dense.rows; k++) {
        assert_near(r[k], expected[k], 2e-5);
        assert_near(ut[k], g[k] + dense.b[k], 2e-5);  // the velocity of the primal is S r + q
      }
      CpsConvexStep step;
      bool has_ut;
      memset(r, 0, sizeof r);
      assert_int_equal(cps_convex_step_create(&solve, primal, &step), CPS_OK);
      assert_int_equal(cps_convex_step_run(&step, &solve, dense.b, 1e-11, r, ut, &has_ut), CPS_OK);
      cps_convex_step_destroy(&step);
      for (int k = 0; k < dense.rows; k++) assert_near(r[k], expected[k], 2e-10);
    }
    cps_arena_free(&arena);
    cps_problem_destroy(problem);
  }
}

// A better guess costs fewer steps.
static void the_interior_point_uses_its_first_guess(void** state) {
  (void)state;
  CpsRandom random = cps_random_seed(7);
  DenseProblem dense = {0};
  add_contacts(&dense);
  dense_problem_fill(&dense, &random, 30, 0.5);
  CpsProblem* problem = dense_problem_build(&dense);
  CpsArena arena = {0};
  CpsSolveOptions options = cps_solve_options_default();
  CpsSolve solve = {.problem = problem, .options = &options, .arena = &arena};
  CpsConic conic;
  CpsConicIp ip;
  double r[DENSE_ROWS] = {0};
  assert_true(cps_conic_create(&solve, true, &conic));
  assert_int_equal(cps_conic_ip_create(&solve, &conic, CPS_CONIC_DUAL, &ip), CPS_OK);
  cps_conic_ip_run(&solve, &ip, dense.b, 1e-6, r, NULL);
  int64_t cold = solve.inner_iterations;
  for (int k = 0; k < dense.rows; k++) dense.b[k] *= 1.0 + 1e-5;
  cps_conic_ip_run(&solve, &ip, dense.b, 1e-6, r, NULL);
  assert_true(solve.inner_iterations - cold < cold);
  cps_conic_ip_destroy(&ip);
  cps_arena_free(&arena);
  cps_problem_destroy(problem);
}
#endif

// min 1/2 r^2 - 3 r_N - 4 r_T in dimension 2 with K_1: the projection of (3, 4) on the cone is (3.5, 3.5).
static void the_projected_gradient_projects_where_W_is_the_identity(void** state) {
  (void)state;
  DenseProblem dense = {.W = {1, 0, 0, 1}, .b = {-3, -4}};
  dense_problem_add_contact(&dense, 2, CPS_LAW_CONVEX, 1.0);
  CpsProblem* problem = dense_problem_build(&dense);
  CpsArena arena = {0};
  CpsSolve solve = {.problem = problem, .arena = &arena};
  CpsConic conic;
  CpsConicApg apg;
  double r[2] = {0};
  assert_true(cps_conic_create(&solve, false, &conic));
  assert_true(cps_conic_apg_create(&solve, &conic, &apg));
  assert_below(cps_conic_apg_run(&solve, &apg, dense.b, 1e-13, 100, r), 1e-13);
  assert_near(r[0], 3.5, 1e-12);
  assert_near(r[1], 3.5, 1e-12);
  cps_arena_free(&arena);
  cps_problem_destroy(problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_nesterov_todd_scaling_maps_both_points_to_one),
      cmocka_unit_test(points_outside_the_cone_have_no_scaling),
      cmocka_unit_test(division_undoes_the_jordan_product),
      cmocka_unit_test(the_longest_step_ends_on_the_boundary),
      cmocka_unit_test(the_linearised_complementarity_is_the_derivative),
#ifdef CAPSTAN_DIRECT
      cmocka_unit_test(primal_and_dual_systems_have_one_solution),
      cmocka_unit_test(interior_point_and_projected_gradient_meet),
      cmocka_unit_test(the_interior_point_uses_its_first_guess),
#endif
      cmocka_unit_test(the_projected_gradient_projects_where_W_is_the_identity),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
