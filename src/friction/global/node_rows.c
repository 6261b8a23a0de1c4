// Rows of a problem whose nodes have one mass each: packing, products, and a sweep.
//
// Only contacts couple the nodes of a granular medium, M = diag(m). With v the velocities of the nodes times sqrt(m), and those
// of the small members in the coordinates of their rows,
//
//   u_i = A_i v + b_i,   v = sum_i A_i^T r_i,   A_i the rows over sqrt(m)                                          (1)
//
// A block of six rows is a symmetric tensor: chi^-1 of sym(L), L = sum over nodes of v g^T (docs/theory/grains.md). Three numbers g of a
// node replace its 18, and
//
//   u = chi^-1(sym L) + b,   v += chi(dr)/2 g                                                                      (2)
//
// A sweep updates each contact by
//
//   r_N <- max(0, r_N - w u_N),   r_T <- P(r_T - w u_T),  P on the disc of radius mu r_N,   w = omega / |W_ii|      (3)
//
// with the largest row sum for |W_ii|. A fixed point of (3) is Coulomb's law. Inside a medium W_ii is a multiple of the identity, and (3)
// with omega = 1 solves the contact; elsewhere |W_ii| is a bound, and the contact converges over several sweeps.
//
// Threads process runs of contacts that share nothing. Runs and colours depend on the problem alone: the same bits for any number of
// threads.
#include "friction/global/node_rows.h"

#include "core/simd.h"
#include "friction/law.h"
#include "friction/sparse_part.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static const double ROOT_6 = 0.40824829046386302, ROOT_12 = 0.28867513459481287;  // 1/sqrt(6), 1/sqrt(12)

bool cps_node_rows_fit(const CpsProblem* p) {
  return p->sparse && p->sparse->inverse && p->factors.H == p->factors.Y;
}

// Finds g if the 6 x 3 rows are those of a tensor; false: they are not.
static bool find_gradient(const double* A, double* g) {
  const double x = 2.0 * A[3], y = -2.0 * A[4], z = 2.0 * A[12];
  const double rows[18] = {ROOT_6 * x,   ROOT_6 * y,   ROOT_6 * z,        0.5 * x, -0.5 * y, 0.0,
                           -ROOT_12 * x, -ROOT_12 * y, 2.0 * ROOT_12 * z, 0.5 * y, 0.5 * x,  0.0,
                           0.5 * z,      0.0,          0.5 * x,           0.0,     0.5 * z,  0.5 * y};
  for (int k = 0; k < 18; ++k) {
    if (A[k] != rows[k]) return false;
  }
  g[0] = x, g[1] = y, g[2] = z;
  return true;
}

static bool is_tensor(const CpsProblem* p, int32_t i) {
  const CpsSparsePart* s = p->sparse;
  double g[3];
  if (cps_contact_dim(p, i) != 6 || p->factors.contact_start[i + 1] > p->factors.contact_start[i]) return false;
  for (int64_t t = s->node_start[i]; t < s->node_start[i + 1]; ++t) {
    if (!find_gradient(s->A + s->at[t], g)) return false;
  }
  return true;
}

static void pack(CpsNodeRows* x, int32_t i) {
  const CpsProblem* p = x->problem;
  const CpsSparsePart* s = p->sparse;
  double* row = x->row + x->row_start[i];
  for (int64_t t = s->node_start[i]; t < s->node_start[i + 1]; ++t) {
    const double* A = s->A + s->at[t];
    const double by = sqrt(s->inverse[s->node[t]]);
    int count = 3 * cps_contact_dim(p, i);
    if (x->is_tensor[i]) {
      (void)find_gradient(A, row);
      A = row;
      count = 3;
    }
    for (int k = 0; k < count; ++k) row[k] = by * A[k];
    row += count;
  }
  const double* W = cps_contact_W(p, i);
  const int d = cps_contact_dim(p, i);
  double most = 0.0;
  for (int a = 0; a < d; ++a) {
    double sum = 0.0;
    for (int c = 0; c < d; ++c) sum += fabs(W[a * d + c]);
    most = fmax(most, sum);
  }
  x->step[i] = most > 0.0 ? 1.0 / most : 0.0;
}

