// Saved steps of grains in the plane, solved to a residual of 1e-4 from zero: our methods beside those of Siconos.
//
// All is processor time of one thread from M, H, f and w in memory to r. Methods with W begin with its elimination, which is ours, for
// Siconos too. Each solver runs in a child with a cap; a peer's own tolerance is lowered until the common residual passes.
//
// usage: bench-grains-problems [--out DIRECTORY] [--cap SECONDS] FILE.hdf5 ...     writes grains-problems.md
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capstan/fclib.h"
#include "friction/machine.h"
#include "friction/measure.h"
#ifdef CAPSTAN_SICONOS
#include "friction/peers_siconos.h"
#endif

static const double TOLERANCE = 1e-4;
static const char* const SPARSE[] = {"splitting", "gs", "primal-newton"};
static const char* const WITH_W[] = {"gs", "proximal", "auto"};
enum { SPARSES = sizeof SPARSE / sizeof *SPARSE, WITH_WS = sizeof WITH_W / sizeof *WITH_W };

typedef struct Best {
  char name[48];
  double seconds;  // infinite: none within the cap
} Best;

static void keep(Best* best, const char* form, const char* name, const CpsBenchResult* result, double before) {
  if (result->outcome != CPS_BENCH_SOLVED || !(result->seconds + before < best->seconds)) return;
  (void)snprintf(best->name, sizeof best->name, "%s%s", name, form);
  best->seconds = result->seconds + before;
}

static CpsBenchResult run_capstan(const CpsProblem* problem, const char* method, const CpsBenchLimits* limits) {
  const CpsBenchCapstan data = {problem, method, limits->seconds};
  const CpsBenchSolver solver = {method, cps_bench_run_capstan, &data, false};
  return cps_bench_measure(problem, &solver, TOLERANCE, limits);
}

static void try_peers(const CpsProblem* problem, const CpsBenchLimits* limits, double elimination, Best* best) {
#ifdef CAPSTAN_SICONOS
  const CpsSiconos* siconos = cps_siconos_new(problem);
  for (int config = 0; config < CPS_SICONOS_CONES && cps_siconos_name(config); ++config) {
    const CpsBenchSiconos peer = {siconos, config};
    const CpsBenchSolver solver = {cps_siconos_name(config), cps_bench_run_siconos, &peer, true};
    const CpsBenchResult result = cps_bench_measure(problem, &solver, TOLERANCE, limits);
    keep(best, "", solver.name, &result, elimination);
  }
#else
  (void)problem, (void)limits, (void)elimination, (void)best;
#endif
}

static bool print_row(FILE* out, const char* path, const CpsBenchLimits* limits) {
  CpsProblem *sparse = NULL, *full = NULL;
  CpsFclibInfo info[2];
  CpsError error = {{0}};
  if (cps_fclib_read(path, CPS_FORM_SPARSE, &sparse, &info[0], &error) != CPS_OK ||
      cps_fclib_read(path, CPS_FORM_W, &full, &info[1], &error) != CPS_OK) {
    fprintf(stderr, "%s\n", error.text);
    cps_problem_destroy(sparse);
    return false;
  }
  Best ours = {"–", INFINITY}, peer = {"–", INFINITY};
  for (int k = 0; k < SPARSES; ++k) {
    const CpsBenchResult r = run_capstan(sparse, SPARSE[k], limits);
    keep(&ours, "", SPARSE[k], &r, info[0].elimination_seconds);
  }
  for (int k = 0; k < WITH_WS; ++k) {
    const CpsBenchResult r = run_capstan(full, WITH_W[k], limits);
    keep(&ours, " with W", WITH_W[k], &r, info[1].elimination_seconds);
  }
  try_peers(full, limits, info[1].elimination_seconds, &peer);
  fprintf(out, "| %d | %s | %.3g |", (int)cps_problem_contact_count(sparse), ours.name, ours.seconds);
  if (isinf(peer.seconds)) {
    fprintf(out, " none within %.0f s | | > %.1f |\n", limits->seconds, limits->seconds / ours.seconds);
  } else {
    fprintf(out, " %s | %.3g | %.1f |\n", peer.name, peer.seconds, peer.seconds / ours.seconds);
  }
  fflush(out);
  cps_problem_destroy(sparse);
  cps_problem_destroy(full);
  return true;
}

int main(int argc, char** argv) {
  cps_bench_single_thread(argv);
  CpsBenchLimits limits = {.seconds = 20.0, .bytes = (int64_t)8 << 30, .runs = 1};
  FILE* out = stdout;
  int first = 1;
  for (; first < argc && argv[first][0] == '-' && first + 1 < argc; first += 2) {
    if (strcmp(argv[first], "--out") == 0) out = cps_bench_open(argv[first + 1], "grains-problems.md");
    if (strcmp(argv[first], "--cap") == 0) limits.seconds = strtod(argv[first + 1], NULL);
  }
  if (!out || first >= argc) {
    fprintf(stderr, "usage: bench-grains-problems [--out DIRECTORY] [--cap SECONDS] FILE.hdf5 ...\n");
    return 1;
  }
  fprintf(out,
          "| blocks | best method of Capstan | s | best method of Siconos | s | Siconos / Capstan "
          "|\n|---:|---|---:|---|---:|---:|\n");
  bool ok = true;
  for (int k = first; k < argc; ++k) ok = print_row(out, argv[k], &limits) && ok;
  if (out != stdout) fclose(out);
  return ok ? 0 : 1;
}
