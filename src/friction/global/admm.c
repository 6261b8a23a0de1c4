// admm: alternating directions with the splitting r = z inside the fixed point on s, so that a limit is exact.
//
//   (A + rho I) x^+ = rho (z - w) - c                    A = T S T, r = T z, c = T q                               (1)
//   x' = alpha x^+ + (1 - alpha) z,  z^+ = P_K(x' + w),  w^+ = w + x' - z^+                                       (2)
//
// Boyd et al. 2011, sections 3.1, 3.4 (over-relaxation alpha) on the convex problem of conic.h; -rho w tends to the
// velocity u~. A + rho I is factored once per value of rho. rho follows the ratio of primal and dual residuals, each
// relative to its own size (Stellato et al. 2020, section 5.2), at growing intervals. z, w and rho carry over from one
// s to the next. T as in conic_kkt.c with the cones unchanged. fixed_point.c is the outer loop. (1)-(2) converge for
// every rho, slowly if W is badly conditioned; the fixed point on s need not converge.
#include "friction/global/fixed_point.h"

#ifdef CAPSTAN_DIRECT
#include "friction/global/conic_kkt.h"
#include "friction/law.h"

#include <math.h>
#include <string.h>

static const double alpha = 1.6;
static const double rho_first = 0.1, rho_min = 1e-6, rho_max = 1e6;
// R^d blocks need no splitting; a small rho only keeps their part of the matrix regular.
static const double rho_bilateral = 1e-3;
// Iterations per convex step, and iterations between two measurements of its error.
static const int64_t inner_iterations = 2000, measure_every = 5;

typedef struct Admm {
  const CpsProblem* problem;
  CpsConic conic;
  CpsConicRows rows;
  CpsConicKkt kkt;
  double rho;
  double *x, *z, *w, *c, *rhs, *F2;  // unknowns
  double* g;                         // S r + q, rows of the problem
  int64_t iterations, next_look;     // total, and the count at which rho is examined next
  double primal, dual;               // relative residuals of the last iteration
} Admm;

static double block_rho(const Admm* admm, int32_t i) {
  return admm->problem->law[i] == CPS_LAW_BILATERAL ? rho_bilateral * admm->rho : admm->rho;
}

// false on failure; *status then tells whether it is an error
static bool factor(CpsSolve* solve, Admm* admm, CpsStatus* status) {
  const CpsConicRows* rows = &admm->rows;
  for (int32_t i = 0; i < admm->problem->contact_count; i++) {
    int d = (int)(rows->first[i + 1] - rows->first[i]);
    double* block = admm->F2 + admm->kkt.F2_first[i];
    for (int a = 0; a < d; a++) {
      for (int b = 0; b < d; b++) block[a * d + b] = a == b ? block_rho(admm, i) : 0.0;
    }
  }
  solve->factorisations++;
  if (cps_conic_kkt_factor(&admm->kkt, admm->F2)) return true;
  if (cps_ldl_no_memory(admm->kkt.ldl)) *status = cps_conic_no_memory(solve);
  return false;
}

// (1) and (2), and the relative residuals
static void iterate(Admm* admm, double* r) {
  const CpsProblem* problem = admm->problem;
  const CpsConicRows* rows = &admm->rows;
  for (int32_t i = 0; i < problem->contact_count; i++) {
    double rho = block_rho(admm, i);
    for (int64_t k = rows->first[i]; k < rows->first[i + 1]; k++) {
      admm->rhs[k] = rho * (admm->z[k] - admm->w[k]) - admm->c[k];
    }
  }
  cps_conic_kkt_solve(&admm->kkt, admm->F2, admm->rhs, admm->x);

  double gap = 0.0, change = 0.0, size_x = 0.0, size_u = 0.0;
  for (int32_t i = 0; i < problem->contact_count; i++) {
    int64_t at = rows->first[i];
    int d = (int)(rows->first[i + 1] - at);
    double rho = block_rho(admm, i), y[CPS_DIM_MAX] = {0}, z[CPS_DIM_MAX] = {0};
    for (int k = 0; k < d; k++) {
      y[k] = alpha * admm->x[at + k] + (1.0 - alpha) * admm->z[at + k] + admm->w[at + k];
      z[k] = y[k];
    }
    if (problem->law[i] != CPS_LAW_BILATERAL && d > 0) cps_law_project_cone(d, problem->mu[i], z);
    for (int k = 0; k < d; k++) {
      gap = fmax(gap, fabs(admm->x[at + k] - z[k]));
      change = fmax(change, rho * fabs(z[k] - admm->z[at + k]));
      size_x = fmax(size_x, fmax(fabs(z[k]), fabs(admm->x[at + k])));
      admm->w[at + k] = y[k] - z[k];
      size_u = fmax(size_u, fmax(rho * fabs(admm->w[at + k]), fabs(admm->c[at + k])));
      admm->z[at + k] = z[k];
      r[rows->row[at + k]] = rows->t[at + k] * z[k];
    }
  }
  admm->primal = size_x > 0.0 ? gap / size_x : 0.0;
  admm->dual = size_u > 0.0 ? change / size_u : 0.0;
}

