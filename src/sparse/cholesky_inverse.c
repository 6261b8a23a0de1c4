// Selected inversion: the blocks of A^-1 at the pattern of A, from the root of the elimination tree to its leaves.
//
// With the front of a supernode split into pivots 1 and border 2, and Z = A^-1 on it (Takahashi, Fagan and Chen 1973),
//
//   Y = L21 L11^-1,   Z12 = -Y^T Z22,   Z11 = L11^-T L11^-1 - Z12 Y                           (1)
//
// and Z22 is part of the parent's front. A front is kept until its subtree is done, and requested blocks are copied out on
// the way. Products are those of strips.h, C <- C - A B^T; the fronts store -Z, which removes all signs:
//
//   V = -L11^-T,   N = -V L21^T = Y^T,   -Z12 = -N (-Z22),   -Z11 = -V V^T - (-Z12) N^T       (2)
//
// Threads share the work as in the factorisation: the top of the tree first, front by front, then the tasks.
#include "sparse/cholesky_parts.h"
#include "sparse/strip_loop.h"
#include "sparse/strips.h"

#include <stdatomic.h>
#include <string.h>

// Strips of columns of L11 inverted together; and strips of rows per thread, of pivots and of the border.
enum { BLOCK_STRIPS = 16, PIVOT_CHUNK = 4, BORDER_CHUNK = 16 };

typedef struct Inversion {
  const CpsCholesky* f;
  const bool* wanted;
  double* block;
  bool* visit;  // supernodes that lead to a wanted node
  int64_t* at;  // position of the front of a supernode: in `front`, or inside a task in the memory of the thread
  double*
      front;  // fronts of the top, along a path, behind those of the roots of the tasks; (P + B)^2 numbers, in strips
  double* worker;  // per thread: V, N and the fronts along a path inside a task
  int64_t V_size, N_size, worker_size;
  atomic_int next;  // task
} Inversion;

// The current front.
typedef struct Front {
  const Inversion* v;
  const CpsSupernode* s;
  double* Z;            // -Z of the front
  const double* above;  // that of the parent
  double *V, *N;
  int64_t stride;
} Front;

static int64_t front_size(const CpsSupernode* s) {
  return (int64_t)(s->P + s->B) * (s->P + s->B);
}

static int64_t larger(int64_t a, int64_t b) {
  return a > b ? a : b;
}

// Marks the supernodes to visit.
static void choose(Inversion* v) {
  const CpsCholesky* f = v->f;
  for (int32_t s = 0; s < f->count; s++) {
    const CpsSupernode* super = &f->super[s];
    for (int32_t k = super->first; k < super->first + super->nodes && !v->visit[s]; k++) {
      v->visit[s] = !v->wanted || v->wanted[f->order[k]];
    }
    if (v->visit[s] && super->parent >= 0) v->visit[super->parent] = true;
  }
}

// Lays out the fronts and takes the memory.
static bool prepare(Inversion* v, CpsArena* scratch) {
  const CpsCholesky* f = v->f;
  v->visit = CPS_TAKE_ZERO(scratch, bool, f->count);
  v->at = CPS_TAKE(scratch, int64_t, f->count);
  if (!v->visit || !v->at) return false;
  choose(v);
  int64_t roots = 0, end = 0, inside = 0;
  for (int32_t k = 0; k < f->task_count; k++) {
    if (!v->visit[f->task[k]]) continue;
    v->at[f->task[k]] = roots;
    roots += front_size(&f->super[f->task[k]]);
  }
  for (int32_t s = f->count - 1; s >= 0; s--) {
    const CpsSupernode *super = &f->super[s], *parent = super->parent < 0 ? NULL : &f->super[super->parent];
    if (!v->visit[s]) continue;
    v->V_size = larger(v->V_size, (int64_t)super->P * super->P);
    v->N_size = larger(v->N_size, (int64_t)super->P * super->B);
    if (super->task_root) continue;
    bool begins = !parent || parent->task_root;
    int64_t first = super->task >= 0 ? 0 : roots;
    v->at[s] = begins ? first : v->at[super->parent] + front_size(parent);
    int64_t* last = super->task >= 0 ? &inside : &end;
    *last = larger(*last, v->at[s] + front_size(super));
  }
  v->worker_size = v->V_size + v->N_size + inside;
  v->front = CPS_TAKE(scratch, double, larger(end, roots));
  v->worker = CPS_TAKE(scratch, double, v->worker_size* cps_pool_threads(f->pool));
  return v->front && v->worker;
}

static double* place(const Inversion* v, int32_t s, int worker) {
  const CpsSupernode* super = &v->f->super[s];
  bool own = super->task >= 0 && !super->task_root;
  return (own ? v->worker + worker * v->worker_size + v->V_size + v->N_size : v->front) + v->at[s];
}

