// Saving a world as a scene, and reading it again, with every allocation of ours failing once, alone or with all that follow.
#include "failing_memory.h"
#include "io/scene/texts.h"
#include "io/scratch.h"

enum { ATTEMPTS = 3000 };

static const char TEXT[] =
    "parameters: {r: 5 cm}\nobstacles: {floor: {plane: }}\n"
    "bodies: {a: {sphere: {radius: $r}, position: [0, 0, 0.05]}}\n"
    "fibres: {h: {model: der, root: clamped, position: [1, 0, 1]}}\n"
    "pulls: [{body: a, stiffness: 10, table: {times: [0, 1], values: [1, 2]}}]\n";

static void what_cannot_be_held_is_not_written(void** state) {
  (void)state;
  CpsScene* scene = read_scene(TEXT, NULL);
  CpsWorld* world = NULL;
  assert_int_equal(cps_scene_build(scene, 0, &world, NULL), CPS_OK);
  for (int i = 0; i < 5; ++i) assert_int_equal(cps_world_step(world, NULL, NULL), CPS_OK);
  CpsWorldDef def = cps_world_settings(world);
  def.mu_everywhere = 0.25;
  assert_int_equal(cps_world_configure(world, &def, NULL), CPS_OK);
  const char* path = scratch_path("saved.yaml");
  int number = 0, refused = 0;
  for (allocation_failed = true; allocation_failed; ++number) {
    assert_true(number < ATTEMPTS);
    CpsError error = {""};
    remove(path);
    fail_allocation(number);
    CpsStatus status = cps_scene_save(scene, world, path, &error);
    stop_failing();
    if (status == CPS_OK) continue;
    refused++;
    assert_int_equal(status, CPS_NO_MEMORY);
    assert_true(strlen(error.text) > 5);
    assert_int_not_equal(access(path, F_OK), 0);
  }
  assert_true(refused > 5);
  cps_world_destroy(world);
  cps_scene_destroy(scene);
}

// After the test above there is a saved scene.
static void a_saved_scene_that_cannot_be_held_is_refused(void** state) {
  (void)state;
  const char* path = scratch_path("saved.yaml");
  int number = 0, refused = 0;
  for (allocation_failed = true; allocation_failed; ++number) {
    assert_true(number < ATTEMPTS);
    CpsScene* scene = NULL;
    CpsWorld* world = NULL;
    CpsError error = {""};
    fail_allocation(number);
    CpsStatus status = cps_scene_load(path, NULL, 0, &scene, &error);
    if (status == CPS_OK) status = cps_scene_build(scene, 0, &world, &error);
    stop_failing();
    if (status == CPS_OK) {
      assert_near(cps_world_time(world), 5e-3, 1e-15);
    } else {
      refused++;
      assert_int_equal(status, CPS_NO_MEMORY);
      assert_true(strlen(error.text) > 5);
    }
    cps_world_destroy(world);
    cps_scene_destroy(scene);
  }
  assert_true(refused > 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(what_cannot_be_held_is_not_written, fail_one),
      cmocka_unit_test_setup(a_saved_scene_that_cannot_be_held_is_refused, fail_one),
      cmocka_unit_test_setup(what_cannot_be_held_is_not_written, fail_the_rest),
      cmocka_unit_test_setup(a_saved_scene_that_cannot_be_held_is_refused, fail_the_rest),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
