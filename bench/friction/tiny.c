// Problems of one to five contacts, as a game or a controller solves by the thousand: microseconds a call, beside Siconos
// in the same run.
//
// Each solver is called again and again from r = 0, in turn with the others, and the best of the rounds counts: a busy
// machine makes a call longer, never shorter. Capstan is timed over all calls of a round, from the call to the report.
// Siconos is timed around its driver, its options made outside; what reading the clock takes is subtracted. Its own
// tolerance is tightened by 0.1 until its answer passes cps_problem_residual(). Only its Gauss-Seidel methods are asked: the others take
// longer on such problems, and some end the process where they fail.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "friction/machine.h"
#include "friction/problems.h"
#ifdef CAPSTAN_SICONOS
#include "friction/peers_siconos.h"
#endif

enum {
  ROUNDS = 7,
  CALLS = 400,
  MOST_CONTACTS = 5,
  MOST_ROWS = 3 * MOST_CONTACTS,
  PEERS = 4,
  TIGHTER = 5,
  MOST_ITERATIONS = 1000
};
static const double tolerances[] = {1e-4, 1e-8};
enum { TOLERANCES = sizeof tolerances / sizeof *tolerances };

typedef struct Line {
  double capstan, alone;  // s a call: with a workspace, without
  double siconos;         // the fastest, infinite if none solves it
  const char* peer;
} Line;

// The remainder of the clock in a time taken around a call.
static double clock_cost(void) {
  double best = INFINITY;
  for (int k = 0; k < ROUNDS; ++k) {
    double sum = 0.0;
    for (int i = 0; i < CALLS; ++i) {
      double begin = cps_clock_cpu();
      sum += cps_clock_cpu() - begin;
    }
    best = fmin(best, sum / CALLS);
  }
  return best;
}

static double time_capstan(const CpsProblem* problem, double tolerance, CpsWorkspace* workspace) {
  CpsSolveOptions options = cps_solve_options_default();
  CpsSolveInfo info;
  double r[MOST_ROWS];
  options.tolerance = tolerance;
  double begin = cps_clock_cpu();
  for (int i = 0; i < CALLS; ++i) {
    memset(r, 0, sizeof r);
    CpsStatus status = workspace ? cps_workspace_solve(workspace, problem, &options, r, &info, NULL)
                                 : cps_problem_solve(problem, &options, r, &info, NULL);
    if (status != CPS_OK) return INFINITY;
  }
  return (cps_clock_cpu() - begin) / CALLS;
}

#ifdef CAPSTAN_SICONOS
// The tolerance with which its answer is as good as asked, 0 if there is none.
static double find_tolerance(const CpsProblem* problem, const CpsSiconos* siconos, int config, double asked) {
  double own = asked, r[MOST_ROWS], seconds;
  for (int k = 0; k < TIGHTER; ++k, own *= 0.1) {
    int64_t iterations;
    CpsResidual residual;
    (void)cps_siconos_solve_within(siconos, config, own, MOST_ITERATIONS, r, &seconds, &iterations);
    if (cps_problem_residual(problem, r, &residual) == CPS_OK && residual.natural <= asked) return own;
  }
  return 0.0;
}

static double time_siconos(const CpsSiconos* siconos, int config, double own, double clock) {
  double sum = 0.0, seconds, r[MOST_ROWS];
  for (int i = 0; i < CALLS; ++i) {
    int64_t iterations;
    (void)cps_siconos_solve_within(siconos, config, own, MOST_ITERATIONS, r, &seconds, &iterations);
    sum += seconds - clock;
  }
  return sum / CALLS;
}
#endif

static Line measure(const CpsProblem* problem, double tolerance, double clock) {
  Line line = {INFINITY, INFINITY, INFINITY, "–"};
  CpsWorkspace* workspace = NULL;
  if (cps_workspace_create(&workspace) != CPS_OK) exit(1);
#ifdef CAPSTAN_SICONOS
  double own[PEERS] = {0};
  CpsSiconos* siconos = cps_siconos_new(problem);
  for (int c = 0; siconos && c < PEERS; ++c) own[c] = find_tolerance(problem, siconos, c, tolerance);
#else
  (void)clock;
#endif
  for (int round = 0; round < ROUNDS; ++round) {
    line.capstan = fmin(line.capstan, time_capstan(problem, tolerance, workspace));
    line.alone = fmin(line.alone, time_capstan(problem, tolerance, NULL));
#ifdef CAPSTAN_SICONOS
    for (int c = 0; c < PEERS; ++c) {
      double seconds = own[c] > 0.0 ? time_siconos(siconos, c, own[c], clock) : INFINITY;
      if (!(seconds < line.siconos)) continue;
      line.siconos = seconds;
      line.peer = cps_siconos_name(c);
    }
#endif
  }
  cps_workspace_destroy(workspace);
  return line;
}

static void write_line(FILE* out, const char* name, int32_t contacts, const Line lines[TOLERANCES], double* logs) {
  fprintf(out, "| %s | %d |", name, (int)contacts);
  for (int t = 0; t < TOLERANCES; ++t) {
    const Line* l = &lines[t];
    fprintf(out, " %.2f | %.2f |", 1e6 * l->capstan, 1e6 * l->alone);
    if (isfinite(l->siconos))
      fprintf(out, " %.2f | %s | %.2f |", 1e6 * l->siconos, l->peer, l->capstan / l->siconos);
    else
      fprintf(out, " – | | – |");
    if (isfinite(l->siconos)) logs[t] += log(l->capstan / l->siconos);
  }
  fputc('\n', out);
}

int main(int argc, char** argv) {
  const char *out = "bench/results", *data = SHARED_DATA;
  for (int i = 1; i + 1 < argc; ++i) {
    if (strcmp(argv[i], "--out") == 0) out = argv[i + 1];
    if (strcmp(argv[i], "--data") == 0) data = argv[i + 1];
  }
  cps_bench_single_thread(argv);
  CpsBenchProblems problems = cps_bench_problems_load(data, NULL);
  FILE* file = cps_bench_open(out, "tiny.md");
  if (!file) return 1;
  double clock = clock_cost(), logs[TOLERANCES] = {0};
  int count = 0;
  fprintf(file, "# Tiny problems\n\n");
  cps_bench_print_machine(file);
  fprintf(file,
          "\nMicroseconds per call; reading the CPU clock takes %.2f. Ratios: with a workspace / fastest peer.\n\n",
          1e6 * clock);
  fprintf(file,
          "| problem | contacts | 1e-4: workspace | alone | Siconos | | ratio | 1e-8: workspace | alone | Siconos | "
          "| ratio |\n|---|---:|---:|---:|---:|---|---:|---:|---:|---:|---|---:|\n");
  for (int p = 0; p < problems.count; ++p) {
    const CpsProblem* problem = problems.items[p].problem;
    int32_t contacts = cps_problem_contact_count(problem);
    if (contacts > MOST_CONTACTS || cps_problem_row_count(problem) > MOST_ROWS) continue;
    Line lines[TOLERANCES];
    for (int t = 0; t < TOLERANCES; ++t) lines[t] = measure(problem, tolerances[t], clock);
    write_line(file, problems.items[p].name, contacts, lines, logs);
    count += isfinite(lines[0].siconos) && isfinite(lines[1].siconos);
  }
  if (count > 0) {
    fprintf(file, "\nGeometric mean of the ratios: %.2f at 1e-4, %.2f at 1e-8 (%d problems).\n", exp(logs[0] / count),
            exp(logs[1] / count), count);
  }
  fclose(file);
  cps_bench_problems_free(&problems);
  return 0;
}
