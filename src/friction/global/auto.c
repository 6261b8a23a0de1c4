// `auto`: Gauss-Seidel while it is fast, the proximal Newton method when it is not.
//
// A few Gauss-Seidel sweeps cost little and are unbeaten at loose tolerances. Their rate of convergence, seen from the
// estimates of the last sweeps, predicts what the rest would cost; once that is more than what the proximal method
// (prox_loop.c) should take, it takes over, from the impulses reached so far. If it wanders without progress it is
// restarted from other points. Large problems, whose factors would not fit, stay with Gauss-Seidel.
//
// All decisions are made on counts of operations, never on a clock, so that the result does not depend on the machine's
// load; and large problems use the coloured sweeps whatever the number of threads, so that it does not depend on that.
#include "friction/global/gs_loop.h"
#include "friction/residual.h"

#include <math.h>
#include <string.h>

// Costs in units of one 3 x 3 block times a vector, measured on problems of 50 to 600 contacts.
static const double LOCAL_COST = 30.0;  // one-contact solve and its share of the book-keeping
#ifdef CAPSTAN_DIRECT
static const double ELIMINATE_COST = 1.5;  // one block operation of the factorisation
static const double ASSEMBLE_COST = 8.0;   // Newton step, per block of W: matrix, products of the line search
static const double CONTACT_COST = 60.0;   // Newton step, per contact
static const double NEWTON_STEPS = 12.0;   // Newton steps that a solve should take
// First weights of the proximal method after some sweeps and from zero.
static const double WARM_WEIGHT = 0.01, COLD_WEIGHT = 1.0;
#endif

enum {
  COLOURED_FROM = 2000,  // contacts from which the sweeps are coloured
  LOOK_EVERY = 5,        // sweeps between two looks at the rate
  MEASURE_EVERY = 20,    // sweeps between two measurements of the residual
  DIRECT_MOST_CONTACTS = 20000,
  DIRECT_MOST_FILL = 4000000,  // blocks of a factor: 400 MB
  FORM_MOST_CONTACTS = 4000,   // a matrix-free problem with more contacts is not given a W
};

static double sweep_cost(const CpsProblem* p) {
  double blocks;
  if (p->has_W) {
    blocks = (double)p->W.start[p->contact_count];
  } else {
    blocks = (double)p->factors.at[p->factors.contact_start[p->contact_count]] * 2.0 / 9.0;
  }
  return blocks + LOCAL_COST * p->contact_count;
}

// Sweeps still needed at the rate of the last LOOK_EVERY sweeps; infinite if there is no progress.
static double sweeps_left(double before, double now, double target) {
  if (now <= target) return 0.0;
  double rate = pow(now / before, 1.0 / LOOK_EVERY);
  return rate < 1.0 ? log(target / now) / log(rate) : INFINITY;
}

#ifdef CAPSTAN_DIRECT
#include "friction/global/prox_loop.h"

typedef struct Direct {
  bool asked, possible;
  CpsProximal proximal;
  double cost;  // of a whole solve
} Direct;

// Whether the proximal method can be used, and what it should cost. The first call orders the matrix.
static CpsStatus look_at_direct(CpsSolve* solve, Direct* direct) {
  const CpsProblem* p = solve->problem;
  if (direct->asked) return CPS_OK;
  direct->asked = true;
  int32_t most = p->has_W ? DIRECT_MOST_CONTACTS : FORM_MOST_CONTACTS;
  if (p->contact_count > most) return CPS_OK;
  CpsStatus status = cps_proximal_create(solve, WARM_WEIGHT, &direct->proximal);
  if (status != CPS_OK) return status;
  int64_t operations;
  if (!cps_block_lu_estimate(direct->proximal.newton.lu, DIRECT_MOST_FILL, &operations)) return CPS_OK;
  direct->possible = true;
  const CpsBlockMatrix* W = &direct->proximal.newton.W;
  direct->cost = NEWTON_STEPS * (ELIMINATE_COST * (double)operations + ASSEMBLE_COST * (double)W->start[W->rows] +
                                 CONTACT_COST * p->contact_count);
  return CPS_OK;
}

