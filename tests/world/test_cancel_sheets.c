// labels: release
// A step of a sheet that is cancelled at any moment is discarded: it never counts as unsolved, and the world is unchanged.
#include "core/vec3.h"
#include "world/sheet_helpers.h"
#include "world/world_helpers.h"

// Says "stop" from the question `from` on.
typedef struct Patience {
  int asked, from;
} Patience;

static bool is_over(void* data) {
  Patience* patience = data;
  return ++patience->asked >= patience->from;
}

static void a_step_is_given_up_whenever_it_is_asked(void** state) {
  (void)state;
  Patience patience = {0, INT32_MAX};
  CpsWorldDef def = cps_world_def_default();
  def.step = 2e-3;
  def.cancel = is_over;
  def.cancel_data = &patience;
  CpsWorld* world = make_world(&def);
  CpsObstacleDef ball = cps_obstacle_def_default();
  ball.shape = cps_sphere(0.1);
  must(cps_world_add_obstacle(world, &ball, NULL, &must_error));
  Rectangle r = make_rectangle(10, 10, cps_vec3(-0.15, -0.15, 0.105), cps_vec3(0.3, 0.0, 0.0), cps_vec3(0.0, 0.3, 0.0));
  CpsSheetDef sheet = sheet_of_rectangle(&r);
  sheet.thickness = 1e-3;
  sheet.stretch[0] = sheet.stretch[1] = 1000.0;
  CpsSheetId id;
  must(cps_world_add_sheet(world, &sheet, &id, &must_error));
  CpsStepInfo info;
  CpsError error;
  for (int k = 0; k < 60; ++k) assert_int_equal(cps_world_step(world, &info, &error), CPS_OK);
  assert_true(info.contacts > 5);
  int given_up = 0;
  for (int step = 0; step < (SANITIZED ? 2 : 10); ++step) {
    const uint64_t before = cps_world_hash(world);
    CpsStatus status = CPS_INTERRUPTED;
    for (patience.from = 1; status == CPS_INTERRUPTED; ++patience.from) {
      patience.asked = 0;
      status = cps_world_step(world, &info, &error);
      if (status == CPS_INTERRUPTED && cps_world_hash(world) != before) fail_msg("the world moved");
      given_up += status == CPS_INTERRUPTED;
    }
    if (status != CPS_OK) fail_msg("asked for the %d-th time to stop: %s", patience.from - 1, error.text);
    assert_int_equal(info.unsolved, 0);
  }
  print_message("%d steps were given up\n", given_up);
  assert_true(given_up > (SANITIZED ? 4 : 20));
  cps_world_destroy(world);
  free_rectangle(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_step_is_given_up_whenever_it_is_asked)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
