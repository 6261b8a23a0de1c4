// Clusters: connected components of the coupling among unsolved contacts and the contacts they touch.
//
// Union-find joins the members; the root of a set is its smallest contact, so clusters are numbered by their first contact
// for any order of the joins.
#include "friction/global/clusters.h"

#include "core/sets.h"
#include "friction/law.h"

static void mark_neighbours(const CpsProblem* p, int32_t i, bool* marked) {
  if (p->has_W) {
    for (int64_t k = p->W.start[i]; k < p->W.start[i + 1]; ++k) marked[p->W.col[k]] = true;
    return;
  }
  const CpsFactors* F = &p->factors;
  for (int64_t t = F->contact_start[i]; t < F->contact_start[i + 1]; ++t) {
    for (int64_t s = F->body_start[F->body[t]]; s < F->body_start[F->body[t] + 1]; ++s) {
      marked[F->term_contact[F->body_term[s]]] = true;
    }
  }
}

static bool is_unsolved(const CpsProblem* p, int32_t i, const double* r, const double* u, double bound) {
  int64_t o = p->offset[i];
  if (p->all_coulomb && p->dim == 3) {
    return cps_law_coulomb3_square(p->mu[i], p->xi[i], r + o, u + o) > bound * bound;
  }
  return cps_law_error((CpsLaw)p->law[i], cps_contact_dim(p, i), p->mu[i], p->xi[i], r + o, u + o) > bound;
}

static void join_coupled(const CpsProblem* p, const bool* marked, int32_t* parent) {
  if (p->has_W) {
    for (int32_t i = 0; i < p->contact_count; ++i) {
      for (int64_t k = p->W.start[i]; marked[i] && k < p->W.start[i + 1]; ++k) {
        if (marked[p->W.col[k]]) cps_sets_join(parent, i, p->W.col[k]);
      }
    }
    return;
  }
  const CpsFactors* F = &p->factors;
  for (int32_t body = 0; body < F->body_count; ++body) {
    int32_t first = -1;
    for (int64_t s = F->body_start[body]; s < F->body_start[body + 1]; ++s) {
      int32_t i = F->term_contact[F->body_term[s]];
      if (!marked[i]) continue;
      if (first < 0) {
        first = i;
      } else {
        cps_sets_join(parent, first, i);
      }
    }
  }
}

// Counting sort of the members by cluster. `number` of a root: its cluster.
static void sort_members(const bool* marked, int32_t n, int32_t* parent, int32_t* number, CpsClusters* c) {
  c->count = 0;
  for (int32_t i = 0; i < n; ++i) {
    if (!marked[i]) continue;
    if (cps_sets_root(parent, i) == i) {
      number[i] = c->count++;
      c->start[c->count] = 0;
    }
    c->start[number[cps_sets_root(parent, i)] + 1]++;
  }
  c->start[0] = 0;
  for (int32_t k = 0; k < c->count; ++k) c->start[k + 1] += c->start[k];
  int32_t* next = number + n;
  for (int32_t k = 0; k < c->count; ++k) next[k] = c->start[k];
  for (int32_t i = 0; i < n; ++i) {
    c->member[i] = -1;
    if (!marked[i]) continue;
    int32_t k = number[cps_sets_root(parent, i)];
    c->member[i] = next[k] - c->start[k];
    c->contact[next[k]++] = i;
  }
}

bool cps_clusters_around(const CpsProblem* problem, const bool* unsolved, CpsArena* arena, CpsClusters* clusters) {
  int32_t n = problem->contact_count;
  clusters->start = CPS_TAKE(arena, int32_t, (int64_t)n + 1);
  clusters->contact = CPS_TAKE(arena, int32_t, n);
  clusters->member = CPS_TAKE(arena, int32_t, n);
  CpsArenaMark mark = cps_arena_mark(arena);
  bool* marked = CPS_TAKE_ZERO(arena, bool, n);
  int32_t* parent = CPS_TAKE(arena, int32_t, n);
  int32_t* number = CPS_TAKE(arena, int32_t, 2 * (int64_t)n);  // of roots; later positions in the clusters
  bool ok = clusters->start && clusters->contact && clusters->member && marked && parent && number;
  if (ok) {
    for (int32_t i = 0; i < n; ++i) parent[i] = i;
    for (int32_t i = 0; i < n; ++i) {
      if (unsolved[i]) mark_neighbours(problem, i, marked);
    }
    join_coupled(problem, marked, parent);
    sort_members(marked, n, parent, number, clusters);
  }
  cps_arena_release(arena, mark);
  return ok;
}

bool cps_clusters_find(const CpsProblem* problem, const double* r, const double* u, double bound, CpsArena* arena,
                       CpsClusters* clusters) {
  bool* unsolved = CPS_TAKE(arena, bool, problem->contact_count);
  if (!unsolved) return false;
  for (int32_t i = 0; i < problem->contact_count; ++i) unsolved[i] = is_unsolved(problem, i, r, u, bound);
  return cps_clusters_around(problem, unsolved, arena, clusters);
}
