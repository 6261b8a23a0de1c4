// Fixed point on s around convex subproblems (Cadoux 2009; Acary, Cadoux, Lemarechal, Malick 2011).
//
//   Coulomb's law  <=>  K_{1/mu} contains u~ = u + E s, orthogonal to r in K_mu,  with  s_i = ||u_T,i||,
//                       E = blockdiag(mu_i e_i)                                                                   (1)
//   r^{k+1} = argmin 1/2 r^T S r + (b + (W - S) r^k + E s^k).r  over  r_i in C_i                                  (2)
//   s^{k+1} = s^k + omega R^k,  R^k = ||u_T|| - s^k,  u = W r^{k+1} + b                                           (3)
//   omega^k = -omega^{k-1} R^{k-1}.(R^k - R^{k-1}) / ||R^k - R^{k-1}||^2                                          (4)
//
// For fixed s the law (1) is the optimality condition of the convex problem (2) (docs/theory/convex-fixed-point.md).
// The term (W - S) r^k includes the skew part of W, so a limit solves the problem as given. Most steps (3) are plain,
// with omega = 1, or less when s oscillates. Every third takes omega from the secant (4) (Irons and Tuck 1969), because
// often a single slow mode remains (a factor of 0.999 per step was seen on real problems). An extrapolation that makes
// the error much larger is undone. A limit is a solution; convergence is not guaranteed, and (2) may be unbounded below
// for too small an s even if the problem has a solution.
#include "friction/global/fixed_point.h"

#include "friction/law.h"
#include "friction/residual.h"

#include <math.h>
#include <string.h>

// Plain steps (3) before each extrapolation (4), the bounds of omega, and the error growth that undoes a step.
static const int plain_steps = 2;
static const double omega_min = 0.1, omega_max = 1e4, growth_max = 10.0;
// Iterations without a clearly smaller error before plain steps are halved, and the shortest plain step.
static const int patience = 10;
static const double damping_min = 1.0 / 64.0;
// Size of r relative to that of q, both scaled by xi, above which r is suspected of growing without bound.
static const double huge = 1e4;

// s and the data of its steps: R = ||u_T|| - s of this iteration and the last, and s before an extrapolation.
typedef struct Slip {
  double *s, *R, *R_last, *s_saved;
  double omega;       // of the last step
  double damping;     // omega of plain steps
  double best_error;  // smallest error, and iterations since it last fell
  int stalled;
  double saved_error;  // error before the extrapolation on trial; 0: none
  int plain;           // plain steps since the last extrapolation
  bool has_last;
} Slip;

static bool create_slip(CpsSolve* solve, Slip* slip) {
  int64_t n = solve->problem->contact_count;
  double* memory = CPS_TAKE_ZERO(solve->arena, double, 4 * n);
  if (!memory) return false;
  *slip = (Slip){.s = memory,
                 .R = memory + n,
                 .R_last = memory + 2 * n,
                 .s_saved = memory + 3 * n,
                 .omega = 1.0,
                 .damping = 1.0,
                 .best_error = INFINITY};
  return true;
}

// R = ||u_T|| - s
static void measure_slip(const CpsProblem* problem, const double* u, Slip* slip) {
  double* swap = slip->R_last;
  slip->R_last = slip->R;
  slip->R = swap;
  for (int32_t i = 0; i < problem->contact_count; i++) {
    bool shifted = problem->law[i] == CPS_LAW_COULOMB;
    int d = cps_contact_dim(problem, i);
    slip->R[i] = shifted ? cps_law_tangent_norm(d, u + problem->offset[i]) - slip->s[i] : 0.0;
  }
}

static double dot(const CpsProblem* problem, const double* x, const double* y) {
  double sum = 0.0;
  for (int32_t i = 0; i < problem->contact_count; i++) {
    if (problem->law[i] == CPS_LAW_COULOMB) sum += problem->mu[i] * problem->mu[i] * problem->xi[i] * x[i] * y[i];
  }
  return sum;
}

// Shortens plain steps if the error stalls and R reverses, that is, if s oscillates instead of creeping.
static void damp(const CpsProblem* problem, double error, Slip* slip) {
  if (error < 0.9 * slip->best_error) {
    slip->best_error = error;
    slip->stalled = 0;
  } else if (++slip->stalled >= patience) {
    double RR = dot(problem, slip->R, slip->R_last);
    double size = sqrt(dot(problem, slip->R, slip->R) * dot(problem, slip->R_last, slip->R_last));
    if (RR < 0.9 * size) slip->damping = fmax(0.5 * slip->damping, damping_min);
    slip->stalled = 0;
  }
}

// (4), in the metric of the error measure: mu_i xi_i R_i is an impulse
static double extrapolated_omega(const CpsProblem* problem, const Slip* slip) {
  double RR = dot(problem, slip->R_last, slip->R_last), RR1 = dot(problem, slip->R_last, slip->R);
  double dRdR = RR - 2.0 * RR1 + dot(problem, slip->R, slip->R);
  double omega = dRdR > 0.0 ? slip->omega * (RR - RR1) / dRdR : 1.0;
  return fmin(fmax(omega, omega_min), omega_max);
}

