// Vertices of sheets that the caller holds and lets go as the world goes, over whatever the pins of the definition say.
#include "world/world.h"

#include "core/error.h"

static CpsStatus find(CpsWorld* world, CpsSheetId id, int32_t vertex, CpsSheet** sheet, CpsError* error) {
  *sheet = cps_world_find_sheet(world, id);
  if (!*sheet) return cps_fail(error, CPS_BAD_ARGUMENT, "there is no such sheet, or it was removed");
  const int32_t count = (*sheet)->elastic->mesh.vertex_count;
  if (vertex >= 0 && vertex < count) return CPS_OK;
  return cps_fail(error, CPS_BAD_ARGUMENT, "there is no vertex %d in a sheet of %d", (int)vertex, (int)count);
}

CpsStatus cps_world_hold_sheet_vertex(CpsWorld* world, CpsSheetId id, int32_t vertex, CpsVec3 place, CpsError* error) {
  CpsSheet* s;
  CpsStatus status = find(world, id, vertex, &s, error);
  if (status != CPS_OK) return status;
  if (!cps_vec3_is_finite(place)) {
    return cps_fail(error, CPS_BAD_DATA, "the place at which vertex %d of a sheet is held is not finite", (int)vertex);
  }
  const int32_t node = s->elastic->mesh.node[vertex];
  s->nodal.hand[node] = CPS_NODE_HELD;
  s->nodal.hand_place[node] = place;
  s->nodal.hand_time[node] = world->time + world->def.step * (1.0 - 1e-9);
  s->nodal.handled = true;
  return cps_succeed(error);
}

CpsStatus cps_world_release_sheet_vertex(CpsWorld* world, CpsSheetId id, int32_t vertex, CpsError* error) {
  CpsSheet* s;
  CpsStatus status = find(world, id, vertex, &s, error);
  if (status != CPS_OK) return status;
  s->nodal.hand[s->elastic->mesh.node[vertex]] = CPS_NODE_RELEASED;
  s->nodal.handled = true;
  return cps_succeed(error);
}

CpsStatus cps_world_restore_sheet_pins(CpsWorld* world, CpsSheetId id) {
  CpsSheet* s = cps_world_find_sheet(world, id);
  if (!s) return CPS_BAD_ARGUMENT;
  for (int32_t i = 0; i < s->nodal.nodes; ++i) s->nodal.hand[i] = CPS_NODE_AS_PINNED;
  s->nodal.handled = false;
  return CPS_OK;
}

static bool is_pinned(const CpsWorld* world, const CpsSheet* s, int32_t node) {
  if (s->nodal.hand[node] != CPS_NODE_AS_PINNED) return s->nodal.hand[node] == CPS_NODE_HELD;
  for (int32_t j = 0; j < s->nodal.hold_count; ++j) {
    const CpsHeldNodes* hold = &s->nodal.holds[j];
    bool acts = hold->from <= world->time && world->time < hold->until;
    if (!acts || (hold->obstacle.generation != 0 && !cps_world_find_obstacle(world, hold->obstacle))) continue;
    for (int32_t i = 0; i < hold->count; ++i) {
      if (hold->node[i] == node) return true;
    }
  }
  return false;
}

CpsStatus cps_world_sheet_vertex(const CpsWorld* world, CpsSheetId id, int32_t vertex, CpsSheetVertex* state) {
  const CpsSheet* s = cps_world_find_sheet(world, id);
  if (!s || !state || vertex < 0 || vertex >= s->elastic->mesh.vertex_count) return CPS_BAD_ARGUMENT;
  const int32_t node = s->elastic->mesh.node[vertex];
  *state = (CpsSheetVertex){s->nodal.x[node], s->nodal.v[node], is_pinned(world, s, node)};
  return CPS_OK;
}

CpsStatus cps_world_sheet_held(const CpsWorld* world, CpsSheetId id, bool* held) {
  const CpsSheet* s = cps_world_find_sheet(world, id);
  if (!s || !held) return CPS_BAD_ARGUMENT;
  for (int32_t i = 0; i < s->elastic->mesh.vertex_count; ++i) {
    const int32_t node = s->elastic->mesh.node[i];
    held[i] = (s->nodal.handled || s->nodal.hold_count > 0) && is_pinned(world, s, node);
  }
  return CPS_OK;
}