// Least that a proximal solve can cost, without ordering anything.
static double least_direct_cost(const CpsProblem* p) {
  double blocks = p->has_W ? (double)p->W.start[p->contact_count] : 0.0;
  return NEWTON_STEPS * (ASSEMBLE_COST * blocks + CONTACT_COST * p->contact_count);
}

// The proximal method, restarted in turn from zero and from Gauss-Seidel on the best iterate when it wanders.
static CpsStatus run_direct(CpsSolve* solve, Direct* direct, CpsGsLoop* loop, double* r) {
  enum { FIRST_PATIENCE = 60, SWEEPS = 50 };
  size_t bytes = (size_t)solve->problem->row_count * sizeof *r;
  bool go = true;
  int patience = FIRST_PATIENCE;
  for (int attempt = 0; go; ++attempt, patience *= 2) {
    CpsStatus status = cps_proximal_run(solve, &direct->proximal, patience, r, &go);
    if (status != CPS_OK || !go) return status;
    if (attempt % 2 == 0) {
      direct->proximal.weight = COLD_WEIGHT;
      memset(r, 0, bytes);
      continue;
    }
    direct->proximal.weight = WARM_WEIGHT;
    memcpy(r, solve->best_r, bytes);
    cps_gs_refresh(&loop->gs, r);
    cps_gs_loop_wake(loop);
    for (int k = 0; k < SWEEPS; ++k) (void)cps_gs_loop_sweep(loop);
    go = cps_gs_loop_measure(solve, loop, NULL);
  }
  return CPS_OK;
}
#endif

// Sweeps until it is time to change the method (returns true) or the solve is over.
static bool sweep_while_fast(CpsSolve* solve, CpsGsLoop* loop, void* direct, CpsStatus* status) {
  const CpsProblem* p = solve->problem;
  double cost = sweep_cost(p), before = INFINITY;
  bool go = true;
  for (int64_t k = 1; go; ++k) {
    double now = cps_gs_loop_sweep(loop), target = 100.0 * loop->small;
    bool near = now <= target;
    go = near || k % MEASURE_EVERY == 0 ? cps_gs_loop_measure(solve, loop, NULL) : cps_solve_tick(solve);
    if (near) cps_gs_loop_wake(loop);
    if (!go || k % LOOK_EVERY != 0) continue;
    double rest = cost * sweeps_left(before, now, target);
    before = now;
    (void)rest;
    (void)direct;
    (void)status;
#ifdef CAPSTAN_DIRECT
    if (k == LOOK_EVERY || rest <= least_direct_cost(p)) continue;
    *status = look_at_direct(solve, direct);
    if (*status != CPS_OK) return false;
    if (((Direct*)direct)->possible && rest > ((Direct*)direct)->cost) return true;
#endif
  }
  return false;
}

static CpsStatus run(CpsSolve* solve, double* r) {
  CpsGsLoop loop;
  bool coloured = solve->problem->contact_count >= COLOURED_FROM;
  CpsStatus status = cps_gs_loop_create(solve, CPS_LOCAL_ENUM, false, coloured, r, &loop);
  if (status != CPS_OK) return status;
#ifdef CAPSTAN_DIRECT
  Direct direct = {0};
  if (sweep_while_fast(solve, &loop, &direct, &status) && status == CPS_OK) {
    status = run_direct(solve, &direct, &loop, r);
  }
#else
  (void)sweep_while_fast(solve, &loop, NULL, &status);
#endif
  cps_gs_loop_finish(solve, &loop);
  return status;
}

const CpsMethodEntry cps_method_auto = {
    .info = {.name = "auto",
             .summary = "Gauss-Seidel while it is fast, then the proximal Newton method; the default",
             .reference = "docs/theory/auto.md",
             .laws = CPS_ALL_LAWS,
             .exact = true,
             .available = true},
    .run = run,
};
