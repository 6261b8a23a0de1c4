// Proximal point method with a semismooth Newton method inside.
//
//   r^{k+1}  solves  u = W r + b + (weight_k / xi_i)(r - r^k),  (u, r) in the law (1)
//
// The proximal term, in the metric of the xi_i, makes each subproblem regular although W is singular, and vanishes at
// the solution. Full Newton steps (prox_newton.c) solve the subproblem roughly as long as ||F|| stays below SLACK times
// its start: the map is only piecewise smooth, and a monotone line search would stop at its kinks. A solved subproblem
// reduces the next weight; an unsolved one returns its best iterate and increases the weight.
//
// Not guaranteed: with friction the problem is not monotone and (1) may wander. In practice it is the most robust
// method here; auto restarts it from other points when it wanders.
#include "friction/global/prox_loop.h"

#include "core/error.h"

#include <math.h>
#include <string.h>

static const double LEAST_WEIGHT = 1e-9, MOST_WEIGHT = 1e3;
static const double GROW = 4.0;
// Factors of the weight after a quick and after a fair solution: bold while every subproblem is solved, careful after
// the first failure, because too small a weight wastes all NEWTON_STEPS.
static const double BOLD[2] = {0.1, 0.316}, CAREFUL[2] = {0.5, 0.7};
static const double SOLVED = 0.3;    // ||F|| relative to its start at which a subproblem counts as solved
static const double SLACK = 1000.0;  // tolerated growth of ||F|| in a Newton step
// After a reduction this large the weight and the factor of the system are kept: the weight is no obstacle.
static const double FAST = 0.1;
enum { NEWTON_STEPS = 20, HALVINGS = 8, QUICK = 3, FAIR = 8 };

// Not before the first run: callers often only want the cost of a run.
static CpsStatus take_buffers(CpsSolve* solve, CpsProximal* proximal) {
  int64_t m = solve->problem->row_count;
  if (proximal->best_u) return CPS_OK;
  double** buffers[] = {&proximal->centre,  &proximal->u,       &proximal->F,    &proximal->step,  &proximal->trial,
                        &proximal->trial_u, &proximal->trial_F, &proximal->best, &proximal->best_u};
  for (size_t k = 0; k < sizeof buffers / sizeof *buffers; ++k) {
    *buffers[k] = CPS_TAKE(solve->arena, double, m);
    if (!*buffers[k]) return cps_fail(solve->error, CPS_NO_MEMORY, "not enough memory for the proximal method");
  }
  return CPS_OK;
}

CpsStatus cps_proximal_create(CpsSolve* solve, double weight, CpsProximal* proximal) {
  *proximal = (CpsProximal){.weight = weight};
  return cps_prox_newton_create(solve, &proximal->newton);
}

CpsStatus cps_proximal_create_primal(CpsSolve* solve, const CpsPrimalSystem* system, double weight,
                                     CpsProximal* proximal) {
  *proximal = (CpsProximal){.weight = weight};
  proximal->newton.problem = solve->problem;
  proximal->primal = CPS_TAKE(solve->arena, CpsPrimalStep, 1);
  proximal->W_step = CPS_TAKE(solve->arena, double, solve->problem->row_count);
  if (!proximal->primal || !proximal->W_step)
    return cps_fail(solve->error, CPS_NO_MEMORY, "not enough memory for the proximal method");
  return cps_primal_step_create(solve, system, proximal->primal);
}

static void find_velocity(CpsSolve* solve, const double* r, double* u) {
  const CpsProblem* p = solve->problem;
  if (p->sparse) {
    cps_solve_apply_W(solve, r, p->b, u);
  } else {
    cps_problem_law_velocity(p, r, u);
  }
}

static CpsBlockLuResult find_step(CpsSolve* solve, CpsProximal* x, const double* r) {
  if (!x->primal) return cps_prox_newton_step(&x->newton, r, x->u, x->centre, x->weight, x->F, x->step);
  bool found = cps_primal_step(solve, x->primal, r, x->u, x->centre, x->weight, x->F, x->step, x->W_step);
  return found ? CPS_BLOCK_LU_OK : CPS_BLOCK_LU_SINGULAR;
}