// Strips [i0, i1) of -Z22 from the parent's front; the padding is zero.
static void fetch_border(void* data, int32_t i0, int32_t i1) {
  const Front* front = data;
  const CpsSupernode *s = front->s, *parent = &front->v->f->super[s->parent];
  const int32_t* up = front->v->f->up + s->row;
  int64_t far = 4 * (int64_t)(parent->P + parent->B);
  double* border = front->Z + s->P / 4 * front->stride + 4 * (int64_t)s->P;
  for (int32_t i = i0; i < i1; i++) memset(border + i * front->stride, 0, (size_t)(4 * s->B) * sizeof *border);
  for (int32_t i = 4 * i0; i < 4 * i1 && i < 3 * s->border; i++) {
    int32_t from = up[i / 3] + i % 3;
    const double* x = front->above + from / 4 * far + from % 4;
    double* y = border + i / 4 * front->stride + i % 4;
    for (int32_t k = 0; k < s->border; k++, y += 12) {
      const double* z = x + 4 * (int64_t)up[k];
      y[0] = z[0];
      y[4] = z[4];
      y[8] = z[8];
    }
  }
}

// Strips of V: rows of -I times L11^-T.
static void invert_pivots(void* data, int32_t i0, int32_t i1) {
  const Front* front = data;
  const CpsSupernode* s = front->s;
  int64_t stride = 4 * (int64_t)s->P;
  const double* L = front->v->f->L + s->panel;
  double* V = front->V;
  int32_t P = s->P / 4;
  memset(V + i0 * stride, 0, (size_t)((i1 - i0) * stride) * sizeof *V);
  for (int32_t i = 4 * i0; i < 4 * i1; i++) V[i / 4 * stride + 4 * (int64_t)i + i % 4] = -1.0;
  CpsStripUpdate u = {
      .A = V, .B = L, .C = V, .a_stride = stride, .b_stride = stride, .c_stride = stride, .upper = true};
  for (int32_t c0 = i0 / BLOCK_STRIPS * BLOCK_STRIPS; c0 < P; c0 += BLOCK_STRIPS) {
    int32_t c1 = c0 + BLOCK_STRIPS < P ? c0 + BLOCK_STRIPS : P;
    int32_t rows = i1 < c1 ? i1 : c1;  // V is upper triangular
    u.K = 4 * c0;
    cps_strips_update(&u, i0, rows, c0, c1);
    cps_strips_solve(L, stride, V, stride, c0, c1, i0, rows);
  }
}

// Strips of N and of -Z12.
static void invert_across(void* data, int32_t i0, int32_t i1) {
  const Front* front = data;
  const CpsSupernode* s = front->s;
  int64_t narrow = 4 * (int64_t)s->P, wide = 4 * (int64_t)s->B, stride = front->stride;
  int32_t B = s->B / 4;
  memset(front->N + i0 * wide, 0, (size_t)((i1 - i0) * wide) * sizeof(double));
  for (int32_t i = i0; i < i1; i++) memset(front->Z + i * stride, 0, (size_t)narrow * sizeof(double));
  CpsStripUpdate N = {.A = front->V,
                      .B = front->v->f->L + s->panel + s->P / 4 * narrow,
                      .C = front->N,
                      .a_stride = narrow,
                      .b_stride = narrow,
                      .c_stride = wide,
                      .K = s->P,
                      .upper = true};
  cps_strips_update(&N, i0, i1, 0, B);
  CpsStripUpdate Z12 = {.A = front->N,
                        .B = front->Z + s->P / 4 * stride + narrow,
                        .C = front->Z + narrow,
                        .a_stride = wide,
                        .b_stride = stride,
                        .c_stride = stride,
                        .K = s->B,
                        .fresh = true};
  cps_strips_update(&Z12, i0, i1, 0, B);
}

// Strips of -Z11, whose rows of V and N are complete, and the mirror image of all new entries.
static void invert_own(void* data, int32_t i0, int32_t i1) {
  const Front* front = data;
  const CpsSupernode* s = front->s;
  int64_t narrow = 4 * (int64_t)s->P, wide = 4 * (int64_t)s->B, stride = front->stride;
  CpsStripUpdate V = {.A = front->V,
                      .B = front->V,
                      .C = front->Z,
                      .a_stride = narrow,
                      .b_stride = narrow,
                      .c_stride = stride,
                      .K = s->P,
                      .lower = true,
                      .upper = true};
  cps_strips_update(&V, i0, i1, 0, i1);
  CpsStripUpdate Y = {.A = front->Z + narrow,
                      .B = front->N,
                      .C = front->Z,
                      .a_stride = stride,
                      .b_stride = wide,
                      .c_stride = stride,
                      .K = s->B,
                      .lower = true};
  cps_strips_update(&Y, i0, i1, 0, i1);
  for (int32_t i = 4 * i0; i < 4 * i1; i++) {
    const double* row = front->Z + i / 4 * stride + i % 4;
    double* column = front->Z + 4 * (int64_t)i;
    for (int32_t j = 0; j < i; j++) column[j / 4 * stride + j % 4] = row[4 * (int64_t)j];
    for (int32_t j = s->P; j < s->P + s->B; j++) column[j / 4 * stride + j % 4] = row[4 * (int64_t)j];
  }
}