// Balances the residuals; returns true if rho has changed. w is rescaled to keep rho w.
static bool adapt(Admm* admm) {
  if (!(admm->primal > 0.0) || !(admm->dual > 0.0)) return false;
  double factor_of_rho = sqrt(admm->primal / admm->dual);
  double rho = fmin(fmax(admm->rho * factor_of_rho, rho_min), rho_max);
  if (rho < 3.0 * admm->rho && rho > admm->rho / 3.0) return false;
  for (int64_t k = 0; k < admm->rows.count; k++) admm->w[k] *= admm->rho / rho;
  admm->rho = rho;
  return true;
}

static CpsStatus prepare(CpsSolve* solve, Admm* admm) {
  const CpsProblem* problem = solve->problem;
  admm->problem = problem;
  admm->rho = rho_first;
  admm->next_look = 10;
  if (!cps_conic_create(solve, true, &admm->conic) || !cps_conic_rows_create(solve, false, &admm->rows)) {
    return cps_conic_no_memory(solve);
  }
  CpsStatus status = cps_conic_kkt_create(solve, &admm->conic, &admm->rows, CPS_CONIC_DUAL, &admm->kkt);
  if (status != CPS_OK) return status;
  admm->kkt.refinements = 0;  // (2) tolerates the rounding of (1)
  int64_t n = admm->rows.count;
  double* memory = CPS_TAKE_ZERO(solve->arena, double, 5 * n);
  admm->F2 = CPS_TAKE(solve->arena, double, admm->kkt.F2_first[problem->contact_count] + 1);
  admm->g = CPS_TAKE(solve->arena, double, problem->row_count);
  if (!memory || !admm->F2 || !admm->g) return cps_conic_no_memory(solve);
  admm->x = memory;
  admm->z = memory + n;
  admm->w = memory + 2 * n;
  admm->c = memory + 3 * n;
  admm->rhs = memory + 4 * n;
  return CPS_OK;
}

// g = S r + q, and the error of r
static double measure(Admm* admm, const double* q, const double* r) {
  cps_conic_apply(&admm->conic, r, admm->g);
  for (int64_t k = 0; k < admm->problem->row_count; k++) admm->g[k] += q[k];
  return cps_conic_error(admm->problem, r, admm->g);
}

// The first guess as z, and its velocity as -rho w
static void start(Admm* admm, const double* q, double* r) {
  const CpsProblem* problem = admm->problem;
  for (int32_t i = 0; i < problem->contact_count; i++) cps_conic_project(problem, i, r + problem->offset[i]);
  measure(admm, q, r);
  for (int32_t i = 0; i < problem->contact_count; i++) {
    double* g = admm->g + problem->offset[i];
    int64_t at = admm->rows.first[i];
    bool bilateral = problem->law[i] == CPS_LAW_BILATERAL;
    if (!bilateral) cps_law_project_dual(cps_contact_dim(problem, i), problem->mu[i], g);
    for (int64_t k = at; k < admm->rows.first[i + 1]; k++) {
      admm->z[k] = r[admm->rows.row[k]] / admm->rows.t[k];
      admm->w[k] = bilateral ? 0.0 : -admm->rows.t[k] * g[k - at] / admm->rho;
    }
  }
}

static CpsStatus step(void* data, CpsSolve* solve, const double* q, double tolerance, double* r, double* ut,
                      bool* has_ut) {
  Admm* admm = data;
  (void)ut;
  CpsStatus status = CPS_OK;
  *has_ut = false;
  for (int64_t k = 0; k < admm->rows.count; k++) {
    admm->c[k] = admm->rows.t[k] * q[admm->rows.row[k]];
    admm->z[k] = r[admm->rows.row[k]] / admm->rows.t[k];  // unchanged, unless the last step was taken back
  }
  if (admm->iterations == 0) {
    start(admm, q, r);
    if (!factor(solve, admm, &status)) return status;
  }
  for (int64_t k = 1; k <= inner_iterations; k++) {
    iterate(admm, r);
    solve->inner_iterations++;
    if (++admm->iterations >= admm->next_look) {
      admm->next_look += 10 + admm->next_look / 2;
      if (adapt(admm) && !factor(solve, admm, &status)) return status;
    }
    if (k % measure_every == 0 && (!(measure(admm, q, r) > tolerance) || cps_solve_cancelled(solve))) break;
  }
  return CPS_OK;
}

static CpsStatus run(CpsSolve* solve, double* r) {
  Admm admm;
  memset(&admm, 0, sizeof admm);
  CpsStatus status = prepare(solve, &admm);
  if (status == CPS_OK) {
    CpsFixedPoint outer = {.conic = &admm.conic, .step = step, .step_data = &admm, .inner_ratio = 0.3};
    status = cps_fixed_point_run(solve, &outer, r);
  }
  cps_conic_kkt_destroy(&admm.kkt);
  return status;
}
#endif

const CpsMethodEntry cps_method_admm = {
    .info = {.name = "admm",
             .summary = "alternating directions r = z with a cached factor of W + rho I, inside the fixed point on s",
             .reference = "Boyd et al. 2011; Stellato et al. 2020, section 5.2; Cadoux 2009",
             .laws = CPS_ALL_LAWS,
             .exact = true,
             .uses_local = false,
             .available = CPS_DIRECT_AVAILABLE},
    .run = CPS_DIRECT(run),
};
