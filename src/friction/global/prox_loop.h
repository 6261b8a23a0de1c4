// The proximal point iteration, shared by `proximal` and `auto`. The equations are in prox_loop.c.
#ifndef CAPSTAN_FRICTION_GLOBAL_PROX_LOOP_H
#define CAPSTAN_FRICTION_GLOBAL_PROX_LOOP_H

#include "friction/global/primal_step.h"
#include "friction/global/prox_newton.h"

typedef struct CpsProximal {
  CpsProxNewton newton;
  CpsPrimalStep* primal;  // NULL, or Newton steps in the velocities; `newton` then only holds the problem
  double* W_step;         // with `primal`
  double weight;          // of the next subproblem; shrinks with success. The caller may set it for a new start
  bool careful;           // after an unsolved subproblem the weight shrinks slowly
  double *centre, *u, *F, *step, *trial, *trial_u, *trial_F, *best, *best_u;
} CpsProximal;

// Takes the buffers. The first weight: about 1 from a poor guess, less from a good one.
CpsStatus cps_proximal_create(CpsSolve* solve, double weight, CpsProximal* proximal);
// The same for a problem with large members: Newton systems in the velocities. system: NULL, or an existing one.
CpsStatus cps_proximal_create_primal(CpsSolve* solve, const CpsPrimalSystem* system, double weight,
                                     CpsProximal* proximal);
// Improves r by proximal steps until the solve ends (*go becomes false), or until `patience` steps have not halved the
// best residual (returns with *go still true).
CpsStatus cps_proximal_run(CpsSolve* solve, CpsProximal* proximal, int patience, double* r, bool* go);

#endif
