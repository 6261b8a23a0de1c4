// Table 1 of Daviet et al. 2011 from results of the scenes free-a, free-b, pony and curly.
//
//   for s in free-a free-b pony curly; do capstan run scenes/$s.yaml; done
//   bench-table-hair free-a.h5 free-b.h5 pony.h5 curly.h5
//
// A row is known by its file's name. "> tol" are steps not solved to the tolerance, "err" is the residual (the paper's
// error has units of its own), T_GS the time of the solver, T_solv with the assembly of the problem, T_dt that of a whole
// step, T_frame that of a thirtieth of a second. Times are wall-clock times, written by the run.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capstan/result.h"
#include "friction/machine.h"

typedef struct Line {
  const char *name, *scene, *mu;
  const char* paper;  // the paper's row, from the contacts on
} Line;
static const Line LINES[] = {
    {"Free/A", "free-a", "0.3 / 0.5", "1920 | 24659 | 46915 | 0.056 | 0.004 | 136 | 2.60 / 4.06 | 7.15 | 2.09 | 25"},
    {"Free/B", "free-b", "0.2 / 0.3", "1920 | 28153 | 36287 | 0.13 | 0.037 | 160 | 5.3 / 7.0 | 11.1 | 3.02 | 36"},
    {"Pony", "pony", "0.3 / 0.5", "334 | 9850 | 16613 | 0.42 | 0.003 | 301 | 4.43 / 5.25 | 6.2 | 2.47 | 30"},
    {"Curly", "curly", "0.3 / 0.5", "1920 | 21425 | 33578 | 0.013 | 0.003 | 118 | 2.26 / 3.39 | 7.54 | 4.15 | 49"},
};
enum { LINE_COUNT = sizeof LINES / sizeof LINES[0] };

typedef struct Series {
  double mean, max;
} Series;

// Mean and largest value of a series of `count` steps; false with a message.
static bool read_series(const CpsResult* result, const char* name, int64_t count, double* values, Series* out) {
  CpsError error;
  *out = (Series){0};
  if (cps_result_series(result, name, values, &error) != CPS_OK) {
    fprintf(stderr, "%s\n", error.text);
    return false;
  }
  for (int64_t i = 0; i < count; ++i) {
    out->mean += values[i] / (double)count;
    out->max = fmax(out->max, values[i]);
  }
  return true;
}

static const Line* find_line(const char* path) {
  const char* slash = strrchr(path, '/');
  const char* file = slash ? slash + 1 : path;
  for (int i = 0; i < LINE_COUNT; ++i) {
    size_t length = strlen(LINES[i].scene);
    if (strncmp(file, LINES[i].scene, length) == 0) return &LINES[i];
  }
  return NULL;
}

static bool write_row(const Line* line, const CpsResult* result, FILE* out) {
  enum { CONTACTS, UNSOLVED, RESIDUAL, ITERATIONS, SOLVE, ASSEMBLE, WHOLE, CROSSINGS, COUNT };
  static const char* const NAMES[COUNT] = {"contacts",      "status",           "residual", "iterations",
                                           "seconds_solve", "seconds_assemble", "seconds",  "crossings"};
  CpsResultInfo info = cps_result_info(result);
  if (info.steps == 0) return false;
  double* values = malloc((size_t)info.steps * sizeof *values);
  if (!values) return false;
  Series series[COUNT];
  bool good = true;
  int64_t over = 0;
  for (int i = 0; i < COUNT && good; ++i) {
    good = read_series(result, NAMES[i], info.steps, values, &series[i]);
    for (int64_t k = 0; good && i == UNSOLVED && k < info.steps; ++k) over += values[k] > 0.0;
  }
  free(values);
  if (!good) return false;
  double steps = (double)info.steps, total = series[WHOLE].mean * steps;
  fprintf(out, "| %s | %s | %d | %.0f | %.0f | %.3g | %.2g | %.0f | %.3g / %.3g | %.3g | %.2g | %.2g |\n", line->name,
          line->mu, (int)info.fibres, series[CONTACTS].mean, series[CONTACTS].max, 100.0 * (double)over / steps,
          series[RESIDUAL].max, series[ITERATIONS].mean, series[SOLVE].mean, series[SOLVE].mean + series[ASSEMBLE].mean,
          series[WHOLE].mean, total / (30.0 * info.time) / 60.0, total / 3600.0);
  fprintf(out, "| *paper* | %s | %s |\n", line->mu, line->paper);
  printf("%s: %lld steps, %g s simulated, %.0f crossings\n", line->name, (long long)info.steps, info.time,
         series[CROSSINGS].mean * steps);
  return true;
}

static int usage(void) {
  fputs("bench-table-hair [--out DIR] free-a.h5 free-b.h5 pony.h5 curly.h5   writes table-hair.md\n", stderr);
  return 2;
}

int main(int argc, char** argv) {
  const char* folder = "bench/results";
  int first = 1;
  if (argc > 2 && strcmp(argv[1], "--out") == 0) {
    folder = argv[2];
    first = 3;
  }
  if (first >= argc || argv[first][0] == '-') return usage();
  FILE* out = cps_bench_open(folder, "table-hair.md");
  if (!out) return 3;
  fprintf(out, "# Hair (Table 1 of Daviet et al. 2011)\n\n");
  cps_bench_print_machine(out);
  fprintf(
      out,
      "\n| name | mu hair / body | rods | contacts | max contacts | %% > tol | max err | iters | T_GS / T_solv (s) | "
      "T_dt (s) | T_frame (min) | T_tot (hours) |\n|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
  int code = 0;
  for (int i = first; i < argc; ++i) {
    const Line* line = find_line(argv[i]);
    if (!line) return usage();
    CpsResult* result = NULL;
    CpsError error;
    if (cps_result_open(argv[i], &result, &error) != CPS_OK) {
      fprintf(stderr, "%s\n", error.text);
      code = 2;
      continue;
    }
    if (!write_row(line, result, out)) code = 3;
    cps_result_destroy(result);
  }
  return fclose(out) == 0 ? code : 3;
}
