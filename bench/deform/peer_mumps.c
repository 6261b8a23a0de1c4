// Sequential MUMPS, symmetric positive definite, with the order that it chooses itself.
#include <dmumps_c.h>
#include <math.h>

#include "core/clock.h"
#include "deform/peers.h"

enum { INITIALISE = -1, TERMINATE = -2, ANALYSE = 1, FACTOR = 2, SOLVE = 3 };

static bool call(DMUMPS_STRUC_C* mumps, MUMPS_INT job) {
  mumps->job = job;
  dmumps_c(mumps);
  return mumps->infog[0] >= 0;
}

// Rows and columns of the lower triangle, from 1 on.
static bool give_matrix(DMUMPS_STRUC_C* mumps, const BenchScalar* S, CpsArena* arena) {
  MUMPS_INT* row = CPS_TAKE(arena, MUMPS_INT, S->start[S->n]);
  MUMPS_INT* col = CPS_TAKE(arena, MUMPS_INT, S->start[S->n]);
  if (!row || !col) return false;
  for (int32_t j = 0; j < S->n; j++) {
    for (int32_t k = S->start[j]; k < S->start[j + 1]; k++) {
      row[k] = S->row[k] + 1;
      col[k] = j + 1;
    }
  }
  mumps->n = S->n;
  mumps->nnz = S->start[S->n];
  mumps->irn = row;
  mumps->jcn = col;
  mumps->a = S->value;
  return true;
}

bool bench_factor_mumps(const CpsBlockMatrix* A, int repeats, BenchFactorTimes* times) {
  CpsArena arena = {0};
  BenchScalar S;
  DMUMPS_STRUC_C mumps = {.par = 1, .sym = 1, .comm_fortran = -987654};
  double* x = CPS_TAKE(&arena, double, 3 * (int64_t)A->rows);
  if (!x || !bench_scalar_make(A, &arena, &S) || !call(&mumps, INITIALISE)) return false;
  for (int k = 0; k < 4; k++) mumps.icntl[k] = k == 3 ? 0 : -1;  // prints nothing
  bool good = give_matrix(&mumps, &S, &arena);
  double clock = cps_clock_cpu();
  good = good && call(&mumps, ANALYSE);
  *times = (BenchFactorTimes){.analyse = cps_clock_cpu() - clock, .factor = INFINITY, .solve = INFINITY};
  for (int k = 0; good && k < repeats; k++) {
    clock = cps_clock_cpu();
    good = call(&mumps, FACTOR);
    times->factor = fmin(times->factor, cps_clock_cpu() - clock);
    for (int32_t i = 0; i < S.n; i++) x[i] = sin(i);
    mumps.rhs = x;
    mumps.nrhs = 1;
    mumps.lrhs = S.n;
    clock = cps_clock_cpu();
    good = good && call(&mumps, SOLVE);
    times->solve = fmin(times->solve, cps_clock_cpu() - clock);
  }
  if (good) {
    // numbers of the factor, in millions if negative; megabytes in use
    times->fill = mumps.infog[28] >= 0 ? mumps.infog[28] : -1e6 * mumps.infog[28];
    times->memory = 1e6 * mumps.infog[21];
    times->residual = bench_factor_residual(A, x, &arena);
  }
  (void)call(&mumps, TERMINATE);
  cps_arena_free(&arena);
  return good;
}
