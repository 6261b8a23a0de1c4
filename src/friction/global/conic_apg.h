// Accelerated projected gradient for the convex subproblem (1) of conic.h. Needs only products with S.
#ifndef CAPSTAN_FRICTION_GLOBAL_CONIC_APG_H
#define CAPSTAN_FRICTION_GLOBAL_CONIC_APG_H

#include "friction/global/conic.h"

// x_i <- its projection on the convex set of contact i.
typedef void (*CpsApgProject)(const void* data, int32_t i, double* x_i);

typedef struct CpsConicApg {
  const CpsConic* conic;
  CpsApgProject project;  // NULL: the sets C_i of conic.h
  const void* project_data;
  double step;  // t, in units of xi_i; kept from call to call
  double *y, *next, *best, *Sr, *Sy, *Snext;
} CpsConicApg;

// Takes the buffers. Returns false if memory runs out.
bool cps_conic_apg_create(CpsSolve* solve, const CpsConic* conic, CpsConicApg* apg);
// Improves r until its error is at most `tolerance` (impulse units) or max_iterations are done, and returns the error
// of the final r. Increments solve->inner_iterations.
double cps_conic_apg_run(CpsSolve* solve, CpsConicApg* apg, const double* q, double tolerance, int64_t max_iterations,
                         double* r);

#endif
