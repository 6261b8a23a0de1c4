// Grains and objects in them: bodies that rest on sand or fall into it, walls thinner than a cell.
#include "world_helpers.h"

#include <math.h>
#include <stdlib.h>

static const double G = 9.81;

static CpsWorld* make_bed(double cell, CpsVec3 size, double gravity, double tolerance, bool plane) {
  CpsWorldDef def = cps_world_def_default();
  def.step = 1e-3;
  def.gravity = (CpsVec3){0.0, 0.0, -gravity};
  def.solver.tolerance = tolerance;
  CpsWorld* world = make_world(&def);
  CpsGridDef grid = cps_grid_def_default();
  grid.cell = cell;
  grid.plane = plane;
  must(cps_world_set_grid(world, &grid, &must_error));
  CpsGrainsDef sand = cps_grains_def_default();
  sand.lower = (CpsVec3){-size.x / 2.0, -size.y / 2.0, 0.0};
  sand.upper = (CpsVec3){size.x / 2.0, size.y / 2.0, size.z};
  must(cps_world_add_grains(world, &sand, &must_error));
  return world;
}

static CpsWorld* adaptive_world(void) {
  CpsWorldDef def = cps_world_def_default();
  def.step = 8e-3;
  def.adaptive = true;
  def.solver.tolerance = 1e-4;
  return make_world(&def);
}

static CpsObstacleId lay_floor(CpsWorld* world) {
  CpsObstacleDef floor = cps_obstacle_def_default();
  floor.shape = cps_plane();
  floor.mu = 0.5;
  return add_obstacle(world, &floor);
}

// Smooth walls around a bed.
static void add_sides(CpsWorld* world, double half) {
  const double c = sqrt(0.5);
  const CpsQuat looks[] = {{c, 0.0, c, 0.0}, {c, 0.0, -c, 0.0}, {c, -c, 0.0, 0.0}, {c, c, 0.0, 0.0}};
  const CpsVec3 at[] = {{-half, 0.0, 0.0}, {half, 0.0, 0.0}, {0.0, -half, 0.0}, {0.0, half, 0.0}};
  for (int i = 0; i < 4; ++i) {
    CpsObstacleDef wall = cps_obstacle_def_default();
    wall.shape = cps_plane();
    wall.pose = (CpsPose){at[i], looks[i]};
    wall.mu = 0.0;
    add_obstacle(world, &wall);
  }
}

static void run(CpsWorld* world, int steps) {
  for (int i = 0; i < steps; ++i) must(cps_world_step(world, NULL, &must_error));
}

// A crate on a bed, in space as wide as the bed: the sand bears its weight and gives it to the floor.
static void test_crate(void** unused) {
  (void)unused;
  for (int plane = 0; plane < 2; ++plane) {
    const CpsVec3 bed = {0.6, 0.6, 0.2};
    CpsWorld* world = make_bed(0.1, bed, G, 1e-11, plane);
    const CpsObstacleId floor = lay_floor(world);
    add_sides(world, 0.3);
    CpsBodyDef crate = cps_body_def_default();
    const double wide = plane ? 0.2 : 0.6;
    crate.shape = cps_box((CpsVec3){wide, wide, 0.1});
    crate.density = 500.0;
    crate.position = (CpsVec3){0.0, 0.0, 0.25};
    crate.mu = 0.5;
    const CpsBodyId id = add_body(world, &crate);
    run(world, SANITIZED ? 2 : 4);
    const double weight = 500.0 * wide * wide * 0.1 * G;
    CpsVec3 force, below;
    assert_int_equal(cps_world_grains_force_on(world, cps_thing_body(id), &force), CPS_OK);
    assert_near(force.z / weight, 1.0, 1e-8);
    assert_near(force.x / weight, 0.0, 1e-8);
    assert_near(force.y / weight, 0.0, 1e-8);
    assert_int_equal(cps_world_grains_force(world, floor, &below), CPS_OK);
    assert_near(below.z / (cps_world_grains_info(world).mass * G + weight), -1.0, 1e-8);
    assert_int_equal(cps_world_grains_force_on(world, (CpsThing){CPS_THING_BODY, 7, 1}, &force), CPS_BAD_ARGUMENT);
    cps_world_destroy(world);
  }
}

