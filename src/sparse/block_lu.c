// Row-wise block LU on a symmetric pattern.
//
// In elimination order, row i of A is copied into a work row w and reduced by the preceding rows k < i of U:
//
//   L_ik = w_k U_kk^-1,    w_j <- w_j - L_ik U_kj  (j in the pattern of U_k),    y_i <- y_i - L_ik y_k              (1)
//
// then w holds row i of U, and back substitution gives x. The pattern of row k of U is
//
//   struct(k) = { later neighbours of k }  united with  struct(c) \ {k}  for each child c of k                     (2)
//
// (George & Liu 1981). Blocks are stored 3 x 4, padded, so that a row of a block is one vector of four.
#include "sparse/block_lu.h"

#include "core/simd.h"
#include "sparse/order.h"

#include <math.h>
#include <string.h>

struct CpsBlockLu {
  const CpsBlockMatrix* A;
  CpsArena* arena;
  int32_t n;
  int32_t* order;        // order[p]: block row eliminated as number p
  int32_t* position;     // of each block row among the active ones, -1 if inactive
  int32_t* node;         // block row of each active position
  int64_t* start;        // per position: first entry of its row of U
  int32_t* first_child;  // elimination tree, as lists of children
  int32_t* next_child;
  int32_t* mark;
  int64_t* lower_start;  // columns of each row of L
  int32_t* lower;
  int32_t* upper;          // columns of each row of U, ascending
  CpsVec4* U;              // blocks of U right of the diagonal
  CpsVec4* diagonal;       // inverses of U_kk
  CpsVec4* work;           // one padded block per position
  double* y;               // right side by position
  int64_t capacity;        // of `upper`
  int64_t largest;         // largest pattern counted so far
  int64_t value_capacity;  // of `lower` and U, unused by an estimate
  bool* last_active;       // rows of the current analysis
  int32_t analysed;        // their number, -1: none
};

CpsBlockLu* cps_block_lu_create(const CpsBlockMatrix* A, CpsArena* arena) {
  CpsBlockLu* lu = CPS_TAKE_ZERO(arena, CpsBlockLu, 1);
  if (!lu) return NULL;
  int64_t n = A->rows;
  *lu = (CpsBlockLu){.A = A, .arena = arena, .n = A->rows};
  lu->order = CPS_TAKE(arena, int32_t, n);
  lu->position = CPS_TAKE(arena, int32_t, n);
  lu->node = CPS_TAKE(arena, int32_t, n);
  lu->start = CPS_TAKE(arena, int64_t, n + 1);
  lu->first_child = CPS_TAKE(arena, int32_t, n);
  lu->next_child = CPS_TAKE(arena, int32_t, n);
  lu->mark = CPS_TAKE(arena, int32_t, n);
  lu->lower_start = CPS_TAKE(arena, int64_t, n + 2);
  lu->last_active = CPS_TAKE(arena, bool, n);
  lu->analysed = -1;
  if (!lu->order || !lu->position || !lu->node || !lu->start || !lu->first_child || !lu->next_child || !lu->mark ||
      !lu->lower_start || !lu->last_active || !cps_block_order(A, arena, lu->order)) {
    return NULL;
  }
  return lu;
}

// Room for the columns of U, whose number is unknown before counting.
static bool reserve_pattern(CpsBlockLu* lu, int64_t count) {
  if (count <= lu->capacity) return true;
  int64_t capacity = count + count / 2;
  int32_t* upper = CPS_TAKE(lu->arena, int32_t, capacity);
  if (!upper) return false;
  if (lu->upper) memcpy(upper, lu->upper, (size_t)lu->capacity * sizeof *upper);
  lu->upper = upper;
  lu->capacity = capacity;
  return true;
}

// Room for the values of a factor with this many blocks. It covers the largest pattern counted so far; a still larger one gets
// some spare room for the next.
static bool reserve_values(CpsBlockLu* lu, int64_t count) {
  if (!lu->work) {
    lu->diagonal = CPS_TAKE(lu->arena, CpsVec4, 3 * (int64_t)lu->n);
    lu->y = CPS_TAKE(lu->arena, double, 3 * (int64_t)lu->n);
    lu->work = CPS_TAKE_ZERO(lu->arena, CpsVec4, 3 * (int64_t)lu->n);
    if (!lu->diagonal || !lu->y || !lu->work) return false;
  }
  if (count <= lu->value_capacity) return true;
  int64_t capacity = lu->value_capacity == 0 ? lu->largest : count + count / 4;
  int32_t* lower = CPS_TAKE(lu->arena, int32_t, capacity);
  CpsVec4* U = CPS_TAKE(lu->arena, CpsVec4, 3 * capacity);
  if (!lower || !U) return false;
  lu->lower = lower;
  lu->U = U;
  lu->value_capacity = capacity;
  return true;
}

static void sort_ascending(int32_t* x, int64_t count) {
  for (int64_t gap = count / 2; gap > 0; gap /= 2) {
    for (int64_t i = gap; i < count; ++i) {
      int32_t value = x[i];
      int64_t j = i;
      for (; j >= gap && x[j - gap] > value; j -= gap) x[j] = x[j - gap];
      x[j] = value;
    }
  }
}

