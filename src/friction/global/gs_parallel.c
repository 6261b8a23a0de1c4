// `gs-parallel`: block Gauss-Seidel by colours, several contacts at once.
//
//   for each colour c:   for all contacts i of c at once:
//       r_i <- solution of  u_i = W_ii r_i + (b_i + sum_{j != i} W_ij r_j),  (u_i, r_i) in the law              (1)
//
// Contacts of one colour are not coupled (colouring.h): none reads an impulse, or without W a body velocity, that
// another one writes. So the sweep is an ordinary Gauss-Seidel sweep in the order of the colours, and its result is the
// same bits for any number of threads, one included. Only maxima are taken over contacts, and those do not depend on
// the order. Freezing (Daviet et al. 2011, section 6.2), the estimate of the error and the fail-safe are those of gs.c.
//
// Not guaranteed: convergence, and that it takes as many sweeps as `gs`; the order of the contacts matters. A body that
// most contacts share makes as many colours as it has contacts, and then nothing runs at once.
#include "core/error.h"
#include "friction/global/colouring.h"
#include "friction/global/gs_sweep.h"
#include "friction/law.h"
#include "friction/residual.h"

#include <math.h>

// Sweeps after which the residual is measured whatever the estimate says.
enum { MEASURE_EVERY = 20 };
// Contacts below which a loop stays in the calling thread: handing it out costs about as much as ten updates.
enum { FEW = 32 };

// What each worker keeps for itself, on cache lines of its own.
typedef struct Worker {
  _Alignas(64) CpsGsCounts counts;
  double worst;  // largest error seen before an update, in impulse units
} Worker;

typedef struct Sweep {
  CpsGs gs;
  CpsPool* pool;
  CpsColouring colouring;
  int32_t* awake;  // contacts of the colour at work that do not rest
  Worker* worker;
  bool freeze;
  double small;   // impulses and changes below are not seen at the tolerance asked for
  int32_t* rest;  // sweeps that each contact still sits out
  double* r;
  double* u;
} Sweep;

static void run_loop(Sweep* sweep, int64_t count, CpsPoolFn fn) {
  cps_pool_run(count < FEW ? NULL : sweep->pool, count, fn, sweep);
}

static void update_contacts(void* data, int64_t first, int64_t last, int worker_index) {
  Sweep* sweep = data;
  const CpsProblem* p = sweep->gs.problem;
  Worker* worker = &sweep->worker[worker_index];
  double worst = worker->worst;
  for (int64_t k = first; k < last; k++) {
    int32_t i = sweep->awake[k];
    int d = cps_contact_dim(p, i);
    double u[CPS_DIM_MAX], old[CPS_DIM_MAX], norm2 = 0.0;
    double* r_i = sweep->r + p->offset[i];
    for (int a = 0; a < d; a++) old[a] = r_i[a];
    double change = cps_gs_update(&sweep->gs, i, sweep->r, u, &worker->counts);
    double error = cps_law_error((CpsLaw)p->law[i], d, p->mu[i], p->xi[i], old, u);
    // NaN counts as infinite, so that the maximum does not depend on the order
    if (!(error <= worst)) worst = error > worst ? error : INFINITY;
    for (int a = 0; a < d; a++) norm2 += r_i[a] * r_i[a];
    // settled, or weak
    if (sweep->freeze && (change <= sweep->small || sqrt(norm2) <= sweep->small)) sweep->rest[i] = CPS_GS_REST;
  }
  worker->worst = worst;
}

// Lists the contacts of a colour that are to be updated, so that the threads share them evenly; the others rest on.
static int64_t wake(Sweep* sweep, int32_t colour) {
  int64_t count = 0;
  for (int32_t k = sweep->colouring.start[colour]; k < sweep->colouring.start[colour + 1]; k++) {
    int32_t i = sweep->colouring.contact[k];
    if (sweep->rest[i] > 0) {
      sweep->rest[i]--;
    } else {
      sweep->awake[count++] = i;
    }
  }
  return count;
}

