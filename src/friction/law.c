#include "friction/law.h"

#include <math.h>

double cps_law_tangent_norm(int d, const double* x) {
  if (d == 3) return sqrt(x[1] * x[1] + x[2] * x[2]);
  double sum = 0.0;
  for (int k = 1; k < d; ++k) sum += x[k] * x[k];
  return sqrt(sum);
}

void cps_law_project_cone(int d, double mu, double* x) {
  double t = cps_law_tangent_norm(d, x);
  double scale;
  if (mu * t <= -x[0]) {
    // in the polar cone; tested first, so that mu = 0 never keeps a negative x_N
    x[0] = 0.0;
    scale = 0.0;
  } else if (t <= mu * x[0]) {
    return;
  } else {
    x[0] = (x[0] + mu * t) / (1.0 + mu * mu);
    scale = mu * x[0] / t;
  }
  for (int k = 1; k < d; ++k) x[k] *= scale;
}

void cps_law_project_dual(int d, double mu, double* x) {
  // Moreau: x = P_{K*}(x) + P_{-K}(x), and P_{-K}(x) = -P_K(-x)
  double minus[CPS_DIM_MAX];
  for (int k = 0; k < d; ++k) minus[k] = -x[k];
  cps_law_project_cone(d, mu, minus);
  for (int k = 0; k < d; ++k) x[k] += minus[k];
}

void cps_law_desaxce(CpsLaw law, int d, double mu, const double* u, double* ut) {
  ut[0] = u[0] + (law == CPS_LAW_COULOMB ? mu * cps_law_tangent_norm(d, u) : 0.0);
  for (int k = 1; k < d; ++k) ut[k] = u[k];
}

double cps_law_error(CpsLaw law, int d, double mu, double xi, const double* r, const double* u) {
  double x[CPS_DIM_MAX] = {0}, sum = 0.0;
  switch (law) {
    case CPS_LAW_BILATERAL:
      for (int k = 0; k < d; ++k) sum += u[k] * u[k];
      return xi * sqrt(sum);
    case CPS_LAW_FREE:
      for (int k = 0; k < d; ++k) sum += r[k] * r[k];
      return sqrt(sum);
    case CPS_LAW_COULOMB:
    case CPS_LAW_CONVEX:
      cps_law_desaxce(law, d, mu, u, x);
      for (int k = 0; k < d; ++k) x[k] = r[k] - xi * x[k];
      cps_law_project_cone(d, mu, x);
      for (int k = 0; k < d; ++k) sum += (r[k] - x[k]) * (r[k] - x[k]);
      return sqrt(sum);
  }
  return INFINITY;
}

bool cps_law_in_cone(int d, double mu, const double* r, double slack) {
  double t = cps_law_tangent_norm(d, r), size = sqrt(r[0] * r[0] + t * t);
  return r[0] >= -slack * size && t <= mu * r[0] + slack * size;
}
