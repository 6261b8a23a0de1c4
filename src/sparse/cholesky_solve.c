// Triangular solves with the supernodal factor, optionally along some paths of the elimination tree only.
//
// Four strips, sixteen rows or columns of a panel, are processed together: their sums are independent, and columns of the right
// side pass by while the strips are in the cache. A column of the right side gets the same bits whatever the other columns.
//
// For a single column the threads of the factor share the subtrees. On the way up, the contributions of a subtree to the nodes above
// it are stored separately and subtracted in the order of the supernodes, as one thread would do; so the bits are the same.
#include "core/simd.h"
#include "sparse/cholesky_parts.h"

#include <stdatomic.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

enum { GROUP = 4, GROUP_ROWS = 4 * GROUP };  // strips and rows processed together
enum { WIDE = 16 * GROUP_ROWS };             // columns of a panel processed together for one column of the right side

typedef CpsVec4 Vec;

// A panel from the view of the solves.
typedef struct Panel {
  const double* L;
  int64_t stride;
  int32_t pivots, rows;  // scalar rows without padding: of the pivots, of the border
  const int32_t* row;    // nodes of the border
  int64_t columns;       // of the right side
  double* y;             // the pivots' part
  double* all;           // the whole vector
  int32_t direct;        // rows of the border subtracted directly; for the others
  double* rest;          // contributions to be subtracted later
} Panel;

static Panel panel_of(const CpsCholesky* f, int32_t index, int32_t columns, double* y) {
  const CpsSupernode* s = &f->super[index];
  return (Panel){.L = f->L + s->panel,
                 .stride = 4 * (int64_t)s->P,
                 .pivots = 3 * s->nodes,
                 .rows = 3 * s->border,
                 .row = f->row + s->row,
                 .columns = columns,
                 .y = y + (int64_t)3 * s->first * columns,
                 .all = y,
                 .direct = 3 * s->border};
}

// The same inside a subtree, by one thread.
static Panel panel_in_task(const CpsCholesky* f, int32_t index, double* y) {
  Panel p = panel_of(f, index, 1, y);
  const CpsSupernode* root = &f->super[f->super[index].task];
  const int32_t end = root->first + root->nodes;
  while (p.direct > 0 && p.row[p.direct / 3 - 1] >= end) p.direct -= 3;
  p.rest = f->rest + 3 * f->super[index].row;
  return p;
}

// sum[r] = sum_{k < K} L_rk y_k of `strips` strips at l.
INLINE void rows_times(const double* l, int64_t stride, int32_t strips, int32_t K, const double* y, int64_t step,
                       double* sum) {
  Vec t[GROUP] = {{0}};
  if (strips == GROUP) {
    const Vec *a = (const Vec*)l, *b = (const Vec*)(l + stride), *c = (const Vec*)(l + 2 * stride),
              *d = (const Vec*)(l + 3 * stride);
    Vec ta = {0}, tb = {0}, tc = {0}, td = {0};
    for (int32_t k = 0; k < K; k++, y += step) {
      ta += a[k] * *y;
      tb += b[k] * *y;
      tc += c[k] * *y;
      td += d[k] * *y;
    }
    t[0] = ta, t[1] = tb, t[2] = tc, t[3] = td;
  } else {
    for (int32_t k = 0; k < K; k++, y += step) {
      for (int32_t q = 0; q < strips; q++) t[q] += ((const Vec*)(l + q * stride))[k] * *y;
    }
  }
  memcpy(sum, t, sizeof t);
}

// Entry (i, j) of the panel.
INLINE double entry(const Panel* p, int32_t i, int32_t j) {
  return p->L[i / 4 * p->stride + 4 * (int64_t)j + i % 4];
}

INLINE int32_t strips_left(int32_t rows) {
  return rows >= GROUP_ROWS ? GROUP : (rows + 3) / 4;
}

