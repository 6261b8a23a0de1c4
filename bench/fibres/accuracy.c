// Accuracy against cost of the nine models of a rod (after figure 2.6 of Bertails-Descoubes 2017).
//
// A naturally curled rod, clamped at one end with its tangent level, is released from its natural shape and swings down. For
// each model and resolution:
//
//   at rest    largest distance of 21 points from the reference at equilibrium, in lengths of the rod
//   swinging   the same 0.3 s after the release
//   cost       processor time of a step, and of the swing
//
// in a plane (all models; a mass-spring chain keeps no natural twist) and in space. The references are super-clothoids of
// high resolution, that of the swing extrapolated in the step. All implicit models swing with the same step, so that their
// errors do not go below that of the step, about 1e-3; the explicit one takes half the longest step at which it is stable.
// Each time is the shortest of several, in processor time, so that other programs on the machine count little.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "draw/plot.h"
#include "model/rod.h"

enum { POINTS = 21, MOST_SIZES = 8, STATIC_STEPS = 4000, CASES = 2 };

static const double LENGTH = 0.4, SWING = 0.3, STEP = 1e-4;
static const CpsVec3 GRAVITY = {0.0, 0.0, -9.81};
static const CpsVec3 NATURAL[CASES] = {{0.0, 10.0, 0.0}, {8.0, 12.0, 5.0}};
static const char* const CASE_NAMES[CASES] = {"in a plane", "in space"};

typedef struct Shape {
  CpsVec3 x[POINTS];
} Shape;

typedef struct Result {
  int32_t elements;
  double at_rest, swinging;   // errors in lengths of the rod
  double step, step_seconds;  // s
} Result;

typedef struct Row {
  CpsRodModel model;
  int count;
  Result result[MOST_SIZES];
} Row;

// Resolutions of each model; 0 ends the list.
static const int32_t SIZES[CPS_ROD_MODEL_COUNT][MOST_SIZES] = {
    [CPS_ROD_SUPER_HELIX] = {2, 4, 8, 16, 32, 64},     [CPS_ROD_SUPER_HELIX_RECURSIVE] = {2, 4, 8, 16, 32, 64, 128},
    [CPS_ROD_SUPER_CLOTHOID] = {1, 2, 4, 8, 16, 32},   [CPS_ROD_MASS_SPRING] = {4, 8, 16, 32, 64, 128},
    [CPS_ROD_CORDE] = {4, 8, 16, 32, 64, 128},         [CPS_ROD_CORDE_EXPLICIT] = {4, 8},
    [CPS_ROD_DER] = {4, 8, 16, 32, 64, 128, 256},      [CPS_ROD_DER_INEXTENSIBLE] = {4, 8, 16, 32, 64, 128, 256},
    [CPS_ROD_DER_PROJECTED] = {4, 8, 16, 32, 64, 128},
};

static CpsRod make(CpsRodModel model, int32_t elements, int which, bool settles) {
  CpsFibreDef def = cps_fibre_def_default();
  def.model = model;
  def.elements = elements;
  def.length = LENGTH;
  def.radius = 1e-3;
  def.young = 2.5e8;
  def.natural_count = 1;
  def.natural = &NATURAL[which];
  def.root.kind = CPS_END_CLAMPED;
  def.damping = 5e-4;
  // the drag that stops the swing soonest; it does not change where the rod ends
  def.drag = settles ? 0.05 : 0.0;
  CpsRod rod;
  CpsError error = {0};
  if (cps_rod_create(&def, &rod, &error) != CPS_OK) {
    fprintf(stderr, "%s\n", error.text);
    exit(1);
  }
  return rod;
}

static void step_on(CpsRod* rod, double h) {
  const CpsModelStep step = {.h = h, .theta = 1.0, .gravity = GRAVITY};
  rod->root.now = rod->root.next;
  rod->tip.now = rod->tip.next;
  rod->type->begin(rod, &step);
  rod->type->receive(rod, NULL);
  rod->type->advance(rod, &step);
  rod->type->refresh(rod);
}

static Shape shape_of(const CpsRod* rod) {
  Shape shape;
  for (int i = 0; i < POINTS; ++i) shape.x[i] = rod->type->at(rod, LENGTH * i / (POINTS - 1)).position;
  return shape;
}

static double distance(const Shape* a, const Shape* b) {
  double worst = 0.0;
  for (int i = 0; i < POINTS; ++i) {
    double d = cps_vec3_norm(cps_vec3_sub(a->x[i], b->x[i])) / LENGTH;
    // what is not a number is worst of all
    if (!(d <= worst)) worst = d;
  }
  return worst;
}

