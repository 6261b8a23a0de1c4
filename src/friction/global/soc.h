// Second-order cone K = { x_0 >= ||x_1|| }: its Jordan product and the Nesterov-Todd scaling of a pair inside it.
#ifndef CAPSTAN_FRICTION_GLOBAL_SOC_H
#define CAPSTAN_FRICTION_GLOBAL_SOC_H

#include "capstan/problem.h"

// F symmetric with F x = F^-1 z = lambda (soc.c). Dimension 1 is the half-line.
typedef struct CpsSocScaling {
  double beta;
  double w[CPS_DIM_MAX];  // F^2 = beta^2 (2 w w^T - J)
  double v[CPS_DIM_MAX];  // F = beta (2 v v^T - J)
} CpsSocScaling;

// Smaller eigenvalue of x, x_0 - ||x_1||: positive inside the cone.
double cps_soc_margin(int d, const double* x);
// det x = x_0^2 - ||x_1||^2, the product of its eigenvalues.
double cps_soc_determinant(int d, const double* x);
// Returns false unless x and z are inside the cone.
bool cps_soc_scaling(int d, const double* x, const double* z, CpsSocScaling* F);
// out = F x, out = F^-1 x; out may be x.
void cps_soc_scale(const CpsSocScaling* F, int d, const double* x, double* out);
void cps_soc_unscale(const CpsSocScaling* F, int d, const double* x, double* out);
// F^2 as a d x d matrix.
void cps_soc_square(const CpsSocScaling* F, int d, double* square);
// out = x o y = (x.y, x_0 y_1 + y_0 x_1); out may not be x or y.
void cps_soc_product(int d, const double* x, const double* y, double* out);
// Solves x o out = y for x inside the cone; out may be y.
void cps_soc_divide(int d, const double* x, const double* y, double* out);
// Largest a >= 0 with x + a dx in the cone, x inside; INFINITY if there is no bound.
double cps_soc_max_step(int d, const double* x, const double* dx);

#endif
