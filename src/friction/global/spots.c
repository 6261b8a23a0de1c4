// Sweeps over the remaining spots.
//
// A moving pile settles at different speeds: after some eighty sweeps three of four contacts meet the tolerance, and the
// others are scattered. With e_i the error of contact i, and N(C) the contacts that share a body with one of C,
//
//   C_0 = { i : e_i > bound },   S = N(N(C_0))                                                                     (1)
//
// only S is swept until the next measurement, as long as S has at most MOST of the contacts. Every measurement covers all
// contacts, so those disturbed by S are noticed and join the next S.
//
// A contact outside of S keeps its impulse. Its momentum is removed, also from the velocities of its bodies, which are
// extrapolated too (momentum.h):
//
//   x_{k-1,i} <- x_{k,i},    v_{k-1} <- v_{k-1} + H_i^T (x_{k,i} - x_{k-1,i})                                       (2)
//
// With one ring instead of two, the sweeps lose more by waiting for the next measurement than they gain: docs/theory/momentum.md.
#include "friction/global/spots.h"

#include "friction/law.h"
#include "friction/rigid.h"

#include <string.h>

static const double MOST = 0.2;  // share of the contacts above which narrowing the sweeps gains too little
enum { RINGS = 2, FEW = 2000 };  // FEW: smaller loops stay in the calling thread

bool cps_spots_create(CpsSolve* solve, const CpsDomains* domains, CpsSpots* spots) {
  const CpsProblem* p = solve->problem;
  *spots = (CpsSpots){.problem = p, .share = 1.0};
  spots->body = CPS_TAKE(solve->arena, bool, p->factors.body_count);
  spots->contact = CPS_TAKE(solve->arena, bool, p->contact_count);
  spots->open = CPS_TAKE(solve->arena, bool, p->contact_count);
  spots->lists.start = CPS_TAKE(solve->arena, int32_t, 2 * domains->count);
  spots->lists.contact = CPS_TAKE(solve->arena, int32_t, p->contact_count);
  return spots->body && spots->contact && spots->open && spots->lists.start && spots->lists.contact;
}

typedef struct Marking {
  const CpsProblem* problem;
  const double *r, *u;
  double square;  // of the bound
  bool* contact;
} Marking;

// C_0 of (1).
static void mark_unsolved(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const Marking* work = data;
  const CpsProblem* p = work->problem;
  for (int64_t i = first; i < last; ++i) {
    double square = cps_law_coulomb3_square(p->mu[i], p->xi[i], work->r + 3 * i, work->u + 3 * i);
    work->contact[i] = !(square <= work->square);
  }
}

// Puts the contacts above the bound at the front of the list, for the rings to follow; returns their number.
static int32_t list_unsolved(CpsSpots* spots) {
  const int32_t n = spots->problem->contact_count;
  int32_t count = 0;
  for (int32_t i = 0; i < n; ++i) {
    spots->lists.contact[count] = i;
    count += spots->open[i];
  }
  return count;
}

// Adds one ring around contacts [first, count) of the list; returns the new count.
static int32_t grow(CpsSpots* spots, int32_t first, int32_t count) {
  const CpsFactors* F = &spots->problem->factors;
  int32_t end = count, *list = spots->lists.contact;
  for (int32_t k = 2 * first; k < 2 * count; ++k) {
    const int32_t body = F->pair[2 * (int64_t)list[k / 2] + k % 2];
    if (body < 0 || spots->body[body]) continue;
    spots->body[body] = true;
    for (int64_t s = F->body_start[body]; s < F->body_start[body + 1]; ++s) {
      const int32_t i = F->term_contact[F->body_term[s]];
      if (spots->contact[i]) continue;
      spots->contact[i] = true;
      list[end++] = i;
    }
  }
  return end;
}

// The lists of the domains without the resting contacts.
static void fill_lists(CpsSpots* spots, const CpsDomains* domains) {
  int32_t used = 0, lists = 2 * domains->count - 1;
  for (int32_t list = 0; list < lists; ++list) {
    spots->lists.start[list] = used;
    for (int32_t k = domains->start[list]; k < domains->start[list + 1]; ++k) {
      int32_t i = domains->contact ? domains->contact[k] : k;
      if (spots->contact[i]) spots->lists.contact[used++] = i;
    }
  }
  spots->lists.start[lists] = used;
  spots->lists.count = domains->count;
}

// (2), if the sweeps have a direction already.
static void stop_resting(const CpsSpots* spots, CpsMomentum* momentum) {
  const CpsProblem* p = spots->problem;
  if (momentum->theta < 1.0) return;
  for (int64_t i = 0; i < p->contact_count; ++i) {
    const double* r = momentum->r + 3 * i;
    double* last = momentum->last_r + 3 * i;
    double d0 = r[0] - last[0], d1 = r[1] - last[1], d2 = r[2] - last[2];
    if (spots->contact[i] || (d0 == 0.0 && d1 == 0.0 && d2 == 0.0)) continue;
    cps_rigid_scatter(&p->factors, i, d0, d1, d2, momentum->last_v);
    memcpy(last, r, 3 * sizeof *last);
  }
}

void cps_spots_find(CpsSpots* spots, const CpsDomains* domains, const double* u, double bound, CpsMomentum* momentum) {
  const CpsProblem* p = spots->problem;
  if (!p) return;
  int32_t n = p->contact_count, first = 0, most = (int32_t)(MOST * n);
  Marking work = {p, momentum->r, u, bound * bound, spots->open};
  cps_pool_run(n < FEW ? NULL : momentum->pool, n, mark_unsolved, &work);
  int32_t count = list_unsolved(spots);
  spots->unsolved = count;
  memcpy(spots->contact, spots->open, (size_t)n * sizeof *spots->contact);
  memset(spots->body, 0, (size_t)p->factors.body_count * sizeof *spots->body);
  for (int ring = 0; ring < RINGS && count <= most; ++ring) {
    const int32_t end = grow(spots, first, count);
    first = count;
    count = end;
  }
  bool narrow = count > 0 && count <= most;
  spots->lists.count = 0;
  spots->share = narrow ? (double)count / n : 1.0;
  momentum->contact = narrow ? spots->lists.contact : NULL;
  momentum->count = count;
  if (!narrow) return;
  fill_lists(spots, domains);
  stop_resting(spots, momentum);
}
