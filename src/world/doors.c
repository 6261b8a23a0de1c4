// The doors by which kinds of things move in, asked one after the other. Whatever else the world wants of a population is in the
// table of its model.
#include "world/doors.h"

static CpsModel* behind(const CpsWorld* world, int i) {
  return cps_world_population(world, cps_doors.door[i]->kind);
}

CpsStatus cps_doors_open(CpsWorld* world, CpsError* error) {
  CpsStatus status = CPS_OK;
  for (int i = 0; status == CPS_OK && i < cps_doors.count; ++i) {
    if (cps_doors.door[i]->open) status = cps_world_add_population(world, cps_doors.door[i]->open(), error);
  }
  return status;
}

void cps_doors_release(CpsWorld* world) {
  for (int i = 0; i < cps_doors.count; ++i) {
    CpsModel* all = behind(world, i);
    if (cps_doors.door[i]->release && all) cps_doors.door[i]->release(world, all);
  }
}

void cps_doors_place(CpsWorld* world, double t, double h) {
  for (int i = 0; i < cps_doors.count; ++i) {
    if (cps_doors.door[i]->place) cps_doors.door[i]->place(world, behind(world, i), t, h);
  }
}

void cps_doors_stop(CpsWorld* world) {
  for (int i = 0; i < cps_doors.count; ++i) {
    if (cps_doors.door[i]->stop) cps_doors.door[i]->stop(behind(world, i));
  }
}

void** cps_doors_keep(const CpsWorld* world, CpsArena* arena) {
  void** kept = CPS_TAKE_ZERO(arena, void*, cps_doors.count);
  for (int i = 0; kept && i < cps_doors.count; ++i) {
    if (cps_doors.door[i]->keep && !(kept[i] = cps_doors.door[i]->keep(behind(world, i), arena))) return NULL;
  }
  return kept;
}

void cps_doors_restore(CpsWorld* world, void* const* kept) {
  for (int i = 0; i < cps_doors.count; ++i) {
    if (cps_doors.door[i]->restore) cps_doors.door[i]->restore(behind(world, i), kept[i]);
  }
}

bool cps_doors_hold(const CpsWorld* world, const CpsModel* all, int32_t member, int64_t entry) {
  for (int i = 0; i < cps_doors.count; ++i) {
    if (cps_doors.door[i]->kind == all->type->kind)
      return cps_doors.door[i]->holds && cps_doors.door[i]->holds(world, all, member, entry);
  }
  return false;
}

const char* cps_thing_kind_name(CpsThingKind kind) {
  for (int i = 0; i < cps_doors.count; ++i) {
    if (cps_doors.door[i]->kind == kind) return cps_doors.door[i]->name;
  }
  return kind == CPS_THING_OBSTACLE ? "obstacle" : "";
}

bool cps_doors_settable(const CpsModel* all, int32_t member, CpsQuantity quantity) {
  for (int i = 0; i < cps_doors.count; ++i) {
    if (cps_doors.door[i]->kind == all->type->kind)
      return !cps_doors.door[i]->settable || cps_doors.door[i]->settable(all, member, quantity);
  }
  return true;
}
