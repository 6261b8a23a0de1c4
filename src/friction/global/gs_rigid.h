// Gauss-Seidel on contacts between rigid bodies: the sweep that simulations spend their time in.
#ifndef CAPSTAN_FRICTION_GLOBAL_GS_RIGID_H
#define CAPSTAN_FRICTION_GLOBAL_GS_RIGID_H

#include "friction/global/gs_loop.h"

// Can the problem be swept here? Rigid bodies (rigid.h), Coulomb's law everywhere, solved by enumeration.
bool cps_gs_rigid_fits(const CpsProblem* problem, CpsLocal local);
// Takes the buffers of the loop and makes the domains (one, unless `parallel`). v is filled for loop->r.
CpsStatus cps_gs_rigid_prepare(CpsSolve* solve, bool parallel, CpsGsLoop* loop);
// v <- sum_i Y_i^T r_i
void cps_gs_rigid_refresh(CpsGsLoop* loop);
// One sweep; the workers' `worst` get the largest change of an impulse.
void cps_gs_rigid_sweep(CpsGsLoop* loop);

#endif
