// Packed fibres, 100 to 50 000 rods that hang from a plate and press against each other: time of a step in its parts, and
// memory, against the number of contacts. One of the problems is then solved again alone, by us and by Siconos' NSGS.
//
// The rods are super-helices of 5 elements, clamped at the points of a sunflower, each with a natural bend in its own
// direction: straight at the start, they open into each other. Each rod has about the same room, so that the contacts of a
// rod do not depend on the number of rods.
//
// usage: bench-packed [--quick] [--out DIRECTORY] [--rods N] [--threads N] [--warm N] [--steps N] [--tolerance X]
//        [--model NAME] [--method NAME] [--verbose] [--peers]
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capstan/capstan.h"
#include "core/clock.h"
#include "core/random.h"
#include "core/vec3.h"
#include "friction/machine.h"
#include "friction/measure.h"
#ifdef CAPSTAN_SICONOS
#include "friction/peers_siconos.h"
#endif

typedef struct Options {
  bool quick, verbose, peers;  // peers: only the comparison
  int32_t rods;                // 0: all sizes
  int32_t threads, warm, steps;
  double tolerance;
  CpsRodModel model;
  int method;
  const char* out;
} Options;

static const double radius = 5e-4, length = 0.2, share = 0.2;  // share of the plate that is covered by rods

static void must(CpsStatus status, const CpsError* error) {
  if (status >= 0) return;
  fprintf(stderr, "%s\n", error->text);
  exit(1);
}

static CpsWorld* make_world(const Options* options, int32_t rods) {
  const double pi = 3.14159265358979323846;
  CpsError error;
  CpsWorldDef def = cps_world_def_default();
  CpsWorld* world = NULL;
  def.threads = options->threads;
  def.solver.tolerance = options->tolerance;
  def.solver.method = (CpsMethod)options->method;
  def.mu = 0.3;
  must(cps_world_create(&def, &world, &error), &error);
  CpsRandom random = cps_random_seed(1);
  for (int32_t i = 0; i < rods; i++) {
    const double r = radius * sqrt((i + 1) / share), angle = i * pi * (3.0 - sqrt(5.0));
    const double bend = 8.0 + 8.0 * cps_random_uniform(&random), to = 2.0 * pi * cps_random_uniform(&random);
    const CpsVec3 points[2] = {{r * cos(angle), r * sin(angle), 0.0}, {r * cos(angle), r * sin(angle), -length}};
    const CpsVec3 natural = {0.0, bend * cos(to), bend * sin(to)};
    CpsFibreDef rod = cps_fibre_def_default();
    rod.model = options->model;
    rod.points = points;
    rod.point_count = 2;
    rod.natural = &natural;
    rod.natural_count = 1;
    rod.radius = radius;
    rod.young = 1e8;
    rod.root.kind = CPS_END_CLAMPED;
    rod.contact_start = 0.01;
    must(cps_world_add_fibre(world, &rod, NULL, &error), &error);
  }
  return world;
}

// What one size gave.
typedef struct Row {
  CpsStepInfo mean;                  // of the measured steps; counts are those of the last
  double cpu, contacts, iterations;  // cpu: of all threads, seconds per step
  double worst_residual;
  int32_t unsolved, crossings;
  double bytes;  // most memory of the process
} Row;

static void add(CpsStepInfo* sum, const CpsStepInfo* info, double by) {
  sum->seconds_predict += by * info->seconds_predict;
  sum->seconds_detect += by * info->seconds_detect;
  sum->seconds_assemble += by * info->seconds_assemble;
  sum->seconds_solve += by * info->seconds_solve;
  sum->seconds_advance += by * info->seconds_advance;
  sum->seconds += by * info->seconds;
}

static void run_steps(const Options* options, CpsWorld* world, Row* row) {
  for (int32_t k = -options->warm; k < options->steps; k++) {
    CpsStepInfo info;
    CpsError error;
    const double start = cps_clock_cpu();
    must(cps_world_step(world, &info, &error), &error);
    if (options->verbose) {
      fprintf(
          stderr,
          "%4d: %d contacts, nu %.2f, %d islands, %lld iterations, residual %.1e, %.0f ms: %.0f %.0f %.0f %.0f %.0f, "
          "penetration %.1e\n",
          k, info.contacts, info.nu, info.islands, (long long)info.iterations, info.residual, 1e3 * info.seconds,
          1e3 * info.seconds_predict, 1e3 * info.seconds_detect, 1e3 * info.seconds_assemble, 1e3 * info.seconds_solve,
          1e3 * info.seconds_advance, info.penetration);
    }
    row->crossings += info.crossings;
    if (k < 0) continue;
    row->cpu += (cps_clock_cpu() - start) / options->steps;
    add(&row->mean, &info, 1.0 / options->steps);
    row->contacts += (double)info.contacts / options->steps;
    row->iterations += (double)info.iterations / options->steps;
    row->worst_residual = fmax(row->worst_residual, info.residual);
    row->unsolved += info.unsolved > 0;
  }
}

