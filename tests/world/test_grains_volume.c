// labels: release
// The volume of flowing sand, with keep_volume and without.
#include "world_helpers.h"

#include <math.h>
#include <stdlib.h>

static CpsWorld* make(const CpsGridDef* grid, int threads) {
  CpsWorldDef def = cps_world_def_default();
  def.step = 4e-3;
  def.solver.tolerance = 1e-3;
  def.threads = threads;
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

// Half of a column, in space a quarter.
static CpsWorld* make_column(bool plane, bool keep, int threads) {
  CpsGridDef grid = cps_grid_def_default();
  grid.cell = 0.02;
  grid.plane = plane;
  grid.keep_volume = keep;
  CpsWorld* world = make(&grid, threads);
  const double c = sqrt(0.5);
  add_plane(world, (CpsQuat){1.0, 0.0, 0.0, 0.0}, 0.5);
  add_plane(world, (CpsQuat){c, 0.0, c, 0.0}, 0.0);
  if (!plane) add_plane(world, (CpsQuat){c, -c, 0.0, 0.0}, 0.0);
  fill(world, (CpsVec3){0.0, 0.0, 0.0}, plane ? (CpsVec3){0.16, 0.0, 0.24} : (CpsVec3){0.12, 0.12, 0.16});
  return world;
}

// It collapses. What is left of its volume, and energy never grows.
static double collapse(bool plane, bool keep) {
  CpsWorld* world = make_column(plane, keep, 1);
  const double mass = cps_world_grains_info(world).mass;
  double before = INFINITY;
  for (int k = 0; k < (plane ? 75 : 40); ++k) {
    must(cps_world_step(world, NULL, &must_error));
    const CpsEnergy energy = cps_world_energy(world);
    const double now = energy.kinetic + energy.potential;
    assert_true(now <= before + 1e-9 * fabs(now));
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

static void run(CpsWorld* world, int steps) {
  for (int k = 0; k < steps; ++k) must(cps_world_step(world, NULL, &must_error));
}

// The same bits for any number of threads, and for a run that was interrupted.
static void test_same_bits(void** unused) {
  (void)unused;
  CpsWorld *one = make_column(false, true, 1), *two = make_column(false, true, 2);
  run(one, 8);
  const size_t size = cps_world_state_size(one);
  char* state = malloc(size);
  must(cps_world_save(one, state, size, &must_error));
  CpsWorld* later = make_column(false, true, 1);
  must(cps_world_load(later, state, size, &must_error));
  free(state);
  run(one, 8);
  run(later, 8);
  run(two, 16);
  assert_true(cps_world_hash(one) == cps_world_hash(two));
  assert_true(cps_world_hash(one) == cps_world_hash(later));
  cps_world_destroy(one);
  cps_world_destroy(two);
  cps_world_destroy(later);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_volume_of_a_flow), cmocka_unit_test(test_same_bits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
