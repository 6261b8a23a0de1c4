// Solves A x = y once for a block-sparse A of 3 x 3 blocks with a symmetric pattern.
//
// LU by block rows without pivoting between blocks (diagonal blocks are inverted by cofactors), in an order fixed by
// AMD on the whole pattern; a call works on any subset of the block rows. The lower factor is applied on the way and
// not kept. Meant for the Newton systems of contact solvers, whose subset and values change at each call.
#ifndef CAPSTAN_SPARSE_BLOCK_LU_H
#define CAPSTAN_SPARSE_BLOCK_LU_H

#include "core/arena.h"
#include "sparse/block_matrix.h"

typedef struct CpsBlockLu CpsBlockLu;

// Orders the pattern of A (block rows of dimension 3, symmetric pattern; start and col must stay valid). NULL if memory
// is short. Work space for the factors is taken from the same arena as it grows.
CpsBlockLu* cps_block_lu_create(const CpsBlockMatrix* A, CpsArena* arena);

typedef enum CpsBlockLuResult { CPS_BLOCK_LU_OK, CPS_BLOCK_LU_SINGULAR, CPS_BLOCK_LU_NO_MEMORY } CpsBlockLuResult;

// Factors the rows and columns of A that are active (values as they are now) and solves.
// @param active  one entry per block row
// @param x       in: right side, out: solution; 3 per block row, entries of inactive rows untouched
CpsBlockLuResult cps_block_lu_solve(CpsBlockLu* lu, const bool* active, double* x);
// Counts what a solve with these rows active (NULL: all) would cost, without doing it. False if memory runs out or the factor
// would have more than `most_fill` blocks.
bool cps_block_lu_estimate(CpsBlockLu* lu, const bool* active, int64_t most_fill, int64_t* operations);

#endif