// A size in a process of its own, so that its memory is its own.
static Row measure(const Options* options, int32_t rods) {
  int ends[2];
  Row row = {0};
  if (pipe(ends) != 0) exit(1);
  (void)fflush(NULL);
  const pid_t child = fork();
  if (child == 0) {
    run_steps(options, make_world(options, rods), &row);
    struct rusage usage;
    (void)getrusage(RUSAGE_SELF, &usage);
    row.bytes = 1024.0 * (double)usage.ru_maxrss;
    _exit(write(ends[1], &row, sizeof row) == (ssize_t)sizeof row ? 0 : 1);
  }
  (void)close(ends[1]);
  if (child < 0 || read(ends[0], &row, sizeof row) != (ssize_t)sizeof row) exit(1);
  (void)close(ends[0]);
  (void)waitpid(child, NULL, 0);
  return row;
}

static void print_row(FILE* file, int32_t rods, const Row* r) {
  const CpsStepInfo* m = &r->mean;
  fprintf(file, "| %d | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f | %.1f | %.0f | %.2f | %.1f |\n", rods,
          r->contacts, 1e3 * m->seconds_predict, 1e3 * m->seconds_detect, 1e3 * m->seconds_assemble,
          1e3 * m->seconds_solve, 1e3 * m->seconds_advance, 1e3 * m->seconds, 1e3 * r->cpu, 1e6 * r->cpu / r->contacts,
          r->iterations, 1e-9 * r->bytes, 1e-3 * r->bytes / r->contacts);
}

static void measure_steps(const Options* options, FILE* files[2]) {
  const int32_t sizes[] = {100, 1000, 1920, 10000, 50000};
  const int count = options->quick ? 2 : 5;
  for (int k = 0; k < 2; k++) {
    if (!files[k]) continue;
    fprintf(files[k],
            "Wall-clock milliseconds per step on %d threads, mean of %d steps after the first %d, solved to a residual "
            "of %.0e; then "
            "CPU time of all threads.\n\n"
            "| rods | contacts | predict | detect | assemble | solve | advance | step | CPU | µs per contact | "
            "iterations | memory, GB | kB per contact "
            "|\n|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
            options->threads, options->steps, options->warm, options->tolerance);
  }
  for (int i = 0; i < (options->rods > 0 ? 1 : count); i++) {
    const int32_t rods = options->rods > 0 ? options->rods : sizes[i];
    const Row row = measure(options, rods);
    for (int k = 0; k < 2; k++) {
      if (!files[k]) continue;
      print_row(files[k], rods, &row);
      (void)fflush(files[k]);
    }
    if (row.crossings > 0 || row.unsolved > 0) {
      fprintf(stderr, "%d rods: %d crossings, %d steps over the tolerance, worst %.1e\n", rods, row.crossings,
              row.unsolved, row.worst_residual);
    }
  }
}

// The problem of the last step, from r = 0, to one residual by all: ours without W, Siconos with a W that is not counted.
static void compare(const CpsProblem* problem, int32_t rods, double tolerance, const CpsBenchLimits* limits,
                    FILE* files[2]) {
  const int32_t contacts = cps_problem_contact_count(problem);
  CpsBenchResult result[3] = {0};
  static const char* const methods[2] = {"auto", "gs"};
  for (int c = 0; c < 2; c++) {
    const CpsBenchCapstan capstan = {.problem = problem, .method = methods[c], .time_limit = limits->seconds};
    const CpsBenchSolver solver = {.name = methods[c], .run = cps_bench_run_capstan, .data = &capstan};
    result[c] = cps_bench_measure(problem, &solver, tolerance, limits);
  }
  result[2] = (CpsBenchResult){.outcome = CPS_BENCH_REFUSED, .seconds = NAN};
#ifdef CAPSTAN_SICONOS
  const CpsBenchSiconos peer = {cps_siconos_new(problem), CPS_SICONOS_NSGS};
  const CpsBenchSolver nsgs = {.name = "NSGS", .run = cps_bench_run_siconos, .data = &peer, .tighten = true};
  result[2] = cps_bench_measure(problem, &nsgs, tolerance, limits);
#endif
  for (int k = 0; k < 2; k++) {
    if (!files[k]) continue;
    fprintf(files[k], "| %d | %d | %.0e |", rods, contacts, tolerance);
    for (int c = 0; c < 3; c++) {
      if (result[c].outcome == CPS_BENCH_SOLVED) {
        fprintf(files[k], " %.3g | %.0f |", result[c].seconds, contacts / result[c].seconds);
      } else {
        fprintf(files[k], " %s | – |", cps_bench_outcome_name(result[c].outcome));
      }
    }
    // a peer that ran into the cap took at least that long
    const bool solved = result[2].outcome == CPS_BENCH_SOLVED;
    const double theirs = solved ? result[2].seconds : limits->seconds;
    if (solved || result[2].outcome == CPS_BENCH_TIME) {
      fprintf(files[k], " %s%.1f |\n", solved ? "" : "> ", theirs / result[0].seconds);
    } else {
      fprintf(files[k], " – |\n");
    }
    (void)fflush(files[k]);
  }
}

