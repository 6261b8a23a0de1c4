// Dense kernels on matrices stored in strips of four rows (cholesky_parts.h): a strip is column after column, four numbers each.
// Every sum runs over k in ascending order, in runs of CPS_STRIP_RUN, independent of the rows and columns processed together: the
// bits of an entry do not depend on the division of the work.
#ifndef CAPSTAN_SPARSE_STRIPS_H
#define CAPSTAN_SPARSE_STRIPS_H

#include <stdbool.h>
#include <stdint.h>

// Terms of a sum added up before they are subtracted from C.
enum { CPS_STRIP_RUN = 256 };

// C_ij <- C_ij - sum_{k < K} A_ik B_jk^T for strips i and j; a stride is the distance between two strips in numbers.
typedef struct CpsStripUpdate {
  const double* A;
  const double* B;
  double* C;
  int64_t a_stride, b_stride;
  int64_t c_stride;  // 0: C is a triangle, (2) of cholesky_parts.h
  int32_t K;
  bool lower;  // only j <= i
  bool upper;  // A is upper triangular: terms with k < 4 i are zero and skipped
  bool fresh;  // C counts as zero, whatever it holds; not with `upper`, and K > 0
} CpsStripUpdate;

// Strips of rows [i0, i1) and of columns [j0, j1).
void cps_strips_update(const CpsStripUpdate* u, int32_t i0, int32_t i1, int32_t j0, int32_t j1);

// Cholesky factor, in place, of the square diagonal block of a panel between the strips c0 and c1, after subtraction of the columns
// before 4 c0. The diagonal gets 1 / L_ii. Returns -1, or the column with a pivot that is not positive and finite.
int32_t cps_strips_factor(double* panel, int64_t stride, int32_t c0, int32_t c1);
// Rows of the strips [i0, i1) of X times the inverse transposed diagonal block of L, in place: X <- X L^-T for its columns.
void cps_strips_solve(const double* L, int64_t l_stride, double* X, int64_t x_stride, int32_t c0, int32_t c1,
                      int32_t i0, int32_t i1);

#endif
