// Alternating directions in the velocities with the factor of M~ + sum_i rho_i A_i^T A_i.
//
// De Saxce's law is K* in u~ = A v + b + E s, r in K, orthogonal; with a copy z of u~ and the scaled multiplier y = -r/rho:
//
//   (M~ + A^T R A) v = A^T R (z - y - b - E s),   R = diag(rho_i),  rho_i = rho xi_i                               (1)
//   x = alpha u~ + (1 - alpha) z + y,   z = P_K*(x),   y = x - z,   r = -R y = R P_K(-x)                           (2)
//   s_i = ||z_i,T||                                                                                                (3)
//
// Boyd et al. 2011, sections 3.1 and 3.4; (3) after each iteration as in Carpentier et al. 2024 instead of a fixed point around convex
// problems. (1) is regular and well conditioned for any number of contacts per node: redundant contacts, where Newton methods have no unique
// target, cost nothing here. r is in its cone at every iteration. An iteration maps x of (2), with z = P_K*(x) and y = x - z; Anderson
// acceleration (anderson.c) speeds up its fixed point. rho follows the ratio of the residuals, at growing intervals (Stellato et al. 2020,
// section 5.2); each change costs a factorisation.
//
// Not guaranteed: convergence. It is linear down to the last digits, and with friction the problem is not convex.
#include "friction/global/splitting_loop.h"

#include "core/error.h"
#include "friction/law.h"

#include <math.h>
#include <string.h>

static const double ALPHA = 1.6;
static const double FIRST_RHO = 0.4;  // sheets on obstacles end at 0.2 to 0.7
static const double RHO_LEAST = 1e-6, RHO_MOST = 1e6, RHO_CHANGE = 3.0;

enum { MEASURE_EVERY = 5, FIRST_LOOK = 10 };

static double rho_of(const CpsSplitting* x, int32_t i) {
  return x->problem->law[i] == CPS_LAW_FREE ? 0.0 : x->rho * x->problem->xi[i];
}

static bool factor(CpsSolve* solve, CpsSplitting* x) {
  const CpsProblem* p = x->problem;
  memset(x->R, 0, (size_t)cps_diag_at(p, p->contact_count) * sizeof *x->R);
  for (int32_t i = 0; i < p->contact_count; ++i) {
    int d = cps_contact_dim(p, i);
    for (int a = 0; a < d; ++a) x->R[cps_diag_at(p, i) + a * (d + 1)] = rho_of(x, i);
  }
  x->factored = cps_primal_system_factor(solve, &x->system, x->R);
  return x->factored;
}

// x <- P_K*(x)
static void project(const CpsProblem* p, int32_t i, double* x) {
  int d = cps_contact_dim(p, i);
  if (p->law[i] == CPS_LAW_BILATERAL) memset(x, 0, (size_t)d * sizeof *x);
  if (p->law[i] == CPS_LAW_COULOMB || p->law[i] == CPS_LAW_CONVEX) cps_law_project_dual(d, p->mu[i], x);
}

static double saxce(const CpsSplitting* x, int32_t i) {
  return x->problem->law[i] == CPS_LAW_COULOMB ? x->problem->mu[i] * x->s[i] : 0.0;
}

// (1), as A v
static void solve_velocities(CpsSplitting* x) {
  const CpsProblem* p = x->problem;
  for (int32_t i = 0; i < p->contact_count; ++i) {
    double rho = rho_of(x, i);
    int64_t o = p->offset[i];
    for (int a = 0; a < cps_contact_dim(p, i); ++a) {
      x->Av[o + a] = rho * (x->z[o + a] - x->y[o + a] - p->b[o + a] - (a == 0 ? saxce(x, i) : 0.0));
    }
  }
  cps_primal_system_respond(&x->system, x->Av, x->Av);
}

// (2) and (3), and the residuals in units of an impulse
static void update(CpsSplitting* x, double* r) {
  const CpsProblem* p = x->problem;
  double gap = 0.0, change = 0.0, size_u = 0.0, size_r = 0.0;
  for (int32_t i = 0; i < p->contact_count; ++i) {
    double u[CPS_DIM_MAX], t[CPS_DIM_MAX], rho = rho_of(x, i), xi = p->xi[i];
    int d = cps_contact_dim(p, i);
    int64_t o = p->offset[i];
    for (int a = 0; a < d; ++a) {
      u[a] = x->Av[o + a] + p->b[o + a] + (a == 0 ? saxce(x, i) : 0.0);
      t[a] = ALPHA * u[a] + (1.0 - ALPHA) * x->z[o + a] + x->y[o + a];
      x->y[o + a] = t[a];
    }
    project(p, i, t);
    for (int a = 0; a < d; ++a) {
      gap = fmax(gap, xi * fabs(u[a] - t[a]));
      change = fmax(change, rho * fabs(t[a] - x->z[o + a]));
      size_u = fmax(size_u, xi * fmax(fabs(t[a]), fabs(p->b[o + a])));
      x->y[o + a] -= t[a];
      x->z[o + a] = t[a];
      r[o + a] = -rho * x->y[o + a];
      size_r = fmax(size_r, fabs(r[o + a]));
    }
    x->s[i] = cps_law_tangent_norm(d, x->z + o);
  }
  x->primal = size_u > 0.0 ? gap / size_u : 0.0;
  x->dual = size_r > 0.0 ? change / size_r : 0.0;
}