// s <- s + omega R, never negative
static void update_slip(const CpsProblem* problem, const double* u, double error, Slip* slip) {
  int32_t n = problem->contact_count;
  if (slip->saved_error > 0.0 && !(error <= growth_max * slip->saved_error)) {
    memcpy(slip->s, slip->s_saved, (size_t)n * sizeof(double));  // the extrapolation was too large
    slip->saved_error = 0.0;
    slip->has_last = false;
    slip->plain = -4 * plain_steps;
    return;
  }
  measure_slip(problem, u, slip);
  damp(problem, error, slip);
  double omega = slip->damping;
  slip->saved_error = 0.0;
  if (slip->has_last && slip->plain >= plain_steps) {
    omega = extrapolated_omega(problem, slip);
    slip->plain = 0;
    slip->saved_error = error;
    memcpy(slip->s_saved, slip->s, (size_t)n * sizeof(double));
  } else {
    slip->plain++;
  }
  for (int32_t i = 0; i < n; i++) slip->s[i] = fmax(0.0, slip->s[i] + omega * slip->R[i]);
  slip->omega = omega;
  slip->has_last = true;
}

// q = b + (W - S) r + E s, with b + W r = u known
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

// Is (2) unbounded below along r? A minimiser has r.(S r + q) = 0; a huge r whose objective still falls when doubled
// reveals a direction with r^T S r = 0 and q.r < 0. A measure relative to ||r|| would accept such an r.
static bool unbounded(const CpsProblem* problem, const double* q, const double* r, const double* Sr) {
  double rSr = 0.0, qr = 0.0, size_r = 0.0, size_q = 0.0;
  for (int32_t i = 0; i < problem->contact_count; i++) {
    for (int64_t k = problem->offset[i]; k < problem->offset[i + 1]; k++) {
      rSr += r[k] * Sr[k];
      qr += q[k] * r[k];
      size_r = fmax(size_r, fabs(r[k]) / sqrt(problem->xi[i]));
      size_q = fmax(size_q, fabs(q[k]) * sqrt(problem->xi[i]));
    }
  }
  return size_r > huge * size_q && 2.0 * rSr < -qr;
}

// A larger s makes (2) bounded: then u~_N = u_N + mu s can be positive everywhere without any impulse.
static void raise_slip(const CpsProblem* problem, Slip* slip) {
  for (int32_t i = 0; i < problem->contact_count; i++) {
    if (problem->law[i] != CPS_LAW_COULOMB) continue;
    double sum = 0.0;
    for (int64_t k = problem->offset[i]; k < problem->offset[i + 1]; k++) sum += problem->b[k] * problem->b[k];
    slip->s[i] = fmax(2.0 * slip->s[i], sqrt(sum));
  }
  slip->saved_error = 0.0;
  slip->has_last = false;
}

CpsStatus cps_fixed_point_run(CpsSolve* solve, const CpsFixedPoint* fixed_point, double* r) {
  const CpsProblem* problem = solve->problem;
  int64_t rows = problem->row_count;
  double* u = CPS_TAKE(solve->arena, double, rows);
  double* ut = CPS_TAKE(solve->arena, double, rows);
  double* Sr = CPS_TAKE(solve->arena, double, rows);
  double* q = CPS_TAKE(solve->arena, double, rows);
  double* r_last = CPS_TAKE(solve->arena, double, rows);
  Slip slip;
  if (!u || !ut || !Sr || !q || !r_last || !create_slip(solve, &slip)) return cps_conic_no_memory(solve);

  cps_problem_law_velocity(problem, r, u);
  double error;
  if (!cps_solve_offer(solve, r, u, &error)) return CPS_OK;
  // without a first guess the first step is the relaxation s = 0, not the s of free fall
  if (!fixed_point->relaxed && any_nonzero(rows, r)) update_slip(problem, u, error, &slip);

  cps_conic_apply(fixed_point->conic, r, Sr);
  for (;;) {
    double scale = cps_residual_scale(problem, r);
    if (fixed_point->relaxed) error = scale > 0.0 ? cps_conic_error(problem, r, u) / scale : 0.0;
    // never far below the goal: the last digits of a subproblem are the most expensive
    double inner = fmax(fixed_point->inner_ratio * fmin(error, 1.0), 0.1 * solve->options->tolerance) * scale;
    right_side(problem, u, Sr, slip.s, q);
    memcpy(r_last, r, (size_t)rows * sizeof *r);
    bool has_ut = false;
    CpsStatus status = fixed_point->step(fixed_point->step_data, solve, q, inner, r, ut, &has_ut);
    if (status < 0) return status;

    cps_conic_apply(fixed_point->conic, r, Sr);
    bool failed = unbounded(problem, q, r, Sr);
    if (failed) {
      memcpy(r, r_last, (size_t)rows * sizeof *r);
      cps_conic_apply(fixed_point->conic, r, Sr);
    }
    cps_problem_law_velocity(problem, r, u);
    if (!cps_solve_check(solve, r, u, &error)) return CPS_OK;
    if (fixed_point->relaxed) {
      scale = cps_residual_scale(problem, r);
      if (failed || !(cps_conic_error(problem, r, u) > solve->options->tolerance * scale)) return CPS_OK;
    } else if (failed) {
      raise_slip(problem, &slip);
    } else {
      update_slip(problem, has_ut ? ut : u, error, &slip);
    }
  }
}
