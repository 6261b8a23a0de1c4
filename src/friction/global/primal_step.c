// Newton's step of a proximal subproblem, solved for velocities instead of impulses.
//
// prox_newton.c needs dr with  E_i dr_i + G_i (W dr)_i = -F_i,  G_i = rho_i P_i', E_i = I - P_i' + (weight/xi_i) G_i. W
// dr = A dv with M~ dv = A^T dr, so dr can be eliminated contact by contact:
//
//   D_i = E_i^-1 G_i,   eta_i = -E_i^-1 F_i,   dr_i = eta_i - D_i A_i dv                                          (1)
//   (M~ + sum_i A_i^T D_i A_i) dv = A^T eta                                                                       (2)
//
// E_i is regular for every weight > 0, so (1) and (2) hold for redundant contacts too. D_i is symmetric and positive
// semi-definite for a contact that is open, sticks, or has a symmetric law. For a sliding one, with n = x_T/||x_T||,
//
//   D = rho (1/w) (1, mu n) e^T + rho kappa (I - n n^T)_T,   w = weight/(1 + weight)                              (3)
//
// is not: friction follows the normal impulse, but not the reverse. The factored matrix is J' = M~ + A^T D' A, where D' is
// D without the tangential part of the column e. With Q' = A J'^-1 A^T = W (I + D' W)^-1, (1) and (2) become
//
//   (I + (D - D') Q') y = eta,    dr = y - D' Q' y,    W dr = Q' y                                                (4)
//
// solved by GMRES (Saad and Schultz 1986) in the space of the contacts. The matrix of (4) is the identity plus mu times the
// normal reactions to tangential impulses, for any weight: it takes a few iterations, each a solve along the paths of the
// elimination tree that contacts reach. The factor of an earlier step is reused while it costs only a few more iterations.
//
// A residual f of (4) leaves E f in Newton's equation, so ||f|| must be small relative to ||F||. eta is far larger, about
// ||F||/weight: stiff contacts require A_i dv = -F_i/rho_i. So GMRES starts from
//
//   y = -D' F/rho       (for a sliding contact only the normal part)                                              (5)
//
// whose residual has the size of the impulses.
//
// Not guaranteed: (4) may be singular at a kink; the step is then the result of GMRES so far.
#include "friction/global/primal_step.h"

#include "core/error.h"
#include "friction/global/prox_newton.h"
#include "sparse/dense.h"

#include <math.h>
#include <string.h>

enum { MOST = 40, LEAST = 4 };

// Residual of (2) relative to ||F||, with a new and with an old factor.
static const double ENOUGH = 1e-2, POOR = 0.1;
// Speed of a factorisation relative to a solve, per operation.
static const double FACTOR_SPEED = 8.0;
// Largest change of the weight before the factor is outdated.
static const double OLD = 2.0;
// Ratio of tangential to normal compliance above which a contact slides.
static const double STIFF = 0.5;

double cps_primal_step_factor_cost(const CpsPrimalSystem* system) {
  double ratio = cps_mass_factor_cost(system->factor) / cps_mass_factor_solve_cost(system->factor);
  return ratio / FACTOR_SPEED;
}

CpsStatus cps_primal_step_create(CpsSolve* solve, const CpsPrimalSystem* system, CpsPrimalStep* primal) {
  const CpsProblem* p = solve->problem;
  *primal = (CpsPrimalStep){.most = MOST};
  CpsStatus status = CPS_OK;
  if (system) {
    primal->system = *system;
  } else {
    status = cps_primal_system_create(solve, &primal->system);
  }
  if (status != CPS_OK) return status;
  CpsArena* arena = solve->arena;
  primal->D = CPS_TAKE(arena, double, cps_diag_at(p, p->contact_count));
  primal->part = CPS_TAKE(arena, double, cps_diag_at(p, p->contact_count));
  primal->eta = CPS_TAKE(arena, double, p->row_count);
  primal->y = CPS_TAKE(arena, double, p->row_count);
  primal->Qy = CPS_TAKE(arena, double, p->row_count);
  primal->basis = CPS_TAKE(arena, double, (MOST + 1) * p->row_count);
  primal->H = CPS_TAKE(arena, double, (MOST + 1) * MOST);
  primal->givens = CPS_TAKE(arena, double, 2 * MOST);
  primal->right = CPS_TAKE(arena, double, MOST + 1);
  if (!primal->D || !primal->part || !primal->eta || !primal->y || !primal->Qy || !primal->basis || !primal->H ||
      !primal->givens || !primal->right) {
    return cps_fail(solve->error, CPS_NO_MEMORY, "not enough memory for the system of the velocities");
  }
  primal->most = (int)fmin(fmax(cps_primal_step_factor_cost(&primal->system), LEAST), MOST);
  return CPS_OK;
}

