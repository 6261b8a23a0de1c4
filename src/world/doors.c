// The doors by which kinds of things move in: the one list in the world that names them all. Whatever else the world wants of a
// population is in the table of its model.
#include "world/doors.h"

static const CpsDoor* const DOORS[] = {&cps_door_bodies, &cps_door_fibres, &cps_door_sheets,
                                       &cps_door_solids, &cps_door_grains, &cps_door_customs};
enum { COUNT = sizeof DOORS / sizeof *DOORS };

static CpsModel* behind(const CpsWorld* world, int i) {
  return cps_world_population(world, DOORS[i]->kind);
}

CpsStatus cps_doors_open(CpsWorld* world, CpsError* error) {
  CpsStatus status = CPS_OK;
  for (int i = 0; status == CPS_OK && i < COUNT; ++i) {
    status = cps_world_add_population(world, DOORS[i]->open(), error);
  }
  return status;
}

void cps_doors_release(CpsWorld* world) {
  for (int i = 0; i < COUNT; ++i) {
    CpsModel* all = behind(world, i);
    if (DOORS[i]->release && all) DOORS[i]->release(world, all);
  }
}

void cps_doors_place(CpsWorld* world, double t, double h) {
  for (int i = 0; i < COUNT; ++i) {
    if (DOORS[i]->place) DOORS[i]->place(world, behind(world, i), t, h);
  }
}

void cps_doors_stop(CpsWorld* world) {
  for (int i = 0; i < COUNT; ++i) {
    if (DOORS[i]->stop) DOORS[i]->stop(behind(world, i));
  }
}

void** cps_doors_keep(const CpsWorld* world, CpsArena* arena) {
  void** kept = CPS_TAKE_ZERO(arena, void*, COUNT);
  for (int i = 0; kept && i < COUNT; ++i) {
    if (DOORS[i]->keep && !(kept[i] = DOORS[i]->keep(behind(world, i), arena))) return NULL;
  }
  return kept;
}

void cps_doors_restore(CpsWorld* world, void* const* kept) {
  for (int i = 0; i < COUNT; ++i) {
    if (DOORS[i]->restore) DOORS[i]->restore(behind(world, i), kept[i]);
  }
}

bool cps_doors_hold(const CpsWorld* world, const CpsModel* all, int32_t member, int64_t entry) {
  for (int i = 0; i < COUNT; ++i) {
    if (DOORS[i]->kind == all->type->kind) return DOORS[i]->holds && DOORS[i]->holds(world, all, member, entry);
  }
  return false;
}

const char* cps_thing_kind_name(CpsThingKind kind) {
  for (int i = 0; i < COUNT; ++i) {
    if (DOORS[i]->kind == kind) return DOORS[i]->name;
  }
  return kind == CPS_THING_OBSTACLE ? "obstacle" : "";
}

bool cps_doors_settable(const CpsModel* all, int32_t member, CpsQuantity quantity) {
  for (int i = 0; i < COUNT; ++i) {
    if (DOORS[i]->kind == all->type->kind) return !DOORS[i]->settable || DOORS[i]->settable(all, member, quantity);
  }
  return true;
}
