// Cuts the graph of bodies (joined by contacts) into slabs.
//
// A breadth-first search from a body at the edge gives each body a level; a contact joins bodies of the same level or
// of two successive ones. A slab is a run of at least two levels with about its share of the contacts. The contacts
// between slabs k and k + 1 thus touch the last level of one and the first of the other, and share no body with those
// between k + 1 and k + 2. Disconnected groups of bodies are searched in turn, with levels numbered on. A body that
// touches most others makes few levels, and then there are few domains or one.
#include "friction/global/domains.h"

#include <string.h>

typedef struct Search {
  const CpsFactors* F;
  int32_t* level;  // of each body, -1: not seen
  int32_t* queue;  // bodies in the order of discovery
} Search;

// Searches from `root`, at level `first`, into the queue from `begin`; returns the end of the queue.
static int32_t search(Search* s, int32_t root, int32_t first, int32_t begin) {
  const CpsFactors* F = s->F;
  int32_t end = begin;
  s->queue[end++] = root;
  s->level[root] = first;
  for (int32_t k = begin; k < end; ++k) {
    int32_t body = s->queue[k];
    for (int64_t e = F->body_start[body]; e < F->body_start[body + 1]; ++e) {
      const int32_t* pair = F->pair + 2 * (int64_t)F->term_contact[F->body_term[e]];
      int32_t other = pair[0] == body ? pair[1] : pair[0];
      if (other < 0 || s->level[other] >= 0) continue;
      s->level[other] = s->level[body] + 1;
      s->queue[end++] = other;
    }
  }
  return end;
}

// Levels of all bodies; the queue holds them by level.
static void find_levels(Search* s) {
  int32_t begin = 0, next = 0;
  for (int32_t body = 0; body < s->F->body_count; ++body) {
    if (s->level[body] >= 0) continue;
    int32_t end = search(s, body, next, begin), rim = s->queue[end - 1];
    // the last body found is far from the first, and searching from it gives thinner levels
    for (int32_t k = begin; k < end; ++k) s->level[s->queue[k]] = -1;
    end = search(s, rim, next, begin);
    next = s->level[s->queue[end - 1]] + 1;
    begin = end;
  }
}

// Replaces the level of each body by its domain; returns the number of domains.
static int32_t cut(Search* s) {
  const CpsFactors* F = s->F;
  int64_t all = F->body_start[F->body_count], share = 0;
  int32_t domain = 0, levels = 1, previous = 0;
  for (int32_t k = 0; k < F->body_count; ++k) {
    int32_t body = s->queue[k], level = s->level[body];
    if (level != previous) {
      bool full = share * CPS_DOMAINS_MOST >= all * (domain + 1);
      if (full && levels >= 2 && domain + 1 < CPS_DOMAINS_MOST) {
        domain++;
        levels = 0;
      }
      levels++;
      previous = level;
    }
    share += F->body_start[body + 1] - F->body_start[body];
    s->level[body] = domain;
  }
  return domain + 1;
}

static int32_t list_of(const int32_t* domain, int32_t count, const int32_t* pair) {
  if (pair[0] < 0) return 0;
  int32_t a = domain[pair[0]], b = pair[1] < 0 ? a : domain[pair[1]];
  if (a == b) return a;
  return count + (a < b ? a : b);
}

void cps_domains_one(const CpsProblem* problem, int32_t start[2], CpsDomains* domains) {
  start[0] = 0;
  start[1] = problem->contact_count;
  *domains = (CpsDomains){.count = 1, .start = start};
}

bool cps_domains_make(const CpsProblem* problem, CpsArena* arena, CpsDomains* domains) {
  const CpsFactors* F = &problem->factors;
  int32_t n = problem->contact_count;
  // Results come first, so that the rest can be freed.
  int32_t* start = CPS_TAKE_ZERO(arena, int32_t, 2 * CPS_DOMAINS_MOST + 2);
  int32_t* contact = CPS_TAKE(arena, int32_t, n);
  if (!start || !contact) return false;
  CpsArenaMark mark = cps_arena_mark(arena);
  Search s = {F, CPS_TAKE(arena, int32_t, F->body_count), CPS_TAKE(arena, int32_t, F->body_count)};
  if (!s.level || !s.queue) return false;
  for (int32_t body = 0; body < F->body_count; ++body) s.level[body] = -1;
  find_levels(&s);
  int32_t count = cut(&s);
  // counting sort by list; two places to the right, so that after filling start[k] … start[k + 1] is list k
  for (int32_t i = 0; i < n; ++i) start[list_of(s.level, count, F->pair + 2 * (int64_t)i) + 2]++;
  for (int32_t k = 2; k < 2 * CPS_DOMAINS_MOST + 2; ++k) start[k] += start[k - 1];
  for (int32_t i = 0; i < n; ++i) contact[start[list_of(s.level, count, F->pair + 2 * (int64_t)i) + 1]++] = i;
  *domains = (CpsDomains){.count = count, .start = start, .contact = contact};
  cps_arena_release(arena, mark);
  return true;
}
