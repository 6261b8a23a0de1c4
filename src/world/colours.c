// The contacts of a large island of fibres in the order in which coloured sweeps visit them.
//
// A contact of two fibres has about a kilobyte of rows. The solver sweeps over them dozens of times, colour after colour
// (friction/global/colouring.h); in the order of detection a colour takes every twentieth contact or so, and from ten
// thousand contacts on the sweep waits for memory: 0.2 microseconds per contact became 1. Written down colour by colour the
// rows are read as a stream.
//
// Greedy colouring keeps this order as it is: a contact that got colour c was coupled to one of each colour below it, and
// still is when those come first. So the colours are the same as they would have been.
#include "world/world.h"

#include "core/error.h"

#include <string.h>

// Contacts from which an island is ordered. Smaller ones fit into caches, and are swept in the order of detection.
enum { LARGE = 2000 };

typedef struct Greedy {
  int32_t *start, *end;  // colours in use on each member: start[m] ... end[m] of `used`
  int32_t* used;
  int32_t* stamp;   // of each colour: the last contact that may not have it
  int32_t* colour;  // of each contact of the island
  int32_t* count;   // contacts of each colour, then where the next one goes
  int32_t* sorted;  // the new order
  int32_t colour_count;
} Greedy;

static bool take(CpsStep* step, int32_t members, int32_t contacts, Greedy* g) {
  g->start = CPS_TAKE(step->scratch, int32_t, members + 1);
  g->end = CPS_TAKE(step->scratch, int32_t, members);
  g->used = CPS_TAKE(step->scratch, int32_t, 2 * (int64_t)contacts);
  g->stamp = CPS_TAKE(step->scratch, int32_t, contacts);
  g->colour = CPS_TAKE(step->scratch, int32_t, contacts);
  g->count = CPS_TAKE(step->scratch, int32_t, (int64_t)contacts + 1);
  g->sorted = CPS_TAKE(step->scratch, int32_t, contacts);
  return g->start && g->end && g->used && g->stamp && g->colour && g->count && g->sorted;
}

// Room for the colours of each member, as many as it has contacts.
static void lay_out(const CpsContacts* c, const int32_t* order, int32_t count, int32_t members, Greedy* g) {
  memset(g->start, 0, ((size_t)members + 1) * sizeof *g->start);
  for (int32_t i = 0; i < count; ++i) {
    const CpsTouching* t = &c->contact[order[i]];
    g->start[t->a + 1]++;
    if (t->b >= 0 && t->b != t->a) g->start[t->b + 1]++;
  }
  for (int32_t m = 0; m < members; ++m) {
    g->start[m + 1] += g->start[m];
    g->end[m] = g->start[m];
  }
}

static void stamp_colours(Greedy* g, int32_t member, int32_t i) {
  for (int32_t k = g->start[member]; k < g->end[member]; ++k) g->stamp[g->used[k]] = i;
}

static void colour_contacts(const CpsContacts* c, const int32_t* order, int32_t count, Greedy* g) {
  g->colour_count = 0;
  for (int32_t i = 0; i < count; ++i) {
    const CpsTouching* t = &c->contact[order[i]];
    const bool two = t->b >= 0 && t->b != t->a;
    stamp_colours(g, t->a, i);
    if (two) stamp_colours(g, t->b, i);
    int32_t colour = 0;
    while (colour < g->colour_count && g->stamp[colour] == i) colour++;
    if (colour == g->colour_count) g->stamp[g->colour_count++] = i;
    g->colour[i] = colour;
    g->used[g->end[t->a]++] = colour;
    if (two) g->used[g->end[t->b]++] = colour;
  }
}

// Counting sort; stable, so that the contacts of a colour stay in their order.
static void sort_by_colour(int32_t* order, int32_t count, Greedy* g) {
  memset(g->count, 0, ((size_t)g->colour_count + 1) * sizeof *g->count);
  for (int32_t i = 0; i < count; ++i) g->count[g->colour[i] + 1]++;
  for (int32_t k = 0; k < g->colour_count; ++k) g->count[k + 1] += g->count[k];
  for (int32_t i = 0; i < count; ++i) g->sorted[g->count[g->colour[i]]++] = order[i];
  memcpy(order, g->sorted, (size_t)count * sizeof *order);
}

// Rigid bodies are swept by domains, which have an order of their own.
static bool has_fibre(const CpsStep* step, const int32_t* order, int32_t count) {
  const int32_t bodies = step->world->rigid->count;
  for (int32_t i = 0; i < count; ++i) {
    const CpsTouching* t = &step->contacts.contact[order[i]];
    if (t->a >= bodies || t->b >= bodies) return true;
  }
  return false;
}

CpsStatus cps_step_order(CpsStep* step) {
  CpsContacts* c = &step->contacts;
  const int32_t members = cps_world_member_count(step->world);
  for (int32_t k = 0; k < c->island_count; ++k) {
    int32_t* order = c->order + c->island_start[k];
    const int32_t count = c->island_start[k + 1] - c->island_start[k];
    if (count < LARGE || !has_fibre(step, order, count)) continue;
    Greedy g;
    const CpsArenaMark mark = cps_arena_mark(step->scratch);
    if (!take(step, members, count, &g)) {
      return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory to order %d contacts", (int)count);
    }
    lay_out(c, order, count, members, &g);
    for (int32_t i = 0; i < count; ++i) g.stamp[i] = -1;
    colour_contacts(c, order, count, &g);
    sort_by_colour(order, count, &g);
    cps_arena_release(step->scratch, mark);
  }
  return CPS_OK;
}
