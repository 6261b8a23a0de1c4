// Extreme input for grains: each case has an answer or one message, and energy bounds the speeds.
#include "capstan/array.h"
#include "core/vec3.h"
#include "world_helpers.h"

#include <math.h>
#include <string.h>

typedef struct Odd {
  const char* name;
  double cell, gravity, mu, speed;  // speed of the wall
  CpsVec3 size;
  bool plane, closing;  // a second wall comes from the other side
  bool shut;            // walls all around, and a lid that comes down
  bool fixed;           // steps are not adaptive
  double lid;           // its speed
  int particles;        // given ones, all at one place
} Odd;

static CpsWorld* make(const Odd* odd) {
  CpsWorldDef def = cps_world_def_default();
  def.step = 1e-3;
  def.gravity = (CpsVec3){0.0, 0.0, -odd->gravity};
  def.solver.tolerance = 1e-4;
  def.adaptive = !odd->fixed;
  CpsWorld* world = make_world(&def);
  add_floor(world);
  if (odd->shut) {
    CpsObstacleDef wall = cps_obstacle_def_default();
    wall.shape = cps_plane();
    wall.pose = (CpsPose){{0.0, 0.0, 0.0}, {sqrt(0.5), 0.0, sqrt(0.5), 0.0}};
    add_obstacle(world, &wall);
    wall.pose = (CpsPose){{odd->size.x, 0.0, 0.0}, {sqrt(0.5), 0.0, -sqrt(0.5), 0.0}};
    add_obstacle(world, &wall);
    wall.pose = (CpsPose){{0.0, 0.0, odd->size.z}, {0.0, 1.0, 0.0, 0.0}};
    wall.motion.kind = CPS_MOTION_VELOCITY;
    wall.motion.velocity = (CpsVec3){0.0, 0.0, -odd->lid};
    add_obstacle(world, &wall);
  }
  for (int side = -1; odd->speed > 0.0 && side <= (odd->closing ? 1 : -1); side += 2) {
    CpsObstacleDef wall = cps_obstacle_def_default();
    wall.shape = cps_box((CpsVec3){0.1, 1.0, 1.0});
    wall.pose.position = (CpsVec3){side < 0 ? -0.05 : odd->size.x + 0.05, 0.0, 0.5};
    wall.motion.kind = CPS_MOTION_VELOCITY;
    wall.motion.velocity = (CpsVec3){-side * odd->speed, 0.0, 0.0};
    add_obstacle(world, &wall);
  }
  CpsGridDef grid = cps_grid_def_default();
  grid.cell = odd->cell;
  grid.plane = odd->plane;
  must(cps_world_set_grid(world, &grid, &must_error));
  const CpsVec3 places[2] = {{0.03, 0.02, 0.013}, {0.03, 0.02, 0.013}};
  CpsGrainsDef sand = cps_grains_def_default();
  sand.upper = odd->size;
  sand.mu = odd->mu;
  sand.particle_count = odd->particles;
  sand.particles = places;
  sand.particle_volume = 1e-6;
  must(cps_world_add_grains(world, &sand, &must_error));
  return world;
}

static void test_odd(void** unused) {
  (void)unused;
  const Odd all[] = {
      {.name = "one particle", .cell = 0.01, .gravity = 9.81, .mu = 0.5, .particles = 1},
      {.name = "two at one place", .cell = 0.01, .gravity = 9.81, .mu = 0.5, .plane = true, .particles = 2},
      {.name = "cells larger than the bed", .cell = 0.1, .gravity = 9.81, .mu = 0.5, .size = {0.03, 0.04, 0.02}},
      {.name = "no gravity", .cell = 0.02, .mu = 0.5, .size = {0.06, 0.04, 0.06}},
      {.name = "no friction", .cell = 0.02, .gravity = 9.81, .size = {0.06, 0.0, 0.06}, .plane = true},
      {.name = "much friction", .cell = 0.02, .gravity = 9.81, .mu = 5.0, .size = {0.06, 0.04, 0.06}},
      {.name = "a wall through the bed",
       .cell = 0.02,
       .gravity = 9.81,
       .mu = 0.5,
       .speed = 3.0,
       .size = {0.1, 0.0, 0.06},
       .plane = true},
      {.name = "a closing box",
       .cell = 0.02,
       .gravity = 9.81,
       .mu = 0.5,
       .speed = 1.0,
       .closing = true,
       .size = {0.1, 0.0, 0.06},
       .plane = true},
      {.name = "a shut box of planes",
       .cell = 0.01,
       .gravity = 9.81,
       .mu = 0.5,
       .shut = true,
       .lid = 0.5,
       .size = {0.1, 0.0, 0.1},
       .plane = true},
      {.name = "a shut box, steps of one length",
       .cell = 0.01,
       .gravity = 9.81,
       .mu = 0.5,
       .shut = true,
       .fixed = true,
       .lid = 0.5,
       .size = {0.1, 0.0, 0.1},
       .plane = true},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
    CpsWorld* world = make(&all[i]);
    const CpsGrainsInfo then = cps_world_grains_info(world);
    for (int k = 0; k < 20; ++k) {
      CpsError error = {{0}};
      const CpsStatus status = cps_world_step(world, NULL, &error);
      if (status < 0 && strlen(error.text) == 0) fail_msg("%s: no sentence", all[i].name);
      if (status < 0 && all[i].shut) assert_non_null(strstr(error.text, "have no room"));
      if (status < 0) break;
      if (all[i].shut && k > 0) fail_msg("%s: the grains found room", all[i].name);
    }
    const CpsGrainsInfo now = cps_world_grains_info(world);
    assert_near(now.mass, then.mass, 1e-12 * then.mass);
    // what walls and gravity can give in 20 ms: twice the speed of a wall, and a fall
    const double bound = 2.0 * fmax(all[i].speed, all[i].lid) + 1.0;
    if (!(now.fastest <= bound)) fail_msg("%s: %g m/s", all[i].name, now.fastest);
    if (all[i].gravity == 0.0) assert_true(now.fastest == 0.0);
    cps_world_destroy(world);
  }
}

