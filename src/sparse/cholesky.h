// Supernodal Cholesky factor of a sparse symmetric positive definite matrix of 3 x 3 blocks, one block row per node:
//
//   P A P^T = L L^T,   P the elimination order of the nodes                                  (1)
//
// The pattern is analysed once; new values can be factored again without allocation, on all threads of a pool. No BLAS
// and no fused operations: the same bits for any number of threads and on any machine of one architecture. The method is
// in docs/theory/cholesky.md.
//
// Vectors have three numbers per node and any number of columns, row-major: entry (node i, axis a, column c) of x is x[(3 i
// + a) columns + c]. "In elimination order" means that i numbers the nodes in the order of elimination. Several threads may
// solve at a time.
#ifndef CAPSTAN_SPARSE_CHOLESKY_H
#define CAPSTAN_SPARSE_CHOLESKY_H

#include "core/arena.h"
#include "core/pool.h"
#include "sparse/block_matrix.h"

typedef struct CpsCholesky CpsCholesky;

typedef enum CpsCholeskyOrder {
  CPS_CHOLESKY_CHEAPEST,  // nested dissection or minimum degree, whichever needs fewer operations
  CPS_CHOLESKY_METIS,     // nested dissection
  CPS_CHOLESKY_AMD,       // approximate minimum degree
  CPS_CHOLESKY_LEVELS,  // nested dissection by level sets: simpler, with more operations. A build without the direct methods
                        // (SuiteSparse, METIS) takes it in the place of the others
  CPS_CHOLESKY_GIVEN  // the order in the options
} CpsCholeskyOrder;

// A zeroed struct is a good default.
typedef struct CpsCholeskyOptions {
  CpsCholeskyOrder order;  // default CPS_CHOLESKY_CHEAPEST
  const int32_t*
      given;          // only for CPS_CHOLESKY_GIVEN: rows entries, node given[k] is eliminated as number k. A pattern
                      // that changed slightly may keep the old order, which saves most of the analysis
  CpsPool* pool;      // threads of the factorisation, must outlive it; NULL: only the calling thread. Default NULL
  bool keep_inverse;  // room for cps_cholesky_kept_inverse(). Default false
} CpsCholeskyOptions;

// Analyses the pattern of A (dim 3; start and col; blocks (i, j) with j <= i are used and others ignored, so either a
// full symmetric pattern or its lower triangle is accepted; a missing diagonal block counts as zero). A may be freed
// afterwards. All data for later calls are in `arena`; `scratch` may be reset afterwards and must be a different arena.
// @param options  NULL: the defaults
// @return NULL if memory runs out, or if the given order is not a permutation
CpsCholesky* cps_cholesky_create(const CpsBlockMatrix* A, const CpsCholeskyOptions* options, CpsArena* arena,
                                 CpsArena* scratch);

// Factors the values, 9 numbers per block of the analysed pattern, in its order. Allocates nothing.
// @return -1, or the node at which a pivot was not positive and finite, the first in elimination order; the factor must
//         then not be used until another factorisation succeeded
int32_t cps_cholesky_factor(CpsCholesky* factor, const double* value);

// Sets the threads of subsequent factorisations and inversions: NULL or a pool with no more threads than that of the
// options if that had several. The bits do not depend on it.
void cps_cholesky_use(CpsCholesky* factor, CpsPool* pool);

// x <- A^-1 x.
// @param work  3 rows * columns numbers
void cps_cholesky_solve(const CpsCholesky* factor, int32_t columns, double* x, double* work);
// y = L^-1 P x, y in elimination order. y must not be x.
void cps_cholesky_forward(const CpsCholesky* factor, int32_t columns, const double* x, double* y);
// x = P^T L^-T y; y is spoilt.
void cps_cholesky_backward(const CpsCholesky* factor, int32_t columns, double* y, double* x);

// Sparse right sides. If a vector is zero except at some nodes, L^-1 of it is zero except at the supernodes on their
// paths to the root of the elimination tree. A supernode is a run of nodes in elimination order.

// Number of supernodes.
int32_t cps_cholesky_supernodes(const CpsCholesky* factor);
// First node of a supernode in elimination order; the number of nodes for cps_cholesky_supernodes().
int32_t cps_cholesky_first(const CpsCholesky* factor, int32_t supernode);
// Supernodes on the paths from `count` nodes (caller's numbers) to the root, ascending. For few nodes: the time is count
// times the length of the longest path.
// @param reach  out: room for cps_cholesky_supernodes()
// @param work   count numbers
// @return how many
int32_t cps_cholesky_reach(const CpsCholesky* factor, int32_t count, const int32_t* node, int32_t* reach,
                           int32_t* work);
// y <- L^-1 y in elimination order; y is neither read nor written outside the supernodes of a reach.
void cps_cholesky_forward_reach(const CpsCholesky* factor, int32_t reach_count, const int32_t* reach, int32_t columns,
                                double* y);
// y <- L^-T y in elimination order, only at the supernodes of a reach, for any y; exact there.
void cps_cholesky_backward_reach(const CpsCholesky* factor, int32_t reach_count, const int32_t* reach, int32_t columns,
                                 double* y);

// Selected inversion (Takahashi's equations, by supernodes): the 3 x 3 blocks of A^-1 at the blocks of the analysed pattern.
// Takes two to three times as long as a factorisation if all are wanted; subtrees without a wanted node are skipped. Uses
// the pool of the factor, so one call at a time.
// @param wanted  one per node: write the blocks (i, j) of the pattern with j <= i and both wanted. NULL: all
// @param block   out: 9 per block in the order of the pattern, row-major; blocks that are not wanted are untouched
// @param scratch work space, released again
// @return false if memory runs out
bool cps_cholesky_inverse(const CpsCholesky* factor, const bool* wanted, double* block, CpsArena* scratch);

// The same blocks in memory of the factor, computed once per factorisation: a call that needs other blocks computes all that
// have been wanted so far, so a third call finds everything in place. The bits do not depend on earlier requests.
// @return the blocks, as `block` above; NULL if memory runs out, or if the options did not request room
const double* cps_cholesky_kept_inverse(CpsCholesky* factor, const bool* wanted, CpsArena* scratch);

// node order[k] is eliminated as number k; rows entries, valid as long as the factor.
const int32_t* cps_cholesky_order(const CpsCholesky* factor);
// The inverse: position[order[k]] = k.
const int32_t* cps_cholesky_position(const CpsCholesky* factor);
// The order in use.
CpsCholeskyOrder cps_cholesky_ordering(const CpsCholesky* factor);
// Numbers stored in L, including the zeros of relaxed supernodes.
int64_t cps_cholesky_fill(const CpsCholesky* factor);
// Multiplications and additions of a factorisation, including those with zeros of relaxed supernodes.
double cps_cholesky_operations(const CpsCholesky* factor);

#endif
