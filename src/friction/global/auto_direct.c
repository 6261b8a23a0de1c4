// When `auto` switches to the proximal Newton method, and how it recovers when that method stalls.
#include "friction/global/auto_direct.h"

#include "friction/global/auto_cluster.h"

#include <math.h>
#include <string.h>

// Costs in units of one 3 x 3 block times a vector, measured on problems of 50 to 600 contacts.
static const double ELIMINATE_COST = 1.5;        // one block operation of the factorisation
static const double ASSEMBLE_COST = 8.0;         // Newton step, per block of W: matrix, products of the line search
static const double CONTACT_COST = 60.0;         // Newton step, per contact
static const double NEWTON_STEPS = 12.0;         // expected Newton steps per solve,
static const double NEWTON_MORE = 500.0;         // doubled for each this many contacts,
static const double NEWTON_MORE_RIGID = 1500.0;  // of rigid bodies

// Initial weights of the proximal method after some sweeps and from zero.
static const double WARM_WEIGHT = 0.01, COLD_WEIGHT = 1.0;

// A solve with a higher expected cost, some seconds, is tried once and with little patience. It solves a wall of bricks; a
// heap of a thousand rolling balls is better left to the next step of a simulation.
static const double DEAR = 2e8;

enum {
  DEAR_PATIENCE = 6,
  LAST_PATIENCE = 15,  // as a last resort
  MOST_CONTACTS = 20000,
  MOST_RIGID = 2000,  // rigid contacts: larger problems are left to sweeps with momentum,
  MOST_LAST =
      6000,  // but up to this many are tried once, when the sweeps have used half of their iterations without success
  MOST_FILL = 4000000,       // blocks of a factor: 400 MB
  FORM_MOST_BLOCKS = 64,     // a matrix-free problem with more blocks of W per contact does not form W,
  FORM_FEW_CONTACTS = 2000,  // unless it is small
  FIRST_PATIENCE = 60,       // proximal steps without progress before another start,
  PILE_PATIENCE = 30,        // for rigid bodies whose sweeps use momentum
  FEW_RIGID = 200,           // rigid contacts up to which the forecast of sweeps is trusted immediately
  SWEEPS = 50,               // Gauss-Seidel sweeps from the best impulses before such a start,
  PILE_SWEEPS = 100,         // with momentum
  SPLIT_AFTER = 2,           // failed restarts before alternating directions find the next start,
  SPLIT_ITERATIONS = 200,    // in this many iterations
};

static double newton_steps(const CpsProblem* p) {
  return NEWTON_STEPS * fmax(1.0, p->contact_count / (p->factors.pair ? NEWTON_MORE_RIGID : NEWTON_MORE));
}

// Blocks of W; for a matrix-free problem an upper bound.
static double blocks_of_W(const CpsProblem* p) {
  if (p->has_W) return (double)p->W.start[p->contact_count];
  double blocks = 0.0;
  for (int32_t body = 0; body < p->factors.body_count; ++body) {
    double terms = (double)(p->factors.body_start[body + 1] - p->factors.body_start[body]);
    blocks += terms * terms;
  }
  return blocks;
}

// Contacts with an impulse: the others probably leave the linear systems. In packed fibres most have none.
static const bool* carrying(const CpsProblem* p, const double* r, CpsProxNewton* newton) {
  for (int32_t i = 0; i < p->contact_count; ++i) {
    bool carries = false;
    for (int64_t k = p->offset[i]; k < p->offset[i + 1]; ++k) carries = carries || r[k] != 0.0;
    for (int32_t s = newton->first[i]; s < newton->first[i + 1]; ++s) newton->active[s] = carries;
  }
  return newton->active;
}

// Orders the matrix and counts the expected cost of a solve, if a solve is possible.
static CpsStatus look(CpsSolve* solve, CpsAutoDirect* direct, const CpsGsLoop* loop, double blocks) {
  const CpsProblem* p = solve->problem;
  direct->asked = true;
  if (p->contact_count > (p->factors.pair && loop->momentum.problem ? MOST_LAST : MOST_CONTACTS)) return CPS_OK;
  bool dense = blocks > (double)FORM_MOST_BLOCKS * p->contact_count;
  if (!p->has_W && dense && p->contact_count > FORM_FEW_CONTACTS) return CPS_OK;
  CpsStatus status = cps_proximal_create(solve, WARM_WEIGHT, &direct->proximal);
  if (status != CPS_OK) return status;
  int64_t operations;
  const bool* active = loop->momentum.problem ? carrying(p, loop->r, &direct->proximal.newton) : NULL;
  if (!cps_block_lu_estimate(direct->proximal.newton.lu, active, MOST_FILL, &operations)) return CPS_OK;
  direct->possible = true;
  const CpsBlockMatrix* W = &direct->proximal.newton.W;
  direct->cost = newton_steps(p) * (ELIMINATE_COST * (double)operations + ASSEMBLE_COST * (double)W->start[W->rows] +
                                    CONTACT_COST * p->contact_count);
  return CPS_OK;
}

// A pile of rigid bodies: sweeps with momentum from the best impulses find a better start than zero or alternating directions.
static bool is_pile(const CpsProblem* p, const CpsGsLoop* loop) {
  return loop->momentum.problem && p->factors.pair;
}

// Rigid bodies for which sweeps with momentum should beat factorisations.
static bool is_last_resort(const CpsProblem* p, const CpsGsLoop* loop) {
  return is_pile(p, loop) && p->contact_count > MOST_RIGID;
}

