// The Gauss-Seidel update of one contact between rigid bodies, written out.
//
// (1) and (2) of stick.h decide take-off and sticking at u_i = H_i v + b_i; other contacts slide and are solved by the
// enumeration (local/enum.c). A sweep reads H once and writes v only if an impulse changed.
//
// The change of an impulse bounds the error of its contact: with xi = 3 / tr W_ii, e_i <= (5 + 3 mu) ||change||.
#include "friction/global/gs_rigid.h"

#include "core/error.h"
#include "friction/rigid.h"
#include "friction/slip.h"

#include <math.h>
#include <string.h>

bool cps_gs_rigid_fits(const CpsProblem* problem, CpsLocal local) {
  return problem->factors.pair && problem->all_coulomb && local == CPS_LOCAL_ENUM;
}

CpsStatus cps_gs_rigid_prepare(CpsSolve* solve, bool parallel, CpsGsLoop* loop) {
  const CpsProblem* p = solve->problem;
  const CpsSolveOptions* o = solve->options;
  loop->gs = (CpsGs){.problem = p, .local = cps_local_solver(CPS_LOCAL_ENUM)};
  loop->gs.settings = cps_gs_settings(o);
  loop->gs.v = CPS_TAKE(solve->arena, double, p->factors.body_offset[p->factors.body_count]);
  if (!parallel) cps_domains_one(p, loop->one, &loop->domains);
  if (!loop->gs.v || (parallel && !cps_domains_make(p, solve->arena, &loop->domains))) {
    return cps_fail(solve->error, CPS_NO_MEMORY, "not enough memory for Gauss-Seidel");
  }
  // the first guess was measured, and its v is still valid
  if (solve->v_is_best && memcmp(loop->r, solve->best_r, (size_t)p->row_count * sizeof(double)) == 0) {
    memcpy(loop->gs.v, solve->v_scratch, (size_t)p->factors.body_offset[p->factors.body_count] * sizeof(double));
  } else {
    cps_gs_rigid_refresh(loop);
  }
  return CPS_OK;
}

// Runs `fn` on the lists of both phases.
static void run_lists(CpsGsLoop* loop, const CpsDomains* lists, CpsPoolFn fn) {
  int32_t count = lists->count;
  loop->lists = lists;
  loop->phase = 0;
  cps_pool_run(loop->pool, count, fn, loop);
  loop->phase = count;
  cps_pool_run(loop->pool, count - 1, fn, loop);
}

CPS_HOT static void push_lists(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const CpsGsLoop* loop = data;
  const int32_t *start = loop->lists->start + loop->phase, *contact = loop->lists->contact;
  for (int32_t k = start[first]; k < start[last]; ++k) {
    int64_t i = contact[k];
    const double* r = loop->r + 3 * i;
    cps_rigid_scatter(&loop->gs.problem->factors, i, r[0], r[1], r[2], loop->gs.v);
  }
}

void cps_gs_rigid_refresh(CpsGsLoop* loop) {
  const CpsFactors* F = &loop->gs.problem->factors;
  if (!loop->domains.contact) {
    cps_rigid_push(loop->gs.problem, loop->r, loop->gs.v);
    return;
  }
  memset(loop->gs.v, 0, (size_t)F->body_offset[F->body_count] * sizeof(double));
  run_lists(loop, &loop->domains, push_lists);
}

// A contact that neither takes off nor sticks, or with a badly conditioned W_ii.
static void enumerate(const CpsGsLoop* loop, int32_t i, const double* u, double* r, CpsGsCounts* counts) {
  const CpsProblem* p = loop->gs.problem;
  const double* W = p->diag + 9 * (int64_t)i;
  double b[3];
  for (int a = 0; a < 3; ++a) b[a] = u[a] - (W[3 * a] * r[0] + W[3 * a + 1] * r[1] + W[3 * a + 2] * r[2]);
  CpsLocalProblem one = {.dim = 3, .law = CPS_LAW_COULOMB, .mu = p->mu[i], .xi = p->xi[i], .W = W, .b = b};
  CpsLocalResult result = cps_local_enum.solve(&one, NULL, &loop->gs.settings, r);
  if (result == CPS_LOCAL_SOLVED) return;
  counts->failures++;
  counts->unsolved++;
  counts->certificates += result == CPS_LOCAL_NO_SOLUTION && cps_contact_is_isolated(p, i);
}

// A contact that opened loses its momentum (momentum.h).
static inline void forget(CpsMomentum* momentum, const CpsFactors* F, int64_t i) {
  double* last = momentum->last_r + 3 * i;
  if (last[0] == 0.0 && last[1] == 0.0 && last[2] == 0.0) return;
  cps_rigid_scatter(F, i, -last[0], -last[1], -last[2], momentum->last_v);
  last[0] = last[1] = last[2] = 0.0;
}

CPS_HOT static void sweep_lists(void* data, int64_t first, int64_t last, int worker_index) {
  CpsGsLoop* loop = data;
  const CpsProblem* p = loop->gs.problem;
  const CpsFactors* F = &p->factors;
  CpsGsWorker* worker = &loop->worker[worker_index];
  const int32_t *start = loop->lists->start + loop->phase, *contact = loop->lists->contact;
  double worst = worker->worst * worker->worst, small2 = loop->small * loop->small;
  for (int32_t k = start[first]; k < start[last]; ++k) {
    int32_t i = contact ? contact[k] : k;
    if (loop->rest[i] > 0) {
      loop->rest[i]--;
      continue;
    }
    double u[3], *r = loop->r + 3 * (int64_t)i;
    const double old[3] = {r[0], r[1], r[2]}, *b = p->b + 3 * (int64_t)i;
    cps_rigid_gather(F, i, loop->gs.v, u);
    for (int a = 0; a < 3; ++a) u[a] += b[a];
    worker->counts.calls++;
    // with few contacts, pay for the last digit of the enumeration: near the limit of sticking it decides what creeps
    if (!cps_stick_or_release(&F->block[i], p->mu[i], u, r) &&
        !(loop->momentum.problem && cps_slip(&F->block[i], p->mu[i], u, r))) {
      enumerate(loop, i, u, r, &worker->counts);
    }
    double d0 = r[0] - old[0], d1 = r[1] - old[1], d2 = r[2] - old[2], change2 = d0 * d0 + d1 * d1 + d2 * d2;
    if (change2 > 0.0) cps_rigid_scatter(F, i, d0, d1, d2, loop->gs.v);
    if (r[0] == 0.0 && loop->momentum.problem) forget(&loop->momentum, F, i);
    // NaN counts as infinite, so the maximum does not depend on the order
    if (!(change2 <= worst)) worst = change2 > worst ? change2 : INFINITY;
    if (loop->freeze && (change2 <= small2 || r[0] * r[0] + r[1] * r[1] + r[2] * r[2] <= small2)) {
      loop->rest[i] = CPS_GS_REST;
    }
  }
  worker->worst = sqrt(worst);
}

void cps_gs_rigid_sweep(CpsGsLoop* loop) {
  run_lists(loop, loop->spots.lists.count > 0 ? &loop->spots.lists : &loop->domains, sweep_lists);
}