static void copy_out(const Front* front) {
  const CpsCholesky* f = front->v->f;
  const CpsSupernode* s = front->s;
  const bool* wanted = front->v->wanted;
  for (int64_t e = s[0].entry; e < s[1].entry; e++) {
    const CpsCholeskyEntry* entry = &f->entry[e];
    int32_t col = s->first + entry->col / 3;
    int32_t row = entry->row < s->P ? s->first + entry->row / 3 : f->row[s->row + (entry->row - s->P) / 3];
    if (wanted && (!wanted[f->order[col]] || !wanted[f->order[row]])) continue;
    double* to = front->v->block + 9 * entry->block;
    int down = entry->flipped ? 1 : 3, right = entry->flipped ? 3 : 1;
    for (int32_t a = 0; a < 3; a++) {
      int32_t i = entry->row + a;
      const double* from = front->Z + i / 4 * front->stride + i % 4 + 4 * (int64_t)entry->col;
      for (int b = 0; b < 3; b++) to[down * a + right * b] = -from[4 * b];
    }
  }
}

static Front front_of(const Inversion* v, int32_t s, int worker) {
  const CpsSupernode* super = &v->f->super[s];
  double* V = v->worker + worker * v->worker_size;
  return (Front){.v = v,
                 .s = super,
                 .Z = place(v, s, worker),
                 .above = super->parent < 0 ? NULL : place(v, super->parent, worker),
                 .V = V,
                 .N = V + v->V_size,
                 .stride = 4 * (int64_t)(super->P + super->B)};
}

static void fetch(Front* front, CpsPool* pool) {
  if (front->above) cps_strip_loop(pool, 0, front->s->B / 4, BORDER_CHUNK, fetch_border, front);
}

static void invert(Front* front, CpsPool* pool) {
  int32_t P = front->s->P / 4;
  cps_strip_loop(pool, 0, P, PIVOT_CHUNK, invert_pivots, front);
  cps_strip_loop(pool, 0, P, PIVOT_CHUNK, invert_across, front);
  cps_strip_loop(pool, 0, P, PIVOT_CHUNK, invert_own, front);
  copy_out(front);
}

static void do_tasks(void* data, int64_t first, int64_t last, int worker) {
  (void)first, (void)last;
  Inversion* v = data;
  for (;;) {
    int32_t task = atomic_fetch_add_explicit(&v->next, 1, memory_order_relaxed);
    if (task >= v->f->task_count) return;
    int32_t root = v->f->task[task];
    for (int32_t s = root; s >= 0 && v->f->super[s].task == root; s--) {
      if (!v->visit[s]) continue;
      Front front = front_of(v, s, worker);
      if (s != root) fetch(&front, NULL);
      invert(&front, NULL);
    }
  }
}

bool cps_cholesky_inverse(const CpsCholesky* factor, const bool* wanted, double* block, CpsArena* scratch) {
  CpsArenaMark mark = cps_arena_mark(scratch);
  Inversion v = {.f = factor, .wanted = wanted, .block = block};
  atomic_init(&v.next, 0);
  bool ready = prepare(&v, scratch);
  // Descending order leaves a subtree before the next sibling begins, so its memory is free again.
  for (int32_t s = factor->count - 1; ready && s >= 0; s--) {
    bool root = factor->super[s].task_root;
    if (!v.visit[s] || (factor->super[s].task >= 0 && !root)) continue;
    Front front = front_of(&v, s, 0);
    fetch(&front, factor->pool);
    if (!root) invert(&front, factor->pool);
  }
  if (ready && factor->task_count > 0) cps_pool_run(factor->pool, cps_pool_threads(factor->pool), do_tasks, &v);
  cps_arena_release(scratch, mark);
  return ready;
}

const double* cps_cholesky_kept_inverse(CpsCholesky* factor, const bool* wanted, CpsArena* scratch) {
  if (!factor->inverse) return NULL;
  bool all = factor->inversions > 0;
  for (int32_t i = 0; all && i < factor->n; i++) all = factor->known[i] || (wanted && !wanted[i]);
  if (all) return factor->inverse;
  // entries requested twice will be requested again: compute all of them
  const bool again = factor->inversions > 0;
  for (int32_t i = 0; i < factor->n; i++) factor->known[i] = again || !wanted || wanted[i];
  if (!cps_cholesky_inverse(factor, factor->known, factor->inverse, scratch)) {
    factor->inversions = 0;
    return NULL;
  }
  factor->inversions++;
  return factor->inverse;
}
