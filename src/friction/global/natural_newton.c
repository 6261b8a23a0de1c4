// Semismooth Newton on the natural map.
//
// With the proximal velocity  w_i = u_i + (weight / xi_i)(r_i - c_i),  u = W r + b,  rho_i = xi_i / (1 + weight):
//
//   F_i(r) = r_i - P_K(x_i),   x_i = r_i - rho_i w~_i,   w~ = w + mu ||w_T|| e                                      (1)
//
// Its derivative, with A_i = P'(x_i), T_i = I + mu e (0, w_T^T/||w_T||), B_i = rho_i A_i T_i:
//
//   dF_i/dr_j = B_i W_ij  (j != i),    dF_i/dr_i = B_i W_ii + I - A_i + (weight/xi_i) B_i                            (2)
//
// Where A_i = 0 (take-off) the row is dr_i = -r_i and the contact leaves the system.
#include "friction/global/natural_newton.h"

#include "core/error.h"
#include "friction/law.h"

#include <math.h>
#include <string.h>

static int AC = 0;
#include <stdlib.h>
static void project_ac(double mu, double* x) {
  if (x[0] <= 0) { x[0] = x[1] = x[2] = 0; return; }
  double t = sqrt(x[1]*x[1]+x[2]*x[2]);
  if (t <= mu * x[0]) return;
  double s = mu * x[0] / t; x[1] *= s; x[2] *= s;
}
CpsStatus cps_natural_newton_create(CpsSolve* solve, CpsNaturalNewton* newton) {
  const CpsProblem* p = solve->problem;
  int64_t n = p->contact_count;
  *newton = (CpsNaturalNewton){.problem = p}; AC = getenv("AC") != NULL;
  if (!cps_problem_explicit_W(p, solve->arena, &newton->W)) return cps_fail(solve->error, CPS_NO_MEMORY, "not enough memory for W");
  newton->active = CPS_TAKE(solve->arena, bool, n);
  newton->G = CPS_TAKE(solve->arena, double, 9 * n);
  newton->E = CPS_TAKE(solve->arena, double, 9 * n);
  newton->F = CPS_TAKE(solve->arena, double, 3 * n);
  newton->lu = cps_block_lu_create(&newton->W, solve->arena);
  if (!newton->active || !newton->G || !newton->E || !newton->F || !newton->lu) return cps_fail(solve->error, CPS_NO_MEMORY, "not enough memory for Newton");
  return CPS_OK;
}

// x_i of (1) and the proximal velocity w_i.
static void arguments(const CpsProblem* p, int32_t i, const double* r, const double* u, const double* c, double weight, double* w, double* x, double* rho) {
  int64_t o = 3 * (int64_t)i;
  double s = weight / p->xi[i];
  *rho = p->xi[i] / (1.0 + weight);
  for (int k = 0; k < 3; ++k) w[k] = u[o + k] + s * (r[o + k] - c[o + k]);
  if (AC) { for (int k = 0; k < 3; ++k) x[k] = r[o + k] - *rho * w[k]; return; }
  double shift = p->law[i] == CPS_LAW_COULOMB ? p->mu[i] * sqrt(w[1] * w[1] + w[2] * w[2]) : 0.0;
  x[0] = r[o] - *rho * (w[0] + shift);
  x[1] = r[o + 1] - *rho * w[1];
  x[2] = r[o + 2] - *rho * w[2];
}

double cps_natural_newton_map(const CpsNaturalNewton* newton, const double* r, const double* u, const double* center, double weight, double* F) {
  const CpsProblem* p = newton->problem;
  double sum = 0.0;
  for (int32_t i = 0; i < p->contact_count; ++i) {
    double w[3], x[3], rho;
    int64_t o = 3 * (int64_t)i;
    arguments(p, i, r, u, center, weight, w, x, &rho);
    if (p->law[i] == CPS_LAW_FREE) x[0] = x[1] = x[2] = 0.0;
    else if (AC) project_ac(p->mu[i], x); else if (p->law[i] != CPS_LAW_BILATERAL) cps_law_project_cone(3, p->mu[i], x);
    for (int k = 0; k < 3; ++k) { F[o + k] = r[o + k] - x[k]; sum += F[o+k]*F[o+k]; }
  }
  return sqrt(sum);
}

