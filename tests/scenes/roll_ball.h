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
  double kept;       // its mean velocity from 0.05 s on, of that of a sphere
  double at_end;     // its velocity at the end, of the same
  double shake;      // rms of the acceleration of its centre across the floor from then on, of g
  int64_t unsolved;  // steps
} Roll;

// The scene at roll_ball.yaml with the ball so much above the floor, m, by its nominal radius; NULL: it says why on the error stream.
static inline CpsWorld* roll_ball_world(const char* path, bool smooth, double size, double gap) {
  char text[3][64];
  const char* sets[3] = {text[0], text[1], text[2]};
  CpsScene* scene = NULL;
  CpsWorld* world = NULL;
  CpsError error = {{0}};
  snprintf(text[0], sizeof *text, "solids.ball.surface=%s", smooth ? "smooth" : "faceted");
  snprintf(text[1], sizeof *text, "size=%.17g", size);
  snprintf(text[2], sizeof *text, "gap=%.17g", gap);
  const bool good =
      cps_scene_load(path, sets, 3, &scene, &error) == CPS_OK && cps_scene_build(scene, 1, &world, &error) == CPS_OK;
  if (!good) fprintf(stderr, "%s\n", error.text);
  cps_scene_destroy(scene);
  return world;
}

// The gap at which the surface just touches the floor, m. A ball that starts in the floor has to be lifted by what it carries, which takes
// its velocity: on 4 cm the smooth surface lies 2.8 mm outside the nominal radius, worth 7 % of it.
static inline double roll_ball_gap(const char* path, bool smooth, double size) {
  const double inside = -2e-3;
  CpsWorld* world = roll_ball_world(path, smooth, size, inside);
  if (!world) return 0.0;
  cps_world_find_overlaps(world, NULL);
  const double depth = cps_world_overlap_count(world) > 0 ? cps_world_overlap(world, 0).depth : 0.0;
  cps_world_destroy(world);
  return inside + depth;
}

// path: of roll_ball.yaml; size: of the tetrahedra, m. False: the scene cannot be opened or a step fails; it says so on the error stream.
//
// What starts with the velocity v and the spin w of a ball of the nominal radius R, and rolls with its centre at the height r, has the velocity
//
//   v (1 + k w r / v) / (1 + k),   k = I / m r^2                                                                         (1)
//
// by the angular momentum about the line of contact: 0.8 % more than v on 4 cm.
static inline bool roll_ball(const char* path, bool smooth, double size, double until, Roll* roll) {
  const double calm = 0.05, speed = 0.5, g = 9.81;
  CpsError error = {{0}};
  CpsSolidInfo info = {0};
  CpsWorld* world = roll_ball_world(path, smooth, size, roll_ball_gap(path, smooth, size));
  *roll = (Roll){0};
  bool good = world && cps_world_solid_info(world, cps_world_solid(world, 0), &info) == CPS_OK;
  if (!good) return false;
  CpsVec3 p, L;
  cps_world_momentum(world, &p, &L);
  const double spun = L.y - cps_world_energy(world).potential / (info.mass * g) * p.x;  // I w
  double last = 0.0, way = 0.0, seconds = 0.0, height = 0.0;
  int count = 0;
  while (good && cps_world_time(world) < until - 1e-9) {
    const CpsStatus status = cps_world_step(world, NULL, &error);
    const double h = cps_world_last_step(world);
    good = status >= 0;
    roll->unsolved += status > 0;
    cps_world_momentum(world, &p, &L);
    const double up = p.z / info.mass, a = (up - last) / h;
    last = up;
    if (cps_world_time(world) < calm) continue;
    way += h * p.x / info.mass;
    height += h * cps_world_energy(world).potential / (info.mass * g);
    seconds += h;
    roll->shake += a * a, ++count;
  }
  if (!good) fprintf(stderr, "%s\n", error.text);
  const double r = height / seconds, spin = speed / 0.1, k = spun / (spin * info.mass * r * r);
  const double sphere = speed * (1.0 + k * spin * r / speed) / (1.0 + k);  // (1)
  roll->kept = way / (seconds * sphere);
  roll->at_end = p.x / info.mass / sphere;
  roll->shake = sqrt(roll->shake / count) / g;
  cps_world_destroy(world);
  return good;
}

#endif
