// Figure 6 of Daviet et al. 2011: the cost of assembling W against the number of contacts, on one ponytail of 334 rods.
//
//   block-sparse    the library's own: for each contact the contacts that share a rod, one 3 x 3 block at a time
//   scalar-sparse   W = H (Y^T) with H and Y in compressed scalar rows, Gustavson's product
//
// The third way is not to form W at all; the factored problem is there from the start and costs nothing here.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capstan/capstan.h"
#include "core/clock.h"
#include "draw/plot.h"
#include "friction/machine.h"
#include "friction/problem.h"

enum { SIZES = 6, RODS = 334, RUNS = 3 };
static const int32_t contact_counts[SIZES] = {500, 1000, 2000, 5000, 10000, 16000};

typedef struct Csr {
  int64_t rows, cols;
  int64_t* start;
  int32_t* col;
  double* value;
} Csr;

static void free_csr(Csr* A) {
  free(A->start);
  free(A->col);
  free(A->value);
}

// H (or Y) of the factored problem as a scalar matrix, contacts by degrees of freedom.
static bool scalar_factor(const CpsProblem* problem, const double* blocks, Csr* A) {
  const CpsFactors* f = &problem->factors;
  int64_t rows = problem->row_count, entries = f->at[f->contact_start[problem->contact_count]];
  *A = (Csr){.rows = rows,
             .cols = f->body_offset[f->body_count],
             .start = malloc(sizeof(int64_t) * (size_t)(rows + 1)),
             .col = malloc(sizeof(int32_t) * (size_t)entries),
             .value = malloc(sizeof(double) * (size_t)entries)};
  if (!A->start || !A->col || !A->value) return false;
  int64_t at = 0;
  A->start[0] = 0;
  for (int32_t i = 0; i < problem->contact_count; ++i)
    for (int row = 0; row < 3; ++row) {
      for (int64_t term = f->contact_start[i]; term < f->contact_start[i + 1]; ++term) {
        int32_t dofs = f->body_dofs[f->body[term]];
        for (int32_t k = 0; k < dofs; ++k, ++at) {
          A->col[at] = (int32_t)(f->body_offset[f->body[term]] + k);
          A->value[at] = blocks[f->at[term] + (int64_t)row * dofs + k];
        }
      }
      A->start[3 * (int64_t)i + row + 1] = at;
    }
  return true;
}

static bool transpose(const Csr* A, Csr* T) {
  int64_t entries = A->start[A->rows];
  *T = (Csr){.rows = A->cols,
             .cols = A->rows,
             .start = calloc((size_t)A->cols + 2, sizeof(int64_t)),
             .col = malloc(sizeof(int32_t) * (size_t)entries),
             .value = malloc(sizeof(double) * (size_t)entries)};
  if (!T->start || !T->col || !T->value) return false;
  for (int64_t k = 0; k < entries; ++k) T->start[A->col[k] + 2]++;
  for (int64_t i = 2; i <= T->rows + 1; ++i) T->start[i] += T->start[i - 1];
  for (int64_t i = 0; i < A->rows; ++i)
    for (int64_t k = A->start[i]; k < A->start[i + 1]; ++k) {
      int64_t at = T->start[A->col[k] + 1]++;
      T->col[at] = (int32_t)i;
      T->value[at] = A->value[k];
    }
  return true;
}

// C = A B row by row with a dense accumulator; columns are left unsorted. Returns the number of entries, -1 if memory
// is short.
static int64_t multiply(const Csr* A, const Csr* B) {
  double* sum = calloc((size_t)B->cols, sizeof *sum);
  int64_t* seen = malloc(sizeof *seen * (size_t)B->cols);
  int64_t room = 0, count = 0;
  int32_t* col = NULL;
  double* value = NULL;
  bool good = sum && seen;
  for (int64_t j = 0; good && j < B->cols; ++j) seen[j] = -1;
  for (int64_t i = 0; good && i < A->rows; ++i) {
    if (room < count + B->cols) {
      room = 2 * room + B->cols;
      int32_t* more_col = realloc(col, sizeof *col * (size_t)room);
      if (more_col) col = more_col;
      double* more_value = realloc(value, sizeof *value * (size_t)room);
      if (more_value) value = more_value;
      good = more_col && more_value;
      if (!good) break;
    }
    int64_t first = count;
    for (int64_t k = A->start[i]; k < A->start[i + 1]; ++k)
      for (int64_t l = B->start[A->col[k]]; l < B->start[A->col[k] + 1]; ++l) {
        int32_t j = B->col[l];
        if (seen[j] != i) {
          seen[j] = i;
          sum[j] = 0.0;
          col[count++] = j;
        }
        sum[j] += A->value[k] * B->value[l];
      }
    for (int64_t k = first; k < count; ++k) value[k] = sum[col[k]];
  }
  free(sum);
  free(seen);
  free(col);
  free(value);
  return good ? count : -1;
}

