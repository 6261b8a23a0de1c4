// Small worlds for the tests of the time step.
#ifndef CAPSTAN_TESTS_WORLD_HELPERS_H
#define CAPSTAN_TESTS_WORLD_HELPERS_H

#include "capstan/capstan.h"

#include <stdlib.h>

#include "test_helpers.h"

#define must(call)                                                                 \
  do {                                                                             \
    CpsError must_error = {""};                                                    \
    CpsStatus must_status = (call);                                                \
    if (must_status != CPS_OK) {                                                   \
      print_error("%s: status %d %s\n", #call, (int)must_status, must_error.text); \
      fail();                                                                      \
    }                                                                              \
  } while (0)

static inline CpsWorld* make_world(const CpsWorldDef* def) {
  CpsWorld* world = NULL;
  CpsError error;
  if (cps_world_create(def, &world, &error) != CPS_OK) fail_msg("%s", error.text);
  return world;
}

static inline CpsBodyId add_body(CpsWorld* world, const CpsBodyDef* def) {
  CpsBodyId id;
  CpsError error;
  if (cps_world_add_body(world, def, &id, &error) != CPS_OK) fail_msg("%s", error.text);
  return id;
}

static inline CpsObstacleId add_obstacle(CpsWorld* world, const CpsObstacleDef* def) {
  CpsObstacleId id;
  CpsError error;
  if (cps_world_add_obstacle(world, def, &id, &error) != CPS_OK) fail_msg("%s", error.text);
  return id;
}

static inline CpsObstacleId add_floor(CpsWorld* world) {
  CpsObstacleDef floor = cps_obstacle_def_default();
  floor.shape = cps_plane();
  return add_obstacle(world, &floor);
}

static inline CpsBodyDef ball_at(double radius, double x, double y, double z) {
  CpsBodyDef ball = cps_body_def_default();
  ball.shape = cps_sphere(radius);
  ball.position = (CpsVec3){x, y, z};
  return ball;
}

static inline CpsBodyDef box_at(CpsVec3 size, double x, double y, double z) {
  CpsBodyDef box = cps_body_def_default();
  box.shape = cps_box(size);
  box.position = (CpsVec3){x, y, z};
  return box;
}

static inline CpsBodyState state_of(const CpsWorld* world, CpsBodyId id) {
  CpsBodyState state;
  assert_int_equal(cps_world_body_state(world, id, &state), CPS_OK);
  return state;
}

// Steps that must all be solved.
static inline void step(CpsWorld* world, int count) {
  for (int i = 0; i < count; ++i) {
    CpsError error;
    if (cps_world_step(world, NULL, &error) != CPS_OK) fail_msg("step %d: %s", i, error.text);
  }
}

// Saves a world and loads it into another, which is then in the same state.
static inline void copy_state(const CpsWorld* from, CpsWorld* to) {
  size_t size = cps_world_state_size(from);
  void* bytes = malloc(size);
  must(cps_world_save(from, bytes, size, &must_error));
  must(cps_world_load(to, bytes, size, &must_error));
  free(bytes);
  assert_true(cps_world_hash(from) == cps_world_hash(to));
}

// A heap of balls and boxes above a floor, with a few walls missing: many islands, impacts, sliding and rest.
static inline void add_heap(CpsWorld* world, int count) {
  add_floor(world);
  for (int i = 0; i < count; ++i) {
    double x = 0.13 * (i % 3), y = 0.12 * (i / 3 % 3), z = 0.06 + 0.125 * (i / 9), off = 0.01 * ((i * 7) % 5);
    CpsBodyDef def = i % 2 ? ball_at(0.05, x + off, y, z) : box_at((CpsVec3){0.1, 0.08, 0.09}, x, y + off, z);
    def.angular_velocity = (CpsVec3){0.3 * (i % 4), 0.2, -0.1 * i};
    add_body(world, &def);
  }
}

#endif
