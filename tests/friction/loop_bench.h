// Generated problems, and what a loop of sweeps needs of a solve, for tests below the public interface.
#ifndef CAPSTAN_TESTS_LOOP_BENCH_H
#define CAPSTAN_TESTS_LOOP_BENCH_H

#include "capstan/generate.h"
#include "friction/global/auto_cluster.h"

#include <math.h>
#include <stdlib.h>

#include "test_helpers.h"

// A pack of `kind`; bodies 0: to suit the contacts.
static inline CpsProblem* generate_pack(CpsGenerateKind kind, int32_t contacts, int32_t bodies, CpsForm form) {
  CpsGenerateDef def = cps_generate_def_default();
  def.kind = kind;
  def.contact_count = contacts;
  def.body_count = bodies;
  def.form = form;
  CpsProblem* problem = NULL;
  assert_int_equal(cps_problem_generate(&def, &problem, NULL), CPS_OK);
  return problem;
}

typedef struct LoopBench {
  CpsProblem* problem;  // the caller's, destroyed by loop_bench_close()
  CpsSolveOptions options;
  CpsArena arena;
  CpsPool* pool;
  CpsClusterWorkers* clusters;
  CpsSolve solve;
  CpsGsLoop loop;
  double* r;  // zeros at first
} LoopBench;

// `bench` must stay where it is.
static inline void loop_bench_open(LoopBench* bench, CpsProblem* problem, double tolerance, bool coloured,
                                   int threads) {
  *bench = (LoopBench){.problem = problem, .options = cps_solve_options_default()};
  bench->options.tolerance = tolerance;
  if (threads > 1) {
    bench->pool = cps_pool_create(threads);
    assert_non_null(bench->pool);
  }
  bench->solve = (CpsSolve){.problem = problem,
                            .options = &bench->options,
                            .arena = &bench->arena,
                            .pool = bench->pool,
                            .clusters = &bench->clusters,
                            .best_residual = INFINITY};
  const CpsFactors* F = &problem->factors;
  int64_t velocities = problem->has_W ? 0 : F->body_offset[F->body_count];
  bench->solve.best_r = CPS_TAKE_ZERO(&bench->arena, double, problem->row_count);
  bench->solve.u_scratch = CPS_TAKE(&bench->arena, double, problem->row_count);
  bench->solve.v_scratch = CPS_TAKE(&bench->arena, double, velocities);
  bench->r = CPS_TAKE_ZERO(&bench->arena, double, problem->row_count);
  assert_true(bench->solve.best_r && bench->solve.u_scratch && bench->solve.v_scratch && bench->r);
  assert_int_equal(cps_gs_loop_create(&bench->solve, CPS_LOCAL_ENUM, false, coloured, bench->r, &bench->loop), CPS_OK);
}

static inline void loop_bench_close(LoopBench* bench) {
  cps_cluster_workers_free(bench->clusters);
  cps_pool_destroy(bench->pool);
  cps_arena_free(&bench->arena);
  cps_problem_destroy(bench->problem);
}

#endif
