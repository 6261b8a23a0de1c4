// Sparse L D L^T of a symmetric matrix with AMD ordering (SuiteSparse's AMD and LDL, BSD/LGPL; or CHOLMOD in a build
// with CAPSTAN_CHOLMOD), no pivoting: for positive definite and quasi-definite matrices.
#ifndef CAPSTAN_SPARSE_LDL_H
#define CAPSTAN_SPARSE_LDL_H

#include <stdbool.h>
#include <stdint.h>

typedef struct CpsLdl CpsLdl;

// Analyses the pattern of the full symmetric matrix in CSC (both triangles; only the upper one of the permuted matrix
// is read; the arrays must stay valid and unchanged). NULL if memory runs out.
CpsLdl* cps_ldl_create(int64_t n, const int64_t* col_start, const int64_t* row);
void cps_ldl_destroy(CpsLdl* ldl);  // NULL is allowed
// Numeric factorisation; false on a zero pivot, or (CHOLMOD only) if memory runs out.
bool cps_ldl_factor(CpsLdl* ldl, const double* value);
// Whether the last factorisation failed for lack of memory.
bool cps_ldl_no_memory(const CpsLdl* ldl);
// x <- A^-1 x
void cps_ldl_solve(const CpsLdl* ldl, double* x);
// Upper bound on the entries of the square root below.
int64_t cps_ldl_root_count(const CpsLdl* ldl);
// R = P^T L D^(1/2) of the last factor, A = R R^T, in CSC (n + 1 offsets, rows of a column not sorted). False, and
// nothing written, unless D is positive.
bool cps_ldl_root(const CpsLdl* ldl, int64_t* col_start, int64_t* row, double* value);

#endif