// D_i and eta_i of (1).
static void eliminate(const CpsProblem* p, int32_t i, const double* r, const double* u, const double* centre,
                      double weight, const double* F, double* D, double* eta) {
  int d = cps_contact_dim(p, i), pivot[CPS_DIM_MAX];
  int64_t o = p->offset[i];
  double P[CPS_DIM_MAX * CPS_DIM_MAX], E[CPS_DIM_MAX * CPS_DIM_MAX], column[CPS_DIM_MAX];
  double rho = p->xi[i] / (1.0 + weight), keep = 1.0 / (1.0 + weight);
  for (int a = 0; a < d; ++a) eta[a] = -F[o + a];
  memset(D, 0, (size_t)(d * d) * sizeof *D);
  if (!cps_prox_newton_derivative(p, i, r, u, centre, weight, P)) return;
  for (int e = 0; e < d * d; ++e) E[e] = (e % (d + 1) == 0) - keep * P[e];
  if (!cps_dense_lu_factor(d, E, pivot)) return;
  cps_dense_lu_solve(d, E, pivot, eta);
  for (int c = 0; c < d; ++c) {
    for (int a = 0; a < d; ++a) column[a] = rho * P[a * d + c];
    cps_dense_lu_solve(d, E, pivot, column);
    for (int a = 0; a < d; ++a) D[a * d + c] = column[a];
  }
}

// D' of (3), the factored part.
static void symmetric_part(const CpsProblem* p, const double* D, double* part) {
  memcpy(part, D, (size_t)cps_diag_at(p, p->contact_count) * sizeof *part);
  for (int32_t i = 0; i < p->contact_count; ++i) {
    if (p->law[i] != CPS_LAW_COULOMB) continue;
    int d = cps_contact_dim(p, i);
    double* D_i = part + cps_diag_at(p, i);
    for (int a = 1; a < d; ++a) D_i[a * d] = D_i[a] = 0.0;
  }
}

// out = (I + (D - D') Q') x; also computes Qx = Q' x.
static void apply(CpsPrimalStep* primal, const double* x, double* Qx, double* out) {
  const CpsProblem* p = primal->system.problem;
  cps_primal_system_respond(&primal->system, x, Qx);
  for (int32_t i = 0; i < p->contact_count; ++i) {
    int d = cps_contact_dim(p, i);
    const double *D = primal->D + cps_diag_at(p, i), *part = primal->part + cps_diag_at(p, i);
    int64_t o = p->offset[i];
    for (int a = 0; a < d; ++a) {
      double sum = x[o + a];
      for (int c = 0; c < d; ++c) sum += (D[a * d + c] - part[a * d + c]) * Qx[o + c];
      out[o + a] = sum;
    }
  }
}

