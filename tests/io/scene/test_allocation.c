// Reading a scene with every allocation of ours failing once, alone or with all that follow it. (libyaml is a shared
// library and does not come through here.)
#include "failing_memory.h"
#include "io/scene/texts.h"

#include <stdlib.h>
#include <unistd.h>

enum { ATTEMPTS = 3000 };

static char folder[] = "/tmp/capstan-scene-XXXXXX";
static char paths[3][64];

static const char* const TEXTS[3] = {
    "include: part.yaml\nparameters: {r: 5 cm}\nmaterials: {m: {density: 500}}\nfriction: [{between: [m, any], mu: "
    "0.2}]\n"
    "bodies:\n"
    "  a: {sphere: {radius: $r}, material: m, grid: {count: [2, 2, 2], spacing: 1}}\n"
    "  b: {pack: {count: 20, box: [1, 1, 1], radius: [1 cm, 2 cm]}, position: [9, 0, 0]}\n"
    "  c: {pile: {count: 5}, position: [0, 9, 0]}\n"
    "  d: {arch: {stones: 5, radius: 1, thickness: 0.2, depth: 0.2, springers: 0.1}, position: [0, -9, 0]}\n"
    "  e: {wall: {columns: 2, rows: 2, brick: [1, 1, 1]}, position: [0, -20, 0]}\n"
    "  f: {compound: [{hull: {points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]}}], position: [0, 40, 0]}\n"
    "fibres:\n"
    "  h: {model: der, bundle: {count: 7, spacing: 1 cm}, root: clamped, natural: [0, 0, 1], position: [0, 60, 0]}\n"
    "  l: {model: der, curve: {x: t, y: 0, z: 70, points: 5}, natural: [[0, 0, 1], [0, 0, 2]]}\n"
    "pulls: [{fibre: h, force: [0, 0, 1], sine: {frequency: 1}}, {fibre: l, stiffness: 1}]\n"
    "loads: [{on: a, force: [1, 0, 0], table: {times: [0, 1], values: [1, 2]}}]\n",
    "obstacles:\n"
    "  o: {tube: {radius: 1 cm, curve: {x: t, y: 0, z: 0, points: 5}}}\n"
    "  k: {plane: , motion: {keyframes: {file: keys.csv}}}\n"
    "  c: {container: {size: [1, 1, 1]}, position: [50, 0, 0]}\n",
    "0, 0, 0, 0\n1, 0, 0, 1\n",
};

static int set_up(void** state) {
  (void)state;
  static const char* const NAMES[3] = {"scene.yaml", "part.yaml", "keys.csv"};
  if (!mkdtemp(folder)) return -1;
  for (int i = 0; i < 3; ++i) {
    (void)snprintf(paths[i], sizeof paths[i], "%s/%s", folder, NAMES[i]);
    FILE* file = fopen(paths[i], "wb");
    if (!file || fputs(TEXTS[i], file) < 0 || fclose(file) != 0) return -1;
  }
  return 0;
}

static int tear_down(void** state) {
  (void)state;
  for (int i = 0; i < 3; ++i) (void)unlink(paths[i]);
  return rmdir(folder);
}

static void a_scene_that_cannot_be_held_is_refused(void** state) {
  (void)state;
  const char* set = "bodies.a.grid.count=[2, 2, 3]";
  int number = 0, refused = 0;
  for (allocation_failed = true; allocation_failed; ++number) {
    assert_true(number < ATTEMPTS);
    CpsScene* scene = NULL;
    CpsError error;
    fail_allocation(number);
    CpsStatus status = cps_scene_load(paths[0], &set, 1, &scene, &error);
    stop_failing();
    if (status == CPS_OK) {
      assert_int_equal(cps_scene_info(scene).bodies, 12 + 20 + 5 + 5 + 5 + 1);
      assert_int_equal(cps_scene_info(scene).obstacles, 5);
      cps_scene_destroy(scene);
    } else {
      if (status != CPS_NO_MEMORY) fail_msg("allocation %d: %s", number, error.text);
      assert_null(scene);
      refused++;
    }
  }
  assert_true(refused > 10);
}

static void a_world_that_cannot_be_held_is_refused(void** state) {
  (void)state;
  CpsScene* scene = NULL;
  assert_int_equal(cps_scene_load(paths[0], NULL, 0, &scene, NULL), CPS_OK);
  int number = 0, refused = 0;
  for (allocation_failed = true; allocation_failed; ++number) {
    assert_true(number < ATTEMPTS);
    CpsWorld* world = NULL;
    fail_allocation(number);
    CpsStatus status = cps_scene_build(scene, 1, &world, NULL);
    stop_failing();
    if (status == CPS_OK) {
      assert_int_equal(cps_world_body_count(world), cps_scene_info(scene).bodies);
      cps_world_destroy(world);
    } else {
      assert_int_equal(status, CPS_NO_MEMORY);
      assert_null(world);
      refused++;
    }
  }
  assert_true(refused > 10);
  cps_scene_destroy(scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(a_scene_that_cannot_be_held_is_refused, fail_one),
      cmocka_unit_test_setup(a_scene_that_cannot_be_held_is_refused, fail_the_rest),
      cmocka_unit_test_setup(a_world_that_cannot_be_held_is_refused, fail_one),
      cmocka_unit_test_setup(a_world_that_cannot_be_held_is_refused, fail_the_rest),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
