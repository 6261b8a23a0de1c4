// Rest as a linear system in the velocities of rigid bodies (docs/theory/rest.md).
#ifndef CAPSTAN_FRICTION_REST_FACTOR_H
#define CAPSTAN_FRICTION_REST_FACTOR_H

#include "friction/global/method.h"
#include "sparse/cholesky.h"

// Bodies as two nodes each: the blocks of their lower triangle, and the factor.
typedef struct CpsRestFactor {
  const CpsProblem* problem;
  CpsArena arena;      // not the solve's: a factor is made now and then, and its memory given back
  int32_t* first;      // body_count + 1: first neighbour of each body in
  int32_t* neighbour;  // those with lower numbers, ascending, then the body itself
  CpsBlockMatrix A;
  CpsCholesky* cholesky;
  double *y, *z, *work;  // six numbers a body
} CpsRestFactor;

// Orders the matrix. *possible: contacts of rigid bodies, and a factorisation should take at most `operations`; what is not possible
// is known in linear time.
CpsStatus cps_rest_factor_create(CpsSolve* solve, double operations, CpsRestFactor* rest, bool* possible);
void cps_rest_factor_free(CpsRestFactor* rest);
// Factors the matrix of the contacts that move, D = diag(weight). False: a pivot is not positive.
bool cps_rest_factor_make(CpsRestFactor* rest, const bool* moves, const double* weight);
// The change of their impulses after which their velocities, u now, vanish.
void cps_rest_factor_solve(CpsRestFactor* rest, const bool* moves, const double* weight, const double* u, double* dr);

#endif
