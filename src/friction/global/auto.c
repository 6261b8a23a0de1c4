// `auto`: Gauss-Seidel while it converges fast, then the proximal Newton method.
//
// A few Gauss-Seidel sweeps are cheap and unbeaten at loose tolerances. Their convergence rate, estimated from the last
// sweeps, predicts the cost of the rest. Once that exceeds the expected cost of the proximal method (prox_loop.c), the
// latter takes over from the current impulses. If it stalls, it restarts from other points (auto_direct.c). Problems
// whose factors would not fit in memory stay with Gauss-Seidel.
//
// All decisions use counts of operations, never a clock, so the result does not depend on the load of the machine.
// Large problems use the coloured sweeps for any number of threads, so it does not depend on that number either.
//
// Not guaranteed: a solution; no method can guarantee one. Measurements are in docs/theory/auto.md.
#include "friction/global/auto_cluster.h"
#include "friction/global/auto_direct.h"
#include "friction/global/auto_sparse.h"
#include "friction/global/gs_rigid.h"

#include <math.h>

// Cost of a one-contact solve with its share of the bookkeeping, in units of one 3 x 3 block times a vector. In
// dimension 6 the enumeration has no closed forms and samples for roots if W_ii is singular.
static const double LOCAL_COST = 30.0, LOCAL_COST_6 = 2000.0;
// The same including its products, for contacts of rigid bodies (gs_rigid.c).
static const double RIGID_COST = 15.0;
// Residual, in tolerances, of a first guess up to which only a few sweeps are tried.
static const double WARM = 5.0;
// Down to this tolerance sweeps use momentum: rigid bodies without W. Others: CPS_MOMENTUM_TOLERANCE_OTHERS.
static const double MOMENTUM_TOLERANCE = 1e-6;
static const double SETTLED = 0.6;

enum {
  FEW = 8,                      // contacts that the first sweep may solve; a second only to confirm costs as much again
  COLOURED_FROM = 2000,         // contacts from which the sweeps are coloured, and narrowed to spots
  LOOK_EVERY = 5,               // sweep calls between two checks of the rate
  MEASURE_EVERY = 20,           // sweeps between two measurements of the residual
  MOMENTUM_FROM = 600,          // contacts from which sweeps use momentum; factors of fewer are cheap
  FIBRES_FROM = 2000,           // the same for packed fibres,
  FIBRES_EVERY = 60,            // if after this many sweeps less than SETTLED of the contacts rest
  FEW_BLOCKS = 48,              // average blocks of W per row in a problem of rigid bodies
  CLUSTER_EVERY = 60,           // sweeps between two attempts at the remaining contacts
  MOMENTUM_CLUSTER_EVERY = 20,  // the same with momentum, which settles most contacts sooner
  CLUSTER_ROUNDS = 10,          // rounds per attempt, each on what the previous one left
  NARROW_MOST = 5,              // sweeps over spots per iteration
  NEAR_MOST = 20,               // sweeps with tiny changes and still no solution: convergence creeps
};

static double sweep_cost(const CpsProblem* p) {
  if (cps_gs_rigid_fits(p, CPS_LOCAL_ENUM)) return RIGID_COST * p->contact_count;
  double blocks;
  if (p->has_W) {
    blocks = (double)p->W.start[p->contact_count];
  } else {
    // H and Y of every term, nine products each block
    blocks = (double)cps_term_at(&p->factors, p->factors.contact_start[p->contact_count]) * 2.0 / 9.0;
  }
  double local = 0.0;
  for (int32_t i = 0; i < p->contact_count; ++i) local += cps_contact_dim(p, i) > 3 ? LOCAL_COST_6 : LOCAL_COST;
  return blocks + local;
}

// Remaining calls at the rate of the last LOOK_EVERY; infinite without progress.
static double sweeps_left(double before, double now, double target) {
  if (now <= target) return 0.0;
  double rate = pow(now / before, 1.0 / LOOK_EVERY);
  return rate < 1.0 ? log(target / now) / log(rate) : INFINITY;
}

