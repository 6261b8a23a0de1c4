// Newton's step of a proximal subproblem, solved for velocities instead of impulses.
//
// prox_newton.c asks for dr with  E_i dr_i + G_i (W dr)_i = -F_i,  G_i = rho_i P_i', E_i = I - P_i' + (weight/xi_i) G_i.
// W dr = A dv with M~ dv = A^T dr, so dr can be eliminated contact by contact:
//
//   D_i = E_i^-1 G_i,   eta_i = -E_i^-1 F_i,   dr_i = eta_i - D_i A_i dv                                          (1)
//   (M~ + sum_i A_i^T D_i A_i) dv = A^T eta                                                                       (2)
//
// E_i is regular for every weight > 0, so (1) and (2) hold for redundant contacts too. D_i is symmetric and positive
// semi-definite for a contact that is open, sticks, or has a symmetric law. For a sliding one, with n = x_T/||x_T||,
//
//   D = rho (1/w) (1, mu n) e^T + rho kappa (I - n n^T)_T,   w = weight/(1 + weight)                              (3)
//
// is not: friction follows the normal impulse, not the other way round. So (2) is solved by GMRES (Saad and Schultz 1986) with
// the Cholesky factor of M~ + A^T D' A on the right, D' being D without its tangential part of the column e. The product
// of both is I + (normal reactions to a tangential impulse) mu, whatever the weight: a few iterations. As these are cheap beside
// a factorisation, the factor of an earlier step serves until it takes too many.
//
// The remainder f of (2) leaves -G A M~^-1 f in the Newton equation, so that ||f|| is made small beside ||F||. The right side
// of (2) is far larger, about ||F||/weight: what is stiff asks for A_i dv = -F_i/rho_i. So GMRES starts from the dv with
//
//   (M~ + A^T D' A) dv = -A^T D' F/rho       (of a sliding contact the normal part alone)                         (4)
//
// whose remainder is of the size of the impulses.
//
// Not guaranteed: (2) may be singular at a kink; the step is then what GMRES has found.
#include "friction/global/primal_step.h"

#include "core/error.h"
#include "friction/global/prox_newton.h"
#include "sparse/dense.h"

#include <math.h>
#include <string.h>

enum { MOST = 40, LEAST = 4 };

// Remainder of (2) relative to ||F||, and what an old factor may leave.
static const double ENOUGH = 1e-2, POOR = 0.1;
// A factorisation runs so many times faster per operation than a solve.
static const double FACTOR_SPEED = 8.0;
// The weight may change by so much before the factor is too old.
static const double OLD = 2.0;
// A contact slides where it gives way in a tangential direction so much more than in the normal one.
static const double STIFF = 0.5;

