// Vertices of sheets and solids that the caller holds and releases during the simulation, overriding the pins of the definition.
#include "things/nodal.h"

#include "core/error.h"

static CpsStatus find(const CpsWorld* world, CpsThing thing, int32_t vertex, CpsNodal** s, CpsError* error) {
  const char* kind = cps_thing_kind_name(thing.kind);
  if (!cps_kind_is_nodal(thing.kind)) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "objects of kind `%s` have no vertices to hold", kind);
  }
  *s = cps_world_find_nodal(world, thing);
  if (!*s) return cps_fail(error, CPS_BAD_ARGUMENT, "the %s does not exist or was removed", kind);
  if (vertex >= 0 && vertex < (*s)->vertex_count) return CPS_OK;
  return cps_fail(error, CPS_BAD_ARGUMENT, "vertex %d does not exist in a %s of %d vertices", (int)vertex, kind,
                  (int)(*s)->vertex_count);
}

CpsStatus cps_world_hold_vertex(CpsWorld* world, CpsThing thing, int32_t vertex, CpsVec3 place, CpsError* error) {
  CpsNodal* s = NULL;
  CpsStatus status = find(world, thing, vertex, &s, error);
  if (status != CPS_OK) return status;
  if (!cps_vec3_is_finite(place)) {
    return cps_fail(error, CPS_BAD_DATA, "the position of held vertex %d of a %s is not finite", (int)vertex,
                    cps_thing_kind_name(thing.kind));
  }
  const int32_t node = s->node[vertex];
  s->hand[node] = CPS_NODE_HELD;
  s->hand_place[node] = place;
  s->hand_time[node] = world->time + world->def.step * (1.0 - 1e-9);
  s->handled = true;
  return cps_succeed(error);
}

CpsStatus cps_world_release_vertex(CpsWorld* world, CpsThing thing, int32_t vertex, CpsError* error) {
  CpsNodal* s = NULL;
  CpsStatus status = find(world, thing, vertex, &s, error);
  if (status != CPS_OK) return status;
  s->hand[s->node[vertex]] = CPS_NODE_RELEASED;
  s->handled = true;
  return cps_succeed(error);
}

CpsStatus cps_world_restore_pins(CpsWorld* world, CpsThing thing) {
  CpsNodal* s = cps_world_find_nodal(world, thing);
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

CpsStatus cps_world_vertex(const CpsWorld* world, CpsThing thing, int32_t vertex, CpsVertexState* state) {
  const CpsNodal* s = cps_world_find_nodal(world, thing);
  if (!s || !state || vertex < 0 || vertex >= s->vertex_count) return CPS_BAD_ARGUMENT;
  const int32_t node = s->node[vertex];
  *state = (CpsVertexState){s->x[node], s->v[node], is_pinned(world, s, node)};
  return CPS_OK;
}

CpsStatus cps_world_held_vertices(const CpsWorld* world, CpsThing thing, bool* held) {
  const CpsNodal* s = cps_world_find_nodal(world, thing);
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
