// A cluster: the contacts S that are not solved yet and those they touch. With the other impulses held,
//
//   u_S = W_SS r_S + b_S',    b_S' = b_S + sum_{j not in S} W_Sj r_j = u_S - W_SS r_S                              (1)
//
// is a problem of the same kind, small enough for the proximal method. In large packings most contacts settle in a few
// dozen sweeps, and the sweeps that follow are spent on a few clusters whose modes Gauss-Seidel damps slowly.
#include "friction/global/auto_cluster.h"

#include "core/clock.h"
#include "core/error.h"
#include "friction/law.h"
#include "friction/residual.h"

#include <math.h>
#include <string.h>

enum {
  MOST_CONTACTS = 3000,  // of a cluster
  PROXIMAL_STEPS = 40,   // that a cluster may take: it need not be solved to the end
};

typedef struct Cluster {
  int32_t count;
  int32_t* contact;  // contact of each member, ascending
  int32_t* member;   // member number of each contact, -1 if it is none
  int64_t row_count;
  double* r;
  double* b;
  double* mu;
  int32_t* dims;
  CpsLaw* laws;
} Cluster;

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

// Chooses the members; a count of 0 means that there are none, or too many.
static bool choose(const CpsProblem* p, const CpsGsLoop* loop, const double* r, double bound, CpsArena* arena,
                   Cluster* cluster) {
  int32_t n = p->contact_count;
  bool* marked = CPS_TAKE_ZERO(arena, bool, n);
  cluster->member = CPS_TAKE(arena, int32_t, n);
  cluster->contact = CPS_TAKE(arena, int32_t, n);
  if (!marked || !cluster->member || !cluster->contact) return false;
  for (int32_t i = 0; i < n; ++i) {
    int64_t o = p->offset[i];
    double error = cps_law_error((CpsLaw)p->law[i], cps_contact_dim(p, i), p->mu[i], p->xi[i], r + o, loop->u + o);
    if (error > bound) mark_neighbours(p, i, marked);
  }
  cluster->count = 0;
  for (int32_t i = 0; i < n; ++i) {
    cluster->member[i] = marked[i] ? cluster->count : -1;
    if (marked[i]) cluster->contact[cluster->count++] = i;
  }
  if (cluster->count > MOST_CONTACTS) cluster->count = 0;
  return true;
}

// Dimensions, laws, mu and impulses of the members; b starts as u_S of (1).
static bool gather(const CpsProblem* p, const CpsGsLoop* loop, const double* r, CpsArena* arena, Cluster* cluster) {
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
      cluster->b[row] = loop->u[p->offset[i] + k];
    }
  }
  return true;
}

static CpsStatus build_from_W(const CpsProblem* p, const Cluster* c, CpsContactsDef* def, CpsArena* arena,
                              CpsProblem** sub, CpsError* error) {
  int64_t blocks = 0, values = 0;
  for (int32_t m = 0; m < c->count; ++m) {
    int32_t i = c->contact[m];
    for (int64_t k = p->W.start[i]; k < p->W.start[i + 1]; ++k) {
      if (c->member[p->W.col[k]] < 0) continue;
      blocks++;
      values += p->W.at[k + 1] - p->W.at[k];
    }
  }
  int32_t* rows = CPS_TAKE(arena, int32_t, blocks);
  int32_t* cols = CPS_TAKE(arena, int32_t, blocks);
  double* value = CPS_TAKE(arena, double, values);
  if (!rows || !cols || !value) return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a cluster");
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
  return cps_problem_from_blocks(def, blocks, rows, cols, value, sub, error);
}

static CpsStatus build_from_factors(const CpsProblem* p, const Cluster* c, const CpsContactsDef* def, CpsArena* arena,
                                    CpsProblem** sub, CpsError* error) {
  const CpsFactors* F = &p->factors;
  int64_t terms = 0, values = 0;
  for (int32_t m = 0; m < c->count; ++m) {
    int32_t i = c->contact[m];
    terms += F->contact_start[i + 1] - F->contact_start[i];
    values += F->at[F->contact_start[i + 1]] - F->at[F->contact_start[i]];
  }
  int32_t* number = CPS_TAKE(arena, int32_t, F->body_count);  // of each body among those of the cluster
  int32_t* body_dofs = CPS_TAKE(arena, int32_t, F->body_count);
  int64_t* start = CPS_TAKE(arena, int64_t, (int64_t)c->count + 1);
  int32_t* body = CPS_TAKE(arena, int32_t, terms);
  double* H = CPS_TAKE(arena, double, values);
  double* Y = CPS_TAKE(arena, double, values);
  if (!number || !body_dofs || !start || !body || !H || !Y) {
    return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a cluster");
  }
  for (int32_t b = 0; b < F->body_count; ++b) number[b] = -1;
  int32_t bodies = 0;
  terms = values = 0;
  for (int32_t m = 0; m < c->count; ++m) {
    int64_t first = F->contact_start[c->contact[m]], last = F->contact_start[c->contact[m] + 1];
    start[m] = terms;
    for (int64_t t = first; t < last; ++t) {
      int32_t b = F->body[t];
      if (number[b] < 0) {
        body_dofs[bodies] = F->body_dofs[b];
        number[b] = bodies++;
      }
      body[terms++] = number[b];
    }
    size_t bytes = (size_t)(F->at[last] - F->at[first]) * sizeof *H;
    memcpy(H + values, F->H + F->at[first], bytes);
    memcpy(Y + values, F->Y + F->at[first], bytes);
    values += F->at[last] - F->at[first];
  }
  start[c->count] = terms;
  CpsFactoredForm form = {bodies, body_dofs, start, body, H, Y};
  return cps_problem_from_bodies(def, &form, sub, error);
}

