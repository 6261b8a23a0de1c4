// labels: threads
// Newton on the contacts that sweeps leave unsolved, in both forms of W.
#include "core/random.h"
#include "friction/global/auto_cluster.h"
#include "friction/residual.h"
#include "loop_bench.h"

#include <string.h>

#ifdef CAPSTAN_DIRECT
// After a few sweeps of a problem that is small enough to be one cluster, the cluster solves the remainder: only contacts
// outside of it, whose error was below the tolerance, can keep the whole above it.
static void a_cluster_takes_the_residual_down_where_a_few_sweeps_did_not(void** state) {
  (void)state;
  const CpsForm forms[] = {CPS_FORM_W, CPS_FORM_FACTORED};
  for (int k = 0; k < 2; ++k) {
    LoopBench bench;
    loop_bench_open(&bench, generate_pack(CPS_GENERATE_FIBRES, 300, 12, forms[k]),
                    cps_solve_options_default().tolerance, false, 1);
    for (int sweep = 0; sweep < 3; ++sweep) (void)cps_gs_loop_sweep(&bench.loop);
    double before, after;
    assert_true(cps_gs_loop_measure(&bench.solve, &bench.loop, &before));
    assert_true(before > 1e-6);
    int32_t members;
    assert_int_equal(cps_auto_cluster(&bench.solve, &bench.loop, bench.r, &members), CPS_OK);
    assert_true(members > 0);
    (void)cps_gs_loop_measure(&bench.solve, &bench.loop, &after);
    // the members go to 0.3 of the tolerance; those that were held feel the change, and were below it before
    assert_below(after, 1e-2 * before);
    assert_true(bench.solve.factorisations > 0 && bench.solve.outside_bytes > 0);
    loop_bench_close(&bench);
  }
}

// Matrix-free, more than 2000 contacts and over 64 blocks of W per contact: W is not formed, and the clusters are what
// makes the factorisations that are reported.
static void a_large_matrix_free_problem_is_solved_without_forming_W(void** state) {
  (void)state;
  CpsProblem* problem = generate_pack(CPS_GENERATE_FIBRES, 2200, 60, CPS_FORM_FACTORED);
  int64_t rows = cps_problem_row_count(problem);
  double* r[2];
  for (int k = 0; k < 2; ++k) {
    r[k] = calloc((size_t)rows, sizeof(double));
    assert_non_null(r[k]);
    CpsSolveOptions options = cps_solve_options_default();
    options.tolerance = 1e-6;
    options.threads = k + 1;
    CpsSolveInfo info;
    assert_int_equal(cps_problem_solve(problem, &options, r[k], &info, NULL), CPS_OK);
    assert_true(info.factorisations > 0);
    CpsResidual residual;
    assert_int_equal(cps_problem_residual(problem, r[k], &residual), CPS_OK);
    assert_below(residual.natural, options.tolerance);
  }
  assert_memory_equal(r[0], r[1], (size_t)rows * sizeof(double));
  free(r[0]);
  free(r[1]);
  cps_problem_destroy(problem);
}

enum { CHAINS = 20, LINKS = 15, CHAIN_CONTACTS = CHAINS * LINKS, CHAIN_BODIES = CHAINS * (LINKS + 1) };

// Chains of bodies of 4 degrees of freedom that no contact joins: at least as many clusters as chains that are not solved.
static CpsProblem* chains(void) {
  static double mu[CHAIN_CONTACTS], b[3 * CHAIN_CONTACTS], H[2 * CHAIN_CONTACTS * 12];
  static int32_t dofs[CHAIN_BODIES], body[2 * CHAIN_CONTACTS];
  static int64_t start[CHAIN_CONTACTS + 1];
  CpsRandom random = cps_random_seed(3);
  for (int k = 0; k < CHAIN_BODIES; ++k) dofs[k] = 4;
  for (int i = 0; i <= CHAIN_CONTACTS; ++i) start[i] = 2 * (int64_t)i;
  for (int i = 0; i < CHAIN_CONTACTS; ++i) {
    mu[i] = 0.3;
    body[2 * i] = i + i / LINKS;
    body[2 * i + 1] = body[2 * i] + 1;
    for (int k = 0; k < 3; ++k) b[3 * i + k] = 2.0 * cps_random_uniform(&random) - (k == 0 ? 2.0 : 1.0);
    for (int k = 0; k < 24; ++k) H[24 * i + k] = 2.0 * cps_random_uniform(&random) - 1.0;
  }
  CpsContactsDef def = cps_contacts_def_default();
  def.count = CHAIN_CONTACTS;
  def.mu = mu;
  def.b = b;
  const CpsFactoredForm form = {CHAIN_BODIES, dofs, start, body, H, H};
  CpsProblem* problem = NULL;
  assert_int_equal(cps_problem_from_bodies(&def, &form, &problem, NULL), CPS_OK);
  return problem;
}

// Clusters that are not coupled are shared out among the threads; each is solved by itself, so that no bit depends on them.
static void threads_that_share_clusters_change_no_bit(void** state) {
  (void)state;
  double first[3 * CHAIN_CONTACTS];
  int64_t factorisations = 0;
  for (int threads = 1; threads <= 3; ++threads) {
    LoopBench bench;
    loop_bench_open(&bench, chains(), cps_solve_options_default().tolerance, true, threads);
    (void)cps_gs_loop_sweep(&bench.loop);
    double before, after;
    assert_true(cps_gs_loop_measure(&bench.solve, &bench.loop, &before));
    int32_t members;
    assert_int_equal(cps_auto_cluster(&bench.solve, &bench.loop, bench.r, &members), CPS_OK);
    assert_in_range(members, CHAINS, CHAIN_CONTACTS);
    (void)cps_gs_loop_measure(&bench.solve, &bench.loop, &after);
    assert_below(after, 1e-2 * before);
    if (threads == 1) {
      memcpy(first, bench.r, sizeof first);
      factorisations = bench.solve.factorisations;
    }
    assert_memory_equal(first, bench.r, sizeof first);
    assert_int_equal(bench.solve.factorisations, factorisations);
    loop_bench_close(&bench);
  }
}

#endif

int main(void) {
#ifndef CAPSTAN_DIRECT
  print_message("[  SKIPPED ] clusters are solved by the direct methods\n");
  return 0;
#else
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_cluster_takes_the_residual_down_where_a_few_sweeps_did_not),
      cmocka_unit_test(threads_that_share_clusters_change_no_bit),
      cmocka_unit_test(a_large_matrix_free_problem_is_solved_without_forming_W),
  };
  keep_to_threads("threads_*");
  return cmocka_run_group_tests(tests, NULL, NULL);
#endif
}
