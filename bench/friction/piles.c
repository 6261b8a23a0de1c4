// Piles: generated packs of spheres and walls by `auto`, beside plain sweeps, as ratios to what the time should be.
//
//   usage: bench-piles [--out DIRECTORY] [--quick]    writes DIRECTORY/piles.md; without one, prints it. --quick: 1e-4 only
//
// Processor time of both threads, so that a busy machine spoils it less than the wall clock.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capstan/capstan.h"
#include "capstan/generate.h"
#include "friction/machine.h"

static const double PLAIN_CAP = 10.0;  // seconds that plain sweeps get
static const double AUTO_CAP = 20.0;

typedef struct Row {
  const char* name;
  CpsGenerateKind kind;
  int32_t contacts;
  CpsForm form;
  double tolerance;
  double target;  // seconds on two cores; 0: none was set
} Row;

static const Row rows[] = {
    {"spheres", CPS_GENERATE_SPHERES, 1000, CPS_FORM_FACTORED, 1e-4, 0.0},
    {"spheres", CPS_GENERATE_SPHERES, 1000, CPS_FORM_FACTORED, 1e-6, 0.0},
    {"spheres", CPS_GENERATE_SPHERES, 5000, CPS_FORM_FACTORED, 1e-4, 0.3},
    {"spheres", CPS_GENERATE_SPHERES, 5000, CPS_FORM_W, 1e-4, 0.3},
    {"spheres", CPS_GENERATE_SPHERES, 5000, CPS_FORM_FACTORED, 1e-5, 0.0},
    {"spheres", CPS_GENERATE_SPHERES, 5000, CPS_FORM_FACTORED, 1e-6, 5.0},
    {"spheres", CPS_GENERATE_SPHERES, 15000, CPS_FORM_FACTORED, 1e-4, 0.0},
    {"wall", CPS_GENERATE_STACK, 1000, CPS_FORM_FACTORED, 1e-4, 0.0},
    {"wall", CPS_GENERATE_STACK, 4000, CPS_FORM_FACTORED, 1e-4, 0.0},
};

static bool measure(const CpsProblem* problem, const Row* row, CpsMethod method, double cap, CpsSolveInfo* info) {
  double* r = calloc((size_t)cps_problem_row_count(problem), sizeof *r);
  if (!r) return false;
  CpsSolveOptions options = cps_solve_options_default();
  options.method = method;
  options.local = CPS_LOCAL_ENUM;
  options.tolerance = row->tolerance;
  options.max_iterations = 1000000;
  options.time_limit = cap;
  options.threads = 2;
  CpsStatus status = cps_problem_solve(problem, &options, r, info, NULL);
  free(r);
  return status >= 0;
}

static bool print_row(FILE* out, const Row* row) {
  CpsGenerateDef def = cps_generate_def_default();
  def.kind = row->kind;
  def.contact_count = row->contacts;
  def.form = row->form;
  CpsProblem* problem = NULL;
  CpsSolveInfo fast, plain;
  if (cps_problem_generate(&def, &problem, NULL) != CPS_OK) return false;
  bool ok = measure(problem, row, CPS_METHOD_AUTO, AUTO_CAP, &fast) &&
            measure(problem, row, CPS_METHOD_GS_PARALLEL, PLAIN_CAP, &plain);
  cps_problem_destroy(problem);
  if (!ok) return false;
  fprintf(out, "| %s | %d | %s | %.0e | %.3g | %lld | %s | ", row->name, (int)row->contacts,
          row->form == CPS_FORM_W ? "W" : "bodies", row->tolerance, fast.seconds, (long long)fast.iterations,
          fast.status == CPS_OK ? "yes" : "no");
  fprintf(out, "%s%.2f | ", plain.status == CPS_OK ? "" : "< ", fast.seconds / plain.seconds);
  if (row->target > 0.0) {
    fprintf(out, "%.2f", 0.5 * fast.seconds / row->target);
  } else {
    fprintf(out, "–");
  }
  fprintf(out, " | %.0f |\n", (double)fast.bytes / row->contacts);
  return true;
}

int main(int argc, char** argv) {
  const char* directory = NULL;
  bool quick = false;
  for (int k = 1; k < argc; ++k) {
    if (strcmp(argv[k], "--quick") == 0) quick = true;
    if (strcmp(argv[k], "--out") == 0 && k + 1 < argc) directory = argv[++k];
  }
  FILE* out = directory ? cps_bench_open(directory, "piles.md") : stdout;
  if (!out) return 1;
  cps_bench_print_machine(out);
  fprintf(out,
          "\nCPU s: both threads. Plain: time relative to plain sweeps (`gs-parallel`, `enum`, at most %.0f s). "
          "Target: half of "
          "the CPU\ntime (the wall-clock time on two idle cores at best), relative to the target time.\n\n",
          PLAIN_CAP);
  fprintf(out,
          "| problem | contacts | form | tolerance | CPU s | iterations | solved | / plain | / target | bytes per "
          "contact |\n");
  fprintf(out, "|---|---:|---|---|---:|---:|---|---:|---:|---:|\n");
  bool ok = true;
  for (size_t k = 0; ok && k < sizeof rows / sizeof *rows; ++k) {
    if (quick && rows[k].tolerance < 1e-4) continue;
    ok = print_row(out, &rows[k]);
    fflush(out);
  }
  if (out != stdout) ok = fclose(out) == 0 && ok;
  return ok ? 0 : 1;
}
