// `auto` for problems with large members, which exist only in a build with the direct methods.
#ifndef CAPSTAN_FRICTION_GLOBAL_AUTO_SPARSE_H
#define CAPSTAN_FRICTION_GLOBAL_AUTO_SPARSE_H

#include "friction/global/method.h"

// dual: the solver for a problem that holds W.
#ifdef CAPSTAN_DIRECT
CpsStatus cps_auto_sparse(CpsSolve* solve, CpsStatus (*dual)(CpsSolve* solve, double* r), double* r);
#else
static inline CpsStatus cps_auto_sparse(CpsSolve* solve, CpsStatus (*dual)(CpsSolve* solve, double* r), double* r) {
  return dual(solve, r);
}
#endif

#endif
