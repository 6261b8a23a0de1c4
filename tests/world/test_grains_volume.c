// labels: release
// The volume of sand that flows, with keep_volume and without.
#include "world_helpers.h"

#include <math.h>

static CpsWorld* make(const CpsGridDef* grid) {
  CpsWorldDef def = cps_world_def_default();
  def.step = 4e-3;
  def.solver.tolerance = 1e-3;
  CpsWorld* world = make_world(&def);
  must(cps_world_set_grid(world, grid, &must_error));
  return world;
}

static void fill(CpsWorld* world, CpsVec3 lower, CpsVec3 upper) {
  CpsGrainsDef sand = cps_grains_def_default();
  sand.lower = lower;
  sand.upper = upper;
  must(cps_world_add_grains(world, &sand, &must_error));
}

static void add_plane(CpsWorld* world, CpsQuat rotation, double mu) {
  CpsObstacleDef wall = cps_obstacle_def_default();
  wall.shape = cps_plane();
  wall.pose.rotation = rotation;
  wall.mu = mu;
  add_obstacle(world, &wall);
}

static CpsGrainsRoom room_of(const CpsWorld* world) {
  CpsGrainsRoom room;
  assert_int_equal(cps_world_grains_room(world, &room), CPS_OK);
  return room;
}

// Half of a column collapses. What is left of its volume in 0.3 s, and energy never grows.
static double collapse(bool plane, bool keep) {
  CpsGridDef grid = cps_grid_def_default();
  grid.cell = 0.02;
  grid.plane = plane;
  grid.keep_volume = keep;
  CpsWorld* world = make(&grid);
  const double c = sqrt(0.5);
  add_plane(world, (CpsQuat){1.0, 0.0, 0.0, 0.0}, 0.5);
  add_plane(world, (CpsQuat){c, 0.0, c, 0.0}, 0.0);
  if (!plane) add_plane(world, (CpsQuat){c, -c, 0.0, 0.0}, 0.0);
  fill(world, (CpsVec3){0.0, 0.0, 0.0}, plane ? (CpsVec3){0.16, 0.0, 0.24} : (CpsVec3){0.12, 0.12, 0.16});
  const double mass = cps_world_grains_info(world).mass;
  double before = INFINITY;
  for (int k = 0; k < (plane ? 75 : 40); ++k) {
    must(cps_world_step(world, NULL, &must_error));
    const CpsEnergy energy = cps_world_energy(world);
    const double now = energy.kinetic + energy.potential;
    assert_true(now <= before + 1e-3 * fabs(now));
    before = now;
  }
  assert_near(cps_world_grains_info(world).mass, mass, 1e-12 * mass);
  const double excess = room_of(world).excess;
  cps_world_destroy(world);
  return excess;
}

static void test_volume_of_a_flow(void** unused) {
  (void)unused;
  for (int plane = 0; plane <= 1; ++plane) {
    const double lost = collapse(plane, false), kept = collapse(plane, true);
    if (!(lost > 0.03)) fail_msg("plane %d: only %g is lost: the scene tests nothing", plane, lost);
    if (!(kept < 0.01)) fail_msg("plane %d: %g is lost", plane, kept);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_volume_of_a_flow)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
