// The outer loop of the convex methods: a fixed point on s around the convex subproblem (1) of conic.h.
#ifndef CAPSTAN_FRICTION_GLOBAL_FIXED_POINT_H
#define CAPSTAN_FRICTION_GLOBAL_FIXED_POINT_H

#include "friction/global/conic.h"

// Improves r for the subproblem with right side q until its error is at most `tolerance` (impulse units). A solver with
// u~ as an unknown may write it to `ut` and set *has_ut; otherwise u~ is computed from r. Returns CPS_OK (even if the
// tolerance was not reached) or an error < 0.
typedef CpsStatus (*CpsConvexStepFn)(void* data, CpsSolve* solve, const double* q, double tolerance, double* r,
                                     double* ut, bool* has_ut);

typedef struct CpsFixedPoint {
  const CpsConic* conic;
  CpsConvexStepFn step;
  void* step_data;
  double inner_ratio;  // tolerance of the subproblem relative to the current error
  bool relaxed;        // s = 0 throughout: Anitescu's relaxation, which ends when it is solved
} CpsFixedPoint;

CpsStatus cps_fixed_point_run(CpsSolve* solve, const CpsFixedPoint* fixed_point, double* r);

#endif
