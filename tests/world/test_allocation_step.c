// Memory: a steady step allocates nothing, and a step that runs out of memory leaves the world as it was.
#include "world/step_memory.h"
#include "world/world_helpers.h"

static CpsWorld* make_pile(int threads) {
  CpsWorldDef def = cps_world_def_default();
  def.threads = threads;
  def.solver.tolerance = 1e-4;
  CpsWorld* world = make_world(&def);
  add_floor(world);
  for (int i = 0; i < 12; ++i) {
    CpsBodyDef def_i = i % 2 ? ball_at(0.05, 0.2 * (i % 4), 0.11 * (i / 4), 0.05)
                             : box_at((CpsVec3){0.1, 0.1, 0.1}, 0.2 * (i % 4), 0.11 * (i / 4), 0.05);
    add_body(world, &def_i);
  }
  return world;
}

static void a_steady_step_does_not_allocate(void** state) {
  (void)state;
  for (int threads = 1; threads <= 2; ++threads) {
    CpsWorld* world = make_pile(threads);
    step(world, 20);  // everything has its size, and the arenas are of one piece
    assert_int_equal(step_without_allocating(world, 100, true), CPS_OK);
    assert_false(allocation_failed);
    cps_world_destroy(world);
  }
}

// 100 bricks, 1084 contacts: more than the polishing of small problems takes. Once in some steps of 10 ms the wall is brought to a
// standstill by a factor, whose memory is kept (docs/theory/rest.md).
static void a_wall_at_rest_does_not_allocate(void** state) {
  (void)state;
  CpsWorldDef def = cps_world_def_default();
  const CpsVec3 size = {0.2, 0.1, 0.08};
  def.step = 0.01;
  CpsWorld* world = make_world(&def);
  add_floor(world);
  for (int i = 0; i < 100; ++i) {
    CpsBodyDef brick = box_at(size, size.x * (i % 10 + 0.5 * (i / 10 % 2)), 0.0, size.z * (i / 10 + 0.5));
    add_body(world, &brick);
  }
  step(world, 60);
  assert_int_equal(step_without_allocating(world, 140, true), CPS_OK);
  assert_false(allocation_failed);
  cps_world_destroy(world);
}

static void a_step_without_memory_changes_nothing(void** state) {
  (void)state;
  check_step_without_memory(make_pile);
}

// Creating and filling a world: each allocation fails once.
static void making_a_world_without_memory_is_refused(void** state) {
  (void)state;
  int refused = 0;
  for (int number = 0, failed = 1; failed; ++number) {
    CpsWorldDef def = cps_world_def_default();
    CpsWorld* world = NULL;
    CpsError error = {""};
    fail_allocation(number);
    CpsStatus status = cps_world_create(&def, &world, &error);
    CpsBodyDef box = box_at((CpsVec3){0.1, 0.1, 0.1}, 0, 0, 1);
    if (status == CPS_OK) status = cps_world_add_body(world, &box, NULL, &error);
    CpsObstacleDef floor = cps_obstacle_def_default();
    floor.shape = cps_box((CpsVec3){1, 1, 1});
    if (status == CPS_OK) status = cps_world_add_obstacle(world, &floor, NULL, &error);
    const double times[] = {0, 1}, values[] = {0, 1};
    CpsLoadDef load = cps_load_def_default();
    load.curve = (CpsCurve){.kind = CPS_CURVE_TABLE, .count = 2, .times = times, .values = values};
    if (status == CPS_OK) status = cps_world_add_load(world, &load, &error);
    if (status == CPS_OK) status = cps_world_add_material(world, (CpsPair){0.1, NAN}, NULL, &error);
    failed = allocation_failed;
    stop_failing();
    if (status != CPS_OK) {  // a reset arena may go on without its memory
      assert_true(failed);
      assert_int_equal(status, CPS_NO_MEMORY);
      assert_true(error.text[0] != 0);
      refused++;
    }
    cps_world_destroy(world);
  }
  assert_true(refused >= 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_steady_step_does_not_allocate),
      cmocka_unit_test(a_wall_at_rest_does_not_allocate),
      cmocka_unit_test(a_step_without_memory_changes_nothing),
      cmocka_unit_test(making_a_world_without_memory_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
