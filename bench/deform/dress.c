// Saved problems of scenes/dress.yaml, in the global form, to a residual of 1e-4: methods that never form W beside our best one with W
// and Siconos, against the number of contacts.
//
// All is processor time of one thread from M, H, f and w in memory to r. Those with W begin with its elimination, which is ours, for
// Siconos too. Each solver runs in a child with a cap; a peer's own tolerance is lowered until the common residual passes.
//
// usage: bench-deform-dress [--out DIRECTORY] FILE.hdf5 ...     writes deform-dress.md and deform-dress.svg
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "capstan/fclib.h"
#include "draw/plot.h"
#include "friction/machine.h"
#include "friction/measure.h"
#ifdef CAPSTAN_SICONOS
#include "friction/peers_siconos.h"
#endif

enum { MOST_FILES = 16 };
static const double TOLERANCE = 1e-4;
static const CpsBenchLimits LIMITS = {.seconds = 10.0, .bytes = (int64_t)8 << 30, .runs = 1};
static const char* const PRIMAL[] = {"primal-newton", "splitting", "nodal", "auto"};
static const char* const DUAL[] = {"gs", "proximal"};
enum { PRIMALS = sizeof PRIMAL / sizeof *PRIMAL, DUALS = sizeof DUAL / sizeof *DUAL };

typedef struct Best {
  const char* name;
  double seconds;  // infinite: none within the cap
} Best;

static void keep(Best* best, const char* name, const CpsBenchResult* result, double before) {
  if (result->outcome != CPS_BENCH_SOLVED || !(result->seconds + before < best->seconds)) return;
  *best = (Best){name, result->seconds + before};
}

static CpsBenchResult run_capstan(const CpsProblem* problem, const char* method) {
  const CpsBenchCapstan data = {problem, method, LIMITS.seconds};
  const CpsBenchSolver solver = {method, cps_bench_run_capstan, &data, false};
  return cps_bench_measure(problem, &solver, TOLERANCE, &LIMITS);
}

static Best best_peer(const CpsProblem* problem, double elimination) {
  Best best = {"–", INFINITY};
#ifdef CAPSTAN_SICONOS
  const CpsSiconos* siconos = cps_siconos_new(problem);
  static const char* const TRIED[] = {"NSGS", "NSGS full-error", "NSGS NSN", "PROX",
                                      "ADMM"};  // its best on problems of this kind
  for (int config = 0; cps_siconos_name(config); ++config) {
    bool tried = false;
    for (size_t k = 0; k < sizeof TRIED / sizeof *TRIED; ++k) tried |= strcmp(TRIED[k], cps_siconos_name(config)) == 0;
    if (!tried) continue;
    const CpsBenchSiconos peer = {siconos, config};
    const CpsBenchSolver solver = {cps_siconos_name(config), cps_bench_run_siconos, &peer, true};
    const CpsBenchResult result = cps_bench_measure(problem, &solver, TOLERANCE, &LIMITS);
    keep(&best, solver.name, &result, elimination);
  }
#else
  (void)problem, (void)elimination;
#endif
  return best;
}

static void print_best(FILE* out, const Best* best, double primal) {
  if (isinf(best->seconds)) {
    fprintf(out, " – | over %.0f s | |", LIMITS.seconds);
  } else {
    fprintf(out, " %s | %.4g | %.1f |", best->name, best->seconds, best->seconds / primal);
  }
}

