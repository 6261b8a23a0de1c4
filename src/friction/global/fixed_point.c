// Fixed point on s around convex subproblems (Cadoux 2009; Acary, Cadoux, Lemarechal, Malick 2011).
//
//   Coulomb's law  <=>  K_{1/mu} contains u~ = u + E s, orthogonal to r in K_mu,  with  s_i = ||u_T,i||,
//                       E = blockdiag(mu_i e_i)                                                                   (1)
//   r^{k+1} = argmin 1/2 r^T S r + (b + (W - S) r^k + E s^k).r  over  r_i in C_i                                  (2)
//   s^{k+1} = s^k + omega (||u_T|| - s^k),   u = W r^{k+1} + b                                                    (3)
//
// For fixed s the law (1) is the optimality condition of the convex problem (2) (docs/theory/convex-fixed-point.md).
// The term (W - S) r^k carries the skew part of W, so that a limit solves the problem as given. omega is 1 until the
// error stops falling. A limit is a solution; convergence is not guaranteed, and (2) may be unbounded below for an s
// that is too small even where the problem has a solution.
#include "friction/global/fixed_point.h"

#include "friction/law.h"
#include "friction/residual.h"

#include <math.h>

// Iterations without a new best error after which omega is halved, and the smallest omega.
static const int patience = 8;
static const double omega_min = 1.0 / 64.0;

// (3); the first s is taken whole. Under the relaxation s stays 0.
static void update_s(const CpsProblem* problem, const double* u, double omega, double* s) {
  for (int32_t i = 0; i < problem->contact_count; i++) {
    if (problem->law[i] != CPS_LAW_COULOMB) continue;
    double target = cps_law_tangent_norm(cps_contact_dim(problem, i), u + problem->offset[i]);
    s[i] += omega * (target - s[i]);
  }
}

// q = b + (W - S) r + E s, with b + W r = u at hand
static void right_side(const CpsProblem* problem, const double* u, const double* Sr, const double* s, double* q) {
  for (int64_t k = 0; k < problem->row_count; k++) q[k] = u[k] - Sr[k];
  for (int32_t i = 0; i < problem->contact_count; i++) {
    if (problem->law[i] == CPS_LAW_COULOMB) q[problem->offset[i]] += problem->mu[i] * s[i];
  }
}

static bool any_nonzero(int64_t count, const double* x) {
  for (int64_t k = 0; k < count; k++) {
    if (x[k] != 0.0) return true;
  }
  return false;
}

CpsStatus cps_fixed_point_run(CpsSolve* solve, const CpsFixedPoint* fixed_point, double* r) {
  const CpsProblem* problem = solve->problem;
  int64_t rows = problem->row_count;
  double* u = CPS_TAKE(solve->arena, double, rows);
  double* ut = CPS_TAKE(solve->arena, double, rows);
  double* Sr = CPS_TAKE(solve->arena, double, rows);
  double* q = CPS_TAKE(solve->arena, double, rows);
  double* s = CPS_TAKE_ZERO(solve->arena, double, problem->contact_count);
  if (!u || !ut || !Sr || !q || !s) return CPS_NO_MEMORY;

  cps_problem_law_velocity(problem, r, u);
  double error, best = INFINITY, omega = 1.0;
  int stalled = 0;
  if (!cps_solve_offer(solve, r, u, &error)) return CPS_OK;
  // without a first guess the first step is the relaxation s = 0, not the s of a free fall
  if (!fixed_point->relaxed && any_nonzero(rows, r)) update_s(problem, u, 1.0, s);

  for (;;) {
    double scale = cps_residual_scale(problem, r);
    if (fixed_point->relaxed) error = scale > 0.0 ? cps_conic_error(problem, r, u) / scale : 0.0;
    // never far below the goal: the last digits of a subproblem cost most
    double inner = fmax(fixed_point->inner_ratio * fmin(error, 1.0), 0.1 * solve->options->tolerance) * scale;
    cps_conic_apply(fixed_point->conic, r, Sr);
    right_side(problem, u, Sr, s, q);
    bool has_ut = false;
    CpsStatus status = fixed_point->step(fixed_point->step_data, solve, q, inner, r, ut, &has_ut);
    if (status < 0) return status;

    cps_problem_law_velocity(problem, r, u);
    if (!cps_solve_check(solve, r, u, &error)) return CPS_OK;
    if (fixed_point->relaxed) {
      scale = cps_residual_scale(problem, r);
      if (!(cps_conic_error(problem, r, u) > solve->options->tolerance * scale)) return CPS_OK;
      continue;
    }
    if (error < 0.9 * best) {
      best = error;
      stalled = 0;
    } else if (++stalled >= patience) {
      omega = fmax(0.5 * omega, omega_min);
      stalled = 0;
    }
    update_s(problem, has_ut ? ut : u, omega, s);
  }
}
