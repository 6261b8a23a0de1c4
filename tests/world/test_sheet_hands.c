// Hands on sheets: springs that pull at vertices, and vertices pinned and released during the simulation.
#include "vertices.h"
#include "world/sheet_helpers.h"

#include <math.h>
#include <stdlib.h>

static CpsWorld* make_world(double h, double theta, double gravity) {
  CpsWorldDef def = cps_world_def_default();
  def.step = h;
  def.theta = theta;
  def.gravity = (CpsVec3){0.0, 0.0, -gravity};
  CpsWorld* world = NULL;
  assert_int_equal(cps_world_create(&def, &world, NULL), CPS_OK);
  return world;
}

static void step(CpsWorld* world) {
  CpsError error;
  if (cps_world_step(world, NULL, &error) != CPS_OK) fail_msg("%s", error.text);
}

static CpsSheetId add_square(CpsWorld* world, int cells, CpsSheetInfo* info) {
  Rectangle r =
      make_rectangle(cells, cells, (CpsVec3){0.0, 0.0, 0.0}, (CpsVec3){0.2, 0.0, 0.0}, (CpsVec3){0.0, 0.2, 0.0});
  CpsSheetDef def = sheet_of_rectangle(&r);
  def.mass_damping = 8.0;
  CpsSheetId id;
  assert_int_equal(cps_world_add_sheet(world, &def, &id, NULL), CPS_OK);
  assert_int_equal(cps_world_sheet_info(world, id, info), CPS_OK);
  free_rectangle(&r);
  return id;
}

static CpsVec3 vertex_at(const CpsWorld* world, CpsSheetId id, int32_t vertex) {
  CpsVec3 x[128];
  CpsSheetInfo info;
  assert_int_equal(cps_world_sheet_info(world, id, &info), CPS_OK);
  assert_true(info.vertex_count <= 128);
  assert_int_equal(vertices_of(world, cps_thing_sheet(id), x, NULL), CPS_OK);
  return x[vertex];
}

// A triangle whose three lumps m/3 hang on three equal springs moves as one oscillator. One step of the scheme with error e to
// the target, rate w and damping rate z (k = m w^2, d = m z) is v+ = (v + h (w^2 (e - h theta (1 - theta) v) - z (1 - theta) v))
// / (1 + h^2 theta^2 w^2 + h theta z), e+ = e - h (theta v+ + (1 - theta) v).
static void test_springs_are_exact(void** unused) {
  (void)unused;
  const double h = 2e-3, w = 40.0, z = 7.0;
  for (double theta = 0.5; theta <= 1.0; theta += 0.25) {
    CpsWorld* world = make_world(h, theta, 0.0);
    const CpsVec3 corners[3] = {{0.0, 0.0, 0.0}, {0.1, 0.0, 0.0}, {0.0, 0.1, 0.0}};
    const int32_t triangle[3] = {0, 1, 2};
    CpsSheetDef def = cps_sheet_def_default();
    def.vertex_count = 3, def.vertices = corners;
    def.triangle_count = 1, def.triangles = triangle;
    CpsSheetId id;
    CpsSheetInfo info;
    assert_int_equal(cps_world_add_sheet(world, &def, &id, NULL), CPS_OK);
    assert_int_equal(cps_world_sheet_info(world, id, &info), CPS_OK);
    CpsPullId pulls[3];
    for (int i = 0; i < 3; ++i) {
      CpsPullDef pull = cps_pull_def_default();
      pull.at = cps_anchor_sheet(id, i);
      pull.stiffness = info.mass / 3.0 * w * w;
      pull.damping = info.mass / 3.0 * z;
      pull.target = (CpsVec3){corners[i].x, corners[i].y, 0.05};
      assert_int_equal(cps_world_add_pull(world, &pull, &pulls[i], NULL), CPS_OK);
    }
    double e = 0.05, v = 0.0;
    for (int k = 0; k < 200; ++k) {
      step(world);
      double force = w * w * (e - h * theta * (1.0 - theta) * v) - z * (1.0 - theta) * v;
      double next = (v + h * force) / (1.0 + h * h * theta * theta * w * w + h * theta * z);
      double mean = theta * next + (1.0 - theta) * v;
      CpsVec3 F;
      assert_int_equal(cps_world_pull_force(world, pulls[1], &F), CPS_OK);
      assert_near(F.z, info.mass / 3.0 * (next - v) / h, 1e-12 * info.mass * w * w);
      e -= h * mean;
      v = next;
      assert_near(0.05 - vertex_at(world, id, 1).z, e, 1e-13);
    }
    // F = m a in all steps, and the springs' stores, dampers and losses of the scheme add up
    assert_true(cps_world_energy(world).error < 1e-12);
    cps_world_destroy(world);
  }
}