static double time_blocks(const CpsProblem* problem, int64_t* blocks) {
  double best = INFINITY;
  for (int run = 0; run < RUNS; ++run) {
    CpsArena arena = {0};
    CpsBlockMatrix W;
    double begin = cps_clock_cpu();
    bool good = cps_problem_explicit_W(problem, &arena, &W);
    double seconds = cps_clock_cpu() - begin;
    if (good) {
      best = fmin(best, seconds);
      *blocks = W.start[W.rows];
    }
    cps_arena_free(&arena);
  }
  return best;
}

static double time_scalars(const CpsProblem* problem, int64_t* entries) {
  double best = INFINITY;
  Csr H = {0}, Y = {0}, T = {0};
  if (scalar_factor(problem, problem->factors.H, &H) && scalar_factor(problem, problem->factors.Y, &Y))
    for (int run = 0; run < RUNS; ++run) {
      double begin = cps_clock_cpu();
      bool good = transpose(&Y, &T);
      *entries = good ? multiply(&H, &T) : -1;
      double seconds = cps_clock_cpu() - begin;
      free_csr(&T);
      if (*entries >= 0) best = fmin(best, seconds);
    }
  free_csr(&H);
  free_csr(&Y);
  return best;
}

static void usage(FILE* out) {
  fprintf(out,
          "bench-assembly [--out DIR] [--quick]\n"
          "  Times the assembly of W on a ponytail of 334 rods; writes figure6.md, figure6.csv and figure6.svg.\n"
          "  --quick  up to 2 000 contacts\n");
}

int main(int argc, char** argv) {
  const char* directory = "bench/results";
  int sizes = SIZES;
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--quick") == 0) {
      sizes = 3;
    } else if (strcmp(argv[i], "--help") == 0) {
      usage(stdout);
      return 0;
    } else if (i + 1 < argc && strcmp(argv[i], "--out") == 0) {
      directory = argv[++i];
    } else {
      usage(stderr);
      return 2;
    }
  }
  FILE* report = cps_bench_open(directory, "figure6.md");
  FILE* csv = cps_bench_open(directory, "figure6.csv");
  if (!report || !csv) return 3;
  FILE* outs[2] = {report, stdout};
  for (int o = 0; o < 2; ++o) {
    fprintf(outs[o], "# Assembling W (figure 6 of Daviet et al. 2011)\n\n");
    cps_bench_print_machine(outs[o]);
    fprintf(outs[o], "One ponytail of %d rods of 15 degrees of freedom. CPU seconds, best of %d.\n\n", (int)RODS,
            (int)RUNS);
    fprintf(outs[o], "| contacts | blocks of W | block-sparse | scalar-sparse | ratio |\n|---:|---:|---:|---:|---:|\n");
  }
  fprintf(csv, "contacts,blocks,block_seconds,scalar_seconds\n");
  double x[SIZES], block_seconds[SIZES], scalar_seconds[SIZES];
  for (int size = 0; size < sizes; ++size) {
    CpsGenerateDef def = cps_generate_def_default();
    def.contact_count = contact_counts[size];
    def.body_count = RODS;
    CpsProblem* problem = NULL;
    CpsError error;
    if (cps_problem_generate(&def, &problem, &error) != CPS_OK) {
      fprintf(stderr, "%s\n", error.text);
      return 3;
    }
    int64_t blocks = 0, entries = 0;
    x[size] = contact_counts[size];
    block_seconds[size] = time_blocks(problem, &blocks);
    scalar_seconds[size] = time_scalars(problem, &entries);
    for (int o = 0; o < 2; ++o)
      fprintf(outs[o], "| %d | %lld | %.3g | %.3g | %.1f |\n", (int)contact_counts[size], (long long)blocks,
              block_seconds[size], scalar_seconds[size], scalar_seconds[size] / block_seconds[size]);
    fprintf(csv, "%d,%lld,%.6g,%.6g\n", (int)contact_counts[size], (long long)blocks, block_seconds[size],
            scalar_seconds[size]);
    cps_problem_destroy(problem);
  }
  CpsPlotSeries series[2] = {{.label = "block-sparse", .x = x, .y = block_seconds, .count = sizes},
                             {.label = "scalar-sparse", .x = x, .y = scalar_seconds, .count = sizes}};
  CpsPlot plot = {.title = "Assembling W",
                  .x = {.label = "contacts", .log = true},
                  .y = {.label = "CPU seconds", .log = true},
                  .series = series,
                  .series_count = 2,
                  .mark_ends = true,
                  .level = NAN};
  char path[1024];
  CpsError error;
  if (cps_plot_write(&plot, cps_bench_path(path, sizeof path, directory, "figure6.svg"), &error) != CPS_OK)
    fprintf(stderr, "%s\n", error.text);
  int failed = fclose(report) != 0;
  failed |= fclose(csv) != 0;
  return failed ? 3 : 0;
}
