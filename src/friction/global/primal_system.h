// The linear system of the primal methods: velocities of all members, coupled by contacts as stiff springs.
//
//   J = M~ + sum_i A_i^T D_i A_i,   M~ = diag(M, I)                                                               (1)
//
// Nodes are those of the large members, followed by the degrees of freedom of the small ones in threes (the last ones of a
// member padded), so that all blocks are 3 x 3. The pattern of (1) joins the nodes of each contact.
#ifndef CAPSTAN_FRICTION_GLOBAL_PRIMAL_SYSTEM_H
#define CAPSTAN_FRICTION_GLOBAL_PRIMAL_SYSTEM_H

#include "friction/global/method.h"
#include "friction/sparse_part.h"

typedef struct CpsPrimalSystem {
  const CpsProblem* problem;
  int32_t nodes;
  int64_t* term_start;  // contact_count + 1
  int32_t* term_node;
  int64_t* term_at;  // first value of each term in A
  double* A;         // d_i x 3 row-major
  int64_t* start;    // lower triangle of J in block CSR, the diagonal last in a row
  int32_t* column;
  double* mass;           // M~ on this pattern
  double* value;          // J as last assembled
  int64_t* pair_start;    // contact_count + 1: pairs of terms of each contact, (a, b) with node a >= node b
  int64_t* pair;          // block of J of each pair
  CpsMassFactor* factor;  // of J; owned by the workspace
  int32_t reach_count;    // supernodes of the factor reached from the nodes of contacts
  int32_t* reach;
  int64_t* place;  // of the node of each term in y
  double* y;       // 3 per node in the order of elimination
} CpsPrimalSystem;

// Takes memory from the solve's arena, finds and orders the pattern. CPS_OK or an error < 0.
CpsStatus cps_primal_system_create(CpsSolve* solve, CpsPrimalSystem* system);
// Assembles and factors (1). D: d_i x d_i blocks placed like problem->diag; only their symmetric part is used. False if J
// is not positive definite to working precision.
bool cps_primal_system_factor(CpsSolve* solve, CpsPrimalSystem* system, const double* D);
// out = A J^-1 A^T x, both of row_count entries: the effect of contact impulses on the contacts. Costs the part of a solve
// that the nodes of contacts reach. out may be x.
void cps_primal_system_respond(CpsPrimalSystem* system, const double* x, double* out);

#endif
