// A cluster S: unsolved contacts and the contacts they touch (clusters.h). With the other impulses fixed,
//
//   u_S = W_SS r_S + b_S',    b_S' = b_S + sum_{j not in S} W_Sj r_j = u_S - W_SS r_S                              (1)
//
// is a problem of the same kind, small enough for the proximal method. In large packings most contacts settle in a few dozen
// sweeps, and later sweeps are spent on a few spots whose modes Gauss-Seidel damps slowly. A packing of twice the size has
// twice as many spots, but not larger ones. Each is solved separately, so the cost is proportional to their number. Clusters
// are not coupled, so threads may share them and the bits stay the same.
#include "friction/global/auto_cluster.h"

#include "core/clock.h"
#include "core/error.h"
#include "friction/contacts.h"
#include "friction/global/clusters.h"
#include "friction/refill.h"
#include "friction/residual.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  MOST_CONTACTS = 3000,  // contacts per cluster,
  MOST_LOOSE = 1500,     // at tolerances with momentum, which handles larger clusters
  MOST_RIGID = 400,      // for rigid bodies, or with W: their factors fill in more, and sweeps work better
  PROXIMAL_STEPS = 40,   // per cluster: it need not be solved completely
};

// Memory and counts of one thread. The first three persist between calls.
typedef struct Worker {
  CpsArena arena;  // of the current cluster
  CpsWorkspace* workspace;
  CpsProblem* problem;
  int32_t* number;  // of each body among those of the cluster, -1 between clusters
  int64_t bytes, inner_iterations, factorisations;
  CpsStatus status;
  CpsError error;
} Worker;

struct CpsClusterWorkers {
  int count;
  Worker worker[];
};

typedef struct Solving {
  CpsSolve* solve;
  const double* u;
  double* r;
  double scale;
  bool momentum;  // the sweeps use momentum
  CpsClusters clusters;
  Worker* workers;
  int32_t* owner;  // the worker of each cluster
} Solving;

// One cluster while its problem is built.
typedef struct Cluster {
  int32_t count;
  const int32_t* contact;
  const int32_t* member;  // of all contacts
  int64_t row_count;
  double *r, *b, *mu;
  int32_t* dims;
  CpsLaw* laws;
} Cluster;

// Dimensions, laws, mu and impulses of the members; b starts as u_S of (1).
static bool gather(const CpsProblem* p, const double* r, const double* u, CpsArena* arena, Cluster* cluster) {
  cluster->row_count = 0;
  for (int32_t m = 0; m < cluster->count; ++m) cluster->row_count += cps_contact_dim(p, cluster->contact[m]);
  cluster->r = CPS_TAKE(arena, double, cluster->row_count);
  cluster->b = CPS_TAKE(arena, double, cluster->row_count);
  cluster->mu = CPS_TAKE(arena, double, cluster->count);
  cluster->dims = CPS_TAKE(arena, int32_t, cluster->count);
  cluster->laws = CPS_TAKE(arena, CpsLaw, cluster->count);
  if (!cluster->r || !cluster->b || !cluster->mu || !cluster->dims || !cluster->laws) return false;
  int64_t row = 0;
  for (int32_t m = 0; m < cluster->count; ++m) {
    int32_t i = cluster->contact[m];
    cluster->dims[m] = cps_contact_dim(p, i);
    cluster->laws[m] = (CpsLaw)p->law[i];
    cluster->mu[m] = p->mu[i];
    for (int k = 0; k < cluster->dims[m]; ++k, ++row) {
      cluster->r[row] = r[p->offset[i] + k];
      cluster->b[row] = u[p->offset[i] + k];
    }
  }
  return true;
}

static CpsStatus no_memory(CpsError* error) {
  return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a cluster");
}

