// Shared by the tests and the figures of scenes/cloth-cylinder.yaml: how fast and how far the cloth slides, and from which friction on
// it does not.
#ifndef CAPSTAN_TESTS_SCENES_CLOTH_CYLINDER_H
#define CAPSTAN_TESTS_SCENES_CLOTH_CYLINDER_H

#include "capstan/sheet.h"
#include "scenes/scene_world.h"
#include "vertices.h"

#include <math.h>

enum { CYLINDER_VERTICES = 121 * 31 };

// The least friction that holds a cloth of length 4 m, half a turn of 1.6 m, whose middle lies `offset` beyond the crest: the root of
//
//   (l - pi R) e^(-pi mu/2) / (2 cosh(pi mu/2)) - 2 R mu / (mu^2 + 1) = (l - pi R)/2 - offset                          (1)
//
// (docs/scenes/cloth-cylinder.md), by bisection: the left side falls with mu.
static inline double cylinder_threshold(double offset) {
  const double pi = acos(-1.0), hanging = 4.0 - 1.6, R = 1.6 / pi;
  double low = 0.0, high = 1.0;
  for (int k = 0; k < 60; ++k) {
    const double mu = 0.5 * (low + high);
    const double light = hanging * exp(-0.5 * pi * mu) / (2.0 * cosh(0.5 * pi * mu)) - 2.0 * R * mu / (mu * mu + 1.0);
    *(light > 0.5 * hanging - offset ? &low : &high) = mu;
  }
  return 0.5 * (low + high);
}

typedef struct Cylinder {
  CpsWorld* world;
  int32_t along, across;
  double start;  // height of the heavy end at t = 0, m
  CpsVec3 x[CYLINDER_VERTICES], v[CYLINDER_VERTICES];
} Cylinder;

static inline void cylinder_read(Cylinder* c) {
  assert_int_equal(vertices_of(c->world, cps_thing_sheet(cps_world_sheet(c->world, 0)), c->x, c->v), CPS_OK);
}

static inline void cylinder_open(Cylinder* c, int32_t along, int32_t across, double mu, double offset,
                                 const char* more) {
  Overrides o = {0};
  override(&o, "along=%d", (int)along);
  override(&o, "across=%d", (int)across);
  override(&o, "mu=%.17g", mu);
  override(&o, "offset=%.17g", offset);
  if (more) override(&o, "%s", more);
  c->along = along;
  c->across = across;
  c->world = open_scene("cloth-cylinder.yaml", &o);
  cylinder_read(c);
  c->start = c->x[along].z;
}

// How far the heavy end has gone down, m, and how fast the cloth goes over the crest, m/s; of the first row.
static inline double cylinder_slip(Cylinder* c, double* speed) {
  int32_t crest = 0;
  cylinder_read(c);
  for (int32_t i = 0; i <= c->along; ++i) crest = c->x[i].z > c->x[crest].z ? i : crest;
  if (speed) *speed = c->v[crest].x;
  return c->start - c->x[c->along].z;
}

// Speed after a time.
static inline double cylinder_speed(Cylinder* c, int32_t along, int32_t across, double mu, double offset, double time) {
  double speed;
  cylinder_open(c, along, across, mu, offset, "solver.tolerance=1e-8");
  Run run = run_until(c->world, time);
  assert_int_equal(run.unsolved, 0);
  (void)cylinder_slip(c, &speed);
  cps_world_destroy(c->world);
  return speed;
}

// Largest distance of a vertex from the mirror image of its partner across the width.
static inline double cylinder_asymmetry(Cylinder* c) {
  double worst = 0.0;
  cylinder_read(c);
  for (int32_t j = 0; j <= c->across; ++j) {
    for (int32_t i = 0; i <= c->along; ++i) {
      CpsVec3 a = c->x[j * (c->along + 1) + i], b = c->x[(c->across - j) * (c->along + 1) + i];
      b.y = -b.y;
      worst = fmax(worst, distance(a, b));
    }
  }
  return worst;
}

#endif
