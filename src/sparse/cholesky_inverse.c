// Selected inversion: the blocks of A^-1 at the pattern of A, from the root of the elimination tree to its leaves.
//
// With the front of a supernode split into pivots 1 and border 2, and Z = A^-1 on it (Takahashi, Fagan and Chen 1973),
//
//   Y = L21 L11^-1,   Z12 = -Y^T Z22,   Z11 = L11^-T L11^-1 - Z12 Y                           (1)
//
// and Z22 is part of what the parent knows. Fronts are kept along the path to the root only, and what was asked for is copied out on the
// way. All products are sums over rows of strips (strips.h), C <- C - A B^T, so signs are carried along: the fronts hold -Z,
//
//   U = L11^-T,   N = -U L21^T = -Y^T,   T = -N (-Z22) = Z12,   -Z11 = -U U^T - T N^T         (2)
#include "sparse/cholesky_parts.h"
#include "sparse/strips.h"

#include <string.h>

enum { BLOCK_STRIPS = 16 };  // columns eliminated together, in strips

typedef struct Inversion {
  const CpsCholesky* f;
  const bool* wanted;
  double* block;
  bool* visit;    // supernodes that lead to a wanted node
  int64_t* at;    // place of the front of a supernode in `front`
  double* front;  // the fronts -Z from the root to where we are: (P + B)^2, full, in strips
  double *U, *N, *T;
} Inversion;

static int64_t front_size(const CpsSupernode* s) {
  return (int64_t)(s->P + s->B) * (s->P + s->B);
}

// Marks the supernodes to visit and finds the places of their fronts; takes the memory.
static bool prepare(Inversion* v, CpsArena* scratch) {
  const CpsCholesky* f = v->f;
  int64_t end = 0, square = 0, across = 0;
  v->visit = CPS_TAKE_ZERO(scratch, bool, f->count);
  v->at = CPS_TAKE(scratch, int64_t, f->count);
  if (!v->visit || !v->at) return false;
  for (int32_t s = 0; s < f->count; s++) {
    const CpsSupernode* super = &f->super[s];
    for (int32_t k = super->first; k < super->first + super->nodes && !v->visit[s]; k++) {
      v->visit[s] = !v->wanted || v->wanted[f->order[k]];
    }
    if (v->visit[s] && super->parent >= 0) v->visit[super->parent] = true;
  }
  for (int32_t s = f->count - 1; s >= 0; s--) {
    const CpsSupernode* super = &f->super[s];
    if (!v->visit[s]) continue;
    v->at[s] = super->parent < 0 ? 0 : v->at[super->parent] + front_size(&f->super[super->parent]);
    if (v->at[s] + front_size(super) > end) end = v->at[s] + front_size(super);
    if ((int64_t)super->P * super->P > square) square = (int64_t)super->P * super->P;
    if ((int64_t)super->P * super->B > across) across = (int64_t)super->P * super->B;
  }
  v->front = CPS_TAKE(scratch, double, end);
  v->U = CPS_TAKE(scratch, double, square);
  v->N = CPS_TAKE(scratch, double, across);
  v->T = CPS_TAKE(scratch, double, across);
  return v->front && v->U && v->N && v->T;
}

// -Z22 from the parent's front, all of it; the padding is zero.
static void fetch_border(const Inversion* v, int32_t index, double* front) {
  const CpsSupernode* s = &v->f->super[index];
  if (s->parent < 0) return;
  const CpsSupernode* parent = &v->f->super[s->parent];
  const int32_t* up = v->f->up + s->row;
  const double* above = v->front + v->at[s->parent];
  int64_t stride = 4 * (int64_t)(s->P + s->B), far = 4 * (int64_t)(parent->P + parent->B);
  memset(front + s->P / 4 * stride, 0, (size_t)(s->B / 4 * stride) * sizeof *front);
  for (int32_t i = 0; i < 3 * s->border; i++) {
    int32_t from_row = up[i / 3] + i % 3, row = s->P + i;
    const double* x = above + from_row / 4 * far + from_row % 4;
    double* y = front + row / 4 * stride + row % 4 + 4 * (int64_t)s->P;
    for (int32_t k = 0; k < s->border; k++, y += 12) {
      const double* z = x + 4 * (int64_t)up[k];
      y[0] = z[0];
      y[4] = z[4];
      y[8] = z[8];
    }
  }
}