// A = P'(x); returns 0 where it vanishes, 1 otherwise.
static bool projection_derivative(double mu, const double* x, double* A) {
  double t = sqrt(x[1] * x[1] + x[2] * x[2]);
  memset(A, 0, 9 * sizeof *A);
  if (AC) {
    if (x[0] <= 0) return false;
    if (t <= mu * x[0]) { A[0] = A[4] = A[8] = 1.0; return true; }
    double c = x[1] / t, s = x[2] / t, k = mu * x[0] / t;
    A[0] = 1; A[3] = mu * c; A[6] = mu * s; A[4] = k * s * s; A[5] = A[7] = -k * c * s; A[8] = k * c * c;
    return true;
  }
  if (mu * t <= -x[0]) return false;
  if (t <= mu * x[0]) {
    A[0] = A[4] = A[8] = 1.0;
    return true;
  }
  double q = 1.0 / (1.0 + mu * mu), c = x[1] / t, s = x[2] / t, n = (x[0] + mu * t) * q, k = mu * n / t;
  A[0] = q;
  A[1] = A[3] = q * mu * c;
  A[2] = A[6] = q * mu * s;
  A[4] = q * mu * mu * c * c + k * s * s;
  A[5] = A[7] = (q * mu * mu - k) * c * s;
  A[8] = q * mu * mu * s * s + k * c * c;
  return true;
}

bool cps_natural_newton_step(CpsNaturalNewton* newton, const double* r, const double* u, const double* center, double weight, double* step) {
  const CpsProblem* p = newton->problem;
  for (int32_t i = 0; i < p->contact_count; ++i) {
    double w[3], x[3], rho, A[9];
    int64_t o = 3 * (int64_t)i;
    arguments(p, i, r, u, center, weight, w, x, &rho);
    double *G = newton->G + 9 * (int64_t)i, *E = newton->E + 9 * (int64_t)i;
    double mu = p->mu[i];
    if (p->law[i] == CPS_LAW_BILATERAL) { memset(A, 0, sizeof A); A[0]=A[4]=A[8]=1; newton->active[i] = true; }
    else if (p->law[i] == CPS_LAW_FREE) newton->active[i] = false;
    else newton->active[i] = projection_derivative(mu, x, A);
    if (!newton->active[i]) {
      for (int k = 0; k < 3; ++k) step[o + k] = -r[o + k];
      continue;
    }
    // G = rho A T : T adds mu * (first column) * w_T^T/|w_T|
    double t = sqrt(w[1] * w[1] + w[2] * w[2]);
    double c = !AC && p->law[i] == CPS_LAW_COULOMB && t > 0.0 ? mu * w[1] / t : 0.0, s = !AC && p->law[i] == CPS_LAW_COULOMB && t > 0.0 ? mu * w[2] / t : 0.0;
    for (int a = 0; a < 3; ++a) {
      G[3 * a] = rho * A[3 * a];
      G[3 * a + 1] = rho * (A[3 * a + 1] + A[3 * a] * c);
      G[3 * a + 2] = rho * (A[3 * a + 2] + A[3 * a] * s);
      for (int b = 0; b < 3; ++b) E[3 * a + b] = (a == b) - A[3 * a + b] + weight / p->xi[i] * G[3 * a + b];
    }
  }
  // right side: -F_i - G_i sum_{inactive j} W_ij step_j
  for (int32_t i = 0; i < p->contact_count; ++i) {
    if (!newton->active[i]) continue;
    int64_t o = 3 * (int64_t)i;
    double y[3] = {0};
    for (int64_t k = newton->W.start[i]; k < newton->W.start[i + 1]; ++k) {
      int32_t j = newton->W.col[k];
      if (newton->active[j]) continue;
      const double *a = newton->W.value + 9 * k, *d = step + 3 * (int64_t)j;
      for (int q = 0; q < 3; ++q) y[q] += a[3 * q] * d[0] + a[3 * q + 1] * d[1] + a[3 * q + 2] * d[2];
    }
    const double* G = newton->G + 9 * (int64_t)i;
    for (int q = 0; q < 3; ++q) step[o + q] = -newton->F[o + q] - (G[3 * q] * y[0] + G[3 * q + 1] * y[1] + G[3 * q + 2] * y[2]);
  }
  CpsBlockLuSystem system = {newton->active, newton->G, newton->E, step};
  return cps_block_lu_solve(newton->lu, &system) == CPS_BLOCK_LU_OK;
}

// ---- smoothing experiment

static inline double phi(double l, double m, double* d) { double q = sqrt(l * l + 4 * m * m); *d = q > 0 ? 0.5 * (1 + l / q) : 0.5; 
  return l >= 0 ? 0.5 * (l + q) : 2 * m * m / (q - l + 1e-300); }
