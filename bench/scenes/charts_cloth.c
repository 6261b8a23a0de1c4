// Figures of cloth: how it slides over a cylinder.
#include "capstan/array.h"
#include "capstan/sheet.h"
#include "scenes/charts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_VERTICES = 121 * 31, CYLINDER_POINTS = 40 };

// Height of the heavy end of the cloth: the last vertex of the first row.
static double end_height(const Stage* s, int along) {
  static CpsVec3 x[MOST_VERTICES];
  CpsSheetInfo info;
  CpsSheetId id = cps_world_sheet(s->world, 0);
  if (cps_world_sheet_info(s->world, id, &info) != CPS_OK || info.vertex_count > MOST_VERTICES) return NAN;
  cps_world_array(s->world, cps_thing_sheet(id), CPS_QUANTITY_POSITION, &x->x, sizeof *x);
  return x[along].z;
}

static bool follow_slip(const Studio* studio, int along, int across, double mu, double offset, double time,
                        Curve* curve) {
  char settings[128];
  Stage s;
  snprintf(settings, sizeof settings, "along=%d across=%d mu=%g offset=%g", along, across, mu, offset);
  if (!stage_open(studio, "cloth-cylinder.yaml", settings, &s)) return false;
  const double start = end_height(&s, along);
  bool good = curve_add(curve, 0.0, 0.0);
  for (int k = 1; k <= CYLINDER_POINTS && good; ++k) {
    const double t = time * k / CYLINDER_POINTS;
    good = stage_run(&s, t, NULL) && curve_add(curve, t, start - end_height(&s, along));
  }
  stage_close(&s);
  if (good) {
    printf("  %d x %d cells, mu %g, offset %g m: slip %.4f m after %g s\n", along, across, mu, offset,
           curve->y[CYLINDER_POINTS], time);
  }
  return good;
}

// Three resolutions at one coefficient of friction.
static bool draw_meshes(const Studio* studio) {
  static const int ALONG[] = {28, 64, 120}, ACROSS[] = {8, 16, 30};
  static const char* const LABELS[] = {"448 elements", "2048 elements", "7200 elements"};
  Curve curves[3] = {0};
  for (int k = 0; k < 3; ++k) {
    if (!follow_slip(studio, ALONG[k], ACROSS[k], 0.13, 0.4, 1.5, &curves[k])) return false;
  }
  CpsPlot plot = {.title = "Cloth on a cylinder, mu = 0.13: three meshes",
                  .x = {.label = "time, s"},
                  .y = {.label = "slip, m"},
                  .level = NAN};
  return write_plot(studio, "cloth-cylinder-meshes.svg", plot, LABELS, curves, 3);
}

// Five coefficients of friction, and five offsets at one of them; a narrow strip slides as a wide cloth does.
static bool draw_five(const Studio* studio, bool offsets) {
  static const char* const MU[] = {"mu = 0.12", "mu = 0.13", "mu = 0.14", "mu = 0.15", "mu = 0.16"};
  static const char* const OFFSET[] = {"offset 0", "0.16 m", "0.32 m", "0.48 m", "0.64 m"};
  Curve curves[5] = {0};
  for (int k = 0; k < 5; ++k) {
    const double mu = offsets ? 0.14 : 0.12 + 0.01 * k, offset = offsets ? 0.16 * k : 0.4;
    if (!follow_slip(studio, 120, 2, mu, offset, offsets ? 1.0 : 1.5, &curves[k])) return false;
  }
  CpsPlot plot = {.title = offsets ? "Cloth on a cylinder, mu = 0.14: five offsets"
                                   : "Cloth on a cylinder: five friction coefficients",
                  .x = {.label = "time, s"},
                  .y = {.label = "slip, m"},
                  .level = NAN};
  return write_plot(studio, offsets ? "cloth-cylinder-offsets.svg" : "cloth-cylinder-friction.svg", plot,
                    offsets ? OFFSET : MU, curves, 5);
}

// Displacements along a strip that is drawn by its end, at four times, and the parabola of the last.
bool draw_strip_pull(const Studio* studio) {
  enum { CELLS = 100 };
  static CpsVec3 start[2 * (CELLS + 1)], x[2 * (CELLS + 1)];
  static const char* const LABELS[] = {"0.5 s", "1 s", "1.5 s", "2 s", "f s^2 / 2 E A"};
  Curve curves[5] = {0};
  Stage s;
  if (!stage_open(studio, "strip-pull.yaml", "", &s)) return false;
  const CpsSheetId id = cps_world_sheet(s.world, 0);
  cps_world_array(s.world, cps_thing_sheet(id), CPS_QUANTITY_POSITION, &start->x, sizeof *start);
  for (int k = 0; k < 4; ++k) {
    if (!stage_run(&s, 0.5 * (k + 1), NULL)) return false;
    cps_world_array(s.world, cps_thing_sheet(id), CPS_QUANTITY_POSITION, &x->x, sizeof *x);
    for (int i = 0; i <= CELLS; ++i) curve_add(&curves[k], start[i].x, 1e3 * (x[i].x - start[i].x));
  }
  const double f = 0.5 * 0.2 * 9.81, stretch = 200.0, slip = 0.8;
  for (int i = 0; i <= CELLS; ++i) {
    const double along = fmax(0.0, start[i].x + slip);
    curve_add(&curves[4], start[i].x, 1e3 * f * along * along / (2.0 * stretch));
  }
  printf("  end at %.5f mm, parabola %.5f mm\n", curves[3].y[CELLS], curves[4].y[CELLS]);
  stage_close(&s);
  CpsPlot plot = {.title = "Strip pulled by its end",
                  .x = {.label = "along the strip, m"},
                  .y = {.label = "displacement, mm"},
                  .level = NAN};
  return write_plot(studio, "strip-pull.svg", plot, LABELS, curves, 5);
}

bool draw_cloth_cylinder(const Studio* studio) {
  return draw_meshes(studio) && draw_five(studio, false) && draw_five(studio, true);
}
