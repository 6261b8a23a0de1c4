// admm: alternating directions with the splitting r = z, s renewed in every iteration, so that a limit is exact.
//
//   (A + rho I) x^+ = rho (z - w) - c                    A = T S T, r = T z, c = T (b + (W - S) r + E s)            (1)
//   x' = alpha x^+ + (1 - alpha) z,  z^+ = P_K(x' + w),  w^+ = w + x' - z^+                                       (2)
//   s_i = ||u_T,i||,  u = W r + b                                                                                 (3)
//
// Boyd et al. 2011, sections 3.1, 3.4 (over-relaxation alpha) on the convex problem of conic.h, with the fixed point
// (3) of Cadoux 2009 in the same loop. At a fixed point -rho w is the velocity u~, x = z, and the law holds. A + rho I
// is factored once per value of rho; rho follows the ratio of primal and dual residuals, each against its own size
// (Stellato et al. 2020, section 5.2), ever more rarely. T as in conic_kkt.c with cones left as they are. The skew part
// of W is carried from step to step. Not guaranteed: with s fixed (1)-(2) converge, with (3) they need not.
#include "friction/global/method.h"

#ifdef CAPSTAN_DIRECT
#include "friction/global/conic_kkt.h"
#include "friction/law.h"

#include <math.h>
#include <string.h>

static const double alpha = 1.6;
static const double rho_first = 0.1, rho_min = 1e-6, rho_max = 1e6;
// R^d blocks need no splitting; a small rho only keeps their part of the matrix regular.
static const double rho_bilateral = 1e-3;

typedef struct Admm {
  const CpsProblem* problem;
  CpsConic conic;
  CpsConicRows rows;
  CpsConicKkt kkt;
  double rho;
  double *x, *z, *w, *c, *rhs, *F2;  // unknowns
  double *r, *u, *Sr;                // rows of the problem
  double primal, dual;               // relative residuals of the last iteration
} Admm;

static double block_rho(const Admm* admm, int32_t i) {
  return admm->problem->law[i] == CPS_LAW_BILATERAL ? rho_bilateral * admm->rho : admm->rho;
}

static bool factor(CpsSolve* solve, Admm* admm) {
  const CpsConicRows* rows = &admm->rows;
  for (int32_t i = 0; i < admm->problem->contact_count; i++) {
    int d = (int)(rows->first[i + 1] - rows->first[i]);
    double* block = admm->F2 + admm->kkt.F2_first[i];
    for (int a = 0; a < d; a++) {
      for (int b = 0; b < d; b++) block[a * d + b] = a == b ? block_rho(admm, i) : 0.0;
    }
  }
  solve->factorisations++;
  return cps_conic_kkt_factor(&admm->kkt, admm->F2);
}

// c of (1), from u = W r + b
static void right_side(CpsSolve* solve, Admm* admm) {
  const CpsProblem* problem = admm->problem;
  const double* b = problem->b;
  if (solve->symmetrised) {
    cps_conic_apply(&admm->conic, admm->r, admm->Sr);
    for (int64_t k = 0; k < problem->row_count; k++) admm->Sr[k] = admm->u[k] - admm->Sr[k];
    b = admm->Sr;
  }
  for (int64_t k = 0; k < admm->rows.count; k++) admm->c[k] = admm->rows.t[k] * b[admm->rows.row[k]];
  for (int32_t i = 0; i < problem->contact_count; i++) {
    if (problem->law[i] != CPS_LAW_COULOMB) continue;
    double s = cps_law_tangent_norm(cps_contact_dim(problem, i), admm->u + problem->offset[i]);
    admm->c[admm->rows.first[i]] += admm->rows.t[admm->rows.first[i]] * problem->mu[i] * s;
  }
}

// (1) and (2), and the relative residuals
static void iterate(Admm* admm) {
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
      admm->r[rows->row[at + k]] = rows->t[at + k] * z[k];
    }
  }
  admm->primal = size_x > 0.0 ? gap / size_x : 0.0;
  admm->dual = size_u > 0.0 ? change / size_u : 0.0;
}

