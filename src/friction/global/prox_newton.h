// Semismooth Newton on one proximal subproblem. Used by proximal.c and auto.c; the equations are in prox_newton.c.
#ifndef CAPSTAN_FRICTION_GLOBAL_PROX_NEWTON_H
#define CAPSTAN_FRICTION_GLOBAL_PROX_NEWTON_H

#include "friction/global/method.h"
#include "sparse/block_lu.h"

typedef struct CpsProxNewton {
  const CpsProblem* problem;
  CpsBlockMatrix W;  // explicit, with a symmetric pattern
  CpsArena* arena;
  CpsBlockMatrix A;  // Newton matrix in 3 x 3 sub-blocks; the first step allocates its values
  CpsBlockLu* lu;
  int32_t* first;  // contact_count + 1: first sub-block of each contact
  bool* active;    // per sub-block: takes part in the linear system
  double* x;       // 3 per sub-block: right side and solution
  double* G;       // d_i x d_i per contact (cps_diag_at()): derivative of the projection times rho
} CpsProxNewton;

// Takes the buffers and orders the matrix.
CpsStatus cps_prox_newton_create(CpsSolve* solve, CpsProxNewton* newton);
// F(r) of the subproblem with this centre and weight; u = W r + b. Returns ||F||.
double cps_prox_newton_map(const CpsProxNewton* newton, const double* r, const double* u, const double* centre,
                           double weight, double* F);
// P_i' of (1) at r for one contact, d_i x d_i; false where it vanishes (A_i is then not written).
bool cps_prox_newton_derivative(const CpsProblem* problem, int32_t i, const double* r, const double* u,
                                const double* centre, double weight, double* A_i);
// Newton direction at r from F(r). CPS_BLOCK_LU_SINGULAR leaves `step` meaningless.
CpsBlockLuResult cps_prox_newton_step(CpsProxNewton* newton, const double* r, const double* u, const double* centre,
                                      double weight, const double* F, double* step);

#endif
