// One semismooth Newton step on the natural map of a proximally regularised problem. Shared by proximal.c and auto.c.
#ifndef CAPSTAN_FRICTION_GLOBAL_NATURAL_NEWTON_H
#define CAPSTAN_FRICTION_GLOBAL_NATURAL_NEWTON_H

#include "friction/global/method.h"
#include "sparse/block_lu.h"

typedef struct CpsNaturalNewton {
  const CpsProblem* problem;
  CpsBlockMatrix W;
  CpsBlockLu* lu;
  bool* active;
  double *G, *E;  // 9 per contact: rows of the Newton matrix (block_lu.h)
  double* F;      // natural map, and the step
} CpsNaturalNewton;

CpsStatus cps_natural_newton_create(CpsSolve* solve, CpsNaturalNewton* newton);

// The natural map of the proximal problem  u = W r + b + (weight_i / xi_i) (r - center)  at r: returns max_i ||F_i||.
double cps_natural_newton_map(const CpsNaturalNewton* newton, const double* r, const double* u, const double* center,
                              double weight, double* F);

// step <- Newton direction at r (u = W r + b). False if the matrix is singular or memory is short.
bool cps_natural_newton_step(CpsNaturalNewton* newton, const double* r, const double* u, const double* center,
                             double weight, double* step);

double cps_smooth_map(const CpsNaturalNewton* N, const double* r, const double* u, const double* c, double weight, double m, double* F);
bool cps_smooth_step(CpsNaturalNewton* newton, const double* r, const double* u, const double* c, double weight, double m, double* step);
#endif