static double speed_of(const CpsRod* rod) {
  double worst = 0.0;
  for (int i = 1; i <= 4; ++i)
    worst = fmax(worst, cps_vec3_norm(rod->type->velocity(rod, LENGTH * i / 4.0, CPS_VELOCITY_AFTER)));
  return worst;
}

// The longest of the steps STEP / 2^k at which an explicit rod stays within reach for 0.05 s, halved.
static double stable_step(CpsRodModel model, int32_t elements, int which) {
  if (model != CPS_ROD_CORDE_EXPLICIT) return STEP;
  for (double h = STEP; h > 1e-8; h *= 0.5) {
    CpsRod rod = make(model, elements, which, false);
    bool good = true;
    for (double t = 0.0; good && t < 0.05; t += h) {
      step_on(&rod, h);
      good = cps_vec3_norm(rod.type->at(&rod, LENGTH).position) < 1.2 * LENGTH;
    }
    cps_rod_free(&rod);
    if (good) return 0.5 * h;
  }
  return 1e-8;
}

static Shape settle(CpsRodModel model, int32_t elements, int which, double h) {
  CpsRod rod = make(model, elements, which, true);
  bool explicit_forces = model == CPS_ROD_CORDE_EXPLICIT;
  double dt = explicit_forces ? h : 5e-3, until = explicit_forces ? 2.0 : STATIC_STEPS * dt;
  for (double t = 0.0; t < until; t += dt) {
    step_on(&rod, dt);
    if (t > 0.5 && speed_of(&rod) < 1e-9) break;
  }
  Shape shape = shape_of(&rod);
  cps_rod_free(&rod);
  return shape;
}

// The swing; *seconds gets the processor time of a step, the shortest mean of a tenth of it.
static Shape swing(CpsRodModel model, int32_t elements, int which, double h, double* seconds) {
  CpsRod rod = make(model, elements, which, false);
  int steps = (int)(SWING / h + 0.5), part = steps / 10;
  *seconds = INFINITY;
  for (int i = 0; i < 10; ++i) {
    int count = i == 9 ? steps - 9 * part : part;
    double start = cps_clock_cpu();
    for (int k = 0; k < count; ++k) step_on(&rod, h);
    *seconds = fmin(*seconds, (cps_clock_cpu() - start) / count);
  }
  Shape shape = shape_of(&rod);
  cps_rod_free(&rod);
  return shape;
}

// A super-clothoid at rest, and its swing extrapolated to no step at all.
static void make_references(int which, Shape* at_rest, Shape* swinging) {
  double ignored;
  *at_rest = settle(CPS_ROD_SUPER_CLOTHOID, 48, which, STEP);
  Shape coarse = swing(CPS_ROD_SUPER_CLOTHOID, 16, which, 5e-5, &ignored);
  Shape fine = swing(CPS_ROD_SUPER_CLOTHOID, 16, which, 2.5e-5, &ignored);
  for (int i = 0; i < POINTS; ++i) swinging->x[i] = cps_vec3_axpy(cps_vec3_scale(2.0, fine.x[i]), -1.0, coarse.x[i]);
}

static Row measure(CpsRodModel model, int which, const Shape* at_rest, const Shape* swinging, bool quick) {
  Row row = {.model = model};
  for (int i = 0; i < MOST_SIZES && SIZES[model][i] > 0; ++i) {
    if (quick && i >= 3) break;
    Result* result = &row.result[row.count++];
    result->elements = SIZES[model][i];
    result->step = stable_step(model, result->elements, which);
    Shape shape = settle(model, result->elements, which, result->step);
    result->at_rest = distance(&shape, at_rest);
    shape = swing(model, result->elements, which, result->step, &result->step_seconds);
    result->swinging = distance(&shape, swinging);
  }
  return row;
}

static void print_table(FILE* file, const Row* rows, int count) {
  fprintf(file, "| model | elements | error at rest | error swinging | step | time per step | time of the swing |\n");
  fprintf(file, "|---|---|---|---|---|---|---|\n");
  for (int i = 0; i < count; ++i) {
    for (int k = 0; k < rows[i].count; ++k) {
      const Result* r = &rows[i].result[k];
      fprintf(file, "| %s | %d | %.1e | %.1e | %.1e s | %.1f µs | %.3g s |\n",
              k == 0 ? cps_rod_model_name(rows[i].model) : "", r->elements, r->at_rest, r->swinging, r->step,
              1e6 * r->step_seconds, r->step_seconds * SWING / r->step);
    }
  }
}

