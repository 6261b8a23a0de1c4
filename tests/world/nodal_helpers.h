// Worlds of sheets and solids for tests: solved to 1e-10, and what holds of both.
#ifndef CAPSTAN_TESTS_WORLD_NODAL_HELPERS_H
#define CAPSTAN_TESTS_WORLD_NODAL_HELPERS_H

#include "capstan/capstan.h"
#include "test_helpers.h"

#include <math.h>
#include <stdlib.h>

static inline CpsWorld* make_world(double h, double theta, CpsVec3 gravity) {
  CpsWorldDef def = cps_world_def_default();
  def.step = h;
  def.theta = theta;
  def.gravity = gravity;
  def.solver.tolerance = 1e-10;
  CpsWorld* world = NULL;
  assert_int_equal(cps_world_create(&def, &world, NULL), CPS_OK);
  return world;
}

static inline void step(CpsWorld* world) {
  CpsError error;
  if (cps_world_step(world, NULL, &error) != CPS_OK) fail_msg("t = %g: %s", cps_world_time(world), error.text);
}

static inline void add_floor(CpsWorld* world, double mu) {
  CpsObstacleDef floor = cps_obstacle_def_default();
  floor.shape = cps_plane();
  floor.mu = mu;
  assert_int_equal(cps_world_add_obstacle(world, &floor, NULL, NULL), CPS_OK);
}

// Of the only thing in the world, whose mass is given.
static inline CpsVec3 mean_velocity(const CpsWorld* world, double mass) {
  CpsVec3 p, L;
  cps_world_momentum(world, &p, &L);
  return (CpsVec3){p.x / mass, p.y / mass, p.z / mass};
}

// 0.1 s of free flight: linear momentum to rounding, energy balance closed. Returns the change of the angular momentum.
static inline double fly(CpsWorld* world, double rounding) {
  CpsVec3 p0, L0, p, L;
  cps_world_momentum(world, &p0, &L0);
  while (cps_world_time(world) < 0.1 - 1e-9) step(world);
  cps_world_momentum(world, &p, &L);
  assert_near(p.x, p0.x, rounding);
  assert_near(p.y, p0.y, rounding);
  assert_near(p.z, p0.z, rounding);
  assert_below(cps_world_energy(world).error, 1e-8);
  return fabs(L.x - L0.x) + fabs(L.y - L0.y) + fabs(L.z - L0.z);
}

// The problem of the last step, examined outside of the world: its residual is the one that the step was solved to.
static inline void check_problem(const CpsWorld* world, int32_t nodes) {
  CpsProblem* problem = NULL;
  double* impulses = calloc(3 * (size_t)cps_world_contact_count(world), sizeof *impulses);
  assert_int_equal(cps_world_problem(world, &problem, impulses, NULL), CPS_OK);
  CpsResidual residual;
  assert_int_equal(cps_problem_residual(problem, impulses, &residual), CPS_OK);
  assert_below(residual.natural, 1e-10);
  assert_int_equal(cps_problem_node_count(problem), nodes);
  cps_problem_destroy(problem);
  free(impulses);
}

#endif
