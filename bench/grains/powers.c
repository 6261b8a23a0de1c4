// Powers of drag and discharge of sand against what is published, with figures.
//
// Each point is a run of a scene of scenes/ with other parameters. Exponents are least squares of logarithms.
//
// drag: the mean force on a bar or a rod while it moves on by one cell. The bar lies half-way between two rows of nodes and is an even
// number of cells thick, so that as many rows are in it as it is thick; the rod ends half-way between two layers. discharge: mass that
// falls below the floor per time.
//
// usage: bench-grains-powers [--out DIRECTORY] [drag | rod | silo | silo-round]     writes grains-powers.md and figures
#define PROGRAM "bench-grains-powers"
#include "scenes.h"

typedef struct Table {
  const char* out;
  FILE* file;
} Table;

static double* positions(const CpsWorld* world, int64_t* count) {
  const CpsThing grains = cps_thing_grains(world);
  *count = cps_world_array_count(world, grains, CPS_QUANTITY_POSITION);
  double* x = malloc(3 * (size_t)*count * sizeof *x);
  if (!x || cps_world_array(world, grains, CPS_QUANTITY_POSITION, x, 3 * sizeof *x) != CPS_OK) stop("out of memory");
  return x;
}

// The mean force against the motion of the last obstacle while it moves on by one cell, after half a cell; unsolved steps are counted.
static double drag(const char* scene, const Setting* s, double cell, double speed, int64_t* unsolved) {
  CpsWorld* world = open(scene, s);
  const int32_t last = cps_world_obstacle_count(world) - 1;
  double sum = 0.0;
  int64_t count = 0;
  while (cps_world_time(world) * speed < 1.5 * cell - 1e-9) {
    CpsVec3 force;
    *unsolved += step(world);
    if (cps_world_grains_force(world, cps_world_obstacle(world, last), &force) != CPS_OK) stop("no force");
    if (cps_world_time(world) * speed <= 0.5 * cell) continue;
    sum -= force.x;
    count++;
  }
  cps_world_destroy(world);
  return sum / (double)count;
}

typedef enum Swept { DIAMETER, DEPTH, SPEED, SWEPT } Swept;
enum { POINTS = 3 };
static const char* const SWEPT_NAME[] = {"diameter", "depth", "speed"};

// One sweep of the bar (plane) or the rod (space): x and y relative to their first values, for the figure.
static void sweep_drag(const Table* t, bool rod, Swept swept, double* x, double* y) {
  static const double VALUE[2][SWEPT][POINTS] = {{{0.08, 0.12, 0.16}, {0.11, 0.15, 0.19}, {0.05, 0.1, 0.2}},
                                                 {{0.06, 0.1, 0.14}, {0.05, 0.07, 0.11}, {0.05, 0.1, 0.2}}};
  static const double FIRST[2][SWEPT] = {{0.08, 0.15, 0.1}, {0.06, 0.07, 0.1}};  // of what is not swept
  const double cell = 0.02;
  fprintf(t->file, "\n%s, %s swept\n\n| %s | force, N | unsolved steps |\n|---:|---:|---:|\n", rod ? "Rod" : "Bar",
          SWEPT_NAME[swept], SWEPT_NAME[swept]);
  for (int i = 0; i < POINTS; ++i) {
    double of[SWEPT];
    for (int k = 0; k < SWEPT; ++k) of[k] = k == (int)swept ? VALUE[rod][swept][i] : FIRST[rod][k];
    Setting s = {0};
    set(&s, "parameters.cell=%g", cell);
    set(&s, "parameters.size=%g", of[DIAMETER]);
    set(&s, "parameters.depth=%g", of[DEPTH]);
    set(&s, "parameters.speed=%g", of[SPEED]);
    set(&s, "parameters.bed=%g", rod ? 0.16 : 0.32);
    set(&s, rod ? "parameters.length=%g" : "parameters.width=%g", rod ? 0.32 : 0.6);
    if (rod) set(&s, "parameters.half=%g", 0.12);
    set(&s, "solver.tolerance=1e-3");  // of what gravity gives in a step
    set(&s, "time.step=%g", 1e-3 / of[SPEED]);
    int64_t unsolved = 0;
    x[i] = of[swept];
    y[i] = drag(rod ? "drag-rod.yaml" : "drag.yaml", &s, cell, of[SPEED], &unsolved);
    fprintf(t->file, "| %g | %.2f | %d |\n", x[i], y[i], (int)unsolved);
    fflush(t->file);
  }
  fprintf(t->file, "\nExponent: %.2f.\n", exponent(x, y, POINTS, 0.0, INFINITY));
  fflush(t->file);
  for (int i = POINTS - 1; i >= 0; --i) x[i] /= x[0], y[i] /= y[0];
}