static void measure_peers(const Options* options, FILE* files[2]) {
  const int32_t sizes[] = {300, 1920};
  const CpsBenchLimits limits = {.seconds = options->quick ? 20.0 : 120.0, .bytes = (int64_t)12 << 30, .runs = 1};
  for (int k = 0; k < 2; k++) {
    if (!files[k]) continue;
    fprintf(
        files[k],
        "\nThe problem of the last step alone, from zero impulses: CPU seconds on one thread, and contacts per "
        "second.\n\n"
        "| rods | contacts | residual | auto | per second | gs | per second | Siconos NSGS | per second | NSGS / auto "
        "|\n|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
  }
  for (int i = 0; i < (options->quick ? 1 : 2); i++) {
    CpsError error;
    Row row = {0};
    CpsWorld* world = make_world(options, sizes[i]);
    CpsProblem* problem = NULL;
    run_steps(options, world, &row);
    must(cps_world_problem(world, &problem, NULL, &error), &error);
    cps_world_destroy(world);
    for (int k = 0; k < 2; k++) compare(problem, sizes[i], k == 0 ? 1e-3 : 1e-4, &limits, files);
    cps_problem_destroy(problem);
  }
}

// -1: there is none of that name
static int find_method(const char* name) {
  const CpsMethodInfo* info;
  for (int k = 0; (info = cps_method_info((CpsMethod)k)) != NULL; k++) {
    if (strcmp(info->name, name) == 0) return k;
  }
  return -1;
}

static bool read_options(int argc, char** argv, Options* o) {
  for (int i = 1; i < argc; i++) {
    const bool more = i + 1 < argc;
    if (strcmp(argv[i], "--quick") == 0) {
      o->quick = true;
    } else if (strcmp(argv[i], "--peers") == 0) {
      o->peers = true;
    } else if (strcmp(argv[i], "--verbose") == 0) {
      o->verbose = true;
    } else if (strcmp(argv[i], "--out") == 0 && more) {
      o->out = argv[++i];
    } else if (strcmp(argv[i], "--rods") == 0 && more) {
      o->rods = atoi(argv[++i]);
    } else if (strcmp(argv[i], "--threads") == 0 && more) {
      o->threads = atoi(argv[++i]);
    } else if (strcmp(argv[i], "--warm") == 0 && more) {
      o->warm = atoi(argv[++i]);
    } else if (strcmp(argv[i], "--steps") == 0 && more) {
      o->steps = atoi(argv[++i]);
    } else if (strcmp(argv[i], "--tolerance") == 0 && more) {
      o->tolerance = atof(argv[++i]);
    } else if (strcmp(argv[i], "--model") == 0 && more) {
      if (!cps_rod_model_find(argv[++i], &o->model)) return false;
    } else if (strcmp(argv[i], "--method") == 0 && more) {
      o->method = find_method(argv[++i]);
      if (o->method < 0) return false;
    } else {
      return false;
    }
  }
  return true;
}

int main(int argc, char** argv) {
  cps_bench_single_thread(argv);
  Options options = {.threads = 2, .warm = 40, .steps = 10, .tolerance = 1e-3, .model = CPS_ROD_SUPER_HELIX};
  if (!read_options(argc, argv, &options)) {
    fprintf(stderr, "bench-packed: unknown argument\n");
    return 2;
  }
  FILE* file = options.out ? cps_bench_open(options.out, "packed.md") : NULL;
  FILE* files[2] = {stdout, file};
  for (int k = 0; k < 2; k++) {
    if (!files[k]) continue;
    fprintf(files[k], "# Packed fibres in a world\n\n");
    cps_bench_print_machine(files[k]);
  }
  if (!options.peers) measure_steps(&options, files);
  if (options.peers || options.rods == 0) measure_peers(&options, files);
  return file && fclose(file) != 0 ? 1 : 0;
}