// r + alpha step with the largest alpha = 1, 1/2, … that keeps ||F|| bounded; false if there is none.
static bool search(CpsSolve* solve, CpsProximal* x, const double* r, double norm, double start, double* norm_out) {
  const CpsProblem* p = solve->problem;
  double alpha = 1.0;
  for (int k = 0; k < HALVINGS; ++k, alpha *= 0.5) {
    for (int64_t q = 0; q < p->row_count; ++q) x->trial[q] = r[q] + alpha * x->step[q];
    if (x->primal) {
      for (int64_t q = 0; q < p->row_count; ++q) x->trial_u[q] = x->u[q] + alpha * x->W_step[q];
    } else {
      cps_problem_law_velocity(p, x->trial, x->trial_u);
    }
    *norm_out = cps_prox_newton_map(&x->newton, x->trial, x->trial_u, x->centre, x->weight, x->trial_F);
    if (*norm_out < (1.0 - 0.01 * alpha) * fmax(norm, SLACK * start)) return true;
  }
  return false;
}

static void swap(double** a, double** b) {
  double* c = *a;
  *a = *b;
  *b = c;
}

// One subproblem. Replaces r and x->u by its best iterate. Returns the Newton steps taken, negative if it was not
// solved; *status reports lack of memory.
static int solve_subproblem(CpsSolve* solve, CpsProximal* x, double* r, CpsStatus* status) {
  size_t bytes = (size_t)solve->problem->row_count * sizeof *r;
  memcpy(x->centre, r, bytes);
  memcpy(x->best, r, bytes);
  memcpy(x->best_u, x->u, bytes);
  double start = cps_prox_newton_map(&x->newton, r, x->u, x->centre, x->weight, x->F), norm = start, best = start;
  bool solved = false;
  int k = 0;
  for (; k < NEWTON_STEPS && !solved; ++k) {
    CpsBlockLuResult result = find_step(solve, x, r);
    if (result == CPS_BLOCK_LU_NO_MEMORY) {
      *status = cps_fail(solve->error, CPS_NO_MEMORY, "not enough memory for the Newton matrix");
      return -1;
    }
    if (!x->primal) solve->factorisations++;
    double next;
    if (result != CPS_BLOCK_LU_OK || !search(solve, x, r, norm, start, &next)) break;
    if (!x->primal) solve->inner_iterations++;
    norm = next;
    memcpy(r, x->trial, bytes);
    swap(&x->u, &x->trial_u);
    swap(&x->F, &x->trial_F);
    if (norm < best) {
      best = norm;
      memcpy(x->best, r, bytes);
      memcpy(x->best_u, x->u, bytes);
    }
    solved = norm <= SOLVED * start;
    if (cps_solve_cancelled(solve)) break;
  }
  if (!solved) {
    memcpy(r, x->best, bytes);
    memcpy(x->u, x->best_u, bytes);
  }
  return solved ? k : -k - 1;
}

CpsStatus cps_proximal_run(CpsSolve* solve, CpsProximal* proximal, int patience, double* r, bool* go) {
  CpsStatus status = take_buffers(solve, proximal);
  if (status != CPS_OK) return status;
  double mark = solve->best_residual, last = solve->best_residual;
  int waited = 0;
  find_velocity(solve, r, proximal->u);
  while (*go && waited < patience) {
    int steps = solve_subproblem(solve, proximal, r, &status);
    if (status != CPS_OK) return status;
    if (proximal->primal) find_velocity(solve, r, proximal->u);  // without the rounding of the steps
    double residual;
    *go = cps_solve_check(solve, r, proximal->u, &residual);
    if (steps < 0) {
      proximal->careful = true;
      proximal->weight = fmin(proximal->weight * GROW, MOST_WEIGHT);
    } else {
      const double* shrink = proximal->careful ? CAREFUL : BOLD;
      double factor = steps <= QUICK + 1 ? shrink[0] : steps <= FAIR + 1 ? shrink[1] : 1.0;
      if (proximal->primal && steps == 1 && residual <= FAST * last) factor = 1.0;
      proximal->weight = fmax(proximal->weight * factor, LEAST_WEIGHT);
    }
    last = residual;
    waited++;
    if (solve->best_residual <= 0.5 * mark) {
      mark = solve->best_residual;
      waited = 0;
    }
  }
  return status;
}
