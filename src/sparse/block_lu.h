// Solves A x = y once for a block-sparse A of 3 x 3 blocks with a symmetric pattern.
//
// LU by block rows without pivoting between blocks (inside a diagonal block: partial pivoting), in an order fixed by
// AMD on the whole pattern; a call works on any subset of the block rows. The lower factor is applied on the way and
// not kept. Meant for the Newton systems of contact solvers, whose subset and values change at each call.
#ifndef CAPSTAN_SPARSE_BLOCK_LU_H
#define CAPSTAN_SPARSE_BLOCK_LU_H

#include "core/arena.h"
#include "sparse/block_matrix.h"

typedef struct CpsBlockLu CpsBlockLu;

// Orders the pattern of W (all block rows, dim 3; made symmetric if it is not). NULL if memory is short. Work space
// for the factors is taken from the same arena as it grows.
CpsBlockLu* cps_block_lu_create(const CpsBlockMatrix* W, CpsArena* arena);

// What the caller provides for one solve: row i of A (blocks for columns W->col[k]) is
//   A_ij = G_i W_ij  (j != i),   A_ii = G_i W_ii + E_i,     with G_i, E_i 3 x 3 row-major.
typedef struct CpsBlockLuSystem {
  const bool* active;  // rows (and columns) that take part
  const double* G;     // 9 per block row
  const double* E;     // 9 per block row
  double* x;           // in: right side, out: solution; 3 per block row, entries of inactive rows untouched
} CpsBlockLuSystem;

typedef enum CpsBlockLuResult { CPS_BLOCK_LU_OK, CPS_BLOCK_LU_SINGULAR, CPS_BLOCK_LU_NO_MEMORY } CpsBlockLuResult;

CpsBlockLuResult cps_block_lu_solve(CpsBlockLu* lu, const CpsBlockLuSystem* system);

// Blocks of the upper factor of the last solve, and block operations it took: what it cost.
int64_t cps_block_lu_fill(const CpsBlockLu* lu);
int64_t cps_block_lu_work(const CpsBlockLu* lu);

#endif
