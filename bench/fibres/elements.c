// Time of one rod against its number of elements: how the models grow, and where the recursive super-helix overtakes the
// composite one.
//
// A clamped, curved rod swings under its weight. A step is begin, receive without contacts, advance and refresh; a contact is
// the rows of a point in the middle. Each figure is the shortest of several batches of steps,
// in processor time of one thread, per step. Slopes are those of straight lines through log(time) against log(N) over
// the larger half of the sizes.
//
// What theory says of a step: a composite super-helix makes N^2 blocks of mass and then factorises a dense matrix of 3 N
// rows, (3 N)^3 / 3 multiplications and additions: N^2 while elements are few, N^3 in the end. Super-clothoids
// likewise. The recursive super-helix and the discrete elastic rod, with its banded matrix, are linear. A contact is N^2 for dense
// factors, N for the others.
#include "capstan/capstan.h"
#include "capstan/fibre.h"
#include "core/clock.h"
#include "draw/plot.h"
#include "friction/machine.h"
#include "model/rod.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SIZES = 10, MODELS = 5, COMPOSITE = 0, RECURSIVE = 1 };
static const CpsRodModel models[MODELS] = {CPS_ROD_SUPER_HELIX, CPS_ROD_SUPER_HELIX_RECURSIVE, CPS_ROD_SUPER_CLOTHOID,
                                           CPS_ROD_DER, CPS_ROD_DER_INEXTENSIBLE};
static const CpsVec3 natural = {2.0, 5.0, 1.0};

typedef struct Table {
  int size_count;
  double size[MOST_SIZES];
  double step[MODELS][MOST_SIZES], rows[MODELS][MOST_SIZES];  // seconds; NaN where it was not measured
} Table;

static void take_step(CpsRod* rod, const CpsModelStep* step) {
  rod->type->begin(rod, step);
  rod->type->receive(rod, NULL);
  rod->type->advance(rod, step);
  rod->type->refresh(rod);
}

static void make_rows(const CpsRod* rod, double* G) {
  CpsMat3 axes = cps_mat3_identity();
  rod->type->rows(rod, 0.5 * rod->spec.length, NULL, &axes, 1.0, G);
}

// Seconds of one call: batches as long as `seconds`, the best of three.
static double time_of(CpsRod* rod, const CpsModelStep* step, double* G, double seconds) {
  double best = INFINITY;
  for (int batch = 0; batch < 3; ++batch) {
    double start = cps_clock_cpu(), spent = 0.0;
    int count = 0;
    do {
      if (G) {
        make_rows(rod, G);
      } else {
        take_step(rod, step);
      }
      ++count;
      spent = cps_clock_cpu() - start;
    } while (spent < seconds);
    best = fmin(best, spent / count);
  }
  return best;
}

static bool measure(CpsRodModel model, int elements, double seconds, double* step_time, double* rows_time) {
  CpsFibreDef def = cps_fibre_def_default();
  def.model = model;
  def.elements = elements;
  def.length = 0.5;
  def.natural_count = 1;
  def.natural = &natural;
  def.root.kind = CPS_END_CLAMPED;
  CpsRod rod;
  if (!cps_rod_types[model] || cps_rod_create(&def, &rod, NULL) != CPS_OK) return false;
  CpsModelStep step = {.h = 1e-3, .theta = 1.0, .gravity = {0.0, 0.0, -9.81}};
  double* G = calloc(3 * (size_t)rod.dofs, sizeof *G);
  if (G) {
    *step_time = time_of(&rod, &step, NULL, seconds);
    rod.type->begin(&rod, &step);
    *rows_time = time_of(&rod, &step, G, 0.2 * seconds);
  }
  free(G);
  cps_rod_free(&rod);
  return G != NULL;
}