static void pack_range(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  for (int64_t i = first; i < last; ++i) pack(data, (int32_t)i);
}

// Contacts by their first node, so that those of a run are neighbours; those with bodies come last, because bodies couple them all.
static bool order_contacts(CpsNodeRows* x, CpsArena* arena) {
  const CpsProblem* p = x->problem;
  const CpsSparsePart* s = p->sparse;
  int32_t* start = CPS_TAKE_ZERO(arena, int32_t, (int64_t)s->node_count + 2);
  if (!start) return false;
  for (int pass = 0; pass < 2; ++pass) {
    for (int32_t i = 0; i < p->contact_count; ++i) {
      int32_t least = s->node_count;
      const bool alone = p->factors.contact_start[i] == p->factors.contact_start[i + 1];
      for (int64_t t = s->node_start[i]; alone && t < s->node_start[i + 1]; ++t) {
        if (s->node[t] < least) least = s->node[t];
      }
      if (pass == 0) start[least + 1]++;
      if (pass == 1) x->contact[start[least]++] = i;
    }
    for (int32_t k = 0; pass == 0 && k <= s->node_count; ++k) start[k + 1] += start[k];
  }
  return true;
}

static int32_t run_end(const CpsNodeRows* x, int32_t k) {
  const int64_t end = ((int64_t)k + 1) * CPS_NODE_RUN;
  return end < x->problem->contact_count ? (int32_t)end : x->problem->contact_count;
}

// Colours already given at the nodes and bodies of a run, as bits; adds those of `mine`.
static uint64_t colours_at(const CpsNodeRows* x, int32_t run, uint64_t mine, uint64_t* used) {
  const CpsSparsePart* s = x->problem->sparse;
  const CpsFactors* F = &x->problem->factors;
  uint64_t taken = 0;
  for (int32_t k = run * CPS_NODE_RUN; k < run_end(x, run); ++k) {
    const int32_t i = x->contact[k];
    for (int64_t t = s->node_start[i]; t < s->node_start[i + 1]; ++t) {
      taken |= used[s->node[t]];
      used[s->node[t]] |= mine;
    }
    for (int64_t t = F->contact_start[i]; t < F->contact_start[i + 1]; ++t) {
      taken |= used[s->node_count + F->body[t]];
      used[s->node_count + F->body[t]] |= mine;
    }
  }
  return taken;
}

// Greedy: the first colour that no earlier run has at a node or body of this one; once 64 are taken, a new one.
static bool colour_runs(CpsNodeRows* x, CpsArena* arena) {
  enum { BITS = 64 };
  const int64_t places = (int64_t)x->problem->sparse->node_count + x->problem->factors.body_count;
  x->run_count = (int32_t)(((int64_t)x->problem->contact_count + CPS_NODE_RUN - 1) / CPS_NODE_RUN);
  x->colour_start = CPS_TAKE(arena, int32_t, (int64_t)x->run_count + 1);
  x->run = CPS_TAKE(arena, int32_t, x->run_count);
  const CpsArenaMark mark = cps_arena_mark(arena);
  uint64_t* used = CPS_TAKE_ZERO(arena, uint64_t, places);
  int32_t* colour = CPS_TAKE(arena, int32_t, x->run_count);
  if (!x->colour_start || !x->run || !used || !colour) return false;
  x->colour_count = 0;
  for (int32_t k = 0; k < x->run_count; ++k) {
    const uint64_t taken = colours_at(x, k, 0, used);
    colour[k] = 0;
    while (colour[k] < BITS && taken >> colour[k] & 1) colour[k]++;
    if (colour[k] == BITS) colour[k] = x->colour_count;
    if (colour[k] < BITS) (void)colours_at(x, k, (uint64_t)1 << colour[k], used);
    if (colour[k] == x->colour_count) x->colour_count++;
  }
  int32_t at = 0;
  for (int32_t c = 0; c < x->colour_count; ++c) {
    x->colour_start[c] = at;
    for (int32_t k = 0; k < x->run_count; ++k) {
      if (colour[k] == c) x->run[at++] = k;
    }
  }
  x->colour_start[x->colour_count] = at;
  cps_arena_release(arena, mark);
  return true;
}

