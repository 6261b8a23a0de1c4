// Rest as a linear system in the velocities of rigid bodies (docs/theory/rest.md).
#ifndef CAPSTAN_FRICTION_REST_FACTOR_H
#define CAPSTAN_FRICTION_REST_FACTOR_H

#include "friction/global/method.h"
#include "sparse/cholesky.h"

// Bodies as two nodes each: the blocks of their lower triangle, and the factor. Zeroed: none yet. Kept by the workspace: the order of
// elimination follows from the pattern alone, so a pattern that is the one of the solve before is not analysed again.
typedef struct CpsRestFactor {
  CpsArena arena;         // what is named below
  int32_t body_count;     // of the pattern:
  int32_t* first;         // body_count + 1: first neighbour of each body in
  int32_t* neighbour;     // those with lower numbers, ascending, then the body itself
  double operations;      // forecast for it
  CpsCholesky* cholesky;  // NULL: not analysed
  double* value;          // of the solve: the blocks of A,
  double *y, *z, *work;   // and six numbers a body
} CpsRestFactor;

// Finds the pattern, orders it unless it is known, and takes what else it needs from the arena of the solve. *possible: contacts of rigid bodies, and a factorisation should take at most
// `operations`; what is not possible is known in linear time.
CpsStatus cps_rest_factor_prepare(CpsSolve* solve, double operations, bool* possible);
void cps_rest_factor_free(CpsRestFactor* rest);
// Factors the matrix of the contacts that move, D = diag(weight). False: a pivot is not positive.
bool cps_rest_factor_make(CpsSolve* solve, const bool* moves, const double* weight);
// The change of their impulses after which their velocities, u now, vanish.
void cps_rest_factor_solve(CpsSolve* solve, const bool* moves, const double* weight, const double* u, double* dr);

#endif
