// Saved states: a good one with some of its bytes changed, and bytes as they come. Reading must end in a world that can make
// steps, or in a negative status with a message and the world as before.
#include "bytes.h"

#include <capstan/capstan.h>
#include <stdbool.h>
#include <string.h>

#include "io/state_file.h"

// Something to lie on: a plane, a surface of triangles, or a ball that moves to and fro.
static void add_ground(CpsWorld* world, int kind) {
  static const CpsVec3 corners[] = {{-2, -2, 0}, {2, -2, 0}, {0, 2, 0}};
  static const int32_t triangle[] = {0, 1, 2};
  CpsObstacleDef def = cps_obstacle_def_default();
  def.shape = kind == 0 ? cps_plane() : kind == 1 ? cps_mesh(corners, 3, triangle, 1) : cps_sphere(0.3);
  if (kind == 2) {
    def.pose.position.z = -0.3;
    def.motion = (CpsMotion){.kind = CPS_MOTION_SINE, .amplitude = {0.01, 0, 0}, .frequency = 5.0};
  }
  CHECK(cps_world_add_obstacle(world, &def, NULL, NULL) == CPS_OK);
}

// A thread over the balls; its tip may be held by hand, and a spring may pull at it and at a ball.
static void add_thread(CpsWorld* world, CpsRodModel model, bool held, bool pulled) {
  CpsFibreDef thread = cps_fibre_def_default();
  CpsFibreId id;
  thread.model = model;
  thread.elements = 3;
  thread.root.kind = CPS_END_CLAMPED;
  if (held) thread.tip.kind = CPS_END_PINNED;
  thread.root_pose.position = (CpsVec3){0.0, 0.0, 0.4};
  CHECK(cps_world_add_fibre(world, &thread, &id, NULL) == CPS_OK);
  CpsPose pose = {{0.29, 0.01, 0.41}, {1, 0, 0, 0}};
  if (held) CHECK(cps_world_move_fibre_end(world, id, 1, pose, NULL) == CPS_OK);
  if (!pulled) return;
  CpsPullDef pull = cps_pull_def_default();
  pull.stiffness = 1.0;
  pull.target.z = 0.5;
  pull.at.thing = cps_thing_body(cps_world_body(world, 0));
  CHECK(cps_world_add_pull(world, &pull, NULL, NULL) == CPS_OK);
  pull.at.thing = cps_thing_fibre(id);
  pull.at.s = 0.1;
  CHECK(cps_world_add_pull(world, &pull, NULL, NULL) == CPS_OK);
}

// Two balls on a ground and a thread, of every model; the other choices follow from the byte.
static CpsWorld* make_world(int byte) {
  CpsRodModel model = (CpsRodModel)((CPS_ROD_DER + byte) % CPS_ROD_MODEL_COUNT);
  CpsWorldDef def = cps_world_def_default();
  def.solver.max_iterations = 50;
  def.adaptive = byte / CPS_ROD_MODEL_COUNT % 2;
  if (model == CPS_ROD_CORDE_EXPLICIT) def.step = 1e-5;  // it must be stable until the state is saved
  def.step_min = 0.25 * def.step;
  CpsWorld* world = NULL;
  CHECK(cps_world_create(&def, &world, NULL) == CPS_OK);
  add_ground(world, byte / 18 % 3);
  for (int i = 0; i < 2; ++i) {
    CpsBodyDef ball = cps_body_def_default();
    ball.shape = cps_sphere(0.1);
    ball.position = (CpsVec3){0.0, 0.0, 0.1 + 0.199 * i};
    CHECK(cps_world_add_body(world, &ball, NULL, NULL) == CPS_OK);
  }
  add_thread(world, model, byte / 54 % 2, byte / 108 % 2);
  for (int i = 0; i < 2; ++i) CHECK(cps_world_step(world, NULL, NULL) >= 0);
  return world;
}

static void change(Bytes* bytes, uint8_t* state, size_t size) {
  int count = next_below(bytes, 6);
  for (int i = 0; i < count; ++i) {
    size_t at = (size_t)(next_byte(bytes) << 8 | next_byte(bytes)) % size;
    if (next_below(bytes, 3) > 0) {
      state[at] = (uint8_t)next_byte(bytes);
      continue;
    }
    double x = next_number(bytes) * next_scale(bytes);
    at = at / sizeof x * sizeof x;
    if (at + sizeof x <= size) memcpy(state + at, &x, sizeof x);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Bytes bytes = {data, size};
  int byte = next_byte(&bytes);
  char why[CPS_STATE_WHY_SIZE] = "";
  const void* inside;
  size_t inside_size;
  if (!cps_state_open(data, size, &inside, &inside_size, why)) CHECK(strlen(why) > 10);
  CpsWorld* world = make_world(byte);
  size_t length = cps_world_state_size(world);
  uint8_t* state = malloc(length);
  CHECK(state && cps_world_save(world, state, length, NULL) == CPS_OK);
  change(&bytes, state, length);
  uint64_t before = cps_world_hash(world);
  CpsError error = {""};
  CpsStatus status = cps_world_load(world, state, length - (next_byte(&bytes) > 250), &error);
  free(state);
  if (status != CPS_OK) CHECK(status < 0 && strlen(error.text) > 10 && cps_world_hash(world) == before);
  for (int i = 0; i < 2; ++i) {
    before = cps_world_hash(world);
    if (cps_world_step(world, NULL, &error) < 0) CHECK(strlen(error.text) > 10 && cps_world_hash(world) == before);
  }
  cps_world_destroy(world);
  return 0;
}