// Slope of log(y) against log(x) by least squares over the larger half.
static double slope(const Table* table, const double* y) {
  double n = 0.0, sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
  for (int i = table->size_count / 2; i < table->size_count; ++i) {
    if (isnan(y[i])) continue;
    double a = log(table->size[i]), b = log(y[i]);
    n += 1.0, sx += a, sy += b, sxx += a * a, sxy += a * b;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

// Where two curves cross, by straight lines in log-log; NaN where they do not.
static double crossing(const Table* table, const double* a, const double* b) {
  for (int i = 0; i + 1 < table->size_count; ++i) {
    double d = log(a[i] / b[i]), e = log(a[i + 1] / b[i + 1]);
    if (d < 0.0 && e >= 0.0) return table->size[i] * pow(table->size[i + 1] / table->size[i], d / (d - e));
  }
  return NAN;
}

// `times` has a row of MOST_SIZES for each model.
static void write_rows(FILE* out, const Table* table, const double* times) {
  fprintf(out, "| model |");
  for (int i = 0; i < table->size_count; ++i) fprintf(out, " N = %.0f |", table->size[i]);
  fprintf(out, " slope |\n|---|");
  for (int i = 0; i <= table->size_count; ++i) fprintf(out, "---:|");
  fprintf(out, "\n");
  for (int m = 0; m < MODELS; ++m, times += MOST_SIZES) {
    if (isnan(times[table->size_count - 1])) continue;
    fprintf(out, "| %s |", cps_rod_model_name(models[m]));
    for (int i = 0; i < table->size_count; ++i) fprintf(out, " %.3g |", 1e6 * times[i]);
    fprintf(out, " %.2f |\n", slope(table, times));
  }
}

static void write_report(FILE* out, const Table* table) {
  int last = table->size_count - 1;
  fprintf(out, "# Cost of one rod as a function of its number of elements\n\n");
  cps_bench_print_machine(out);
  fprintf(out, "Time per step without contacts, µs:\n\n");
  write_rows(out, table, table->step[0]);
  fprintf(out, "\nTime to compute the rows of a contact at mid-length, µs:\n\n");
  write_rows(out, table, table->rows[0]);
  double cross = crossing(table, table->step[COMPOSITE], table->step[RECURSIVE]);
  fprintf(out, "\n");
  if (isfinite(cross)) fprintf(out, "The recursive super-helix is faster for %.0f elements or more", cross);
  if (!isfinite(cross)) fprintf(out, "The costs of the two super-helices do not cross in this range");
  fprintf(out, "; at %.0f elements it is %.3g times as fast for a step and %.3g times for a contact.\n",
          table->size[last], table->step[COMPOSITE][last] / table->step[RECURSIVE][last],
          table->rows[COMPOSITE][last] / table->rows[RECURSIVE][last]);
}

static void write_plot(const char* directory, const Table* table) {
  CpsPlotSeries series[MODELS];
  int count = 0;
  for (int m = 0; m < MODELS; ++m) {
    if (isnan(table->step[m][0])) continue;
    series[count++] = (CpsPlotSeries){cps_rod_model_name(models[m]), table->size, table->step[m], table->size_count};
  }
  CpsPlot plot = {.title = "A step of one rod",
                  .x = {.label = "elements", .log = true},
                  .y = {.label = "seconds", .log = true},
                  .series = series,
                  .series_count = count,
                  .level = NAN};
  char path[1024];
  CpsError error;
  if (cps_plot_write(&plot, cps_bench_path(path, sizeof path, directory, "elements.svg"), &error) != CPS_OK) {
    fprintf(stderr, "%s\n", error.text);
  }
}

static void write_csv(FILE* out, const Table* table) {
  fprintf(out, "model,elements,step_seconds,rows_seconds\n");
  for (int m = 0; m < MODELS; ++m) {
    for (int i = 0; i < table->size_count; ++i) {
      if (isnan(table->step[m][i])) continue;
      fprintf(out, "%s,%.0f,%.6g,%.6g\n", cps_rod_model_name(models[m]), table->size[i], table->step[m][i],
              table->rows[m][i]);
    }
  }
}

int main(int argc, char** argv) {
  const char* out = "bench/results";
  double seconds = 0.2;
  int largest = 512;
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--quick") == 0) {
      seconds = 0.01;
      largest = 64;
    } else if (i + 1 < argc && strcmp(argv[i], "--out") == 0) {
      out = argv[++i];
    } else {
      fprintf(stderr,
              "bench-elements [--out DIR] [--quick]\n"
              "  Cost of a step and of a contact of one rod with N elements; writes elements.md, .csv and .svg.\n");
      return strcmp(argv[i], "--help") == 0 ? 0 : 2;
    }
  }
  Table table = {0};
  for (int n = 2; n <= largest; n *= 2) table.size[table.size_count++] = n;
  for (int m = 0; m < MODELS; ++m) {
    for (int i = 0; i < table.size_count; ++i) {
      table.step[m][i] = table.rows[m][i] = NAN;
      measure(models[m], (int)table.size[i], seconds, &table.step[m][i], &table.rows[m][i]);
    }
  }
  FILE *report = cps_bench_open(out, "elements.md"), *csv = cps_bench_open(out, "elements.csv");
  if (!report || !csv) return 3;
  write_report(report, &table);
  write_report(stdout, &table);
  write_csv(csv, &table);
  write_plot(out, &table);
  return (fclose(report) == 0) & (fclose(csv) == 0) ? 0 : 3;
}
