// Block Gauss-Seidel (Daviet et al. 2011, Algorithm 1; Renouf et al. 2005, eq. 35):
//
//   for each contact i:  r_i <- solution of  u_i = W_ii r_i + (b_i + sum_{j != i} W_ij r_j),  (u_i, r_i) in the law (1)
//
// Freezing (Daviet et al. 2011, section 6): a contact with a weak or nearly constant impulse rests for a few sweeps. The sweep
// itself estimates the error: each contact's own error just before its update. The common residual costs as much as a sweep, so
// it is measured only when that estimate is near the tolerance, and at intervals.
//
// Contacts of one colour are not coupled (colouring.h): none reads an impulse, or without W a body velocity, that
// another one writes. A coloured sweep is therefore an ordinary sweep in the order of the colours, and its result has
// the same bits for any number of threads, including one. Reductions over contacts are maxima only, which do not depend
// on the order.
//
// If neighbours are numbered close to each other, runs of contacts are swept instead (runs.h), each twice before the next:
// from ten thousand contacts on a sweep is limited by memory, and the second pass finds the run in a cache.
#include "friction/global/gs_loop.h"

#include "core/error.h"
#include "friction/global/gs_packed.h"
#include "friction/global/gs_rigid.h"
#include "friction/law.h"
#include "friction/residual.h"
#include "friction/rigid.h"

#include <math.h>
#include <string.h>

// Sweeps after which the residual is measured regardless of the estimate.
enum { MEASURE_EVERY = 20 };
// Smaller loops stay in the calling thread: distributing a loop costs about as much as ten updates.
enum { FEW = 32 };

static void run_range(CpsGsLoop* loop, int64_t count, CpsPoolFn fn) {
  cps_pool_run(count < FEW ? NULL : loop->pool, count, fn, loop);
}

// For packed rows: three components.
static inline double update_packed(CpsGsLoop* loop, int32_t i, CpsGsCounts* counts) {
  double *r = loop->r + 3 * (int64_t)i, u[3], small2 = loop->small * loop->small;
  const double old[3] = {r[0], r[1], r[2]};
  double change2 = cps_gs_packed_update(&loop->gs, i, r, u, counts);
  double norm2 = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
  if (loop->freeze && (change2 <= small2 || norm2 <= small2)) loop->rest[i] = CPS_GS_REST;
  return cps_gs_packed_law_error(&loop->gs, i, old, u);
}

// Solves contact i and lets it rest if it has settled. Returns its error before the update.
static inline double update_contact(CpsGsLoop* loop, int32_t i, CpsGsCounts* counts) {
  if (loop->gs.packed) return update_packed(loop, i, counts);
  const CpsProblem* p = loop->gs.problem;
  int d = cps_contact_dim(p, i);
  double u[CPS_DIM_MAX], old[CPS_DIM_MAX], norm2 = 0.0;
  double* r_i = loop->r + p->offset[i];
  memcpy(old, r_i, (size_t)d * sizeof *old);
  double change = cps_gs_update(&loop->gs, i, loop->r, u, counts);
  for (int a = 0; a < d; ++a) norm2 += r_i[a] * r_i[a];
  if (loop->freeze && (change <= loop->small || norm2 <= loop->small * loop->small)) loop->rest[i] = CPS_GS_REST;
  return cps_law_error((CpsLaw)p->law[i], d, p->mu[i], p->xi[i], old, u);
}

// The larger of two errors; NaN counts as infinite, so the maximum does not depend on the order.
static inline double worse(double worst, double error) {
  if (error <= worst) return worst;
  return error > worst ? error : INFINITY;
}

static void update_contacts(void* data, int64_t first, int64_t last, int worker_index) {
  CpsGsLoop* loop = data;
  CpsGsWorker* worker = &loop->worker[worker_index];
  double worst = worker->worst;
  for (int64_t k = first; k < last; ++k) worst = worse(worst, update_contact(loop, loop->awake[k], &worker->counts));
  worker->worst = worst;
}

