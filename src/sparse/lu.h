// Sparse LU of a square unsymmetric matrix in CSC, by KLU (SuiteSparse, LGPL). Single-threaded, no BLAS: the same bits
// everywhere.
#ifndef CAPSTAN_SPARSE_LU_H
#define CAPSTAN_SPARSE_LU_H

#include <stdbool.h>
#include <stdint.h>

typedef struct CpsLu CpsLu;

// Analyses the pattern (n columns, col_start n + 1, row sorted or not; both must stay valid and unchanged). NULL if
// memory runs out.
CpsLu* cps_lu_create(int64_t n, const int64_t* col_start, const int64_t* row);
void cps_lu_destroy(CpsLu* lu);  // NULL is allowed
// Numeric factorisation with partial pivoting. False if singular (by its values or its pattern) or memory runs out.
bool cps_lu_factor(CpsLu* lu, const double* value);
// Whether the last factorisation failed for lack of memory.
bool cps_lu_no_memory(const CpsLu* lu);
// x <- A^-1 x
void cps_lu_solve(CpsLu* lu, double* x);
// Cheap estimate of the reciprocal condition number of the last factor.
double cps_lu_rcond(CpsLu* lu);

#endif
