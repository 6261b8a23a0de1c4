// Vertices of sheets and solids that the caller holds and lets go as the world goes, over whatever the pins of the definition say.
#include "world/nodal.h"

#include "core/error.h"

static CpsNodal* sheet_of(const CpsWorld* world, CpsSheetId id) {
  return cps_world_find_nodal(world, cps_thing_sheet(id));
}

static CpsNodal* solid_of(const CpsWorld* world, CpsSolidId id) {
  return cps_world_find_nodal(world, cps_thing_solid(id));
}

static CpsStatus check(const CpsNodal* s, const char* kind, int32_t vertex, CpsError* error) {
  if (!s) return cps_fail(error, CPS_BAD_ARGUMENT, "there is no such %s, or it was removed", kind);
  if (vertex >= 0 && vertex < s->vertex_count) return CPS_OK;
  return cps_fail(error, CPS_BAD_ARGUMENT, "there is no vertex %d in a %s of %d", (int)vertex, kind,
                  (int)s->vertex_count);
}

static CpsStatus hold(CpsWorld* world, CpsNodal* s, const char* kind, int32_t vertex, CpsVec3 place, CpsError* error) {
  CpsStatus status = check(s, kind, vertex, error);
  if (status != CPS_OK) return status;
  if (!cps_vec3_is_finite(place)) {
    return cps_fail(error, CPS_BAD_DATA, "the place at which vertex %d of a %s is held is not finite", (int)vertex,
                    kind);
  }
  const int32_t node = s->node[vertex];
  s->hand[node] = CPS_NODE_HELD;
  s->hand_place[node] = place;
  s->hand_time[node] = world->time + world->def.step * (1.0 - 1e-9);
  s->handled = true;
  return cps_succeed(error);
}

static CpsStatus let_go(CpsNodal* s, const char* kind, int32_t vertex, CpsError* error) {
  CpsStatus status = check(s, kind, vertex, error);
  if (status != CPS_OK) return status;
  s->hand[s->node[vertex]] = CPS_NODE_RELEASED;
  s->handled = true;
  return cps_succeed(error);
}

static CpsStatus restore(CpsNodal* s) {
  if (!s) return CPS_BAD_ARGUMENT;
  for (int32_t i = 0; i < s->nodes; ++i) s->hand[i] = CPS_NODE_AS_PINNED;
  s->handled = false;
  return CPS_OK;
}

static bool is_pinned(const CpsWorld* world, const CpsNodal* s, int32_t node) {
  if (s->hand[node] != CPS_NODE_AS_PINNED) return s->hand[node] == CPS_NODE_HELD;
  for (int32_t j = 0; j < s->hold_count; ++j) {
    const CpsHeldNodes* held = &s->holds[j];
    bool acts = held->from <= world->time && world->time < held->until;
    if (!acts || (held->obstacle.generation != 0 && !cps_world_find_obstacle(world, held->obstacle))) continue;
    for (int32_t i = 0; i < held->count; ++i) {
      if (held->node[i] == node) return true;
    }
  }
  return false;
}

static CpsStatus look(const CpsWorld* world, const CpsNodal* s, int32_t vertex, CpsSheetVertex* state) {
  if (!s || !state || vertex < 0 || vertex >= s->vertex_count) return CPS_BAD_ARGUMENT;
  const int32_t node = s->node[vertex];
  *state = (CpsSheetVertex){s->x[node], s->v[node], is_pinned(world, s, node)};
  return CPS_OK;
}

static CpsStatus list(const CpsWorld* world, const CpsNodal* s, bool* held) {
  if (!s || !held) return CPS_BAD_ARGUMENT;
  for (int32_t i = 0; i < s->vertex_count; ++i) {
    held[i] = (s->handled || s->hold_count > 0) && is_pinned(world, s, s->node[i]);
  }
  return CPS_OK;
}

bool cps_nodal_holds(const CpsWorld* world, const CpsModel* all, int32_t member, int64_t entry) {
  const CpsNodal* s = ((const CpsNodals*)all)->member[member];
  return (s->handled || s->hold_count > 0) && is_pinned(world, s, s->node[entry]);
}

CpsStatus cps_world_hold_sheet_vertex(CpsWorld* world, CpsSheetId id, int32_t vertex, CpsVec3 place, CpsError* error) {
  return hold(world, sheet_of(world, id), "sheet", vertex, place, error);
}

CpsStatus cps_world_hold_solid_vertex(CpsWorld* world, CpsSolidId id, int32_t vertex, CpsVec3 place, CpsError* error) {
  return hold(world, solid_of(world, id), "solid", vertex, place, error);
}

CpsStatus cps_world_release_sheet_vertex(CpsWorld* world, CpsSheetId id, int32_t vertex, CpsError* error) {
  return let_go(sheet_of(world, id), "sheet", vertex, error);
}

CpsStatus cps_world_release_solid_vertex(CpsWorld* world, CpsSolidId id, int32_t vertex, CpsError* error) {
  return let_go(solid_of(world, id), "solid", vertex, error);
}

CpsStatus cps_world_restore_sheet_pins(CpsWorld* world, CpsSheetId id) {
  return restore(sheet_of(world, id));
}

CpsStatus cps_world_restore_solid_pins(CpsWorld* world, CpsSolidId id) {
  return restore(solid_of(world, id));
}

CpsStatus cps_world_sheet_vertex(const CpsWorld* world, CpsSheetId id, int32_t vertex, CpsSheetVertex* state) {
  return look(world, sheet_of(world, id), vertex, state);
}

CpsStatus cps_world_solid_vertex(const CpsWorld* world, CpsSolidId id, int32_t vertex, CpsSheetVertex* state) {
  return look(world, solid_of(world, id), vertex, state);
}

CpsStatus cps_world_sheet_held(const CpsWorld* world, CpsSheetId id, bool* held) {
  return list(world, sheet_of(world, id), held);
}

CpsStatus cps_world_solid_held(const CpsWorld* world, CpsSolidId id, bool* held) {
  return list(world, solid_of(world, id), held);
}