// Sweeps over runs first … last - 1 of the current colour.
static void update_runs(void* data, int64_t first, int64_t last, int worker_index) {
  CpsGsLoop* loop = data;
  CpsGsWorker* worker = &loop->worker[worker_index];
  int64_t n = loop->gs.problem->contact_count;
  double worst = worker->worst;
  for (int64_t k = first; k < last; ++k) {
    int64_t begin = (int64_t)loop->runs.run[loop->phase + k] * CPS_RUN_CONTACTS, end = begin + CPS_RUN_CONTACTS;
    if (end > n) end = n;
    for (int sweep = 0; sweep < loop->sweeps; ++sweep) {
      for (int64_t i = begin; i < end; ++i) {
        if (loop->rest[i] > 0) {
          loop->rest[i]--;
        } else {
          worst = worse(worst, update_contact(loop, (int32_t)i, &worker->counts));
        }
      }
    }
  }
  worker->worst = worst;
}

static void sweep_runs(CpsGsLoop* loop) {
  const CpsRuns* runs = &loop->runs;
  for (int32_t c = 0; c < runs->colour_count; ++c) {
    loop->phase = runs->start[c];
    cps_pool_run(loop->pool, runs->start[c + 1] - runs->start[c], update_runs, loop);
  }
}

// Lists the contacts of a colour to be updated, so that the threads share them evenly; the others rest on.
static int64_t list_awake(CpsGsLoop* loop, int32_t colour) {
  int64_t count = 0;
  for (int32_t k = loop->colouring.start[colour]; k < loop->colouring.start[colour + 1]; ++k) {
    int32_t i = loop->colouring.contact[k];
    if (loop->rest[i] > 0) {
      loop->rest[i]--;
    } else {
      loop->awake[count++] = i;
    }
  }
  return count;
}

static void sweep_colours(CpsGsLoop* loop) {
  for (int32_t c = 0; c < loop->colouring.count; ++c) run_range(loop, list_awake(loop, c), update_contacts);
}

double cps_gs_loop_sweep(CpsGsLoop* loop) {
  for (int k = 0; k < loop->workers; ++k) loop->worker[k].worst = 0.0;
  cps_momentum_begin(&loop->momentum);
  if (loop->rigid) {
    cps_gs_rigid_sweep(loop);
  } else if (loop->in_runs) {
    sweep_runs(loop);
  } else {
    sweep_colours(loop);
  }
  cps_momentum_end(&loop->momentum);
  double worst = 0.0;
  for (int k = 0; k < loop->workers; ++k) worst = fmax(worst, loop->worker[k].worst);
  return worst;
}

double cps_gs_loop_advance(CpsSolve* solve, CpsGsLoop* loop) {
  int64_t left = solve->options->max_iterations - solve->iterations;
  int sweeps = loop->sweeps;
  if (loop->sweeps > left) loop->sweeps = left > 1 ? (int)left : 1;
  double worst = cps_gs_loop_sweep(loop);
  solve->iterations += loop->sweeps - 1;
  loop->sweeps = sweeps;
  return worst;
}

static void measure_rows(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  CpsGsLoop* loop = data;
  const CpsProblem* p = loop->gs.problem;
  for (int64_t i = first; i < last; ++i) cps_problem_row_velocity(p, (int32_t)i, loop->r, loop->u + p->offset[i]);
}

bool cps_gs_loop_measure(CpsSolve* solve, CpsGsLoop* loop, double* residual) {
  cps_momentum_hold(&loop->momentum);
  if (loop->rigid) {
    cps_gs_rigid_refresh(loop);
    cps_rigid_velocity(solve->problem, loop->pool, loop->gs.v, solve->problem->b, loop->u);
  } else if (solve->problem->has_W) {
    run_range(loop, solve->problem->contact_count, measure_rows);
  } else {
    cps_gs_refresh(&loop->gs, loop->r);
    cps_factors_velocities(solve->problem, solve->pool, loop->gs.v, solve->problem->b, loop->u);
  }
  cps_momentum_release(&loop->momentum);
  bool go = cps_solve_check(solve, loop->r, loop->u, residual);
  loop->small = 1e-2 * solve->options->tolerance * solve->scale;
  cps_spots_find(&loop->spots, &loop->domains, loop->u, 100.0 * loop->small, &loop->momentum);
  // rounded rows may add a tenth of the tolerance
  if (loop->gs.packed && !(cps_gs_packed_error(&loop->gs) <= 10.0 * loop->small)) loop->gs.packed = NULL;
  return go;
}

void cps_gs_loop_wake(CpsGsLoop* loop) {
  memset(loop->rest, 0, (size_t)loop->gs.problem->contact_count * sizeof *loop->rest);
}