bool cps_node_rows_create(CpsSolve* solve, const double* r, CpsNodeRows* x) {
  const CpsProblem* p = solve->problem;
  const CpsSparsePart* s = p->sparse;
  const int64_t n = p->contact_count;
  *x = (CpsNodeRows){.problem = p};
  if (solve->options->method == CPS_METHOD_GS && solve->options->local == CPS_LOCAL_PYRAMID) {
    x->facets = solve->options->facet_kind == CPS_FACETS_OUTER ? CPS_NODE_OUTER : CPS_NODE_INNER;
  }
  x->contact = CPS_TAKE(solve->arena, int32_t, n);
  x->is_tensor = CPS_TAKE(solve->arena, bool, n);
  x->row_start = CPS_TAKE(solve->arena, int64_t, n + 1);
  x->step = CPS_TAKE(solve->arena, double, n);
  x->v_count = 4 * (int64_t)s->node_count + p->factors.body_offset[p->factors.body_count];
  x->v = CPS_TAKE(solve->arena, double, x->v_count);
  if (!x->contact || !x->is_tensor || !x->row_start || !x->step || !x->v) return false;
  x->row_start[0] = 0;
  for (int32_t i = 0; i < n; ++i) {
    x->is_tensor[i] = is_tensor(p, i);
    const int64_t terms = s->node_start[i + 1] - s->node_start[i];
    x->row_start[i + 1] = x->row_start[i] + 3 * terms * (x->is_tensor[i] ? 1 : cps_contact_dim(p, i));
  }
  x->row = CPS_TAKE(solve->arena, double, x->row_start[n]);
  if (!x->row || !order_contacts(x, solve->arena) || !colour_runs(x, solve->arena)) return false;
  cps_pool_run(solve->pool, n, pack_range, x);
  cps_node_rows_refresh(x, solve->pool, r);
  return true;
}

// Four numbers at any position in an array.
typedef double Double4 __attribute__((vector_size(32), aligned(8), may_alias));

// (2): u = chi^-1(sym L)
static inline void tensor_velocity(const CpsNodeRows* x, int32_t i, double* u) {
  const CpsSparsePart* s = x->problem->sparse;
  const double* g = x->row + x->row_start[i];
  CpsVec4 X = {0}, Y = {0}, Z = {0};  // columns of L
  for (int64_t t = s->node_start[i]; t < s->node_start[i + 1]; ++t, g += 3) {
    const CpsVec4 v = *(const Double4*)(x->v + 4 * (int64_t)s->node[t]);
    X += v * g[0];
    Y += v * g[1];
    Z += v * g[2];
  }
  u[0] = ROOT_6 * (X[0] + Y[1] + Z[2]);
  u[1] = 0.5 * (X[0] - Y[1]);
  u[2] = ROOT_12 * (2.0 * Z[2] - X[0] - Y[1]);
  u[3] = 0.5 * (Y[0] + X[1]);
  u[4] = 0.5 * (Z[0] + X[2]);
  u[5] = 0.5 * (Z[1] + Y[2]);
}