// L11 y1 = b1, then b2 <- b2 - L21 y1, in place.
CPS_HOT static void forward(const Panel* p) {
  double sum[GROUP_ROWS];
  for (int32_t i0 = 0; i0 < p->pivots; i0 += GROUP_ROWS) {
    int32_t rows = p->pivots - i0 < GROUP_ROWS ? p->pivots - i0 : GROUP_ROWS;
    for (int64_t c = 0; c < p->columns; c++) {
      double* y = p->y + i0 * p->columns + c;
      rows_times(p->L + i0 / 4 * p->stride, p->stride, strips_left(rows), i0, p->y + c, p->columns, sum);
      for (int32_t i = 0; i < rows; i++) {
        double t = y[i * p->columns] - sum[i];
        for (int32_t j = 0; j < i; j++) t -= entry(p, i0 + i, i0 + j) * y[j * p->columns];
        y[i * p->columns] = t * entry(p, i0 + i, i0 + i);
      }
    }
  }
  const double* border = p->L + (p->pivots + 3) / 4 * p->stride;
  for (int32_t i0 = 0; i0 < p->rows; i0 += GROUP_ROWS) {
    int32_t rows = p->rows - i0 < GROUP_ROWS ? p->rows - i0 : GROUP_ROWS;
    for (int64_t c = 0; c < p->columns; c++) {
      rows_times(border + i0 / 4 * p->stride, p->stride, strips_left(rows), p->pivots, p->y + c, p->columns, sum);
      int32_t direct = p->direct - i0 < rows ? p->direct - i0 : rows;
      for (int32_t i = 0; i < direct; i++) {
        p->all[(3 * (int64_t)p->row[(i0 + i) / 3] + (i0 + i) % 3) * p->columns + c] -= sum[i];
      }
      for (int32_t i = direct > 0 ? direct : 0; i < rows; i++) p->rest[i0 + i] = sum[i];
    }
  }
}

// t[k] += L_ik x_i of one strip at l, for `width` columns.
INLINE void strip_times(const double* l, int32_t width, const double* x, Vec* t) {
  const Vec* a = (const Vec*)l;
  Vec v;
  memcpy(&v, x, sizeof v);
  for (int32_t k = 0; k < width; k++) t[k] += a[k] * v;
}

// The same for four strips, one after the other in each t[k]: a single pass over t.
INLINE void strips_times(const double* l, int64_t stride, int32_t width, const double* x, Vec* t) {
  const Vec *a = (const Vec*)l, *b = (const Vec*)(l + stride), *c = (const Vec*)(l + 2 * stride),
            *d = (const Vec*)(l + 3 * stride);
  Vec v[GROUP];
  memcpy(v, x, sizeof v);
  for (int32_t k = 0; k < width; k++) t[k] = (((t[k] + a[k] * v[0]) + b[k] * v[1]) + c[k] * v[2]) + d[k] * v[3];
}

// Up to GROUP strips from l, with rows x.
INLINE void group_times(const double* l, int64_t stride, int32_t strips, int32_t width, const double* x, Vec* t) {
  if (strips == GROUP) {
    strips_times(l, stride, width, x, t);
    return;
  }
  for (int32_t q = 0; q < strips; q++) strip_times(l + q * stride, width, x + 4 * q, t);
}

// Contributions of the border to columns [k0, k0 + width).
INLINE void border_below(const Panel* p, int32_t k0, int32_t width, int64_t c, Vec* t) {
  const double* l = p->L + (p->pivots + 3) / 4 * p->stride + 4 * (int64_t)k0;
  for (int32_t i0 = 0; i0 < p->rows; i0 += GROUP_ROWS, l += GROUP * p->stride) {
    const int32_t rows = p->rows - i0 < GROUP_ROWS ? p->rows - i0 : GROUP_ROWS;
    double x[GROUP_ROWS] = {0};
    for (int32_t r = 0; r < rows; r++) {
      x[r] = p->all[(3 * (int64_t)p->row[(i0 + r) / 3] + (i0 + r) % 3) * p->columns + c];
    }
    group_times(l, p->stride, strips_left(rows), width, x, t);
  }
}

// Contributions of rows [i0, i0 + rows) of the pivots, one group, to columns [k0, k0 + width).
INLINE void pivots_below(const Panel* p, int32_t i0, int32_t k0, int32_t width, int64_t c, Vec* t) {
  const int32_t rows = p->pivots - i0 < GROUP_ROWS ? p->pivots - i0 : GROUP_ROWS;
  double x[GROUP_ROWS] = {0};
  for (int32_t r = 0; r < rows; r++) x[r] = p->y[(i0 + r) * p->columns + c];
  group_times(p->L + i0 / 4 * p->stride + 4 * (int64_t)k0, p->stride, strips_left(rows), width, x, t);
}

