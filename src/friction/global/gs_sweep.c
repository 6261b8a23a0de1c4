#include "friction/global/gs_sweep.h"

#include "core/error.h"
#include "friction/global/gs_packed.h"
#include "friction/law.h"
#include "sparse/dense.h"

#include <math.h>
#include <string.h>

// Loops over fewer contacts stay in the calling thread.
enum { FEW = 256 };

static CpsLocalProblem local_problem(const CpsProblem* p, int32_t i, const double* b) {
  return (CpsLocalProblem){.dim = cps_contact_dim(p, i),
                           .law = (CpsLaw)p->law[i],
                           .mu = p->mu[i],
                           .xi = p->xi[i],
                           .W = cps_contact_W(p, i),
                           .b = b};
}

typedef struct Filling {
  const CpsProblem* problem;
  const CpsLocalSolver* local;
  int stride;
  double* cache;
} Filling;

static void fill_contacts(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const Filling* work = data;
  for (int64_t i = first; i < last; ++i) {
    CpsLocalProblem one = local_problem(work->problem, (int32_t)i, NULL);
    work->local->prepare(&one, work->cache + i * work->stride);
  }
}

// Per-contact cache of one local solver, for every contact; *stride 0 and NULL if it has none.
static bool fill_cache(CpsSolve* solve, const CpsLocalSolver* local, int* stride, double** cache) {
  const CpsProblem* p = solve->problem;
  *stride = 0;
  *cache = NULL;
  if (!local->cache_size) return true;
  // a solver may cache one dimension but not a larger one
  for (int32_t i = 0; i < p->contact_count && (i == 0 || !p->dim); ++i) {
    int size = local->cache_size(cps_contact_dim(p, i));
    if (size > *stride) *stride = size;
  }
  *cache = CPS_TAKE(solve->arena, double, (int64_t)*stride * p->contact_count);
  if (!*cache) return false;
  Filling work = {p, local, *stride, *cache};
  cps_pool_run(p->contact_count < FEW ? NULL : solve->pool, p->contact_count, fill_contacts, &work);
  return true;
}

// Is the symmetric part of W_ii singular up to rounding?
static bool is_degenerate(const CpsProblem* p, int32_t i) {
  int d = cps_contact_dim(p, i);
  const double* W = cps_contact_W(p, i);
  double S[CPS_DIM_MAX * CPS_DIM_MAX], value[CPS_DIM_MAX], V[CPS_DIM_MAX * CPS_DIM_MAX];
  for (int a = 0; a < d; ++a) {
    for (int c = 0; c < d; ++c) S[a * d + c] = 0.5 * (W[a * d + c] + W[c * d + a]);
  }
  cps_dense_symmetric_eigen(d, S, value, V);
  return !(value[0] > 1e-12 * value[d - 1]);
}

static bool find_degenerate(CpsSolve* solve, const bool** degenerate) {
  const CpsProblem* p = solve->problem;
  bool* found = CPS_TAKE(solve->arena, bool, p->contact_count);
  if (!found) return false;
  for (int32_t i = 0; i < p->contact_count; ++i) found[i] = is_degenerate(p, i);
  *degenerate = found;
  return true;
}

CpsLocalSettings cps_gs_settings(const CpsSolveOptions* options) {
  return (CpsLocalSettings){.tolerance = fmax(1e-2 * fmin(options->tolerance, 1e-6), 1e-14),
                            .max_iterations = 100,
                            .facets = options->facets,
                            .facet_kind = options->facet_kind};
}

CpsStatus cps_gs_prepare(CpsSolve* solve, CpsLocal local, bool failsafe, const double* r, CpsGs* gs) {
  const CpsProblem* p = solve->problem;
  const CpsSolveOptions* o = solve->options;
  *gs = (CpsGs){.problem = p, .pool = solve->pool, .local = cps_local_solver(local)};
  gs->failsafe = failsafe && local != CPS_LOCAL_ENUM;
  gs->settings = cps_gs_settings(o);
  if (!fill_cache(solve, gs->local, &gs->cache_stride, &gs->cache) ||
      (gs->failsafe && (!fill_cache(solve, &cps_local_enum, &gs->enum_stride, &gs->enum_cache) ||
                        !find_degenerate(solve, &gs->degenerate)))) {
    return cps_fail(solve->error, CPS_NO_MEMORY, "not enough memory for Gauss-Seidel");
  }
  if (cps_gs_packed_fits(solve, gs) && !cps_gs_packed_make(solve, gs)) {
    return cps_fail(solve->error, CPS_NO_MEMORY, "not enough memory for Gauss-Seidel");
  }
  if (!p->has_W) {
    gs->v = CPS_TAKE(solve->arena, double, p->factors.body_offset[p->factors.body_count]);
    if (!gs->v) return cps_fail(solve->error, CPS_NO_MEMORY, "not enough memory for Gauss-Seidel");
    cps_gs_refresh(gs, r);
  }
  return CPS_OK;
}