static void smooth_point(const CpsProblem* p, int32_t i, const double* r, const double* u, const double* c, double weight, double m, double* P, double* A, double* G, double* E, double* amax) {
  int64_t o = 3 * (int64_t)i; double mu = fmax(p->mu[i], 1e-3); double s = weight / p->xi[i], rho = p->xi[i] / (1 + weight);
  double w[3]; for (int k = 0; k < 3; ++k) w[k] = u[o + k] + s * (r[o + k] - c[o + k]);
  double ep = m / rho; double nt = sqrt(w[1]*w[1] + w[2]*w[2] + ep*ep);
  double R0 = rho / mu, R1 = rho * mu;
  // scaled
  double x0 = mu * r[o] - rho * (w[0] + mu * (nt - ep)), x1 = r[o+1] - R1 * w[1], x2 = r[o+2] - R1 * w[2];
  double t = sqrt(x1*x1+x2*x2); double c1 = t > 0 ? x1/t : 1, s1 = t > 0 ? x2/t : 0;
  double d1, d2; double f1 = phi(x0 - t, m, &d1), f2 = phi(x0 + t, m, &d2);
  P[0] = 0.5*(f1+f2)/mu; double pt = 0.5*(f2-f1); P[1] = pt*c1; P[2] = pt*s1;
  *amax = d2;
  if (!A) return;
  double a = 0.5*(d1+d2), b = 0.5*(d2-d1), k = t > 1e-300 ? pt/t : d1;
  double Ah[9] = {a, b*c1, b*s1, b*c1, a*c1*c1+k*s1*s1, (a-k)*c1*s1, b*s1, (a-k)*c1*s1, a*s1*s1+k*c1*c1};
  // original: S Ah S^-1, S = diag(1/mu,1,1)
  double Ao[9] = {Ah[0], Ah[1]/mu, Ah[2]/mu, Ah[3]*mu, Ah[4], Ah[5], Ah[6]*mu, Ah[7], Ah[8]};
  double tc = mu*w[1]/nt, ts = mu*w[2]/nt;
  for (int q = 0; q < 3; ++q) {
    G[3*q] = Ao[3*q]*R0; G[3*q+1] = Ao[3*q+1]*R1 + G[3*q]*tc; G[3*q+2] = Ao[3*q+2]*R1 + G[3*q]*ts;
    for (int z = 0; z < 3; ++z) E[3*q+z] = (q==z) - Ao[3*q+z] + s * G[3*q+z];
  }
}
double cps_smooth_map(const CpsNaturalNewton* N, const double* r, const double* u, const double* c, double weight, double m, double* F) {
  const CpsProblem* p = N->problem; double sum = 0;
  for (int32_t i = 0; i < p->contact_count; ++i) { double P[3], am; smooth_point(p, i, r, u, c, weight, m, P, NULL, NULL, NULL, &am);
    for (int k = 0; k < 3; ++k) { double f = r[3*(int64_t)i+k]-P[k]; F[3*(int64_t)i+k] = f; sum += f*f; } }
  return sqrt(sum);
}
bool cps_smooth_step(CpsNaturalNewton* newton, const double* r, const double* u, const double* c, double weight, double m, double* step) {
  const CpsProblem* p = newton->problem;
  for (int32_t i = 0; i < p->contact_count; ++i) {
    double P[3], A[9], am;
    smooth_point(p, i, r, u, c, weight, m, P, A, newton->G + 9*(int64_t)i, newton->E + 9*(int64_t)i, &am);
    newton->active[i] = am > 1e-7;
    for (int k = 0; k < 3; ++k) step[3*(int64_t)i+k] = -newton->F[3*(int64_t)i+k];
  }
  for (int32_t i = 0; i < p->contact_count; ++i) {
    if (!newton->active[i]) continue;
    int64_t o = 3 * (int64_t)i;
    double y[3] = {0};
    for (int64_t k = newton->W.start[i]; k < newton->W.start[i + 1]; ++k) {
      int32_t j = newton->W.col[k];
      if (newton->active[j]) continue;
      const double *a = newton->W.value + 9 * k, *d = step + 3 * (int64_t)j;
      for (int q = 0; q < 3; ++q) y[q] += a[3 * q] * d[0] + a[3 * q + 1] * d[1] + a[3 * q + 2] * d[2];
    }
    const double* G = newton->G + 9 * (int64_t)i;
    for (int q = 0; q < 3; ++q) step[o + q] -= (G[3 * q] * y[0] + G[3 * q + 1] * y[1] + G[3 * q + 2] * y[2]);
  }
  CpsBlockLuSystem system = {newton->active, newton->G, newton->E, step};
  return cps_block_lu_solve(newton->lu, &system) == CPS_BLOCK_LU_OK;
}
