// Greedy colouring of runs of contacts; runs.h states the guarantees.
//
// For run k every body of its contacts is examined once: the colours of preceding runs that share the body are stamped, and
// the first colour without a stamp is taken.
#include "friction/global/runs.h"

// Minimum number of runs per colour: with fewer, threads would be idle, and neighbouring contacts would clearly be
// unrelated.
enum { LEAST_PER_COLOUR = 2 };

typedef struct Greedy {
  int32_t* colour;  // of each run; not yet set from the current one on
  int32_t* stamp;   // of each colour: the last run that must not take it
  int32_t* seen;    // of each body: the last run that examined it
} Greedy;

static void stamp_colours(const CpsFactors* F, int32_t body, int32_t k, Greedy* greedy) {
  if (greedy->seen[body] == k) return;
  greedy->seen[body] = k;
  for (int64_t s = F->body_start[body]; s < F->body_start[body + 1]; ++s) {
    int32_t other = F->term_contact[F->body_term[s]] / CPS_RUN_CONTACTS;
    if (other >= k) return;  // the terms of a body ascend with their contacts
    greedy->stamp[greedy->colour[other]] = k;
  }
}

static int32_t first_contact(const CpsProblem* p, int32_t k) {
  int64_t first = (int64_t)k * CPS_RUN_CONTACTS;
  return first < p->contact_count ? (int32_t)first : p->contact_count;
}

static int32_t colour_runs(const CpsProblem* p, int32_t count, Greedy* greedy) {
  const CpsFactors* F = &p->factors;
  int32_t colours = 0;
  for (int32_t k = 0; k < count; ++k) {
    int64_t first = F->contact_start[first_contact(p, k)], last = F->contact_start[first_contact(p, k + 1)];
    for (int64_t t = first; t < last; ++t) stamp_colours(F, F->body[t], k, greedy);
    int32_t colour = 0;
    while (colour < colours && greedy->stamp[colour] == k) colour++;
    if (colour == colours) colours++;
    greedy->colour[k] = colour;
  }
  return colours;
}

bool cps_runs_make(const CpsProblem* problem, CpsArena* arena, CpsRuns* runs) {
  int32_t bodies = problem->factors.body_count;
  int32_t count = (int32_t)(((int64_t)problem->contact_count + CPS_RUN_CONTACTS - 1) / CPS_RUN_CONTACTS);
  // results come first, so that the rest can be freed
  int32_t* start = CPS_TAKE_ZERO(arena, int32_t, (int64_t)count + 2);
  int32_t* run = CPS_TAKE(arena, int32_t, count);
  CpsArenaMark mark = cps_arena_mark(arena);
  Greedy greedy = {CPS_TAKE(arena, int32_t, count), CPS_TAKE(arena, int32_t, count), CPS_TAKE(arena, int32_t, bodies)};
  if (!start || !run || !greedy.colour || !greedy.stamp || !greedy.seen) return false;
  for (int32_t k = 0; k < count; ++k) greedy.stamp[k] = -1;
  for (int32_t b = 0; b < bodies; ++b) greedy.seen[b] = -1;
  int32_t colours = colour_runs(problem, count, &greedy);
  // counting sort by colour; two places to the right, so that after filling start[c] … start[c + 1] is colour c
  for (int32_t k = 0; k < count; ++k) start[greedy.colour[k] + 2]++;
  for (int32_t c = 0; c < colours; ++c) start[c + 2] += start[c + 1];
  for (int32_t k = 0; k < count; ++k) run[start[greedy.colour[k] + 1]++] = k;
  *runs = (CpsRuns){.count = count, .colour_count = colours, .start = start, .run = run};
  cps_arena_release(arena, mark);
  return true;
}

bool cps_runs_are_local(const CpsRuns* runs) {
  return runs->count >= LEAST_PER_COLOUR * runs->colour_count;
}
