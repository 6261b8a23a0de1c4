// Rigid bodies: building the fast form of a problem, and products with H and H^T.
//
//   W_ii = sum_B H_iB H_iB^T                                                                                       (1)
//   xi_i = 3 / tr W_ii                                                                                             (2)
//
// One pass over H computes all data derived from W_ii. A NaN or infinity anywhere in H_i, or an overflow, shows in tr
// W_ii, which is a sum of squares; so checking H needs no extra pass.
#include "friction/rigid.h"

#include "friction/build.h"

#include <math.h>
#include <string.h>

// Minimum contacts per thread: below, distributing the work costs more.
enum { FEW = 1000 };

static bool indices_fit(const CpsProblem* p, const CpsFactoredForm* form) {
  if (p->dim != 3 || form->H != form->Y || form->body_count < 0 || (form->body_count > 0 && !form->body_dofs) ||
      !form->contact_start || form->contact_start[0] != 0) {
    return false;
  }
  bool good = true;
  for (int32_t body = 0; body < form->body_count; ++body) good &= form->body_dofs[body] == CPS_RIGID_DOFS;
  for (int32_t i = 0; i < p->contact_count; ++i) {
    int64_t count = form->contact_start[i + 1] - form->contact_start[i];
    good &= count >= 0 && count <= 2;
  }
  if (!good) return false;
  int64_t terms = form->contact_start[p->contact_count];
  if (terms > INT32_MAX || (terms > 0 && (!form->body || !form->H))) return false;
  for (int64_t t = 0; t < terms; ++t) good &= form->body[t] >= 0 && form->body[t] < form->body_count;
  for (int32_t i = 0; i < p->contact_count; ++i) {
    int64_t first = form->contact_start[i];
    good &= form->contact_start[i + 1] - first < 2 || form->body[first] != form->body[first + 1];
  }
  return good;
}

static bool take_arrays(CpsProblem* p, const CpsFactoredForm* form, int64_t terms, bool borrow) {
  CpsFactors* F = &p->factors;
  CpsArena* arena = &p->arena;
  int64_t bodies = form->body_count, n = p->contact_count;
  F->body_count = form->body_count;
  F->body_dofs = CPS_TAKE(arena, int32_t, bodies);
  F->body_offset = CPS_TAKE(arena, int64_t, bodies + 1);
  F->contact_start = borrow ? (int64_t*)form->contact_start : CPS_TAKE(arena, int64_t, n + 1);
  F->body = borrow ? (int32_t*)form->body : CPS_TAKE(arena, int32_t, terms);
  F->at = NULL;
  F->H = F->Y = borrow ? (double*)form->H : CPS_TAKE(arena, double, CPS_RIGID_TERM* terms);
  F->body_start = CPS_TAKE(arena, int64_t, bodies + 2);
  F->body_term = CPS_TAKE(arena, int32_t, terms);
  F->term_contact = CPS_TAKE(arena, int32_t, terms);
  F->block = CPS_TAKE(arena, CpsStickBlock, n);
  return F->body_dofs && F->body_offset && F->contact_start && (terms == 0 || (F->body && F->H)) && F->body_start &&
         F->body_term && F->term_contact && F->block;
}

bool cps_rigid_fill(CpsProblem* p, const CpsFactoredForm* form, bool borrow) {
  if (!indices_fit(p, form)) return false;
  CpsFactors* F = &p->factors;
  int64_t n = p->contact_count, terms = form->contact_start[n];
  int32_t* pair = CPS_TAKE(&p->arena, int32_t, 2 * n);
  if (!pair || !take_arrays(p, form, terms, borrow)) return false;
  for (int32_t body = 0; body < form->body_count; ++body) F->body_dofs[body] = CPS_RIGID_DOFS;
  for (int64_t body = 0; body <= form->body_count; ++body) F->body_offset[body] = CPS_RIGID_SLOT * body;
  if (!borrow) memcpy(F->contact_start, form->contact_start, ((size_t)n + 1) * sizeof(int64_t));
  if (terms > 0 && !borrow) memcpy(F->body, form->body, (size_t)terms * sizeof(int32_t));
  if (terms > 0 && !borrow) memcpy(F->H, form->H, (size_t)(CPS_RIGID_TERM * terms) * sizeof(double));
  for (int64_t i = 0; i < n; ++i) {
    int64_t first = F->contact_start[i], count = F->contact_start[i + 1] - first;
    pair[2 * i] = count > 0 ? F->body[first] : -1;
    pair[2 * i + 1] = count > 1 ? F->body[first + 1] : -1;
  }
  F->pair = pair;
  p->dof_count = CPS_RIGID_DOFS * (int64_t)form->body_count;
  cps_build_index_bodies(p);
  return true;
}