// U = L11^-T, upper triangular: the rows of the identity times L11^-T.
static void invert_pivots(const CpsCholesky* f, const CpsSupernode* s, double* U) {
  int64_t stride = 4 * (int64_t)s->P;
  const double* L = f->L + s->panel;
  int32_t P = s->P / 4;
  memset(U, 0, (size_t)(s->P * (int64_t)s->P) * sizeof *U);
  for (int32_t i = 0; i < s->P; i++) U[i / 4 * stride + 4 * (int64_t)i + i % 4] = 1.0;
  CpsStripUpdate u = {.A = U, .B = L, .C = U, .a_stride = stride, .b_stride = stride, .c_stride = stride};
  for (int32_t c0 = 0; c0 < P; c0 += BLOCK_STRIPS) {
    int32_t c1 = c0 + BLOCK_STRIPS < P ? c0 + BLOCK_STRIPS : P;
    u.K = 4 * c0;
    cps_strips_update(&u, 0, c0, c0, c1);  // rows from c1 on are zero here
    cps_strips_solve(L, stride, U, stride, c0, c1, 0, c1);
  }
}

// Z12 = T and -Z11 of (2) into the front, and both triangles of it.
static void invert_front(const Inversion* v, const CpsSupernode* s, double* front) {
  int64_t stride = 4 * (int64_t)(s->P + s->B), narrow = 4 * (int64_t)s->P, wide = 4 * (int64_t)s->B;
  int32_t P = s->P / 4, B = s->B / 4;
  size_t across = (size_t)((int64_t)s->P * s->B) * sizeof(double);
  const double* L21 = v->f->L + s->panel + P * narrow;
  memset(front, 0, (size_t)(P * stride) * sizeof *front);
  invert_pivots(v->f, s, v->U);
  CpsStripUpdate u = {
      .A = v->U, .B = v->U, .C = front, .a_stride = narrow, .b_stride = narrow, .c_stride = stride, .K = s->P};
  cps_strips_update(&u, 0, P, 0, P);
  if (B == 0) return;
  memset(v->N, 0, across);
  memset(v->T, 0, across);
  u = (CpsStripUpdate){
      .A = v->U, .B = L21, .C = v->N, .a_stride = narrow, .b_stride = narrow, .c_stride = wide, .K = s->P};
  cps_strips_update(&u, 0, P, 0, B);
  u = (CpsStripUpdate){.A = v->N,
                       .B = front + P * stride + 4 * (int64_t)s->P,
                       .C = v->T,
                       .a_stride = wide,
                       .b_stride = stride,
                       .c_stride = wide,
                       .K = s->B};
  cps_strips_update(&u, 0, P, 0, B);
  u = (CpsStripUpdate){
      .A = v->T, .B = v->N, .C = front, .a_stride = wide, .b_stride = wide, .c_stride = stride, .K = s->B};
  cps_strips_update(&u, 0, P, 0, P);
  for (int32_t i = 0; i < s->P; i++) {
    const double* t = v->T + i / 4 * wide + i % 4;
    double* row = front + i / 4 * stride + i % 4 + 4 * (int64_t)s->P;
    double* column = front + s->P / 4 * stride + 4 * (int64_t)i;
    for (int32_t k = 0; k < s->B; k++) {
      row[4 * (int64_t)k] = -t[4 * (int64_t)k];
      column[k / 4 * stride + k % 4] = -t[4 * (int64_t)k];
    }
  }
}

static void copy_out(const Inversion* v, int32_t index, const double* front) {
  const CpsCholesky* f = v->f;
  const CpsSupernode* s = &f->super[index];
  int64_t stride = 4 * (int64_t)(s->P + s->B);
  for (int64_t e = s[0].entry; e < s[1].entry; e++) {
    const CpsCholeskyEntry* entry = &f->entry[e];
    if (v->wanted) {
      int32_t col = f->order[s->first + entry->col / 3];
      int32_t node = entry->row < s->P ? s->first + entry->row / 3 : f->row[s->row + (entry->row - s->P) / 3];
      if (!v->wanted[col] || !v->wanted[f->order[node]]) continue;
    }
    double* to = v->block + 9 * entry->block;
    int down = entry->flipped ? 1 : 3, right = entry->flipped ? 3 : 1;
    for (int32_t a = 0; a < 3; a++) {
      int32_t i = entry->row + a;
      const double* from = front + i / 4 * stride + i % 4 + 4 * (int64_t)entry->col;
      for (int b = 0; b < 3; b++) to[down * a + right * b] = -from[4 * b];
    }
  }
}

bool cps_cholesky_inverse(const CpsCholesky* factor, const bool* wanted, double* block, CpsArena* scratch) {
  CpsArenaMark mark = cps_arena_mark(scratch);
  Inversion v = {.f = factor, .wanted = wanted, .block = block};
  bool ready = prepare(&v, scratch);
  // Downwards, a subtree is left before the next sibling's begins: its fronts are overwritten when nobody needs them any more.
  for (int32_t s = factor->count - 1; ready && s >= 0; s--) {
    if (!v.visit[s]) continue;
    double* front = v.front + v.at[s];
    fetch_border(&v, s, front);
    invert_front(&v, &factor->super[s], front);
    copy_out(&v, s, front);
  }
  cps_arena_release(scratch, mark);
  return ready;
}
