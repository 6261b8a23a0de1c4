// Solving contacts of a sheet without W and with it: time against the number of nodes, in one process and on one thread.
//
// usage: bench-deform-solve --out DIRECTORY [--quick]     writes deform-solve.md
#include "deform/arguments.h"
#include "deform/draped.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// CPU seconds of one solve, and the most contacts a method is given: proximal factors a dense W in each step.
typedef struct Column {
  const char* method;
  int32_t most_contacts;
  bool dual;
} Column;

static const Column COLUMNS[] = {
    {"auto", INT32_MAX, false},
    {"primal-newton", INT32_MAX, false},
    {"splitting", INT32_MAX, false},
    {"nodal", INT32_MAX, false},
    {"gs", 1500, true},
    {"gs-parallel", 1500, true},
    {"proximal", 600, true},
};
enum { COLUMN_COUNT = sizeof COLUMNS / sizeof *COLUMNS };
static const double TIME_LIMIT = 120.0;

// Seconds, or a negative number where it was not solved.
static double measure(const CpsProblem* problem, const char* method, double tolerance, double* r) {
  CpsSolveOptions options = cps_solve_options_default();
  options.tolerance = tolerance;
  options.time_limit = TIME_LIMIT;
  options.max_iterations = 1000000;
  if (cps_solve_options_set_method(&options, method) != CPS_OK) return -1.0;
  memset(r, 0, (size_t)cps_problem_row_count(problem) * sizeof *r);
  CpsSolveInfo info;
  return cps_problem_solve(problem, &options, r, &info, NULL) == CPS_OK ? info.seconds : -1.0;
}

static void print_row(FILE* out, const Draped* draped, double tolerance) {
  CpsProblem* problem = draped_problem(draped);
  if (!problem) return;
  double* r = malloc((size_t)(cps_problem_row_count(problem) + 1) * sizeof *r);
  double best_dual = -1.0, automatic = -1.0;
  int32_t n = cps_problem_contact_count(problem);
  fprintf(out, "| %d | %d | %g | %g | %.0e |", (int)cps_problem_node_count(problem), (int)n, draped->stiffness,
          draped->mu, tolerance);
  for (int k = 0; r && k < COLUMN_COUNT; ++k) {
    double seconds = n <= COLUMNS[k].most_contacts ? measure(problem, COLUMNS[k].method, tolerance, r) : -2.0;
    if (seconds >= 0.0) {
      fprintf(out, " %.3f |", seconds);
    } else {
      fprintf(out, " %s |", seconds < -1.5 ? "–" : "not solved");
    }
    if (k == 0) automatic = seconds;
    if (COLUMNS[k].dual && seconds >= 0.0 && (best_dual < 0.0 || seconds < best_dual)) best_dual = seconds;
  }
  if (best_dual > 0.0 && automatic > 0.0) {
    fprintf(out, " %.1f |\n", best_dual / automatic);
  } else {
    fprintf(out, " – |\n");
  }
  fflush(out);
  free(r);
  cps_problem_destroy(problem);
}

int main(int argc, char** argv) {
  const Arguments asked = read_arguments(argc, argv);
  FILE* out = open_table(&asked, "deform-solve.md");
  if (!out) return 1;
  fprintf(out,
          "# Contacts of a sheet, solved with and without W\n\nCPU seconds of a solve from zero on one thread.\n\n");
  fprintf(out, "| nodes | contacts | stiffness | μ | tolerance |");
  for (int k = 0; k < COLUMN_COUNT; ++k) fprintf(out, " %s |", COLUMNS[k].method);
  fprintf(out, " best with W / auto |\n|---|---|---|---|---|");
  for (int k = 0; k < COLUMN_COUNT; ++k) fprintf(out, "---|");
  fprintf(out, "---|\n");
  static const int32_t SIDES[] = {20, 40, 78, 110};
  static const struct { double stiffness, mu; } SHEETS[] = {{10.0, 0.6}, {100.0, 0.3}, {1000.0, 0.6}};
  for (int t = 0; t < 2; ++t) {
    for (int s = 0; s < (asked.quick ? 2 : 4); ++s) {
      for (int k = 0; k < 3; ++k) {
        Draped draped = {.side = SIDES[s],
                         .contacts = 0.17,
                         .stiffness = SHEETS[k].stiffness,
                         .bending = 0.01 * SHEETS[k].stiffness,
                         .mu = SHEETS[k].mu,
                         .per_node = 1};
        print_row(out, &draped, t == 0 ? 1e-4 : 1e-8);
      }
    }
  }
  return close_table(out) ? 0 : 1;
}
