// The convex step of `convex` and the Cadoux methods: the interior point followed by a few projected gradient steps, or
// only these in a build without SuiteSparse.
#ifndef CAPSTAN_FRICTION_GLOBAL_CONVEX_STEP_H
#define CAPSTAN_FRICTION_GLOBAL_CONVEX_STEP_H

#include "friction/global/conic_apg.h"
#include "friction/global/fixed_point.h"
#ifdef CAPSTAN_DIRECT
#include "friction/global/conic_ip.h"
#endif

typedef struct CpsConvexStep {
  CpsConic conic;
  CpsConicApg apg;
  bool primal;
#ifdef CAPSTAN_DIRECT
  CpsConicIp ip;
#endif
} CpsConvexStep;

// Destroy `step` on failure too. CPS_OK or an error < 0. primal: the interior point solves for the velocities, and its
// own u~ is passed on (needs SuiteSparse).
CpsStatus cps_convex_step_create(CpsSolve* solve, bool primal, CpsConvexStep* step);
void cps_convex_step_destroy(CpsConvexStep* step);
// A CpsConvexStepFn; data is the CpsConvexStep.
CpsStatus cps_convex_step_run(void* data, CpsSolve* solve, const double* q, double tolerance, double* r, double* ut,
                              bool* has_ut);

#endif