// The triangle of columns [k0, k0 + width), a group, once t holds the contributions of all rows below.
INLINE void solve_group(const Panel* p, int32_t k0, int32_t width, int64_t c, const Vec* t) {
  double* y = p->y + k0 * p->columns + c;
  for (int32_t k = width - 1; k >= 0; k--) {
    double z = y[k * p->columns] - ((t[k][0] + t[k][1]) + (t[k][2] + t[k][3]));
    for (int32_t i = k + 1; i < width; i++) z -= entry(p, k0 + i, k0 + k) * y[i * p->columns];
    y[k * p->columns] = z * entry(p, k0 + k, k0 + k);
  }
}

// L11^T x1 = b1 - L21^T x2, in place, for one column: strips are read along their rows, in memory order, because a single column is
// limited by memory. Each t[k] sums the border, then the groups of pivots in descending order, as in backward().
CPS_HOT static void backward_one(const Panel* p) {
  Vec t[WIDE];
  for (int32_t w0 = (p->pivots - 1) / WIDE * WIDE; w0 >= 0; w0 -= WIDE) {
    const int32_t wide = p->pivots - w0 < WIDE ? p->pivots - w0 : WIDE;
    for (int32_t k = 0; k < wide; k++) t[k] = (Vec){0};
    border_below(p, w0, wide, 0, t);
    for (int32_t i0 = (p->pivots - 1) / GROUP_ROWS * GROUP_ROWS; i0 >= w0; i0 -= GROUP_ROWS) {
      const int32_t width = p->pivots - i0 < GROUP_ROWS ? p->pivots - i0 : GROUP_ROWS;
      if (i0 < w0 + wide) solve_group(p, i0, width, 0, t + (i0 - w0));
      pivots_below(p, i0, w0, i0 - w0 < wide ? i0 - w0 : wide, 0, t);
    }
  }
}

// The same for several columns.
CPS_HOT static void backward(const Panel* p) {
  Vec t[GROUP_ROWS];
  const int32_t last = (p->pivots - 1) / GROUP_ROWS * GROUP_ROWS;
  if (p->columns == 1) {
    backward_one(p);
    return;
  }
  for (int32_t k0 = last; k0 >= 0; k0 -= GROUP_ROWS) {
    const int32_t width = p->pivots - k0 < GROUP_ROWS ? p->pivots - k0 : GROUP_ROWS;
    for (int64_t c = 0; c < p->columns; c++) {
      for (int32_t k = 0; k < GROUP_ROWS; k++) t[k] = (Vec){0};
      border_below(p, k0, width, c, t);
      for (int32_t i0 = last; i0 > k0; i0 -= GROUP_ROWS) pivots_below(p, i0, k0, width, c, t);
      solve_group(p, k0, width, c, t);
    }
  }
}

// One column on the supernodes of a reach (NULL: all), by all threads.
typedef struct Solving {
  const CpsCholesky* f;
  int32_t count;
  const int32_t* reach;
  double* y;
  bool back;
  atomic_int next;  // task
} Solving;

enum { WORTH_THREADS = 200000 };  // numbers of a factor

static bool is_threaded(const CpsCholesky* f, int32_t columns) {
  return columns == 1 && f->task_count > 0 && f->fill >= WORTH_THREADS && cps_pool_threads(f->pool) > 1;
}

static int32_t at(const Solving* s, int32_t k) {
  return s->reach ? s->reach[k] : k;
}

static void do_tasks(void* data, int64_t first, int64_t last, int worker) {
  (void)first, (void)last, (void)worker;
  Solving* s = data;
  for (;;) {
    int32_t task = atomic_fetch_add_explicit(&s->next, 1, memory_order_relaxed);
    if (task >= s->f->task_count) return;
    // its supernodes follow each other
    int32_t root = s->f->task[task], low = 0, high = s->count;
    while (low < high) {
      int32_t middle = low + (high - low) / 2;
      if (at(s, middle) <= root)
        low = middle + 1;
      else
        high = middle;
    }
    int32_t begin = low;
    while (begin > 0 && s->f->super[at(s, begin - 1)].task == root) begin--;
    for (int32_t k = begin; k < low && !s->back; k++) {
      Panel p = panel_in_task(s->f, at(s, k), s->y);
      forward(&p);
    }
    for (int32_t k = low - 1; k >= begin && s->back; k--) {
      Panel p = panel_of(s->f, at(s, k), 1, s->y);
      backward(&p);
    }
  }
}

