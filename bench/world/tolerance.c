// Error left by a tolerance: five scenes, each run with tolerances from 1e-2 to 1e-8 and compared with a run at 1e-10.
//
// Velocity: from each tenth state of the reference one step is taken with the tolerance; the largest difference of a velocity,
// in parts of g h, is the error that the solver leaves in a step. Position: the run with the tolerance goes on by itself
// for the time of the scene; the largest difference of a position at its end is what the errors of all steps add up to. A
// run in which nothing is as it was would differ by as much; chaos, where there is any, is part of it.
#include "capstan/capstan.h"
#include "capstan/fibre.h"
#include "capstan/scene.h"
#include "core/clock.h"
#include "draw/plot.h"
#include "friction/machine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOLERANCES = 6, EVERY = 10, POINTS = 9, OVERRIDES = 3 };
static const double tolerances[TOLERANCES] = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8};
static const double REFERENCE = 1e-10, G = 9.81;

typedef struct Example {
  const char *label, *file, *overrides[OVERRIDES];
  double begin, end;  // the common state, and where positions are compared, s
} Example;

static const Example EXAMPLES[] = {
    {"sliding block", "slide.yaml", {NULL}, 0.0, 0.5},
    {"dominoes", "dominoes.yaml", {NULL}, 0.0, 0.5},
    {"falling heap", "settle-80.yaml", {NULL}, 0.0, 1.0},
    {"struck wall", "wall.yaml", {"strike=8", "bodies.wall.wall.columns=5", "bodies.wall.wall.rows=5"}, 0.0, 0.2},
    {"lock of hair", "lock.yaml", {"solver.tolerance=1e-6"}, 0.1, 0.4},
};
enum { EXAMPLE_COUNT = sizeof EXAMPLES / sizeof *EXAMPLES };

typedef struct Figures {
  double velocity, position;  // parts of g h; m
  double seconds;             // processor time of a step
  int64_t unsolved;
} Figures;

static void stop(const char* what, const CpsError* error) {
  fprintf(stderr, "%s: %s\n", what, error->text);
  exit(1);
}

static CpsWorld* open_world(const char* scenes, const Example* x, double tolerance) {
  char path[1024];
  CpsError error = {{0}};
  CpsScene* scene = NULL;
  CpsWorld* world = NULL;
  int32_t count = 0;
  while (count < OVERRIDES && x->overrides[count]) count++;
  snprintf(path, sizeof path, "%s/%s", scenes, x->file);
  if (cps_scene_load(path, x->overrides, count, &scene, &error) != CPS_OK ||
      cps_scene_build(scene, 0, &world, &error) != CPS_OK) {
    stop(path, &error);
  }
  cps_scene_destroy(scene);
  CpsWorldDef def = cps_world_settings(world);
  def.adaptive = false;
  def.solver.tolerance = tolerance;
  def.solver.max_iterations = 20000;
  if (cps_world_configure(world, &def, &error) != CPS_OK) stop(path, &error);
  return world;
}

static void step(CpsWorld* world, const char* label, int64_t* unsolved) {
  CpsError error = {{0}};
  CpsStatus status = cps_world_step(world, NULL, &error);
  if (status < 0) stop(label, &error);
  *unsolved += status > 0;
}

static void copy(const CpsWorld* from, CpsWorld* to) {
  size_t size = cps_world_state_size(from);
  void* bytes = malloc(size);
  CpsError error = {{0}};
  if (!bytes || cps_world_save(from, bytes, size, &error) != CPS_OK ||
      cps_world_load(to, bytes, size, &error) != CPS_OK) {
    stop("a state", &error);
  }
  free(bytes);
}

static double distance(CpsVec3 a, CpsVec3 b) {
  return sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}

// Largest distance of two bodies or points of fibres.
static double position_difference(const CpsWorld* a, const CpsWorld* b) {
  double worst = 0.0;
  for (int32_t i = 0; i < cps_world_body_count(a); ++i) {
    CpsBodyState s = {0}, t = {0};
    (void)cps_world_body_state(a, cps_world_body(a, i), &s);
    (void)cps_world_body_state(b, cps_world_body(b, i), &t);
    worst = fmax(worst, distance(s.centre, t.centre));
  }
  for (int32_t i = 0; i < cps_world_fibre_count(a); ++i) {
    CpsVec3 p[POINTS], q[POINTS];
    (void)cps_world_fibre_points(a, cps_world_fibre(a, i), POINTS, p);
    (void)cps_world_fibre_points(b, cps_world_fibre(b, i), POINTS, q);
    for (int k = 0; k < POINTS; ++k) worst = fmax(worst, distance(p[k], q[k]));
  }
  return worst;
}

// After one step from a common state positions differ by h theta times what velocities do.
static double velocity_difference(const CpsWorld* a, const CpsWorld* b) {
  CpsWorldDef def = cps_world_settings(a);
  return position_difference(a, b) / (def.step * def.theta) / (G * def.step);
}

static void go_to(CpsWorld* world, double time, const char* label, int64_t* unsolved) {
  double h = cps_world_settings(world).step;
  while (cps_world_time(world) < time - 0.5 * h) step(world, label, unsolved);
}