// One sweep over all colours; returns the largest error seen before an update.
static double sweep_colours(Sweep* sweep) {
  int threads = cps_pool_threads(sweep->pool);
  for (int k = 0; k < threads; k++) sweep->worker[k].worst = 0.0;
  for (int32_t c = 0; c < sweep->colouring.count; c++) run_loop(sweep, wake(sweep, c), update_contacts);
  double worst = 0.0;
  for (int k = 0; k < threads; k++) worst = fmax(worst, sweep->worker[k].worst);
  return worst;
}

static void measure_velocities(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  Sweep* sweep = data;
  const CpsProblem* p = sweep->gs.problem;
  for (int64_t i = first; i < last; i++) {
    double* u_i = sweep->u + p->offset[i];
    if (p->has_W) {
      cps_problem_row_velocity(p, (int32_t)i, sweep->r, u_i);
    } else {
      cps_factors_velocity(p, (int32_t)i, sweep->gs.v, u_i);
      for (int a = 0; a < cps_contact_dim(p, (int32_t)i); a++) u_i[a] += p->b[p->offset[i] + a];
    }
  }
}

// Shows r to the solve, with velocities that the threads computed together.
static bool measure(CpsSolve* solve, Sweep* sweep) {
  cps_gs_refresh(&sweep->gs, sweep->r);
  run_loop(sweep, solve->problem->contact_count, measure_velocities);
  return cps_solve_check(solve, sweep->r, sweep->u, NULL);
}

static CpsStatus prepare(CpsSolve* solve, double* r, Sweep* sweep) {
  const CpsProblem* p = solve->problem;
  CpsStatus status = cps_gs_prepare(solve, r, &sweep->gs);
  if (status != CPS_OK) return status;
  sweep->pool = solve->pool;
  sweep->freeze = solve->options->freeze;
  sweep->r = r;
  sweep->worker = CPS_TAKE_ZERO(solve->arena, Worker, cps_pool_threads(solve->pool));
  sweep->rest = CPS_TAKE_ZERO(solve->arena, int32_t, p->contact_count);
  sweep->awake = CPS_TAKE(solve->arena, int32_t, p->contact_count);
  sweep->u = CPS_TAKE(solve->arena, double, p->row_count);
  if (sweep->worker == NULL || sweep->rest == NULL || sweep->awake == NULL || sweep->u == NULL ||
      !cps_colouring_make(p, solve->arena, &sweep->colouring)) {
    return cps_fail(solve->error, CPS_NO_MEMORY, "not enough memory for the colouring of the contacts");
  }
  return CPS_OK;
}

static CpsStatus run(CpsSolve* solve, double* r) {
  const CpsProblem* p = solve->problem;
  double tolerance = solve->options->tolerance;
  Sweep sweep;
  CpsStatus status = prepare(solve, r, &sweep);
  if (status != CPS_OK) return status;
  double scale = cps_residual_scale(p, r);
  bool go = true;
  for (int64_t k = 1; go; k++) {
    sweep.small = 1e-2 * tolerance * scale;
    bool near = sweep_colours(&sweep) <= tolerance * scale;
    if (!near && k % MEASURE_EVERY != 0) {
      go = cps_solve_tick(solve);
      continue;
    }
    go = measure(solve, &sweep);
    scale = cps_residual_scale(p, r);
    // what rests too early would never be seen again by the estimate
    for (int32_t i = 0; i < p->contact_count && near; i++) sweep.rest[i] = 0;
  }
  CpsGsCounts total = {0};
  for (int k = 0; k < cps_pool_threads(solve->pool); k++) {
    cps_gs_report(solve, &sweep.worker[k].counts);
    total.certificates += sweep.worker[k].counts.certificates;
  }
  solve->no_solution = p->contact_count == 1 && total.certificates > 0;
  return CPS_OK;
}

const CpsMethodEntry cps_method_gs_parallel = {
    .info = {.name = "gs-parallel",
             .summary = "block Gauss-Seidel by colours on several threads, the same bits for any number of them",
             .reference = "Daviet, Bertails-Descoubes, Boissieux 2011, Algorithm 1; colouring: Adams 2001",
             .laws = CPS_ALL_LAWS,
             .exact = true,
             .uses_local = true,
             .available = true},
    .run = run,
};
