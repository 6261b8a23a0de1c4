// Shared by the two tests of scenes/cantilever.yaml: height over width of the equilibrium of a model.
#ifndef CAPSTAN_TESTS_SCENES_CANTILEVER_H
#define CAPSTAN_TESTS_SCENES_CANTILEVER_H

#include "capstan/fibre.h"
#include "scenes/reference.h"
#include "scenes/scene_world.h"

static inline double hang(double gamma, Overrides* o) {
  override(o, "gamma=%.17g", gamma);
  CpsWorld* world = open_scene("cantilever.yaml", o);
  CpsFibreId rod = cps_world_fibre(world, 0);
  CpsFibreInfo info;
  CpsFibrePoint tip;
  Run run = {0};
  assert_int_equal(cps_world_fibre_info(world, rod, &info), CPS_OK);
  double T = sqrt(info.length / 9.81 * gamma / (1.0 + gamma)), moved = 0.0;
  // at rest: for a time T the tip would not have moved by 2e-5 of its way in another T
  while (cps_world_time(world) < moved + T && cps_world_time(world) < 100.0 * T) {
    run_step(world, &run);
    assert_int_equal(cps_world_fibre_at(world, rod, info.length, &tip), CPS_OK);
    if (!(T * speed(tip.velocity) < 2e-5 * fabs(tip.position.z))) moved = cps_world_time(world);
  }
  assert_true(cps_world_time(world) < 100.0 * T);
  cps_world_destroy(world);
  return -tip.position.z / tip.position.x;
}

// The row of the table for gamma = 10^exponent: ten rows per decade from 1e-3 on.
static inline const double* row_of(const Reference* table, int exponent) {
  const double* row = table->row[10 * (exponent + 3)];
  assert_near(log10(row[0]), exponent, 1e-9);
  return row;
}

#endif