static void measure(const char* scenes, const Example* x, Figures figures[TOLERANCES]) {
  CpsWorld* exact = open_world(scenes, x, REFERENCE);
  CpsWorld *one[TOLERANCES], *run[TOLERANCES];
  int64_t ignored = 0;
  go_to(exact, x->begin, x->label, &ignored);
  for (int t = 0; t < TOLERANCES; ++t) {
    figures[t] = (Figures){0};
    one[t] = open_world(scenes, x, tolerances[t]);
    run[t] = open_world(scenes, x, tolerances[t]);
    copy(exact, run[t]);
    double begin = cps_clock_cpu();
    go_to(run[t], x->end, x->label, &figures[t].unsolved);
    figures[t].seconds = (cps_clock_cpu() - begin) / ((x->end - x->begin) / cps_world_settings(exact).step);
  }
  double h = cps_world_settings(exact).step;
  for (int64_t k = 0; cps_world_time(exact) < x->end - 0.5 * h; ++k) {
    for (int t = 0; k % EVERY == 0 && t < TOLERANCES; ++t) copy(exact, one[t]);
    step(exact, x->label, &ignored);
    for (int t = 0; k % EVERY == 0 && t < TOLERANCES; ++t) {
      step(one[t], x->label, &ignored);
      figures[t].velocity = fmax(figures[t].velocity, velocity_difference(one[t], exact));
    }
  }
  for (int t = 0; t < TOLERANCES; ++t) {
    figures[t].position = position_difference(run[t], exact);
    cps_world_destroy(one[t]);
    cps_world_destroy(run[t]);
  }
  cps_world_destroy(exact);
}

static void write_tables(FILE* out, Figures (*figures)[TOLERANCES]) {
  static const char* const titles[3] = {"Largest velocity error in one step, in units of g h",
                                        "Largest position error at the end, mm", "CPU time per step, ms"};
  fprintf(out, "# Error left by a tolerance\n\n");
  cps_bench_print_machine(out);
  for (int k = 0; k < 3; ++k) {
    fprintf(out, "\n%s:\n\n| scene |", titles[k]);
    for (int t = 0; t < TOLERANCES; ++t) fprintf(out, " %.0e |", tolerances[t]);
    fprintf(out, "\n|---|");
    for (int t = 0; t < TOLERANCES; ++t) fprintf(out, "---:|");
    for (int e = 0; e < EXAMPLE_COUNT; ++e) {
      fprintf(out, "\n| %s, %g s |", EXAMPLES[e].label, EXAMPLES[e].end - EXAMPLES[e].begin);
      for (int t = 0; t < TOLERANCES; ++t) {
        const Figures* f = &figures[e][t];
        fprintf(out, " %.2g%s |",
                k == 0   ? f->velocity
                : k == 1 ? 1e3 * f->position
                         : 1e3 * f->seconds,
                k == 1 && f->unsolved > 0 ? " (steps unsolved)" : "");
      }
    }
    fputc('\n', out);
  }
}

static void draw(const char* path, const char* title, const char* label, bool velocity,
                 Figures (*figures)[TOLERANCES]) {
  double y[EXAMPLE_COUNT][TOLERANCES];
  CpsPlotSeries series[EXAMPLE_COUNT];
  for (int e = 0; e < EXAMPLE_COUNT; ++e) {
    for (int t = 0; t < TOLERANCES; ++t) y[e][t] = velocity ? figures[e][t].velocity : 1e3 * figures[e][t].position;
    series[e] = (CpsPlotSeries){EXAMPLES[e].label, tolerances, y[e], TOLERANCES};
  }
  CpsPlot plot = {.title = title,
                  .x = {.label = "tolerance", .log = true},
                  .y = {.label = label, .log = true},
                  .series = series,
                  .series_count = EXAMPLE_COUNT,
                  .level = NAN};
  CpsError error = {{0}};
  if (cps_plot_write(&plot, path, &error) != CPS_OK) stop(path, &error);
}

int main(int argc, char** argv) {
  const char *out = "bench/results", *scenes = "scenes";
  for (int i = 1; i + 1 < argc; ++i) {
    if (strcmp(argv[i], "--out") == 0) out = argv[i + 1];
    if (strcmp(argv[i], "--scenes") == 0) scenes = argv[i + 1];
  }
  static Figures figures[EXAMPLE_COUNT][TOLERANCES];
  for (int e = 0; e < EXAMPLE_COUNT; ++e) {
    fprintf(stderr, "%s\n", EXAMPLES[e].label);
    measure(scenes, &EXAMPLES[e], figures[e]);
  }
  FILE* file = cps_bench_open(out, "tolerance.md");
  if (!file) return 1;
  write_tables(file, figures);
  fclose(file);
  char path[1024];
  draw(cps_bench_path(path, sizeof path, out, "tolerance-velocity.svg"),
       "Error of one step as a function of the tolerance", "error of a velocity / (g h)", true, figures);
  draw(cps_bench_path(path, sizeof path, out, "tolerance-position.svg"),
       "Error of a run as a function of the tolerance", "error of a position, mm", false, figures);
  return 0;
}
