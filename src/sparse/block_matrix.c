#include "sparse/block_matrix.h"

#include <math.h>
#include <string.h>

static void row_multiply_3(const CpsBlockMatrix* A, int32_t i, const double* x, double* y) {
  double y0 = 0.0, y1 = 0.0, y2 = 0.0;
  const double* a = A->value + 9 * A->start[i];
  for (int64_t k = A->start[i]; k < A->start[i + 1]; ++k, a += 9) {
    const double* xj = x + 3 * (int64_t)A->col[k];
    y0 += a[0] * xj[0] + a[1] * xj[1] + a[2] * xj[2];
    y1 += a[3] * xj[0] + a[4] * xj[1] + a[5] * xj[2];
    y2 += a[6] * xj[0] + a[7] * xj[1] + a[8] * xj[2];
  }
  y[0] = y0;
  y[1] = y1;
  y[2] = y2;
}

void cps_block_matrix_row_multiply(const CpsBlockMatrix* A, int32_t i, const double* x, double* y) {
  if (A->dim == 3) {
    row_multiply_3(A, i, x, y);
    return;
  }
  int rows = (int)(A->offset[i + 1] - A->offset[i]);
  memset(y, 0, (size_t)rows * sizeof *y);
  for (int64_t k = A->start[i]; k < A->start[i + 1]; ++k) {
    int32_t j = A->col[k];
    int cols = (int)(A->offset[j + 1] - A->offset[j]);
    const double* a = A->value + A->at[k];
    const double* xj = x + A->offset[j];
    for (int p = 0; p < rows; ++p) {
      for (int q = 0; q < cols; ++q) y[p] += a[p * cols + q] * xj[q];
    }
  }
}

void cps_block_matrix_multiply(const CpsBlockMatrix* A, const double* x, double* y) {
  for (int32_t i = 0; i < A->rows; ++i) cps_block_matrix_row_multiply(A, i, x, y + A->offset[i]);
}

int64_t cps_column_find(const int32_t* column, int64_t first, int64_t last, int32_t which) {
  int64_t low = first, high = last;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (column[middle] < which) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < last && column[low] == which ? low : -1;
}

int64_t cps_block_matrix_find(const CpsBlockMatrix* A, int32_t i, int32_t j) {
  return cps_column_find(A->col, A->start[i], A->start[i + 1], j);
}

double cps_block_matrix_asymmetry(const CpsBlockMatrix* A) {
  double largest = 0.0, difference = 0.0;
  for (int32_t i = 0; i < A->rows; ++i) {
    int rows = (int)(A->offset[i + 1] - A->offset[i]);
    for (int64_t k = A->start[i]; k < A->start[i + 1]; ++k) {
      int32_t j = A->col[k];
      int cols = (int)(A->offset[j + 1] - A->offset[j]);
      const double* a = A->value + A->at[k];
      int64_t mirror = cps_block_matrix_find(A, j, i);
      const double* t = mirror < 0 ? NULL : A->value + A->at[mirror];
      for (int p = 0; p < rows; ++p) {
        for (int q = 0; q < cols; ++q) {
          double value = a[p * cols + q];
          largest = fmax(largest, fabs(value));
          difference = fmax(difference, fabs(value - (t ? t[q * rows + p] : 0.0)));
        }
      }
    }
  }
  return largest > 0.0 ? difference / largest : 0.0;
}

// Adds `half` times every block of A, or of its transpose, to S, whose pattern contains it.
static void add_half(const CpsBlockMatrix* A, bool transpose, CpsBlockMatrix* S) {
  for (int32_t i = 0; i < A->rows; ++i) {
    int rows = (int)(A->offset[i + 1] - A->offset[i]);
    for (int64_t k = A->start[i]; k < A->start[i + 1]; ++k) {
      int32_t j = A->col[k];
      int cols = (int)(A->offset[j + 1] - A->offset[j]);
      const double* a = A->value + A->at[k];
      double* s = S->value + S->at[transpose ? cps_block_matrix_find(S, j, i) : cps_block_matrix_find(S, i, j)];
      for (int p = 0; p < rows; ++p) {
        for (int q = 0; q < cols; ++q) s[transpose ? q * rows + p : p * cols + q] += 0.5 * a[p * cols + q];
      }
    }
  }
}

