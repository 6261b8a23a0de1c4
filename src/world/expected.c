// The contacts that the next step will begin with, for callers that inspect a world between steps, and the forces that it will
// start from.
#include "world/doors.h"

#include "core/error.h"

CpsStatus cps_world_expect_contacts(CpsWorld* world, CpsStep* step, CpsError* error) {
  const CpsStatus woken = cps_world_wake(world, NULL, error);
  if (woken != CPS_OK) return woken;
  cps_arena_reset(&world->scratch);
  CpsArena* arena = &world->arenas[1 - world->current];
  cps_arena_reset(arena);
  *step = (CpsStep){.world = world, .arena = arena, .scratch = &world->scratch, .error = error};
  step->model = (CpsModelStep){.h = world->h, .theta = world->def.theta, .gravity = world->def.gravity};
  void** kept = cps_doors_keep(world, step->scratch);
  if (!kept) return cps_fail(error, CPS_NO_MEMORY, "not enough memory to find contacts");
  cps_obstacles_place(world, world->time, step->model.h);
  cps_doors_place(world, world->time, step->model.h);
  cps_pulls_expect(world, &step->model);
  CpsStatus status = cps_ties_begin(world, &step->model, error);
  cps_world_run(world, &step->model, CPS_CALL_BEGIN);
  if (status == CPS_OK) status = cps_step_detect(step);
  if (status == CPS_OK) status = cps_step_contacts(step);
  cps_doors_restore(world, kept);
  cps_pulls_restore(world);
  return status;
}

void cps_world_start_from(CpsWorld* world, const CpsStep* step) {
  world->current = 1 - world->current;
  world->tracks = step->contacts.track;
  world->track_count = step->contacts.touch_count;
  world->contacts = (CpsContacts){0};
  cps_aside_free(&world->aside);
}
