// Sheets that intersect at the start: they are listed, not held together, and ordinary sheets again once they have separated.
#include "core/vec3.h"
#include "geometry/triangle_tree.h"
#include "vertices.h"
#include "world/sheet_helpers.h"
#include "world/world_helpers.h"

// Edges of one sheet that cut triangles of the other.
static int cuts(const CpsWorld* world, const CpsSheetId id[2], const Rectangle* r) {
  CpsVec3 x[2][64];
  int count = 0;
  for (int s = 0; s < 2; ++s) vertices_of(world, cps_thing_sheet(id[s]), x[s], NULL);
  for (int s = 0; s < 2; ++s) {
    const Rectangle *a = &r[s], *b = &r[1 - s];
    for (int32_t k = 0; k < 3 * a->triangle_count; ++k) {
      CpsVec3 p = x[s][a->triangles[k]], q = x[s][a->triangles[k % 3 == 2 ? k - 2 : k + 1]];
      for (int32_t t = 0; t < b->triangle_count; ++t) {
        CpsVec3 corner[3];
        for (int i = 0; i < 3; ++i) corner[i] = x[1 - s][b->triangles[3 * t + i]];
        count += cps_segment_meets_triangle(p, q, corner);
      }
    }
  }
  return count;
}

// The second sheet is pulled out of the first, turns around and comes back: this time it does not pass through.
static void what_has_parted_touches_again(void** state) {
  (void)state;
  CpsWorldDef def = cps_world_def_default();
  def.step = 1e-3;
  def.gravity = (CpsVec3){0.0, 0.0, 0.0};
  CpsWorld* world = make_world(&def);
  Rectangle r[2] = {
      make_rectangle(4, 4, (CpsVec3){-0.1, -0.1, 0.0}, (CpsVec3){0.2, 0.0, 0.0}, (CpsVec3){0.0, 0.2, 0.0}),
      make_rectangle(3, 3, (CpsVec3){-0.031, 0.012, -0.012}, (CpsVec3){0.06, 0.002, 0.0},
                     (CpsVec3){0.003, 0.01, 0.06})};
  CpsSheetId id[2];
  int32_t border[2] = {0, 24};
  CpsPin pin = cps_pin_default();
  pin.vertex_count = 2;
  pin.vertices = border;
  for (int s = 0; s < 2; ++s) {
    CpsSheetDef sheet = sheet_of_rectangle(&r[s]);
    sheet.thickness = 1e-3;
    sheet.name = s == 0 ? "one" : "two";
    sheet.pin_count = s == 0;
    sheet.pins = &pin;
    must(cps_world_add_sheet(world, &sheet, &id[s], &must_error));
  }
  assert_true(cuts(world, id, r) > 0);
  assert_int_equal(cps_world_find_overlaps(world, NULL), CPS_OK);
  assert_int_equal(cps_world_overlap_count(world), 1);
  CpsOverlap o = cps_world_overlap(world, 0);
  assert_true(o.through);
  assert_true(o.side[0].part >= 0 && o.side[0].part < r[0].triangle_count);
  assert_true(o.side[1].part >= 0 && o.side[1].part < r[1].triangle_count);
  assert_near(o.point.z, 0.0, 1e-12);
  CpsVec3 v[16];
  for (int turn = 0; turn < 2; ++turn) {
    for (int i = 0; i < 16; ++i) v[i] = (CpsVec3){0.0, 0.0, turn == 0 ? 2.0 : -2.0};
    assert_int_equal(set_vertices(world, cps_thing_sheet(id[1]), NULL, v, NULL), CPS_OK);
    const double end = turn == 0 ? 0.02 : 0.06;
    while (cps_world_time(world) < end) {
      CpsStepInfo info;
      CpsError error;
      if (cps_world_step(world, &info, &error) < 0) fail_msg("%s", error.text);
      assert_int_equal(info.crossings, 0);
      if (turn == 1) assert_int_equal(cuts(world, id, r), 0);
    }
    CpsVec3 x[16];
    vertices_of(world, cps_thing_sheet(id[1]), x, NULL);
    // nothing held it: 2 m/s for 20 ms
    if (turn == 0) assert_near(x[0].z, -0.012 + 0.04, 2e-3);
    assert_int_equal(cuts(world, id, r), 0);
  }
  free_rectangle(&r[0]);
  free_rectangle(&r[1]);
  cps_world_destroy(world);
}

// One large triangle and a shape that is in its middle, away from all vertices: listed, and not listed once it is beside it. The
// mesh is a needle of four triangles, the tube a bent rod.
static void a_shape_in_the_middle_of_a_triangle_is_listed(void** state) {
  (void)state;
  const CpsVec3 corners[3] = {{-1.0, -1.0, 0.0}, {2.0, -1.0, 0.0}, {-1.0, 2.0, 0.0}};
  const int32_t triangle[3] = {0, 1, 2};
  const CpsVec3 needle[4] = {{0.01, 0.0, -0.2}, {-0.01, 0.01, -0.2}, {-0.01, -0.01, -0.2}, {0.0, 0.0, 0.2}};
  const int32_t sides[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
  const CpsVec3 bow[3] = {{-0.3, 0.0, 0.1}, {0.0, 0.0, -0.1}, {0.3, 0.0, 0.1}};
  for (int kind = 0; kind < 2; ++kind) {
    for (int beside = 0; beside < 2; ++beside) {
      CpsWorldDef def = cps_world_def_default();
      CpsWorld* world = make_world(&def);
      CpsSheetDef sheet = cps_sheet_def_default();
      sheet.vertex_count = 3, sheet.vertices = corners;
      sheet.triangle_count = 1, sheet.triangles = triangle;
      sheet.thickness = 2e-3;
      must(cps_world_add_sheet(world, &sheet, NULL, &must_error));
      CpsObstacleDef thing = cps_obstacle_def_default();
      thing.shape = kind == 0 ? cps_mesh(needle, 4, sides, 4) : cps_tube(bow, 3, 5e-3, false);
      thing.pose.position = (CpsVec3){beside ? 4.0 : 0.0, 0.0, 0.0};
      thing.name = kind == 0 ? "needle" : "bow";
      (void)add_obstacle(world, &thing);
      must(cps_world_find_overlaps(world, &must_error));
      assert_int_equal(cps_world_overlap_count(world), beside ? 0 : 1);
      if (!beside) {
        const CpsOverlap o = cps_world_overlap(world, 0);
        assert_int_equal(o.side[0].thing.kind, CPS_THING_SHEET);
        assert_int_equal(o.side[1].thing.kind, CPS_THING_OBSTACLE);
        // the mesh has no inside; the centre line of the tube cuts the triangle
        assert_near(o.depth, kind == 0 ? 1e-3 : 1e-3 + 5e-3, 1e-12);
        assert_true(fabs(o.point.x) < 0.4 && fabs(o.point.y) < 0.02);
      }
      cps_world_destroy(world);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(what_has_parted_touches_again),
                                     cmocka_unit_test(a_shape_in_the_middle_of_a_triangle_is_listed)};
  return cmocka_run_group_tests_name("world/entangled", tests, NULL, NULL);
}
