// Damped Newton on the whole problem.
//
//   A d = -f(r),   A = D W + E (newton_system.h),   r <- r + alpha d                       (1)
//   q(alpha) = 1/2 ||f(r + alpha d)||^2,   q'(0) = f.A d = -2 q(0) for an exact step        (2)
//
// with alpha from a line search on q. f is not smooth, so a minimum of q need not be a solution. When q has barely
// fallen for some steps, the shift of the system grows (shorter, more careful steps, as in a proximal method). If that
// fails too, a few full Newton steps are taken although q may rise (a watchdog, Chamberlain et al. 1982). solve.c keeps
// the best r of all.
//
// Not guaranteed: global convergence. Stops when neither remedy has improved the best q.
#include "friction/global/newton_loop.h"

#include "core/error.h"

#include <math.h>
#include <string.h>

// A step with more than this share of q left is a poor one.
static const double POOR_DECREASE = 0.9;
enum { POOR_STEPS_MAX = 4, LEAP_PERIOD = 8, LEAP_STEPS = 3, ESCAPES_MAX = 60 };
static const double SHIFT_MAX = 1e-1;
static const double SHIFT_NEGLIGIBLE = 1e-9;

double cps_newton_line_merit(const CpsNewtonLine* line, double alpha) {
  const CpsProblem* p = line->problem;
  double q = 0.0;
  for (int32_t i = 0; i < p->contact_count; i++) {
    int d = cps_contact_dim(p, i);
    int64_t first = p->offset[i];
    double r[CPS_DIM_MAX], u[CPS_DIM_MAX], f[CPS_DIM_MAX];
    for (int k = 0; k < d; k++) {
      r[k] = line->r[first + k] + alpha * line->d[first + k];
      u[k] = line->u[first + k] + alpha * line->Wd[first + k];
    }
    line->function((CpsLaw)p->law[i], d, p->mu[i], p->xi[i], r, u, f, NULL, NULL);
    for (int k = 0; k < d; k++) q += 0.5 * f[k] * f[k];
  }
  return q;
}

double cps_newton_evaluate(CpsNewtonSystem* s, CpsContactFunction function, const double* r, const double* u) {
  const CpsProblem* p = s->problem;
  double q = 0.0;
  for (int32_t i = 0; i < p->contact_count; i++) {
    int64_t first = p->offset[i], block = cps_diag_at(p, i);
    function((CpsLaw)p->law[i], cps_contact_dim(p, i), p->mu[i], p->xi[i], r + first, u + first, s->f + first,
             s->D + block, s->E + block);
  }
  for (int64_t k = 0; k < p->row_count; k++) q += 0.5 * s->f[k] * s->f[k];
  return q;
}

// Progress of the last steps, and the remedies in use.
typedef struct Progress {
  double best_q;
  int poor_steps;  // in a row
  int escapes;     // since best_q last fell
} Progress;

// Chooses the shift of the next system. Returns false if no remedy is left.
static bool learn(Progress* progress, CpsNewtonSystem* s, double q0, double q) {
  if (q < POOR_DECREASE * progress->best_q) progress->escapes = 0;
  progress->best_q = fmin(progress->best_q, q);
  progress->poor_steps = q < POOR_DECREASE * q0 ? 0 : progress->poor_steps + 1;
  if (progress->poor_steps == 0) {
    s->shift = s->shift > SHIFT_NEGLIGIBLE ? 0.1 * s->shift : 0.0;
    return true;
  }
  if (progress->poor_steps % POOR_STEPS_MAX != 0) return true;
  s->shift = s->shift < SHIFT_MAX ? fmin(SHIFT_MAX, fmax(1e-4, 10.0 * s->shift)) : 0.0;
  return ++progress->escapes <= ESCAPES_MAX;
}

CpsStatus cps_newton_run(CpsSolve* solve, double* r, CpsContactFunction function, CpsLineSearch search) {
  const CpsProblem* p = solve->problem;
  int64_t n = p->row_count;
  CpsNewtonSystem system;
  double *u = CPS_TAKE(solve->arena, double, n), *d = CPS_TAKE(solve->arena, double, n);
  double* Wd = CPS_TAKE(solve->arena, double, n);
  bool ready = cps_newton_system_create(solve, &system);
  if (!u || !d || !Wd || !ready) {
    cps_newton_system_destroy(&system);
    return cps_fail(solve->error, CPS_NO_MEMORY, "not enough memory for the Newton system");
  }
  cps_problem_law_velocity(p, r, u);
  double q0 = cps_newton_evaluate(&system, function, r, u);
  Progress progress = {.best_q = q0};
  // measure the guess too: a warm start may be the solution
  for (bool go = cps_solve_offer(solve, r, u, NULL); go;) {
    double slope = 0.0, q;
    bool newton = cps_newton_system_direction(solve, &system, d, Wd, &slope);
    if (system.no_memory || !(slope < 0.0)) break;  // f or its gradient is zero, or not finite
    CpsNewtonLine line = {p, function, r, u, d, Wd};
    bool leap = newton && progress.poor_steps % LEAP_PERIOD >= LEAP_PERIOD - LEAP_STEPS;
    double alpha = leap ? 1.0 : search(&line, q0, slope, &q);
    for (int64_t k = 0; k < n; k++) r[k] += alpha * d[k];
    cps_problem_law_velocity(p, r, u);
    q = cps_newton_evaluate(&system, function, r, u);
    go = isfinite(q) && cps_solve_check(solve, r, u, NULL) && learn(&progress, &system, q0, q);
    q0 = q;
  }
  cps_newton_system_destroy(&system);
  if (system.no_memory) return cps_fail(solve->error, CPS_NO_MEMORY, "not enough memory to factor the Newton system");
  return CPS_OK;
}