// (1), the upper triangle: (0,0), (0,1), (0,2), (1,1), (1,2), (2,2)
static inline void gram(const double* H, int64_t terms, double* W) {
  CpsVec4 s[6] = {{0}};
  CpsVec2 t[6] = {{0}};
  for (int64_t k = 0; k < terms; ++k, H += CPS_RIGID_TERM) {
    CpsVec4 a = CPS_LOAD4(H), b = CPS_LOAD4(H + 6), c = CPS_LOAD4(H + 12);
    CpsVec2 d = CPS_LOAD2(H + 4), e = CPS_LOAD2(H + 10), f = CPS_LOAD2(H + 16);
    s[0] += a * a, s[1] += a * b, s[2] += a * c, s[3] += b * b, s[4] += b * c, s[5] += c * c;
    t[0] += d * d, t[1] += d * e, t[2] += d * f, t[3] += e * e, t[4] += e * f, t[5] += f * f;
  }
  for (int k = 0; k < 6; ++k) W[k] = cps_rigid_sum(&s[k], &t[k]);
}

typedef struct Completion {
  CpsProblem* problem;
  bool bad[64], zero[64];  // of each worker: a value is not finite; a trace vanishes
} Completion;

CPS_HOT static void complete_range(void* data, int64_t first, int64_t last, int worker) {
  Completion* work = data;
  CpsProblem* p = work->problem;
  const CpsFactors* F = &p->factors;
  double finite = 0.0;
  bool zero = false;
  for (int64_t i = first; i < last; ++i) {
    double W[6], *diag = p->diag + 9 * i;
    int64_t start = F->contact_start[i];
    gram(F->H + CPS_RIGID_TERM * start, F->contact_start[i + 1] - start, W);
    double trace = W[0] + W[3] + W[5];
    finite += 0.0 * trace;
    diag[0] = W[0], diag[1] = diag[3] = W[1], diag[2] = diag[6] = W[2];
    diag[4] = W[3], diag[5] = diag[7] = W[4], diag[8] = W[5];
    F->block[i] = cps_stick_block(W, trace);
    p->xi[i] = 3.0 / trace;
    zero |= !(p->xi[i] < INFINITY);
  }
  work->bad[worker] |= !(finite == 0.0);
  work->zero[worker] |= zero;
}

bool cps_rigid_complete(CpsProblem* p, CpsPool* pool) {
  Completion work = {.problem = p};
  if (p->contact_count < FEW || cps_pool_threads(pool) > 64) pool = NULL;
  cps_pool_run(pool, p->contact_count, complete_range, &work);
  bool zero = false;
  for (int k = 0; k < 64; ++k) {
    if (work.bad[k]) return false;
    zero = zero || work.zero[k];
  }
  if (zero) cps_build_fill_xi(p);
  return true;
}

// Separate from its caller: the shared library would export a function with two versions.
CPS_HOT static void scatter_all(const CpsFactors* F, int64_t count, const double* r, double* v) {
  for (int64_t i = 0; i < count; ++i) cps_rigid_scatter(F, i, r[3 * i], r[3 * i + 1], r[3 * i + 2], v);
}

void cps_rigid_push(const CpsProblem* problem, const double* r, double* v) {
  const CpsFactors* F = &problem->factors;
  memset(v, 0, (size_t)F->body_offset[F->body_count] * sizeof *v);
  scatter_all(F, problem->contact_count, r, v);
}

typedef struct Velocity {
  const CpsProblem* problem;
  const double* v;
  const double* b;  // NULL: zero
  double* u;
} Velocity;

CPS_HOT static void velocity_range(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const Velocity* work = data;
  const CpsFactors* F = &work->problem->factors;
  const double* b = work->b;
  for (int64_t i = first; i < last; ++i) {
    double* u = work->u + 3 * i;
    cps_rigid_gather(F, i, work->v, u);
    for (int k = 0; b && k < 3; ++k) u[k] += b[3 * i + k];
  }
}

void cps_rigid_velocity(const CpsProblem* problem, CpsPool* pool, const double* v, const double* b, double* u) {
  Velocity work = {problem, v, b, u};
  cps_pool_run(problem->contact_count < FEW ? NULL : pool, problem->contact_count, velocity_range, &work);
}