static CpsStatus build_from_W(const CpsProblem* p, const Cluster* c, CpsContactsDef* def, Worker* worker) {
  int64_t blocks = 0, values = 0;
  for (int32_t m = 0; m < c->count; ++m) {
    int32_t i = c->contact[m];
    for (int64_t k = p->W.start[i]; k < p->W.start[i + 1]; ++k) {
      if (c->member[p->W.col[k]] < 0) continue;
      blocks++;
      values += p->W.at[k + 1] - p->W.at[k];
    }
  }
  int32_t* rows = CPS_TAKE(&worker->arena, int32_t, blocks);
  int32_t* cols = CPS_TAKE(&worker->arena, int32_t, blocks);
  double* value = CPS_TAKE(&worker->arena, double, values);
  if (!rows || !cols || !value) return no_memory(&worker->error);
  blocks = values = 0;
  for (int32_t m = 0; m < c->count; ++m) {
    int32_t i = c->contact[m];
    for (int64_t k = p->W.start[i]; k < p->W.start[i + 1]; ++k) {
      int32_t other = c->member[p->W.col[k]];
      if (other < 0) continue;
      int64_t size = p->W.at[k + 1] - p->W.at[k];
      rows[blocks] = m;
      cols[blocks++] = other;
      memcpy(value + values, p->W.value + p->W.at[k], (size_t)size * sizeof *value);
      values += size;
    }
  }
  def->trust_W = true;
  cps_problem_destroy(worker->problem);
  worker->problem = NULL;
  return cps_problem_from_blocks(def, blocks, rows, cols, value, &worker->problem, &worker->error);
}

// Numbers the bodies of a cluster in the order of its contacts.
static int32_t number_bodies(const CpsFactors* F, const Cluster* c, int32_t* number, int64_t* start, int32_t* body,
                             int32_t* body_dofs) {
  int32_t bodies = 0;
  int64_t terms = 0;
  for (int32_t m = 0; m < c->count; ++m) {
    start[m] = terms;
    for (int64_t t = F->contact_start[c->contact[m]]; t < F->contact_start[c->contact[m] + 1]; ++t) {
      int32_t b = F->body[t];
      if (number[b] < 0) {
        body_dofs[bodies] = F->body_dofs[b];
        number[b] = bodies++;
      }
      body[terms++] = number[b];
    }
  }
  start[c->count] = terms;
  for (int32_t m = 0; m < c->count; ++m) {
    for (int64_t t = F->contact_start[c->contact[m]]; t < F->contact_start[c->contact[m] + 1]; ++t) {
      number[F->body[t]] = -1;
    }
  }
  return bodies;
}

static void copy_rows(const CpsFactors* F, const Cluster* c, const double* from, double* to) {
  for (int32_t m = 0; m < c->count; ++m) {
    int64_t first = cps_term_at(F, F->contact_start[c->contact[m]]),
            last = cps_term_at(F, F->contact_start[c->contact[m] + 1]);
    memcpy(to, from + first, (size_t)(last - first) * sizeof *to);
    to += last - first;
  }
}

static CpsStatus build_from_factors(const CpsProblem* p, const Cluster* c, const CpsContactsDef* def, Worker* worker) {
  const CpsFactors* F = &p->factors;
  int64_t terms = 0, values = 0;
  for (int32_t m = 0; m < c->count; ++m) {
    int32_t i = c->contact[m];
    terms += F->contact_start[i + 1] - F->contact_start[i];
    values += cps_term_at(F, F->contact_start[i + 1]) - cps_term_at(F, F->contact_start[i]);
  }
  int32_t* body_dofs = CPS_TAKE(&worker->arena, int32_t, terms);
  int64_t* start = CPS_TAKE(&worker->arena, int64_t, (int64_t)c->count + 1);
  int32_t* body = CPS_TAKE(&worker->arena, int32_t, terms);
  double* H = CPS_TAKE(&worker->arena, double, values);
  double* Y = F->Y == F->H ? H : CPS_TAKE(&worker->arena, double, values);
  if (!body_dofs || !start || !body || !H || !Y) return no_memory(&worker->error);
  int32_t bodies = number_bodies(F, c, worker->number, start, body, body_dofs);
  copy_rows(F, c, F->H, H);
  if (Y != H) copy_rows(F, c, F->Y, Y);
  CpsFactoredForm form = {bodies, body_dofs, start, body, H, Y};
  return worker->problem ? cps_problem_refill_borrowed(worker->problem, def, &form, NULL, &worker->error)
                         : cps_problem_from_bodies(def, &form, &worker->problem, &worker->error);
}

