// CHOLMOD, by its simplicial (LGPL) or its supernodal (GPL) part; the benchmark is not installed.
#include <cholmod.h>
#include <math.h>
#include <string.h>

#include "core/clock.h"
#include "deform/peers.h"

static bool measure(const CpsBlockMatrix* A, int repeats, int how, BenchFactorTimes* times) {
  CpsArena arena = {0};
  BenchScalar S;
  if (!bench_scalar_make(A, &arena, &S)) return false;
  cholmod_common common;
  cholmod_start(&common);
  common.supernodal = how;
  common.final_ll = 1;
  common.print = 0;
  cholmod_sparse M = {.nrow = (size_t)S.n,
                      .ncol = (size_t)S.n,
                      .nzmax = (size_t)S.start[S.n],
                      .p = S.start,
                      .i = S.row,
                      .x = S.value,
                      .stype = -1,
                      .itype = CHOLMOD_INT,
                      .xtype = CHOLMOD_REAL,
                      .dtype = CHOLMOD_DOUBLE,
                      .sorted = 1,
                      .packed = 1};
  double clock = cps_clock_cpu();
  cholmod_factor* L = cholmod_analyze(&M, &common);
  *times = (BenchFactorTimes){.analyse = cps_clock_cpu() - clock, .factor = INFINITY, .solve = INFINITY};
  times->fill = common.lnz;
  cholmod_dense* b = cholmod_zeros((size_t)S.n, 1, CHOLMOD_REAL, &common);
  bool good = L && b;
  for (int32_t i = 0; good && i < S.n; i++) ((double*)b->x)[i] = sin(i);
  for (int k = 0; good && k < repeats; k++) {
    clock = cps_clock_cpu();
    good = cholmod_factorize(&M, L, &common) && common.status == CHOLMOD_OK;
    times->factor = fmin(times->factor, cps_clock_cpu() - clock);
    times->memory = (double)common.memory_inuse;
    clock = cps_clock_cpu();
    cholmod_dense* x = good ? cholmod_solve(CHOLMOD_A, L, b, &common) : NULL;
    times->solve = fmin(times->solve, cps_clock_cpu() - clock);
    if (x) times->residual = bench_factor_residual(A, x->x, &arena);
    cholmod_free_dense(&x, &common);
  }
  cholmod_free_dense(&b, &common);
  cholmod_free_factor(&L, &common);
  cholmod_finish(&common);
  cps_arena_free(&arena);
  return good;
}

bool bench_factor_simplicial(const CpsBlockMatrix* A, int repeats, BenchFactorTimes* times) {
  return measure(A, repeats, CHOLMOD_SIMPLICIAL, times);
}

bool bench_factor_supernodal(const CpsBlockMatrix* A, int repeats, BenchFactorTimes* times) {
  return measure(A, repeats, CHOLMOD_SUPERNODAL, times);
}
