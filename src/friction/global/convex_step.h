// The convex step of cadoux-dual and convex: the interior point, or projected gradient in a build without SuiteSparse.
#ifndef CAPSTAN_FRICTION_GLOBAL_CONVEX_STEP_H
#define CAPSTAN_FRICTION_GLOBAL_CONVEX_STEP_H

#include "friction/global/conic_apg.h"
#include "friction/global/fixed_point.h"
#ifdef CAPSTAN_DIRECT
#include "friction/global/conic_ip.h"
#endif

typedef struct CpsConvexStep {
  CpsConic conic;
  CpsConicApg apg;  // also the way on where the interior point does not reach its tolerance
#ifdef CAPSTAN_DIRECT
  CpsConicIp ip;
#endif
} CpsConvexStep;

// `step` must be destroyed also after a failure. CPS_OK or an error < 0.
CpsStatus cps_convex_step_create(CpsSolve* solve, CpsConvexStep* step);
void cps_convex_step_destroy(CpsConvexStep* step);
// A CpsConvexStepFn; data is the CpsConvexStep.
CpsStatus cps_convex_step_run(void* data, CpsSolve* solve, const double* q, double tolerance, double* r, double* ut,
                              bool* has_ut);

#endif
