// The diagonal model of one contact, D = diag(w_N, w_T, …, w_T), shared by duriez06 and duriez08.
#ifndef CAPSTAN_FRICTION_LOCAL_DIAGONAL_H
#define CAPSTAN_FRICTION_LOCAL_DIAGONAL_H

#include <math.h>

#include "friction/local/local.h"

typedef struct CpsDiagonal {
  double w_N;  // W_NN
  double w_T;  // mean of the diagonal of W_TT
} CpsDiagonal;

static inline CpsDiagonal cps_diagonal(const CpsLocalProblem* problem) {
  const int d = problem->dim;
  double sum = 0.0;
  for (int i = 1; i < d; i++) sum += problem->W[i * d + i];
  return (CpsDiagonal){.w_N = problem->W[0], .w_T = sum / (d - 1)};
}

// r satisfies Coulomb's law with u = D r + b: r_N = max(0, -b_N/w_N), r_T = -b_T/w_T cut to the disc of radius mu r_N.
static inline void cps_diagonal_solve(CpsDiagonal D, int d, double mu, const double* b, double* r) {
  const double normal = b[0] >= 0.0 ? 0.0 : -b[0] / D.w_N;
  const double radius = mu * normal;
  double square = 0.0;
  for (int i = 1; i < d; i++) {
    r[i] = -b[i] / D.w_T;
    square += r[i] * r[i];
  }
  const double length = sqrt(square);
  if (!(length <= radius)) {
    const double factor = radius / length;
    for (int i = 1; i < d; i++) r[i] *= factor;
  }
  r[0] = normal;
}

#endif