// Follows the balance of the residuals; returns true if rho has changed. w is rescaled so that rho w stays.
static bool adapt(Admm* admm) {
  if (!(admm->primal > 0.0) || !(admm->dual > 0.0)) return false;
  double factor_of_rho = sqrt(admm->primal / admm->dual);
  double rho = fmin(fmax(admm->rho * factor_of_rho, rho_min), rho_max);
  if (rho < 3.0 * admm->rho && rho > admm->rho / 3.0) return false;
  for (int64_t k = 0; k < admm->rows.count; k++) admm->w[k] *= admm->rho / rho;
  admm->rho = rho;
  return true;
}

static CpsStatus prepare(CpsSolve* solve, double* r, Admm* admm) {
  const CpsProblem* problem = solve->problem;
  admm->problem = problem;
  admm->rho = rho_first;
  admm->r = r;
  if (!cps_conic_create(solve, true, &admm->conic) || !cps_conic_rows_create(solve, false, &admm->rows)) {
    return CPS_NO_MEMORY;
  }
  CpsStatus status = cps_conic_kkt_create(solve, &admm->conic, &admm->rows, CPS_CONIC_DUAL, &admm->kkt);
  if (status != CPS_OK) return status;
  admm->kkt.refinements = 0;
  int64_t n = admm->rows.count;
  double* memory = CPS_TAKE_ZERO(solve->arena, double, 5 * n);
  admm->F2 = CPS_TAKE(solve->arena, double, admm->kkt.F2_first[problem->contact_count] + 1);
  admm->u = CPS_TAKE(solve->arena, double, problem->row_count);
  admm->Sr = CPS_TAKE(solve->arena, double, problem->row_count);
  if (!memory || !admm->F2 || !admm->u || !admm->Sr) return CPS_NO_MEMORY;
  admm->x = memory;
  admm->z = memory + n;
  admm->w = memory + 2 * n;
  admm->c = memory + 3 * n;
  admm->rhs = memory + 4 * n;

  // rows without an unknown have no impulse; the first guess of the others, and -rho w = u~
  for (int32_t i = 0; i < problem->contact_count; i++) cps_conic_project(problem, i, r + problem->offset[i]);
  cps_problem_law_velocity(problem, r, admm->u);
  for (int32_t i = 0; i < problem->contact_count; i++) {
    double ut[CPS_DIM_MAX], mu = problem->mu[i];
    int64_t at = admm->rows.first[i];
    int d = (int)(admm->rows.first[i + 1] - at);
    CpsLaw law = (CpsLaw)problem->law[i];
    cps_law_desaxce(law, cps_contact_dim(problem, i), mu, admm->u + problem->offset[i], ut);
    if (law == CPS_LAW_COULOMB || law == CPS_LAW_CONVEX) cps_law_project_dual(cps_contact_dim(problem, i), mu, ut);
    for (int k = 0; k < d; k++) {
      admm->z[at + k] = r[admm->rows.row[at + k]] / admm->rows.t[at + k];
      admm->w[at + k] = law == CPS_LAW_BILATERAL ? 0.0 : -admm->rows.t[at + k] * ut[k] / admm->rho;
    }
  }
  return CPS_OK;
}

static CpsStatus run(CpsSolve* solve, double* r) {
  Admm admm;
  memset(&admm, 0, sizeof admm);
  CpsStatus status = prepare(solve, r, &admm);
  int64_t k = 0, next = 10;  // iteration of the next look at rho
  bool go = status == CPS_OK && factor(solve, &admm);
  while (go) {
    right_side(solve, &admm);
    iterate(&admm);
    cps_problem_law_velocity(admm.problem, r, admm.u);
    go = cps_solve_check(solve, r, admm.u, NULL);
    if (++k == next) {
      next += 10 + next / 2;
      if (adapt(&admm)) go = go && factor(solve, &admm);
    }
  }
  cps_conic_kkt_destroy(&admm.kkt);
  return status;
}
#endif

const CpsMethodEntry cps_method_admm = {
    .info = {.name = "admm",
             .summary = "alternating directions r = z with a cached factor of W + rho I, s renewed in every iteration",
             .reference = "Boyd et al. 2011; Stellato et al. 2020, section 5.2; Cadoux 2009",
             .laws = CPS_ALL_LAWS,
             .exact = true,
             .uses_local = false,
#ifdef CAPSTAN_DIRECT
             .available = true},
    .run = run,
#else
             .available = false},
    .run = NULL,
#endif
};