// The cluster as a separate problem, including b' of (1).
static CpsStatus build(const CpsProblem* p, const Cluster* c, Worker* worker) {
  CpsContactsDef def = cps_contacts_def_default();
  def.count = c->count;
  def.dim = p->dim;
  def.dims = c->dims;
  def.laws = c->laws;
  def.mu = c->mu;
  def.b = c->b;
  CpsStatus status = p->has_W ? build_from_W(p, c, &def, worker) : build_from_factors(p, c, &def, worker);
  if (status != CPS_OK) return status;
  double* own = CPS_TAKE(&worker->arena, double, c->row_count);
  if (!own) return no_memory(&worker->error);
  CpsProblem* sub = worker->problem;
  cps_problem_apply_W(sub, c->r, own);
  for (int64_t k = 0; k < c->row_count; ++k) sub->b[k] = sub->b_plain[k] = c->b[k] - own[k];
  return CPS_OK;
}

// Inside a cluster the caller's progress function receives the iteration count of the whole problem and may interrupt.
static bool forward_progress(const CpsProgress* progress, void* data) {
  (void)progress;
  const CpsSolve* solve = data;
  CpsProgress whole = {solve->iterations, NAN, cps_clock_cpu() - solve->start_cpu};
  return solve->options->progress(&whole, solve->options->progress_data);
}

static CpsStatus solve_problem(CpsSolve* solve, const Cluster* c, double scale, Worker* worker) {
  CpsSolveOptions options = cps_solve_options_default();
  options.method = CPS_METHOD_PROXIMAL;
  options.max_iterations = PROXIMAL_STEPS;
  if (solve->options->progress) {
    options.progress = forward_progress;
    options.progress_data = solve;
  }
  options.cancel = solve->options->cancel;
  options.cancel_data = solve->options->cancel_data;
  if (solve->options->time_limit > 0.0) {
    // the remaining time; if none is left, the next sweep notices
    options.time_limit = fmax(solve->options->time_limit - (cps_clock_cpu() - solve->start_cpu), 1e-3);
  }
  // the error of a cluster is relative to its own impulses, which do not exceed the largest of all
  double own = cps_residual_scale(worker->problem, c->r);
  options.tolerance = fmin(0.3 * solve->options->tolerance * (own > 0.0 ? scale / own : 1.0), 0.5);
  CpsSolveInfo info;
  CpsStatus status = cps_workspace_solve(worker->workspace, worker->problem, &options, c->r, &info, &worker->error);
  if (status < 0) return status;
  int64_t bytes = (int64_t)worker->arena.peak + (int64_t)worker->problem->arena.used + info.bytes;
  if (bytes > worker->bytes) worker->bytes = bytes;
  worker->inner_iterations += info.inner_iterations;
  worker->factorisations += info.factorisations;
  return CPS_OK;
}

static CpsStatus solve_cluster(const Solving* s, int32_t k, Worker* worker) {
  const CpsProblem* p = s->solve->problem;
  int32_t first = s->clusters.start[k];
  Cluster c = {
      .count = s->clusters.start[k + 1] - first, .contact = s->clusters.contact + first, .member = s->clusters.member};
  cps_arena_reset(&worker->arena);
  if (!gather(p, s->r, s->u, &worker->arena, &c)) return no_memory(&worker->error);
  CpsStatus status = build(p, &c, worker);
  if (status == CPS_OK) status = solve_problem(s->solve, &c, s->scale, worker);
  int64_t row = 0;
  for (int32_t m = 0; status == CPS_OK && m < c.count; ++m) {
    for (int a = 0; a < c.dims[m]; ++a) s->r[p->offset[c.contact[m]] + a] = c.r[row++];
  }
  return status;
}

static int32_t size_of(const Solving* s, int32_t k) {
  return s->clusters.start[k + 1] - s->clusters.start[k];
}