void cps_gs_refresh(CpsGs* gs, const double* r) {
  const CpsProblem* p = gs->problem;
  if (p->has_W) return;
  cps_factors_push(p, gs->pool, r, gs->v);
  if (gs->packed) cps_gs_packed_refresh(gs);
}

// The enumeration, from the guess in r_i.
static CpsLocalResult enumerate(const CpsGs* gs, int32_t i, const CpsLocalProblem* one, double* r_i) {
  const double* cache = gs->enum_cache ? gs->enum_cache + (int64_t)i * gs->enum_stride : NULL;
  return cps_local_enum.solve(one, cache, &gs->settings, r_i);
}

// The local solver and, if it fails, the enumeration; if both fail, the better result is kept. A contact with singular
// W_ii goes straight to the enumeration: a Newton method may follow an impulse to infinity there, which resembles
// convergence in a relative error.
static void solve_local(const CpsGs* gs, int32_t i, const CpsLocalProblem* one, double* r_i, CpsGsCounts* counts) {
  size_t bytes = (size_t)one->dim * sizeof(double);
  double other[CPS_DIM_MAX];
  memcpy(other, r_i, bytes);
  const double* cache = gs->cache ? gs->cache + (int64_t)i * gs->cache_stride : NULL;
  bool skip = gs->degenerate && gs->degenerate[i];
  CpsLocalResult result = CPS_LOCAL_FAILED;
  counts->calls++;
  if (!skip) result = gs->local->solve(one, cache, &gs->settings, r_i);
  if (result == CPS_LOCAL_SOLVED) {
    // with a fail-safe, an answer to a faceted or diagonal law is judged by the exact law, as in 001 Table 2
    if (!gs->failsafe || gs->local->info.exact || cps_local_error(one, r_i) <= gs->settings.tolerance) return;
  }
  counts->failures += !skip;
  if (gs->failsafe) {
    counts->fallbacks++;
    result = enumerate(gs, i, one, other);
    if (result == CPS_LOCAL_SOLVED || cps_local_error(one, other) < cps_local_error(one, r_i)) {
      memcpy(r_i, other, bytes);
    }
  }
  counts->unsolved += result != CPS_LOCAL_SOLVED;
  // the impulses of other contacts may still change the velocity of this one, unless there are none
  counts->certificates += result == CPS_LOCAL_NO_SOLUTION && cps_contact_is_isolated(gs->problem, i);
}

double cps_gs_update(const CpsGs* gs, int32_t i, double* r, double* u_i, CpsGsCounts* counts) {
  if (gs->packed) return sqrt(cps_gs_packed_update(gs, i, r + 3 * (int64_t)i, u_i, counts));
  const CpsProblem* p = gs->problem;
  int d = cps_contact_dim(p, i);
  double* r_i = r + p->offset[i];
  double old[CPS_DIM_MAX], b[CPS_DIM_MAX];
  if (p->has_W) {
    cps_problem_row_velocity(p, i, r, u_i);
  } else {
    cps_factors_velocity(p, i, gs->v, u_i);
    for (int k = 0; k < d; ++k) u_i[k] += p->b[p->offset[i] + k];
  }
  // remove the contact's own impulse
  const double* W = cps_contact_W(p, i);
  for (int a = 0; a < d; ++a) {
    double own = 0.0;
    for (int c = 0; c < d; ++c) own += W[a * d + c] * r_i[c];
    b[a] = u_i[a] - own;
    old[a] = r_i[a];
  }
  CpsLocalProblem one = local_problem(p, i, b);
  solve_local(gs, i, &one, r_i, counts);
  double change[CPS_DIM_MAX], sum = 0.0;
  for (int k = 0; k < d; ++k) {
    change[k] = r_i[k] - old[k];
    sum += change[k] * change[k];
  }
  if (!p->has_W && sum > 0.0) cps_factors_add(p, i, change, gs->v);
  return sqrt(sum);
}

void cps_gs_report(CpsSolve* solve, const CpsGsCounts* counts) {
  solve->local_calls += counts->calls;
  solve->local_failures += counts->failures;
  solve->local_fallbacks += counts->fallbacks;
  solve->local_unsolved += counts->unsolved;
}