// The coarsest rod of each model that is within an error, and what a step of it takes.
static void print_summary(FILE* file, const Row* rows, int count) {
  static const double ERRORS[] = {1e-2, 1e-3, 1e-4};
  fprintf(file, "| model | error < 1e-2 | error < 1e-3 | error < 1e-4 |\n|---|---|---|---|\n");
  for (int i = 0; i < count; ++i) {
    fprintf(file, "| `%s` |", cps_rod_model_name(rows[i].model));
    for (int e = 0; e < 3; ++e) {
      int k = 0;
      while (k < rows[i].count && !(rows[i].result[k].at_rest < ERRORS[e])) ++k;
      const Result* r = &rows[i].result[k];
      if (k == rows[i].count) {
        fprintf(file, " – |");
      } else {
        fprintf(file, " %d, %.0f µs |", r->elements, 1e6 * r->step_seconds);
      }
    }
    fprintf(file, "\n");
  }
}

static bool draw(const char* path, const char* title, const Row* rows, int count) {
  double x[CPS_ROD_MODEL_COUNT][MOST_SIZES], y[CPS_ROD_MODEL_COUNT][MOST_SIZES];
  CpsPlotSeries series[CPS_ROD_MODEL_COUNT];
  for (int i = 0; i < count; ++i) {
    for (int k = 0; k < rows[i].count; ++k) {
      const Result* r = &rows[i].result[k];
      x[i][k] = r->step_seconds * SWING / r->step;
      y[i][k] = r->at_rest;
    }
    series[i] = (CpsPlotSeries){cps_rod_model_name(rows[i].model), x[i], y[i], rows[i].count};
  }
  CpsPlot plot = {.title = title,
                  .x = {.label = "CPU time of the swing (s)", .log = true},
                  .y = {.label = "error at rest / length of the rod", .log = true},
                  .series = series,
                  .series_count = count,
                  .mark_ends = true,
                  .level = NAN};
  CpsError error = {0};
  if (cps_plot_write(&plot, path, &error) == CPS_OK) return true;
  fprintf(stderr, "%s: %s\n", path, error.text);
  return false;
}

// Measures one case, writes its tables and its figure.
static bool run_case(int which, bool quick, const char* out, FILE* full, FILE* summary) {
  Shape at_rest, swinging;
  Row rows[CPS_ROD_MODEL_COUNT];
  int count = 0;
  make_references(which, &at_rest, &swinging);
  for (int model = 0; model < CPS_ROD_MODEL_COUNT; ++model) {
    if (which == 1 && model == CPS_ROD_MASS_SPRING) continue;
    rows[count] = measure((CpsRodModel)model, which, &at_rest, &swinging, quick);
    print_table(stdout, &rows[count++], 1);
    fflush(stdout);
  }
  fprintf(full, "\nA curl %s:\n\n", CASE_NAMES[which]);
  print_table(full, rows, count);
  fprintf(summary, "\nA curl %s, elements and time per step:\n\n", CASE_NAMES[which]);
  print_summary(summary, rows, count);
  char title[64], path[1024];
  snprintf(title, sizeof title, "A hanging curl %s", CASE_NAMES[which]);
  snprintf(path, sizeof path, "%s/rods-%s.svg", out, which == 0 ? "plane" : "space");
  return draw(path, title, rows, count);
}

static FILE* open_table(const char* out, const char* name, const char* title) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", out, name);
  FILE* file = fopen(path, "w");
  if (!file) {
    fprintf(stderr, "cannot write %s\n", path);
    exit(1);
  }
  fprintf(file, "# %s\n", title);
  return file;
}

int main(int argc, char** argv) {
  const char* out = ".";
  bool quick = false, good = true;
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--quick") == 0) quick = true;
    if (strcmp(argv[i], "--out") == 0 && i + 1 < argc) out = argv[++i];
  }
  FILE* full = open_table(out, "rods.md", "Accuracy and cost of the rod models");
  FILE* summary = open_table(out, "rods-summary.md", "Rod models at equal accuracy");
  for (int which = 0; which < CASES; ++which) good = run_case(which, quick, out, full, summary) && good;
  good = fclose(full) == 0 && good;
  good = fclose(summary) == 0 && good;
  return good ? 0 : 1;
}