// Blocks (j, i) of A^T row by row: start and column arrays, columns ascending.
static bool transpose_pattern(const CpsBlockMatrix* A, CpsArena* arena, int64_t** start_out, int32_t** col_out) {
  int64_t count = A->start[A->rows];
  int64_t* start = CPS_TAKE_ZERO(arena, int64_t, (int64_t)A->rows + 2);
  int32_t* col = CPS_TAKE(arena, int32_t, count);
  if (!start || !col) return false;
  for (int64_t k = 0; k < count; ++k) start[A->col[k] + 2]++;
  for (int32_t i = 0; i < A->rows; ++i) start[i + 2] += start[i + 1];
  for (int32_t i = 0; i < A->rows; ++i) {
    for (int64_t k = A->start[i]; k < A->start[i + 1]; ++k) col[start[A->col[k] + 1]++] = i;
  }
  *start_out = start;
  *col_out = col;
  return true;
}

bool cps_block_matrix_symmetrise(const CpsBlockMatrix* A, CpsArena* arena, CpsBlockMatrix* S) {
  int64_t* t_start;
  int32_t* t_col;
  if (!transpose_pattern(A, arena, &t_start, &t_col)) return false;
  int64_t most = 2 * A->start[A->rows];
  *S = (CpsBlockMatrix){.rows = A->rows, .dim = A->dim, .offset = A->offset};
  S->start = CPS_TAKE(arena, int64_t, (int64_t)A->rows + 1);
  S->col = CPS_TAKE(arena, int32_t, most);
  S->at = CPS_TAKE(arena, int64_t, most + 1);
  if (!S->start || !S->col || !S->at) return false;
  int64_t count = 0, values = 0;
  for (int32_t i = 0; i < A->rows; ++i) {
    // merge the two ascending lists of columns
    S->start[i] = count;
    int64_t k = A->start[i], t = t_start[i];
    while (k < A->start[i + 1] || t < t_start[i + 1]) {
      int32_t own = k < A->start[i + 1] ? A->col[k] : INT32_MAX, other = t < t_start[i + 1] ? t_col[t] : INT32_MAX;
      int32_t j = own < other ? own : other;
      k += own == j;
      t += other == j;
      S->col[count] = j;
      S->at[count++] = values;
      values += (A->offset[i + 1] - A->offset[i]) * (A->offset[j + 1] - A->offset[j]);
    }
  }
  S->start[A->rows] = count;
  S->at[count] = values;
  S->value = CPS_TAKE_ZERO(arena, double, values);
  if (!S->value) return false;
  add_half(A, false, S);
  add_half(A, true, S);
  return true;
}

static bool has_symmetric_pattern(const CpsBlockMatrix* A) {
  for (int32_t i = 0; i < A->rows; ++i) {
    for (int64_t k = A->start[i]; k < A->start[i + 1]; ++k) {
      if (A->col[k] != i && cps_block_matrix_find(A, A->col[k], i) < 0) return false;
    }
  }
  return true;
}

bool cps_block_matrix_complete(const CpsBlockMatrix* A, CpsArena* arena, CpsBlockMatrix* P) {
  *P = *A;
  if (has_symmetric_pattern(A)) return true;
  if (!cps_block_matrix_symmetrise(A, arena, P)) return false;
  memset(P->value, 0, (size_t)P->at[P->start[P->rows]] * sizeof(double));
  for (int32_t i = 0; i < A->rows; ++i) {
    for (int64_t k = A->start[i]; k < A->start[i + 1]; ++k) {
      size_t size = (size_t)(A->at[k + 1] - A->at[k]);
      memcpy(P->value + P->at[cps_block_matrix_find(P, i, A->col[k])], A->value + A->at[k], size * sizeof(double));
    }
  }
  return true;
}