// Balances the residuals; true if rho has changed.
static bool adapt(CpsSplitting* x, double* kept) {
  if (!(x->primal > 0.0) || !(x->dual > 0.0)) return false;
  double rho = fmin(fmax(x->rho * sqrt(x->primal / x->dual), RHO_LEAST), RHO_MOST);
  if (rho < RHO_CHANGE * x->rho && rho > x->rho / RHO_CHANGE) return false;
  for (int64_t k = 0; k < x->problem->row_count; ++k) x->y[k] *= x->rho / rho;
  for (int64_t k = 0; k < x->problem->row_count; ++k) x->x[k] = x->z[k] + x->y[k];
  cps_anderson_restart(&x->anderson);
  *kept = x->rho = rho;
  return true;
}

CpsStatus cps_splitting_create(CpsSolve* solve, const CpsPrimalSystem* system, const double* r, CpsSplitting* x) {
  const CpsProblem* p = solve->problem;
  *x = (CpsSplitting){.problem = p, .rho = *solve->rho > 0.0 ? *solve->rho : FIRST_RHO, .next_look = FIRST_LOOK};
  CpsStatus status = CPS_OK;
  if (system) {
    x->system = *system;
  } else {
    status = cps_primal_system_create(solve, &x->system);
  }
  if (status != CPS_OK) return status;
  x->z = CPS_TAKE(solve->arena, double, p->row_count);
  x->y = CPS_TAKE(solve->arena, double, p->row_count);
  x->s = CPS_TAKE(solve->arena, double, p->contact_count);
  x->R = CPS_TAKE(solve->arena, double, cps_diag_at(p, p->contact_count));
  x->Av = CPS_TAKE(solve->arena, double, p->row_count);
  x->x = CPS_TAKE(solve->arena, double, p->row_count);
  x->G = CPS_TAKE(solve->arena, double, p->row_count);
  x->scale = CPS_TAKE(solve->arena, double, p->row_count);
  if (!x->z || !x->y || !x->s || !x->R || !x->Av || !x->x || !x->G || !x->scale ||
      !cps_anderson_create(solve->arena, p->row_count, x->scale, &x->anderson)) {
    return cps_fail(solve->error, CPS_NO_MEMORY, "not enough memory for the splitting");
  }
  cps_solve_apply_W(solve, r, p->b, x->z);
  for (int32_t i = 0; i < p->contact_count; ++i) {
    int64_t o = p->offset[i];
    int d = cps_contact_dim(p, i);
    double rho = rho_of(x, i), start[CPS_DIM_MAX];
    x->s[i] = cps_law_tangent_norm(d, x->z + o);
    x->z[o] += saxce(x, i);
    project(p, i, x->z + o);
    memcpy(start, r + o, (size_t)d * sizeof *start);
    if (p->law[i] == CPS_LAW_COULOMB || p->law[i] == CPS_LAW_CONVEX) cps_law_project_cone(d, p->mu[i], start);
    for (int a = 0; a < d; ++a) {
      x->y[o + a] = rho > 0.0 ? -start[a] / rho : 0.0;
      x->x[o + a] = x->z[o + a] + x->y[o + a];
      x->scale[o + a] = p->xi[i];
    }
  }
  return CPS_OK;
}

// z, y and s from the next x.
static void accelerate(CpsSplitting* x) {
  const CpsProblem* p = x->problem;
  for (int64_t k = 0; k < p->row_count; ++k) x->G[k] = x->z[k] + x->y[k];
  cps_anderson_step(&x->anderson, x->G, x->x);
  memcpy(x->z, x->x, (size_t)p->row_count * sizeof *x->z);
  for (int32_t i = 0; i < p->contact_count; ++i) {
    const int64_t o = p->offset[i];
    const int d = cps_contact_dim(p, i);
    project(p, i, x->z + o);
    for (int a = 0; a < d; ++a) x->y[o + a] = x->x[o + a] - x->z[o + a];
    x->s[i] = cps_law_tangent_norm(d, x->z + o);
  }
}

// Remaining iterations at the rate between two measurements; infinite without progress.
static double iterations_left(double before, double now, double target) {
  if (!(now < before)) return INFINITY;
  return MEASURE_EVERY * log(target / now) / log(now / before);
}

bool cps_splitting_run(CpsSolve* solve, CpsSplitting* x, double patience, double* r) {
  double before = INFINITY, now;
  if (!x->factored && !factor(solve, x)) return true;
  for (int64_t k = 1;; ++k) {
    solve_velocities(x);
    update(x, r);
    bool changed = false;
    if (++x->iterations >= x->next_look) {
      x->next_look += FIRST_LOOK + x->next_look / 2;
      changed = adapt(x, solve->rho);
      if (changed && !factor(solve, x)) return true;
    }
    if (k % MEASURE_EVERY == 0) {
      if (!cps_solve_check(solve, r, NULL, &now)) return false;
      if (k > MEASURE_EVERY && iterations_left(before, now, solve->options->tolerance) > patience) return true;
      before = now;
    } else if (!cps_solve_tick(solve)) {
      return false;
    }
    if (!changed) accelerate(x);
  }
}