// A ball that flies into a lump of sand in empty space pushes it as it is pushed: momentum is kept, energy is lost.
static void test_both_are_pushed(void** unused) {
  (void)unused;
  const CpsVec3 lump = {0.4, 0.4, 0.3};
  CpsWorld* world = make_bed(0.1, lump, 0.0, 1e-10, false);
  CpsBodyDef ball = cps_body_def_default();
  ball.shape = cps_sphere(0.12);
  ball.density = 2000.0;
  ball.position = (CpsVec3){0.03, -0.02, 0.44};
  ball.velocity = (CpsVec3){0.2, 0.1, -3.0};
  ball.mu = 0.3;
  const CpsBodyId id = add_body(world, &ball);
  CpsVec3 before, after, spin, force;
  cps_world_momentum(world, &before, &spin);
  double last = cps_world_energy(world).kinetic;
  for (int i = 0; i < 12; ++i) {
    must(cps_world_step(world, NULL, &must_error));
    const double now = cps_world_energy(world).kinetic;
    if (i > 0) assert_true(now <= last * (1.0 + 1e-9));
    last = now;
  }
  cps_world_momentum(world, &after, &spin);
  const double size = fabs(before.z);
  assert_near(after.x / size, before.x / size, 1e-10);
  assert_near(after.y / size, before.y / size, 1e-10);
  assert_near(after.z / size, before.z / size, 1e-10);
  assert_int_equal(cps_world_grains_force_on(world, cps_thing_body(id), &force), CPS_OK);
  assert_true(force.z > 0.0);  // it is in it
  cps_world_destroy(world);
}

// A wall of 1 mm holds sand back on cells of 10 mm, wherever it stands between the nodes.
static void test_thin_wall(void** unused) {
  (void)unused;
  const double at[] = {0.04, 0.043};
  for (int k = 0; k < 2; ++k) {
    CpsWorld* world = make_bed(0.01, (CpsVec3){0.08, 0.08, 0.06}, G, 1e-5, true);
    lay_floor(world);
    for (int side = -1; side <= 1; side += 2) {
      CpsObstacleDef wall = cps_obstacle_def_default();
      wall.shape = cps_box((CpsVec3){0.001, 0.2, 0.2});
      wall.pose.position = (CpsVec3){side * at[k], 0.0, 0.1};
      wall.mu = 0.3;
      add_obstacle(world, &wall);
    }
    run(world, SANITIZED ? 20 : 80);
    const CpsGrainsInfo info = cps_world_grains_info(world);
    assert_true(info.upper.x < at[k] + 0.001 && info.lower.x > -at[k] - 0.001);
    assert_true(info.lower.z > 0.0);
    cps_world_destroy(world);
  }
}