static double dot(int64_t count, const double* x, const double* y) {
  double sum[4] = {0};
  int64_t k = 0;
  for (; k + 4 <= count; k += 4) {
    for (int l = 0; l < 4; ++l) sum[l] += x[k + l] * y[k + l];
  }
  for (; k < count; ++k) sum[0] += x[k] * y[k];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// Rotates column k of the Hessenberg matrix into the triangle; returns the residual.
static double rotate(CpsPrimalStep* primal, int k) {
  double *h = primal->H + (int64_t)k * (MOST + 1), *c = primal->givens, *s = primal->givens + MOST;
  for (int j = 0; j < k; ++j) {
    double upper = c[j] * h[j] + s[j] * h[j + 1];
    h[j + 1] = c[j] * h[j + 1] - s[j] * h[j];
    h[j] = upper;
  }
  double size = hypot(h[k], h[k + 1]);
  c[k] = size > 0.0 ? h[k] / size : 1.0;
  s[k] = size > 0.0 ? h[k + 1] / size : 0.0;
  h[k] = size;
  primal->right[k + 1] = -s[k] * primal->right[k];
  primal->right[k] *= c[k];
  return fabs(primal->right[k + 1]);
}

// y += V c for the first `count` vectors of the basis.
static void combine(CpsPrimalStep* primal, int count) {
  int64_t m = primal->system.problem->row_count;
  for (int k = count - 1; k >= 0; --k) {
    for (int j = k + 1; j < count; ++j) primal->right[k] -= primal->H[(int64_t)j * (MOST + 1) + k] * primal->right[j];
    primal->right[k] /= primal->H[(int64_t)k * (MOST + 1) + k];
  }
  for (int k = 0; k < count; ++k) {
    for (int64_t q = 0; q < m; ++q) primal->y[q] += primal->right[k] * primal->basis[k * m + q];
  }
}

// (5), from the factored D'.
static void start(CpsPrimalStep* primal, double weight, const double* F) {
  const CpsProblem* p = primal->system.problem;
  for (int32_t i = 0; i < p->contact_count; ++i) {
    int d = cps_contact_dim(p, i);
    int64_t o = p->offset[i];
    const double *D = primal->D + cps_diag_at(p, i), *part = primal->part + cps_diag_at(p, i);
    bool slides = p->law[i] == CPS_LAW_COULOMB && D[d + 1] < STIFF * D[0];
    int stiff = D[0] == 0.0 ? 0 : slides ? 1 : d;
    double rho = p->xi[i] / (1.0 + weight);
    for (int a = 0; a < d; ++a) {
      primal->y[o + a] = 0.0;
      for (int c = 0; a < stiff && c < stiff; ++c) primal->y[o + a] -= part[a * d + c] * F[o + c] / rho;
    }
  }
}

// GMRES on (4) from y; Qy gets Q' y. Returns the residual.
static double gmres(CpsSolve* solve, CpsPrimalStep* primal, double target, int most) {
  int64_t m = primal->system.problem->row_count;
  double* first = primal->basis;
  apply(primal, primal->y, primal->Qy, first);
  for (int64_t q = 0; q < m; ++q) first[q] = primal->eta[q] - first[q];
  double left = sqrt(dot(m, first, first));
  if (!(left > target)) return left;
  for (int64_t q = 0; q < m; ++q) first[q] /= left;
  primal->right[0] = left;
  int k = 0;
  while (k < most && left > target) {
    double *next = primal->basis + (k + 1) * m, *h = primal->H + (int64_t)k * (MOST + 1);
    apply(primal, primal->basis + k * m, primal->Qy, next);
    for (int j = 0; j <= k; ++j) {
      const double* v = primal->basis + j * m;
      h[j] = dot(m, next, v);
      for (int64_t q = 0; q < m; ++q) next[q] -= h[j] * v[q];
    }
    h[k + 1] = sqrt(dot(m, next, next));
    if (!isfinite(h[k + 1])) return INFINITY;
    bool exact = !(h[k + 1] > 0.0);
    for (int64_t q = 0; q < m && !exact; ++q) next[q] /= h[k + 1];
    left = rotate(primal, k++);
    solve->inner_iterations++;
    if (exact) break;
  }
  combine(primal, k);
  cps_primal_system_respond(&primal->system, primal->y, primal->Qy);
  return left;
}

// Factors the present D' and solves (4) with it.
static bool renew(CpsSolve* solve, CpsPrimalStep* primal, double weight, const double* F, double target) {
  symmetric_part(solve->problem, primal->D, primal->part);
  primal->factored = cps_primal_system_factor(solve, &primal->system, primal->part);
  if (!primal->factored) return false;
  primal->weight = weight;
  start(primal, weight, F);
  return isfinite(gmres(solve, primal, target, MOST));
}

bool cps_primal_step(CpsSolve* solve, CpsPrimalStep* primal, const double* r, const double* u, const double* centre,
                     double weight, const double* F, double* step, double* W_step) {
  const CpsProblem* p = solve->problem;
  for (int32_t i = 0; i < p->contact_count; ++i) {
    eliminate(p, i, r, u, centre, weight, F, primal->D + cps_diag_at(p, i), primal->eta + p->offset[i]);
  }
  double size = sqrt(dot(p->row_count, F, F)), left = INFINITY;
  bool recent = primal->factored && weight < OLD * primal->weight && primal->weight < OLD * weight;
  if (recent) {
    start(primal, weight, F);
    left = gmres(solve, primal, ENOUGH * size, primal->most);
  }
  if (!(left <= POOR * size) && !renew(solve, primal, weight, F, ENOUGH * size)) return false;
  for (int32_t i = 0; i < p->contact_count; ++i) {
    int d = cps_contact_dim(p, i);
    int64_t o = p->offset[i];
    const double* part = primal->part + cps_diag_at(p, i);
    for (int a = 0; a < d; ++a) {
      step[o + a] = primal->y[o + a];
      for (int c = 0; c < d; ++c) step[o + a] -= part[a * d + c] * primal->Qy[o + c];
      W_step[o + a] = primal->Qy[o + a];
    }
  }
  return true;
}
