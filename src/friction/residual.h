// The common error measure for arrays already computed.
#ifndef CAPSTAN_FRICTION_RESIDUAL_H
#define CAPSTAN_FRICTION_RESIDUAL_H

#include "core/pool.h"
#include "friction/problem.h"

// Residuals of r with its velocity u = W r + b (shift included) already known.
CpsResidual cps_residual_from_velocity(const CpsProblem* problem, const double* r, const double* u);

// The same including its parts.
typedef struct CpsMeasure {
  CpsResidual residual;
  double largest_r;  // max_i ||r_i||
  double largest_b;  // max_i xi_i ||b_i||
} CpsMeasure;
// pool: threads to share the work, or NULL; the bits do not depend on it. siconos: whether to compute that measure, else it is 0.
CpsMeasure cps_residual_measure(const CpsProblem* problem, CpsPool* pool, const double* r, const double* u,
                                bool siconos);
// max_i ||r_i|| + max_i xi_i ||b_i||: the scale of errors in impulse units.
double cps_residual_scale(const CpsProblem* problem, const double* r);

#endif