// A box half as dense as a fluid floats in it, and the fluid keeps its volume: with the mean height it has, and the box half in it, potential
// energy is at least that of a fluid 3 % lower. (1.3 % were seen. Corners of the box, where the fluid cannot be moved apart, held up the whole
// tank: it lost 4.4 %.)
static void test_raft(void** unused) {
  (void)unused;
  CpsWorld* world = adaptive_world();
  CpsObstacleDef floor = cps_obstacle_def_default();
  floor.shape = cps_plane();
  floor.mu = 0.0;
  add_obstacle(world, &floor);
  for (int side = 0; side < 2; ++side) {
    CpsObstacleDef wall = floor;
    wall.pose = (CpsPose){{0.6 * side, 0.0, 0.0}, {sqrt(0.5), 0.0, side ? -sqrt(0.5) : sqrt(0.5), 0.0}};
    add_obstacle(world, &wall);
  }
  CpsGridDef grid = cps_grid_def_default();
  grid.cell = 0.04;
  grid.plane = true;
  grid.particles = 3;
  must(cps_world_set_grid(world, &grid, &must_error));
  CpsGrainsDef water = cps_grains_def_default();
  water.upper = (CpsVec3){0.6, 0.0, 0.28};
  water.mu = 0.0;
  water.density = 1000.0;
  water.fraction = water.fraction_max = 1.0;
  must(cps_world_add_grains(world, &water, &must_error));
  CpsBodyDef box = cps_body_def_default();
  box.shape = cps_box((CpsVec3){0.2, 1.0, 0.12});
  box.density = 500.0;
  box.position = (CpsVec3){0.3, 0.0, 0.345};
  box.mu = 0.0;
  CpsBodyId raft;
  must(cps_world_add_body(world, &box, &raft, &must_error));
  while (cps_world_time(world) < 0.8) must(cps_world_step(world, NULL, &must_error));
  // fluid up to 0.3 m without what the raft displaces, and the raft, whose centre is at that height
  const double fluid = 1000.0 * G * (0.6 * 0.3 * 0.15 - 0.2 * 0.06 * 0.27), all = fluid + 12.0 * G * 0.3;
  const CpsEnergy e = cps_world_energy(world);
  if (!(e.potential + e.kinetic >= all - 0.03 * fluid)) fail_msg("%g J, of %g J", e.potential + e.kinetic, all);
  cps_world_destroy(world);
}

// A box of thick plates of which one stands a quarter of a cell beyond a node, where no particle is at first: the sand in it stays as it is. (It
// fell towards the plate as if there were none, until it had reached the next node: a twentieth of the volume.)
static void test_wall_between_nodes(void** unused) {
  (void)unused;
  const CpsVec3 bed = {0.16, 0.0, 0.2};
  CpsWorld* world = make_bed(0.02, bed, G, 1e-6, true);
  lay_floor(world);
  for (int side = -1; side <= 1; side += 2) {
    CpsObstacleDef plate = cps_obstacle_def_default();
    plate.shape = cps_box((CpsVec3){0.2, 1.0, 2.0});
    plate.pose.position = (CpsVec3){side < 0 ? -0.18 : 0.185, 0.0, 0.5};
    plate.mu = 0.2;
    add_obstacle(world, &plate);
  }
  run(world, 20);
  // the tolerance, of what gravity gives in a step, through ten layers
  assert_true(cps_world_grains_info(world).fastest < 1e-5);
  cps_world_destroy(world);
}

// A fluid around a block stands still and bears it as Archimedes says, and the floor bears both.
static void test_block_in_fluid(void** unused) {
  (void)unused;
  CpsWorldDef def = cps_world_def_default();
  def.step = 2e-3;
  def.solver.tolerance = 1e-8;
  CpsWorld* world = make_world(&def);
  CpsObstacleDef wall = cps_obstacle_def_default();
  wall.shape = cps_plane();
  wall.mu = 0.0;
  const CpsObstacleId floor = add_obstacle(world, &wall);
  for (int side = 0; side < 2; ++side) {
    wall.pose = (CpsPose){{0.4 * side, 0.0, 0.0}, {sqrt(0.5), 0.0, side ? -sqrt(0.5) : sqrt(0.5), 0.0}};
    add_obstacle(world, &wall);
  }
  CpsObstacleDef block = cps_obstacle_def_default();
  block.shape = cps_box((CpsVec3){0.16, 1.0, 0.08});
  block.pose.position = (CpsVec3){0.2, 0.0, 0.12};
  const CpsObstacleId id = add_obstacle(world, &block);
  CpsGridDef grid = cps_grid_def_default();
  grid.cell = 0.04;
  grid.plane = true;
  must(cps_world_set_grid(world, &grid, &must_error));
  // below, left, right, above
  const double from[4][2] = {{0.0, 0.0}, {0.0, 0.08}, {0.28, 0.08}, {0.0, 0.16}};
  const double to[4][2] = {{0.4, 0.08}, {0.12, 0.16}, {0.4, 0.16}, {0.4, 0.28}};
  CpsGrainsDef water = cps_grains_def_default();
  water.mu = 0.0;
  water.density = 1000.0;
  water.fraction = water.fraction_max = 1.0;
  for (int k = 0; k < 4; ++k) {
    water.lower = (CpsVec3){from[k][0], 0.0, from[k][1]};
    water.upper = (CpsVec3){to[k][0], 0.0, to[k][1]};
    must(cps_world_add_grains(world, &water, &must_error));
  }
  run(world, 5);
  CpsVec3 force;
  must(cps_world_grains_force(world, id, &force));
  const double lift = 1000.0 * G * 0.16 * 0.08, weight = 1000.0 * G * 0.4 * 0.28;
  assert_near(force.z, lift, 1e-6 * lift);  // the tolerance, through the blocks above
  assert_near(force.x, 0.0, 1e-6 * lift);
  must(cps_world_grains_force(world, floor, &force));
  assert_near(force.z, -weight, 1e-6 * weight);
  assert_true(cps_world_grains_info(world).fastest < 1e-7);
  cps_world_destroy(world);
}