// Time of the primal method, of our best dual one and of Siconos' best; false: the file is not read.
static bool print_row(FILE* out, const char* path, double* contacts, double time[3]) {
  CpsProblem *sparse = NULL, *full = NULL;
  CpsFclibInfo info[2];
  CpsError error = {{0}};
  if (cps_fclib_read(path, CPS_FORM_SPARSE, &sparse, &info[0], &error) != CPS_OK ||
      cps_fclib_read(path, CPS_FORM_W, &full, &info[1], &error) != CPS_OK) {
    fprintf(stderr, "%s\n", error.text);
    cps_problem_destroy(sparse);
    return false;
  }
  const int32_t n = cps_problem_contact_count(sparse);
  fprintf(out, "| %d | %d |", (int)cps_problem_node_count(sparse), (int)n);
  Best primal = {"–", INFINITY}, dual = {"–", INFINITY};
  for (int k = 0; k < PRIMALS; ++k) {
    const CpsBenchResult r = run_capstan(sparse, PRIMAL[k]);
    if (k == 0) keep(&primal, PRIMAL[k], &r, info[0].elimination_seconds);
    if (r.outcome == CPS_BENCH_SOLVED) {
      fprintf(out, " %.4g |", r.seconds + info[0].elimination_seconds);
    } else {
      fprintf(out, " %s |", cps_bench_outcome_name(r.outcome));
    }
  }
  for (int k = 0; k < DUALS; ++k) {
    const CpsBenchResult r = run_capstan(full, DUAL[k]);
    keep(&dual, DUAL[k], &r, info[1].elimination_seconds);
  }
  const Best peer = best_peer(full, info[1].elimination_seconds);
  fprintf(out, " %.4g |", info[1].elimination_seconds);
  print_best(out, &dual, primal.seconds);
  print_best(out, &peer, primal.seconds);
  fprintf(out, "\n");
  fflush(out);
  *contacts = n;
  time[0] = primal.seconds, time[1] = dual.seconds, time[2] = peer.seconds;
  cps_problem_destroy(sparse);
  cps_problem_destroy(full);
  return true;
}

static bool draw(const char* directory, int count, const double* contacts, double (*time)[3]) {
  static const char* const LABELS[] = {"primal-newton", "best with W", "best of Siconos"};
  double x[3][MOST_FILES], y[3][MOST_FILES];
  CpsPlotSeries series[3];
  for (int k = 0; k < 3; ++k) {
    series[k] = (CpsPlotSeries){LABELS[k], x[k], y[k], 0};
    for (int i = 0; i < count; ++i) {
      if (isinf(time[i][k])) continue;
      x[k][series[k].count] = contacts[i];
      y[k][series[k].count++] = time[i][k];
    }
  }
  const CpsPlot plot = {.title = "Saved problems of the dress, to 1e-4",
                        .x = {.label = "contacts", .log = true},
                        .y = {.label = "processor time, s", .log = true},
                        .series = series,
                        .series_count = 3,
                        .mark_ends = true,
                        .level = NAN};
  char path[512];
  CpsError error = {{0}};
  if (cps_plot_write(&plot, cps_bench_path(path, sizeof path, directory, "deform-dress.svg"), &error) == CPS_OK) {
    return true;
  }
  fprintf(stderr, "%s\n", error.text);
  return false;
}

int main(int argc, char** argv) {
  const char *directory = NULL, *files[MOST_FILES];
  int count = 0;
  for (int k = 1; k < argc; ++k) {
    if (strcmp(argv[k], "--out") == 0 && k + 1 < argc) {
      directory = argv[++k];
    } else if (argv[k][0] != '-' && count < MOST_FILES) {
      files[count++] = argv[k];
    }
  }
  char path[512];
  FILE* out = directory ? fopen(cps_bench_path(path, sizeof path, directory, "deform-dress.md"), "w") : stdout;
  if (!out) {
    perror(path);
    return 1;
  }
  fprintf(out, "| vertices | contacts |");
  for (int k = 0; k < PRIMALS; ++k) fprintf(out, " %s, s |", PRIMAL[k]);
  fprintf(out, " W, s | best with W | s | / primal | best of Siconos | s | / primal |\n|---:|---:|");
  for (int k = 0; k < PRIMALS; ++k) fprintf(out, "---:|");
  fprintf(out, "---:|---|---:|---:|---|---:|---:|\n");
  double contacts[MOST_FILES], time[MOST_FILES][3];
  bool good = true;
  for (int i = 0; i < count && good; ++i) good = print_row(out, files[i], &contacts[i], time[i]);
  if (directory) good = fclose(out) == 0 && good && (count == 0 || draw(directory, count, contacts, time));
  return good ? 0 : 1;
}
