// Shared by the programs that run scenes of grains with other parameters: worlds of scenes, steps, exponents, figures. PROGRAM is the name
// of the program.
#ifndef CAPSTAN_BENCH_GRAINS_SCENES_H
#define CAPSTAN_BENCH_GRAINS_SCENES_H

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capstan/array.h"
#include "capstan/grains.h"
#include "capstan/scene.h"
#include "draw/plot.h"

enum { MOST = 16, TEXT = 128 };

static inline void stop(const char* what) {
  fprintf(stderr, "%s: %s\n", PROGRAM, what);
  exit(1);
}

typedef struct Setting {
  char text[MOST][TEXT];
  int count;
} Setting;

__attribute__((format(printf, 2, 3))) static inline void set(Setting* s, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(s->text[s->count++], TEXT, format, arguments);
  va_end(arguments);
}

static inline CpsWorld* open(const char* name, const Setting* s) {
  char path[1024];
  const char* texts[MOST];
  CpsError error = {{0}};
  CpsScene* scene = NULL;
  CpsWorld* world = NULL;
  (void)snprintf(path, sizeof path, "%s/scenes/%s", SOURCE_DIR, name);
  for (int i = 0; i < s->count; ++i) texts[i] = s->text[i];
  if (cps_scene_load(path, texts, s->count, &scene, &error) != CPS_OK ||
      cps_scene_build(scene, 0, &world, &error) != CPS_OK) {
    stop(error.text);
  }
  cps_scene_destroy(scene);
  return world;
}

static inline int64_t step(CpsWorld* world) {
  CpsError error = {{0}};
  CpsStepInfo info;
  const CpsStatus status = cps_world_step(world, &info, &error);
  if (status < 0) stop(error.text);
  return status > 0;
}

// The exponent of y against x over the points from x = low to high.
static inline double exponent(const double* x, const double* y, int count, double low, double high) {
  double n = 0.0, sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
  for (int i = 0; i < count; ++i) {
    if (x[i] < low || x[i] > high) continue;
    const double a = log(x[i]), b = log(y[i]);
    n += 1.0, sx += a, sy += b, sxx += a * a, sxy += a * b;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

static inline void draw(const char* out, const char* name, const CpsPlot* plot) {
  char path[1024];
  CpsError error = {{0}};
  (void)snprintf(path, sizeof path, "%s/%s.svg", out, name);
  if (cps_plot_write(plot, path, &error) != CPS_OK) stop(error.text);
}

#endif
