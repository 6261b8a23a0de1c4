// labels: release
// Sheets with vertices tied to each other: contacts do not keep them apart there.
#include "sheet_helpers.h"

#include <math.h>

enum { CELLS = 4, ROW = CELLS + 1 };
static const double SIZE = 0.4, DENSITY = 0.1, GRAVITY = 10.0;

// A square whose lower edge is at the height z and `lean` before its upper one, which may be pinned.
static CpsSheetId add_square(CpsWorld* world, double z, double lean, bool pinned) {
  Rectangle r =
      make_rectangle(CELLS, CELLS, (CpsVec3){0.0, lean, z}, (CpsVec3){SIZE, 0.0, 0.0}, (CpsVec3){0.0, -lean, SIZE});
  int32_t top[ROW];
  for (int i = 0; i < ROW; ++i) top[i] = ROW * CELLS + i;
  CpsPin pin = cps_pin_default();
  pin.vertices = top;
  pin.vertex_count = ROW;
  CpsSheetDef def = sheet_of_rectangle(&r);
  def.density = DENSITY;
  def.stretch[0] = def.stretch[1] = 200.0;
  def.stretch_damping = 0.02;
  def.pins = &pin;
  def.pin_count = pinned ? 1 : 0;
  CpsSheetId id;
  CpsError error;
  if (cps_world_add_sheet(world, &def, &id, &error) != CPS_OK) fail_msg("%s", error.text);
  free_rectangle(&r);
  return id;
}

static void tie_vertices(CpsWorld* world, CpsSheetId a, int32_t one, CpsSheetId b, int32_t two) {
  CpsTieDef tie = cps_tie_def_default();
  CpsError error;
  tie.a = cps_anchor_sheet(a, one);
  tie.b = cps_anchor_sheet(b, two);
  if (cps_world_add_tie(world, &tie, NULL, &error) != CPS_OK) fail_msg("%s", error.text);
}

static CpsWorld* make_world(void) {
  CpsWorldDef def = cps_world_def_default();
  CpsWorld* world = NULL;
  def.gravity = (CpsVec3){0.0, 0.0, -GRAVITY};
  def.step = 0.005;
  assert_int_equal(cps_world_create(&def, &world, NULL), CPS_OK);
  return world;
}

static void run(CpsWorld* world, double until, double apart) {
  CpsTieState states[2 * ROW];
  while (cps_world_time(world) < until) {
    CpsStepInfo info;
    CpsError error;
    if (cps_world_step(world, &info, &error) != CPS_OK) fail_msg("%s", error.text);
    assert_int_equal(info.crossings, 0);
    const int32_t count = cps_world_tie_states(world, states, 2 * ROW);
    for (int32_t i = 0; i < count; ++i) assert_true(states[i].apart < apart);
  }
}

// A square hangs from another one, edge on edge, held by all vertices of the edge: no overlap at the start, and in the end the
// ties bear its weight.
static void an_edge_carries_what_is_sewn_to_it(void** state) {
  (void)state;
  CpsWorld* world = make_world();
  const CpsSheetId upper = add_square(world, SIZE, 0.0, true), lower = add_square(world, 0.0, 0.0, false);
  for (int i = 0; i < ROW; ++i) tie_vertices(world, upper, i, lower, ROW * CELLS + i);
  assert_int_equal(cps_world_find_overlaps(world, NULL), CPS_OK);
  assert_int_equal(cps_world_overlap_count(world), 0);
  run(world, 3.0, 1e-6);  // the tolerance of a step, as a part of the cells, times the steps
  CpsTieState states[ROW];
  double force = 0.0;
  assert_int_equal(cps_world_tie_states(world, states, ROW), ROW);
  for (int i = 0; i < ROW; ++i) force += fabs(states[i].force.z);
  assert_near(force, DENSITY * SIZE * SIZE * GRAVITY, 1e-4);  // what swings after 3 s
  cps_world_destroy(world);
}

// Two squares hang from the same edge, one leaning forwards and one back: they are held to the first only, and so to each other.
static void what_is_held_to_one_place_meets_there(void** state) {
  (void)state;
  CpsWorld* world = make_world();
  const CpsSheetId upper = add_square(world, SIZE, 0.0, true);
  const CpsSheetId lower[2] = {add_square(world, 0.0, 0.1, false), add_square(world, 0.0, -0.1, false)};
  for (int i = 0; i < 2 * ROW; ++i) tie_vertices(world, upper, i / 2, lower[i % 2], ROW * CELLS + i / 2);
  assert_int_equal(cps_world_find_overlaps(world, NULL), CPS_OK);
  assert_int_equal(cps_world_overlap_count(world), 0);
  run(world, 0.3, 1e-6);  // they fall against each other after about 0.1 s
  cps_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_edge_carries_what_is_sewn_to_it),
      cmocka_unit_test(what_is_held_to_one_place_meets_there),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
