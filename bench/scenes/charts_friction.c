// Figures of one body and its friction: ramp, pinch, slide, tip, roll, disc.
#include "scenes/charts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double g = 9.81, degree = 3.14159265358979323846 / 180.0;

static double way(CpsVec3 a, CpsVec3 b) {
  return sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}

// Adds the way of body 0 from its start, `points` times until `time`.
static bool follow_way(const Studio* studio, const char* scene, const char* settings, double time, int points,
                       Curve* curve) {
  Stage s;
  if (!stage_open(studio, scene, settings, &s)) return false;
  CpsVec3 start = stage_body(&s, 0).centre;
  bool good = true;
  for (int k = 1; k <= points && good; ++k) {
    good = stage_run(&s, time * k / points, NULL) &&
           curve_add(curve, time * k / points, way(stage_body(&s, 0).centre, start));
  }
  stage_close(&s);
  return good;
}

bool draw_ramp(const Studio* studio) {
  Curve curves[3] = {0};
  const char* labels[] = {"mu = tan + 0.001", "mu = tan - 0.001", "a t^2 / 2"};
  double angle = 20.0 * degree, a = g * (sin(angle) - (tan(angle) - 1e-3) * cos(angle));
  if (!follow_way(studio, "ramp.yaml", "", 100.0, 200, &curves[0]) ||
      !follow_way(studio, "ramp.yaml", "margin=-1e-3", 100.0, 200, &curves[1])) {
    return false;
  }
  for (int k = 1; k <= 200; ++k) curve_add(&curves[2], 0.5 * k, 0.5 * a * 0.25 * k * k);
  printf("  distance after 100 s: %.3g m at + 0.001, %.9g m at - 0.001 (a t^2 / 2 = %.9g m)\n", curves[0].y[199],
         curves[1].y[199], curves[2].y[199]);
  for (int k = 0; k < 200; ++k) curves[0].y[k] = fmax(curves[0].y[k], 1e-20);
  CpsPlot plot = {.title = "Block on a ramp of 20 degrees",
                  .x = {.label = "time, s"},
                  .y = {.label = "distance, m", .log = true, .fixed = true, .low = 1e-20, .high = 1e3},
                  .level = 1e-10,
                  .level_label = "1e-10 m"};
  return write_plot(studio, "ramp.svg", plot, labels, curves, 3);
}

