// Saved states: a good one with some of its bytes changed, and bytes as they come. Reading must end in a world that can make
// steps, or in a negative status with a sentence and the world as before.
#include "bytes.h"

#include <capstan/capstan.h>
#include <string.h>

#include "io/state_file.h"

static CpsWorld* make_world(void) {
  CpsWorldDef def = cps_world_def_default();
  def.solver.max_iterations = 50;
  CpsWorld* world = NULL;
  CHECK(cps_world_create(&def, &world, NULL) == CPS_OK);
  CpsObstacleDef floor = cps_obstacle_def_default();
  floor.shape = cps_plane();
  CHECK(cps_world_add_obstacle(world, &floor, NULL, NULL) == CPS_OK);
  for (int i = 0; i < 2; ++i) {
    CpsBodyDef ball = cps_body_def_default();
    ball.shape = cps_sphere(0.1);
    ball.position = (CpsVec3){0.0, 0.0, 0.1 + 0.199 * i};
    CHECK(cps_world_add_body(world, &ball, NULL, NULL) == CPS_OK);
  }
  CpsFibreDef thread = cps_fibre_def_default();
  thread.model = CPS_ROD_DER;
  thread.elements = 3;
  thread.root.kind = CPS_END_CLAMPED;
  thread.root_pose.position = (CpsVec3){0.0, 0.0, 0.4};
  CHECK(cps_world_add_fibre(world, &thread, NULL, NULL) == CPS_OK);
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
  char why[CPS_STATE_WHY_SIZE] = "";
  const void* inside;
  size_t inside_size;
  if (!cps_state_open(data, size, &inside, &inside_size, why)) CHECK(strlen(why) > 10);
  CpsWorld* world = make_world();
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
    if (cps_world_step(world, NULL, &error) < 0) CHECK(cps_world_hash(world) == before);
  }
  cps_world_destroy(world);
  return 0;
}