// Hung from a spring at a corner, a sheet comes to rest with its weight in the spring; its energy balance closes on the way.
static void test_a_spring_carries_the_weight(void** unused) {
  (void)unused;
  CpsWorld* world = make_world(5e-3, 1.0, 9.81);
  CpsSheetInfo info;
  CpsSheetId id = add_square(world, 3, &info);
  CpsPullDef pull = cps_pull_def_default();
  pull.at = cps_anchor_sheet(id, 0);
  pull.stiffness = 20.0;
  pull.damping = 0.3;
  pull.target = (CpsVec3){0.0, 0.0, 0.1};
  CpsPullId hand;
  assert_int_equal(cps_world_add_pull(world, &pull, &hand, NULL), CPS_OK);
  for (int k = 0; k < 2000; ++k) {
    if (k == 400) assert_int_equal(cps_world_move_pull(world, hand, (CpsVec3){0.1, 0.0, 0.15}, NULL), CPS_OK);
    step(world);
  }
  CpsVec3 F;
  assert_int_equal(cps_world_pull_force(world, hand, &F), CPS_OK);
  assert_near(F.z, info.mass * 9.81, 1e-6 * info.mass * 9.81);
  assert_near(F.x, 0.0, 1e-6 * info.mass * 9.81);
  assert_near(vertex_at(world, id, 0).z, 0.15 - info.mass * 9.81 / 20.0, 1e-7);
  assert_true(cps_world_energy(world).error < 1e-9);
  // let go, it falls
  assert_int_equal(cps_world_remove_pull(world, hand, NULL), CPS_OK);
  step(world);
  CpsVec3 p, L;
  cps_world_momentum(world, &p, &L);
  assert_near(p.z, -info.mass * 9.81 * 5e-3 / (1.0 + 8.0 * 5e-3), 1e-6 * info.mass);  // with the drag of 8 / s
  cps_world_destroy(world);
}

// Held vertices are at their prescribed positions, including those pinned by the definition; released ones fall.
static void test_held_and_released(void** unused) {
  (void)unused;
  CpsWorld* world = make_world(2e-3, 1.0, 9.81);
  Rectangle r = make_rectangle(4, 4, (CpsVec3){0.0, 0.0, 0.0}, (CpsVec3){0.2, 0.0, 0.0}, (CpsVec3){0.0, 0.2, 0.0});
  CpsSheetDef def = sheet_of_rectangle(&r);
  const int32_t pinned[1] = {4};
  CpsPin pin = cps_pin_default();
  pin.vertex_count = 1, pin.vertices = pinned;
  def.pin_count = 1, def.pins = &pin;
  CpsSheetId id;
  assert_int_equal(cps_world_add_sheet(world, &def, &id, NULL), CPS_OK);
  assert_int_equal(cps_world_hold_vertex(world, cps_thing_sheet(id), 0, r.vertices[0], NULL), CPS_OK);
  bool held[25];
  assert_int_equal(cps_world_held_vertices(world, cps_thing_sheet(id), held), CPS_OK);
  for (int i = 0; i < 25; ++i) assert_int_equal(held[i], i == 0 || i == 4);
  for (int k = 1; k <= 50; ++k) {
    CpsVec3 place = {0.0, 0.0, 1e-3 * k};
    assert_int_equal(cps_world_hold_vertex(world, cps_thing_sheet(id), 0, place, NULL), CPS_OK);
    step(world);
    assert_near(vertex_at(world, id, 0).z, place.z, 1e-15);
    assert_near(vertex_at(world, id, 4).z, 0.0, 1e-15);
  }
  assert_true(cps_world_energy(world).error < 1e-9);
  assert_int_equal(cps_world_release_vertex(world, cps_thing_sheet(id), 4, NULL), CPS_OK);
  for (int k = 0; k < 50; ++k) step(world);
  assert_true(vertex_at(world, id, 4).z < -1e-3);
  assert_near(vertex_at(world, id, 0).z, 0.05, 1e-15);
  // back to what the definition says: the pin takes its vertex again
  assert_int_equal(cps_world_restore_pins(world, cps_thing_sheet(id)), CPS_OK);
  step(world);
  assert_near(vertex_at(world, id, 4).z, 0.0, 1e-15);
  assert_int_equal(cps_world_held_vertices(world, cps_thing_sheet(id), held), CPS_OK);
  for (int i = 0; i < 25; ++i) assert_int_equal(held[i], i == 4);
  cps_world_destroy(world);
  free_rectangle(&r);
}

