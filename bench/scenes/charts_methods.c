// Figures that compare the exact cone with facets, and methods with each other: puck, triangle, column.
#include "scenes/charts.h"

#include <math.h>
#include <stdio.h>

bool draw_puck(const Studio* studio) {
  static const char* const LABELS[] = {"exact cone", "4 facets inside", "4 facets outside"};
  // a faceted cone also turns the puck; that is left out here
  static const char* const SETTINGS[] = {
      "", "bodies.puck.fixed_rotation=true solver.method=lemke time.step=5ms",
      "bodies.puck.fixed_rotation=true solver.method=gs solver.local=pyramid solver.iterations=50 time.step=5ms "
      "solver.facet_kind=outer"};
  Curve curves[3] = {0};
  for (int k = 0; k < 3; ++k) {
    double least = INFINITY, most = 0.0;
    for (int direction = 0; direction <= 360; direction += k == 0 ? 1 : 2) {
      char settings[256];
      Stage s;
      snprintf(settings, sizeof settings, "speed=1 direction=%ddeg %s", direction, SETTINGS[k]);
      if (!stage_open(studio, "puck.yaml", settings, &s) || !stage_run(&s, k == 0 ? 0.4 : 0.7, NULL)) return false;
      CpsVec3 end = stage_body(&s, 0).centre;
      stage_close(&s);
      curve_add(&curves[k], end.x, end.y);
      least = fmin(least, hypot(end.x, end.y));
      most = fmax(most, hypot(end.x, end.y));
    }
    printf("  %s: distance between %.12f and %.12f m, spread %.2g m\n", LABELS[k], least, most, most - least);
  }
  CpsPlot plot = {.title = "Where a puck stops, pushed in all directions",
                  .x = {.label = "x, m", .fixed = true, .low = -0.47, .high = 0.47},
                  .y = {.label = "y, m", .fixed = true, .low = -0.3, .high = 0.3},
                  .level = NAN};
  return write_plot(studio, "puck.svg", plot, LABELS, curves, 3);
}

bool draw_triangle(const Studio* studio) {
  static const struct {
    const char *label, *settings;
  } CASES[] = {{"exact cone", "time.step=1ms"},
               {"3 inside", "solver.method=lemke solver.facets=3"},
               {"4 inside", "solver.method=lemke solver.facets=4"},
               {"6 inside", "solver.method=lemke solver.facets=6"},
               {"8 inside", "solver.method=lemke solver.facets=8"},
               {"3 outside", "solver.method=lemke solver.facets=3 solver.facet_kind=outer"},
               {"4 outside", "solver.method=lemke solver.facets=4 solver.facet_kind=outer"},
               {"6 outside", "solver.method=lemke solver.facets=6 solver.facet_kind=outer"},
               {"8 outside", "solver.method=lemke solver.facets=8 solver.facet_kind=outer"},
               {"2 inside", "solver.method=lemke solver.facets=2"}};
  enum { CASE_COUNT = 10, DRAWN = 9, POINTS = 300 };
  Curve curves[CASE_COUNT] = {0};
  const char* labels[CASE_COUNT];
  for (int k = 0; k < CASE_COUNT; ++k) {
    char settings[160];
    Stage s;
    labels[k] = CASES[k].label;
    snprintf(settings, sizeof settings, "time.step=2ms %s", CASES[k].settings);
    if (!stage_open(studio, "triangle.yaml", settings, &s)) return false;
    for (int i = 0; i <= POINTS; ++i) {
      if (!stage_run(&s, 15.0 * i / POINTS, NULL)) return false;
      CpsVec3 x = stage_body(&s, 0).centre;
      curve_add(&curves[k], x.x, x.y);
    }
    CpsVec3 end = stage_body(&s, 0).centre;
    printf("  %s: open by %.5f m\n", labels[k], hypot(end.x, end.y));
    stage_close(&s);
  }
  curve_free(&curves[DRAWN]);
  CpsPlot plot = {.title = "Triangle: three pulls of 5 s by 1.1 mu m g",
                  .x = {.label = "x, m", .fixed = true, .low = -13.0, .high = 12.0},
                  .y = {.label = "y, m", .fixed = true, .low = -6.0, .high = 10.0},
                  .level = NAN};
  return write_plot(studio, "triangle.svg", plot, labels, curves, DRAWN);
}

bool draw_column(const Studio* studio) {
  static const struct {
    const char *label, *settings;
  } CASES[] = {{"gs", "solver.method=gs"},   {"lemke", "solver.method=lemke"}, {"mcp", "solver.method=mcp"},
               {"cpg", "solver.method=cpg"}, {"theta = 1", "time.theta=1"},    {"theta = 0.75", "time.theta=0.75"}};
  Curve curves[6] = {0};
  const char* labels[6];
  for (int k = 0; k < 6; ++k) {
    Stage s;
    CpsStepInfo info;
    int64_t unsolved = 0, iterations = 0;
    double worst = 0.0, residual = 0.0;
    labels[k] = CASES[k].label;
    if (!stage_open(studio, "column.yaml", CASES[k].settings, &s)) return false;
    for (int i = 0; i < 3000; ++i) {
      CpsStatus status = cps_world_step(s.world, &info, NULL);
      if (status < 0) return false;
      unsolved += status > 0;
      iterations += info.iterations;
      residual = fmax(residual, info.residual);
      CpsEnergy e = cps_world_energy(s.world);
      double change = fabs(e.kinetic + e.potential - e.start) / e.start;
      worst = fmax(worst, change);
      if (i % 5 == 4) curve_add(&curves[k], info.time, fmax(change, 1e-17));
    }
    stage_close(&s);
    printf("  %s: energy error at most %.2g, %d steps unsolved, largest residual %.2g, %d iterations\n", labels[k],
           worst, (int)unsolved, residual, (int)iterations);
  }
  CpsPlot plot = {.title = "Column of 8 elastic balls: change of the total energy",
                  .x = {.label = "time, s"},
                  .y = {.label = "relative change", .log = true, .fixed = true, .low = 1e-17, .high = 1e-1},
                  .level = 1e-10,
                  .level_label = "1e-10"};
  return write_plot(studio, "column.svg", plot, labels, curves, 6);
}
