// Worlds with a flow in a fixed domain, and steps until it is steady.
#ifndef CAPSTAN_TESTS_FLOW_HELPERS_H
#define CAPSTAN_TESTS_FLOW_HELPERS_H

#include "capstan/capstan.h"
#include "test_helpers.h"

#include <math.h>

static inline CpsWorld* flow_world(const CpsFlowDef* def, double step, double angle, double g, double tolerance) {
  CpsWorldDef settings = cps_world_def_default();
  settings.step = step;
  settings.gravity = (CpsVec3){g * sin(angle), 0.0, -g * cos(angle)};
  settings.solver.tolerance = tolerance;
  CpsWorld* world = NULL;
  CpsError error;
  assert_int_equal(cps_world_create(&settings, &world, &error), CPS_OK);
  if (cps_world_add_flow(world, def, &error) != CPS_OK) fail_msg("%s", error.text);
  return world;
}

static inline CpsFlowPoint flow_point(const CpsWorld* world, int64_t i) {
  CpsFlowPoint p;
  assert_int_equal(cps_world_flow_point(world, i, &p), CPS_OK);
  return p;
}

// Steps until the velocity changes by less than `still`, relative.
static inline void settle_flow(CpsWorld* world, int64_t points, int most, double still) {
  double last = 0.0;
  for (int n = 0; n < most; ++n) {
    CpsError error;
    if (cps_world_step(world, NULL, &error) != CPS_OK) fail_msg("step %d: %s", n, error.text);
    double sum = 0.0;
    for (int64_t i = 0; i < points; ++i) {
      const CpsVec3 v = flow_point(world, i).velocity;
      sum += v.x * v.x + v.y * v.y + v.z * v.z;
    }
    const double speed = sqrt(sum);
    if (n > 0 && fabs(speed - last) <= still * speed) return;
    last = speed;
  }
  fail_msg("not steady after %d steps", most);
}

#endif
