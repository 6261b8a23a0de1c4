// `auto` for problems with large members: with few contacts it forms W, otherwise it solves for the velocities.
//
// With m nodes and n contacts, forming W takes 3 n solves with the factor of M, and each later sweep processes n^2 blocks; the
// primal methods take some solves and factorisations for any n. The cheaper one by counted operations is chosen. Of the primal
// ones, alternating directions (splitting_loop.c) come first: they need one factorisation and soon give a few digits, also with
// redundant contacts. Their rate predicts the remaining cost; once that exceeds the expected cost of Newton's method in the
// velocities (primal_step.c), the latter takes over. If it stalls, W is formed after all.
//
// All decisions use counts of operations, never a clock.
#include "friction/global/auto_sparse.h"

#include "friction/global/prox_loop.h"
#include "friction/global/splitting_loop.h"

#include <math.h>

// Costs in units of one solve with the factor for one column.
static const double MANY_COLUMNS = 4.0;    // speed-up of solves with many columns
static const double SWEEPS = 60.0;         // over W, products and one-contact solves together
static const double LOCAL = 300.0;         // operations of a one-contact solve
static const double FACTORISATIONS = 2.0;  // of Newton's method from a start with some digits,
static const double STEPS = 16.0;          // plus this many solves
// Initial weight of the proximal method after some iterations.
static const double WARM_WEIGHT = 0.01;

enum {
  PATIENCE = 40,           // proximal steps without progress before W is formed
  FORM_MOST_ROWS = 20000,  // of a W that may be formed: 3 GB
};

static double dual_cost(const CpsProblem* p) {
  double rows = (double)p->row_count, solve = cps_mass_factor_solve_cost(p->mass);
  return rows / MANY_COLUMNS + SWEEPS * (2.0 * rows * rows + LOCAL * p->contact_count) / solve;
}

static double newton_cost(const CpsPrimalSystem* system) {
  return FACTORISATIONS * cps_primal_step_factor_cost(system) + STEPS;
}

CpsStatus cps_auto_sparse(CpsSolve* solve, CpsStatus (*dual)(CpsSolve* solve, double* r), double* r) {
  const CpsProblem* p = solve->problem;
  CpsPrimalSystem system;
  CpsSplitting splitting;
  CpsProximal proximal;
  CpsStatus status = cps_primal_system_create(solve, &system);
  if (status != CPS_OK) return status;
  double newton = newton_cost(&system);
  if (dual_cost(p) < newton) return cps_solve_on_W(solve, dual, r);
  status = cps_splitting_create(solve, &system, r, &splitting);
  if (status != CPS_OK || !cps_splitting_run(solve, &splitting, newton, r)) return status;
  status = cps_proximal_create_primal(solve, &system, WARM_WEIGHT, &proximal);
  bool go = true;
  if (status == CPS_OK) status = cps_proximal_run(solve, &proximal, PATIENCE, r, &go);
  if (status != CPS_OK || !go) return status;
  if (p->row_count <= FORM_MOST_ROWS) return cps_solve_on_W(solve, dual, r);
  (void)cps_splitting_run(solve, &splitting, INFINITY, r);
  return CPS_OK;
}