// Numbers the active rows in elimination order; returns their number.
static int32_t number_active(CpsBlockLu* lu, const bool* active) {
  int32_t count = 0;
  for (int32_t p = 0; p < lu->n; ++p) {
    int32_t i = lu->order[p];
    lu->position[i] = active[i] ? count : -1;
    if (active[i]) lu->node[count++] = i;
  }
  return count;
}

// (2): rows of U, and the number of columns of each row of L.
static CpsBlockLuResult analyse(CpsBlockLu* lu, int32_t count, int64_t most_fill) {
  const CpsBlockMatrix* A = lu->A;
  for (int32_t p = 0; p < count; ++p) lu->first_child[p] = lu->mark[p] = -1;
  memset(lu->lower_start, 0, ((size_t)count + 2) * sizeof(int64_t));
  int64_t used = lu->start[0] = 0;
  for (int32_t p = 0; p < count; ++p) {
    int32_t i = lu->node[p];
    if (used > most_fill || !reserve_pattern(lu, used + count - p)) return CPS_BLOCK_LU_NO_MEMORY;
    int64_t first = used;
    lu->start[p] = first;
    lu->mark[p] = p;
    for (int64_t k = A->start[i]; k < A->start[i + 1]; ++k) {
      int32_t q = lu->position[A->col[k]];
      if (q > p && lu->mark[q] != p) {
        lu->mark[q] = p;
        lu->upper[used++] = q;
      }
    }
    for (int32_t c = lu->first_child[p]; c >= 0; c = lu->next_child[c]) {
      for (int64_t k = lu->start[c]; k < lu->start[c + 1]; ++k) {
        int32_t q = lu->upper[k];
        if (lu->mark[q] != p) {
          lu->mark[q] = p;
          lu->upper[used++] = q;
        }
      }
    }
    sort_ascending(lu->upper + first, used - first);
    lu->start[p + 1] = used;
    if (used > first) {
      int32_t parent = lu->upper[first];
      lu->next_child[p] = lu->first_child[parent];
      lu->first_child[parent] = p;
    }
    for (int64_t k = first; k < used; ++k) lu->lower_start[lu->upper[k] + 2]++;
  }
  if (used > lu->largest) lu->largest = used;
  return CPS_BLOCK_LU_OK;
}

// The columns of each row of L, by transposing U, and room for the values.
static CpsBlockLuResult transpose(CpsBlockLu* lu, int32_t count) {
  if (!reserve_values(lu, lu->start[count])) return CPS_BLOCK_LU_NO_MEMORY;
  for (int32_t p = 0; p < count; ++p) lu->lower_start[p + 2] += lu->lower_start[p + 1];
  for (int32_t p = 0; p < count; ++p) {
    for (int64_t k = lu->start[p]; k < lu->start[p + 1]; ++k) lu->lower[lu->lower_start[lu->upper[k] + 1]++] = p;
  }
  return CPS_BLOCK_LU_OK;
}

// C -= A B for padded 3 x 3 blocks.
static inline void subtract_product(CpsVec4* C, const CpsVec4* A, const CpsVec4* B) {
  for (int r = 0; r < 3; ++r) C[r] -= A[r][0] * B[0] + A[r][1] * B[1] + A[r][2] * B[2];
}

static inline void multiply(CpsVec4* C, const CpsVec4* A, const CpsVec4* B) {
  for (int r = 0; r < 3; ++r) C[r] = A[r][0] * B[0] + A[r][1] * B[1] + A[r][2] * B[2];
}

// Inverse by cofactors; false if the determinant vanishes relative to the size of the block.
static bool invert(const CpsVec4* A, CpsVec4* B) {
  double a = A[0][0], b = A[0][1], c = A[0][2], d = A[1][0], e = A[1][1], f = A[1][2], g = A[2][0], h = A[2][1],
         i = A[2][2];
  double A00 = e * i - f * h, A01 = f * g - d * i, A02 = d * h - e * g;
  double det = a * A00 + b * A01 + c * A02;
  double size = fabs(a) + fabs(b) + fabs(c) + fabs(d) + fabs(e) + fabs(f) + fabs(g) + fabs(h) + fabs(i);
  if (!(fabs(det) > 1e-30 * size * size * size) || !isfinite(det)) return false;
  double s = 1.0 / det;
  B[0] = (CpsVec4){A00 * s, (c * h - b * i) * s, (b * f - c * e) * s, 0.0};
  B[1] = (CpsVec4){A01 * s, (a * i - c * g) * s, (c * d - a * f) * s, 0.0};
  B[2] = (CpsVec4){A02 * s, (b * g - a * h) * s, (a * e - b * d) * s, 0.0};
  return true;
}

