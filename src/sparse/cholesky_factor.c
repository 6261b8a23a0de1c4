// Multifrontal factorisation (Duff and Reid 1983; Liu 1992): each supernode adds its entries of A and the update matrices of
// its children to its front, eliminates its pivots and passes an update matrix to its parent,
//
//   [A11  A21^T]    L11 = chol(A11),   L21 = A21 L11^-T,   U = A22 - L21 L21^T                (1)
//   [A21  A22  ]
//
// Subtrees run in parallel; the fronts at the top of the tree run one after another, each with all threads. Children are added in
// a fixed order and every entry of (1) is summed in a fixed order (strips.h), so any number of threads gives the same bits.
#include "sparse/cholesky_parts.h"
#include "sparse/strip_loop.h"
#include "sparse/strips.h"

#include <stdatomic.h>
#include <string.h>

// Strips of columns factored together; and minimum strips of rows per thread.
enum { BLOCK_STRIPS = 16, CHUNK_STRIPS = 4 };

typedef struct Front {
  const CpsCholesky* f;
  const CpsSupernode* s;
  double* panel;
  double* update;
  const CpsSupernode* child;  // the child being added
  const double* child_update;
  int32_t c0, c1;  // the block of columns being eliminated, in strips
} Front;

typedef struct Run {
  CpsCholesky* f;
  const double* value;
  atomic_int next;    // task
  atomic_int failed;  // lowest scalar row in elimination order with a bad pivot
} Run;

static double* update_place(const CpsCholesky* f, const CpsSupernode* s, int worker) {
  bool own = s->task >= 0 && !s->task_root;
  return (own ? f->worker + worker * f->worker_size : f->top) + s->update;
}

static void add_entries(Front* front, const double* value) {
  const CpsSupernode* s = front->s;
  int64_t stride = 4 * (int64_t)s->P;
  for (int64_t e = s[0].entry; e < s[1].entry; e++) {
    const CpsCholeskyEntry* entry = &front->f->entry[e];
    const double* from = value + 9 * entry->block;
    int down = entry->flipped ? 1 : 3, right = entry->flipped ? 3 : 1;
    for (int32_t a = 0; a < 3; a++) {
      int32_t i = entry->row + a;
      double* to = front->panel + i / 4 * stride + i % 4 + 4 * (int64_t)entry->col;
      for (int b = 0; b < 3; b++) to[4 * b] += from[down * a + right * b];
    }
  }
  for (int32_t i = 3 * s->nodes; i < s->P; i++) front->panel[i / 4 * stride + 4 * (int64_t)i + i % 4] = 1.0;
}

// y, every fourth number, += x, the columns of one node.
static inline void add_node(double* y, const double* x) {
  y[0] += x[0];
  y[4] += x[4];
  y[8] += x[8];
}

// Number of nodes in the child's border that are pivots here: the leading ones.
static int32_t pivots_of_child(const Front* front) {
  const int32_t* up = front->f->up + front->child->row;
  int32_t count = 0;
  while (count < front->child->border && up[count] < front->s->P) count++;
  return count;
}

// Adds the strips [i0, i1) of the child to the panel.
static void add_child_to_panel(void* data, int32_t i0, int32_t i1) {
  const Front* front = data;
  const int32_t* up = front->f->up + front->child->row;
  int32_t pivots = pivots_of_child(front), rows = 3 * front->child->border;
  int64_t stride = 4 * (int64_t)front->s->P;
  for (int32_t i = 4 * i0; i < 4 * i1 && i < rows; i++) {
    int64_t strip = i / 4;
    int32_t node = i / 3, row = up[node] + i % 3;
    const double* x = front->child_update + 8 * strip * (strip + 1) + i % 4;
    double* y = front->panel + row / 4 * stride + row % 4;
    for (int32_t k = 0; k < node && k < pivots; k++, x += 12) add_node(y + 4 * (int64_t)up[k], x);
    // the node of the diagonal, up to the diagonal
    for (int32_t b = 0; node < pivots && b <= i % 3; b++) y[4 * (int64_t)(up[node] + b)] += x[4 * (int64_t)b];
  }
}

// Adds the strips [i0, i1) of the child to the update matrix.
static void add_child_to_update(void* data, int32_t i0, int32_t i1) {
  const Front* front = data;
  const int32_t* up = front->f->up + front->child->row;
  int32_t pivots = pivots_of_child(front), rows = 3 * front->child->border, P = front->s->P;
  for (int32_t i = 4 * i0 > 3 * pivots ? 4 * i0 : 3 * pivots; i < 4 * i1 && i < rows; i++) {
    int64_t strip = i / 4;
    int32_t node = i / 3, row = up[node] + i % 3 - P;
    int64_t to = row / 4;
    const double* x = front->child_update + 8 * strip * (strip + 1) + i % 4 + 12 * (int64_t)pivots;
    double* y = front->update + 8 * to * (to + 1) + row % 4 - 4 * (int64_t)P;
    for (int32_t k = pivots; k < node; k++, x += 12) add_node(y + 4 * (int64_t)up[k], x);
    for (int32_t b = 0; b <= i % 3; b++) y[4 * (int64_t)(up[node] + b)] += x[4 * (int64_t)b];
  }
}

static void clear_panel(void* data, int32_t i0, int32_t i1) {
  const Front* front = data;
  int64_t stride = 4 * (int64_t)front->s->P;
  memset(front->panel + i0 * stride, 0, (size_t)((i1 - i0) * stride) * sizeof(double));
}

