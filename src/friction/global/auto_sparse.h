// `auto` for problems with large members. Without the direct methods there are none.
#ifndef CAPSTAN_FRICTION_GLOBAL_AUTO_SPARSE_H
#define CAPSTAN_FRICTION_GLOBAL_AUTO_SPARSE_H

#include "friction/global/method.h"

// dual: what solves a problem that holds W.
#ifdef CAPSTAN_DIRECT
CpsStatus cps_auto_sparse(CpsSolve* solve, CpsStatus (*dual)(CpsSolve* solve, double* r), double* r);
#else
static inline CpsStatus cps_auto_sparse(CpsSolve* solve, CpsStatus (*dual)(CpsSolve* solve, double* r), double* r) {
  return dual(solve, r);
}
#endif

#endif
