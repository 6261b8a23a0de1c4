// Rest as a linear system in the velocities of rigid bodies (docs/theory/rest.md).
#ifndef CAPSTAN_FRICTION_REST_FACTOR_H
#define CAPSTAN_FRICTION_REST_FACTOR_H

#include "friction/global/method.h"
#include "sparse/cholesky.h"

// Bodies as two nodes each: the blocks of their lower triangle, and the factor. Zeroed: none yet. Kept by the workspace: the order of
// elimination follows from the pattern alone, so the pattern of the previous solve is not analysed again.
typedef struct CpsRestFactor {
  CpsArena arena;         // of the arrays below
  int32_t body_count;     // of the pattern:
  int32_t* first;         // body_count + 1: first neighbour of each body in
  int32_t* neighbour;     // those with lower numbers, ascending, then the body itself
  double operations;      // expected for it, and
  double counted;         // counted; 0: not yet
  CpsCholesky* cholesky;  // NULL: not analysed
  bool used;              // since the workspace last aged
  double* value;          // of the solve: the blocks of A,
  double *y, *z, *work;   // and six numbers per body
} CpsRestFactor;

// Finds the pattern, orders it unless it is known, and takes the remaining memory from the arena of the solve. *possible: the contacts
// are those of rigid bodies, and a factorisation takes at most `bound` operations by a bound computed in linear time, or at most
// `counted` by counting, which orders the pattern.
CpsStatus cps_rest_factor_prepare(CpsSolve* solve, double bound, double counted, bool* possible);
void cps_rest_factor_free(CpsRestFactor* rest);
// Frees the factor if it was not possible since the last call.
void cps_rest_factor_age(CpsRestFactor* rest);
// Factors the matrix of the moving contacts, D = diag(weight). False: a pivot is not positive.
bool cps_rest_factor_make(CpsSolve* solve, const bool* moves, const double* weight);
// The same with a symmetric 3 x 3 matrix for each contact: xx, xy, xz, yy, yz, zz.
bool cps_rest_factor_make_blocks(CpsSolve* solve, const bool* moves, const double* D);
// x <- A^-1 x, eight numbers per body of which six count.
void cps_rest_factor_apply(CpsSolve* solve, double* x);
// The change of impulses that makes their velocities, u now, vanish.
void cps_rest_factor_solve(CpsSolve* solve, const bool* moves, const double* weight, const double* u, double* dr);

#endif
