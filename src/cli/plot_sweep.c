// Plots of sweeps (plot_sweep.h).
#include "cli/plot_sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/run_report.h"
#include "cli/sweep_table.h"
#include "draw/plot.h"

enum { CURVES = 14, LABEL = 160 };  // number of colours times dash patterns

// A point of a curve: the mean over the seeds.
typedef struct Point {
  double x, sum;
  int count;
} Point;

typedef struct Curves {
  char labels[CURVES][LABEL];
  Point* points[CURVES];
  int sizes[CURVES], count;
} Curves;

bool cps_is_sweep(const char* path) {
  char text[CPS_SWEEP_PATH];
  int length = snprintf(text, sizeof text, "%s/sweep.txt", path);
  return length > 0 && length < CPS_SWEEP_PATH && access(text, F_OK) == 0;
}

static bool is_seed(const CpsSweep* sweep, int32_t axis) {
  return strcmp(sweep->plan.axes[axis].key, "seed") == 0;
}

// The first key whose values are all numbers, seeds only if there is no other; -1 if there is none.
static int32_t find_axis(const CpsSweep* sweep) {
  int32_t seed = -1;
  for (int32_t a = 0; a < sweep->plan.axis_count; ++a) {
    bool numeric = true;
    for (int64_t i = 0; i < sweep->plan.case_count; ++i) numeric = numeric && !isnan(cps_sweep_number(sweep, i, a));
    if (numeric && !is_seed(sweep, a)) return a;
    if (numeric && seed < 0) seed = a;
  }
  return seed;
}

// "angle=10 deg, count=200": the keys other than that along x and the seed.
static void label_case(const CpsSweep* sweep, int64_t number, int32_t x, char label[LABEL]) {
  size_t at = 0;
  label[0] = '\0';
  for (int32_t a = 0; a < sweep->plan.axis_count; ++a) {
    if (a == x || is_seed(sweep, a)) continue;
    char text[512];
    cps_sweep_set(&sweep->plan, number, a, text, sizeof text);
    at += (size_t)snprintf(label + at, LABEL - at, "%s%.60s", at > 0 ? ", " : "", text);
    if (at >= LABEL) return;
  }
}

static int find_curve(Curves* c, const char* label, int64_t cases) {
  for (int i = 0; i < c->count; ++i) {
    if (strcmp(c->labels[i], label) == 0) return i;
  }
  if (c->count == CURVES) return -1;
  c->points[c->count] = malloc((size_t)cases * sizeof *c->points[0]);
  if (!c->points[c->count]) return -2;
  strcpy(c->labels[c->count], label);
  return c->count++;
}

static void add_point(Curves* c, int curve, double x, double y) {
  Point* points = c->points[curve];
  for (int i = 0; i < c->sizes[curve]; ++i) {
    if (points[i].x != x) continue;
    points[i].sum += y;
    ++points[i].count;
    return;
  }
  points[c->sizes[curve]++] = (Point){x, y, 1};
}

static int by_x(const void* a, const void* b) {
  double p = ((const Point*)a)->x, q = ((const Point*)b)->x;
  return (p > q) - (p < q);
}

static int gather_curves(const CpsSweep* sweep, const CpsSweepTable* table, int32_t x, Curves* c) {
  for (int64_t i = 0; i < table->rows; ++i) {
    char label[LABEL];
    if (isnan(table->values[i])) continue;
    label_case(sweep, i, x, label);
    int curve = find_curve(c, label, table->rows);
    if (curve == -1) return cps_complain("%s: more than %d curves, too many for one plot", sweep->folder, CURVES);
    if (curve == -2) return cps_complain("out of memory");
    add_point(c, curve, cps_sweep_number(sweep, i, x), table->values[i]);
  }
  if (c->count == 0) return cps_complain("%s: no case has a value for this quantity yet", sweep->folder);
  for (int k = 0; k < c->count; ++k) qsort(c->points[k], (size_t)c->sizes[k], sizeof *c->points[k], by_x);
  return CPS_EXIT_OK;
}

static int draw(const CpsSweep* sweep, const char* what, const Curves* c, int32_t x, const char* output, bool quiet) {
  CpsPlotSeries series[CURVES];
  int64_t all = 0;
  for (int k = 0; k < c->count; ++k) all += c->sizes[k];
  double* room = malloc((2 * (size_t)all + 1) * sizeof *room);
  if (!room) return cps_complain("out of memory");
  double* at = room;
  for (int k = 0; k < c->count; ++k) {
    int size = c->sizes[k];
    for (int i = 0; i < size; ++i) {
      at[i] = c->points[k][i].x;
      at[size + i] = c->points[k][i].sum / c->points[k][i].count;
    }
    series[k] = (CpsPlotSeries){c->labels[k][0] ? c->labels[k] : what, at, at + size, size};
    at += 2 * (size_t)size;
  }
  const CpsSweepAxis* axis = &sweep->plan.axes[x];
  char name[128], title[300], label[200];
  cps_run_base_name(sweep->scene, name, sizeof name);
  snprintf(title, sizeof title, "%s: %.100s", name, what);
  snprintf(label, sizeof label, "%s%s%s%s", axis->key, axis->unit[0] ? " (" : "", axis->unit, axis->unit[0] ? ")" : "");
  CpsPlot plot = {.title = title,
                  .x = {.label = label},
                  .y = {.label = what},
                  .series = series,
                  .series_count = c->count,
                  .level = NAN};
  CpsError error;
  int code = CPS_EXIT_OK;
  if (cps_plot_write(&plot, output, &error) != CPS_OK) {
    code = cps_complain("%s", error.text);
  } else if (!quiet) {
    printf("wrote %s\n", output);
  }
  free(room);
  return code;
}

int cps_plot_sweep(const char* folder, const char* what, const char* output, bool quiet) {
  CpsSweep sweep;
  CpsSweepTable table;
  CpsError error;
  if (strchr(what, ',')) return cps_complain("--what: the plot of a sweep shows one quantity, not '%s'", what);
  if (cps_sweep_read(folder, &sweep, &error) != CPS_OK) return cps_complain("%s", error.text);
  int code = CPS_EXIT_BAD_INPUT;
  int32_t x = find_axis(&sweep);
  Curves* curves = calloc(1, sizeof *curves);
  if (!curves) {
    cps_complain("out of memory");
  } else if (x < 0) {
    cps_complain("%s: no varied key has numeric values to plot against", folder);
  } else if (cps_sweep_gather(&sweep, what, &table, &error) != CPS_OK) {
    cps_complain("%s", error.text);
  } else {
    code = gather_curves(&sweep, &table, x, curves);
    if (code == CPS_EXIT_OK) code = draw(&sweep, what, curves, x, output, quiet);
    cps_sweep_table_free(&table);
  }
  for (int k = 0; curves && k < curves->count; ++k) free(curves->points[k]);
  free(curves);
  cps_sweep_free_read(&sweep);
  return code;
}
