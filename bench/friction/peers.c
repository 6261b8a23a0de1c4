// Capstan and Siconos on the same problems, to the same residual: table, ratios, performance profile.
//
// Every solver runs in a forked child with a cap on CPU time and memory, from r = 0. Its answer is judged by
// cps_problem_residual(); a peer's own tolerance is tightened by 0.1 until it passes, and the run that passes counts
// (CPU time of the driver alone, median of at least three). Ratios are geometric means over the problems with 20
// contacts or more.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw/profile.h"
#include "friction/machine.h"
#include "friction/measure.h"
#include "friction/problems.h"
#ifdef CAPSTAN_SICONOS
#include "friction/peers_siconos.h"
#endif

enum { SOLVERS_MAX = 40, TOLERANCES = 2, LARGE = 20 };
static const double tolerances[TOLERANCES] = {1e-4, 1e-8};
static const char* const tolerance_names[TOLERANCES] = {"1e-4", "1e-8"};
static const char* const capstan_methods[] = {"auto",      "gs",   "proximal",   "newton-ac",
                                              "newton-fb", "admm", "cadoux-dual"};

typedef struct Setting {
  const char* data;
  const char* out;
  const char* only;
  CpsBenchLimits limits;
  bool quick;
} Setting;

typedef struct Bench {
  Setting setting;
  CpsBenchProblems problems;
  int solver_count, capstan_count;
  const char* names[SOLVERS_MAX];
  CpsBenchResult* results;  // tolerance, problem, solver
} Bench;

static CpsBenchResult* result_at(const Bench* bench, int tolerance, int problem, int solver) {
  return &bench->results[((int64_t)tolerance * bench->problems.count + problem) * bench->solver_count + solver];
}

static void list_solvers(Bench* bench) {
  for (size_t i = 0; i < sizeof capstan_methods / sizeof *capstan_methods; ++i)
    bench->names[bench->solver_count++] = capstan_methods[i];
  bench->capstan_count = bench->solver_count;
#ifdef CAPSTAN_SICONOS
  for (int config = 0; cps_siconos_name(config); ++config)
    bench->names[bench->solver_count++] = cps_siconos_name(config);
#endif
}

static void run_problem(Bench* bench, int p) {
  const CpsProblem* problem = bench->problems.items[p].problem;
  double cap = bench->setting.limits.seconds;
#ifdef CAPSTAN_SICONOS
  const CpsSiconos* siconos = cps_siconos_new(problem);
#endif
  for (int t = 0; t < TOLERANCES; ++t)
    for (int s = 0; s < bench->solver_count; ++s) {
      fprintf(stderr, "\r%3d/%d  %-40.40s %-5s %-16s", p + 1, bench->problems.count, bench->problems.items[p].name,
              tolerance_names[t], bench->names[s]);
      CpsBenchCapstan capstan = {.problem = problem, .method = bench->names[s], .time_limit = cap};
      CpsBenchSolver solver = {.name = bench->names[s], .run = cps_bench_run_capstan, .data = &capstan};
#ifdef CAPSTAN_SICONOS
      CpsBenchSiconos peer = {.siconos = siconos, .config = s - bench->capstan_count};
      if (s >= bench->capstan_count)
        solver =
            (CpsBenchSolver){.name = bench->names[s], .run = cps_bench_run_siconos, .data = &peer, .tighten = true};
#endif
      *result_at(bench, t, p, s) = cps_bench_measure(problem, &solver, tolerances[t], &bench->setting.limits);
    }
}

// Fastest solver in [first, last) that solved the problem, -1 if none did.
static int fastest(const Bench* bench, int t, int p, int first, int last) {
  int best = -1;
  for (int s = first; s < last; ++s) {
    const CpsBenchResult* result = result_at(bench, t, p, s);
    if (result->outcome != CPS_BENCH_SOLVED) continue;
    if (best < 0 || result->seconds < result_at(bench, t, p, best)->seconds) best = s;
  }
  return best;
}

static bool is_large(const Bench* bench, int p) {
  return cps_problem_contact_count(bench->problems.items[p].problem) >= LARGE;
}

static void put_time(FILE* out, const CpsBenchResult* result) {
  if (result->outcome == CPS_BENCH_SOLVED)
    fprintf(out, " %.3g |", 1e3 * result->seconds);
  else
    fprintf(out, " %s |", cps_bench_outcome_name(result->outcome));
}

