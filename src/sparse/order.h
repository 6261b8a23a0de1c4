// Elimination orders that keep factors sparse: AMD (order_amd.c), or level sets in a build without SuiteSparse
// (order_levels.c).
#ifndef CAPSTAN_SPARSE_ORDER_H
#define CAPSTAN_SPARSE_ORDER_H

#include "core/arena.h"
#include "sparse/block_matrix.h"

// Order of the block rows of a matrix with a symmetric pattern. Memory comes from the arena and is released. False: memory
// runs out.
bool cps_block_order(const CpsBlockMatrix* A, CpsArena* arena, int32_t* order);

// Order of the nodes of A + A^T, A in CSC. Level sets only. False: memory runs out, or the graph is too large.
bool cps_pattern_order(int64_t n, const int64_t* col_start, const int64_t* row, int64_t* order);

#endif
