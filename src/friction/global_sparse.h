// A global form with large, sparse and symmetric M, kept as a problem with large members.
#ifndef CAPSTAN_FRICTION_GLOBAL_SPARSE_H
#define CAPSTAN_FRICTION_GLOBAL_SPARSE_H

#include "capstan/problem.h"

// The contacts, H and f are already checked. *kept is false if M is not symmetric and positive definite, or in a build
// without the direct methods; then nothing is created.
#ifdef CAPSTAN_DIRECT
CpsStatus cps_global_sparse(const CpsContactsDef* contacts, const CpsGlobalForm* global, CpsProblem** problem,
                            bool* kept, CpsError* error);
#else
static inline CpsStatus cps_global_sparse(const CpsContactsDef* contacts, const CpsGlobalForm* global,
                                          CpsProblem** problem, bool* kept, CpsError* error) {
  (void)contacts, (void)global, (void)problem, (void)error;
  *kept = false;
  return CPS_OK;
}
#endif

#endif
