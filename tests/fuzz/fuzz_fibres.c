// Fibres of any model, size and shape with a few steps among obstacles: refused in words, stepped with a finite state, or a
// step that fails and leaves the world as it was.
#include "draw.h"

#include <string.h>
#include <time.h>

static void add_obstacles(CpsWorld* world) {
  CpsObstacleDef floor = cps_obstacle_def_default(), ball = cps_obstacle_def_default();
  floor.shape = cps_plane();
  ball.shape = cps_sphere(0.5);
  ball.motion = (CpsMotion){.kind = CPS_MOTION_SINE, .amplitude = {0.2, 0, 0}, .frequency = 1.0};
  CHECK(cps_world_add_obstacle(world, &floor, NULL, NULL) == CPS_OK);
  CHECK(cps_world_add_obstacle(world, &ball, NULL, NULL) == CPS_OK);
}

// A rod that a wild pull winds up by hundreds of turns is computed rightly, but so slowly that nothing else would be tried.
static bool is_late(void* start) {
  return clock() - *(const clock_t*)start > 5 * CLOCKS_PER_SEC;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Bytes bytes = {data, size};
  CpsWorldDef def = cps_world_def_default();
  def.step = next_below(&bytes, 2) ? 1e-3 : 0.02;
  def.adaptive = next_below(&bytes, 4) == 0;
  def.step_min = 0.25 * def.step;
  def.theta = next_below(&bytes, 4) ? 1.0 : 0.5;
  def.solver.max_iterations = 50;
  clock_t start = clock();
  def.cancel = is_late;
  def.cancel_data = &start;
  CpsWorld* world = NULL;
  CHECK(cps_world_create(&def, &world, NULL) == CPS_OK);
  add_obstacles(world);
  for (int i = 0; i < 2; i++) {
    DrawnFibre drawn = {0};
    draw_fibre(&bytes, &drawn);
    CpsError error = {""};
    CpsFibreId id;
    CpsStatus status = cps_world_add_fibre(world, &drawn.def, &id, &error);
    if (status != CPS_OK) {
      CHECK(strlen(error.text) > 10);
      continue;
    }
    CpsPullDef pull = cps_pull_def_default();
    pull.at.thing = cps_thing_fibre(id);
    pull.at.s = next_positive(&bytes);
    pull.stiffness = next_below(&bytes, 2) ? 0.0 : next_positive(&bytes);
    pull.force = next_vector(&bytes);
    (void)cps_world_add_pull(world, &pull, NULL, NULL);
  }
  for (int k = 0; k < 4; k++) {
    uint64_t before = cps_world_hash(world);
    CpsError error = {""};
    CpsStatus status = cps_world_step(world, NULL, &error);
    if (status < 0) CHECK(cps_world_hash(world) == before && strlen(error.text) > 10);
    check_fibres(world);
  }
  cps_world_destroy(world);
  return 0;
}