// The cluster as a problem of its own, b' of (1) included.
static CpsStatus build(const CpsProblem* p, Cluster* c, CpsArena* arena, CpsProblem** sub, CpsError* error) {
  CpsContactsDef def = cps_contacts_def_default();
  def.count = c->count;
  def.dim = p->dim;
  def.dims = c->dims;
  def.laws = c->laws;
  def.mu = c->mu;
  def.b = c->b;
  CpsStatus status =
      p->has_W ? build_from_W(p, c, &def, arena, sub, error) : build_from_factors(p, c, &def, arena, sub, error);
  if (status != CPS_OK) return status;
  double* own = CPS_TAKE(arena, double, c->row_count);
  if (!own) {
    cps_problem_destroy(*sub);
    return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a cluster");
  }
  cps_problem_apply_W(*sub, c->r, own);
  for (int64_t k = 0; k < c->row_count; ++k) (*sub)->b[k] = (*sub)->b_plain[k] = c->b[k] - own[k];
  return CPS_OK;
}

// Inside a cluster the caller is told of the iteration of the whole, and may interrupt.
static bool forward_progress(const CpsProgress* progress, void* data) {
  (void)progress;
  const CpsSolve* solve = data;
  CpsProgress whole = {solve->iterations, NAN, cps_clock_cpu() - solve->start_cpu};
  return solve->options->progress(&whole, solve->options->progress_data);
}

static CpsStatus solve_cluster(CpsSolve* solve, Cluster* c, double scale, CpsProblem* sub) {
  CpsSolveOptions options = cps_solve_options_default();
  options.method = CPS_METHOD_PROXIMAL;
  options.max_iterations = PROXIMAL_STEPS;
  if (solve->options->progress) {
    options.progress = forward_progress;
    options.progress_data = solve;
  }
  if (solve->options->time_limit > 0.0) {
    // what is left of it; the next sweep sees that it is over
    options.time_limit = fmax(solve->options->time_limit - (cps_clock_cpu() - solve->start_cpu), 1e-3);
  }
  // errors of the cluster are measured against its own impulses, which are at most as large as all
  double own = cps_residual_scale(sub, c->r);
  options.tolerance = fmin(0.3 * solve->options->tolerance * (own > 0.0 ? scale / own : 1.0), 0.5);
  CpsSolveInfo info;
  CpsStatus status = cps_problem_solve(sub, &options, c->r, &info, solve->error);
  if (status < 0) return status;
  int64_t bytes = (int64_t)sub->arena.used + info.bytes;
  if (bytes > solve->outside_bytes) solve->outside_bytes = bytes;
  solve->inner_iterations += info.inner_iterations;
  solve->factorisations += info.factorisations;
  return CPS_OK;
}

CpsStatus cps_auto_cluster(CpsSolve* solve, CpsGsLoop* loop, double* r, bool* tried) {
  const CpsProblem* p = solve->problem;
  CpsArenaMark mark = cps_arena_mark(solve->arena);
  double scale = cps_residual_scale(p, r);
  Cluster cluster = {0};
  CpsProblem* sub = NULL;
  *tried = false;
  bool ok = choose(p, loop, r, solve->options->tolerance * scale, solve->arena, &cluster);
  if (ok && cluster.count == 0) {
    cps_arena_release(solve->arena, mark);
    return CPS_OK;
  }
  CpsStatus status = ok && gather(p, loop, r, solve->arena, &cluster)
                         ? build(p, &cluster, solve->arena, &sub, solve->error)
                         : cps_fail(solve->error, CPS_NO_MEMORY, "not enough memory for a cluster");
  if (status == CPS_OK) status = solve_cluster(solve, &cluster, scale, sub);
  if (status == CPS_OK) {
    int64_t row = 0;
    for (int32_t m = 0; m < cluster.count; ++m) {
      for (int k = 0; k < cluster.dims[m]; ++k) r[p->offset[cluster.contact[m]] + k] = cluster.r[row++];
    }
    *tried = true;
    cps_gs_refresh(&loop->gs, r);
    cps_gs_loop_wake(loop);
  }
  cps_problem_destroy(sub);
  cps_arena_release(solve->arena, mark);
  return status;
}
