// The dense kernels of the sparse Cholesky factor.
//
// The innermost kernel computes a tile of eight rows and four columns of C from eight vectors that stay in registers.
// Multiplications and additions are not fused, so that processors with and without fused operations give the same bits; processors
// with separate units for both lose nothing.
#include "sparse/strips.h"

#include "core/simd.h"

#include <math.h>

#define INLINE static inline __attribute__((always_inline))

// Strips of B that stay in the second-level cache while rows pass by.
enum { COLUMNS_TOGETHER = 16 };

typedef CpsVec4 Vec;

// The tile (A0; A1) B^T of two strips over one, four vectors each.
INLINE void tile_two(int32_t K, const double* restrict a0, const double* restrict a1, const double* restrict b, Vec* t0,
                     Vec* t1) {
  Vec p0 = {0}, p1 = {0}, p2 = {0}, p3 = {0}, q0 = {0}, q1 = {0}, q2 = {0}, q3 = {0};
  const Vec *x0 = (const Vec*)a0, *x1 = (const Vec*)a1;
  for (int32_t k = 0; k < K; k++, b += 4) {
    Vec x = x0[k], y = x1[k];
    p0 += x * b[0];
    q0 += y * b[0];
    p1 += x * b[1];
    q1 += y * b[1];
    p2 += x * b[2];
    q2 += y * b[2];
    p3 += x * b[3];
    q3 += y * b[3];
  }
  t0[0] = p0, t0[1] = p1, t0[2] = p2, t0[3] = p3;
  t1[0] = q0, t1[1] = q1, t1[2] = q2, t1[3] = q3;
}

INLINE void tile_one(int32_t K, const double* restrict a, const double* restrict b, Vec* t) {
  Vec p0 = {0}, p1 = {0}, p2 = {0}, p3 = {0};
  const Vec* x = (const Vec*)a;
  for (int32_t k = 0; k < K; k++, b += 4) {
    p0 += x[k] * b[0];
    p1 += x[k] * b[1];
    p2 += x[k] * b[2];
    p3 += x[k] * b[3];
  }
  t[0] = p0, t[1] = p1, t[2] = p2, t[3] = p3;
}

INLINE void take_off(double* c, const Vec* t) {
  Vec* to = (Vec*)c;
  for (int q = 0; q < 4; q++) to[q] -= t[q];
}

// The same, or c = -t.
INLINE void take_off_or_set(double* c, const Vec* t, bool set) {
  Vec* to = (Vec*)c;
  if (!set) {
    take_off(c, t);
    return;
  }
  for (int q = 0; q < 4; q++) to[q] = -t[q];
}

INLINE double* row_of(const CpsStripUpdate* u, int32_t i) {
  return u->C + (u->c_stride ? i * u->c_stride : (int64_t)8 * i * (i + 1));
}

// The strips i and, if `two`, i + 1, with the terms [k, k + K) of the sums.
INLINE void update_row(const CpsStripUpdate* u, int32_t i, bool two, int32_t j0, int32_t j1, int32_t k, int32_t K) {
  if (u->upper && k < 4 * i) {
    K -= 4 * i - k;
    k = 4 * i;
    if (K <= 0) return;
  }
  const double* a0 = u->A + i * u->a_stride + 4 * (int64_t)k;
  const double* a1 = two ? a0 + u->a_stride : a0;
  double *c0 = row_of(u, i), *c1 = two ? row_of(u, i + 1) : c0;
  bool set = u->fresh && k == 0;
  Vec t0[4], t1[4];
  int32_t end0 = u->lower && i + 1 < j1 ? i + 1 : j1;
  int32_t j = j0;
  for (; two && j < end0; j++) {
    tile_two(K, a0, a1, u->B + j * u->b_stride + 4 * (int64_t)k, t0, t1);
    take_off_or_set(c0 + 16 * (int64_t)j, t0, set);
    take_off_or_set(c1 + 16 * (int64_t)j, t1, set);
  }
  for (; j < end0; j++) {
    tile_one(K, a0, u->B + j * u->b_stride + 4 * (int64_t)k, t0);
    take_off_or_set(c0 + 16 * (int64_t)j, t0, set);
  }
  if (two && u->lower && i + 1 < j1 && i + 1 >= j0) {  // the corner that only the second strip has
    tile_one(K, a1, u->B + (i + 1) * u->b_stride + 4 * (int64_t)k, t1);
    take_off_or_set(c1 + 16 * (int64_t)(i + 1), t1, set);
  }
}

