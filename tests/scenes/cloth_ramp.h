// Shared by the tests of scenes/cloth-ramp.yaml: a cloth on a slope of 10 degrees after a time.
#ifndef CAPSTAN_TESTS_SCENES_CLOTH_RAMP_H
#define CAPSTAN_TESTS_SCENES_CLOTH_RAMP_H

#include "capstan/sheet.h"
#include "scenes/scene_world.h"
#include "vertices.h"

enum { RAMP_VERTICES = 61 * 59 };

// Down the slope every vertex has g (sin - mu cos) t, or rests where mu > tan 10 degrees = 0.17633. 1e-8 m/s: ten times the tolerance
// times the speed that the steps of 0.2 s of free fall bring.
static inline void check_ramp(int columns, int rows, double mu, double end) {
  static CpsVec3 v[RAMP_VERTICES];
  const double slope = 10.0 * acos(-1.0) / 180.0, a = 9.81 * (sin(slope) - mu * cos(slope));
  Overrides o = {0};
  override(&o, "mu=%g", mu);
  override(&o, "columns=%d", columns);
  override(&o, "rows=%d", rows);
  override(&o, "solver.tolerance=1e-9");
  CpsWorld* world = open_scene("cloth-ramp.yaml", &o);
  Run run = run_until(world, end);
  const int32_t count = (columns + 1) * (rows + 1);
  double worst = 0.0;
  assert_true(count <= RAMP_VERTICES);
  assert_int_equal(vertices_of(world, cps_thing_sheet(cps_world_sheet(world, 0)), NULL, v), CPS_OK);
  for (int32_t i = 0; i < count; ++i) {
    worst = fmax(worst, fabs(v[i].x * cos(slope) - v[i].z * sin(slope) - fmax(a, 0.0) * end));
  }
  print_message("%5d elements, mu %g: %.1e m/s from its closed form\n", 2 * columns * rows, mu, worst);
  assert_below(worst, 1e-8);
  assert_int_equal(run.unsolved, 0);
  cps_world_destroy(world);
}

#endif
