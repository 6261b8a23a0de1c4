// Refines solutions with creeping contacts (docs/theory/rest.md).
//
// Near the limit of friction the accuracy of a simulation is not enough. A block on a ramp with mu = tan(theta) (1 - m)
// gains a speed of h g sin(theta) m in a step; a residual of e leaves an error of about h g e. Sticking and sliding are
// distinguished only for m > e, and the remaining error accumulates, step by step, in one direction.
//
// So a solution in which every loaded contact is slow,
//
//   xi_i ||u_i,T|| <= CREEP tolerance (max_j ||r_j|| + max_j xi_j ||b_j||)   for all i with r_i != 0,              (1)
//
// is refined by the proximal Newton method (global/prox_loop.c), whose last steps converge quadratically, until its residual is FINE, a few hundred rounding errors. Moving
// objects are not examined further. A body at rest that was refined in the last step starts below FINE and costs nothing.
//
// Not guaranteed: FINE. Newton's method stops when rounding prevents it from halving the residual, or after MOST_STEPS.
#include "friction/refine.h"

#include "core/error.h"
#include "friction/global/prox_loop.h"
#include "friction/law.h"
#include "friction/residual.h"

#include <math.h>
#include <string.h>

// In units of the tolerance: velocities above the first are known to at least two digits. With a rough tolerance the
// second bounds it, so that motion is not mistaken for rest.
static const double CREEP = 100.0, CREEP_MOST = 1e-3;
// Target residual, and the number of contacts from which it grows in proportion, as rounding does.
static const double FINE = 1e-13, FINE_CONTACTS = 20.0;
// Below the target, one more step is taken as long as it improves, so that the next steps of a simulation start well below.
static const double FINER = 0.1;
// First weight of the proximal term: the guess is good.
static const double WEIGHT = 1e-6;
// The same for large members, where an unsolved subproblem costs many factorisations.
static const double WEIGHT_SPARSE = 1e-4;

enum {
  FEW_CONTACTS = 500,    // with more, a Newton step costs more than a step of a simulation; up to
  MOST_CONTACTS = 2000,  // this many it pays if the solve took at least
  HARD = 100,            // this many iterations: in the first step of an island that rests from then on
  MOST_SPARSE = 4000,    // for large members, whose systems do not grow with the contacts
  MOST_STEPS = 20,       // proximal steps,
  PATIENCE = 8,          // of which this many need not improve
};

// (1), and whether any contact is loaded.
static bool creeps(const CpsSolve* solve, const double* r, const double* u) {
  const CpsProblem* p = solve->problem;
  double scale = cps_residual_scale(p, r), zero = solve->options->tolerance * scale;
  double slow = fmin(CREEP * zero, CREEP_MOST * scale);
  bool loaded = false;
  for (int32_t i = 0; i < p->contact_count; ++i) {
    if (p->law[i] == CPS_LAW_BILATERAL || p->law[i] == CPS_LAW_FREE) continue;
    int d = cps_contact_dim(p, i);
    const double* r_i = r + p->offset[i];
    double size = 0.0;
    for (int k = 0; k < d; ++k) size = fmax(size, fabs(r_i[k]));
    if (!(size > zero)) continue;
    if (!(p->xi[i] * cps_law_tangent_norm(d, u + p->offset[i]) <= slow)) return false;
    loaded = true;
  }
  return loaded;
}

// Whether a loaded contact is over a gap that closes faster than the tolerance: the next step is another problem, and Newton's method
// struggles with contacts that are loaded the moment they close.
static bool closes_gaps(const CpsSolve* solve, const double* r) {
  const CpsProblem* p = solve->problem;
  if (!p->has_shift) return false;
  const double zero = solve->options->tolerance * cps_residual_scale(p, r);
  for (int32_t i = 0; i < p->contact_count; ++i) {
    const int64_t at = p->offset[i];
    if (fabs(r[at]) > zero && p->xi[i] * fabs(p->b[at] - p->b_plain[at]) > zero) return true;
  }
  return false;
}

// Newton's method from the best impulses; solve->options are `fine`.
static CpsStatus carry_on(CpsSolve* solve, CpsSolveOptions* fine) {
  const CpsProblem* p = solve->problem;
  CpsProximal proximal;
  double* r = CPS_TAKE(solve->arena, double, p->row_count);
  if (!r) return cps_fail(solve->error, CPS_NO_MEMORY, "not enough memory to refine");
  memcpy(r, solve->best_r, (size_t)p->row_count * sizeof *r);
  bool go = true;
  CpsStatus status = p->sparse ? cps_proximal_create_primal(solve, NULL, WEIGHT_SPARSE, &proximal)
                               : cps_proximal_create(solve, WEIGHT, &proximal);
  if (status == CPS_OK) status = cps_proximal_run(solve, &proximal, PATIENCE, r, &go);
  if (status != CPS_OK || solve->best_residual > fine->tolerance) return status;
  fine->tolerance *= FINER;
  go = true;
  return cps_proximal_run(solve, &proximal, 1, r, &go);
}

CpsStatus cps_refine(CpsSolve* solve) {
  const CpsProblem* p = solve->problem;
  const CpsSolveOptions* asked = solve->options;
  double enough = FINE * fmax(1.0, p->contact_count / FINE_CONTACTS);
  int32_t limit = p->sparse ? MOST_SPARSE : solve->iterations >= HARD ? MOST_CONTACTS : FEW_CONTACTS;
  if (p->contact_count > limit || asked->tolerance <= enough || !(solve->best_residual > enough)) return CPS_OK;
  if (!solve->u_is_best) cps_solve_apply_W(solve, solve->best_r, p->b, solve->u_scratch);
  solve->u_is_best = true;
  if (!creeps(solve, solve->best_r, solve->u_scratch)) return CPS_OK;
  const bool solved = solve->best_residual <= asked->tolerance;
  if (solved && !p->sparse && p->contact_count > FEW_CONTACTS && closes_gaps(solve, solve->best_r)) return CPS_OK;
  CpsSolveOptions fine = *asked;
  fine.tolerance = enough;
  int64_t before = solve->iterations, most = before + MOST_STEPS;
  fine.max_iterations = most < asked->max_iterations ? most : asked->max_iterations;
  solve->options = &fine;
  CpsStatus status = carry_on(solve, &fine);
  solve->options = asked;
  // no subproblem for this method
  solve->inner_iterations += solve->iterations - before;
  solve->iterations = before;
  // it was solved before; report only the caller's own limits
  if (solve->stop == CPS_NOT_CONVERGED) solve->stop = CPS_OK;
  return status;
}
