// Dashpots and cohesion of contacts: what the law sees is not the impulse r itself but
//
//   s_i = r_i + d_i u_i + c_i e,   u = W r + b,   (u + shift, s) in the law                                            (1)
//
// See rheology.c for how such a problem is solved.
#ifndef CAPSTAN_FRICTION_RHEOLOGY_H
#define CAPSTAN_FRICTION_RHEOLOGY_H

#include "capstan/solve.h"
#include "friction/problem.h"

// What a workspace keeps from solve to solve: the problem in s, and memory to make it in.
typedef struct CpsRheology {
  CpsArena arena;
  CpsProblem* problem;  // made from large members, refilled; NULL: none yet
} CpsRheology;

void cps_rheology_free(CpsRheology* rheology);

static inline bool cps_problem_has_rheology(const CpsProblem* p) {
  return p->dashpot || p->cohesion;
}
// (1) from r and from the velocity with its shift, `u` = W r + b + shift. s may be r.
void cps_rheology_seen(const CpsProblem* problem, const double* r, const double* u, double* s);

// The problem in s that stands for `problem`. For each contact it has one of the same number; `twin_count` more follow, which stand
// for dashpots.
typedef struct CpsSeen {
  CpsProblem* problem;
  int32_t twin_count;
  const int32_t* twin;  // contact of each
  CpsProblem copy;      // where only b differs
  bool kept;            // `problem` is the workspace's or the copy, and must not be destroyed
} CpsSeen;
CpsStatus cps_rheology_make(CpsRheology* rheology, const CpsProblem* problem, CpsPool* pool, CpsSeen* seen,
                            CpsError* error);
// First guess in s from one in r, and back: r = s - d u - c e. x: the rows of seen->problem.
bool cps_rheology_enter(CpsRheology* rheology, const CpsProblem* problem, const CpsSeen* seen, const double* r,
                        double* x);
bool cps_rheology_leave(CpsRheology* rheology, const CpsProblem* problem, const CpsSeen* seen, const double* x,
                        double* r);

#endif