CpsStatus cps_primal_step_create(CpsSolve* solve, CpsPrimalStep* primal) {
  const CpsProblem* p = solve->problem;
  *primal = (CpsPrimalStep){.most = MOST};
  CpsStatus status = cps_primal_system_create(solve, &primal->system);
  if (status != CPS_OK) return status;
  int64_t m = 3 * (int64_t)primal->system.nodes;
  CpsArena* arena = solve->arena;
  primal->D = CPS_TAKE(arena, double, 2 * p->diag_offset[p->contact_count]);
  primal->eta = CPS_TAKE(arena, double, p->row_count);
  primal->basis = CPS_TAKE(arena, double, (2 * MOST + 1) * m);
  primal->H = CPS_TAKE(arena, double, (MOST + 1) * MOST);
  primal->givens = CPS_TAKE(arena, double, 2 * MOST);
  primal->right = CPS_TAKE(arena, double, MOST + 1);
  primal->dv = CPS_TAKE(arena, double, 2 * m);
  if (!primal->D || !primal->eta || !primal->basis || !primal->H || !primal->givens || !primal->right || !primal->dv) {
    return cps_fail(solve->error, CPS_NO_MEMORY, "not enough memory for the system of the velocities");
  }
  primal->work = primal->dv + m;
  double ratio = cps_mass_factor_cost(primal->system.factor) / cps_mass_factor_solve_cost(primal->system.factor);
  primal->most = (int)fmin(fmax(ratio / FACTOR_SPEED, LEAST), MOST);
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

// D' of (3), the part that is factored.
static void symmetric_part(const CpsProblem* p, const double* D, double* part) {
  memcpy(part, D, (size_t)p->diag_offset[p->contact_count] * sizeof *part);
  for (int32_t i = 0; i < p->contact_count; ++i) {
    if (p->law[i] != CPS_LAW_COULOMB) continue;
    int d = cps_contact_dim(p, i);
    double* D_i = part + p->diag_offset[i];
    for (int a = 1; a < d; ++a) D_i[a * d] = D_i[a] = 0.0;
  }
}

// y = (M~ + A^T D A) x
static void apply(const CpsPrimalStep* primal, const double* x, double* y) {
  const CpsProblem* p = primal->system.problem;
  cps_primal_system_mass(&primal->system, x, y);
  for (int32_t i = 0; i < p->contact_count; ++i) {
    int d = cps_contact_dim(p, i);
    const double* D = primal->D + p->diag_offset[i];
    double Ax[CPS_DIM_MAX], DAx[CPS_DIM_MAX];
    if (D[0] == 0.0) continue;  // open
    cps_primal_system_pull(&primal->system, i, x, Ax);
    for (int a = 0; a < d; ++a) {
      DAx[a] = 0.0;
      for (int c = 0; c < d; ++c) DAx[a] += D[a * d + c] * Ax[c];
    }
    cps_primal_system_push(&primal->system, i, DAx, y);
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

// Column k of the Hessenberg matrix is rotated into the triangle; returns the remainder.
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

// dv += J'^-1 V y of the first `count` vectors of the basis, whose products with J'^-1 lie behind it.
static void combine(CpsPrimalStep* primal, int count) {
  int64_t m = 3 * (int64_t)primal->system.nodes;
  for (int k = count - 1; k >= 0; --k) {
    for (int j = k + 1; j < count; ++j) primal->right[k] -= primal->H[(int64_t)j * (MOST + 1) + k] * primal->right[j];
    primal->right[k] /= primal->H[(int64_t)k * (MOST + 1) + k];
  }
  for (int k = 0; k < count; ++k) {
    const double* x = primal->basis + (MOST + 1 + k) * m;
    for (int64_t q = 0; q < m; ++q) primal->dv[q] += primal->right[k] * x[q];
  }
}

// (4), from the D' that was factored.
static void start(CpsPrimalStep* primal, double weight, const double* F) {
  const CpsProblem* p = primal->system.problem;
  const double *now = primal->D, *factored = primal->D + p->diag_offset[p->contact_count];
  memset(primal->dv, 0, 3 * (size_t)primal->system.nodes * sizeof *primal->dv);
  for (int32_t i = 0; i < p->contact_count; ++i) {
    int d = cps_contact_dim(p, i);
    const double *D = now + p->diag_offset[i], *D_old = factored + p->diag_offset[i], *F_i = F + p->offset[i];
    bool slides = p->law[i] == CPS_LAW_COULOMB && d > 1 && D[d + 1] < STIFF * D[0];
    double force[CPS_DIM_MAX] = {0}, rho = p->xi[i] / (1.0 + weight);
    if (D[0] == 0.0) continue;
    for (int a = 0; a < (slides ? 1 : d); ++a) {
      for (int c = 0; c < (slides ? 1 : d); ++c) force[a] -= D_old[a * d + c] * F_i[c] / rho;
    }
    cps_primal_system_push(&primal->system, i, force, primal->dv);
  }
  cps_primal_system_solve(&primal->system, primal->dv, primal->work);
}

// GMRES on (2) from (4); returns the remainder and the number of iterations.
static double gmres(CpsSolve* solve, CpsPrimalStep* primal, double target, int most, int* iterations) {
  const CpsProblem* p = primal->system.problem;
  int64_t m = 3 * (int64_t)primal->system.nodes;
  apply(primal, primal->dv, primal->basis);
  for (int64_t q = 0; q < m; ++q) primal->basis[q] = -primal->basis[q];
  for (int32_t i = 0; i < p->contact_count; ++i) {
    cps_primal_system_push(&primal->system, i, primal->eta + p->offset[i], primal->basis);
  }
  double size = sqrt(dot(m, primal->basis, primal->basis)), left = size;
  *iterations = 0;
  if (!(size > target)) return size;
  for (int64_t q = 0; q < m; ++q) primal->basis[q] /= size;
  primal->right[0] = size;
  int k = 0;
  while (k < most && left > target) {
    double *next = primal->basis + (k + 1) * m, *h = primal->H + (int64_t)k * (MOST + 1);
    double* x = primal->basis + (MOST + 1 + k) * m;
    memcpy(x, primal->basis + k * m, (size_t)m * sizeof *x);
    cps_primal_system_solve(&primal->system, x, primal->work);
    apply(primal, x, next);
    for (int j = 0; j <= k; ++j) {
      const double* v = primal->basis + j * m;
      h[j] = dot(m, next, v);
      for (int64_t q = 0; q < m; ++q) next[q] -= h[j] * v[q];
    }
    h[k + 1] = sqrt(dot(m, next, next));
    if (!isfinite(h[k + 1])) break;
    for (int64_t q = 0; q < m && h[k + 1] > 0.0; ++q) next[q] /= h[k + 1];
    bool exact = !(h[k + 1] > 0.0);
    left = rotate(primal, k++);
    solve->inner_iterations++;
    if (exact) break;
  }
  combine(primal, k);
  *iterations = k;
  return left;
}

bool cps_primal_step(CpsSolve* solve, CpsPrimalStep* primal, const double* r, const double* u, const double* centre,
                     double weight, const double* F, double* step) {
  const CpsProblem* p = solve->problem;
  double* part = primal->D + p->diag_offset[p->contact_count];
  for (int32_t i = 0; i < p->contact_count; ++i) {
    eliminate(p, i, r, u, centre, weight, F, primal->D + p->diag_offset[i], primal->eta + p->offset[i]);
  }
  double size = sqrt(dot(p->row_count, F, F)), left = INFINITY;
  int iterations = 0;
  bool old = !(primal->factored && weight < OLD * primal->weight && primal->weight < OLD * weight);
  if (!old) {
    start(primal, weight, F);
    left = gmres(solve, primal, ENOUGH * size, primal->most, &iterations);
  }
  if (!(left <= POOR * size)) {
    symmetric_part(p, primal->D, part);
    primal->factored = cps_primal_system_factor(solve, &primal->system, part);
    if (!primal->factored) return false;
    primal->weight = weight;
    start(primal, weight, F);
    (void)gmres(solve, primal, ENOUGH * size, MOST, &iterations);
  }
  for (int32_t i = 0; i < p->contact_count; ++i) {
    int d = cps_contact_dim(p, i);
    int64_t o = p->offset[i];
    const double* D = primal->D + p->diag_offset[i];
    double Adv[CPS_DIM_MAX];
    cps_primal_system_pull(&primal->system, i, primal->dv, Adv);
    for (int a = 0; a < d; ++a) {
      step[o + a] = primal->eta[o + a];
      for (int c = 0; c < d; ++c) step[o + a] -= D[a * d + c] * Adv[c];
    }
  }
  return true;
}