// What cannot be held is said before anything begins.
static void test_refusals(void** unused) {
  (void)unused;
  CpsWorldDef def = cps_world_def_default();
  CpsWorld* world = make_world(&def);
  CpsGridDef grid = cps_grid_def_default();
  grid.cell = 1e-5;
  must(cps_world_set_grid(world, &grid, &must_error));
  CpsGrainsDef sand = cps_grains_def_default();
  CpsError error;
  assert_int_equal(cps_world_add_grains(world, &sand, &error), CPS_BAD_DATA);  // an empty box
  assert_non_null(strstr(error.text, "size"));
  sand.upper = (CpsVec3){1.0, 1.0, 1.0};
  assert_true(cps_grains_particle_count(&grid, &sand) == INT64_MAX);
  assert_int_equal(cps_world_add_grains(world, &sand, &error), CPS_NO_MEMORY);
  assert_non_null(strstr(error.text, "8e+15 particles"));
  sand.upper = (CpsVec3){100.0, 1e-5, 1e-5};
  assert_int_equal(cps_world_add_grains(world, &sand, &error), CPS_BAD_DATA);
  assert_non_null(strstr(error.text, "away from the origin"));
  const CpsVec3 nowhere = {NAN, 0.0, 0.0};
  sand.particle_count = 1;
  sand.particles = &nowhere;
  sand.particle_volume = 1e-9;
  assert_int_equal(cps_world_add_grains(world, &sand, &error), CPS_BAD_DATA);
  assert_int_equal(cps_world_grains_info(world).particle_count, 0);
  must(cps_world_step(world, NULL, &must_error));  // no particles: nothing to do
  cps_world_destroy(world);
}

// A cluster of touching grains that flies without gravity keeps its velocity, wherever its particles are in their cells: also on the border
// of two, or so near to it that the nodes on the far side are too light to be pushed. They lie half a cell apart and fly half a cell in
// a step, so that they meet a border in every step.
static void check_border(bool plane, CpsStressAt stress, double off) {
  CpsWorldDef def = cps_world_def_default();
  def.step = 1e-3;
  def.gravity = (CpsVec3){0.0, 0.0, 0.0};
  CpsWorld* world = make_world(&def);
  CpsGridDef grid = cps_grid_def_default();
  grid.cell = 0.015625;  // places and ways are exact in binary
  grid.plane = plane;
  grid.stress = stress;
  must(cps_world_set_grid(world, &grid, &must_error));
  CpsVec3 place[64];
  int32_t count = 0;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < (plane ? 1 : 4); ++j) {
      for (int k = 0; k < 4; ++k) {
        const CpsVec3 at = {i, j, k};
        place[count++] = cps_vec3_scale(0.5 * grid.cell, cps_vec3_add(at, (CpsVec3){off, off, off}));
      }
    }
  }
  CpsGrainsDef sand = cps_grains_def_default();
  sand.particle_count = count;
  sand.particles = place;
  sand.particle_volume = pow(0.5 * grid.cell, plane ? 2 : 3);
  const double speed = 0.5 * grid.cell / def.step;
  sand.velocity = (CpsVec3){speed, plane ? 0.0 : speed, -speed};
  must(cps_world_add_grains(world, &sand, &must_error));
  for (int k = 0; k < 5; ++k) must(cps_world_step(world, NULL, &must_error));
  CpsVec3 v[64];
  must(cps_world_array(world, cps_thing_grains(world), CPS_QUANTITY_VELOCITY, &v[0].x, sizeof *v));
  // rounding, and the weight of the light nodes: the tolerance of the solver is 1e-8
  for (int32_t p = 0; p < count; ++p) {
    const double apart = cps_vec3_norm(cps_vec3_sub(v[p], sand.velocity)) / speed;
    if (!(apart <= 1e-8)) fail_msg("plane %d, stress %d, %g off: %g", plane, (int)stress, off, apart);
  }
  cps_world_destroy(world);
}

static void test_border_of_two_cells(void** unused) {
  (void)unused;
  const double off[] = {0.0, 1e-15, -1e-15, 1e-9, -1e-9, 1e-7, -1e-7, 1e-5, -1e-5, 0.3};
  for (size_t i = 0; i < sizeof off / sizeof *off; ++i) {
    for (int plane = 0; plane <= 1; ++plane) {
      check_border(plane, CPS_STRESS_AT_NODES, off[i]);
      check_border(plane, CPS_STRESS_AT_CELLS, off[i]);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_odd), cmocka_unit_test(test_refusals),
                                     cmocka_unit_test(test_border_of_two_cells)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
