// Block-sparse matrix in compressed block rows (BSR), blocks row-major, block sizes uniform or mixed.
#ifndef CAPSTAN_SPARSE_BLOCK_MATRIX_H
#define CAPSTAN_SPARSE_BLOCK_MATRIX_H

#include "core/arena.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct CpsBlockMatrix {
  int32_t rows;           // block rows; the matrix is square with the same blocking of rows and columns
  int32_t dim;            // size of every block, or 0 if mixed
  const int64_t* offset;  // rows + 1: first scalar row of each block row (borrowed)
  int64_t* start;         // rows + 1: first block of each block row
  int32_t* col;           // block column of each block, ascending in a row
  int64_t* at;            // start[rows] + 1: first value of each block
  double* value;          // the blocks, row-major d_row x d_col
} CpsBlockMatrix;

// y_i = sum_j A_ij x_j for one block row; y has d_i entries and is overwritten.
void cps_block_matrix_row_multiply(const CpsBlockMatrix* A, int32_t i, const double* x, double* y);
// y = A x
void cps_block_matrix_multiply(const CpsBlockMatrix* A, const double* x, double* y);
// Finds a column among the ascending positions from `first` up to `last` by bisection; -1 if it is missing.
int64_t cps_column_find(const int32_t* column, int64_t first, int64_t last, int32_t which);
// Index of block (i, j), -1 if it is not stored.
int64_t cps_block_matrix_find(const CpsBlockMatrix* A, int32_t i, int32_t j);
// max |A - A^T| / max |A|; 0 for a zero matrix.
double cps_block_matrix_asymmetry(const CpsBlockMatrix* A);
// S = (A + A^T)/2 on the union of both patterns, memory from the arena. Returns false if memory runs out.
bool cps_block_matrix_symmetrise(const CpsBlockMatrix* A, CpsArena* arena, CpsBlockMatrix* S);
// P = A on the union of the patterns of A and A^T; P is A itself if both are the same. False if memory runs out.
bool cps_block_matrix_complete(const CpsBlockMatrix* A, CpsArena* arena, CpsBlockMatrix* P);

#endif
