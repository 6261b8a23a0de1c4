// The volume of grains: overlapping volumes, and particles that begin inside an object.
#include "world_helpers.h"

#include <math.h>

static CpsWorld* make(const CpsGridDef* grid) {
  CpsWorldDef def = cps_world_def_default();
  def.step = 4e-3;
  def.solver.tolerance = 1e-3;
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

static CpsGrainsRoom room_of(const CpsWorld* world) {
  CpsGrainsRoom room;
  assert_int_equal(cps_world_grains_room(world, &room), CPS_OK);
  return room;
}

static void test_overlap(void** unused) {
  (void)unused;
  for (int plane = 0; plane <= 1; ++plane) {
    CpsGridDef grid = cps_grid_def_default();
    grid.plane = plane;
    CpsWorld* world = make(&grid);
    assert_int_equal(room_of(world).buried, 0);
    assert_true(room_of(world).densest == 0.0);  // no grains
    fill(world, (CpsVec3){0.0, 0.0, 0.0}, (CpsVec3){0.06, 0.05, 0.05});
    fill(world, (CpsVec3){0.06, 0.0, 0.0}, (CpsVec3){0.12, 0.05, 0.05});  // side by side
    assert_near(room_of(world).densest, 0.0, 1e-12);
    assert_near(room_of(world).excess, 0.0, 1e-12);
    fill(world, (CpsVec3){0.08, 0.0, 0.0}, (CpsVec3){0.16, 0.05, 0.05});
    const CpsGrainsRoom room = room_of(world);
    assert_near(room.densest, 1.0, 1e-12);
    assert_true(room.at.x > 0.08 && room.at.x < 0.12 && room.at.z > 0.0 && room.at.z < 0.05);
    assert_true(room.excess > 0.1 && room.excess < 0.5);
    assert_int_equal(room.buried, 0);
    cps_world_destroy(world);
  }
}

static void test_buried(void** unused) {
  (void)unused;
  CpsGridDef grid = cps_grid_def_default();
  grid.plane = true;
  CpsWorld* world = make(&grid);
  CpsBodyDef ball = cps_body_def_default();
  ball.shape = cps_sphere(0.02);
  ball.position = (CpsVec3){0.05, 0.0, 0.05};
  CpsBodyId body;
  must(cps_world_add_body(world, &ball, &body, &must_error));
  fill(world, (CpsVec3){0.0, 0.0, 0.0}, (CpsVec3){0.1, 0.0, 0.1});
  CpsGrainsRoom room = room_of(world);
  assert_int_equal(room.by.kind, CPS_THING_BODY);
  assert_int_equal(room.by.index, body.index);
  assert_near(room.buried, acos(-1.0) * 0.02 * 0.02 / (0.005 * 0.005), 6.0);
  fill(world, (CpsVec3){0.2, 0.0, -0.02}, (CpsVec3){0.3, 0.0, 0.02});
  add_floor(world);
  const int32_t in_body = room.buried;
  room = room_of(world);
  assert_int_equal(room.buried, in_body + 4 * 20);
  cps_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_overlap), cmocka_unit_test(test_buried)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