// A map of 20 x 20 cells, drawn by hand.
bool draw_ramp_grid(const Studio* studio) {
  enum { N = 20, CELL = 18, LEFT = 60, TOP = 20 };
  FILE* out = fopen(studio_path(studio, "ramp-grid.svg"), "w");
  if (!out) return false;
  fprintf(out,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 600 440\" width=\"600\">\n<style>"
          ".paper{fill:#fff}text{fill:#333;font:13px sans-serif}.rest{fill:#0072b2}.slide{fill:#e69f00}.bad{fill:#d00}"
          ".line{stroke:#222;stroke-width:2;fill:none}@media (prefers-color-scheme:dark){.paper{fill:#16181d}"
          "text{fill:#d0d3d8}.line{stroke:#fff}}</style>\n<rect class=\"paper\" width=\"600\" height=\"440\"/>\n");
  int right = 0, resting = 0;
  double worst_rest = 0.0, worst_slide = 0.0;
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < N; ++j) {
      double angle = (2.0 + 43.0 * i / 19.0) * degree, mu = 0.05 + 0.96 * j / 19.0, time = 2.0;
      char settings[128];
      Stage s;
      snprintf(settings, sizeof settings, "angle=%.17g mu=%.17g", angle, mu);
      if (!stage_open(studio, "ramp.yaml", settings, &s)) return false;
      CpsVec3 start = stage_body(&s, 0).centre;
      if (!stage_run(&s, time, NULL)) return false;
      CpsBodyState end = stage_body(&s, 0);
      stage_close(&s);
      double a = g * (sin(angle) - mu * cos(angle)), moved = way(end.centre, start);
      double error = fabs(way(end.velocity, (CpsVec3){0, 0, 0}) / (a * time) - 1.0);
      bool rests = mu > tan(angle), good = rests ? moved < 1e-10 : error < 1e-3;
      right += good;
      resting += rests;
      if (rests) worst_rest = fmax(worst_rest, moved);
      if (!rests) worst_slide = fmax(worst_slide, error);
      fprintf(out, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n",
              !good   ? "bad"
              : rests ? "rest"
                      : "slide",
              LEFT + i * CELL, TOP + (N - 1 - j) * CELL, CELL - 2, CELL - 2);
    }
  }
  fputs("<polyline class=\"line\" points=\"", out);
  for (int k = 0; k <= 86; ++k) {
    double angle = 2.0 + 0.5 * k, mu = tan(angle * degree);
    fprintf(out, " %.2f,%.2f", LEFT + ((angle - 2.0) / 43.0 * 19.0 + 0.5) * CELL,
            TOP + (N - 0.5 - (mu - 0.05) / 0.96 * 19.0) * CELL);
  }
  fprintf(out, "\"/>\n<text x=\"%d\" y=\"%d\">2 deg</text><text x=\"%d\" y=\"%d\">45 deg: angle of the ramp</text>\n",
          LEFT, TOP + N * CELL + 18, LEFT + N * CELL - 40, TOP + N * CELL + 18);
  fprintf(out, "<text x=\"4\" y=\"%d\">mu 1.01</text><text x=\"4\" y=\"%d\">mu 0.05</text>\n", TOP + 14,
          TOP + N * CELL - 6);
  fprintf(out, "<text x=\"440\" y=\"60\">blue: rests</text><text x=\"440\" y=\"80\">orange: slides</text>\n");
  fprintf(out, "<text x=\"440\" y=\"100\">line: mu = tan(angle)</text></svg>\n");
  printf(
      "  %d of %d cells correct; %d rest and move at most %.2g m; the others slide, with an error in speed of at most "
      "%.2g\n",
      right, N * N, resting, worst_rest, worst_slide);
  return fclose(out) == 0;
}

bool draw_pinch(const Studio* studio) {
  static const struct {
    const char *label, *settings;
  } CASES[] = {{"20 times, upright", "factor=20"},
               {"20 times, 30 deg", "factor=20 tilt=30deg"},
               {"50 times, 60 deg", "factor=50 tilt=60deg"},
               {"95 times, 120 deg", "factor=95 tilt=120deg lean=20deg"}};
  Curve curves[4] = {0};
  const char* labels[4];
  for (int k = 0; k < 4; ++k) {
    labels[k] = CASES[k].label;
    if (!follow_way(studio, "pinch.yaml", CASES[k].settings, 10.0, 200, &curves[k])) return false;
    printf("  %s: slip after 10 s %.2g m, %.2g m/s\n", labels[k], curves[k].y[199], 0.1 * curves[k].y[199]);
    for (int i = 0; i < 200; ++i) curves[k].y[i] = fmax(curves[k].y[i], 1e-20);
  }
  CpsPlot plot = {.title = "Pinched capsule",
                  .x = {.label = "time, s"},
                  .y = {.label = "slip, m", .log = true, .fixed = true, .low = 1e-20, .high = 1.0},
                  .level = 5e-4,
                  .level_label = "50 um/s for 10 s"};
  return write_plot(studio, "pinch.svg", plot, labels, curves, 4);
}

// Speed of body 0 and its spin times a radius, over time.
static bool follow_speed(const Studio* studio, const char* scene, const char* settings, double time, int points,
                         double radius, Curve* v, Curve* spin) {
  Stage s;
  if (!stage_open(studio, scene, settings, &s)) return false;
  bool good = true;
  for (int k = 0; k <= points && good; ++k) {
    good = stage_run(&s, time * k / points, NULL);
    CpsBodyState b = stage_body(&s, 0);
    curve_add(v, time * k / points, hypot(b.velocity.x, b.velocity.y));
    if (spin) curve_add(spin, time * k / points, radius * hypot(b.angular_velocity.y, b.angular_velocity.z));
  }
  stage_close(&s);
  return good;
}

