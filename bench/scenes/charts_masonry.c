// Pictures of stacked things: wall, arch, cards, dominoes, heavy on light.
#include "scenes/charts.h"
#include "scenes/picture.h"

#include <math.h>
#include <stdio.h>

// Adds a panel with the world of a stage.
static void show(Picture* picture, const Stage* stage, const char* caption) {
  picture_panel(picture, caption);
  picture_world(picture, stage->scene, stage->world);
  picture_panel_end(picture);
}

// One panel for each time, with the caption before the time.
static bool show_times(const Studio* studio, Picture* picture, const char* scene, const char* settings,
                       const char* caption, const double* times, int count) {
  Stage s;
  if (!stage_open(studio, scene, settings, &s)) return false;
  for (int k = 0; k < count; ++k) {
    char text[96];
    if (!stage_run(&s, times[k], NULL)) return false;
    snprintf(text, sizeof text, "%st = %g s", caption, times[k]);
    show(picture, &s, text);
  }
  stage_close(&s);
  return true;
}

bool draw_wall(const Studio* studio) {
  static const double STANDS[] = {3.0}, STRUCK[] = {0.15, 0.5};
  Picture picture;
  Window window = {-1.3, 1.3, -0.05, 0.85};
  return picture_begin(&picture, studio_path(studio, "wall.svg"), window, 3, 3, 250.0) &&
         show_times(studio, &picture, "wall.yaml", "", "stands: ", STANDS, 1) &&
         show_times(studio, &picture, "wall.yaml", "strike=8", "struck: ", STRUCK, 2) && picture_end(&picture);
}

bool draw_arch(const Studio* studio) {
  static const double STANDS[] = {60.0}, FALLS[] = {1.0, 1.5, 2.0};
  Picture picture;
  Window window = {-1.9, 1.9, -0.1, 2.0};
  return picture_begin(&picture, studio_path(studio, "arch.svg"), window, 4, 2, 360.0) &&
         show_times(studio, &picture, "arch.yaml", "mu=0.32", "mu = 0.32, ", STANDS, 1) &&
         show_times(studio, &picture, "arch.yaml", "mu=0.30", "mu = 0.30, ", FALLS, 3) && picture_end(&picture);
}

bool draw_arch_limit(const Studio* studio) {
  static const char* const LABELS[] = {"crown after 1 s"};
  Curve curve = {0};
  for (int k = 0; k <= 20; ++k) {
    double mu = 0.300 + 0.001 * k;
    char settings[48];
    Stage s;
    snprintf(settings, sizeof settings, "mu=%.3f", mu);
    if (!stage_open(studio, "arch.yaml", settings, &s)) return false;
    double start = stage_body(&s, 7).centre.z;
    if (!stage_run(&s, 1.0, NULL)) return false;
    double fall = fabs(start - stage_body(&s, 7).centre.z);
    printf("  mu %.3f: crown falls by %.3g m\n", mu, fall);
    curve_add(&curve, mu, fmax(fall, 1e-17));
    stage_close(&s);
  }
  CpsPlot plot = {.title = "Arch of 15 stones: static limit mu = 0.3090",
                  .x = {.label = "mu", .fixed = true, .low = 0.30, .high = 0.32},
                  .y = {.label = "drop of the crown, m", .log = true, .fixed = true, .low = 1e-17, .high = 10.0},
                  .level = NAN};
  return write_plot(studio, "arch-limit.svg", plot, LABELS, &curve, 1);
}

bool draw_cards(const Studio* studio) {
  static const double STANDS[] = {5.0}, FALLS[] = {0.1, 0.3};
  Picture picture;
  Window window = {-0.14, 0.14, -0.01, 0.19};
  return picture_begin(&picture, studio_path(studio, "cards.svg"), window, 3, 3, 250.0) &&
         show_times(studio, &picture, "cards.yaml", "", "mu = 0.6, ", STANDS, 1) &&
         show_times(studio, &picture, "cards.yaml", "mu=0.1", "mu = 0.1, ", FALLS, 2) && picture_end(&picture);
}

bool draw_dominoes(const Studio* studio) {
  static const double TIMES[] = {0.0, 0.4, 0.8, 2.0};
  static const char* const LABELS[] = {"begins to lean"};
  enum { COUNT = 20 };
  Picture picture;
  Window window = {-0.05, 0.87, -0.01, 0.08};
  if (!picture_begin(&picture, studio_path(studio, "dominoes.svg"), window, 4, 1, 720.0) ||
      !show_times(studio, &picture, "dominoes.yaml", "", "", TIMES, 4) || !picture_end(&picture)) {
    return false;
  }
  Stage s;
  double begin[COUNT] = {0};
  if (!stage_open(studio, "dominoes.yaml", "", &s)) return false;
  while (cps_world_time(s.world) < 1.5) {
    if (!stage_run(&s, cps_world_time(s.world) + 1e-3, NULL)) return false;
    for (int i = 0; i < COUNT; ++i) {
      CpsQuat q = stage_body(&s, i).pose.rotation;
      if (begin[i] == 0.0 && 2.0 * fabs(q.y) > 0.02) begin[i] = cps_world_time(s.world);
    }
  }
  stage_close(&s);
  Curve curve = {0};
  for (int i = 0; i < COUNT; ++i) curve_add(&curve, begin[i], i);
  printf("  the wave takes %.3f s from domino 10 to 19: %.3f m/s\n", begin[19] - begin[10],
         9 * 0.04 / (begin[19] - begin[10]));
  CpsPlot plot = {.title = "The wave along the dominoes",
                  .x = {.label = "time, s"},
                  .y = {.label = "index of the domino"},
                  .level = NAN};
  return write_plot(studio, "domino-wave.svg", plot, LABELS, &curve, 1);
}

bool draw_heavy(const Studio* studio) {
  static const char* const LABELS[] = {"fastest body"};
  Curve curve = {0};
  Stage s;
  if (!stage_open(studio, "heavy.yaml", "", &s)) return false;
  int64_t unsolved = 0;
  for (int k = 0; k < 2500; ++k) {
    CpsStepInfo info;
    CpsStatus status = cps_world_step(s.world, &info, NULL);
    if (status < 0) return false;
    unsolved += status > 0;
    double fastest = 0.0;
    for (int i = 0; i < 4; ++i) {
      CpsVec3 v = stage_body(&s, i).velocity;
      fastest = fmax(fastest, sqrt(v.x * v.x + v.y * v.y + v.z * v.z));
    }
    curve_add(&curve, info.time, fmax(fastest, 1e-17));
  }
  CpsVec3 x = stage_body(&s, 3).centre;
  printf("  heavy block moved to (%.6f, %.6f, %.6f), %d steps unsolved\n", x.x, x.y, x.z, (int)unsolved);
  stage_close(&s);
  CpsPlot plot = {.title = "10 000 kg on three blocks of 1 kg",
                  .x = {.label = "time, s"},
                  .y = {.label = "m/s", .log = true, .fixed = true, .low = 1e-17, .high = 1.0},
                  .level = NAN};
  return write_plot(studio, "heavy.svg", plot, LABELS, &curve, 1);
}
