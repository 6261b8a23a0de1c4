// The Alart-Curnier function (Alart and Curnier 1991; Bertails-Descoubes et al. 2011, eq. 4 and appendix B).
//
//   f_N = max(0, r_N - rho u_N) - r_N
//   f_T = P_B(0, delta)(y) - r_T,     y = r_T - rho u_T,   delta = mu r_N   (the projection is 0 for delta <= 0) (1)
//
// with these derivatives, n = y/||y||, Pi = (delta/||y||)(I - n n^T):
//
//   delta <= 0       d/du_T = 0,         d/dr_T = -I                                                              (2)
//   ||y|| <= delta   d/du_T = -rho I,    d/dr = 0                                                                 (3)
//   else             d/du_T = -rho Pi,   d/dr_T = Pi - I,   d/dr_N = mu n                                         (4)
//
// (2) is tested first. For the law convex f is the natural map P_K(r - rho u) - r, for bilateral -rho u, for free -r.
// f is piecewise smooth; on a kink the derivative is that of one of the neighbouring pieces.
#include "friction/local/ac_function.h"

#include <math.h>
#include <string.h>

static void clear(int d, double* A) {
  if (A != NULL) memset(A, 0, (size_t)(d * d) * sizeof *A);
}

static void add_identity(int d, int from, double factor, double* A) {
  if (A == NULL) return;
  for (int i = from; i < d; i++) A[i * d + i] += factor;
}

static double tangent_norm(int d, const double* x) {
  double sum = 0.0;
  for (int i = 1; i < d; i++) sum += x[i] * x[i];
  return sqrt(sum);
}

static inline void coulomb(int d, double mu, double rho, const double* r, const double* u, double* f, double* df_du,
                           double* df_dr) {
  const double trial = r[0] - rho * u[0];
  if (trial > 0.0) {
    f[0] = -rho * u[0];
    if (df_du != NULL) df_du[0] = -rho;
  } else {
    f[0] = -r[0];
    if (df_dr != NULL) df_dr[0] = -1.0;
  }
  const double delta = mu * r[0];
  if (!(delta > 0.0)) {
    for (int i = 1; i < d; i++) f[i] = -r[i];
    add_identity(d, 1, -1.0, df_dr);
    return;
  }
  double y[CPS_DIM_MAX] = {0};
  for (int i = 1; i < d; i++) y[i] = r[i] - rho * u[i];
  const double norm = tangent_norm(d, y);
  if (norm <= delta) {
    for (int i = 1; i < d; i++) f[i] = -rho * u[i];
    add_identity(d, 1, -rho, df_du);
    return;
  }
  const double ratio = delta / norm;
  for (int i = 1; i < d; i++) f[i] = ratio * y[i] - r[i];
  for (int i = 1; i < d; i++) {
    const double n_i = y[i] / norm;
    if (df_dr != NULL) df_dr[i * d] = mu * n_i;
    for (int j = 1; j < d; j++) {
      const double identity = i == j ? 1.0 : 0.0;
      const double Pi = ratio * (identity - n_i * (y[j] / norm));
      if (df_du != NULL) df_du[i * d + j] = -rho * Pi;
      if (df_dr != NULL) df_dr[i * d + j] = Pi - identity;
    }
  }
}

// Natural map of the cone: f = P_K(x) - r, x = r - rho u, df/du = -rho DP, df/dr = DP - I.
static void convex(int d, double mu, double rho, const double* r, const double* u, double* f, double* df_du,
                   double* df_dr) {
  double x[CPS_DIM_MAX] = {0}, DP[CPS_DIM_MAX * CPS_DIM_MAX] = {0};
  for (int i = 0; i < d; i++) x[i] = r[i] - rho * u[i];
  const double t = tangent_norm(d, x);
  if (mu * t <= -x[0]) {
    for (int i = 0; i < d; i++) f[i] = -r[i];
  } else if (t <= mu * x[0]) {
    for (int i = 0; i < d; i++) f[i] = -rho * u[i];
    add_identity(d, 0, 1.0, DP);
  } else {
    const double share = 1.0 / (1.0 + mu * mu), s = (x[0] + mu * t) * share;
    f[0] = s - r[0];
    DP[0] = share;
    for (int i = 1; i < d; i++) {
      const double n_i = x[i] / t;
      f[i] = mu * s * n_i - r[i];
      DP[i] = DP[i * d] = mu * n_i * share;
      for (int j = 1; j < d; j++) {
        const double n_j = x[j] / t, identity = i == j ? 1.0 : 0.0;
        DP[i * d + j] = mu * mu * share * n_i * n_j + mu * s / t * (identity - n_i * n_j);
      }
    }
  }
  for (int i = 0; i < d * d; i++) {
    if (df_du != NULL) df_du[i] = -rho * DP[i];
    if (df_dr != NULL) df_dr[i] = DP[i];
  }
  add_identity(d, 0, -1.0, df_dr);
}

void cps_ac_function(CpsLaw law, int d, double mu, double rho, const double* r, const double* u, double* f,
                     double* df_du, double* df_dr) {
  clear(d, df_du);
  clear(d, df_dr);
  switch (law) {
    case CPS_LAW_COULOMB:
      // the constant lets the compiler unroll the usual dimension
      if (d == 3) {
        coulomb(3, mu, rho, r, u, f, df_du, df_dr);
      } else {
        coulomb(d, mu, rho, r, u, f, df_du, df_dr);
      }
      break;
    case CPS_LAW_CONVEX:
      convex(d, mu, rho, r, u, f, df_du, df_dr);
      break;
    case CPS_LAW_BILATERAL:
      for (int i = 0; i < d; i++) f[i] = -rho * u[i];
      add_identity(d, 0, -rho, df_du);
      break;
    case CPS_LAW_FREE:
      for (int i = 0; i < d; i++) f[i] = -r[i];
      add_identity(d, 0, -1.0, df_dr);
      break;
  }
}
