// Step 3: bodies coupled by contacts fall into islands, found by union of sets; obstacles couple nothing.
#include "world/world.h"

#include "core/error.h"
#include "core/sets.h"

// Contacts by island, each island in the order of its contacts.
static void sort_contacts(CpsContacts* c) {
  for (int32_t i = 0; i < c->count; ++i) c->island_start[c->contact[i].island + 1]++;
  for (int32_t k = 0; k < c->island_count; ++k) c->island_start[k + 1] += c->island_start[k];
  for (int32_t i = 0; i < c->count; ++i) c->order[c->island_start[c->contact[i].island]++] = i;
  for (int32_t k = c->island_count; k > 0; --k) c->island_start[k] = c->island_start[k - 1];
  c->island_start[0] = 0;
}

CpsStatus cps_step_islands(CpsStep* step) {
  CpsContacts* c = &step->contacts;
  int32_t bodies = cps_world_member_count(step->world);
  int32_t *parent = CPS_TAKE(step->scratch, int32_t, bodies), *number = CPS_TAKE(step->scratch, int32_t, bodies);
  c->order = CPS_TAKE(step->scratch, int32_t, c->count);
  c->island_start = CPS_TAKE_ZERO(step->scratch, int32_t, c->count + 1);
  if (!parent || !number || !c->order || !c->island_start) {
    return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory for islands");
  }
  for (int32_t i = 0; i < bodies; ++i) parent[i] = i, number[i] = -1;
  for (int32_t i = 0; i < c->count; ++i) {
    if (c->contact[i].b >= 0) cps_sets_join(parent, c->contact[i].a, c->contact[i].b);
  }
  for (int32_t i = 0; i < c->count; ++i) {
    int32_t r = cps_sets_root(parent, c->contact[i].a);
    if (number[r] < 0) number[r] = c->island_count++;
    c->contact[i].island = number[r];
  }
  sort_contacts(c);
  return CPS_OK;
}
