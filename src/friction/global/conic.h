// The convex subproblem of the fixed point on s, and the parts its solvers share.
//
//   min 1/2 r^T S r + q.r   over  r_i in C_i,     S = (W + W^T)/2                                           (1)
//   C_i = K_mu (coulomb, convex),  R^d (bilateral),  {0} (free)
//
// r solves (1) iff r_i = P_{C_i}(r_i - xi_i (S r + q)_i) for every i; the error is measured accordingly.
// See docs/theory/convex-fixed-point.md.
#ifndef CAPSTAN_FRICTION_GLOBAL_CONIC_H
#define CAPSTAN_FRICTION_GLOBAL_CONIC_H

#include "friction/global/method.h"

typedef struct CpsConic {
  const CpsProblem* problem;
  bool has_S;        // S is explicit; otherwise W is symmetric and is not formed
  CpsBlockMatrix S;  // W itself if it is symmetric
} CpsConic;

// Prepares S in the arena and sets solve->symmetrised if W is not symmetric. `explicit_S`: the solver reads entries.
// Returns false if memory runs out.
bool cps_conic_create(CpsSolve* solve, bool explicit_S, CpsConic* conic);
// CPS_NO_MEMORY, with a message that names the method.
CpsStatus cps_conic_no_memory(CpsSolve* solve);
// out = S x
void cps_conic_apply(const CpsConic* conic, const double* x, double* out);
// r_i <- P_{C_i}(r_i)
void cps_conic_project(const CpsProblem* problem, int32_t i, double* r_i);
// max_i || r_i - P_{C_i}(r_i - xi_i g_i) ||, in impulse units, for the gradient g = S r + q.
double cps_conic_error(const CpsProblem* problem, const double* r, const double* g);

#endif
