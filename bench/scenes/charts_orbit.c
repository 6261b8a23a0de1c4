// The periodic orbit of a fibre's end on a turning ball: exact methods on one curve, approximations on others.
#include "capstan/fibre.h"
#include "scenes/charts.h"

#include <math.h>
#include <stdio.h>

bool draw_orbit(const Studio* studio) {
  static const char* const LABELS[] = {"auto",      "gs, mfb",     "gs, enum",     "newton-ac",
                                       "newton-fb", "cadoux-dual", "gs, duriez06", "gs, pyramid"};
  static const char* const SETTINGS[] = {"solver.method=auto",
                                         "solver.method=gs solver.local=mfb",
                                         "solver.method=gs solver.local=enum",
                                         "solver.method=newton-ac",
                                         "solver.method=newton-fb",
                                         "solver.method=cadoux-dual",
                                         "solver.method=gs solver.local=duriez06",
                                         "solver.method=gs solver.local=pyramid"};
  enum { COUNT = sizeof LABELS / sizeof LABELS[0] };
  Curve curves[COUNT] = {{0}};
  for (int i = 0; i < COUNT; ++i) {
    Stage s;
    if (!stage_open(studio, "orbit.yaml", SETTINGS[i], &s)) return false;
    double end = cps_scene_info(s.scene).end, h = cps_world_settings(s.world).step, worst = 0.0;
    if (!stage_run(&s, end - 1.0, NULL)) return false;
    while (cps_world_time(s.world) < end + 0.5 * h) {
      CpsFibrePoint tip = {0};
      cps_world_fibre_at(s.world, cps_world_fibre(s.world, 0), INFINITY, &tip);
      if (!curve_add(&curves[i], 1e3 * tip.position.y, 1e3 * tip.velocity.y)) return false;
      int k = curves[i].count - 1;
      if (k < curves[0].count) worst = fmax(worst, fabs(curves[i].y[k] - curves[0].y[k]));
      if (!stage_run(&s, cps_world_time(s.world) + h, NULL)) return false;
    }
    printf("  %-14s velocities within %.1e mm/s of those of auto\n", LABELS[i], worst);
    stage_close(&s);
  }
  CpsPlot plot = {.title = "End of a fibre on an oscillating ball, mu = 1: one period",
                  .x = {.label = "across the fibre, mm"},
                  .y = {.label = "velocity across, mm/s"},
                  .level = NAN};
  return write_plot(studio, "orbit.svg", plot, LABELS, curves, COUNT);
}
