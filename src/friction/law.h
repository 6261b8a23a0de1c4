// The law of one contact: cones, projections, De Saxce's shift and the error of one contact.
#ifndef CAPSTAN_FRICTION_LAW_H
#define CAPSTAN_FRICTION_LAW_H

#include "capstan/problem.h"

#include <math.h>

// ||x_T|| of a block of dimension d.
double cps_law_tangent_norm(int d, const double* x);
// x <- P_{K_mu}(x), orthogonal projection (the order of the tests matters for mu = 0).
void cps_law_project_cone(int d, double mu, double* x);
// x <- P_{K_mu^*}(x), projection on the dual cone K_{1/mu}.
void cps_law_project_dual(int d, double mu, double* x);
// ut = u + mu ||u_T|| e for Coulomb, u otherwise.
void cps_law_desaxce(CpsLaw law, int d, double mu, const double* u, double* ut);
// e = || r - P(r - xi u~) ||, the error of one contact under its law, in impulse units.
double cps_law_error(CpsLaw law, int d, double mu, double xi, const double* r, const double* u);
// e^2 of cps_law_error() in dimension 3, with u_N + shift for the normal of u~.
static inline double cps_law_cone3_square(double shift, double mu, double xi, const double* r, const double* u) {
  double x0 = r[0] - xi * (u[0] + shift);
  double x1 = r[1] - xi * u[1], x2 = r[2] - xi * u[2];
  double tt = x1 * x1 + x2 * x2, limit = mu * x0;
  if (!(x0 > 0.0 && tt <= limit * limit)) {
    double t = sqrt(tt);
    if (mu * t <= -x0) {
      x0 = x1 = x2 = 0.0;
    } else {
      x0 = (x0 + mu * t) / (1.0 + mu * mu);
      double scale = mu * x0 / t;
      x1 *= scale;
      x2 *= scale;
    }
  }
  x0 -= r[0], x1 -= r[1], x2 -= r[2];
  return x0 * x0 + x1 * x1 + x2 * x2;
}
static inline double cps_law_coulomb3_square(double mu, double xi, const double* r, const double* u) {
  return cps_law_cone3_square(mu * sqrt(u[1] * u[1] + u[2] * u[2]), mu, xi, r, u);
}
static inline double cps_law_convex3_square(double mu, double xi, const double* r, const double* u) {
  return cps_law_cone3_square(0.0, mu, xi, r, u);
}
// Is r in K_mu, up to slack * ||r||?
bool cps_law_in_cone(int d, double mu, const double* r, double slack);

#endif
