// Something soft on a slope of 10 degrees, in Capstan or in Bullet's deformable world.
#ifndef CAPSTAN_BENCH_DEFORM_SLOPE_H
#define CAPSTAN_BENCH_DEFORM_SLOPE_H

#include "deform/bullet_soft.h"

#include "capstan/world.h"

#include <stdlib.h>

static const double STEP = 1.0 / 240.0;                             // s
static const double SLOPE = 10.0 * 3.14159265358979323846 / 180.0;  // rad

typedef struct Engine {
  CpsWorld* world;
  BulletSoft* bullet;  // NULL: the world itself moves
} Engine;

static inline void finish(Engine* e) {
  bullet_soft_destroy(e->bullet);
  cps_world_destroy(e->world);
}

static inline void go(Engine* e, double seconds) {
  for (int k = 0; k < (int)(seconds / STEP + 0.5); ++k) {
    if (e->bullet) {
      bullet_soft_step(e->bullet);
    } else if (cps_world_step(e->world, NULL, NULL) < 0) {
      exit(1);
    }
  }
}

#endif
