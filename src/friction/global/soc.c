// Algebra of the second-order cone K = { x_0 >= ||x_1|| }, J = diag(1, -1, …, -1), e = (1, 0, …).
//
//   det x = x^T J x = (x_0 - ||x_1||)(x_0 + ||x_1||)                                                              (1)
//   x o y = (x.y, x_0 y_1 + y_0 x_1)                                                                              (2)
//   F = beta (2 v v^T - J),  F^2 = beta^2 (2 w w^T - J),  F^-1 = (1/beta)(2 Jv (Jv)^T - J)                        (3)
//   x' = x/sqrt(det x), z' = z/sqrt(det z), gamma = sqrt((1 + x'.z')/2), w = (z' + J x')/(2 gamma),
//   v = (w + e)/sqrt(2 (w_0 + 1)),  beta = (det z/det x)^(1/4)                                                    (4)
//
// With (4), F x = F^-1 z (Nesterov and Todd 1997; Andersen, Roos, Terlaky 2003, section 2).
#include "friction/global/soc.h"

#include <math.h>

static double tail_norm(int d, const double* x) {
  double sum = 0.0;
  for (int k = 1; k < d; k++) sum += x[k] * x[k];
  return sqrt(sum);
}

double cps_soc_margin(int d, const double* x) {
  return x[0] - tail_norm(d, x);
}

// (1) as a product, which keeps its digits near the boundary
double cps_soc_determinant(int d, const double* x) {
  double t = tail_norm(d, x);
  return (x[0] - t) * (x[0] + t);
}

bool cps_soc_scaling(int d, const double* x, const double* z, CpsSocScaling* F) {
  if (!(cps_soc_margin(d, x) > 0.0) || !(cps_soc_margin(d, z) > 0.0)) return false;
  double det_x = cps_soc_determinant(d, x), det_z = cps_soc_determinant(d, z);
  double nx = 1.0 / sqrt(det_x), nz = 1.0 / sqrt(det_z);
  if (!(det_x > 0.0) || !(det_z > 0.0) || !(nx < INFINITY) || !(nz < INFINITY)) return false;
  double dot = 0.0;
  for (int k = 0; k < d; k++) dot += (x[k] * nx) * (z[k] * nz);
  double gamma = sqrt(0.5 * (1.0 + dot));
  double t = 0.0;
  for (int k = 1; k < d; k++) {
    F->w[k] = (z[k] * nz - x[k] * nx) / (2.0 * gamma);
    t += F->w[k] * F->w[k];
  }
  F->w[0] = sqrt(1.0 + t);  // det w = 1 exactly, whatever was lost in gamma
  double n = 1.0 / sqrt(2.0 * (F->w[0] + 1.0));
  F->v[0] = (F->w[0] + 1.0) * n;
  for (int k = 1; k < d; k++) F->v[k] = F->w[k] * n;
  F->beta = sqrt(sqrt(det_z / det_x));
  return F->beta > 0.0 && F->beta < INFINITY;
}

void cps_soc_scale(const CpsSocScaling* F, int d, const double* x, double* out) {
  double dot = 0.0;
  for (int k = 0; k < d; k++) dot += F->v[k] * x[k];
  out[0] = F->beta * (2.0 * dot * F->v[0] - x[0]);
  for (int k = 1; k < d; k++) out[k] = F->beta * (2.0 * dot * F->v[k] + x[k]);
}

void cps_soc_unscale(const CpsSocScaling* F, int d, const double* x, double* out) {
  double dot = F->v[0] * x[0];
  for (int k = 1; k < d; k++) dot -= F->v[k] * x[k];
  out[0] = (2.0 * dot * F->v[0] - x[0]) / F->beta;
  for (int k = 1; k < d; k++) out[k] = (x[k] - 2.0 * dot * F->v[k]) / F->beta;
}

void cps_soc_square(const CpsSocScaling* F, int d, double* square) {
  double beta2 = F->beta * F->beta;
  for (int a = 0; a < d; a++) {
    for (int b = 0; b < d; b++) square[a * d + b] = 2.0 * beta2 * F->w[a] * F->w[b];
    square[a * d + a] += a == 0 ? -beta2 : beta2;
  }
}

void cps_soc_product(int d, const double* x, const double* y, double* out) {
  double dot = 0.0;
  for (int k = 0; k < d; k++) dot += x[k] * y[k];
  out[0] = dot;
  for (int k = 1; k < d; k++) out[k] = x[0] * y[k] + y[0] * x[k];
}

void cps_soc_divide(int d, const double* x, const double* y, double* out) {
  // the arrow system: out_0 = (x_0 y_0 - x_1.y_1)/det x, out_1 = (y_1 - out_0 x_1)/x_0
  double dot = x[0] * y[0];
  for (int k = 1; k < d; k++) dot -= x[k] * y[k];
  double first = dot / cps_soc_determinant(d, x);
  for (int k = 1; k < d; k++) out[k] = (y[k] - first * x[k]) / x[0];
  out[0] = first;
}

double cps_soc_max_step(int d, const double* x, const double* dx) {
  // smallest positive root of det(x + a dx) = A a^2 + 2 B a + C, C > 0
  double A = cps_soc_determinant(d, dx), C = cps_soc_determinant(d, x), B = x[0] * dx[0];
  for (int k = 1; k < d; k++) B -= x[k] * dx[k];
  if (d == 1) return dx[0] < 0.0 ? -x[0] / dx[0] : INFINITY;
  double discriminant = B * B - A * C;
  if (!(discriminant >= 0.0)) return INFINITY;
  double root = sqrt(discriminant);
  if (B <= 0.0) return root - B > 0.0 ? C / (root - B) : INFINITY;
  return A < 0.0 ? (B + root) / -A : INFINITY;
}