static void forward_threaded(const CpsCholesky* f, int32_t count, const int32_t* reach, double* y) {
  Solving s = {.f = f, .count = count, .reach = reach, .y = y};
  atomic_init(&s.next, 0);
  cps_pool_run(f->pool, cps_pool_threads(f->pool), do_tasks, &s);
  for (int32_t k = 0; k < count; k++) {
    if (f->super[at(&s, k)].task < 0) {
      Panel p = panel_of(f, at(&s, k), 1, y);
      forward(&p);
      continue;
    }
    Panel p = panel_in_task(f, at(&s, k), y);
    for (int32_t i = p.direct; i < p.rows; i++) y[3 * (int64_t)p.row[i / 3] + i % 3] -= p.rest[i];
  }
}

static void backward_threaded(const CpsCholesky* f, int32_t count, const int32_t* reach, double* y) {
  Solving s = {.f = f, .count = count, .reach = reach, .y = y, .back = true};
  atomic_init(&s.next, 0);
  for (int32_t k = count - 1; k >= 0; k--) {
    if (f->super[at(&s, k)].task >= 0) continue;
    Panel p = panel_of(f, at(&s, k), 1, y);
    backward(&p);
  }
  cps_pool_run(f->pool, cps_pool_threads(f->pool), do_tasks, &s);
}

void cps_cholesky_forward(const CpsCholesky* factor, int32_t columns, const double* x, double* y) {
  size_t width = (size_t)3 * (size_t)columns;
  for (int32_t k = 0; k < factor->n; k++) {
    memcpy(y + (size_t)k * width, x + (size_t)factor->order[k] * width, width * sizeof *y);
  }
  if (is_threaded(factor, columns)) {
    forward_threaded(factor, factor->count, NULL, y);
    return;
  }
  for (int32_t s = 0; s < factor->count; s++) {
    Panel p = panel_of(factor, s, columns, y);
    forward(&p);
  }
}

void cps_cholesky_backward(const CpsCholesky* factor, int32_t columns, double* y, double* x) {
  size_t width = (size_t)3 * (size_t)columns;
  const bool threaded = is_threaded(factor, columns);
  if (threaded) backward_threaded(factor, factor->count, NULL, y);
  for (int32_t s = factor->count - 1; s >= 0 && !threaded; s--) {
    Panel p = panel_of(factor, s, columns, y);
    backward(&p);
  }
  for (int32_t k = 0; k < factor->n; k++) {
    memcpy(x + (size_t)factor->order[k] * width, y + (size_t)k * width, width * sizeof *x);
  }
}

void cps_cholesky_solve(const CpsCholesky* factor, int32_t columns, double* x, double* work) {
  cps_cholesky_forward(factor, columns, x, work);
  cps_cholesky_backward(factor, columns, work, x);
}

// The supernode of a node in elimination order, by bisection.
static int32_t supernode_of(const CpsCholesky* f, int32_t node) {
  int32_t low = 0, high = f->count;
  while (high - low > 1) {
    int32_t middle = low + (high - low) / 2;
    if (f->super[middle].first <= node)
      low = middle;
    else
      high = middle;
  }
  return low;
}

int32_t cps_cholesky_reach(const CpsCholesky* factor, int32_t count, const int32_t* node, int32_t* reach,
                           int32_t* work) {
  for (int32_t k = 0; k < count; k++) work[k] = supernode_of(factor, factor->position[node[k]]);
  // all paths advance together: the lowest supernode among them is next
  for (int32_t length = 0;; length++) {
    int32_t lowest = factor->count;
    for (int32_t k = 0; k < count; k++) {
      if (work[k] >= 0 && work[k] < lowest) lowest = work[k];
    }
    if (lowest == factor->count) return length;
    reach[length] = lowest;
    for (int32_t k = 0; k < count; k++) {
      if (work[k] == lowest) work[k] = factor->super[lowest].parent;
    }
  }
}

void cps_cholesky_forward_reach(const CpsCholesky* factor, int32_t reach_count, const int32_t* reach, int32_t columns,
                                double* y) {
  if (is_threaded(factor, columns)) {
    forward_threaded(factor, reach_count, reach, y);
    return;
  }
  for (int32_t k = 0; k < reach_count; k++) {
    Panel p = panel_of(factor, reach[k], columns, y);
    forward(&p);
  }
}

void cps_cholesky_backward_reach(const CpsCholesky* factor, int32_t reach_count, const int32_t* reach, int32_t columns,
                                 double* y) {
  if (is_threaded(factor, columns)) {
    backward_threaded(factor, reach_count, reach, y);
    return;
  }
  for (int32_t k = reach_count - 1; k >= 0; k--) {
    Panel p = panel_of(factor, reach[k], columns, y);
    backward(&p);
  }
}
