// The knot tied, pulled and let go.
#ifndef CAPSTAN_TESTS_SCENES_KNOT_H
#define CAPSTAN_TESTS_SCENES_KNOT_H

#include "scenes/ropes.h"

static const double ROPE_RADIUS = 0.002;

static inline CpsWorld* open_knot(double mu, double force) {
  Overrides o = {0};
  override(&o, "mu=%g", mu);
  override(&o, "force=%g", force);
  return open_scene("knot.yaml", &o);
}

// A tight trefoil takes up about ten diameters of rope; a rope without a knot would be straight.
static inline void pull_tight(double force, double until) {
  CpsWorld* world = open_knot(0.3, force);
  Rope rope = {0};
  run_rope(world, until - 0.05, &rope);
  run_rope(world, until, &rope);
  assert_int_equal(rope.crossings, 0);
  assert_int_equal(rope.unsolved, 0);
  assert_below(rope.penetration, 0.02 * ROPE_RADIUS);
  double taken = rope.info.length - rope.ends;
  assert_true(taken > 8.0 * 2.0 * ROPE_RADIUS);
  assert_true(taken < 20.0 * 2.0 * ROPE_RADIUS);
  cps_world_destroy(world);
}

#endif
