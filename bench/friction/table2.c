// Table 2 and figure 11 of Daviet et al. 2011: one-contact solvers inside Gauss-Seidel on a batch of ponytail problems.
//
// The paper's batch was saved from a simulation; ours is generated, a ponytail per seed, or saved from a simulation too:
// the problem files named on the command line. Every row is stopped by the common residual of the exact law. The paper stopped its pure `4sides` row, which solves another law, by the
// length of the step; here that row shows what the faceted law is worth by the exact measure.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capstan/capstan.h"
#include "capstan/fclib.h"
#include "draw/plot.h"
#include "friction/machine.h"

enum { ROWS = 11, BATCH_MAX = 400 };
static const char* const rows[ROWS] = {"4sides",      "Duriez08",      "PAC",      "DAC",      "MFB",     "Enum",
                                       "4sides+Enum", "Duriez08+Enum", "PAC+Enum", "DAC+Enum", "MFB+Enum"};

typedef struct Row {
  double calls, failures, fallbacks, unsolved;  // local problems
  double seconds, iterations;                   // sums over the batch
  int over_tolerance;
  double needed[BATCH_MAX];  // iterations per problem, infinite where it was not solved
} Row;

typedef struct Setting {
  const char* out;
  const char* suffix;            // of the files written
  const char* files[BATCH_MAX];  // problems; none: they are generated
  int file_count;
  int batch;
  int32_t contacts, rods;
  double tolerance;
  int64_t max_iterations;
} Setting;

static void solve_all_rows(const CpsProblem* problem, int index, const Setting* setting, double* r, Row* table) {
  for (int i = 0; i < ROWS; ++i) {
    CpsSolveOptions options = cps_solve_options_default();
    CpsSolveInfo info;
    if (cps_solve_options_set_method(&options, rows[i]) != CPS_OK) continue;
    options.tolerance = setting->tolerance;
    options.max_iterations = setting->max_iterations;
    memset(r, 0, sizeof *r * (size_t)cps_problem_row_count(problem));
    table[i].needed[index] = INFINITY;
    if (cps_problem_solve(problem, &options, r, &info, NULL) < 0) {
      table[i].over_tolerance++;
      continue;
    }
    table[i].calls += (double)info.local_calls;
    table[i].failures += (double)info.local_failures;
    table[i].fallbacks += (double)info.local_fallbacks;
    table[i].unsolved += (double)info.local_unsolved;
    table[i].seconds += info.seconds;
    table[i].iterations += (double)info.iterations;
    if (info.status == CPS_OK)
      table[i].needed[index] = (double)info.iterations;
    else
      table[i].over_tolerance++;
  }
}

static void write_table(const Row* table, const Setting* setting, FILE* out) {
  fprintf(out, "# One-contact solvers inside Gauss-Seidel (Table 2 of Daviet et al. 2011)\n\n");
  cps_bench_print_machine(out);
  if (setting->file_count > 0) {
    fprintf(out, "%d problems saved from a simulation, of %d contacts on average", setting->batch,
            (int)setting->contacts);
  } else {
    fprintf(out, "%d generated ponytails of %d contacts on %d rods", setting->batch, (int)setting->contacts,
            (int)setting->rods);
  }
  fprintf(out,
          ", residual %g of the exact law, at most %lld sweeps.\n\n"
          "- %% alt: calls of the fail-safe\n- %% fail: one-contact problems left unsolved\n"
          "- %% > tol: problems not solved to the tolerance\n- iters: mean sweeps, including unsolved problems\n"
          "- T: mean CPU time of the solve\n\n",
          setting->tolerance, (long long)setting->max_iterations);
  fprintf(out, "| local solver | %% alt | %% fail | %% > tol | iters | T (ms) |\n|---|---:|---:|---:|---:|---:|\n");
  for (int i = 0; i < ROWS; ++i) {
    const Row* row = &table[i];
    bool failsafe = strchr(rows[i], '+') != NULL;
    double calls = fmax(row->calls, 1.0), fail = failsafe ? row->unsolved : row->failures;
    fprintf(out, "| %s | ", rows[i]);
    if (failsafe)
      fprintf(out, "%.3g", 100.0 * row->fallbacks / calls);
    else
      fprintf(out, "–");
    fprintf(out, " | %.2g | %.3g | %.0f | %.1f |\n", 100.0 * fail / calls, 100.0 * row->over_tolerance / setting->batch,
            row->iterations / setting->batch, 1e3 * row->seconds / setting->batch);
  }
}

static int compare_double(const void* left, const void* right) {
  double a = *(const double*)left, b = *(const double*)right;
  return a < b ? -1 : a > b;
}