// (2): v += chi(q)/2 g
static inline void tensor_push(CpsNodeRows* x, int32_t i, const double* q) {
  const CpsSparsePart* s = x->problem->sparse;
  const double* g = x->row + x->row_start[i];
  const double mean = ROOT_6 * q[0], one = 0.5 * q[1], two = ROOT_12 * q[2];
  const double xy = 0.5 * q[3], xz = 0.5 * q[4], yz = 0.5 * q[5];
  const CpsVec4 X = {mean + one - two, xy, xz, 0.0}, Y = {xy, mean - one - two, yz, 0.0},
                Z = {xz, yz, mean + 2.0 * two, 0.0};
  for (int64_t t = s->node_start[i]; t < s->node_start[i + 1]; ++t, g += 3) {
    Double4* v = (Double4*)(x->v + 4 * (int64_t)s->node[t]);
    *v += X * g[0] + Y * g[1] + Z * g[2];
  }
}

// (1) of contacts with bodies or other rows
static void rows_velocity(const CpsNodeRows* x, int32_t i, double* u) {
  const CpsProblem* p = x->problem;
  const CpsSparsePart* s = p->sparse;
  const CpsFactors* F = &p->factors;
  const int d = cps_contact_dim(p, i);
  const double* A = x->row + x->row_start[i];
  for (int a = 0; a < d; ++a) u[a] = 0.0;
  for (int64_t t = s->node_start[i]; t < s->node_start[i + 1]; ++t, A += 3 * (int64_t)d) {
    const double* v = x->v + 4 * (int64_t)s->node[t];
    for (int a = 0; a < d; ++a) u[a] += A[3 * a] * v[0] + A[3 * a + 1] * v[1] + A[3 * a + 2] * v[2];
  }
  for (int64_t t = F->contact_start[i]; t < F->contact_start[i + 1]; ++t) {
    const int32_t m = F->body_dofs[F->body[t]];
    const double *H = F->H + cps_term_at(F, t), *v = x->v + 4 * (int64_t)s->node_count + F->body_offset[F->body[t]];
    for (int a = 0; a < d; ++a) {
      for (int32_t c = 0; c < m; ++c) u[a] += H[a * m + c] * v[c];
    }
  }
}

static void rows_push(CpsNodeRows* x, int32_t i, const double* q) {
  const CpsProblem* p = x->problem;
  const CpsSparsePart* s = p->sparse;
  const CpsFactors* F = &p->factors;
  const int d = cps_contact_dim(p, i);
  const double* A = x->row + x->row_start[i];
  for (int64_t t = s->node_start[i]; t < s->node_start[i + 1]; ++t, A += 3 * (int64_t)d) {
    double* v = x->v + 4 * (int64_t)s->node[t];
    for (int a = 0; a < d; ++a) {
      for (int c = 0; c < 3; ++c) v[c] += A[3 * a + c] * q[a];
    }
  }
  for (int64_t t = F->contact_start[i]; t < F->contact_start[i + 1]; ++t) {
    const int32_t m = F->body_dofs[F->body[t]];
    const double* H = F->H + cps_term_at(F, t);
    double* v = x->v + 4 * (int64_t)s->node_count + F->body_offset[F->body[t]];
    for (int a = 0; a < d; ++a) {
      for (int32_t c = 0; c < m; ++c) v[c] += H[a * m + c] * q[a];
    }
  }
}

static inline void velocity(const CpsNodeRows* x, int32_t i, double* u) {
  const CpsProblem* p = x->problem;
  if (x->is_tensor[i]) {
    tensor_velocity(x, i, u);
  } else {
    rows_velocity(x, i, u);
  }
  for (int a = 0; a < cps_contact_dim(p, i); ++a) u[a] += p->b[p->offset[i] + a];
}

static inline void push(CpsNodeRows* x, int32_t i, const double* q) {
  if (x->is_tensor[i]) {
    tensor_push(x, i, q);
  } else {
    rows_push(x, i, q);
  }
}

// A box along the axes, around or inside the disc of (3).
static void clip(int d, CpsNodeFacets facets, double limit, double* next) {
  const double most = facets == CPS_NODE_OUTER ? limit : limit / sqrt(d - 1.0);
  for (int a = 1; a < d; ++a) next[a] = fmin(most, fmax(-most, next[a]));
}

