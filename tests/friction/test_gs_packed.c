// labels: threads
// Sweeps on rows in single precision: what they are allowed to do to an answer, and when they are given up.
#include "friction/global/gs_packed.h"
#include "friction/residual.h"
#include "loop_bench.h"

#include <string.h>

static CpsProblem* make_fibres(int32_t dofs) {
  CpsGenerateDef def = cps_generate_def_default();
  def.kind = CPS_GENERATE_FIBRES;
  def.contact_count = 2200;
  def.dofs_per_rod = dofs;
  CpsProblem* p = NULL;
  assert_int_equal(cps_problem_generate(&def, &p, NULL), CPS_OK);
  assert_true(p->factors.H == p->factors.Y);
  return p;
}

static double* zeros(const CpsProblem* p) {
  double* r = calloc((size_t)p->row_count, sizeof *r);
  assert_non_null(r);
  return r;
}

// |u~ - u| is bounded by (2) of gs_packed.c, for widths that are a multiple of four and others; and it is not zero.
static void rounded_rows_keep_their_bound(void** state) {
  (void)state;
  const int32_t dofs[] = {3, 12, 15, 18};
  for (size_t k = 0; k < sizeof dofs / sizeof *dofs; ++k) {
    LoopBench bench;
    loop_bench_open(&bench, make_fibres(dofs[k]), 1e-3, true, 1);
    const CpsProblem* p = bench.problem;
    CpsGs* gs = &bench.loop.gs;
    assert_non_null(gs->packed);
    for (int sweep = 0; sweep < 3; ++sweep) (void)cps_gs_loop_sweep(&bench.loop);
    cps_gs_refresh(gs, bench.r);
    double bound = cps_gs_packed_error(gs), worst = 0.0;
    for (int32_t i = 0; i < p->contact_count; ++i) {
      double rounded[3], exact[3];
      CpsGsCounts counts = {0};
      cps_factors_velocity(p, i, gs->v, exact);
      cps_gs_packed_refresh(gs);
      (void)cps_gs_packed_update(gs, i, bench.r + 3 * i, rounded, &counts);
      for (int a = 0; a < 3; ++a) worst = fmax(worst, p->xi[i] * fabs(rounded[a] - exact[a] - p->b[3 * i + a]));
    }
    // the sums themselves are rounded too, nine decades below
    assert_true(worst <= 1.0001 * bound);
    assert_true(worst > 1e-3 * bound);
    loop_bench_close(&bench);
  }
}

// The answer counts by the rows of the problem, in double precision.
static void the_residual_asked_for_is_met_in_double_precision(void** state) {
  (void)state;
  CpsProblem* p = make_fibres(15);
  const CpsMethod methods[] = {CPS_METHOD_AUTO, CPS_METHOD_GS, CPS_METHOD_GS_PARALLEL};
  const double tolerances[] = {1e-2, 1e-3};
  for (int k = 0; k < 6; ++k) {
    CpsSolveOptions options = cps_solve_options_default();
    options.method = methods[k / 2];
    options.local = CPS_LOCAL_ENUM;
    options.tolerance = tolerances[k % 2];
    double* r = zeros(p);
    CpsSolveInfo info;
    CpsResidual residual;
    assert_int_equal(cps_problem_solve(p, &options, r, &info, NULL), CPS_OK);
    assert_int_equal(cps_problem_residual(p, r, &residual), CPS_OK);
    assert_true(residual.natural <= options.tolerance);
    // measured twice, with sums in another order
    assert_true(fabs(residual.natural - info.residual) <= 1e-9);
    free(r);
  }
  cps_problem_destroy(p);
}

// Where rounding could be seen, the sweeps go on with the rows themselves.
static void rows_in_double_precision_take_over_near_the_rounding(void** state) {
  (void)state;
  LoopBench bench;
  loop_bench_open(&bench, make_fibres(15), 1e-3, true, 1);
  (void)cps_gs_loop_sweep(&bench.loop);
  (void)cps_gs_loop_measure(&bench.solve, &bench.loop, NULL);
  assert_non_null(bench.loop.gs.packed);
  // the tolerance of which the bound (2) is a tenth and a bit
  bench.options.tolerance = 9.9 * cps_gs_packed_error(&bench.loop.gs) / bench.solve.scale;
  double before, after;
  bool go = cps_gs_loop_measure(&bench.solve, &bench.loop, &before);
  assert_true(go);
  assert_null(bench.loop.gs.packed);
  // and they go on from where they are
  cps_gs_loop_wake(&bench.loop);
  for (int sweep = 0; sweep < 10; ++sweep) (void)cps_gs_loop_sweep(&bench.loop);
  (void)cps_gs_loop_measure(&bench.solve, &bench.loop, &after);
  assert_true(after < before);
  loop_bench_close(&bench);
}

