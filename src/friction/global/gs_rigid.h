// Gauss-Seidel on contacts between rigid bodies: the sweep that dominates the time of simulations.
#ifndef CAPSTAN_FRICTION_GLOBAL_GS_RIGID_H
#define CAPSTAN_FRICTION_GLOBAL_GS_RIGID_H

#include "friction/global/gs_loop.h"

// Does the problem qualify? Rigid bodies (rigid.h), Coulomb's law everywhere, solved by enumeration.
bool cps_gs_rigid_fits(const CpsProblem* problem, CpsLocal local);
// Allocates the buffers of the loop and builds the domains (one, unless `parallel`). Fills v for loop->r.
CpsStatus cps_gs_rigid_prepare(CpsSolve* solve, bool parallel, CpsGsLoop* loop);
// v <- sum_i Y_i^T r_i
void cps_gs_rigid_refresh(CpsGsLoop* loop);
// One sweep; `worst` of each worker gets the largest change of an impulse.
void cps_gs_rigid_sweep(CpsGsLoop* loop);

#endif