// Solves the remaining contacts, and those this disturbs, until the solve ends (*go is false) or none is left. Solved
// clusters disturb the contacts around them; as long as these are much fewer, no sweep is needed in between.
static CpsStatus solve_clusters(CpsSolve* solve, CpsGsLoop* loop, CpsAutoDirect* direct, bool* go) {
  int32_t before = INT32_MAX, members;
  for (int round = 0; round < CLUSTER_ROUNDS && *go; ++round, before = members) {
    CpsStatus status = cps_auto_direct_cluster(solve, direct, loop, &members);
    if (status != CPS_OK || members == 0) return status;
    if (members > before / 2) (void)cps_gs_loop_advance(solve, loop);
    *go = cps_gs_loop_measure(solve, loop, NULL) && !cps_gs_loop_certificate(loop);
  }
  return CPS_OK;
}

// One iteration: a sweep, or loop->sweeps sweeps; over spots, enough sweeps to visit each contact once on average. Adds
// to the sweeps made and to their cost in full sweeps. Returns the largest error seen.
static double iterate(CpsSolve* solve, CpsGsLoop* loop, int64_t* sweeps, double* spent) {
  double share = loop->spots.problem ? loop->spots.share : 1.0, now;
  int repeat = (int)fmin(1.0 / share, NARROW_MOST);
  do {
    now = cps_gs_loop_advance(solve, loop);
    *sweeps += loop->sweeps;
    *spent += loop->sweeps * share;
  } while (--repeat > 0 && now > 100.0 * loop->small);
  return now;
}

// Plain sweeps, which skip settled contacts, solve most packings together with factorisations of the rest: after sixty sweeps three
// contacts of four rest. In hair that was combed into itself only two of five do, the remainder is one cluster over the whole head,
// and momentum is more effective than either.
static CpsStatus speed_up_fibres(CpsSolve* solve, CpsGsLoop* loop) {
  const CpsProblem* p = solve->problem;
  if (p->has_W || loop->rigid || loop->momentum.problem || p->contact_count < FIBRES_FROM || !loop->freeze ||
      solve->options->tolerance < CPS_MOMENTUM_TOLERANCE_OTHERS) {
    return CPS_OK;
  }
  int64_t resting = 0;
  for (int32_t i = 0; i < p->contact_count; ++i) resting += loop->rest[i] > 0;
  if ((double)resting >= SETTLED * p->contact_count) return CPS_OK;
  cps_gs_loop_wake(loop);
  return cps_gs_loop_accelerate(solve, false, loop);
}

// Sweeps until it is time to change the method (*change is true) or the solve ends.
static CpsStatus sweep_while_fast(CpsSolve* solve, CpsGsLoop* loop, CpsAutoDirect* direct, bool* change) {
  double cost = loop->sweeps * sweep_cost(solve->problem), before = INFINITY;
  // if the sweeps up to the first check of the rate already cost more, start with the proximal method
  CpsStatus status = cps_auto_direct_beats(solve, direct, loop, 2.0 * LOOK_EVERY * cost, 0.0, change);
  if (status != CPS_OK || *change) return status;
  bool few = solve->problem->contact_count <= FEW;
  const bool warm = loop->spots.problem && solve->best_residual <= WARM * solve->options->tolerance;
  int64_t next_measure = warm ? LOOK_EVERY : MEASURE_EVERY,
          next_cluster = loop->momentum.problem ? MOMENTUM_CLUSTER_EVERY : CLUSTER_EVERY, near_count = 0;
  int64_t sweeps = 0, next_fibres = FIBRES_EVERY;
  double spent = 0.0;
  for (int64_t k = 1;; ++k) {
    double now = iterate(solve, loop, &sweeps, &spent), target = 100.0 * loop->small;
    bool near = now <= target;
    if (sweeps >= next_fibres) {
      status = speed_up_fibres(solve, loop);
      if (status != CPS_OK) return status;
      next_fibres += FIBRES_EVERY;
    }
    bool measure = near || (k == 1 && few) || sweeps >= next_measure;
    if (sweeps >= next_measure) next_measure += MEASURE_EVERY;
    bool go = measure ? cps_gs_loop_measure(solve, loop, NULL) : cps_solve_tick(solve);
    if (!go || cps_gs_loop_certificate(loop)) return CPS_OK;
    if (near) cps_gs_loop_wake(loop);
    near_count += near;
    if (measure && sweeps >= next_cluster) {
      status = solve_clusters(solve, loop, direct, &go);
      if (status != CPS_OK || !go) return status;
      next_cluster = sweeps + (loop->momentum.problem ? MOMENTUM_CLUSTER_EVERY : CLUSTER_EVERY);
    }
    if (k % LOOK_EVERY != 0) continue;
    // small changes reveal nothing about the residual when a warm start creeps, and trusting a forecast for too long
    // leaves no iterations for the other method
    bool creeps = near_count > NEAR_MOST && !loop->momentum.problem;
    bool late = creeps || 2.0 * spent >= (double)solve->options->max_iterations;
    double rest = late ? INFINITY : cost * sweeps_left(before, now, target);
    bool first = k == LOOK_EVERY;
    before = now;
    if (first) continue;
    status = cps_auto_direct_beats(solve, direct, loop, rest, late ? INFINITY : spent * cost / loop->sweeps, change);
    if (status != CPS_OK || *change) return status;
  }
}

