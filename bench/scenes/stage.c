// Opening scenes, running them, and collecting curves.
#include "scenes/charts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool stage_open(const Studio* studio, const char* name, const char* settings, Stage* stage) {
  char path[512], texts[512];
  const char* list[MOST_SETTINGS];
  int32_t count = 0;
  CpsError error = {{0}};
  *stage = (Stage){0};
  snprintf(path, sizeof path, "%s/%s", studio->scenes, name);
  snprintf(texts, sizeof texts, "%s", settings);
  for (char* word = texts; *word && count < MOST_SETTINGS;) {
    size_t length = strcspn(word, " ");
    bool last = word[length] == '\0';
    word[length] = '\0';
    if (length > 0) list[count++] = word;
    word += length + !last;
  }
  if (cps_scene_load(path, list, count, &stage->scene, &error) == CPS_OK &&
      cps_scene_build(stage->scene, 0, &stage->world, &error) == CPS_OK) {
    return true;
  }
  fprintf(stderr, "%s\n", error.text);
  stage_close(stage);
  return false;
}

void stage_close(Stage* stage) {
  cps_world_destroy(stage->world);
  cps_scene_destroy(stage->scene);
  *stage = (Stage){0};
}

CpsBodyState stage_body(const Stage* stage, int32_t i) {
  CpsBodyState state = {0};
  cps_world_body_state(stage->world, cps_world_body(stage->world, i), &state);
  return state;
}

bool stage_run(Stage* stage, double time, CpsStepInfo* last) {
  CpsError error = {{0}};
  CpsStepInfo info = {0};
  double h = cps_world_settings(stage->world).step;
  while (cps_world_time(stage->world) < time - 0.5 * h) {
    if (cps_world_step(stage->world, &info, &error) < 0) {
      fprintf(stderr, "%s\n", error.text);
      return false;
    }
  }
  if (last) *last = info;
  return true;
}

const char* studio_path(const Studio* studio, const char* name) {
  static char path[512];
  snprintf(path, sizeof path, "%s/%s", studio->images, name);
  return path;
}

bool curve_add(Curve* curve, double x, double y) {
  if (curve->count == curve->capacity) {
    int capacity = curve->capacity ? 2 * curve->capacity : 256;
    double* xs = realloc(curve->x, (size_t)capacity * sizeof *xs);
    if (xs) curve->x = xs;
    double* ys = realloc(curve->y, (size_t)capacity * sizeof *ys);
    if (ys) curve->y = ys;
    if (!xs || !ys) return false;
    curve->capacity = capacity;
  }
  curve->x[curve->count] = x;
  curve->y[curve->count++] = y;
  return true;
}

void curve_free(Curve* curve) {
  free(curve->x);
  free(curve->y);
  *curve = (Curve){0};
}

bool write_plot(const Studio* studio, const char* name, CpsPlot plot, const char* const* labels, Curve* curves,
                int count) {
  CpsPlotSeries series[16];
  for (int k = 0; k < count; ++k) series[k] = (CpsPlotSeries){labels[k], curves[k].x, curves[k].y, curves[k].count};
  plot.series = series;
  plot.series_count = count;
  CpsError error = {{0}};
  CpsStatus status = cps_plot_write(&plot, studio_path(studio, name), &error);
  if (status != CPS_OK) fprintf(stderr, "%s\n", error.text);
  for (int k = 0; k < count; ++k) curve_free(&curves[k]);
  return status == CPS_OK;
}
