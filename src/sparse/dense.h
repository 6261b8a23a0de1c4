// Small dense linear algebra, row-major, sizes up to a few hundred. Nothing here allocates.
#ifndef CAPSTAN_SPARSE_DENSE_H
#define CAPSTAN_SPARSE_DENSE_H

#include <stdbool.h>

// In-place LU with partial pivoting; pivot has n entries. False if a pivot is below 1e-14 of the largest entry.
bool cps_dense_lu_factor(int n, double* A, int* pivot);
void cps_dense_lu_solve(int n, const double* LU, const int* pivot, double* x);
// In-place Cholesky A = L L^T (lower triangle read and written). False unless every pivot > relative_tolerance * max
// diagonal.
bool cps_dense_cholesky_factor(int n, double* A, double relative_tolerance);
void cps_dense_cholesky_solve(int n, const double* L, double* x);
// Eigen-decomposition of a symmetric A (destroyed) by cyclic Jacobi rotations, n <= CPS_DIM_MAX or small:
// A = V diag(value) V^T, V row-major with eigenvectors in its columns, values ascending.
void cps_dense_symmetric_eigen(int n, double* A, double* value, double* V);
// Symmetric positive semi-definite A (destroyed): rank by pivoted Cholesky with relative tolerance; *condition: largest
// / smallest accepted pivot; *most_negative: the most negative remaining diagonal, relative. order: n ints.
int cps_dense_rank(int n, double* A, double relative_tolerance, int* order, double* condition, double* most_negative);

#endif
