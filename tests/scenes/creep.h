// What the short and the long test of creep share: a block on a ramp and a capsule between two pads.
#ifndef CAPSTAN_TESTS_SCENES_CREEP_H
#define CAPSTAN_TESTS_SCENES_CREEP_H

#include "scenes/scene_world.h"

static const double g = 9.81, degree = 3.14159265358979323846 / 180.0;

static inline CpsWorld* open_ramp(double angle, double mu, double step) {
  Overrides o = {0};
  override(&o, "angle=%.17g", angle);
  override(&o, "mu=%.17g", mu);
  override(&o, "time.step=%.17g", step);
  return open_scene("ramp.yaml", &o);
}

// How far the block moves in `time`, m.
static inline double ramp_drift(double angle, double mu, double step, double time) {
  CpsWorld* world = open_ramp(angle, mu, step);
  CpsVec3 start = body(world, 0).centre;
  Run run = run_until(world, time);
  assert_int_equal(run.unsolved, 0);
  double drift = distance(body(world, 0).centre, start);
  cps_world_destroy(world);
  return drift;
}

// The largest way that the capsule goes in `time`, in the pads' frame, turning included, m.
static inline double pinch_slip(double factor, double tilt, double lean, double time) {
  Overrides o = {0};
  override(&o, "factor=%g", factor);
  override(&o, "tilt=%.17g", tilt);
  override(&o, "lean=%.17g", lean);
  CpsWorld* world = open_scene("pinch.yaml", &o);
  CpsVec3 start = body(world, 0).centre;
  Run run = run_until(world, time);
  assert_int_equal(run.unsolved, 0);
  CpsBodyState end = body(world, 0);
  cps_world_destroy(world);
  CpsQuat q = end.pose.rotation;
  double turned = 2.0 * sqrt(q.x * q.x + q.y * q.y + q.z * q.z);  // from no rotation
  return distance(end.centre, start) + turned * 0.06;             // half the capsule's length
}

// Checks one cell: at rest for good, or sliding down with a = g (sin - mu cos).
static inline void check_ramp_cell(double angle, double mu, double step, double time) {
  CpsWorld* world = open_ramp(angle, mu, step);
  CpsVec3 start = body(world, 0).centre;
  Run run = run_until(world, time);
  CpsBodyState end = body(world, 0);
  double way = distance(end.centre, start), a = g * (sin(angle) - mu * cos(angle));
  cps_world_destroy(world);
  assert_int_equal(run.unsolved, 0);
  if (mu > tan(angle)) {
    assert_below(way, 1e-10);
  } else {
    // theta = 1 takes the speed of the end of a step: the way is a h^2 (1 + … + n) = a t (t + h) / 2
    assert_near(speed(end.velocity), a * time, 1e-6 * g * time);  // the solver's tolerance
    assert_near(way, 0.5 * a * time * (time + step), 1e-6 * g * time * time);
  }
}

#endif
