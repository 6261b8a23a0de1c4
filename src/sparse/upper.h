// Cholesky factors M = U^T U of small dense matrices with the upper factor stored by rows: every inner loop runs along a
// row and fills the vector registers. Nothing here allocates.
#ifndef CAPSTAN_SPARSE_UPPER_H
#define CAPSTAN_SPARSE_UPPER_H

#include <stdbool.h>
#include <stdint.h>

// In place: reads and writes the upper triangle of the row-major n x n matrix A; the diagonal gets 1 / U_ii. False if a
// pivot is not positive and finite: A is then spoilt.
bool cps_upper_factor(int32_t n, double* A);
// For the three rows of G, 3 x n row-major, with zeros in the first `first` columns: G <- G U^-1
void cps_upper_solve_rows(int32_t n, const double* U, int32_t first, double* G);
// x <- U^-T x
void cps_upper_solve_transposed(int32_t n, const double* U, double* x);
// x <- U^-1 x
void cps_upper_solve(int32_t n, const double* U, double* x);

#endif