static void fine_tolerances_and_few_contacts_are_not_packed(void** state) {
  (void)state;
  LoopBench bench;
  loop_bench_open(&bench, make_fibres(15), 1e-6, true, 1);
  assert_null(bench.loop.gs.packed);
  bench.options.tolerance = 1e-3;
  assert_true(cps_gs_packed_fits(&bench.solve, &bench.loop.gs));
  bench.problem->contact_count = 1000;
  assert_false(cps_gs_packed_fits(&bench.solve, &bench.loop.gs));
  bench.problem->contact_count = 2200;
  // what single precision cannot hold
  double old = bench.problem->diag[0];
  bench.problem->diag[0] = 1e70;
  assert_false(cps_gs_packed_fits(&bench.solve, &bench.loop.gs));
  bench.problem->diag[0] = old;
  loop_bench_close(&bench);
}

// The same fibres with contacts under the law convex that give way, every fifth one under Coulomb's law, every seventh left out.
static CpsProblem* make_convex(void) {
  CpsProblem *plain = make_fibres(15), *p = NULL;
  const CpsFactors* F = &plain->factors;
  const size_t n = (size_t)plain->contact_count;
  CpsLaw* laws = malloc(n * sizeof *laws);
  double* compliance = calloc(n, sizeof *compliance);
  assert_true(laws && compliance);
  for (size_t i = 0; i < n; ++i) {
    laws[i] = i % 7 == 3 ? CPS_LAW_FREE : i % 5 == 0 ? CPS_LAW_COULOMB : CPS_LAW_CONVEX;
    compliance[i] = i % 3 == 0 ? 0.0 : 0.05 / plain->xi[i];  // a twentieth of the mean diagonal of W_ii
  }
  CpsContactsDef def = cps_contacts_def_default();
  def.count = plain->contact_count;
  def.mu = plain->mu;
  def.b = plain->b;
  def.laws = laws;
  def.compliance = compliance;
  const CpsFactoredForm form = {F->body_count, F->body_dofs, F->contact_start, F->body, F->H, F->H};
  assert_int_equal(cps_problem_from_bodies(&def, &form, &p, NULL), CPS_OK);
  free(laws);
  free(compliance);
  cps_problem_destroy(plain);
  return p;
}

// Sweeps over packed rows are those over the rows themselves, up to (2) of gs_packed.c, with any cone and with compliance.
static void convex_contacts_that_give_way_are_packed(void** state) {
  (void)state;
  LoopBench packed, plain;
  loop_bench_open(&packed, make_convex(), 1e-3, true, 1);
  loop_bench_open(&plain, make_convex(), 1e-7, true, 1);
  assert_non_null(packed.loop.gs.packed);
  assert_null(plain.loop.gs.packed);
  packed.loop.freeze = plain.loop.freeze = false;
  double a = 0.0, b = 0.0, scale = 0.0, apart = 0.0;
  for (int sweep = 0; sweep < 10; ++sweep) {
    a = cps_gs_loop_sweep(&packed.loop);
    b = cps_gs_loop_sweep(&plain.loop);
  }
  const CpsProblem* p = packed.problem;
  int carry = 0, limit = 0;
  for (int64_t k = 0; k < p->row_count; ++k) {
    scale = fmax(scale, fabs(plain.r[k]));
    apart = fmax(apart, fabs(plain.r[k] - packed.r[k]));
  }
  for (int32_t i = 0; i < p->contact_count; ++i) {
    const double* r = packed.r + 3 * (ptrdiff_t)i;
    carry += r[0] > 0.0;
    limit += r[0] > 0.0 && hypot(r[1], r[2]) > (1.0 - 1e-9) * p->mu[i] * r[0];
    if (p->law[i] == CPS_LAW_FREE) assert_true(r[0] == 0.0 && r[1] == 0.0 && r[2] == 0.0);
  }
  assert_true(carry > 300 && limit > 100);
  // rounding of rows is 6e-8, and ten sweeps hand it on
  assert_true(apart > 0.0);
  assert_below(apart, 1e-5 * scale);
  assert_near(a, b, 1e-5 * scale);
  loop_bench_close(&packed);
  loop_bench_close(&plain);
}

static void threads_change_no_bit(void** state) {
  (void)state;
  CpsProblem* p = make_fibres(15);
  size_t bytes = (size_t)p->row_count * sizeof(double);
  double *first = zeros(p), *r = zeros(p);
  for (int threads = 1; threads <= 3; ++threads) {
    CpsSolveOptions options = cps_solve_options_default();
    options.tolerance = 1e-3;
    options.threads = threads;
    memset(r, 0, bytes);
    assert_int_equal(cps_problem_solve(p, &options, r, NULL, NULL), CPS_OK);
    if (threads == 1) memcpy(first, r, bytes);
    assert_memory_equal(first, r, bytes);
  }
  free(first);
  free(r);
  cps_problem_destroy(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rounded_rows_keep_their_bound),
      cmocka_unit_test(the_residual_asked_for_is_met_in_double_precision),
      cmocka_unit_test(rows_in_double_precision_take_over_near_the_rounding),
      cmocka_unit_test(fine_tolerances_and_few_contacts_are_not_packed),
      cmocka_unit_test(convex_contacts_that_give_way_are_packed),
      cmocka_unit_test(threads_change_no_bit),
  };
  keep_to_threads("threads_*");
  return cmocka_run_group_tests(tests, NULL, NULL);
}
