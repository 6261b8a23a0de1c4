// Dashpots and cohesion of contacts: the argument of the law is not the impulse r but
//
//   s_i = r_i + d_i u_i + c_i e,   u = W r + b,   (u + shift, s) in the law                                            (1)
//
// rheology.c solves such a problem.
#ifndef CAPSTAN_FRICTION_RHEOLOGY_H
#define CAPSTAN_FRICTION_RHEOLOGY_H

#include "capstan/solve.h"
#include "friction/problem.h"

// Data that a workspace keeps between solves: the problem in s, and memory to build it.
typedef struct CpsRheology {
  CpsArena arena;
  CpsProblem* problem;  // built from large members, refilled; NULL: none yet
} CpsRheology;

void cps_rheology_free(CpsRheology* rheology);

static inline bool cps_problem_has_rheology(const CpsProblem* p) {
  return p->dashpot || p->cohesion;
}
// (1) from r and the velocity including its shift, `u` = W r + b + shift. s may be r.
void cps_rheology_seen(const CpsProblem* problem, const double* r, const double* u, double* s);

// The problem in s equivalent to `problem`. It has the same contacts with the same numbers, followed by `twin_count` contacts that
// represent dashpots.
typedef struct CpsSeen {
  CpsProblem* problem;
  int32_t twin_count;
  const int32_t* twin;  // the contact of each twin
  CpsProblem copy;      // if only b differs
  bool kept;            // `problem` is the workspace's or the copy, and must not be destroyed
} CpsSeen;
CpsStatus cps_rheology_make(CpsRheology* rheology, const CpsProblem* problem, CpsPool* pool, CpsSeen* seen,
                            CpsError* error);
// Transforms a first guess from r to s, and back: r = s - d u - c e. x: the rows of seen->problem.
bool cps_rheology_enter(CpsRheology* rheology, const CpsProblem* problem, const CpsSeen* seen, const double* r,
                        double* x);
bool cps_rheology_leave(CpsRheology* rheology, const CpsProblem* problem, const CpsSeen* seen, const double* x,
                        double* r);

#endif
