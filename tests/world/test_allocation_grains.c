// Memory of worlds with grains, also in a fixed domain: a steady step allocates nothing, and one that runs out of memory leaves the world as it was.
#include "world/step_memory.h"
#include "world/world_helpers.h"

// Grains on a floor, on a grid that repeats, under a spout.
static CpsWorld* make_grains(int threads, double mu) {
  CpsWorldDef def = cps_world_def_default();
  def.threads = threads;
  CpsWorld* world = make_world(&def);
  add_floor(world);
  CpsGridDef grid = cps_grid_def_default();
  grid.plane = true;
  grid.period = 4;
  must(cps_world_set_grid(world, &grid, &must_error));
  CpsGrainsDef sand = cps_grains_def_default();
  sand.upper = (CpsVec3){0.04, 0.0, 0.05};
  sand.mu = mu;
  must(cps_world_add_grains(world, &sand, &must_error));
  CpsGrainsDef later = cps_grains_def_default();  // a spout that is not open yet, which takes nothing
  later.rate = 1.0;
  later.radius = 0.01;
  later.velocity = (CpsVec3){0.0, 0.0, -1.0};
  later.centre = (CpsVec3){0.02, 0.0, 0.2};
  later.from = 100.0;
  later.until = 101.0;
  must(cps_world_add_grains(world, &later, &must_error));
  return world;
}

static CpsWorld* make_scene(int threads) {
  return make_grains(threads, 0.5);
}

static CpsWorld* make_fluid(int threads) {
  return make_grains(threads, 0.0);
}

// Grains that flow around a ball, or in the plane around a disc, in a fixed domain.
static CpsWorld* make_flow_in(int threads, int32_t cells_y) {
  CpsWorldDef settings = cps_world_def_default();
  settings.threads = threads;
  settings.step = 0.05;
  settings.solver.tolerance = 1e-4;
  CpsWorld* world = make_world(&settings);
  CpsFlowDef def = cps_flow_def_default();
  def.upper = (CpsVec3){0.1, 0.1, 0.2};
  def.cells_x = 2;
  def.cells_y = cells_y;
  def.cells_z = 4;
  def.viscosity = 2.0;
  def.disc_radius = 0.03;
  def.disc_centre.z = 0.1;
  def.ball = cells_y > 0;
  def.border[CPS_FLOW_LEFT].kind = def.front.kind = CPS_FLOW_SLIP;
  def.border[CPS_FLOW_RIGHT].kind = def.back.kind = CPS_FLOW_NO_SLIP;
  must(cps_world_add_flow(world, &def, &must_error));
  return world;
}

static CpsWorld* make_flow(int threads) {
  return make_flow_in(threads, 0);
}

static CpsWorld* make_flow_in_space(int threads) {
  return make_flow_in(threads, 2);
}

static void a_steady_step_does_not_allocate(void** state) {
  (void)state;
  CpsWorld* (*const MAKE[])(int) = {make_scene, make_fluid, make_flow, make_flow_in_space};
  for (int k = 0; k < 8; ++k) {
    CpsWorld* world = MAKE[k / 2](k % 2 + 1);
    for (int i = 0; i < 20; ++i) assert_true(cps_world_step(world, NULL, NULL) >= 0);
    assert_int_equal(step_without_allocating(world, 10, true), CPS_OK);
    assert_false(allocation_failed);
    cps_world_destroy(world);
  }
}

static void a_step_without_memory_changes_nothing(void** state) {
  (void)state;
  check_step_without_memory(make_scene);
  check_step_without_memory(make_fluid);
  check_step_without_memory(make_flow);  // that of space takes ten times as long and does the same
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_steady_step_does_not_allocate),
                                     cmocka_unit_test(a_step_without_memory_changes_nothing)};
  return cmocka_run_group_tests_name("world/allocation_grains", tests, NULL, NULL);
}