// A floor of a thin plate between two walls bears all of the sand, also in the corners, where the plate ends. (Its last node was stopped along the
// plate, out of its narrow end, and not across: sand fell towards the corner, where it gathered.)
static void test_thin_floor(void** unused) {
  (void)unused;
  CpsWorld* world = make_bed(0.02, (CpsVec3){0.16, 0.0, 0.2}, G, 1e-8, true);
  CpsObstacleDef part = cps_obstacle_def_default();
  part.shape = cps_box((CpsVec3){0.16, 1.0, 0.001});
  const CpsObstacleId floor = add_obstacle(world, &part);
  part.shape = cps_box((CpsVec3){0.2, 1.0, 2.0});
  part.mu = 0.0;
  for (int side = -1; side <= 1; side += 2) {
    part.pose.position = (CpsVec3){0.18 * side, 0.0, 0.5};
    add_obstacle(world, &part);
  }
  run(world, 5);
  CpsVec3 force;
  must(cps_world_grains_force(world, floor, &force));
  assert_near(force.z / (cps_world_grains_info(world).mass * G), -1.0, 1e-6);
  assert_true(cps_world_grains_info(world).fastest < 1e-6);
  cps_world_destroy(world);
}

// A heap in space comes to rest: after three seconds a few micrometres a second are left. (Where the light nodes
// outside its edges, which have the corners of two cells, moved by themselves, it crept at 2 mm/s.)
static void test_heap_in_space(void** unused) {
  (void)unused;
  CpsWorld* world = adaptive_world();
  lay_floor(world);
  CpsGridDef grid = cps_grid_def_default();
  grid.cell = 0.02;
  must(cps_world_set_grid(world, &grid, &must_error));
  CpsGrainsDef sand = cps_grains_def_default();
  sand.lower = (CpsVec3){-0.04, -0.04, 0.0};
  sand.upper = (CpsVec3){0.04, 0.04, 0.06};
  must(cps_world_add_grains(world, &sand, &must_error));
  while (cps_world_time(world) < 0.8) must(cps_world_step(world, NULL, &must_error));
  const double fastest = cps_world_grains_info(world).fastest;
  if (!(fastest < 3e-4)) fail_msg("%g m/s", fastest);  // 1.7e-4 was seen; 1.7e-3 where it crept
  cps_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_crate),
      cmocka_unit_test(test_both_are_pushed),
      cmocka_unit_test(test_thin_wall),
      cmocka_unit_test(test_raft),
      cmocka_unit_test(test_wall_between_nodes),
      cmocka_unit_test(test_thin_floor),
      cmocka_unit_test(test_block_in_fluid),
      cmocka_unit_test(test_heap_in_space),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