static void test_refusals(void** unused) {
  (void)unused;
  CpsWorld* world = make_world(2e-3, 1.0, 9.81);
  CpsSheetInfo info;
  CpsSheetId id = add_square(world, 2, &info), gone = {7, 1};
  CpsError error;
  CpsPullDef pull = cps_pull_def_default();
  pull.at = cps_anchor_sheet(id, info.vertex_count);
  assert_int_equal(cps_world_add_pull(world, &pull, NULL, &error), CPS_BAD_DATA);
  assert_string_equal(error.text, "a pull acts at vertex 9 of a sheet with 9 vertices");
  pull.at = cps_anchor_sheet(gone, 0);
  assert_int_equal(cps_world_add_pull(world, &pull, NULL, &error), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_world_hold_vertex(world, cps_thing_sheet(id), -1, (CpsVec3){0}, &error), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_world_hold_vertex(world, cps_thing_sheet(id), 0, (CpsVec3){NAN, 0.0, 0.0}, &error),
                   CPS_BAD_DATA);
  assert_int_equal(cps_world_hold_vertex(world, cps_thing_sheet(gone), 0, (CpsVec3){0}, &error), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_world_release_vertex(world, cps_thing_sheet(id), 9, &error), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_world_restore_pins(world, cps_thing_sheet(gone)), CPS_BAD_ARGUMENT);
  bool held[9];
  assert_int_equal(cps_world_held_vertices(world, cps_thing_sheet(gone), held), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_world_held_vertices(world, cps_thing_sheet(id), NULL), CPS_BAD_ARGUMENT);
  // a sheet that goes takes its pulls with it
  pull.at = cps_anchor_sheet(id, 0);
  CpsPullId hand;
  assert_int_equal(cps_world_add_pull(world, &pull, &hand, NULL), CPS_OK);
  assert_int_equal(cps_world_remove_sheet(world, id, NULL), CPS_OK);
  assert_int_equal(cps_world_remove_pull(world, hand, NULL), CPS_BAD_ARGUMENT);
  cps_world_destroy(world);
}

// The vertices that the caller holds or has released are part of the state: a world that loads it continues with the same bits.
static void test_hands_are_saved(void** unused) {
  (void)unused;
  CpsSheetInfo info;
  CpsWorld *first = make_world(4e-3, 1.0, 9.81), *second = make_world(4e-3, 1.0, 9.81);
  CpsSheetId a = add_square(first, 4, &info), b = add_square(second, 4, &info);
  assert_int_equal(cps_world_hold_vertex(first, cps_thing_sheet(a), 0, vertex_at(first, a, 0), NULL), CPS_OK);
  assert_int_equal(cps_world_hold_vertex(first, cps_thing_sheet(a), 4, vertex_at(first, a, 4), NULL), CPS_OK);
  for (int i = 0; i < 20; ++i) step(first);
  assert_int_equal(cps_world_release_vertex(first, cps_thing_sheet(a), 4, NULL), CPS_OK);
  const size_t size = cps_world_state_size(first);
  void* bytes = malloc(size);
  assert_int_equal(cps_world_save(first, bytes, size, NULL), CPS_OK);
  CpsError error;
  if (cps_world_load(second, bytes, size, &error) != CPS_OK) fail_msg("%s", error.text);
  bool held[25];
  assert_int_equal(cps_world_held_vertices(second, cps_thing_sheet(b), held), CPS_OK);
  assert_true(held[0] && !held[4]);
  for (int i = 0; i < 20; ++i) step(first), step(second);
  assert_true(cps_world_hash(first) == cps_world_hash(second));
  assert_near(vertex_at(second, b, 0).z, 0.0, 1e-15);
  assert_true(vertex_at(second, b, 24).z < -0.02);
  free(bytes);
  cps_world_destroy(first);
  cps_world_destroy(second);
}

