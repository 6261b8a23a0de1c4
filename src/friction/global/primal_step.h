// Newton steps of the proximal method in the velocities. The equations are in primal_step.c.
#ifndef CAPSTAN_FRICTION_GLOBAL_PRIMAL_STEP_H
#define CAPSTAN_FRICTION_GLOBAL_PRIMAL_STEP_H

#include "friction/global/primal_system.h"

typedef struct CpsPrimalStep {
  CpsPrimalSystem system;
  bool factored;                       // the factor is that of an earlier D'
  double weight;                       // weight of that factor
  int most;                            // inner iterations with an old factor that cost less than a new one
  double *D, *part;                    // D of (1) and the D' that was factored, placed like problem->diag
  double *eta, *y, *Qy;                // rows
  double *basis, *H, *givens, *right;  // of GMRES
} CpsPrimalStep;

// Takes the buffers. system: NULL, or an existing one.
CpsStatus cps_primal_step_create(CpsSolve* solve, const CpsPrimalSystem* system, CpsPrimalStep* primal);
// Cost of a factorisation, in units of a solve along the paths that contacts reach; the ratio of speeds was measured.
double cps_primal_step_factor_cost(const CpsPrimalSystem* system);
// Newton direction at r from F(r) of the subproblem with this centre and weight (prox_newton.c, (1)), and W step. False if
// there is none.
bool cps_primal_step(CpsSolve* solve, CpsPrimalStep* primal, const double* r, const double* u, const double* centre,
                     double weight, const double* F, double* step, double* W_step);

#endif
