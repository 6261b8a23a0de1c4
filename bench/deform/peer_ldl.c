// Today's LDL behind sparse/ldl.h.
#include <math.h>

#include "core/clock.h"
#include "deform/peers.h"
#include "sparse/ldl.h"

double bench_factor_residual(const CpsBlockMatrix* A, const double* x, CpsArena* arena) {
  CpsArenaMark mark = cps_arena_mark(arena);
  double* y = CPS_TAKE(arena, double, 3 * (int64_t)A->rows);
  double worst = 0.0;
  if (!y) return INFINITY;
  cps_block_matrix_multiply(A, x, y);
  for (int32_t i = 0; i < 3 * A->rows; i++) worst = fmax(worst, fabs(y[i] - sin(i)));
  cps_arena_release(arena, mark);
  return worst;
}

// All of the matrix in compressed columns, by symmetry those of its rows.
static bool full_matrix(const CpsBlockMatrix* A, CpsArena* arena, int64_t** start, int64_t** row, double** value) {
  int64_t count = 0;
  *start = CPS_TAKE(arena, int64_t, 3 * (int64_t)A->rows + 1);
  *row = CPS_TAKE(arena, int64_t, 9 * A->start[A->rows]);
  *value = CPS_TAKE(arena, double, 9 * A->start[A->rows]);
  if (!*start || !*row || !*value) return false;
  for (int32_t j = 0; j < 3 * A->rows; j++) {
    (*start)[j] = count;
    for (int64_t k = A->start[j / 3]; k < A->start[j / 3 + 1]; k++) {
      for (int b = 0; b < 3; b++) {
        (*row)[count] = 3 * (int64_t)A->col[k] + b;
        (*value)[count++] = A->value[9 * k + 3 * (j % 3) + b];
      }
    }
  }
  (*start)[3 * A->rows] = count;
  return true;
}

bool bench_factor_ldl(const CpsBlockMatrix* A, int repeats, BenchFactorTimes* times) {
  CpsArena arena = {0};
  int64_t *start, *row, n = 3 * (int64_t)A->rows;
  double *value, *x = CPS_TAKE(&arena, double, n);
  bool good = x && full_matrix(A, &arena, &start, &row, &value);
  double clock = cps_clock_cpu();
  CpsLdl* ldl = good ? cps_ldl_create(n, start, row) : NULL;
  *times = (BenchFactorTimes){.analyse = cps_clock_cpu() - clock, .factor = INFINITY, .solve = INFINITY};
  good = ldl != NULL;
  for (int k = 0; good && k < repeats; k++) {
    clock = cps_clock_cpu();
    good = cps_ldl_factor(ldl, value);
    times->factor = fmin(times->factor, cps_clock_cpu() - clock);
    for (int64_t i = 0; i < n; i++) x[i] = sin((double)i);
    clock = cps_clock_cpu();
    if (good) cps_ldl_solve(ldl, x);
    times->solve = fmin(times->solve, cps_clock_cpu() - clock);
  }
  if (good) {
    times->fill = (double)cps_ldl_root_count(ldl);
    times->memory = 16.0 * times->fill;  // a number and its row
    times->residual = bench_factor_residual(A, x, &arena);
  }
  cps_ldl_destroy(ldl);
  cps_arena_free(&arena);
  return good;
}
