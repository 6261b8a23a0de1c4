// A soft ball rolls on a level floor, by its facets or by its smooth surface: what it does in half a second, for the test and the figure. A sphere keeps
// its speed and does not shake.
#ifndef CAPSTAN_TESTS_SCENES_ROLL_BALL_H
#define CAPSTAN_TESTS_SCENES_ROLL_BALL_H

#include "capstan/array.h"
#include "capstan/scene.h"
#include "capstan/solid.h"

#include <math.h>
#include <stdio.h>

typedef struct Roll {
  double kept;       // its mean velocity from 0.05 s on, of that at the start
  double at_end;     // its velocity at the end, of the same
  double shake;      // rms of the acceleration of its centre across the floor from then on, of g
  int64_t unsolved;  // steps
} Roll;

// path: of roll_ball.yaml; size: of the tetrahedra, m. False: the scene cannot be opened or a step fails; it says so on the error stream.
static inline bool roll_ball(const char* path, bool smooth, double size, double until, Roll* roll) {
  const double calm = 0.05, speed = 0.5, g = 9.81;
  char text[2][64];
  const char* sets[2] = {text[0], text[1]};
  CpsScene* scene = NULL;
  CpsWorld* world = NULL;
  CpsError error = {{0}};
  CpsSolidInfo info = {0};
  snprintf(text[0], sizeof *text, "solids.ball.surface=%s", smooth ? "smooth" : "faceted");
  snprintf(text[1], sizeof *text, "size=%.17g", size);
  *roll = (Roll){0};
  bool good = cps_scene_load(path, sets, 2, &scene, &error) == CPS_OK &&
              cps_scene_build(scene, 1, &world, &error) == CPS_OK &&
              cps_world_solid_info(world, cps_world_solid(world, 0), &info) == CPS_OK;
  double last = 0.0, way = 0.0, seconds = 0.0;
  int count = 0;
  while (good && cps_world_time(world) < until - 1e-9) {
    CpsVec3 p, L;
    const CpsStatus status = cps_world_step(world, NULL, &error);
    const double h = cps_world_last_step(world);
    good = status >= 0;
    roll->unsolved += status > 0;
    cps_world_momentum(world, &p, &L);
    const double up = p.z / info.mass, a = (up - last) / h;
    last = up;
    if (cps_world_time(world) < calm) continue;
    way += h * p.x / info.mass;
    roll->at_end = p.x / info.mass / speed;
    seconds += h;
    roll->shake += a * a, ++count;
  }
  if (!good) fprintf(stderr, "%s\n", error.text);
  roll->kept = way / (seconds * speed);
  roll->shake = sqrt(roll->shake / count) / g;
  cps_world_destroy(world);
  cps_scene_destroy(scene);
  return good;
}

#endif
