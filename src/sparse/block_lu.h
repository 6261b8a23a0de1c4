// Solves A x = y once for a block-sparse A of 3 x 3 blocks with a symmetric pattern.
//
// LU by block rows without pivoting between blocks (diagonal blocks are inverted by cofactors), in an order fixed by
// AMD on the whole pattern; a call can use any subset of the block rows. The lower factor is applied immediately and
// not kept. For the Newton systems of contact solvers, whose subset and values change at each call.
#ifndef CAPSTAN_SPARSE_BLOCK_LU_H
#define CAPSTAN_SPARSE_BLOCK_LU_H

#include "core/arena.h"
#include "sparse/block_matrix.h"

typedef struct CpsBlockLu CpsBlockLu;

// Orders the pattern of A (block rows of dimension 3, symmetric pattern; start and col must stay valid). NULL if memory
// runs out. The work space for the factors grows in the same arena.
CpsBlockLu* cps_block_lu_create(const CpsBlockMatrix* A, CpsArena* arena);

typedef enum CpsBlockLuResult { CPS_BLOCK_LU_OK, CPS_BLOCK_LU_SINGULAR, CPS_BLOCK_LU_NO_MEMORY } CpsBlockLuResult;

// Factors the active rows and columns of A (with its present values) and solves.
// @param active  one entry per block row
// @param x       in: right side, out: solution; 3 per block row, entries of inactive rows untouched
CpsBlockLuResult cps_block_lu_solve(CpsBlockLu* lu, const bool* active, double* x);
// Counts the cost of a solve with these rows active (NULL: all) without solving. False if memory runs out or the factor would
// have more than `most_fill` blocks.
bool cps_block_lu_estimate(CpsBlockLu* lu, const bool* active, int64_t most_fill, int64_t* operations);

#endif