// A packing of deformable bodies.
static bool is_fibres(const CpsProblem* p) {
  return !p->has_W && !p->factors.pair;
}

// Share of the cost of a solve to spend on sweeps before their forecast is trusted: in packings the first sweeps show no
// progress although later ones do. Small problems are solved immediately.
static double patience(const CpsProblem* p) {
  return !p->has_W && p->contact_count > FEW_RIGID ? 0.5 : 0.0;
}

// Is it time for a solve of cost `direct` if the remaining sweeps should cost `sweeps` after `spent`?
static bool is_time(const CpsProblem* p, const CpsGsLoop* loop, double direct, double sweeps, double spent) {
  // The error of sweeps with momentum oscillates and does not predict the remaining number. When the sweeps have cost as
  // much as a solve should, they stop: at most twice the cost of the cheaper method.
  if (is_last_resort(p, loop)) return spent == INFINITY;
  if (loop->momentum.problem) return spent < INFINITY ? spent > direct : direct <= DEAR;
  double wait = patience(p);
  // a forecast that has been wrong for the cost of a solve is no longer trusted
  return spent >= wait * direct && (sweeps > direct || (wait > 0.0 && spent > direct));
}

CpsStatus cps_auto_direct_beats(CpsSolve* solve, CpsAutoDirect* direct, const CpsGsLoop* loop, double cost,
                                double spent, bool* beats) {
  const CpsProblem* p = solve->problem;
  *beats = false;
  if (!direct->asked) {
    // no analysis while even the minimum cost is higher
    double blocks = blocks_of_W(p);
    double least = newton_steps(p) * (ASSEMBLE_COST * blocks + CONTACT_COST * p->contact_count);
    if (!is_time(p, loop, least, cost, spent)) return CPS_OK;
    CpsStatus status = look(solve, direct, loop, blocks);
    if (status != CPS_OK) return status;
  }
  *beats = direct->possible && is_time(p, loop, direct->cost, cost, spent);
  return CPS_OK;
}

// Three turns of rope around a drum, with forces over three decades and a condition number of W of 7e8: Newton's steps circle
// the solution at a residual of 1e-7, from every start. Alternating directions (admm.c) are slow there but come close enough
// for Newton's method to converge.
static CpsStatus split(CpsSolve* solve, double* r, bool* go) {
  const CpsArenaMark taken = cps_arena_mark(solve->arena);
  const CpsSolveOptions* options = solve->options;
  CpsSolveOptions bounded = *options;
  if (options->max_iterations - solve->iterations > SPLIT_ITERATIONS) {
    bounded.max_iterations = solve->iterations + SPLIT_ITERATIONS;
  }
  solve->options = &bounded;
  CpsStatus status = cps_method_admm.run(solve, r);
  solve->options = options;
  cps_arena_release(solve->arena, taken);
  *go = solve->stop == CPS_NOT_CONVERGED && !solve->no_solution && solve->iterations < options->max_iterations;
  return status;
}

CpsStatus cps_auto_direct_run(CpsSolve* solve, CpsAutoDirect* direct, CpsGsLoop* loop, double* r, bool* go) {
  size_t bytes = (size_t)solve->problem->row_count * sizeof *r;
  bool last = is_last_resort(solve->problem, loop), dear = solve->problem->factors.pair && direct->cost > DEAR;
  const bool pile = is_pile(solve->problem, loop);
  int patience = last ? LAST_PATIENCE : dear ? DEAR_PATIENCE : pile ? PILE_PATIENCE : FIRST_PATIENCE;
  *go = true;
  if (solve->iterations == 0) direct->proximal.weight = COLD_WEIGHT;
  for (int attempt = 0; *go; ++attempt, patience *= 2) {
    CpsStatus status = cps_proximal_run(solve, &direct->proximal, patience, r, go);
    if (status == CPS_OK && *go && last) {
      direct->possible = false;
      memcpy(r, solve->best_r, bytes);
      cps_gs_loop_refresh(loop);
      return CPS_OK;
    }
    if (dear) *go = false;
    if (status != CPS_OK || !*go) return status;
    if (!pile && attempt >= SPLIT_AFTER && cps_method_admm.info.available) {
      direct->proximal.weight = WARM_WEIGHT;
      memset(r, 0, bytes);
      status = split(solve, r, go);
      if (status != CPS_OK) return status;
      memcpy(r, solve->best_r, bytes);
    } else if (!pile && attempt % 2 == 0) {
      direct->proximal.weight = COLD_WEIGHT;
      memset(r, 0, bytes);
    } else {
      direct->proximal.weight = WARM_WEIGHT;
      memcpy(r, solve->best_r, bytes);
      cps_gs_loop_refresh(loop);
      for (int k = 0; k < (pile ? PILE_SWEEPS : SWEEPS); ++k) (void)cps_gs_loop_sweep(loop);
      *go = cps_gs_loop_measure(solve, loop, NULL) && !cps_gs_loop_certificate(loop);
    }
  }
  return CPS_OK;
}

CpsStatus cps_auto_direct_cluster(CpsSolve* solve, CpsAutoDirect* direct, CpsGsLoop* loop, int32_t* members) {
  *members = 0;
  bool stuck = direct->asked && !direct->possible;
  if (!is_fibres(solve->problem) && !loop->momentum.problem && !stuck) return CPS_OK;
  return cps_auto_cluster(solve, loop, loop->r, members);
}
