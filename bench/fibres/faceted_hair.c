// Exact against faceted friction at equal computing time (Daviet et al. 2011, figure 7, bottom).
//
// A scene of hair runs twice, with Gauss-Seidel and the exact one-contact solver to the tolerance of the scene, and with
// the four-sided pyramid, whose solver gets the time that the exact one took on average. Compared at the same simulated
// times: the residual of the exact law, how often a step was not solved, and how much the hair clumps, as the mean
// distance from a point of the lower half of a hair to the nearest one of another hair.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capstan/scene.h"
#include "core/clock.h"
#include "friction/machine.h"

enum { PLACES = 8, REPORTS = 6, MOST_SETS = 16 };

typedef struct Report {
  double time, residual, unsolved, contacts, seconds, nearest;
} Report;

// Mean distance between points of different hairs that are nearest to each other, m.
static double nearest_mean(const CpsWorld* world, CpsVec3* x) {
  int32_t count = cps_world_fibre_count(world);
  for (int32_t i = 0; i < count; ++i) {
    CpsVec3 line[2 * PLACES];
    if (cps_world_fibre_points(world, cps_world_fibre(world, i), 2 * PLACES, line) != CPS_OK) return NAN;
    memcpy(x + (size_t)i * PLACES, line + PLACES, PLACES * sizeof *x);
  }
  double sum = 0.0;
  for (int32_t a = 0; a < count * PLACES; ++a) {
    double least = INFINITY;
    for (int32_t b = 0; b < count * PLACES; ++b) {
      if (a / PLACES == b / PLACES) continue;
      double dx = x[a].x - x[b].x, dy = x[a].y - x[b].y, dz = x[a].z - x[b].z, square = dx * dx + dy * dy + dz * dz;
      if (square < least) least = square;
    }
    sum += sqrt(least);
  }
  return sum / (count * PLACES);
}

// Runs a scene with a method; time_limit 0: none. Reports at equal times up to `end`.
static bool run(const CpsScene* scene, const char* method, double time_limit, double end, Report* reports) {
  CpsWorld* world = NULL;
  CpsError error = {""};
  CpsStatus status = cps_scene_build(scene, 0, &world, &error);
  CpsWorldDef def = status == CPS_OK ? cps_world_settings(world) : cps_world_def_default();
  double tolerance = def.solver.tolerance;
  if (status == CPS_OK) status = cps_solve_options_set_method(&def.solver, method);
  def.solver.tolerance = tolerance;
  def.solver.time_limit = time_limit;
  def.adaptive = false;  // the same steps for both
  if (status == CPS_OK) status = cps_world_configure(world, &def, &error);
  CpsVec3* x = status == CPS_OK ? malloc((size_t)cps_world_fibre_count(world) * PLACES * sizeof *x + 1) : NULL;
  for (int k = 0; k < REPORTS && x && status >= 0; ++k) {
    Report sum = {0};
    int steps = 0;
    while (cps_world_time(world) < end * (k + 1) / REPORTS - 0.5 * def.step && status >= 0) {
      CpsStepInfo info;
      const double start = cps_clock_cpu();
      status = cps_world_step(world, &info, &error);
      const double cpu = cps_clock_cpu() - start;
      sum.residual += info.residual;
      sum.unsolved += status > 0;
      sum.contacts += info.contacts;
      sum.seconds += cpu * info.seconds_solve / info.seconds;  // a busy machine does not count
      steps++;
    }
    reports[k] = (Report){cps_world_time(world), sum.residual / steps, sum.unsolved / steps,
                          sum.contacts / steps,  sum.seconds / steps,  nearest_mean(world, x)};
  }
  if (status < 0) fprintf(stderr, "%s: %s\n", method, error.text);
  free(x);
  cps_world_destroy(world);
  return status >= 0;
}

static void write_report(const Report* exact, const Report* faceted, const char* name, FILE* out) {
  fprintf(out, "# Exact and faceted friction at equal computing time (figure 7 of Daviet et al. 2011)\n\n");
  cps_bench_print_machine(out);
  fprintf(out,
          "\n%s, Gauss-Seidel with `MFB+Enum` and with `4sides`; means since the previous row. The residual is "
          "measured for the "
          "exact law. Clumping: mean distance from hair to the nearest other hair in the lower half.\n\n"
          "| t (s) | contacts, exact / faceted | residual | solve (CPU ms) | nearest hair (mm) "
          "|\n|---:|---:|---:|---:|---:|\n",
          name);
  for (int k = 0; k < REPORTS; ++k) {
    const Report *a = &exact[k], *b = &faceted[k];
    fprintf(out, "| %.2f | %.0f / %.0f | %.1e / %.1e | %.3g / %.3g | %.3f / %.3f |\n", a->time, a->contacts,
            b->contacts, a->residual, b->residual, 1e3 * a->seconds, 1e3 * b->seconds, 1e3 * a->nearest,
            1e3 * b->nearest);
  }
}

int main(int argc, char** argv) {
  const char *folder = "bench/results", *sets[MOST_SETS];
  double end = 1.5;
  int32_t set_count = 0;
  const char* path = NULL;
  for (int i = 1; i < argc; ++i) {
    bool more = i + 1 < argc;
    if (more && strcmp(argv[i], "--out") == 0) {
      folder = argv[++i];
    } else if (more && strcmp(argv[i], "--until") == 0) {
      end = atof(argv[++i]);
    } else if (more && strcmp(argv[i], "--set") == 0 && set_count < MOST_SETS) {
      sets[set_count++] = argv[++i];
    } else if (argv[i][0] != '-' && !path) {
      path = argv[i];
    } else {
      fputs("bench-faceted-hair SCENE.yaml [--until T] [--set KEY=VALUE] [--out DIR]   writes faceted-hair.md\n",
            stderr);
      return 2;
    }
  }
  CpsScene* scene = NULL;
  CpsError error;
  if (!path || cps_scene_load(path, sets, set_count, &scene, &error) != CPS_OK) {
    fprintf(stderr, "%s\n", path ? error.text : "a scene is needed, such as scenes/pony.yaml");
    return 2;
  }
  Report exact[REPORTS] = {{0}}, faceted[REPORTS] = {{0}};
  bool good = run(scene, "MFB+Enum", 0.0, end, exact);
  double seconds = 0.0;
  for (int k = 0; k < REPORTS; ++k) seconds += exact[k].seconds / REPORTS;
  good = good && run(scene, "4sides", fmax(seconds, 1e-4), end, faceted);
  cps_scene_destroy(scene);
  FILE* out = good ? cps_bench_open(folder, "faceted-hair.md") : NULL;
  if (!out) return 3;
  const char* slash = strrchr(path, '/');
  const char* name = slash ? slash + 1 : path;
  write_report(exact, faceted, name, out);
  write_report(exact, faceted, name, stdout);
  return fclose(out) == 0 ? 0 : 3;
}
