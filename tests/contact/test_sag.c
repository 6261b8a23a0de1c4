// The edge between two vertices of a sheet sags over the ridge of a mesh: it is held at a tenth of half the thickness, by one
// contact that is there from the beginning of the step.
#include "contact/surfaces.h"
#include "test_helpers.h"

#include "capstan/shape.h"

#include <math.h>

static const double HALF = 1e-3;  // of the thickness

// A ridge along y at z = 0 with a flat bottom, closed.
static CpsGeom* make_ridge(void) {
  static const CpsVec3 points[] = {{0.0, -1.0, 0.0},    {0.0, 1.0, 0.0},    {0.5, -1.0, -0.05}, {0.5, 1.0, -0.05},
                                   {-0.5, -1.0, -0.05}, {-0.5, 1.0, -0.05}, {0.0, -1.0, -1.0},  {0.0, 1.0, -1.0}};
  static const int32_t triangles[] = {0, 2, 1, 2, 3, 1, 0, 1, 4, 1, 5, 4, 2, 6, 3, 6, 7, 3,
                                      4, 5, 6, 5, 7, 6, 0, 4, 2, 4, 6, 2, 1, 3, 5, 3, 7, 5};
  CpsShape shape = cps_mesh(points, 8, triangles, 12);
  CpsGeom* geom = NULL;
  CpsError error = {{0}};
  if (cps_geom_create(&shape, &geom, &error) != CPS_OK) fail_msg("%s", error.text);
  return geom;
}

typedef struct Found {
  int64_t count;
  CpsSurfaceTouch touch;  // the first
} Found;

enum { EXPECTED = -1, ROUNDS = 9 };  // a step looks for impacts in its attempts 0 to 8 (world/judge.c)

// Two triangles with a common edge along x, its middle over the ridge at a height; each vertex goes by `way` in the step. What
// is expected, or what met in a round.
static Found look_in(int round, double height, CpsVec3 way) {
  const CpsVec3 start[4] = {
      {-0.01, 0.0, height}, {0.01, 0.0, height}, {0.0, 0.02, height + 0.005}, {0.0, -0.02, height + 0.005}};
  static const int32_t triangles[] = {0, 1, 2, 1, 0, 3};
  static const bool held[4] = {false};
  CpsVec3 end[4];
  for (int i = 0; i < 4; ++i) end[i] = cps_vec3_add(start[i], way);
  CpsTriangleTree* tree;
  assert_int_equal(cps_triangle_tree_create(start, 4, triangles, 2, &tree), CPS_OK);
  CpsGeom* ridge = make_ridge();
  const CpsSurfaceMesh sheet = {.tree = tree, .start = start, .end = end, .held = held, .half = HALF};
  const CpsPose here = {{0.0, 0.0, 0.0}, cps_quat_identity()};
  const CpsCollider collider = {.geom = ridge, .pose = here, .owner = -1};
  const CpsColliderEnd at_end = {.pose = here};
  CpsArena arena = {0};
  CpsSurfaceTouches near, out;
  assert_true(round == EXPECTED ? cps_surfaces_near(&sheet, 1, 0.1 * HALF, NULL, &arena, &near)
                                : cps_surfaces_met(&sheet, 1, 0.1, NULL, &arena, &near));
  const CpsSurfaceScene scene = {&sheet, 1, &collider, &at_end, 1};
  assert_true(round == EXPECTED ? cps_surface_meshes_expected(&scene, &arena, &out)
                                : cps_surface_shapes_met(&scene, 0.1, 0.1, round, &arena, &out));
  Found found = {.count = out.count};
  if (out.count > 0) found.touch = out.touch[0];
  cps_arena_free(&arena);
  cps_triangle_tree_destroy(tree);
  cps_geom_destroy(ridge);
  return found;
}

static Found look(double height, CpsVec3 way) {
  return look_in(EXPECTED, height, way);
}

static void an_edge_that_sags_is_held_once(void** state) {
  (void)state;
  const CpsVec3 none = {0.0, 0.0, 0.0};
  const Found found = look(0.08 * HALF, none);
  // both triangles of the sheet and both of the ridge see it
  assert_int_equal(found.count, 1);
  assert_int_equal(found.touch.pair, CPS_PAIR_EDGE_SHAPE);
  assert_near(found.touch.gap, (0.08 - 0.1) * HALF, 1e-12);
  assert_near(found.touch.at.normal.z, 1.0, 1e-12);
  for (int i = 0; i < 2; ++i) assert_near(found.touch.at.weight_a[i], 0.5, 1e-9);
}

static void one_that_is_high_is_held_if_it_comes_down(void** state) {
  (void)state;
  const CpsVec3 none = {0.0, 0.0, 0.0}, down = {0.0, 0.0, -0.15 * HALF}, little = {0.0, 0.0, -0.05 * HALF};
  assert_int_equal(look(0.2 * HALF, none).count, 0);
  assert_int_equal(look(0.2 * HALF, little).count, 0);
  const Found found = look(0.2 * HALF, down);
  assert_int_equal(found.count, 1);
  assert_near(found.touch.gap, (0.2 - 0.1) * HALF, 1e-9);
}

// What met is a contact of its own in each attempt, so that a later one does not take the place of an earlier one.
static void each_attempt_names_what_it_met(void** state) {
  (void)state;
  const CpsVec3 up = {0.0, 0.0, 0.05 * HALF}, down = {0.0, 0.0, -0.15 * HALF};
  uint32_t names[ROUNDS];
  for (int round = 0; round < ROUNDS; ++round) {
    assert_int_equal(look_in(round, 0.08 * HALF, up).count, 0);  // it is near, and leaves
    const Found found = look_in(round, 0.2 * HALF, down);
    assert_true(found.count > 0);
    names[round] = cps_surface_feature(&found.touch);
    for (int k = 0; k < round; ++k) assert_int_not_equal(names[k], names[round]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_edge_that_sags_is_held_once),
      cmocka_unit_test(one_that_is_high_is_held_if_it_comes_down),
      cmocka_unit_test(each_attempt_names_what_it_met),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
