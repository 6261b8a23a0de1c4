// Solving on where contacts creep (docs/theory/rest.md).
//
// Near the limit of friction the digits of a simulation do not suffice. A block on a ramp with mu = tan(theta) (1 - m) gains
// h g sin(theta) m of speed in a step; a residual of e leaves an error of about h g e. Whether it sticks or slides is
// decided for m > e only, and what is left to err adds up, step by step, in one direction.
//
// So a solution in which every loaded contact is slow,
//
//   xi_i ||u_i,T|| <= CREEP tolerance (max_j ||r_j|| + max_j xi_j ||b_j||)   for all i with r_i != 0,              (1)
//
// is carried on by the proximal Newton method (global/prox_loop.c), whose last steps converge quadratically, until its
// residual is FINE, a few hundred rounding errors. Moving objects are not examined further. What rests and was refined in the last step starts below FINE and costs nothing.
//
// Not guaranteed: FINE. Newton's method stops where rounding does not let it halve the residual, or after MOST_STEPS.
#include "friction/refine.h"

#include "core/error.h"
#include "friction/global/prox_loop.h"
#include "friction/law.h"
#include "friction/residual.h"

#include <math.h>
#include <string.h>

// In parts of the tolerance: what is faster than the first is known to two digits at least. With a rough tolerance it is
// bounded by the second, so that what moves is not mistaken for rest.
static const double CREEP = 100.0, CREEP_MOST = 1e-3;
// Residual that is fine, and the contacts from which it grows in proportion, as rounding does.
static const double FINE = 1e-13, FINE_CONTACTS = 20.0;
// Once it is fine, one step more is taken as long as that gains, so that the next steps of a simulation start well below.
static const double FINER = 0.1;
// First weight of the proximal term: the guess is good.
static const double WEIGHT = 1e-6;
// The same of large members, where a subproblem that is not solved costs many factorisations.
static const double WEIGHT_SPARSE = 1e-4;

enum {
  FEW_CONTACTS = 500,    // of more, a Newton step is dearer than a step of a simulation; up to
  MOST_CONTACTS = 2000,  // so many it is worth it where the solve took at least
  HARD = 100,            // so many iterations: in the first step of an island that rests from then on
  MOST_SPARSE = 4000,    // the same of large members, whose systems do not grow with them
  MOST_STEPS = 20,       // proximal steps,
  PATIENCE = 8,          // of which so many need not gain
};

// (1), and that there is a loaded contact at all.
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

// Whether a loaded contact is over a gap that closes faster than the tolerance: next time it is another problem, and Newton's method has a
// hard time with contacts that are loaded the moment that they close.
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
  // they are not of the method's kind
  solve->inner_iterations += solve->iterations - before;
  solve->iterations = before;
  // it was solved before; only the caller's own limits are worth a word
  if (solve->stop == CPS_NOT_CONVERGED) solve->stop = CPS_OK;
  return status;
}
