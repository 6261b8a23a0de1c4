// The double loop and Painleve's rod.
#include "scenes/charts.h"
#include "scenes/picture.h"

#include <math.h>
#include <stdio.h>

enum { MOST_PATH = 4000 };

typedef struct Ride {
  double path[2 * MOST_PATH];
  int count;
  int64_t steps, quick, unsolved;
  double far;
} Ride;

static bool take_ride(const Studio* studio, const char* settings, Ride* ride, Curve* iterations) {
  Stage s;
  CpsStepInfo info = {0};
  *ride = (Ride){0};
  if (!stage_open(studio, "loop.yaml", settings, &s)) return false;
  CpsVec3 x = stage_body(&s, 0).centre;
  while (info.time < 2.6 && x.z > -0.3) {
    CpsStatus status = cps_world_step(s.world, &info, NULL);
    if (status < 0) return false;
    x = stage_body(&s, 0).centre;
    ride->far = fmax(ride->far, x.x);
    if (info.index % 5 == 0 && ride->count < MOST_PATH) {
      ride->path[2 * ride->count] = x.x;
      ride->path[2 * ride->count++ + 1] = x.z;
    }
    if (info.contacts == 0) continue;
    ride->steps++;
    ride->quick += info.iterations <= 5;
    ride->unsolved += status > 0;
    if (iterations) curve_add(iterations, info.time, (double)info.iterations);
  }
  stage_close(&s);
  return true;
}

bool draw_loop(const Studio* studio) {
  static const char* const MU[] = {"0", "0.05", "0.1", "0.2"};
  static const char* const LABELS[] = {"mu 0.2"};
  static Ride ride;
  Picture picture;
  Curve iterations = {0};
  Window window = {-1.4, 2.6, -0.25, 0.95};
  if (!picture_begin(&picture, studio_path(studio, "loop.svg"), window, 4, 2, 400.0)) return false;
  for (int k = 0; k < 4; ++k) {
    char settings[48], caption[96];
    Stage s;
    snprintf(settings, sizeof settings, "mu=%s", MU[k]);
    if (!take_ride(studio, settings, &ride, k == 3 ? &iterations : NULL)) return false;
    printf("  mu %s: x up to %.3f m; %d of %d steps within 5 iterations, %d unsolved\n", MU[k], ride.far,
           (int)ride.quick, (int)ride.steps, (int)ride.unsolved);
    snprintf(caption, sizeof caption, "mu = %s", MU[k]);
    if (!stage_open(studio, "loop.yaml", settings, &s)) return false;
    picture_panel(&picture, caption);
    picture_world(&picture, s.scene, s.world);
    picture_path(&picture, ride.path, ride.count, 1);
    picture_panel_end(&picture);
    stage_close(&s);
  }
  if (!picture_end(&picture)) return false;
  CpsPlot plot = {.title = "Double loop: iterations of newton-ac to 1e-11",
                  .x = {.label = "time, s"},
                  .y = {.label = "iterations", .fixed = true, .low = 0.0, .high = 15.0},
                  .level = 5.0,
                  .level_label = "5"};
  return write_plot(studio, "loop-iterations.svg", plot, LABELS, &iterations, 1);
}

bool draw_painleve(const Studio* studio) {
  static const char* const LABELS[] = {"unsolved steps"};
  Picture picture;
  Stage s;
  Window window = {-0.3, 0.8, -0.1, 1.0};
  if (!stage_open(studio, "painleve.yaml", "", &s) ||
      !picture_begin(&picture, studio_path(studio, "painleve.svg"), window, 1, 1, 320.0)) {
    return false;
  }
  picture_panel(&picture, "a belt pulls the foot to the right");
  picture_world(&picture, s.scene, s.world);
  picture_panel_end(&picture);
  stage_close(&s);
  if (!picture_end(&picture)) return false;
  Curve curve = {0};
  for (int k = 0; k <= 32; ++k) {
    double mu = 0.40 + 0.01 * k;
    char settings[48];
    int unsolved = 0;
    snprintf(settings, sizeof settings, "mu=%.2f", mu);
    if (!stage_open(studio, "painleve.yaml", settings, &s)) return false;
    for (int i = 0; i < 20; ++i) {
      CpsStatus status = cps_world_step(s.world, NULL, NULL);
      if (status < 0) return false;
      unsolved += status > 0;
    }
    stage_close(&s);
    curve_add(&curve, mu, unsolved / 20.0);
  }
  CpsPlot plot = {.title = "Painleve's rod: no solution above mu = 0.564",
                  .x = {.label = "mu", .fixed = true, .low = 0.4, .high = 0.72},
                  .y = {.label = "fraction of steps reported", .percent = true},
                  .steps = true,
                  .level = NAN};
  return write_plot(studio, "painleve-limit.svg", plot, LABELS, &curve, 1);
}
