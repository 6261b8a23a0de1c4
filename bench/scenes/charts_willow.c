// The weeping willow: how it hangs and sways, and how its energy falls when nothing drives it.
#include "capstan/fibre.h"
#include "io/scene/internal.h"
#include "scenes/charts.h"
#include "scenes/picture.h"

#include <math.h>

enum { POINTS = 33 };

// Draws the arc lengths [start, start + length], a branch.
static void put_branch(Picture* picture, const Stage* s, double start, double length, int colour) {
  double xz[2 * POINTS];
  for (int i = 0; i < POINTS; ++i) {
    CpsFibrePoint point = {0};
    // where one branch ends the next begins
    double a = start + length * (1e-9 + (1.0 - 2e-9) * i / (POINTS - 1));
    cps_world_fibre_at(s->world, cps_world_fibre(s->world, 0), a, &point);
    xz[2 * i] = point.position.x;
    xz[2 * i + 1] = point.position.z;
  }
  picture_path(picture, xz, POINTS, colour);
}

static void put_tree(Picture* picture, const Stage* s) {
  const CpsFibreDef* def = &s->scene->fibre_groups[0].def;
  double start = def->length;
  for (int32_t b = 0; b < def->branch_count; ++b) {
    put_branch(picture, s, start, def->branches[b].length, def->branches[b].parent < 0 ? 1 : 2);
    start += def->branches[b].length;
  }
  put_branch(picture, s, 0.0, def->length, 0);
}

static bool draw_tree(const Studio* studio) {
  static const double TIMES[] = {0.0, 1.0, 2.0, 4.0, 6.0, 8.0};
  Picture picture;
  Window window = {-2.0, 2.0, -0.1, 4.2};
  Stage s;
  if (!stage_open(studio, "willow.yaml", "", &s)) return false;
  if (!picture_begin(&picture, studio_path(studio, "willow.svg"), window, 6, 3, 260.0)) return false;
  for (int k = 0; k < 6; ++k) {
    char caption[32];
    if (TIMES[k] > 0.0 && !stage_run(&s, TIMES[k], NULL)) return false;
    snprintf(caption, sizeof caption, "t = %g s", TIMES[k]);
    picture_panel(&picture, caption);
    put_tree(&picture, &s);
    picture_panel_end(&picture);
  }
  stage_close(&s);
  return picture_end(&picture);
}

static double total_energy(const Stage* s, double* kinetic) {
  CpsEnergy e = cps_world_energy(s->world);
  *kinetic = e.kinetic;
  return e.kinetic + e.potential + e.elastic;
}

bool draw_willow(const Studio* studio) {
  static const char* const LABELS[] = {"kinetic", "lost so far"};
  Curve curves[2] = {{0}};
  Stage s;
  double kinetic, largest_rise = -1.0;
  if (!draw_tree(studio) || !stage_open(studio, "willow.yaml", "gust=0", &s)) return false;
  double first = total_energy(&s, &kinetic), last = first;
  for (int i = 1; i <= 2000; ++i) {
    CpsStepInfo info;
    if (cps_world_step(s.world, &info, NULL) < 0) return false;
    double now = total_energy(&s, &kinetic);
    if (now - last > largest_rise) largest_rise = now - last;
    last = now;
    if (i % 5 == 0 && (!curve_add(&curves[0], info.time, kinetic) || !curve_add(&curves[1], info.time, first - now))) {
      return false;
    }
  }
  printf("  without wind: lost %.4g J in 8 s, largest change of energy in a step %.3g J\n", first - last, largest_rise);
  stage_close(&s);
  CpsPlot plot = {.title = "Weeping willow without wind, from its natural shape",
                  .x = {.label = "time, s"},
                  .y = {.label = "energy, J", .log = true},
                  .level = NAN};
  return write_plot(studio, "willow-energy.svg", plot, LABELS, curves, 2);
}
