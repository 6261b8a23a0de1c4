// The factor of a symmetric positive definite matrix of 3 x 3 blocks, given by its lower triangle in block CSR (columns
// ascending, the diagonal last). The only place of this room that knows which factorisation is used.
#ifndef CAPSTAN_FRICTION_MASS_FACTOR_H
#define CAPSTAN_FRICTION_MASS_FACTOR_H

#include "core/arena.h"
#include "core/pool.h"
#include "sparse/cholesky.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct CpsMassFactor CpsMassFactor;

// Factors of the patterns that were asked for last: the islands of a simulation come in turn, and each keeps its analysis. A
// zeroed struct is an empty one.
enum { CPS_MASSES_MOST = 32 };
typedef struct CpsMasses {
  CpsMassFactor* factor[CPS_MASSES_MOST];  // NULL beyond the last
  int64_t used[CPS_MASSES_MOST];           // when it was asked for
  int64_t clock;
  CpsMassFactor* borrowed;  // its Cholesky factor is the caller's
} CpsMasses;

#ifdef CAPSTAN_DIRECT
// An empty factor, NULL if memory runs out.
CpsMassFactor* cps_mass_factor_create(void);
void cps_mass_factor_destroy(CpsMassFactor* factor);  // NULL is allowed
// Analyses the pattern unless it is that of the last call with the same pool, which must outlive the factor or the next
// call; NULL: the calling thread alone. A pattern of as many nodes as that of `hint` (may be NULL) gets its order as long as that
// serves. False if memory runs out.
bool cps_mass_factor_analyse(CpsMassFactor* factor, const CpsMassFactor* hint, CpsPool* pool, int32_t nodes,
                             const int64_t* start, const int32_t* column);
// The factor of this pattern, analysed: one that is held, or one made in the place of that which was not asked for the longest.
// NULL if memory runs out.
CpsMassFactor* cps_masses_get(CpsMasses* masses, CpsPool* pool, int32_t nodes, const int64_t* start,
                              const int32_t* column);
void cps_masses_free(CpsMasses* masses);
// A factor that the caller has made of these values and keeps as it is while it is used; NULL if memory runs out.
CpsMassFactor* cps_masses_borrow(CpsMasses* masses, CpsCholesky* factor);
// Factors the values of the analysed pattern; allocates nothing. False: not positive definite at *node.
bool cps_mass_factor_factor(CpsMassFactor* factor, const double* value, int32_t* node);
// x <- M^-1 x, 3 per node and column, columns next to each other; work as large as x. Several threads may solve at once.
void cps_mass_factor_solve(const CpsMassFactor* factor, int32_t columns, double* x, double* work);
// Blocks of M^-1 at those of the pattern, `blocks` of them, whose nodes are both wanted, exact; others are not known. They are the
// factor's or of the arena. NULL if memory runs out.
const double* cps_mass_factor_inverse(const CpsMassFactor* factor, const bool* wanted, int64_t blocks, CpsArena* arena);
// Half a solve with few nodes at the right: y = L^-1 P x with M = P^T L L^T P. Nodes of y are in the order of elimination
// (cps_mass_factor_position), and it is zero but in the runs of nodes from cps_mass_factor_first(reach[k]) to that of the
// next number. `reach`: room for cps_mass_factor_supernodes(); work: count numbers.
int32_t cps_mass_factor_reach(const CpsMassFactor* factor, int32_t count, const int32_t* node, int32_t* reach,
                              int32_t* work);
void cps_mass_factor_half(const CpsMassFactor* factor, int32_t reach_count, const int32_t* reach, int32_t columns,
                          double* y);
// y <- L^-T y at the nodes of the reach alone; exact there.
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
// Problems with large members are refused; only these are reached.
static inline void cps_mass_factor_destroy(CpsMassFactor* factor) {
  (void)factor;
}
static inline void cps_masses_free(CpsMasses* masses) {
  (void)masses;
}
#endif

#endif
