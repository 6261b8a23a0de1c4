// Each allocation of a solid fails once: it is refused cleanly, and a world stays as it was. A step allocates nothing.
#include "failing_memory.h"

#include <string.h>

#include "solid_shapes.h"

static void a_solid_without_memory_is_refused(void** state) {
  (void)state;
  Tets box = make_box(2, 2, 2, (CpsVec3){0, 0, 0.1}, (CpsVec3){1.0, 1.0, 1.0}, 0.0);
  CpsSolidDef def = solid_of(&box);
  const int32_t held[] = {0, 1};
  CpsPin pin = cps_pin_default();
  pin.vertices = held, pin.vertex_count = 2;
  def.pins = &pin, def.pin_count = 1;
  def.name = "jelly";
  CpsWorldDef settings = cps_world_def_default();
  CpsWorld* world = NULL;
  assert_int_equal(cps_world_create(&settings, &world, NULL), CPS_OK);
  int count = 0;
  for (;; ++count) {
    CpsError error = {{0}};
    CpsSolidId id;
    fail_allocation(count);
    CpsStatus status = cps_world_add_solid(world, &def, &id, &error);
    stop_failing();
    if (status == CPS_OK) {
      assert_int_equal(cps_world_remove_solid(world, id, NULL), CPS_OK);
      if (!allocation_failed) break;
      continue;  // an arena asks again for less
    }
    assert_int_equal(status, CPS_NO_MEMORY);
    assert_non_null(strstr(error.text, "memory"));
    assert_int_equal(cps_world_solid_count(world), 0);
  }
  assert_true(count > 20);
  cps_world_destroy(world);
  free_tets(&box);
}

static void a_steady_step_allocates_nothing(void** state) {
  (void)state;
  Tets box = make_box(2, 2, 2, (CpsVec3){0, 0, 1e-3}, (CpsVec3){0.1, 0.1, 0.1}, 0.0);
  CpsSolidDef def = solid_of(&box);
  def.radius = 1e-3;
  CpsWorldDef settings = cps_world_def_default();
  settings.step = 5e-3;
  CpsWorld* world = NULL;
  assert_int_equal(cps_world_create(&settings, &world, NULL), CPS_OK);
  CpsObstacleDef floor = cps_obstacle_def_default();
  floor.shape = cps_plane();
  assert_int_equal(cps_world_add_obstacle(world, &floor, NULL, NULL), CPS_OK);
  assert_int_equal(cps_world_add_solid(world, &def, NULL, NULL), CPS_OK);
  for (int i = 0; i < 60; ++i) assert_int_equal(cps_world_step(world, NULL, NULL), CPS_OK);
  fail_allocation(0);
  CpsStatus status = CPS_OK;
  for (int i = 0; i < 5 && status == CPS_OK; ++i) status = cps_world_step(world, NULL, NULL);
  stop_failing();
  assert_int_equal(status, CPS_OK);
  assert_false(allocation_failed);
  cps_world_destroy(world);
  free_tets(&box);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_solid_without_memory_is_refused),
      cmocka_unit_test(a_steady_step_allocates_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
