// Coulomb's exact law as a mixed complementarity problem, l standing for rho ||u_T||:
//
//   0 <= r_N  complementary to  rho u_N >= 0                                                     (1)
//   r_T free:  mu r_N rho u_T + l r_T = 0                                                        (2)
//   0 <= l    complementary to  mu r_N - ||r_T|| + l - rho ||u_T|| >= 0                          (3)
//
// (1), (2) and 0 <= l, mu r_N - ||r_T|| >= 0 complementary is the usual form (Trinkle, Pang, Sudarsky and Lo 1997). At
// take-off it leaves l undetermined, so that its Jacobian is singular there. The last two terms of (3) fix that and
// change no solution:
//
//   l > 0, r_N > 0   (2) gives mu r_N - ||r_T|| = mu r_N (1 - rho ||u_T|| / l), of the sign of l - rho ||u_T||, and
//                    their sum is 0 by (3): both are. Sliding.
//   l > 0, r_N = 0   (2) gives r_T = 0, (3) gives l = rho ||u_T||. Take-off.
//   l = 0, r_N > 0   (2) gives u_T = 0, (3) gives ||r_T|| <= mu r_N. Sticking.
//   l = 0, r_N = 0   (3) gives r_T = 0 and u_T = 0. Grazing.
//
// As equations: (1) and (3) by phi(a, b) = a + b - sqrt(a^2 + b^2) (Fischer 1992), (2) divided by a constant weight mu
// r_N + l of the current iterate, so that F scales with the problem. Negative r_N and l count as 0 in (2). If both are
// far below the weight, (2) barely constrains r_T, and its derivative is kept at 1e-6.
#include "friction/global/mcp_function.h"

#include <math.h>
#include <string.h>

static const double DETERMINED = 1e-6;

static double fischer(double a, double b, double* da, double* db) {
  double h = hypot(a, b);
  // at the kink any element of the generalised gradient is valid
  *da = h > 0.0 ? 1.0 - a / h : 1.0 - sqrt(0.5);
  *db = h > 0.0 ? 1.0 - b / h : 1.0 - sqrt(0.5);
  // a + b - h without cancellation where both are positive
  return a > 0.0 && b > 0.0 ? 2.0 * a * b / (a + b + h) : a + b - h;
}

static double tangent_norm(int d, const double* x) {
  double sum = 0.0;
  for (int k = 1; k < d; k++) sum += x[k] * x[k];
  return sqrt(sum);
}

double cps_mcp_weight(double mu, const double* r, double l) {
  return mu * fmax(r[0], 0.0) + fmax(l, 0.0);
}

// (2) over the weight
static void tangential(int d, double mu, double rho, double weight, const double* r, const double* u, double l,
                       CpsMcpValue* out) {
  if (!(weight > 0.0) || mu == 0.0) {
    for (int k = 1; k < d; k++) {
      out->F_r[k] = r[k];
      out->dFr_dr[k * d + k] = 1.0;
    }
    return;
  }
  double a = mu * fmax(r[0], 0.0) / weight, c = fmax(l, 0.0) / weight;
  for (int k = 1; k < d; k++) {
    out->F_r[k] = a * rho * u[k] + c * r[k];
    out->dFr_du[k * d + k] = a * rho;
    out->dFr_dr[k * d + k] = fmax(c, DETERMINED - a);
    if (r[0] > 0.0) out->dFr_dr[k * d] = mu / weight * rho * u[k];
    if (l > 0.0) out->dFr_dl[k] = r[k] / weight;
  }
}

// (3)
static void multiplier(int d, double mu, double rho, const double* r, const double* u, double l, CpsMcpValue* out) {
  double r_T = tangent_norm(d, r), u_T = tangent_norm(d, u), dl, dg;
  out->F_l = fischer(l, mu * r[0] - r_T + l - rho * u_T, &dl, &dg);
  out->dFl_dl = dl + dg;
  out->dFl_dr[0] = dg * mu;
  for (int k = 1; k < d; k++) {
    out->dFl_dr[k] = r_T > 0.0 ? -dg * r[k] / r_T : 0.0;
    out->dFl_du[k] = u_T > 0.0 ? -dg * rho * u[k] / u_T : 0.0;
  }
}

void cps_mcp_function(CpsLaw law, int d, double mu, double rho, double weight, const double* r, const double* u,
                      double l, CpsMcpValue* value) {
  memset(value, 0, sizeof *value);
  value->dFl_dl = 1.0;
  if (law == CPS_LAW_COULOMB) {
    double da, db;
    value->F_r[0] = fischer(r[0], rho * u[0], &da, &db);
    value->dFr_dr[0] = da;
    value->dFr_du[0] = rho * db;
    tangential(d, mu, rho, weight, r, u, l, value);
    if (mu > 0.0) {
      multiplier(d, mu, rho, r, u, l, value);
    } else {
      value->F_l = l;
    }
    return;
  }
  value->F_l = l;
  for (int k = 0; k < d; k++) {
    value->F_r[k] = law == CPS_LAW_BILATERAL ? rho * u[k] : r[k];
    if (law == CPS_LAW_BILATERAL) value->dFr_du[k * d + k] = rho;
    if (law != CPS_LAW_BILATERAL) value->dFr_dr[k * d + k] = 1.0;
  }
}