// Copies the active part of row i of A into the work row.
static void load_row(CpsBlockLu* lu, int32_t i) {
  const CpsBlockMatrix* A = lu->A;
  for (int64_t k = A->start[i]; k < A->start[i + 1]; ++k) {
    int32_t q = lu->position[A->col[k]];
    if (q < 0) continue;
    const double* a = A->value + 9 * k;
    CpsVec4* out = lu->work + 3 * (int64_t)q;
    for (int r = 0; r < 3; ++r) out[r] = (CpsVec4){a[3 * r], a[3 * r + 1], a[3 * r + 2], 0.0};
  }
}

// (1) for the row at position p.
CPS_HOT static bool eliminate(CpsBlockLu* lu, int32_t p) {
  CpsVec4* work = lu->work;
  double* y = lu->y + 3 * (int64_t)p;
  int64_t lower_first = lu->lower_start[p], lower_last = lu->lower_start[p + 1];
  for (int64_t s = lower_first; s < lower_last; ++s) {
    int32_t k = lu->lower[s];
    CpsVec4 L[3], *w = work + 3 * (int64_t)k;
    multiply(L, w, lu->diagonal + 3 * (int64_t)k);
    w[0] = w[1] = w[2] = (CpsVec4){0};
    for (int64_t t = lu->start[k]; t < lu->start[k + 1]; ++t) {
      subtract_product(work + 3 * (int64_t)lu->upper[t], L, lu->U + 3 * t);
    }
    const double* yk = lu->y + 3 * (int64_t)k;
    for (int r = 0; r < 3; ++r) y[r] -= L[r][0] * yk[0] + L[r][1] * yk[1] + L[r][2] * yk[2];
  }
  for (int64_t t = lu->start[p]; t < lu->start[p + 1]; ++t) {
    CpsVec4* w = work + 3 * (int64_t)lu->upper[t];
    memcpy(lu->U + 3 * t, w, 3 * sizeof(CpsVec4));
    w[0] = w[1] = w[2] = (CpsVec4){0};
  }
  CpsVec4* w = work + 3 * (int64_t)p;
  bool regular = invert(w, lu->diagonal + 3 * (int64_t)p);
  w[0] = w[1] = w[2] = (CpsVec4){0};
  return regular;
}

static void back_substitute(CpsBlockLu* lu, int32_t count, double* x) {
  for (int32_t p = count - 1; p >= 0; --p) {
    double* y = lu->y + 3 * (int64_t)p;
    double s[3] = {y[0], y[1], y[2]};
    for (int64_t t = lu->start[p]; t < lu->start[p + 1]; ++t) {
      const CpsVec4* U = lu->U + 3 * t;
      const double* xq = lu->y + 3 * (int64_t)lu->upper[t];
      for (int r = 0; r < 3; ++r) s[r] -= U[r][0] * xq[0] + U[r][1] * xq[1] + U[r][2] * xq[2];
    }
    const CpsVec4* D = lu->diagonal + 3 * (int64_t)p;
    for (int r = 0; r < 3; ++r) y[r] = D[r][0] * s[0] + D[r][1] * s[1] + D[r][2] * s[2];
    memcpy(x + 3 * (int64_t)lu->node[p], y, 3 * sizeof(double));
  }
}

CpsBlockLuResult cps_block_lu_solve(CpsBlockLu* lu, const bool* active, double* x) {
  if (lu->analysed < 0 || memcmp(lu->last_active, active, (size_t)lu->n * sizeof *active) != 0) {
    int32_t rows = number_active(lu, active);
    lu->analysed = -1;
    if (analyse(lu, rows, INT64_MAX) != CPS_BLOCK_LU_OK || transpose(lu, rows) != CPS_BLOCK_LU_OK) {
      return CPS_BLOCK_LU_NO_MEMORY;
    }
    memcpy(lu->last_active, active, (size_t)lu->n * sizeof *active);
    lu->analysed = rows;
  }
  int32_t count = lu->analysed;
  for (int32_t p = 0; p < count; ++p) {
    int32_t i = lu->node[p];
    memcpy(lu->y + 3 * (int64_t)p, x + 3 * (int64_t)i, 3 * sizeof(double));
    load_row(lu, i);
    if (!eliminate(lu, p)) {
      memset(lu->work, 0, 3 * (size_t)count * sizeof(CpsVec4));
      return CPS_BLOCK_LU_SINGULAR;
    }
  }
  back_substitute(lu, count, x);
  return CPS_BLOCK_LU_OK;
}

bool cps_block_lu_estimate(CpsBlockLu* lu, const bool* active, int64_t most_fill, int64_t* operations) {
  lu->analysed = -1;
  int32_t rows = lu->n;
  if (active) rows = number_active(lu, active);
  for (int32_t p = 0; p < lu->n && !active; ++p) {
    lu->position[lu->order[p]] = p;
    lu->node[p] = lu->order[p];
  }
  if (analyse(lu, rows, most_fill) != CPS_BLOCK_LU_OK) return false;
  // row k of U is used once for each row of L that has column k
  *operations = 0;
  for (int32_t p = 0; p < rows; ++p) {
    int64_t length = lu->start[p + 1] - lu->start[p];
    *operations += length * (length + 1);
  }
  return true;
}
