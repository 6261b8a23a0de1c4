// Packed fibres at growing size, 1920 rods with 25 000 contacts at the end: time and memory to a residual of 1e-6.
//
// Capstan solves the factored problem and never forms W, unless the method chosen needs it; Siconos gets W, and neither
// the forming of it nor the conversion is counted against Siconos.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "friction/machine.h"
#include "friction/measure.h"
#ifdef CAPSTAN_SICONOS
#include "friction/peers_siconos.h"
#endif

enum { SIZES = 6, COLUMNS = 4 };
// three bundles of the largest size: the number of sweeps differs a lot from one to the next
static const int32_t contact_counts[SIZES] = {2000, 5000, 10000, 25000, 25000, 25000};
static const int32_t rod_counts[SIZES] = {154, 384, 768, 1920, 1920, 1920};
static const uint64_t seeds[SIZES] = {1, 1, 1, 1, 2, 3};
static const char* const columns[COLUMNS] = {"Capstan auto", "Capstan gs", "Siconos NSGS", "Siconos NSGS full-error"};

static CpsProblem* make(int32_t contacts, int32_t rods, uint64_t seed) {
  CpsGenerateDef def = cps_generate_def_default();
  def.contact_count = contacts;
  def.body_count = rods;
  def.seed = seed;
  CpsProblem* problem = NULL;
  CpsError error;
  if (cps_problem_generate(&def, &problem, &error) != CPS_OK) {
    fprintf(stderr, "%s\n", error.text);
    exit(3);
  }
  return problem;
}

static void measure_size(const CpsProblem* problem, const CpsBenchLimits* limits, CpsBenchResult results[COLUMNS]) {
  static const char* const methods[2] = {"auto", "gs"};
  for (int c = 0; c < 2; ++c) {
    CpsBenchCapstan capstan = {.problem = problem, .method = methods[c], .time_limit = limits->seconds};
    CpsBenchSolver solver = {.name = methods[c], .run = cps_bench_run_capstan, .data = &capstan};
    results[c] = cps_bench_measure(problem, &solver, 1e-6, limits);
  }
  for (int c = 2; c < COLUMNS; ++c) results[c] = (CpsBenchResult){.outcome = CPS_BENCH_REFUSED, .seconds = NAN};
#ifdef CAPSTAN_SICONOS
  const CpsSiconos* siconos = cps_siconos_new(problem);
  // the slower of the two peers is left out where it takes minutes
  int peers = cps_problem_contact_count(problem) > 10000 ? 3 : COLUMNS;
  for (int c = 2; c < peers; ++c) {
    CpsBenchSiconos peer = {.siconos = siconos, .config = c == 2 ? CPS_SICONOS_NSGS : CPS_SICONOS_NSGS_FULL};
    CpsBenchSolver solver = {.name = columns[c], .run = cps_bench_run_siconos, .data = &peer, .tighten = true};
    results[c] = cps_bench_measure(problem, &solver, 1e-6, limits);
  }
#endif
}

static void write_row(FILE* out, int size, const CpsProblem* problem, double cap, const CpsBenchResult* results) {
  CpsProblemInfo info;
  double n = contact_counts[size];
  if (cps_problem_describe(problem, &info) != CPS_OK) info.bytes = 0;
  fprintf(out, "| %d | %d | %d |", (int)contact_counts[size], (int)rod_counts[size], (int)seeds[size]);
  for (int c = 0; c < COLUMNS; ++c) {
    if (results[c].outcome == CPS_BENCH_SOLVED)
      fprintf(out, " %.3g |", results[c].seconds);
    else if (results[c].outcome == CPS_BENCH_REFUSED)
      fprintf(out, " – |");
    else
      fprintf(out, " %s |", cps_bench_outcome_name(results[c].outcome));
  }
  // where the peer ran into the cap, the cap is a lower bound of its time
  bool peer_solved = results[2].outcome == CPS_BENCH_SOLVED;
  if (results[0].outcome == CPS_BENCH_SOLVED && (peer_solved || results[2].outcome == CPS_BENCH_TIME))
    fprintf(out, " %s%.1f |", peer_solved ? "" : "> ", (peer_solved ? results[2].seconds : cap) / results[0].seconds);
  else
    fprintf(out, " – |");
  fprintf(out, " %.0f | %.0f |", (double)info.bytes / n, (double)results[0].bytes / n);
  if (results[2].bytes > 0)
    fprintf(out, " %.0f |\n", (double)results[2].bytes / n);
  else
    fprintf(out, " – |\n");
}

static void usage(FILE* out) {
  fprintf(out,
          "bench-fibres [--out DIR] [--cap SECONDS] [--from CONTACTS] [--quick]\n"
          "  Solves packed fibres of 2 000 to 25 000 contacts to 1e-6 and writes fibres.md.\n"
          "  --from   skip smaller sizes\n"
          "  --quick  only the smallest size, with a cap of 5 s\n");
}

int main(int argc, char** argv) {
  cps_bench_single_thread(argv);
  const char* directory = "bench/results";
  CpsBenchLimits limits = {.seconds = 120.0, .bytes = (int64_t)12 << 30, .runs = 3};
  int sizes = SIZES, from = 0;
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--quick") == 0) {
      sizes = 1;
      limits.seconds = 5.0;
      limits.runs = 1;
    } else if (strcmp(argv[i], "--help") == 0) {
      usage(stdout);
      return 0;
    } else if (i + 1 < argc && strcmp(argv[i], "--out") == 0) {
      directory = argv[++i];
    } else if (i + 1 < argc && strcmp(argv[i], "--from") == 0) {
      from = atoi(argv[++i]);
    } else if (i + 1 < argc && strcmp(argv[i], "--cap") == 0 && atof(argv[i + 1]) > 0.0) {
      limits.seconds = atof(argv[++i]);
    } else {
      usage(stderr);
      return 2;
    }
  }
  FILE* report = cps_bench_open(directory, "fibres.md");
  if (!report) return 3;
  FILE* outs[2] = {report, stdout};
  for (int o = 0; o < 2; ++o) {
    fprintf(outs[o], "# Packed fibres to a residual of 1e-6\n\n");
    cps_bench_print_machine(outs[o]);
    fprintf(
        outs[o],
        "CPU seconds, median of three up to 5 000 contacts, then one run; cap %g s; a word in place of a time gives "
        "the reason. Bytes are per contact: the "
        "factored problem, the memory of the solve by `auto`, and the W that Siconos needs.\n\n",
        limits.seconds);
    fprintf(outs[o], "| contacts | rods | seed |");
    for (int c = 0; c < COLUMNS; ++c) fprintf(outs[o], " %s |", columns[c]);
    fprintf(outs[o], " NSGS / auto | problem bytes | solve bytes | bytes of W |\n|---:|---:|---:|");
    for (int c = 0; c < COLUMNS + 4; ++c) fprintf(outs[o], "---:|");
    fprintf(outs[o], "\n");
  }
  for (int size = 0; size < sizes; ++size) {
    if (contact_counts[size] < from) continue;
    CpsProblem* problem = make(contact_counts[size], rod_counts[size], seeds[size]);
    CpsBenchResult results[COLUMNS];
    // the large sizes run for seconds: one run says enough
    if (contact_counts[size] >= 10000) limits.runs = 1;
    measure_size(problem, &limits, results);
    for (int o = 0; o < 2; ++o) {
      write_row(outs[o], size, problem, limits.seconds, results);
      (void)fflush(outs[o]);
    }
    cps_problem_destroy(problem);
  }
  return fclose(report) == 0 ? 0 : 3;
}