bool draw_slide(const Studio* studio) {
  static const char* const LABELS[] = {"mu 0.2", "mu 0.3", "mu 0.6"};
  static const char* const SETTINGS[] = {"mu=0.2", "mu=0.3", "mu=0.6"};
  static const double MU[] = {0.2, 0.3, 0.6};
  Curve curves[3] = {0};
  for (int k = 0; k < 3; ++k) {
    Stage s;
    if (!follow_speed(studio, "slide.yaml", SETTINGS[k], 2.0, 200, 0.0, &curves[k], NULL)) return false;
    if (!stage_open(studio, "slide.yaml", SETTINGS[k], &s) || !stage_run(&s, 2.0, NULL)) return false;
    printf("  mu %g: stops after %.6f m, v^2 / (2 mu g) = %.6f m\n", MU[k], stage_body(&s, 0).centre.x,
           9.0 / (2.0 * MU[k] * g));
    stage_close(&s);
  }
  CpsPlot plot = {
      .title = "A block slides to rest", .x = {.label = "time, s"}, .y = {.label = "speed, m/s"}, .level = NAN};
  return write_plot(studio, "slide.svg", plot, LABELS, curves, 3);
}

bool draw_tip(const Studio* studio) {
  static const char* const LABELS[] = {"lean after 0.3 s"};
  Curve curve = {0};
  for (int k = 0; k <= 40; ++k) {
    double mu = 0.3 + 0.01 * k;
    char settings[96];
    Stage s;
    snprintf(settings, sizeof settings, "mu=%g width=0.2 height=0.4 speed=4", mu);
    if (!stage_open(studio, "slide.yaml", settings, &s) || !stage_run(&s, 0.3, NULL)) return false;
    CpsQuat q = stage_body(&s, 0).pose.rotation;
    curve_add(&curve, mu, acos(fmin(1.0, 1.0 - 2.0 * (q.x * q.x + q.y * q.y))) / degree);
    stage_close(&s);
  }
  CpsPlot plot = {.title = "Tall block, width / height = 1/2: slides upright below mu = 0.5, tips above",
                  .x = {.label = "mu", .fixed = true, .low = 0.3, .high = 0.7},
                  .y = {.label = "lean, degrees"},
                  .level = NAN};
  return write_plot(studio, "tip.svg", plot, LABELS, &curve, 1);
}

bool draw_roll(const Studio* studio) {
  static const char* const LABELS[] = {"speed", "spin x radius"};
  Curve curves[2] = {0};
  if (!follow_speed(studio, "roll.yaml", "", 0.8, 200, 0.1, &curves[0], &curves[1])) return false;
  CpsPlot plot = {.title = "From slipping to rolling",
                  .x = {.label = "time, s"},
                  .y = {.label = "m/s"},
                  .level = 15.0 / 7.0,
                  .level_label = "5/7 v"};
  return write_plot(studio, "roll.svg", plot, LABELS, curves, 2);
}

bool draw_disc(const Studio* studio) {
  static const char* const LABELS[] = {"speed, pushed", "speed, pushed and spun", "spin x R, pushed and spun",
                                       "spin x R, spun"};
  Curve curves[4] = {0}, unused = {0};
  bool good = follow_speed(studio, "puck.yaml", "speed=1", 0.6, 300, 0.04, &curves[0], NULL) &&
              follow_speed(studio, "puck.yaml", "speed=1 spin=50", 0.6, 300, 0.04, &curves[1], &curves[2]) &&
              follow_speed(studio, "puck.yaml", "speed=0 spin=50", 0.6, 300, 0.04, &unused, &curves[3]);
  curve_free(&unused);
  if (!good) return false;
  CpsPlot plot = {.title = "A disc slides and spins", .x = {.label = "time, s"}, .y = {.label = "m/s"}, .level = NAN};
  return write_plot(studio, "disc.svg", plot, LABELS, curves, 4);
}