static void write_problem_table(const Bench* bench, int t, FILE* out) {
  int peers = bench->capstan_count;
  fprintf(out, "\n## Residual %s, CPU ms\n\n", tolerance_names[t]);
  fprintf(out, "| problem | contacts | auto | other Capstan, best | | peer, best | | NSGS | auto / best peer |\n");
  fprintf(out, "|---|---:|---:|---:|---|---:|---|---:|---:|\n");
  for (int p = 0; p < bench->problems.count; ++p) {
    const CpsBenchResult* automatic = result_at(bench, t, p, 0);
    int own = fastest(bench, t, p, 1, peers), peer = fastest(bench, t, p, peers, bench->solver_count);
    fprintf(out, "| %s | %d |", bench->problems.items[p].name,
            (int)cps_problem_contact_count(bench->problems.items[p].problem));
    put_time(out, automatic);
    if (own >= 0)
      fprintf(out, " %.3g | %s |", 1e3 * result_at(bench, t, p, own)->seconds, bench->names[own]);
    else
      fprintf(out, " none | |");
    if (peer >= 0)
      fprintf(out, " %.3g | %s |", 1e3 * result_at(bench, t, p, peer)->seconds, bench->names[peer]);
    else
      fprintf(out, " none | |");
    if (bench->solver_count > peers)
      put_time(out, result_at(bench, t, p, peers));
    else
      fprintf(out, " – |");
    if (peer >= 0 && automatic->outcome == CPS_BENCH_SOLVED)
      fprintf(out, " %.2f |\n", automatic->seconds / result_at(bench, t, p, peer)->seconds);
    else
      fprintf(out, " – |\n");
  }
}

typedef struct Ratio {
  double mean;     // geometric mean of auto / other over the large problems that both solved
  double at_most;  // the same with the cap as the time of the other where it failed: its time is at least that
  int common, only_auto, only_other;
} Ratio;

// reference < 0: the best peer of each problem.
static Ratio compare_auto(const Bench* bench, int t, int reference) {
  Ratio ratio = {0};
  double sum = 0.0, sum_with_cap = 0.0;
  for (int p = 0; p < bench->problems.count; ++p) {
    if (!is_large(bench, p)) continue;
    int other = reference >= 0 ? reference : fastest(bench, t, p, bench->capstan_count, bench->solver_count);
    bool ours = result_at(bench, t, p, 0)->outcome == CPS_BENCH_SOLVED;
    bool theirs = other >= 0 && result_at(bench, t, p, other)->outcome == CPS_BENCH_SOLVED;
    if (ours && theirs) {
      sum += log(result_at(bench, t, p, 0)->seconds / result_at(bench, t, p, other)->seconds);
      ratio.common++;
    } else if (ours) {
      sum_with_cap += log(result_at(bench, t, p, 0)->seconds / bench->setting.limits.seconds);
      ratio.only_auto++;
    } else if (theirs) {
      ratio.only_other++;
    }
  }
  ratio.mean = ratio.common > 0 ? exp(sum / ratio.common) : NAN;
  int both = ratio.common + ratio.only_auto;
  ratio.at_most = both > 0 ? exp((sum + sum_with_cap) / both) : NAN;
  return ratio;
}

static void write_solver_table(const Bench* bench, int t, FILE* out) {
  int large = 0;
  for (int p = 0; p < bench->problems.count; ++p) large += is_large(bench, p);
  fprintf(out, "\nThe %d problems with %d contacts or more, each solver separately:\n\n", large, (int)LARGE);
  fprintf(out, "| solver | solved | time / fastest, geometric mean over solved problems |\n|---|---:|---:|\n");
  for (int s = 0; s < bench->solver_count; ++s) {
    int solved = 0;
    double sum = 0.0;
    for (int p = 0; p < bench->problems.count; ++p) {
      if (!is_large(bench, p) || result_at(bench, t, p, s)->outcome != CPS_BENCH_SOLVED) continue;
      ++solved;
      int best = fastest(bench, t, p, 0, bench->solver_count);
      sum += log(result_at(bench, t, p, s)->seconds / result_at(bench, t, p, best)->seconds);
    }
    fprintf(out, "| %s%s | %d | ", s < bench->capstan_count ? "Capstan " : "Siconos ", bench->names[s], solved);
    if (solved > 0)
      fprintf(out, "%.2f |\n", exp(sum / solved));
    else
      fprintf(out, "– |\n");
  }
}

static void write_ratios(const Bench* bench, FILE* out) {
  if (bench->solver_count == bench->capstan_count) {
    fprintf(out, "\nNo other solvers were installed, so there are no ratios.\n");
    return;
  }
  fprintf(
      out,
      "\n| `auto` against | residual | time ratio | solved by both | only by auto | only by the other | time ratio, "
      "failures at the cap |\n|---|---|---:|---:|---:|---:|---:|\n");
  for (int t = 0; t < TOLERANCES; ++t)
    for (int against = 0; against < 2; ++against) {
      Ratio ratio = compare_auto(bench, t, against == 0 ? -1 : bench->capstan_count);
      fprintf(out, "| %s | %s | %.3f | %d | %d | %d | at most %.3f |\n",
              against == 0 ? "the best peer of each problem" : "NSGS with its defaults", tolerance_names[t], ratio.mean,
              ratio.common, ratio.only_auto, ratio.only_other, ratio.at_most);
    }
}

static void write_csv_rows(const Bench* bench, int p, FILE* out) {
  for (int t = 0; t < TOLERANCES; ++t)
    for (int s = 0; s < bench->solver_count; ++s) {
      const CpsBenchResult* result = result_at(bench, t, p, s);
      fprintf(out, "%s,%s,%d,%s,%s,%s,%.6g,%.3g,%.3g,%d,%lld\n", tolerance_names[t], bench->problems.items[p].name,
              (int)cps_problem_contact_count(bench->problems.items[p].problem),
              s < bench->capstan_count ? "capstan" : "siconos", bench->names[s],
              cps_bench_outcome_name(result->outcome), result->seconds, result->residual, result->own_tolerance,
              result->run_count, (long long)result->iterations);
    }
  (void)fflush(out);
}

