// `auto`: Gauss-Seidel while it is fast, the proximal Newton method when it is not.
//
// A few Gauss-Seidel sweeps cost little and are unbeaten at loose tolerances. Their rate of convergence, seen from the
// estimates of the last sweeps, predicts what the rest would cost; once that is more than what the proximal method
// (prox_loop.c) should take, it takes over, from the impulses reached so far. If it wanders without progress it is
// restarted from other points (auto_direct.c). Problems whose factors would not fit stay with Gauss-Seidel.
//
// All decisions are made on counts of operations, never on a clock, so that the result does not depend on the machine's
// load; and large problems use the coloured sweeps for any number of threads, so that it does not depend on that.
//
// Not guaranteed: a solution; none of the methods can. Measurements are in docs/theory/auto.md.
#include "friction/global/auto_cluster.h"
#include "friction/global/auto_direct.h"
#include "friction/global/auto_sparse.h"
#include "friction/global/gs_rigid.h"

#include <math.h>

// Cost of a one-contact solve and its share of the book-keeping, in units of one 3 x 3 block times a vector. In
// dimension 6 the enumeration has no closed forms, and samples for roots where W_ii is singular.
static const double LOCAL_COST = 30.0, LOCAL_COST_6 = 2000.0;
// The same with its products, for contacts of rigid bodies (gs_rigid.c).
static const double RIGID_COST = 15.0;
// Residual, in tolerances, of a first guess that may take a few sweeps only.
static const double WARM = 5.0;
// Tolerance down to which sweeps have momentum: rigid bodies without W. Others: CPS_MOMENTUM_TOLERANCE_OTHERS.
static const double MOMENTUM_TOLERANCE = 1e-6;
static const double SETTLED = 0.6;

enum {
  FEW = 8,               // contacts that the first sweep may have solved: a second only to find out costs as much
  COLOURED_FROM = 2000,  // contacts from which the sweeps are coloured, and narrowed to spots
  LOOK_EVERY = 5,        // calls of the sweep between two looks at the rate
  MEASURE_EVERY = 20,    // sweeps between two measurements of the residual
  MOMENTUM_FROM = 600,   // contacts from which the sweeps get momentum; factors of fewer are cheap
  FIBRES_FROM = 2000,    // the same of packed fibres,
  FIBRES_EVERY = 60,     // where after so many sweeps less than SETTLED of the contacts rest
  FEW_BLOCKS = 48,       // of W in a row, on average, where it is one of rigid bodies
  CLUSTER_EVERY = 60,    // sweeps between two tries at the contacts that are left
  MOMENTUM_CLUSTER_EVERY = 20,  // the same, of sweeps with momentum: they settle most contacts sooner
  CLUSTER_ROUNDS = 10,          // of a try, each on the remainder of the one before
  NARROW_MOST = 5,              // sweeps over spots in an iteration
  NEAR_MOST = 20,               // sweeps that change next to nothing and still do not solve it: it creeps
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

// Calls still needed at the rate of the last LOOK_EVERY; infinite if there is no progress.
static double sweeps_left(double before, double now, double target) {
  if (now <= target) return 0.0;
  double rate = pow(now / before, 1.0 / LOOK_EVERY);
  return rate < 1.0 ? log(target / now) / log(rate) : INFINITY;
}

// Solves the contacts that are left, and what this leaves, until the solve is over (*go is false) or there is nothing more to
// solve. Clusters that are solved disturb the contacts around them; as long as these are much fewer no sweep is needed in
// between.
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

// One iteration: a sweep, or loop->sweeps of them; where they are narrowed to spots as many as visit each contact once on
// average. Adds to the sweeps made and to what they cost, in sweeps over everything. Returns the largest error seen.
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

// Most packings are solved by plain sweeps, in which settled contacts rest, and by factors of what these leave: after sixty sweeps
// three contacts of four rest. Of hair that was combed into itself only two of five do, the remainder stays one cluster all over the
// head, and momentum does more than either.
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

// Sweeps until it is time to change the method (*change is true) or the solve is over.
static CpsStatus sweep_while_fast(CpsSolve* solve, CpsGsLoop* loop, CpsAutoDirect* direct, bool* change) {
  double cost = loop->sweeps * sweep_cost(solve->problem), before = INFINITY;
  // where already the sweeps until the first look at the rate are dearer, the proximal method comes at once
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
    // small changes say nothing about the remainder where a warm start creeps along, and a forecast that is trusted for
    // too long leaves no iterations for the other method
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

// Rigid bodies, whether they come as such or as a W with few blocks in a row: packed fibres, with many, are solved faster by
// factorisations. So are the last digits of both.
static bool gains_from_momentum(const CpsSolve* solve, const CpsGsLoop* loop) {
  const CpsProblem* p = solve->problem;
  double tolerance = solve->options->tolerance;
  if (p->contact_count < MOMENTUM_FROM) return false;
  if (!p->has_W) return loop->rigid && tolerance >= MOMENTUM_TOLERANCE;
  return tolerance >= CPS_MOMENTUM_TOLERANCE_OTHERS &&
         p->W.start[p->contact_count] <= (int64_t)FEW_BLOCKS * p->contact_count;
}

// Of a handful of contacts one sweep is often enough, a single contact in particular; what a loop keeps for the sweeps after it would
// cost as much again. False: there is more to do.
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
