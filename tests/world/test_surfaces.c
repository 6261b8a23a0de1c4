// Bodies that slide on meshes and rails: edges between triangles and joints have no effect.
#include "core/random.h"
#include "world_helpers.h"

enum { CELLS = 24, POINTS = (CELLS + 1) * (CELLS + 1), TRIANGLES = 2 * CELLS * CELLS };

// A flat floor over [-1, 3] x [-2, 2] cut into triangles of many shapes.
static void add_triangulated_floor(CpsWorld* world) {
  static CpsVec3 points[POINTS];
  static int32_t triangles[3 * TRIANGLES];
  CpsRandom random = cps_random_seed(1);
  const double w = 4.0 / CELLS;
  for (int32_t j = 0; j <= CELLS; j++) {
    for (int32_t i = 0; i <= CELLS; i++) {
      const double x = 0.3 * w * cps_random_uniform(&random), y = 0.3 * w * cps_random_uniform(&random);
      points[j * (CELLS + 1) + i] = (CpsVec3){w * i - 1.0 + x, w * j - 2.0 + y, 0.0};
    }
  }
  for (int32_t j = 0, t = 0; j < CELLS; j++) {
    for (int32_t i = 0; i < CELLS; i++) {
      const int32_t a = j * (CELLS + 1) + i, b = a + 1, c = b + CELLS + 1, d = a + CELLS + 1;
      const int32_t corners[6] = {a, b, c, a, c, d};
      for (int k = 0; k < 6; k++) triangles[t++] = corners[k];
    }
  }
  CpsObstacleDef floor = cps_obstacle_def_default();
  floor.shape = cps_mesh(points, POINTS, triangles, TRIANGLES);
  add_obstacle(world, &floor);
}

static CpsWorld* floor_world(bool mesh) {
  CpsWorldDef def = cps_world_def_default();
  def.mu = 0.3;
  CpsWorld* world = make_world(&def);
  if (mesh) {
    add_triangulated_floor(world);
  } else {
    add_floor(world);
  }
  return world;
}

static void box_slides_on_triangles_as_on_a_plane(void** state) {
  (void)state;
  double x[2];
  for (int mesh = 0; mesh < 2; mesh++) {
    CpsWorld* world = floor_world(mesh == 1);
    CpsBodyDef box = box_at((CpsVec3){0.2, 0.3, 0.1}, 0.0, 0.1, 0.05);
    box.velocity = (CpsVec3){2.0, 0.5, 0.0};
    const CpsBodyId id = add_body(world, &box);
    while (cps_world_time(world) < 1.0) must(cps_world_step(world, NULL, NULL));
    const CpsBodyState s = state_of(world, id);
    x[mesh] = s.pose.position.x;
    assert_near(s.pose.position.z, 0.05, 1e-6);
    assert_below(fabs(s.velocity.x), 1e-9);
    cps_world_destroy(world);
  }
  assert_near(x[1], x[0], 1e-6);  // the tolerance of the solver over a thousand steps
}

static void ball_rolls_over_triangles_without_losing_speed(void** state) {
  (void)state;
  CpsWorld* world = floor_world(true);
  CpsBodyDef ball = ball_at(0.1, -0.5, -0.3, 0.1);
  ball.velocity = (CpsVec3){1.5, 0.4, 0.0};
  ball.angular_velocity = (CpsVec3){-4.0, 15.0, 0.0};  // rolls: v = omega x r n
  const CpsBodyId id = add_body(world, &ball);
  while (cps_world_time(world) < 1.0) must(cps_world_step(world, NULL, NULL));
  const CpsBodyState s = state_of(world, id);
  assert_near(s.velocity.x, 1.5, 1e-9);
  assert_near(s.velocity.y, 0.4, 1e-9);
  assert_near(s.velocity.z, 0.0, 1e-9);
  cps_world_destroy(world);
}

// A ball of radius 0.1 rolls around inside a ring of two rails, without gravity.
static double speed_after_one_turn(int pieces, double step) {
  CpsWorldDef def = cps_world_def_default();
  def.gravity = (CpsVec3){0, 0, 0};
  def.step = step;
  def.theta = 0.5;
  CpsWorld* world = make_world(&def);
  static CpsVec3 points[400];
  for (int side = -1; side <= 1; side += 2) {
    for (int k = 0; k < pieces; k++) {
      const double phi = 2.0 * 3.14159265358979323846 * k / pieces;
      points[k] = (CpsVec3){sin(phi), 0.06 * side, 1.0 - cos(phi)};
    }
    CpsObstacleDef rail = cps_obstacle_def_default();
    rail.shape = cps_tube(points, pieces, 0.02, true);
    add_obstacle(world, &rail);
  }
  // it touches at distance 0.12 from the centre lines, 0.06 of it sideways
  const double depth = sqrt(0.12 * 0.12 - 0.06 * 0.06), rolling = depth * 0.1 / 0.12;
  CpsBodyDef ball = ball_at(0.1, 0.0, 0.0, depth);
  ball.velocity = (CpsVec3){2.0, 0.0, 0.0};
  ball.angular_velocity = (CpsVec3){0.0, 2.0 / rolling, 0.0};
  const CpsBodyId id = add_body(world, &ball);
  const double turn = 2.0 * 3.14159265358979323846 * (1.0 - depth) / 2.0;
  while (cps_world_time(world) < turn) must(cps_world_step(world, NULL, NULL));
  const CpsVec3 v = state_of(world, id).velocity;
  cps_world_destroy(world);
  return sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
}

static void ball_goes_round_a_loop_of_rails_without_feeling_the_joints(void** state) {
  (void)state;
  const double coarse = speed_after_one_turn(36, 1e-3), fine = speed_after_one_turn(360, 1e-3);
  const double half = speed_after_one_turn(36, 5e-4);
  // corners of 10 degrees would each take away 1.5 % of the speed; these pieces lie within 1e-9 of a circle
  assert_near(coarse, fine, 1e-6);
  // what is lost is the scheme's, of first order in the step
  assert_below(2.0 - coarse, 0.01);
  assert_near((2.0 - coarse) / (2.0 - half), 2.0, 0.1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(box_slides_on_triangles_as_on_a_plane),
      cmocka_unit_test(ball_rolls_over_triangles_without_losing_speed),
      cmocka_unit_test(ball_goes_round_a_loop_of_rails_without_feeling_the_joints),
  };
  return cmocka_run_group_tests_name("world/surfaces", tests, NULL, NULL);
}