// Subtracts the columns already eliminated from the block of columns.
static void update_block(void* data, int32_t i0, int32_t i1) {
  const Front* front = data;
  int64_t stride = 4 * (int64_t)front->s->P;
  CpsStripUpdate u = {.A = front->panel,
                      .B = front->panel,
                      .C = front->panel,
                      .a_stride = stride,
                      .b_stride = stride,
                      .c_stride = stride,
                      .K = 4 * front->c0,
                      .lower = true};
  cps_strips_update(&u, i0, i1, front->c0, front->c1);
}

static void solve_block(void* data, int32_t i0, int32_t i1) {
  const Front* front = data;
  int64_t stride = 4 * (int64_t)front->s->P;
  cps_strips_solve(front->panel, stride, front->panel, stride, front->c0, front->c1, i0, i1);
}

static void make_update(void* data, int32_t i0, int32_t i1) {
  const Front* front = data;
  int64_t stride = 4 * (int64_t)front->s->P;
  const double* border = front->panel + front->s->P / 4 * stride;
  CpsStripUpdate u = {.A = border,
                      .B = border,
                      .C = front->update,
                      .a_stride = stride,
                      .b_stride = stride,
                      .K = 3 * front->s->nodes,
                      .lower = true,
                      .fresh = true};
  cps_strips_update(&u, i0, i1, 0, i1);
}

// Factors the panel of the front, block of columns by block of columns. Returns -1, or the scalar pivot that fails.
static int32_t eliminate(Front* front, CpsPool* pool) {
  int32_t P = front->s->P / 4, rows = (front->s->P + front->s->B) / 4;
  for (front->c0 = 0; front->c0 < P; front->c0 = front->c1) {
    front->c1 = front->c0 + BLOCK_STRIPS < P ? front->c0 + BLOCK_STRIPS : P;
    if (front->c0 > 0) cps_strip_loop(pool, front->c0, rows, CHUNK_STRIPS, update_block, front);
    int32_t bad = cps_strips_factor(front->panel, 4 * (int64_t)front->s->P, front->c0, front->c1);
    if (bad >= 0) return bad;
    cps_strip_loop(pool, front->c1, rows, CHUNK_STRIPS, solve_block, front);
  }
  return -1;
}

// Adds the update matrices of the children, one after another.
static void add_children(Front* front, CpsPool* pool, int worker, CpsStripWork add) {
  const CpsCholesky* f = front->f;
  for (int32_t c = front->s->child; c >= 0; c = f->super[c].sibling) {
    front->child = &f->super[c];
    front->child_update = update_place(f, front->child, worker);
    cps_strip_loop(pool, 0, front->child->B / 4, CHUNK_STRIPS, add, front);
  }
}

// Returns -1, or the scalar row in elimination order with a bad pivot. The elimination writes the update matrix, and the
// children's part is added afterwards, which saves clearing it.
static int32_t do_front(Run* run, int32_t index, CpsPool* pool, int worker) {
  CpsCholesky* f = run->f;
  const CpsSupernode* s = &f->super[index];
  Front front = {.f = f, .s = s, .panel = f->L + s->panel, .update = update_place(f, s, worker)};
  cps_strip_loop(pool, 0, (s->P + s->B) / 4, CHUNK_STRIPS, clear_panel, &front);
  add_entries(&front, run->value);
  add_children(&front, pool, worker, add_child_to_panel);
  int32_t bad = eliminate(&front, pool);
  if (bad >= 0) return 3 * s->first + bad;
  cps_strip_loop(pool, 0, s->B / 4, CHUNK_STRIPS, make_update, &front);
  if (s->B > 0) add_children(&front, pool, worker, add_child_to_update);
  return -1;
}

static void note_failure(Run* run, int32_t row) {
  int seen = atomic_load(&run->failed);
  while (row < seen && !atomic_compare_exchange_weak(&run->failed, &seen, row)) continue;
}

// A task is the run of supernodes that ends at its root.
static void do_tasks(void* data, int64_t first, int64_t last, int worker) {
  (void)first, (void)last;
  Run* run = data;
  const CpsCholesky* f = run->f;
  for (;;) {
    int32_t task = atomic_fetch_add_explicit(&run->next, 1, memory_order_relaxed);
    if (task >= f->task_count) return;
    int32_t root = f->task[task], s = root;
    while (s > 0 && f->super[s - 1].task == root) s--;
    int32_t bad = -1;
    for (; s <= root && bad < 0; s++) bad = do_front(run, s, NULL, worker);
    if (bad >= 0) note_failure(run, bad);
  }
}

int32_t cps_cholesky_factor(CpsCholesky* factor, const double* value) {
  Run run = {.f = factor, .value = value};
  factor->inversions = 0;
  atomic_init(&run.next, 0);
  atomic_init(&run.failed, INT32_MAX);
  if (factor->task_count > 0) cps_pool_run(factor->pool, cps_pool_threads(factor->pool), do_tasks, &run);
  for (int32_t s = 0; s < factor->count; s++) {
    if (factor->super[s].task >= 0) continue;
    // after a failure in a task, later results may depend on it
    if (3 * factor->super[s].first > atomic_load(&run.failed)) break;
    int32_t bad = do_front(&run, s, factor->pool, 0);
    if (bad >= 0) note_failure(&run, bad);
  }
  int32_t failed = atomic_load(&run.failed);
  return failed == INT32_MAX ? -1 : factor->order[failed / 3];
}
