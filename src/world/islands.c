// Step 3: groups members that are coupled by contacts into islands, by union-find. Obstacles do not couple members.
#include "world/world.h"

#include "core/error.h"
#include "core/sets.h"

// Copies the data of each contact that the passes below and the assembly read.
static void note_ends(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const CpsStep* step = data;
  const CpsContacts* c = &step->contacts;
  for (int64_t i = first; i < last; ++i) {
    const CpsStepContact* t = &c->contact[i];
    const double* u = t->before;
    c->ends[i] = (CpsEnds){.a = t->a,
                           .b = t->b,
                           .soft = t->soft,
                           .speed2 = u[0] * u[0] + u[1] * u[1] + u[2] * u[2],
                           .large_a = t->spot_a.patch_count > 0 && cps_member_is_large(step->world, t->a),
                           .large_b = t->b >= 0 && t->spot_b.patch_count > 0 && cps_member_is_large(step->world, t->b)};
  }
}

// Sorts contacts by island, keeping their order within each.
static void sort_contacts(CpsContacts* c) {
  for (int32_t i = 0; i < c->count; ++i) c->island_start[c->ends[i].island + 1]++;
  for (int32_t k = 0; k < c->island_count; ++k) c->island_start[k + 1] += c->island_start[k];
  for (int32_t i = 0; i < c->count; ++i) c->order[c->island_start[c->ends[i].island]++] = i;
  for (int32_t k = c->island_count; k > 0; --k) c->island_start[k] = c->island_start[k - 1];
  c->island_start[0] = 0;
}

CpsStatus cps_step_islands(CpsStep* step) {
  CpsContacts* c = &step->contacts;
  int32_t members = cps_world_member_count(step->world);
  int32_t *parent = CPS_TAKE(step->scratch, int32_t, members), *number = CPS_TAKE(step->scratch, int32_t, members);
  c->ends = CPS_TAKE(step->scratch, CpsEnds, c->count);
  c->order = CPS_TAKE(step->scratch, int32_t, c->count);
  c->island_start = CPS_TAKE_ZERO(step->scratch, int32_t, c->count + 1);
  if (!parent || !number || !c->ends || !c->order || !c->island_start) {
    return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory for islands");
  }
  cps_pool_run(step->world->pool, c->count, note_ends, step);
  for (int32_t i = 0; i < members; ++i) parent[i] = i, number[i] = -1;
  for (int32_t i = 0; i < c->count; ++i) {
    if (c->ends[i].b >= 0) cps_sets_join(parent, c->ends[i].a, c->ends[i].b);
  }
  for (int32_t i = 0; i < c->count; ++i) {
    int32_t r = cps_sets_root(parent, c->ends[i].a);
    if (number[r] < 0) number[r] = c->island_count++;
    c->ends[i].island = (uint32_t)number[r] & CPS_ISLAND_MOST;
  }
  sort_contacts(c);
  return CPS_OK;
}
