// A fast hand in the tangle: the spring of the viewer leads a corner of the cloth around at more than 3 m/s, over the crates and
// under the rope. Every step is solved, nothing goes through anything, the energy balance closes.
#include "capstan/fibre.h"
#include "capstan/sheet.h"
#include "scenes/scene_world.h"

#include <math.h>

static CpsVec3 hand_at(CpsVec3 start, double t) {
  return (CpsVec3){start.x + 0.4 * sin(8.0 * t), start.y + 0.4 * (1.0 - cos(8.0 * t)),
                   start.z + 0.2 * fabs(sin(5.0 * t)) - 0.05};
}

static void nothing_goes_through_under_a_fast_hand(void** state) {
  (void)state;
  Overrides o = {.count = 0};
  override(&o, "cells=%d", SHORTER ? 6 : 8);
  CpsWorld* world = open_scene("tangle.yaml", &o);
  CpsStepInfo info;
  CpsError error;
  int64_t crossings = 0;
  while (cps_world_time(world) < 0.35) {
    assert_int_equal(cps_world_step(world, &info, &error), CPS_OK);
    crossings += info.crossings;
  }
  CpsSheetId cloth = cps_world_sheet(world, 0);
  CpsSheetInfo facts;
  CpsVertexState corner;
  assert_int_equal(cps_world_sheet_info(world, cloth, &facts), CPS_OK);
  assert_int_equal(cps_world_vertex(world, cps_thing_sheet(cloth), 0, &corner), CPS_OK);
  // (1) of server/live_hands.c: w = 30 / s
  CpsPullDef pull = cps_pull_def_default();
  pull.at = cps_anchor_sheet(cloth, 0);
  pull.stiffness = facts.mass * 900.0;
  pull.damping = 2.0 * facts.mass * 30.0;
  pull.target = corner.position;
  CpsPullId hand;
  assert_int_equal(cps_world_add_pull(world, &pull, &hand, NULL), CPS_OK);
  double began = cps_world_time(world), fastest = 0.0;
  while (cps_world_time(world) < began + (SHORTER ? 0.3 : 1.0)) {
    CpsVec3 target = hand_at(corner.position, cps_world_time(world) - began);
    assert_int_equal(cps_world_move_pull(world, hand, target, NULL), CPS_OK);
    if (cps_world_step(world, &info, &error) != CPS_OK) fail_msg("%s", error.text);
    crossings += info.crossings;
    CpsVertexState now;
    assert_int_equal(cps_world_vertex(world, cps_thing_sheet(cloth), 0, &now), CPS_OK);
    fastest = fmax(fastest, speed(now.velocity));
  }
  assert_true(fastest > (SHORTER ? 1.0 : 3.0));
  assert_int_equal(crossings, 0);
  assert_true(cps_world_energy(world).error < 1e-12);
  cps_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_goes_through_under_a_fast_hand)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
