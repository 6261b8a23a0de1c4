// The linear system of a Newton method on the whole problem:  (D W + E) d = -f  with block-diagonal D and E.
#ifndef CAPSTAN_FRICTION_GLOBAL_NEWTON_SYSTEM_H
#define CAPSTAN_FRICTION_GLOBAL_NEWTON_SYSTEM_H

#include "friction/global/method.h"
#include "sparse/lu.h"

typedef struct CpsNewtonSystem {
  const CpsProblem* problem;
  CpsBlockMatrix W;
  double* f;             // row_count
  double *D, *E;         // d_i x d_i blocks, placed like problem->diag
  double shift;          // W + shift diag(1/xi_i) stands for W in the matrix
  int64_t* within;       // first scalar row of each block of W among the entries of its columns
  int64_t* diag_within;  // the same for each diagonal block, which W may lack
  int64_t* full_start;   // CSC with all entries
  int64_t* full_row;
  double* full_value;
  int64_t* col_start;  // CSC without the zeros, for the factorisation
  int64_t* row;
  double* value;
  int64_t* old_start;  // the same for the previous factorisation
  int64_t* old_row;
  bool no_memory;  // a factorisation failed because memory ran out
  CpsLu* lu;       // NULL before the first factorisation
} CpsNewtonSystem;

// Takes memory from the solve's arena and finds the pattern. False if memory runs out. Destroy in every case.
bool cps_newton_system_create(CpsSolve* solve, CpsNewtonSystem* system);
void cps_newton_system_destroy(CpsNewtonSystem* system);

// Assembles D (W + shift X^-1) + E, X = diag xi_i, from system->D, E and shift.
void cps_newton_system_assemble(CpsNewtonSystem* system);
// Factors the assembled matrix. False if it is singular to working precision or memory runs out (system->no_memory).
bool cps_newton_system_factor(CpsSolve* solve, CpsNewtonSystem* system);

// d = -A^-1 f from f, D and E, with a shift that grows until A is regular. Wd = W d; slope = f.(D W + E) d, which is
// -||f||^2 if no shift was needed. Returns false if no shift helped; then d is the steepest descent direction -(D W +
// E)^T f, with slope = -||d||^2. If memory runs out (system->no_memory), the method must end.
bool cps_newton_system_direction(CpsSolve* solve, CpsNewtonSystem* system, double* d, double* Wd, double* slope);

#endif