static void all_drag(const Table* t, bool rod) {
  double x[SWEPT][POINTS], y[SWEPT][POINTS];
  CpsPlotSeries series[SWEPT];
  for (Swept k = DIAMETER; k < SWEPT; ++k) {
    sweep_drag(t, rod, k, x[k], y[k]);
    series[k] = (CpsPlotSeries){SWEPT_NAME[k], x[k], y[k], POINTS};
  }
  const CpsPlot plot = {.title = rod ? "Drag of a rod that stands in sand" : "Drag of a bar in sand",
                        .x = {.label = "diameter, depth or speed / the smallest", .log = true},
                        .y = {.label = "force / that of the smallest", .log = true},
                        .series = series,
                        .series_count = SWEPT,
                        .level = NAN};
  draw(t->out, rod ? "drag-rod-law" : "drag-law", &plot);
}

// Mass below the floor of a silo, kg.
static double fallen(const CpsWorld* world) {
  int64_t count, below = 0;
  double* x = positions(world, &count);
  for (int64_t p = 0; p < count; ++p) below += x[3 * p + 2] <= 0.0;
  free(x);
  return (double)below * cps_world_grains_info(world).mass / (double)count;
}

// The rates in the two halves of the time from 0.15 to 0.35 s, and their mean.
static double discharge(const char* scene, const Setting* s, double half[2]) {
  static const double TIME[3] = {0.15, 0.25, 0.35};
  CpsWorld* world = open(scene, s);
  double mass[3], at[3];
  for (int k = 0; k < 3; ++k) {
    while (cps_world_time(world) < TIME[k] - 1e-9) (void)step(world);
    mass[k] = fallen(world);
    at[k] = cps_world_time(world);
  }
  cps_world_destroy(world);
  for (int k = 0; k < 2; ++k) half[k] = (mass[k + 1] - mass[k]) / (at[k + 1] - at[k]);
  return (mass[2] - mass[0]) / (at[2] - at[0]);
}

static void silos(const Table* t, bool round) {
  enum { OPENINGS = 4 };
  static const double OPENING[2][OPENINGS] = {{0.08, 0.12, 0.16, 0.2}, {0.12, 0.16, 0.2, 0.24}};
  double x[OPENINGS], y[OPENINGS], law[OPENINGS];
  fprintf(t->file, "\n%s\n\n| opening, cm | discharge, kg/s | first half | second half |\n|---:|---:|---:|---:|\n",
          round ? "Round silo (a quarter)" : "Plane silo (of one metre)");
  for (int i = 0; i < OPENINGS; ++i) {
    Setting s = {0};
    set(&s, round ? "parameters.hole=%g" : "parameters.slot=%g", OPENING[round][i]);
    set(&s, "parameters.fill=%g", round ? 0.32 : 0.65);
    set(&s, "parameters.width=%g", round ? 0.2 : 0.4);
    double half[2];
    x[i] = OPENING[round][i];
    y[i] = discharge(round ? "silo-round.yaml" : "silo.yaml", &s, half);
    fprintf(t->file, "| %g | %.4g | %.4g | %.4g |\n", 100.0 * x[i], y[i], half[0], half[1]);
    fflush(t->file);
  }
  const double power = round ? 2.5 : 1.5;
  for (int i = 0; i < OPENINGS; ++i) law[i] = y[0] * pow(x[i] / x[0], power);
  fprintf(t->file, "\nExponent: %.2f (Beverloo: %.1f).\n", exponent(x, y, OPENINGS, 0.0, INFINITY), power);
  const CpsPlotSeries series[] = {{"continuum", x, y, OPENINGS}, {round ? "power 5/2" : "power 3/2", x, law, OPENINGS}};
  const CpsPlot plot = {.title = round ? "Discharge of a round hole" : "Discharge of a slot",
                        .x = {.label = round ? "diameter of the hole, m" : "width of the slot, m", .log = true},
                        .y = {.label = "discharge, kg/s", .log = true},
                        .series = series,
                        .series_count = 2,
                        .level = NAN};
  draw(t->out, round ? "silo-round-law" : "silo-law", &plot);
}

int main(int count, char** arguments) {
  static const char* const NAME[] = {"drag", "rod", "silo", "silo-round"};
  enum { KINDS = 4 };
  bool wanted[KINDS] = {false}, all = true;
  Table t = {.out = "."};
  for (int i = 1; i < count; ++i) {
    int kind = 0;
    while (kind < KINDS && strcmp(arguments[i], NAME[kind]) != 0) ++kind;
    if (strcmp(arguments[i], "--out") == 0 && i + 1 < count) {
      t.out = arguments[++i];
    } else if (kind < KINDS) {
      wanted[kind] = true;
      all = false;
    } else {
      stop("usage: bench-grains-powers [--out DIRECTORY] [drag | rod | silo | silo-round]");
    }
  }
  char path[1024];
  (void)snprintf(path, sizeof path, "%s/grains-powers.md", t.out);
  t.file = fopen(path, "w");
  if (!t.file) stop("the table cannot be written");
  if (all || wanted[0]) all_drag(&t, false);
  if (all || wanted[1]) all_drag(&t, true);
  if (all || wanted[2]) silos(&t, false);
  if (all || wanted[3]) silos(&t, true);
  fclose(t.file);
  return 0;
}