// The corner of a square in free fall that a pin catches, and then moves by itself or with an obstacle.
static CpsWorld* make_caught(bool on_wall, CpsSheetId* id) {
  CpsWorld* world = make_world(2e-3, 1.0, 9.81);
  CpsObstacleDef wall = cps_obstacle_def_default();
  CpsObstacleId wall_id;
  wall.shape = cps_sphere(0.01);
  wall.pose.position = (CpsVec3){1.0, 0.0, 0.0};
  wall.motion = (CpsMotion){.kind = CPS_MOTION_VELOCITY, .velocity = {0.5, 0.0, 0.0}};
  assert_int_equal(cps_world_add_obstacle(world, &wall, &wall_id, NULL), CPS_OK);
  Rectangle r = make_rectangle(2, 2, (CpsVec3){0.0, 0.0, 0.0}, (CpsVec3){0.2, 0.0, 0.0}, (CpsVec3){0.0, 0.2, 0.0});
  const int32_t corner[1] = {0};
  CpsPin pin = cps_pin_default();
  pin.vertex_count = 1, pin.vertices = corner;
  pin.from = 0.1;
  pin.motion = wall.motion;
  if (on_wall) pin.obstacle = wall_id;
  CpsSheetDef def = sheet_of_rectangle(&r);
  def.pins = &pin, def.pin_count = 1;
  assert_int_equal(cps_world_add_sheet(world, &def, id, NULL), CPS_OK);
  free_rectangle(&r);
  return world;
}

// A pin that begins later takes hold of its vertices where they are then. They used to jump back to where they were at the start.
static void test_a_late_pin_catches(void** unused) {
  (void)unused;
  for (int on_wall = 0; on_wall < 2; ++on_wall) {
    CpsSheetId id, again;
    CpsWorld *world = make_caught(on_wall, &id), *other = make_caught(on_wall, &again);
    for (int i = 0; i < 50; ++i) step(world);
    const CpsVec3 x = vertex_at(world, id, 0);
    assert_near(x.z, -0.5 * 9.81 * 0.1 * (0.1 + 2e-3), 1e-12);  // theta 1: free fall, a step ahead
    for (int i = 0; i < 50; ++i) step(world);
    assert_near(vertex_at(world, id, 0).z, x.z, 1e-12);
    assert_near(vertex_at(world, id, 0).x, x.x + 0.05, 1e-12);
    const size_t size = cps_world_state_size(world);
    assert_int_equal(size, cps_world_state_size(other));
    void* bytes = malloc(size);
    assert_int_equal(cps_world_save(world, bytes, size, NULL), CPS_OK);
    assert_int_equal(cps_world_load(other, bytes, size, NULL), CPS_OK);
    for (int i = 0; i < 20; ++i) step(world), step(other);
    assert_int_equal(cps_world_hash(world), cps_world_hash(other));
    free(bytes);
    cps_world_destroy(world);
    cps_world_destroy(other);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_springs_are_exact), cmocka_unit_test(test_a_spring_carries_the_weight),
      cmocka_unit_test(test_held_and_released), cmocka_unit_test(test_hands_are_saved),
      cmocka_unit_test(test_refusals),          cmocka_unit_test(test_a_late_pin_catches),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
