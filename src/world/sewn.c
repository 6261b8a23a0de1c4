// Vertices of surfaces that are tied to each other are one place, as the vertices of one triangle are: what meets there does not
// touch. Contacts would keep the surfaces apart by their thickness, and ties hold them together.
#include "world/world.h"

#include "core/error.h"
#include "core/sets.h"

#include <stdlib.h>

// A node of a surface that a tie holds; nodes with the same `place` are held to each other.
struct CpsSewn {
  int32_t surface, node, place;
};

static int compare(const void* first, const void* second) {
  const CpsSewn *a = first, *b = second;
  if (a->surface != b->surface) return a->surface < b->surface ? -1 : 1;
  return (a->node > b->node) - (a->node < b->node);
}

static int32_t surface_of(const CpsSurfaceMesh* surfaces, int32_t count, int32_t member) {
  for (int32_t i = 0; i < count; ++i) {
    if (surfaces[i].owner == member) return i;
  }
  return -1;
}

// The nodes of a surface held by an end of a tie; returns their number, 0 if the end is not on a surface.
static int find_nodes(const CpsStep* step, const CpsSurfaceMesh* surfaces, int32_t count, const CpsAnchor* at,
                      CpsSewn* out) {
  const int32_t member = cps_anchor_member(step->world, at);
  const int32_t surface = member >= 0 ? surface_of(surfaces, count, member) : -1;
  if (surface < 0) return 0;
  const CpsMember m = cps_world_member(step->world, member);
  CpsPatchNode node[CPS_PATCH_MOST];
  CpsSpot spot;
  m.model->type->anchor(m.model, m.index, at, &spot, node);
  for (int32_t i = 0; i < spot.patch_count; ++i) out[i] = (CpsSewn){.surface = surface, .node = node[i].node};
  return spot.patch_count;
}

static int32_t find_entry(const CpsStep* step, int32_t surface, int32_t node) {
  const CpsSewn key = {surface, node, 0};
  const CpsSewn* at = bsearch(&key, step->sewn, (size_t)step->sewn_count, sizeof key, compare);
  return at ? (int32_t)(at - step->sewn) : -1;
}

// Sorts the list and removes duplicates.
static int32_t sort(CpsSewn* list, int32_t count) {
  int32_t kept = 0;
  qsort(list, (size_t)count, sizeof *list, compare);
  for (int32_t i = 0; i < count; ++i) {
    if (kept == 0 || compare(&list[kept - 1], &list[i]) != 0) list[kept++] = list[i];
  }
  return kept;
}

CpsStatus cps_step_find_sewn(CpsStep* step, const CpsSurfaceMesh* surfaces, int32_t count) {
  const CpsWorld* world = step->world;
  step->sewn_count = 0;
  if (world->tie_there == 0) return CPS_OK;
  // `place` of both ends: the first end of the same tie
  const int64_t room = 2 * CPS_PATCH_MOST * (int64_t)world->tie_count;
  CpsSewn* end = CPS_TAKE(step->scratch, CpsSewn, room);
  step->sewn = CPS_TAKE(step->scratch, CpsSewn, room);
  int32_t* parent = CPS_TAKE(step->scratch, int32_t, room);
  if (!end || !step->sewn || !parent) return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory for ties");
  int32_t ends = 0;
  for (int32_t i = 0; i < world->tie_count; ++i) {
    const CpsTie* t = &world->ties[i];
    if (!cps_tie_joins(t)) continue;
    const int one = find_nodes(step, surfaces, count, &t->def.a, &end[ends]);
    const int two = one > 0 ? find_nodes(step, surfaces, count, &t->def.b, &end[ends + one]) : 0;
    if (two == 0) continue;
    for (int k = 0; k < one + two; ++k) end[ends + k].place = ends;
    ends += one + two;
  }
  for (int32_t i = 0; i < ends; ++i) step->sewn[i] = end[i], parent[i] = i;
  step->sewn_count = ends > 0 ? sort(step->sewn, ends) : 0;
  for (int32_t i = 0; i < ends; ++i) {
    const CpsSewn* first = &end[end[i].place];
    cps_sets_join(parent, find_entry(step, first->surface, first->node), find_entry(step, end[i].surface, end[i].node));
  }
  for (int32_t i = 0; i < step->sewn_count; ++i) step->sewn[i].place = cps_sets_root(parent, i);
  return CPS_OK;
}

bool cps_nodes_are_sewn(const CpsStep* step, int32_t a, const int32_t* nodes_a, int count_a, int32_t b,
                        const int32_t* nodes_b, int count_b) {
  for (int i = 0; step->sewn_count > 0 && i < count_a; ++i) {
    const int32_t one = find_entry(step, a, nodes_a[i]);
    for (int k = 0; one >= 0 && k < count_b; ++k) {
      const int32_t two = find_entry(step, b, nodes_b[k]);
      if (two >= 0 && step->sewn[one].place == step->sewn[two].place) return true;
    }
  }
  return false;
}

bool cps_touch_is_sewn(const CpsStep* step, const CpsSurfaceTouch* t) {
  if (step->sewn_count == 0 || t->b < 0) return false;
  int32_t a[3], b[3];
  const int count_a = cps_surface_nodes(&step->surfaces[t->a], t, 0, a);
  const int count_b = cps_surface_nodes(&step->surfaces[t->b], t, 1, b);
  return cps_nodes_are_sewn(step, t->a, a, count_a, t->b, b, count_b);
}
