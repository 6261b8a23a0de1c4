// Factorisations of the matrices of sheets: ours beside CHOLMOD, MUMPS and LDL.
//
// The sheets have 6 006 and 40 000 vertices, regular or jittered by a fifth of a cell with diagonals at random, and the couplings
// of bending patches. Libraries run on one thread and are compared by processor time, so that other programs on the machine do not
// count; only the gain of a second thread is measured by the wall clock, and wants a quiet machine.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/clock.h"
#include "deform/peers.h"
#include "friction/machine.h"
#include "sparse/cholesky.h"

typedef struct Own {
  BenchFactorTimes times;
  double inverse;  // s of processor time
  double wall[2];  // s, one and two threads
  double operations;
  CpsCholeskyOrder order;
} Own;

static void out(FILE* file, const char* text) {
  (void)fputs(text, stdout);
  if (file) (void)fputs(text, file);
}

// Fills in what one number of threads shows. `x`: the solution, kept to compare bits.
static void measure_own(const CpsBlockMatrix* A, int threads, int repeats, Own* own, double* x) {
  CpsArena arena = {0}, scratch = {0};
  CpsPool* pool = cps_pool_create(threads);
  CpsCholeskyOptions options = {.pool = pool};
  BenchFactorTimes times = {.factor = INFINITY, .solve = INFINITY};
  double clock = cps_clock_cpu();
  CpsCholesky* factor = cps_cholesky_create(A, &options, &arena, &scratch);
  times.analyse = cps_clock_cpu() - clock;
  double* work = CPS_TAKE(&scratch, double, 3 * (int64_t)A->rows);
  double* block = CPS_TAKE(&scratch, double, 9 * A->start[A->rows]);
  if (!pool || !factor || !work || !block) exit(1);
  times.memory = (double)arena.used;
  times.fill = (double)cps_cholesky_fill(factor);
  own->operations = cps_cholesky_operations(factor);
  own->order = cps_cholesky_ordering(factor);
  own->wall[threads - 1] = INFINITY;
  for (int k = 0; k < repeats; k++) {
    clock = cps_clock_cpu();
    double wall = cps_clock_wall();
    if (cps_cholesky_factor(factor, A->value) >= 0) exit(1);
    own->wall[threads - 1] = fmin(own->wall[threads - 1], cps_clock_wall() - wall);
    times.factor = fmin(times.factor, cps_clock_cpu() - clock);
    for (int32_t i = 0; i < 3 * A->rows; i++) x[i] = sin(i);
    clock = cps_clock_cpu();
    cps_cholesky_solve(factor, 1, x, work);
    times.solve = fmin(times.solve, cps_clock_cpu() - clock);
  }
  if (threads == 1) {
    clock = cps_clock_cpu();
    if (!cps_cholesky_inverse(factor, NULL, block, &scratch)) exit(1);
    own->inverse = cps_clock_cpu() - clock;
    times.residual = bench_factor_residual(A, x, &scratch);
    own->times = times;
  }
  cps_pool_destroy(pool);
  cps_arena_free(&arena);
  cps_arena_free(&scratch);
}

static void print_row(FILE* file, const char* name, const BenchFactorTimes* t, double best) {
  char line[256];
  (void)snprintf(line, sizeof line, "| %s | %.0f | %.0f | %.2f | %.1f | %.1f | %.0f | %.0e |\n", name, 1e3 * t->analyse,
                 1e3 * t->factor, t->factor / best, 1e3 * t->solve, 1e-6 * t->fill, 1e-6 * t->memory, t->residual);
  out(file, line);
}