static bool is_small(const Solving* s, int32_t k) {
  const bool loose = s->solve->options->tolerance >= CPS_MOMENTUM_TOLERANCE_OTHERS;
  const int32_t most = s->momentum ? MOST_RIGID : loose ? MOST_LOOSE : MOST_CONTACTS;
  return size_of(s, k) <= most;
}

// Distributes the clusters: the largest first, each to the least loaded worker. The cost of a factorisation grows roughly with the
// square of the size.
static bool share_out(Solving* s, int workers) {
  const int32_t count = s->clusters.count;
  CpsArena* arena = s->solve->arena;
  s->owner = CPS_TAKE_ZERO(arena, int32_t, count);
  if (!s->owner || workers == 1) return s->owner;
  double* load = CPS_TAKE_ZERO(arena, double, workers);
  int32_t *start = CPS_TAKE_ZERO(arena, int32_t, MOST_CONTACTS + 2), *order = CPS_TAKE(arena, int32_t, count);
  if (!load || !start || !order) return false;
  for (int32_t k = 0; k < count; ++k) {
    if (is_small(s, k)) start[MOST_CONTACTS - size_of(s, k) + 1]++;
  }
  for (int size = 0; size <= MOST_CONTACTS; ++size) start[size + 1] += start[size];
  const int32_t small = start[MOST_CONTACTS + 1];
  for (int32_t k = 0; k < count; ++k) {
    if (is_small(s, k)) order[start[MOST_CONTACTS - size_of(s, k)]++] = k;
  }
  for (int32_t i = 0; i < small; ++i) {
    int32_t least = 0;
    for (int32_t w = 1; w < workers; ++w) {
      if (load[w] < load[least]) least = w;
    }
    s->owner[order[i]] = least;
    load[least] += (double)size_of(s, order[i]) * size_of(s, order[i]);
  }
  return true;
}

// Processes the clusters of the given workers.
static void solve_shares(void* data, int64_t first, int64_t last, int worker_index) {
  const Solving* s = data;
  Worker* worker = &s->workers[worker_index];
  if (worker->status == CPS_OK && !worker->workspace && cps_workspace_create(&worker->workspace) != CPS_OK) {
    worker->status = no_memory(&worker->error);
  }
  for (int32_t k = 0; k < s->clusters.count && worker->status == CPS_OK; ++k) {
    const bool own = s->owner[k] >= first && s->owner[k] < last;
    if (own && is_small(s, k)) worker->status = solve_cluster(s, k, worker);
  }
}

static void free_worker(Worker* worker) {
  cps_workspace_destroy(worker->workspace);
  cps_problem_destroy(worker->problem);
  cps_arena_free(&worker->arena);
}

void cps_cluster_workers_free(CpsClusterWorkers* workers) {
  for (int k = 0; workers && k < workers->count; ++k) free_worker(&workers->worker[k]);
  free(workers);
}

void cps_cluster_workers_age(CpsClusterWorkers* workers) {
  for (int k = 0; workers && k < workers->count; ++k) {
    Worker* worker = &workers->worker[k];
    cps_arena_age(&worker->arena);
    cps_arena_reset(&worker->arena);
    if (worker->workspace) cps_workspace_age(worker->workspace);
  }
}

// As many workers as requested. Their contents are only memory: everything is written before it is read.
static CpsClusterWorkers* fit_workers(CpsClusterWorkers* old, int count) {
  if (old && old->count >= count) return old;
  const int kept = old ? old->count : 0;
  CpsClusterWorkers* all = realloc(old, sizeof *all + (size_t)count * sizeof *all->worker);
  if (!all) return NULL;
  memset(all->worker + kept, 0, (size_t)(count - kept) * sizeof *all->worker);
  all->count = count;
  return all;
}

