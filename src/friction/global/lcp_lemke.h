// Linear complementarity problem:  0 <= z  _|_  w = M z + q >= 0,  M dense.
#ifndef CAPSTAN_FRICTION_GLOBAL_LCP_LEMKE_H
#define CAPSTAN_FRICTION_GLOBAL_LCP_LEMKE_H

#include "core/arena.h"

#include <stdbool.h>

typedef enum CpsLcpResult {
  CPS_LCP_SOLVED = 0,
  CPS_LCP_RAY = 1,      // ended on a secondary ray: no solution found, but one may exist
  CPS_LCP_STOPPED = 2,  // the step function requested the stop
  CPS_LCP_LOST = 3,     // rounding has spoilt the tableau: the pivot limit was reached, or z fails the test
  CPS_LCP_NO_MEMORY = 4
} CpsLcpResult;

// Called before each pivot; false stops the search.
typedef bool (*CpsLcpStepFn)(void* data);

// z (n entries) is meaningful only if the result is CPS_LCP_SOLVED. M is row-major. M and q should be of order 1.
CpsLcpResult cps_lcp_lemke(int n, const double* M, const double* q, CpsArena* arena, CpsLcpStepFn step, void* data,
                           double* z);

#endif
