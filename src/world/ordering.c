// The contacts of a large island of lines in an order in which neighbours are near each other in memory.
//
// A contact of two lines has about a kilobyte of rows. The solver sweeps over them dozens of times; in the order of
// detection from ten thousand contacts on it waits for memory: 0.2 microseconds per contact become 1. Cuthill and McKee
// (1969): a breadth-first search from a line at the rim numbers the lines, level after level, and contacts are sorted by
// the later of their two lines. Then a run of contacts has few lines, which only the next few runs share, and the solver
// sweeps a run more than once while it is in a cache (friction/global/runs.h).
#include "world/world.h"

#include "core/error.h"

#include <string.h>

// Contacts from which an island is ordered. Smaller islands fit into caches and keep the order of detection.
enum { LARGE = 2000 };

typedef struct Graph {
  const CpsContacts* contacts;
  const int32_t* order;  // of the island, before ordering
  int32_t* start;        // offsets: contacts of member m are start[m] ... start[m + 1] of `touching`
  int32_t* touching;     // numbers within the island
  int32_t* place;        // of each member in the queue, -1 if not visited
  int32_t* queue;        // members in order of visit
  int32_t* count;        // contacts at each place, then offsets
  int32_t* sorted;       // the new order
} Graph;

static bool take(CpsStep* step, int32_t members, int32_t contacts, Graph* g) {
  g->start = CPS_TAKE_ZERO(step->scratch, int32_t, (int64_t)members + 2);
  g->touching = CPS_TAKE(step->scratch, int32_t, 2 * (int64_t)contacts);
  g->place = CPS_TAKE(step->scratch, int32_t, members);
  g->queue = CPS_TAKE(step->scratch, int32_t, members);
  g->count = CPS_TAKE_ZERO(step->scratch, int32_t, (int64_t)members + 1);
  g->sorted = CPS_TAKE(step->scratch, int32_t, contacts);
  return g->start && g->touching && g->place && g->queue && g->count && g->sorted;
}

static bool joins_two(const CpsEnds* t) {
  return t->b >= 0 && t->b != t->a;
}

// Lists the contacts of each member. Counts are stored two places to the right, so that `start` is correct after the filling.
static void list_contacts(Graph* g, int32_t count, int32_t members) {
  for (int32_t i = 0; i < count; ++i) {
    const CpsEnds* t = &g->contacts->ends[g->order[i]];
    g->start[t->a + 2]++;
    if (joins_two(t)) g->start[t->b + 2]++;
  }
  for (int32_t m = 0; m < members; ++m) g->start[m + 2] += g->start[m + 1];
  for (int32_t i = 0; i < count; ++i) {
    const CpsEnds* t = &g->contacts->ends[g->order[i]];
    g->touching[g->start[t->a + 1]++] = i;
    if (joins_two(t)) g->touching[g->start[t->b + 1]++] = i;
  }
}

// Breadth-first search from `root`, appended to the queue at `begin`; returns the end of the queue.
static int32_t search(Graph* g, int32_t root, int32_t begin) {
  int32_t end = begin;
  g->place[root] = end;
  g->queue[end++] = root;
  for (int32_t k = begin; k < end; ++k) {
    const int32_t m = g->queue[k];
    for (int32_t e = g->start[m]; e < g->start[m + 1]; ++e) {
      const CpsEnds* t = &g->contacts->ends[g->order[g->touching[e]]];
      const int32_t other = t->a == m ? t->b : t->a;
      if (other < 0 || g->place[other] >= 0) continue;
      g->place[other] = end;
      g->queue[end++] = other;
    }
  }
  return end;
}

// Numbers all members of the island.
static void number_members(Graph* g, int32_t count) {
  int32_t begin = 0;
  for (int32_t i = 0; i < count; ++i) {
    const int32_t member = g->contacts->ends[g->order[i]].a;
    if (g->place[member] >= 0) continue;
    int32_t end = search(g, member, begin);
    // the last member found is far from the first, and levels that start from it are thinner
    const int32_t rim = g->queue[end - 1];
    for (int32_t k = begin; k < end; ++k) g->place[g->queue[k]] = -1;
    begin = search(g, rim, begin);
  }
}

static int32_t later_place(const Graph* g, int32_t i) {
  const CpsEnds* t = &g->contacts->ends[g->order[i]];
  const int32_t a = g->place[t->a];
  return joins_two(t) && g->place[t->b] > a ? g->place[t->b] : a;
}

// Counting sort by the later place; stable, so that contacts of one place keep their order.
static void sort_contacts(int32_t* order, int32_t count, int32_t members, Graph* g) {
  for (int32_t i = 0; i < count; ++i) g->count[later_place(g, i) + 1]++;
  for (int32_t m = 0; m < members; ++m) g->count[m + 1] += g->count[m];
  for (int32_t i = 0; i < count; ++i) g->sorted[g->count[later_place(g, i)]++] = order[i];
  memcpy(order, g->sorted, (size_t)count * sizeof *order);
}

// Whether a member is a chain. Islands of other members are swept by domains, which have an order of their own.
static bool is_chained(const CpsWorld* world, int32_t member) {
  return member >= 0 && cps_world_member(world, member).model->type->chained;
}

static bool has_chain(const CpsStep* step, const int32_t* order, int32_t count) {
  for (int32_t i = 0; i < count; ++i) {
    const CpsEnds* t = &step->contacts.ends[order[i]];
    if (is_chained(step->world, t->a) || is_chained(step->world, t->b)) return true;
  }
  return false;
}

static bool has_chains(const CpsWorld* world) {
  for (int i = 0; i < world->population_count; ++i) {
    if (world->population[i]->type->chained && world->population[i]->count > 0) return true;
  }
  return false;
}

CpsStatus cps_step_order(CpsStep* step) {
  CpsContacts* c = &step->contacts;
  if (!has_chains(step->world)) return CPS_OK;
  const int32_t members = cps_world_member_count(step->world);
  for (int32_t k = 0; k < c->island_count; ++k) {
    int32_t* order = c->order + c->island_start[k];
    const int32_t count = c->island_start[k + 1] - c->island_start[k];
    if (count < LARGE || !has_chain(step, order, count)) continue;
    Graph g = {.contacts = c, .order = order};
    const CpsArenaMark mark = cps_arena_mark(step->scratch);
    if (!take(step, members, count, &g)) {
      return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory to order %d contacts", (int)count);
    }
    for (int32_t m = 0; m < members; ++m) g.place[m] = -1;
    list_contacts(&g, count, members);
    number_members(&g, count);
    sort_contacts(order, count, members, &g);
    cps_arena_release(step->scratch, mark);
  }
  return CPS_OK;
}