// (3): the new r of contact i
static inline void improve(const CpsNodeRows* x, int32_t i, double w, const double* u, const double* r, double* next) {
  const CpsProblem* p = x->problem;
  const int d = cps_contact_dim(p, i);
  double square = 0.0;
  for (int a = 0; a < d; ++a) next[a] = p->law[i] == CPS_LAW_FREE ? 0.0 : r[a] - w * u[a];
  if (p->law[i] == CPS_LAW_CONVEX) cps_law_project_cone(d, p->mu[i], next);
  if (p->law[i] != CPS_LAW_COULOMB) return;
  for (int a = 1; a < d; ++a) square += next[a] * next[a];
  const double limit = p->mu[i] * next[0];
  if (!(next[0] > 0.0)) {
    for (int a = 0; a < d; ++a) next[a] = 0.0;
  } else if (x->facets != CPS_NODE_NO_FACETS) {
    clip(d, x->facets, limit, next);
  } else if (square > limit * limit) {
    const double scale = limit / sqrt(square);
    for (int a = 1; a < d; ++a) next[a] *= scale;
  }
}

typedef struct Work {
  CpsNodeRows* rows;
  double omega;
  double* r;
  const double* given;
  int32_t first;  // first run of the current colour
} Work;

CPS_HOT static void sweep_runs(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const Work* work = data;
  CpsNodeRows* x = work->rows;
  const CpsProblem* p = x->problem;
  for (int64_t k = first; k < last; ++k) {
    const int32_t run = x->run[work->first + k], end = run_end(x, run);
    for (int32_t q = run * CPS_NODE_RUN; q < end; ++q) {
      const int32_t i = x->contact[q];
      double u[CPS_DIM_MAX], next[CPS_DIM_MAX], *r = work->r + p->offset[i], change = 0.0;
      velocity(x, i, u);
      improve(x, i, work->omega * x->step[i], u, r, next);
      for (int a = 0; a < cps_contact_dim(p, i); ++a) {
        const double now = next[a];
        next[a] -= r[a];
        r[a] = now;
        change += fabs(next[a]);
      }
      if (change != 0.0) push(x, i, next);
    }
  }
}

static void push_runs(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const Work* work = data;
  CpsNodeRows* x = work->rows;
  for (int64_t k = first; k < last; ++k) {
    const int32_t run = x->run[work->first + k], end = run_end(x, run);
    for (int32_t q = run * CPS_NODE_RUN; q < end; ++q) {
      push(x, x->contact[q], work->given + x->problem->offset[x->contact[q]]);
    }
  }
}

static void each_colour(CpsNodeRows* x, CpsPool* pool, CpsPoolFn fn, Work* work) {
  for (int32_t c = 0; c < x->colour_count; ++c) {
    work->first = x->colour_start[c];
    cps_pool_run(pool, x->colour_start[c + 1] - x->colour_start[c], fn, work);
  }
}

void cps_node_rows_refresh(CpsNodeRows* x, CpsPool* pool, const double* r) {
  Work work = {.rows = x, .given = r};
  memset(x->v, 0, (size_t)x->v_count * sizeof *x->v);
  each_colour(x, pool, push_runs, &work);
}

void cps_node_rows_sweep(CpsNodeRows* x, CpsPool* pool, double omega, double* r) {
  Work work = {.rows = x, .omega = omega, .r = r};
  each_colour(x, pool, sweep_runs, &work);
}

CPS_HOT static void velocity_range(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const Work* work = data;
  for (int64_t i = first; i < last; ++i) {
    velocity(work->rows, (int32_t)i, work->r + work->rows->problem->offset[i]);
  }
}

void cps_node_rows_velocities(CpsNodeRows* x, CpsPool* pool, double* u) {
  Work work = {.rows = x, .r = u};
  cps_pool_run(pool, x->problem->contact_count, velocity_range, &work);
}