static void write_profile(const Bench* bench, int t) {
  int large = 0;
  double* seconds = malloc(sizeof(double) * (size_t)(bench->problems.count * bench->solver_count));
  if (!seconds) return;
  for (int p = 0; p < bench->problems.count; ++p) {
    if (!is_large(bench, p)) continue;
    for (int s = 0; s < bench->solver_count; ++s) {
      const CpsBenchResult* result = result_at(bench, t, p, s);
      seconds[large * bench->solver_count + s] = result->outcome == CPS_BENCH_SOLVED ? result->seconds : NAN;
    }
    ++large;
  }
  CpsProfile profile = {
      .method_count = bench->solver_count, .problem_count = large, .method_names = bench->names, .seconds = seconds};
  char name[64], path[1024];
  CpsError error;
  (void)snprintf(name, sizeof name, "profile-%s.svg", tolerance_names[t]);
  if (large > 0 &&
      cps_profile_write_svg(&profile, cps_bench_path(path, sizeof path, bench->setting.out, name), &error) != CPS_OK)
    fprintf(stderr, "%s\n", error.text);
  (void)snprintf(name, sizeof name, "profile-%s.csv", tolerance_names[t]);
  if (large > 0 &&
      cps_profile_write_csv(&profile, cps_bench_path(path, sizeof path, bench->setting.out, name), &error) != CPS_OK)
    fprintf(stderr, "%s\n", error.text);
  free(seconds);
}

static void write_report(const Bench* bench, FILE* out) {
  fprintf(out, "# Capstan and its peers on one-step problems\n\n");
  cps_bench_print_machine(out);
  fprintf(out, "Cap: %g s of CPU time per solver, problem and tolerance. A word in place of a time gives the reason.\n",
          bench->setting.limits.seconds);
  write_ratios(bench, out);
  for (int t = 0; t < TOLERANCES; ++t) {
    write_problem_table(bench, t, out);
    write_solver_table(bench, t, out);
  }
}

static void usage(FILE* out) {
  fprintf(
      out,
      "bench-peers [--data DIR] [--out DIR] [--cap SECONDS] [--only TEXT] [--quick]\n"
      "  Runs Capstan and Siconos on DIR/fclib and DIR/generated and writes peers.md, peers.csv and profile-*.svg.\n"
      "  --quick  a cap of 0.5 s and one run each, as a smoke test\n");
}

static Setting parse(int argc, char** argv) {
  Setting setting = {.data = SHARED_DATA, .out = "bench/results", .limits = {3.0, (int64_t)8 << 30, 3}};
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--quick") == 0) {
      setting.quick = true;
      setting.limits.seconds = 0.5;
      setting.limits.runs = 1;
    } else if (strcmp(argv[i], "--help") == 0) {
      usage(stdout);
      exit(0);
    } else if (i + 1 < argc && strcmp(argv[i], "--data") == 0) {
      setting.data = argv[++i];
    } else if (i + 1 < argc && strcmp(argv[i], "--out") == 0) {
      setting.out = argv[++i];
    } else if (i + 1 < argc && strcmp(argv[i], "--only") == 0) {
      setting.only = argv[++i];
    } else if (i + 1 < argc && strcmp(argv[i], "--cap") == 0 && atof(argv[i + 1]) > 0.0) {
      setting.limits.seconds = atof(argv[++i]);
    } else {
      usage(stderr);
      exit(2);
    }
  }
  return setting;
}

int main(int argc, char** argv) {
  cps_bench_single_thread(argv);
  Bench bench = {.setting = parse(argc, argv)};
  bench.problems = cps_bench_problems_load(bench.setting.data, bench.setting.only);
  list_solvers(&bench);
  bench.results =
      calloc((size_t)TOLERANCES * (size_t)bench.problems.count * (size_t)bench.solver_count, sizeof *bench.results);
  FILE* csv = cps_bench_open(bench.setting.out, "peers.csv");
  if (!bench.results || !csv) return 3;
  fprintf(csv, "tolerance,problem,contacts,code,solver,outcome,seconds,residual,own_tolerance,runs,iterations\n");
  for (int p = 0; p < bench.problems.count; ++p) {
    run_problem(&bench, p);
    write_csv_rows(&bench, p, csv);
  }
  fprintf(stderr, "\r%78s\r", "");
  FILE* report = cps_bench_open(bench.setting.out, "peers.md");
  if (!report) return 3;
  write_report(&bench, report);
  write_report(&bench, stdout);
  for (int t = 0; t < TOLERANCES; ++t) write_profile(&bench, t);
  int failed = fclose(report) != 0;
  failed |= fclose(csv) != 0;
  free(bench.results);
  cps_bench_problems_free(&bench.problems);
  return failed ? 3 : 0;
}