static void measure_sheet(FILE* file, const char* name, BenchSheet sheet, int repeats) {
  static const struct {
    const char* name;
    BenchFactorPeer measure;
  } peers[] = {
#ifdef CAPSTAN_PEER_CHOLMOD
      {"CHOLMOD, supernodal", bench_factor_supernodal},
      {"CHOLMOD, simplicial", bench_factor_simplicial},
#endif
#ifdef CAPSTAN_PEER_MUMPS
      {"MUMPS, sequential", bench_factor_mumps},
#endif
      {"LDL", bench_factor_ldl},
  };
  CpsArena arena = {0};
  CpsBlockMatrix A;
  Own own = {0};
  char text[512];
  if (!bench_sheet_make(&sheet, &arena, &A)) exit(1);
  size_t bytes = 3 * (size_t)A.rows * sizeof(double);
  double *one = CPS_TAKE(&arena, double, 3 * (int64_t)A.rows), *two = CPS_TAKE(&arena, double, 3 * (int64_t)A.rows);
  if (!one || !two) exit(1);
  measure_own(&A, 1, repeats, &own, one);
  measure_own(&A, 2, repeats, &own, two);
  (void)snprintf(text, sizeof text,
                 "\n## %s, %d vertices, %.1f blocks per row\n\n"
                 "| | analysis, ms | factor, ms | ratio to ours | solve, ms | fill, M | memory, MB | residual |\n"
                 "|---|---:|---:|---:|---:|---:|---:|---:|\n",
                 name, A.rows, (double)A.start[A.rows] / A.rows);
  out(file, text);
  print_row(file, "Capstan", &own.times, own.times.factor);
  for (size_t k = 0; k < sizeof peers / sizeof *peers; k++) {
    BenchFactorTimes times;
    // those without supernodes take twenty to forty times as long: once, and not on large sheets
    bool slow = k + 1 == sizeof peers / sizeof *peers || strstr(peers[k].name, "simplicial");
    if (slow && A.rows > 10000) continue;
    if (peers[k].measure(&A, slow ? 1 : repeats, &times)) print_row(file, peers[k].name, &times, own.times.factor);
  }
  (void)snprintf(text, sizeof text,
                 "\nOrder %s, %.2f G operations, %.1f G per second. All blocks of the inverse in the pattern: %.0f ms. "
                 "Two threads: "
                 "%.1f ms instead of %.1f ms wall-clock time, %.2f times as fast, %s bits.\n",
                 own.order == CPS_CHOLESKY_AMD ? "AMD" : "METIS", 1e-9 * own.operations,
                 1e-9 * own.operations / own.times.factor, 1e3 * own.inverse, 1e3 * own.wall[1], 1e3 * own.wall[0],
                 own.wall[0] / own.wall[1], memcmp(one, two, bytes) == 0 ? "the same" : "OTHER");
  out(file, text);
  cps_arena_free(&arena);
}

int main(int argc, char** argv) {
  bool quick = false;
  const char* directory = NULL;
  // CHOLMOD starts four threads of OpenMP whatever OMP_NUM_THREADS says; the limit is read when its library is loaded
  if (!getenv("OMP_THREAD_LIMIT")) {
    (void)setenv("OMP_THREAD_LIMIT", "1", 1);
    (void)setenv("OPENBLAS_NUM_THREADS", "1", 1);
    (void)execv("/proc/self/exe", argv);
  }
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--quick") == 0) quick = true;
    if (strcmp(argv[i], "--out") == 0 && i + 1 < argc) directory = argv[++i];
  }
  FILE* file = directory ? cps_bench_open(directory, "factor.md") : NULL;
  out(file, "# Sparse Cholesky factors\n\n");
  if (file) cps_bench_print_machine(file);
  measure_sheet(file, "Regular sheet", (BenchSheet){78, 77, 0.0, true}, 10);
  measure_sheet(file, "Jittered sheet", (BenchSheet){78, 77, 0.2, true}, 10);
  if (!quick) {
    measure_sheet(file, "Regular sheet", (BenchSheet){200, 200, 0.0, true}, 4);
    measure_sheet(file, "Jittered sheet", (BenchSheet){200, 200, 0.2, true}, 4);
  }
  return file && fclose(file) != 0 ? 1 : 0;
}
