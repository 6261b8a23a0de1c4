// Memory of worlds with sheets: a steady step allocates nothing, and one that runs out of memory leaves the world as it was.
#include "world/sheet_helpers.h"
#include "world/step_memory.h"
#include "world/world_helpers.h"

// A sheet over a drum, with a ball on it.
static CpsWorld* make_scene(int threads) {
  CpsWorldDef def = cps_world_def_default();
  def.threads = threads;
  def.step = 2e-3;
  CpsWorld* world = make_world(&def);
  CpsObstacleDef drum = cps_obstacle_def_default();
  drum.shape = cps_cylinder(0.05, 0.1);
  add_obstacle(world, &drum);
  Rectangle r =
      make_rectangle(5, 5, (CpsVec3){-0.06, -0.06, 0.0511}, (CpsVec3){0.12, 0.0, 0.0}, (CpsVec3){0.0, 0.12, 0.0});
  CpsSheetDef sheet = sheet_of_rectangle(&r);
  sheet.thickness = 2e-3;
  sheet.mu = 0.5;
  sheet.bending[0] = sheet.bending[1] = 1e-2;
  sheet.bending_damping = 0.1;
  sheet.mass_damping = 40.0;
  must(cps_world_add_sheet(world, &sheet, NULL, &must_error));
  CpsBodyDef ball = ball_at(0.01, 0.005, 0.003, 0.0625);
  ball.mu = 0.5;
  add_body(world, &ball);
  free_rectangle(&r);
  return world;
}

static void a_steady_step_does_not_allocate(void** state) {
  (void)state;
  for (int threads = 1; threads <= 2; ++threads) {
    CpsWorld* world = make_scene(threads);
    for (int i = 0; i < 200; ++i) assert_true(cps_world_step(world, NULL, NULL) >= 0);
    assert_int_equal(step_without_allocating(world, 30, false), CPS_OK);
    assert_false(allocation_failed);
    cps_world_destroy(world);
  }
}

static void a_step_without_memory_changes_nothing(void** state) {
  (void)state;
  check_step_without_memory(make_scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_steady_step_does_not_allocate),
                                     cmocka_unit_test(a_step_without_memory_changes_nothing)};
  return cmocka_run_group_tests_name("world/allocation_sheets", tests, NULL, NULL);
}