CpsStatus cps_gs_loop_accelerate(CpsSolve* solve, bool narrow, CpsGsLoop* loop) {
  loop->freeze = false;
  if (cps_momentum_create(solve, loop->pool, loop->r, loop->gs.v, &loop->momentum) &&
      (!loop->rigid || !narrow || cps_spots_create(solve, &loop->domains, &loop->spots))) {
    return CPS_OK;
  }
  return cps_fail(solve->error, CPS_NO_MEMORY, "not enough memory for Gauss-Seidel");
}

void cps_gs_loop_refresh(CpsGsLoop* loop) {
  cps_gs_refresh(&loop->gs, loop->r);
  cps_momentum_reset(&loop->momentum);
  cps_gs_loop_wake(loop);
}

// One colour with all contacts in order.
static bool natural_order(const CpsProblem* p, CpsArena* arena, CpsColouring* colouring) {
  int32_t n = p->contact_count;
  int32_t* start = CPS_TAKE(arena, int32_t, 2);
  int32_t* contact = CPS_TAKE(arena, int32_t, n);
  if (!start || !contact) return false;
  start[0] = 0;
  start[1] = n;
  for (int32_t i = 0; i < n; ++i) contact[i] = i;
  *colouring = (CpsColouring){.count = 1, .start = start, .contact = contact};
  return true;
}

static bool order_contacts(CpsSolve* solve, bool coloured, CpsGsLoop* loop) {
  const CpsProblem* p = solve->problem;
  if (coloured && !p->has_W) {
    if (!cps_runs_make(p, solve->arena, &loop->runs)) return false;
    loop->in_runs = cps_runs_are_local(&loop->runs);
  }
  loop->sweeps = loop->in_runs ? CPS_RUN_SWEEPS : 1;
  if (loop->in_runs) return true;
  loop->awake = CPS_TAKE(solve->arena, int32_t, p->contact_count);
  return loop->awake && (coloured ? cps_colouring_make(p, solve->arena, &loop->colouring)
                                  : natural_order(p, solve->arena, &loop->colouring));
}

CpsStatus cps_gs_loop_create(CpsSolve* solve, CpsLocal local, bool failsafe, bool coloured, double* r,
                             CpsGsLoop* loop) {
  const CpsProblem* p = solve->problem;
  *loop = (CpsGsLoop){.pool = coloured ? solve->pool : NULL, .freeze = solve->options->freeze, .r = r, .sweeps = 1};
  loop->rigid = cps_gs_rigid_fits(p, local);
  CpsStatus status =
      loop->rigid ? cps_gs_rigid_prepare(solve, coloured, loop) : cps_gs_prepare(solve, local, failsafe, r, &loop->gs);
  if (status != CPS_OK) return status;
  loop->workers = cps_pool_threads(loop->pool);
  loop->worker = CPS_TAKE_ZERO(solve->arena, CpsGsWorker, loop->workers);
  loop->rest = CPS_TAKE_ZERO(solve->arena, int32_t, p->contact_count);
  loop->u = solve->u_scratch;
  if (!loop->worker || !loop->rest || (!loop->rigid && !order_contacts(solve, coloured, loop))) {
    return cps_fail(solve->error, CPS_NO_MEMORY, "not enough memory for Gauss-Seidel");
  }
  loop->small = 1e-2 * solve->options->tolerance * (loop->rigid ? solve->scale : cps_residual_scale(p, r));
  return CPS_OK;
}

void cps_gs_loop_run(CpsSolve* solve, CpsGsLoop* loop) {
  bool go = true;
  for (int64_t k = 1; go; ++k) {
    // `small` is a hundredth of the tolerance
    bool near = cps_gs_loop_advance(solve, loop) <= 100.0 * loop->small;
    go = near || k % MEASURE_EVERY == 0 ? cps_gs_loop_measure(solve, loop, NULL) : cps_solve_tick(solve);
    if (near) cps_gs_loop_wake(loop);
    go = go && !cps_gs_loop_certificate(loop);
  }
}

bool cps_gs_loop_certificate(const CpsGsLoop* loop) {
  for (int k = 0; k < loop->workers; ++k) {
    if (loop->worker[k].counts.certificates > 0) return true;
  }
  return false;
}

void cps_gs_loop_finish(CpsSolve* solve, CpsGsLoop* loop) {
  for (int k = 0; k < loop->workers; ++k) cps_gs_report(solve, &loop->worker[k].counts);
  solve->no_solution = solve->no_solution || cps_gs_loop_certificate(loop);
}
