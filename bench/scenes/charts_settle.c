// Balls that settle in a box: iterations and contacts over time, and the table of Renouf, Acary and Dumont (2005).
#include "scenes/charts.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

bool draw_settle(const Studio* studio) {
  static const char* const LABELS[] = {"80", "160", "320"};
  static const char* const NAMES[] = {"settle-80.yaml", "settle-160.yaml", "settle-320.yaml"};
  Curve contacts[3] = {0}, iterations[3] = {0};
  for (int k = 0; k < 3; ++k) {
    Stage s;
    CpsStepInfo info = {0};
    if (!stage_open(studio, NAMES[k], "", &s)) return false;
    while (info.time < 8.0 - 1e-9) {
      if (cps_world_step(s.world, &info, NULL) < 0) return false;
      curve_add(&contacts[k], info.time, info.contacts);
      curve_add(&iterations[k], info.time, fmax(1.0, (double)info.iterations));
    }
    stage_close(&s);
  }
  CpsPlot plot = {
      .title = "Settling balls: contacts", .x = {.label = "time, s"}, .y = {.label = "contacts"}, .level = NAN};
  if (!write_plot(studio, "settle-contacts.svg", plot, LABELS, contacts, 3)) return false;
  plot.title = "Settling balls: iterations per step";
  plot.y = (CpsPlotAxis){.label = "iterations", .log = true};
  return write_plot(studio, "settle-iterations.svg", plot, LABELS, iterations, 3);
}

// n_b balls, n_c contacts (mean over the steps that have some), S_p simulated time over CPU time of one core, g_max largest
// penetration in percent of the radius.
static bool row(const Studio* studio, const char* name, const char* settings, double time) {
  Stage s;
  CpsStepInfo info = {0};
  int64_t touching = 0, steps = 0, unsolved = 0, iterations = 0;
  double contacts = 0.0, deepest = 0.0;
  if (!stage_open(studio, name, settings, &s)) return false;
  double h = cps_world_settings(s.world).step;
  clock_t start = clock();
  while (info.time < time - 0.5 * h) {
    CpsStatus status = cps_world_step(s.world, &info, NULL);
    if (status < 0) return false;
    steps++;
    unsolved += status > 0;
    touching += info.contacts > 0;
    contacts += info.contacts;
    iterations += info.iterations;
    deepest = fmax(deepest, info.penetration);
  }
  double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  printf("| %d | %.0f | %g | %.3g | %.4f | %.1f | %d of %d |\n", (int)cps_world_body_count(s.world),
         contacts / (double)touching, h, time / seconds, 100.0 * deepest / 0.25, (double)iterations / (double)steps,
         (int)unsolved, (int)steps);
  fflush(stdout);
  stage_close(&s);
  return true;
}

bool draw_settle_table(const Studio* studio) {
  printf(
      "| n_b | n_c | h, s | S_p | g_max, %% of r | iterations per step | unsolved |\n|---|---|---|---|---|---|---|\n");
  static const char* const NAMES[] = {"settle-80.yaml", "settle-160.yaml", "settle-320.yaml"};
  for (int k = 0; k < 3; ++k) {
    if (!row(studio, NAMES[k], "time.step=20ms", 8.0) || !row(studio, NAMES[k], "time.step=40ms", 8.0)) return false;
  }
  return row(studio, "settle-10000.yaml", "bodies.balls.grid.count=[10,10,10] width=6", 2.0) &&
         row(studio, "settle-10000.yaml", "", 0.6);
}
