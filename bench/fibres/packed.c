// Packed fibres, 100 to 50 000 rods that hang from a plate and press against each other: time of a step in its parts, and
// memory, against the number of contacts. One of the problems is then solved again alone, by us and by Siconos' NSGS.
//
// The rods are super-helices of 5 elements, clamped at the points of a sunflower, each with a natural bend in its own
// direction: straight at the start, they open into each other. Each rod has about the same room, so that the contacts of a
// rod do not depend on the number of rods.
//
// usage: bench-packed [--quick] [--out DIRECTORY] [--rods N] [--threads N] [--warm N] [--steps N] [--tolerance X]
//        [--model NAME] [--method NAME] [--verbose]
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
  bool quick, verbose;
  int32_t rods;  // 0: all sizes
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
  CpsStepInfo mean;  // of the measured steps; counts are those of the last
  double seconds_make, contacts, iterations;
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
    const double start = cps_clock_wall();
    CpsWorld* world = make_world(options, rods);
    row.seconds_make = cps_clock_wall() - start;
    run_steps(options, world, &row);
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
  fprintf(file, "| %d | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f | %.1f | %.0f | %.2f | %.1f |\n", rods,
          r->contacts, 1e3 * m->seconds_predict, 1e3 * m->seconds_detect, 1e3 * m->seconds_assemble,
          1e3 * m->seconds_solve, 1e3 * m->seconds_advance, 1e3 * m->seconds, 1e6 * m->seconds / r->contacts,
          r->iterations, 1e-9 * r->bytes, 1e-3 * r->bytes / r->contacts);
}

static void measure_all(const Options* options, FILE* file) {
  const int32_t sizes[] = {100, 1000, 10000, 50000};
  const int count = options->quick ? 2 : 4;
  FILE* files[] = {stdout, file};
  for (int k = 0; k < 2; k++) {
    if (files[k]) {
      (void)fputs(
          "| rods | contacts | predict, ms | detect | assemble | solve | advance | step | µs per contact | iterations "
          "| "
          "memory, GB | kB per contact |\n|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
          files[k]);
    }
  }
  for (int i = 0; i < (options->rods > 0 ? 1 : count); i++) {
    const int32_t rods = options->rods > 0 ? options->rods : sizes[i];
    const Row row = measure(options, rods);
    for (int k = 0; k < 2; k++) {
      if (files[k]) print_row(files[k], rods, &row);
    }
    if (row.crossings > 0 || row.unsolved > 0) {
      fprintf(stderr, "%d rods: %d crossings, %d steps over the tolerance, worst %.1e\n", rods, row.crossings,
              row.unsolved, row.worst_residual);
    }
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
  Options options = {.threads = 2, .warm = 60, .steps = 10, .tolerance = 1e-3, .model = CPS_ROD_SUPER_HELIX};
  if (!read_options(argc, argv, &options)) {
    fprintf(stderr, "bench-packed: an argument is not understood\n");
    return 2;
  }
  FILE* file = options.out ? cps_bench_open(options.out, "packed.md") : NULL;
  measure_all(&options, file);
  return file && fclose(file) != 0 ? 1 : 0;
}