// The workers of the workspace, with buffers in the arena of the solve.
static bool make_workers(CpsSolve* solve, int count, Solving* s) {
  const CpsProblem* p = solve->problem;
  CpsClusterWorkers* all = fit_workers(*solve->clusters, count);
  if (!all) return false;
  *solve->clusters = all;
  s->workers = all->worker;
  bool ok = true;
  for (int k = 0; k < count; ++k) {
    Worker* worker = &s->workers[k];
    if (worker->problem && (p->has_W || worker->problem->has_W || worker->problem->dim != p->dim)) {
      cps_problem_destroy(worker->problem);  // of another kind
      worker->problem = NULL;
    }
    cps_arena_reset(
        &worker->arena);  // by the peak of the last call, which is forgotten then: only this one's is counted
    worker->arena.peak = 0;
    *worker = (Worker){.arena = worker->arena, .workspace = worker->workspace, .problem = worker->problem};
    if (p->has_W) continue;
    worker->number = CPS_TAKE(solve->arena, int32_t, p->factors.body_count);
    ok = ok && worker->number;
    for (int32_t b = 0; ok && b < p->factors.body_count; ++b) worker->number[b] = -1;
  }
  return ok;
}

// Adds up the counts of the workers. The first error of a worker is the error of all.
static CpsStatus end_workers(CpsSolve* solve, int count, Solving* s) {
  CpsStatus status = CPS_OK;
  int64_t bytes = 0;
  for (int k = 0; k < count; ++k) {
    Worker* worker = &s->workers[k];
    if (status == CPS_OK && worker->status != CPS_OK) {
      status = cps_fail(solve->error, worker->status, "%s", worker->error.text);
    }
    if (worker->status != CPS_OK) {  // discard incomplete results
      free_worker(worker);
      *worker = (Worker){0};
      continue;
    }
    bytes += worker->bytes;
    solve->inner_iterations += worker->inner_iterations;
    solve->factorisations += worker->factorisations;
  }
  if (bytes > solve->outside_bytes) solve->outside_bytes = bytes;
  return status;
}

// Are there so many `contacts` that momentum sweeps still have work everywhere?
static bool is_everywhere(const CpsProblem* problem, int32_t contacts) {
  return contacts > problem->contact_count / 5;
}

// Members of sufficiently small clusters.
static int32_t count_members(const Solving* s) {
  int32_t members = 0;
  for (int32_t k = 0; k < s->clusters.count; ++k) {
    if (is_small(s, k)) members += size_of(s, k);
  }
  if (s->momentum && is_everywhere(s->solve->problem, s->clusters.start[s->clusters.count])) return 0;
  return members;
}

// Spots know the unsolved contacts from the previous measurement.
static bool find_clusters(Solving* s, const CpsGsLoop* loop) {
  const CpsProblem* p = s->solve->problem;
  CpsArena* arena = s->solve->arena;
  if (loop->spots.problem) return cps_clusters_around(p, loop->spots.open, arena, &s->clusters);
  return cps_clusters_find(p, s->r, s->u, s->solve->options->tolerance * s->scale, arena, &s->clusters);
}

CpsStatus cps_auto_cluster(CpsSolve* solve, CpsGsLoop* loop, double* r, int32_t* members) {
  *members = 0;
  if (loop->spots.problem && is_everywhere(solve->problem, loop->spots.unsolved)) return CPS_OK;
  CpsArenaMark mark = cps_arena_mark(solve->arena);
  Solving s = {.solve = solve,
               .u = loop->u,
               .r = r,
               .scale = cps_residual_scale(solve->problem, r),
               .momentum = loop->momentum.problem != NULL};
  // only the caller's own thread calls the caller back
  CpsPool* pool = solve->options->progress ? NULL : loop->pool;
  int workers = cps_pool_threads(pool);
  CpsStatus status = CPS_OK;
  if (!find_clusters(&s, loop) || !make_workers(solve, workers, &s) || !share_out(&s, workers)) {
    status = no_memory(solve->error);
  } else {
    *members = count_members(&s);
    if (*members > 0) cps_momentum_hold(&loop->momentum);
    if (*members > 0) cps_pool_run(s.clusters.count > 1 ? pool : NULL, workers, solve_shares, &s);
    status = end_workers(solve, workers, &s);
    if (status == CPS_OK && *members > 0) {
      cps_gs_refresh(&loop->gs, r);
      cps_momentum_release(&loop->momentum);
      cps_gs_loop_wake(loop);
    }
  }
  cps_arena_release(solve->arena, mark);
  return status;
}