CPS_HOT static void update(const CpsStripUpdate* u, int32_t i0, int32_t i1, int32_t j0, int32_t j1) {
  for (int32_t k = 0; k < u->K; k += CPS_STRIP_RUN) {
    int32_t K = u->K - k < CPS_STRIP_RUN ? u->K - k : CPS_STRIP_RUN;
    for (int32_t j = j0; j < j1; j += COLUMNS_TOGETHER) {
      int32_t end = j + COLUMNS_TOGETHER < j1 ? j + COLUMNS_TOGETHER : j1;
      int32_t i = u->lower && i0 < j ? j : i0;
      for (; i + 1 < i1; i += 2) update_row(u, i, true, j, end, k, K);
      if (i < i1) update_row(u, i, false, j, end, k, K);
    }
  }
}

// X <- X L^-T for one tile of four columns, L the 4 x 4 triangle with inverse diagonal.
INLINE void solve_tile(const double* L, double* x, const Vec* t) {
  Vec* to = (Vec*)x;
  Vec x0 = (to[0] - t[0]) * L[0];
  Vec x1 = ((to[1] - t[1]) - x0 * L[1]) * L[5];
  Vec x2 = (((to[2] - t[2]) - x0 * L[2]) - x1 * L[6]) * L[10];
  Vec x3 = ((((to[3] - t[3]) - x0 * L[3]) - x1 * L[7]) - x2 * L[11]) * L[15];
  to[0] = x0, to[1] = x1, to[2] = x2, to[3] = x3;
}

CPS_HOT static void solve(const double* L, int64_t l_stride, double* X, int64_t x_stride, int32_t c0, int32_t c1,
                          int32_t i0, int32_t i1) {
  Vec t0[4], t1[4];
  for (int32_t i = i0; i < i1; i += 2) {
    bool two = i + 1 < i1;
    double *x0 = X + i * x_stride, *x1 = x0 + x_stride;
    for (int32_t j = c0; j < c1; j++) {
      const double *l = L + j * l_stride, *diagonal = l + 16 * (int64_t)j;
      int32_t K = 4 * (j - c0);
      if (two) {
        tile_two(K, x0 + 16 * (int64_t)c0, x1 + 16 * (int64_t)c0, l + 16 * (int64_t)c0, t0, t1);
        solve_tile(diagonal, x1 + 16 * (int64_t)j, t1);
      } else {
        tile_one(K, x0 + 16 * (int64_t)c0, l + 16 * (int64_t)c0, t0);
      }
      solve_tile(diagonal, x0 + 16 * (int64_t)j, t0);
    }
  }
}

// The 4 x 4 triangle d, column by column; the diagonal gets its inverse. -1, or the column that fails.
static int32_t factor_tile(double* d) {
  for (int32_t j = 0; j < 4; j++) {
    double* column = d + 4 * j;
    for (int32_t k = 0; k < j; k++) {
      for (int32_t i = j; i < 4; i++) column[i] -= d[4 * k + i] * d[4 * k + j];
    }
    if (!(column[j] > 0.0 && column[j] < (double)INFINITY)) return j;
    column[j] = 1.0 / sqrt(column[j]);
    for (int32_t i = j + 1; i < 4; i++) column[i] *= column[j];
  }
  return -1;
}

CPS_HOT static int32_t factor(double* panel, int64_t stride, int32_t c0, int32_t c1) {
  Vec t[4];
  for (int32_t j = c0; j < c1; j++) {
    double* row = panel + j * stride + 16 * (int64_t)c0;
    double* diagonal = panel + j * stride + 16 * (int64_t)j;
    int32_t K = 4 * (j - c0);
    tile_one(K, row, row, t);
    take_off(diagonal, t);
    int32_t bad = factor_tile(diagonal);
    if (bad >= 0) return 4 * j + bad;
    for (int32_t i = j + 1; i < c1; i++) {
      double* x = panel + i * stride;
      tile_one(K, x + 16 * (int64_t)c0, row, t);
      solve_tile(diagonal, x + 16 * (int64_t)j, t);
    }
  }
  return -1;
}

// A function compiled for several processors has a resolver, which a shared library would export: it stays inside this file.
void cps_strips_update(const CpsStripUpdate* u, int32_t i0, int32_t i1, int32_t j0, int32_t j1) {
  update(u, i0, i1, j0, j1);
}

void cps_strips_solve(const double* L, int64_t l_stride, double* X, int64_t x_stride, int32_t c0, int32_t c1,
                      int32_t i0, int32_t i1) {
  solve(L, l_stride, X, x_stride, c0, c1, i0, i1);
}

int32_t cps_strips_factor(double* panel, int64_t stride, int32_t c0, int32_t c1) {
  return factor(panel, stride, c0, c1);
}
