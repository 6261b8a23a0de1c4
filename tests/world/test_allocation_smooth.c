// Memory of worlds with smooth surfaces and their guards, and with point clouds: a steady step allocates nothing.
#include "capstan/solid.h"
#include "core/random.h"
#include "solid_shapes.h"
#include "world/step_memory.h"
#include "world/world_helpers.h"

// A smooth block on a drum, with a smooth block and a ball on it.
static CpsWorld* make_scene(int threads) {
  CpsWorldDef def = cps_world_def_default();
  def.threads = threads;
  def.step = 2e-3;
  CpsWorld* world = make_world(&def);
  CpsObstacleDef floor = cps_obstacle_def_default();
  floor.shape = cps_plane();
  add_obstacle(world, &floor);
  Tets low = make_box(3, 3, 1, (CpsVec3){0, 0, 1e-3}, (CpsVec3){0.1, 0.1, 0.04}, 0.0);
  Tets high = make_box(2, 2, 1, (CpsVec3){0.021, 0.017, 0.0423}, (CpsVec3){0.05, 0.05, 0.04}, 0.0);
  for (int i = 0; i < 2; ++i) {
    const Tets* b = i == 0 ? &low : &high;
    CpsSolidDef solid = cps_solid_def_default();
    solid.vertices = b->vertices;
    solid.vertex_count = b->vertex_count;
    solid.tetrahedra = b->tetrahedra;
    solid.tetrahedron_count = b->tetrahedron_count;
    solid.matter.young = 1e5;
    solid.matter.damping = 0.02;
    solid.mu = 0.5;
    solid.smooth.on = true;
    must(cps_world_add_solid(world, &solid, NULL, &must_error));
  }
  CpsBodyDef ball = ball_at(0.01, 0.045, 0.04, 0.094);
  ball.mu = 0.5;
  add_body(world, &ball);
  free_tets(&low);
  free_tets(&high);
  return world;
}

static void a_steady_step_does_not_allocate(void** state) {
  (void)state;
  for (int threads = SANITIZED ? 2 : 1; threads <= 2; ++threads) {
    CpsWorld* world = make_scene(threads);
    CpsStepInfo info = {0};
    for (int i = 0; i < 150; ++i) assert_true(cps_world_step(world, &info, NULL) >= 0);
    assert_true(info.contacts > 8);
    assert_int_equal(step_without_allocating(world, 20, false), CPS_OK);
    assert_false(allocation_failed);
    cps_world_destroy(world);
  }
}

// A box that slides over a sphere of points by more than the allowed depth: it is followed in every step (cloud_impacts.c).
static void a_box_followed_into_points_does_not_allocate(void** state) {
  (void)state;
  enum { COUNT = 400 };
  static CpsVec3 points[COUNT];
  for (int i = 0; i < COUNT; ++i) {
    const double z = 1.0 - (2.0 * i + 1.0) / COUNT, r = sqrt(1.0 - z * z), angle = 2.399963229728653 * i;
    points[i] = (CpsVec3){r * cos(angle), r * sin(angle), z};
  }
  CpsWorldDef def = cps_world_def_default();
  def.step = 2e-3;
  CpsWorld* world = make_world(&def);
  CpsObstacleDef cloud = cps_obstacle_def_default();
  cloud.shape = cps_points(points, points, COUNT, 0.0);
  add_obstacle(world, &cloud);
  CpsBodyDef box = cps_body_def_default();
  box.shape = cps_box((CpsVec3){0.3, 0.3, 0.02});
  box.position = (CpsVec3){-0.1, 0.0, 1.03};
  box.velocity = (CpsVec3){8.0, 0.0, 0.0};
  add_body(world, &box);
  for (int i = 0; i < 4; ++i) assert_true(cps_world_step(world, NULL, NULL) >= 0);
  assert_int_equal(step_without_allocating(world, 4, false), CPS_OK);
  assert_false(allocation_failed);
  cps_world_destroy(world);
}

static void a_step_without_memory_changes_nothing(void** state) {
  (void)state;
  check_step_without_memory(make_scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_steady_step_does_not_allocate),
                                     cmocka_unit_test(a_box_followed_into_points_does_not_allocate),
                                     cmocka_unit_test(a_step_without_memory_changes_nothing)};
  return cmocka_run_group_tests_name("world/allocation_smooth", tests, NULL, NULL);
}
