// A heap of balls that can rest: square layers in a box, each ball in the pocket of four below it.
#ifndef CAPSTAN_TESTS_LAYERS_H
#define CAPSTAN_TESTS_LAYERS_H

#include "world_helpers.h"

#include <math.h>

static inline void add_upright(CpsWorld* world, double x, double y, CpsQuat rotation) {
  CpsObstacleDef def = cps_obstacle_def_default();
  def.shape = cps_plane();
  def.pose = (CpsPose){{x, y, 0.0}, rotation};
  add_obstacle(world, &def);
}

// Layers of side x side and (side - 1) x (side - 1) in turn; the floor is the first obstacle. Steps of 10 ms, solved to 1e-4.
static inline CpsWorld* layers_of_balls(int side, int layers, int32_t threads) {
  const double radius = 0.5, pitch = 1.05, rise = sqrt(4.0 * radius * radius - 0.5 * pitch * pitch);
  const double s = 0.70710678118654752440, w = 0.5 * pitch * (side - 1) + radius;
  CpsWorldDef def = cps_world_def_default();
  def.step = 0.01;
  def.threads = threads;
  def.solver.tolerance = 1e-4;
  CpsWorld* world = make_world(&def);
  add_floor(world);
  add_upright(world, -w, 0.0, (CpsQuat){s, 0.0, s, 0.0});
  add_upright(world, w, 0.0, (CpsQuat){s, 0.0, -s, 0.0});
  add_upright(world, 0.0, -w, (CpsQuat){s, -s, 0.0, 0.0});
  add_upright(world, 0.0, w, (CpsQuat){s, s, 0.0, 0.0});
  for (int layer = 0; layer < layers; layer++) {
    const int n = side - layer % 2;
    for (int i = 0; i < n * n; i++) {
      CpsBodyDef ball =
          ball_at(radius, pitch * (i % n - 0.5 * (n - 1)), pitch * (i / n - 0.5 * (n - 1)), radius + rise * layer);
      add_body(world, &ball);
    }
  }
  return world;
}

#endif
