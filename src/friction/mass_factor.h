// The factor of a symmetric positive definite matrix of 3 x 3 blocks, given by its lower triangle in block CSR (columns
// ascending, the diagonal last). Only this file knows which factorisation src/friction uses.
#ifndef CAPSTAN_FRICTION_MASS_FACTOR_H
#define CAPSTAN_FRICTION_MASS_FACTOR_H

#include "core/arena.h"
#include "core/pool.h"
#include "sparse/cholesky.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct CpsMassFactor CpsMassFactor;

// Factors of the most recent patterns: the islands of a simulation take turns, and each keeps its analysis. A zeroed struct
// is empty.
enum { CPS_MASSES_MOST = 32 };
typedef struct CpsMasses {
  CpsMassFactor* factor[CPS_MASSES_MOST];  // NULL beyond the last
  int64_t used[CPS_MASSES_MOST];           // time of the last request
  int64_t clock;
  CpsMassFactor* borrowed;  // its Cholesky factor belongs to the caller
} CpsMasses;

#ifdef CAPSTAN_DIRECT
// Returns an empty factor, NULL if memory runs out.
CpsMassFactor* cps_mass_factor_create(void);
void cps_mass_factor_destroy(CpsMassFactor* factor);  // NULL is allowed
// Analyses the pattern unless it is that of the last call with the same pool. The pool must outlive the factor or the next call;
// NULL: only the calling thread. A pattern with as many nodes as that of `hint` (may be NULL) reuses its order while that is good
// enough. False if memory runs out.
bool cps_mass_factor_analyse(CpsMassFactor* factor, const CpsMassFactor* hint, CpsPool* pool, int32_t nodes,
                             const int64_t* start, const int32_t* column);
// The analysed factor of this pattern: an existing one, or a new one in place of the least recently used. NULL if memory runs
// out.
CpsMassFactor* cps_masses_get(CpsMasses* masses, CpsPool* pool, int32_t nodes, const int64_t* start,
                              const int32_t* column);
void cps_masses_free(CpsMasses* masses);
// A factor that the caller made of these values and keeps unchanged while it is in use; NULL if memory runs out.
CpsMassFactor* cps_masses_borrow(CpsMasses* masses, CpsCholesky* factor);
// Factors the values of the analysed pattern; allocates nothing. False: not positive definite at *node.
bool cps_mass_factor_factor(CpsMassFactor* factor, const double* value, int32_t* node);
// x <- M^-1 x, 3 per node and column, columns interleaved; work as large as x. Several threads may solve at once.
void cps_mass_factor_solve(const CpsMassFactor* factor, int32_t columns, double* x, double* work);
// The `blocks` blocks of M^-1 on the pattern, exact if both nodes are wanted, otherwise undefined. They belong to the factor or
// the arena. NULL if memory runs out.
const double* cps_mass_factor_inverse(const CpsMassFactor* factor, const bool* wanted, int64_t blocks, CpsArena* arena);
// Half a solve with few nodes on the right side: y = L^-1 P x with M = P^T L L^T P. Nodes of y are in the order of
// elimination (cps_mass_factor_position). y is zero except in the runs of nodes from cps_mass_factor_first(reach[k]) to
// that of the next number. `reach`: room for cps_mass_factor_supernodes(); work: count numbers.
int32_t cps_mass_factor_reach(const CpsMassFactor* factor, int32_t count, const int32_t* node, int32_t* reach,
                              int32_t* work);
void cps_mass_factor_half(const CpsMassFactor* factor, int32_t reach_count, const int32_t* reach, int32_t columns,
                          double* y);
// y <- L^-T y at the nodes of the reach only; exact there.
void cps_mass_factor_half_back(const CpsMassFactor* factor, int32_t reach_count, const int32_t* reach, int32_t columns,
                               double* y);
int32_t cps_mass_factor_supernodes(const CpsMassFactor* factor);
int32_t cps_mass_factor_first(const CpsMassFactor* factor, int32_t supernode);
int32_t cps_mass_factor_position(const CpsMassFactor* factor, int32_t node);
// Operations of a factorisation and of a solve.
double cps_mass_factor_cost(const CpsMassFactor* factor);
double cps_mass_factor_solve_cost(const CpsMassFactor* factor);
// Memory held.
int64_t cps_mass_factor_bytes(const CpsMassFactor* factor);
#else
// Problems with large members are refused, so only these functions are reached.
static inline void cps_mass_factor_destroy(CpsMassFactor* factor) {
  (void)factor;
}
static inline void cps_masses_free(CpsMasses* masses) {
  (void)masses;
}
#endif

#endif
