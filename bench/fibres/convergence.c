// Convergence in the time step: the same motion with h, h/2, h/4, ... for every model of a rod.
//
// A clamped rod with a natural curl falls under its weight while its root turns; after a fifth of a second the points of its
// centreline are compared between each step and its half. A scheme of order p makes these differences 2^p times smaller from
// row to row. No reference solution is needed, and each model is compared with itself.
#include "capstan/capstan.h"
#include "capstan/fibre.h"
#include "draw/plot.h"
#include "friction/machine.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MODELS = 8, MOST_STEPS = 8, POINTS = 11 };
static const CpsRodModel models[MODELS] = {
    CPS_ROD_SUPER_HELIX, CPS_ROD_SUPER_HELIX_RECURSIVE, CPS_ROD_SUPER_CLOTHOID, CPS_ROD_MASS_SPRING, CPS_ROD_CORDE,
    CPS_ROD_DER,         CPS_ROD_DER_INEXTENSIBLE,      CPS_ROD_DER_PROJECTED};
static const double largest = 4e-3, duration = 0.2;
static const CpsVec3 natural = {0.0, 3.0, 1.0};

// The centreline at the end; false after saying what failed.
static bool run(CpsRodModel model, double h, CpsVec3 points[POINTS]) {
  CpsWorldDef settings = cps_world_def_default();
  settings.step = h;
  CpsFibreDef def = cps_fibre_def_default();
  def.model = model;
  def.elements = 8;
  def.length = 0.3;
  def.radius = 1e-3;
  def.young = 1e8;
  def.natural_count = 1;
  def.natural = &natural;
  def.contact_radius = 0.0;
  def.root.kind = CPS_END_CLAMPED;
  def.root.motion.kind = CPS_MOTION_SINE;
  def.root.motion.amplitude = (CpsVec3){0.0, 0.02, 0.0};
  def.root.motion.rotation_amplitude = (CpsVec3){0.0, 0.0, 0.5};
  def.root.motion.frequency = 2.0;
  CpsError error;
  CpsWorld* world = NULL;
  CpsFibreId id;
  CpsStatus status = cps_world_create(&settings, &world, &error);
  if (status == CPS_OK) status = cps_world_add_fibre(world, &def, &id, &error);
  int count = (int)lround(duration / h);
  for (int i = 0; status == CPS_OK && i < count; ++i) status = cps_world_step(world, NULL, &error);
  if (status == CPS_OK) status = cps_world_fibre_points(world, id, POINTS, points);
  cps_world_destroy(world);
  if (status != CPS_OK) fprintf(stderr, "%s, h = %g: %s\n", cps_rod_model_name(model), h, error.text);
  return status == CPS_OK;
}

static double distance(const CpsVec3* a, const CpsVec3* b) {
  double worst = 0.0;
  for (int i = 0; i < POINTS; ++i) {
    double x = a[i].x - b[i].x, y = a[i].y - b[i].y, z = a[i].z - b[i].z;
    worst = fmax(worst, sqrt(x * x + y * y + z * z));
  }
  return worst;
}

// Differences between steps and their halves; false if a run failed.
static bool measure(CpsRodModel model, int count, double* h, double* error) {
  CpsVec3 coarse[POINTS], fine[POINTS];
  if (!run(model, largest, coarse)) return false;
  for (int i = 0; i < count; ++i) {
    h[i] = ldexp(largest, -i);
    if (!run(model, 0.5 * h[i], fine)) return false;
    error[i] = distance(coarse, fine);
    memcpy(coarse, fine, sizeof coarse);
  }
  return true;
}

static void write_table(FILE* out, int count, const double* h, double (*error)[MOST_STEPS], const bool* there) {
  fprintf(out, "# Convergence in the time step\n\n");
  cps_bench_print_machine(out);
  fprintf(
      out,
      "Largest distance between the centrelines with steps h and h/2 after %g s, mm; the order is computed from the\n"
      "last two columns:\n\n| model |",
      duration);
  for (int i = 0; i < count; ++i) fprintf(out, " h = %g ms |", 1e3 * h[i]);
  fprintf(out, " order |\n|---|");
  for (int i = 0; i <= count; ++i) fprintf(out, "---:|");
  fprintf(out, "\n");
  for (int m = 0; m < MODELS; ++m) {
    if (!there[m]) continue;
    fprintf(out, "| %s |", cps_rod_model_name(models[m]));
    for (int i = 0; i < count; ++i) fprintf(out, " %.3g |", 1e3 * error[m][i]);
    fprintf(out, " %.2f |\n", log2(error[m][count - 2] / error[m][count - 1]));
  }
}

int main(int argc, char** argv) {
  const char* out = "bench/results";
  int count = 7;
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--quick") == 0) {
      count = 3;
    } else if (i + 1 < argc && strcmp(argv[i], "--out") == 0) {
      out = argv[++i];
    } else {
      fprintf(stderr,
              "bench-convergence [--out DIR] [--quick]\n"
              "  Differences between steps and their halves; writes convergence.md and .svg.\n");
      return strcmp(argv[i], "--help") == 0 ? 0 : 2;
    }
  }
  static double h[MOST_STEPS], error[MODELS][MOST_STEPS];
  bool there[MODELS];
  CpsPlotSeries series[MODELS];
  int series_count = 0;
  for (int m = 0; m < MODELS; ++m) {
    there[m] = measure(models[m], count, h, error[m]);
    if (there[m]) series[series_count++] = (CpsPlotSeries){cps_rod_model_name(models[m]), h, error[m], count};
  }
  FILE* report = cps_bench_open(out, "convergence.md");
  if (!report) return 3;
  write_table(report, count, h, error, there);
  write_table(stdout, count, h, error, there);
  CpsPlot plot = {.title = "Halving the step",
                  .x = {.label = "step, s", .log = true},
                  .y = {.label = "difference between steps h and h/2, m", .log = true},
                  .series = series,
                  .series_count = series_count,
                  .level = NAN};
  char path[1024];
  CpsError why;
  if (cps_plot_write(&plot, cps_bench_path(path, sizeof path, out, "convergence.svg"), &why) != CPS_OK) {
    fprintf(stderr, "%s\n", why.text);
  }
  return fclose(report) == 0 ? 0 : 3;
}
