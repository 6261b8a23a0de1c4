// The iterations of `splitting`, which `auto` uses too. The equations are in splitting_loop.c.
#ifndef CAPSTAN_FRICTION_GLOBAL_SPLITTING_LOOP_H
#define CAPSTAN_FRICTION_GLOBAL_SPLITTING_LOOP_H

#include "friction/global/anderson.h"
#include "friction/global/primal_system.h"

typedef struct CpsSplitting {
  const CpsProblem* problem;
  CpsPrimalSystem system;
  bool factored;
  double rho;
  double *z, *y, *s, *R;  // rows, rows, contacts, like problem->diag
  double* Av;             // rows
  double *x, *G, *scale;  // rows: z + y before and after an iteration; weights of norms
  CpsAnderson anderson;
  double primal, dual;            // residuals of the last iteration, relative
  int64_t iterations, next_look;  // total, and the count at which rho is examined next
} CpsSplitting;

// Takes the buffers and starts from r. system: NULL, or an existing one.
CpsStatus cps_splitting_create(CpsSolve* solve, const CpsPrimalSystem* system, const double* r,
                               CpsSplitting* splitting);
// Iterates until the solve ends (false), or until the rate predicts more than `patience` further iterations or the matrix could
// not be factored (true).
bool cps_splitting_run(CpsSolve* solve, CpsSplitting* splitting, double patience, double* r);

#endif