// Rigid bodies, given as such or as a W with few blocks per row. Packed fibres have many blocks and are solved faster by
// factorisations; so are the last digits of both.
static bool gains_from_momentum(const CpsSolve* solve, const CpsGsLoop* loop) {
  const CpsProblem* p = solve->problem;
  double tolerance = solve->options->tolerance;
  if (p->contact_count < MOMENTUM_FROM) return false;
  if (!p->has_W) return loop->rigid && tolerance >= MOMENTUM_TOLERANCE;
  return tolerance >= CPS_MOMENTUM_TOLERANCE_OTHERS &&
         p->W.start[p->contact_count] <= (int64_t)FEW_BLOCKS * p->contact_count;
}

// With a handful of contacts, and a single one in particular, one sweep is often enough; the data a loop prepares for later sweeps
// would double the cost. False: the solve must continue.
static bool solve_at_once(CpsSolve* solve, double* r) {
  const CpsProblem* p = solve->problem;
  if (p->contact_count > FEW || !p->has_W || p->dim < 2 || p->dim > 3) return false;
  const CpsGs gs = {.problem = p, .local = &cps_local_enum, .settings = cps_gs_settings(solve->options)};
  CpsGsCounts counts = {0};
  double u[CPS_DIM_MAX];
  for (int32_t i = 0; i < p->contact_count; ++i) (void)cps_gs_update(&gs, i, r, u, &counts);
  cps_gs_report(solve, &counts);
  return counts.certificates == 0 && !cps_solve_check(solve, r, NULL, NULL);
}

static CpsStatus run_dual(CpsSolve* solve, double* r) {
  if (solve_at_once(solve, r)) return CPS_OK;
  CpsGsLoop loop;
  bool coloured = solve->problem->contact_count >= COLOURED_FROM, change;
  CpsStatus status = cps_gs_loop_create(solve, CPS_LOCAL_ENUM, false, coloured, r, &loop);
  if (status == CPS_OK && gains_from_momentum(solve, &loop)) status = cps_gs_loop_accelerate(solve, coloured, &loop);
  if (status != CPS_OK) return status;
  CpsAutoDirect direct = {0};
  bool go = true;
  while (status == CPS_OK && go) {
    status = sweep_while_fast(solve, &loop, &direct, &change);
    go = false;
    if (status == CPS_OK && change) status = cps_auto_direct_run(solve, &direct, &loop, r, &go);
  }
  cps_gs_loop_finish(solve, &loop);
  return status;
}

static CpsStatus run(CpsSolve* solve, double* r) {
  return solve->problem->sparse ? cps_auto_sparse(solve, run_dual, r) : run_dual(solve, r);
}

const CpsMethodEntry cps_method_auto = {
    .info = {.name = "auto",
             .summary = "Gauss-Seidel while it is fast, then the proximal or primal Newton method; the default",
             .reference = "docs/theory/auto.md",
             .laws = CPS_ALL_LAWS,
             .exact = true,
             .available = true},
    .run = run,
    .sparse = true,
};