// Figure 11: after its k-th smallest count, a share 1 - k/batch of the problems needs more.
static void write_figure(Row* table, const Setting* setting) {
  enum { POINTS = BATCH_MAX + 2 };
  static double x[ROWS][POINTS], y[ROWS][POINTS];
  CpsPlotSeries series[ROWS];
  char name[64];
  snprintf(name, sizeof name, "figure11%s.csv", setting->suffix);
  FILE* csv = cps_bench_open(setting->out, name);
  if (!csv) return;
  fprintf(csv, "solver,iterations,share_needing_more\n");
  for (int i = 0; i < ROWS; ++i) {
    qsort(table[i].needed, (size_t)setting->batch, sizeof(double), compare_double);
    int count = 0;
    x[i][count] = 1.0;
    y[i][count++] = 1.0;
    for (int k = 0; k < setting->batch && isfinite(table[i].needed[k]); ++k) {
      x[i][count] = fmax(1.0, table[i].needed[k]);
      y[i][count++] = 1.0 - (k + 1.0) / setting->batch;
    }
    x[i][count] = (double)setting->max_iterations;
    y[i][count] = y[i][count - 1];
    ++count;
    for (int k = 0; k < count; ++k) fprintf(csv, "%s,%g,%g\n", rows[i], x[i][k], y[i][k]);
    series[i] = (CpsPlotSeries){.label = rows[i], .x = x[i], .y = y[i], .count = count};
  }
  (void)fclose(csv);
  CpsPlot plot = {.title = "Problems that need more than a given number of sweeps",
                  .x = {.label = "sweeps", .log = true},
                  .y = {.label = "fraction of problems", .percent = true, .fixed = true, .low = 0.0, .high = 1.0},
                  .series = series,
                  .series_count = ROWS,
                  .steps = true,
                  .level = NAN};
  char path[1024];
  CpsError error;
  snprintf(name, sizeof name, "figure11%s.svg", setting->suffix);
  if (cps_plot_write(&plot, cps_bench_path(path, sizeof path, setting->out, name), &error) != CPS_OK)
    fprintf(stderr, "%s\n", error.text);
}

static void usage(FILE* out) {
  fprintf(out,
          "bench-table2 [--out DIR] [--batch N] [--contacts N] [--rods N] [--tol T] [--max-iter N] [--quick]\n"
          "             [--suffix TEXT] [PROBLEM.hdf5 …]\n"
          "  Eleven one-contact solvers on N generated ponytails, or on the given problems; writes table2.md,\n"
          "  figure11.svg and figure11.csv, with the suffix appended to their names.\n"
          "  The size of the paper is --batch 306 --contacts 10000 --rods 334.\n"
          "  --quick  three problems of 300 contacts\n");
}

// The next problem of the batch: read, or generated.
static CpsStatus next_problem(const Setting* setting, int index, CpsProblem** problem, CpsError* error) {
  if (setting->file_count > 0) return cps_fclib_read(setting->files[index], CPS_FORM_W, problem, NULL, error);
  CpsGenerateDef def = cps_generate_def_default();
  def.contact_count = setting->contacts;
  def.body_count = setting->rods;
  def.seed = (uint64_t)index + 1;
  def.form = CPS_FORM_W;
  return cps_problem_generate(&def, problem, error);
}

static bool read_arguments(int argc, char** argv, Setting* setting) {
  for (int i = 1; i < argc; ++i) {
    bool more = i + 1 < argc;
    if (strcmp(argv[i], "--quick") == 0) {
      setting->batch = 3;
      setting->contacts = 300;
      setting->rods = 10;
    } else if (more && strcmp(argv[i], "--out") == 0) {
      setting->out = argv[++i];
    } else if (more && strcmp(argv[i], "--suffix") == 0) {
      setting->suffix = argv[++i];
    } else if (more && strcmp(argv[i], "--batch") == 0) {
      setting->batch = atoi(argv[++i]);
    } else if (more && strcmp(argv[i], "--contacts") == 0) {
      setting->contacts = atoi(argv[++i]);
    } else if (more && strcmp(argv[i], "--rods") == 0) {
      setting->rods = atoi(argv[++i]);
    } else if (more && strcmp(argv[i], "--tol") == 0) {
      setting->tolerance = atof(argv[++i]);
    } else if (more && strcmp(argv[i], "--max-iter") == 0) {
      setting->max_iterations = atoll(argv[++i]);
    } else if (argv[i][0] != '-' && setting->file_count < BATCH_MAX) {
      setting->files[setting->file_count++] = argv[i];
    } else {
      return false;
    }
  }
  if (setting->file_count > 0) setting->batch = setting->file_count;
  return true;
}

int main(int argc, char** argv) {
  Setting setting = {.out = "bench/results",
                     .suffix = "",
                     .batch = 20,
                     .contacts = 2000,
                     .rods = 67,
                     .tolerance = 1e-4,
                     .max_iterations = 2000};
  if (argc == 2 && strcmp(argv[1], "--help") == 0) {
    usage(stdout);
    return 0;
  }
  if (!read_arguments(argc, argv, &setting)) {
    usage(stderr);
    return 2;
  }
  if (setting.batch < 1 || setting.batch > BATCH_MAX) {
    fprintf(stderr, "the batch must have 1 to %d problems\n", (int)BATCH_MAX);
    return 2;
  }
  static Row table[ROWS];
  int64_t contacts = 0;
  for (int index = 0; index < setting.batch; ++index) {
    fprintf(stderr, "\r%d/%d ", index + 1, setting.batch);
    CpsProblem* problem = NULL;
    CpsError error;
    if (next_problem(&setting, index, &problem, &error) != CPS_OK) {
      fprintf(stderr, "%s\n", error.text);
      return 3;
    }
    contacts += cps_problem_contact_count(problem);
    double* r = malloc(sizeof *r * ((size_t)cps_problem_row_count(problem) + 1));
    if (!r) return 3;
    solve_all_rows(problem, index, &setting, r, table);
    free(r);
    cps_problem_destroy(problem);
  }
  if (setting.file_count > 0) setting.contacts = (int32_t)(contacts / setting.batch);
  fprintf(stderr, "\r%20s\r", "");
  char name[64];
  snprintf(name, sizeof name, "table2%s.md", setting.suffix);
  FILE* report = cps_bench_open(setting.out, name);
  if (!report) return 3;
  write_table(table, &setting, report);
  write_table(table, &setting, stdout);
  write_figure(table, &setting);
  return fclose(report) == 0 ? 0 : 3;
}
