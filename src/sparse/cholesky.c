// Analysis of the pattern for the supernodal Cholesky factor: borders, positions of the entries of A, the memory plan.
#include "sparse/cholesky_parts.h"

#include <stdlib.h>
#include <string.h>

static int compare_nodes(const void* a, const void* b) {
  int32_t x = *(const int32_t*)a, y = *(const int32_t*)b;
  return (x > y) - (x < y);
}

// Working data while the borders are collected, in the scratch arena.
typedef struct Borders {
  int32_t** of;    // the border of each supernode
  int32_t* seen;   // the last supernode that visited a node
  int32_t* list;   // room for the longest
  int32_t* super;  // the supernode of a node
  int32_t* last;   // last child of a supernode
  int64_t total;
} Borders;

static void meet(Borders* b, int32_t s, int32_t end, int32_t node, int32_t* count) {
  if (node < end || b->seen[node] == s) return;
  b->seen[node] = s;
  b->list[(*count)++] = node;
}

// The border of s: the nodes reached by its entries of A, and the rest of the borders of its children.
static bool collect_border(CpsCholesky* f, const CpsNodeGraph* graph, Borders* b, int32_t s, CpsArena* scratch) {
  CpsSupernode* super = &f->super[s];
  int32_t end = super->first + super->nodes, count = 0;
  for (int32_t k = super->first; k < end; k++) {
    int32_t node = f->order[k];
    for (int32_t e = graph->start[node]; e < graph->start[node + 1]; e++) {
      meet(b, s, end, f->position[graph->next[e]], &count);
    }
  }
  for (int32_t c = super->child; c >= 0; c = f->super[c].sibling) {
    for (int32_t k = 0; k < f->super[c].border; k++) meet(b, s, end, b->of[c][k], &count);
  }
  b->of[s] = CPS_TAKE(scratch, int32_t, count);
  if (!b->of[s]) return false;
  if (count > 0) {
    qsort(b->list, (size_t)count, sizeof *b->list, compare_nodes);
    memcpy(b->of[s], b->list, (size_t)count * sizeof *b->list);
  }
  super->border = count;
  super->row = b->total;
  b->total += count;
  if (count == 0) return true;
  super->parent = b->super[b->list[0]];
  CpsSupernode* parent = &f->super[super->parent];
  if (parent->child < 0)
    parent->child = s;
  else
    f->super[b->last[super->parent]].sibling = s;
  b->last[super->parent] = s;
  return true;
}

// Sizes and the tree of the supernodes, and their borders in row[].
static bool find_borders(CpsCholesky* f, const CpsNodeGraph* graph, const int32_t* first, CpsArena* arena,
                         CpsArena* scratch, int32_t* super_of) {
  Borders b = {.of = CPS_TAKE(scratch, int32_t*, f->count), .super = super_of};
  b.seen = CPS_TAKE(scratch, int32_t, f->n);
  b.list = CPS_TAKE(scratch, int32_t, f->n);
  b.last = CPS_TAKE(scratch, int32_t, f->count);
  if (!b.of || !b.seen || !b.list || !b.last) return false;
  for (int32_t k = 0; k < f->n; k++) b.seen[k] = -1;
  for (int32_t s = 0; s < f->count; s++) {
    f->super[s] = (CpsSupernode){
        .first = first[s], .nodes = first[s + 1] - first[s], .parent = -1, .child = -1, .sibling = -1, .task = -1};
    for (int32_t k = first[s]; k < first[s + 1]; k++) super_of[k] = s;
  }
  for (int32_t s = 0; s < f->count; s++) {
    if (!collect_border(f, graph, &b, s, scratch)) return false;
  }
  f->row = CPS_TAKE(arena, int32_t, b.total);
  f->up = CPS_TAKE(arena, int32_t, b.total);
  if (!f->row || !f->up) return false;
  for (int32_t s = 0; s < f->count; s++) {
    if (f->super[s].border == 0) continue;
    memcpy(f->row + f->super[s].row, b.of[s], (size_t)f->super[s].border * sizeof *f->row);
  }
  return true;
}

// Scalar row of a node in the front of s. `from`: position in the border where the search begins; advanced to the node.
static int32_t front_row(const CpsCholesky* f, const CpsSupernode* s, int32_t node, int32_t* from) {
  if (node < s->first + s->nodes) return 3 * (node - s->first);
  while (f->row[s->row + *from] < node) ++*from;
  return s->P + 3 * *from;
}

// Sizes of the panels, operations, and the rows of a border in the parent's front.
static void lay_out(CpsCholesky* f) {
  for (int32_t s = 0; s < f->count; s++) {
    CpsSupernode* super = &f->super[s];
    super->P = cps_strip_round(3 * super->nodes);
    super->B = cps_strip_round(3 * super->border);
    super->panel = f->fill;
    f->fill += (int64_t)super->P * (super->P + super->B);
    double p = 3.0 * super->nodes, b = 3.0 * super->border;
    f->operations += p * p * p / 3.0 + p * p * b + p * b * b;
  }
  for (int32_t s = 0; s < f->count; s++) {
    const CpsSupernode* super = &f->super[s];
    int32_t from = 0;
    for (int32_t k = 0; k < super->border; k++) {
      f->up[super->row + k] = front_row(f, &f->super[super->parent], f->row[super->row + k], &from);
    }
  }
}

// The entries of A, supernode by supernode.
static bool place_entries(CpsCholesky* f, const CpsBlockMatrix* A, const int32_t* super_of, CpsArena* arena,
                          CpsArena* scratch) {
  int64_t* next = CPS_TAKE_ZERO(scratch, int64_t, f->count + 1);
  if (!next) return false;
  for (int32_t i = 0; i < f->n; i++) {
    for (int64_t k = A->start[i]; k < A->start[i + 1]; k++) {
      if (A->col[k] > i) continue;
      int32_t a = f->position[i], b = f->position[A->col[k]];
      next[super_of[a < b ? a : b] + 1]++;
    }
  }
  for (int32_t s = 0; s < f->count; s++) {
    next[s + 1] += next[s];
    f->super[s].entry = next[s];
  }
  f->super[f->count].entry = next[f->count];
  f->entry = CPS_TAKE(arena, CpsCholeskyEntry, next[f->count]);
  if (!f->entry) return false;
  for (int32_t i = 0; i < f->n; i++) {
    for (int64_t k = A->start[i]; k < A->start[i + 1]; k++) {
      if (A->col[k] > i) continue;
      int32_t row = f->position[i], col = f->position[A->col[k]];
      bool flipped = row < col;
      if (flipped) {
        int32_t swap = row;
        row = col;
        col = swap;
      }
      const CpsSupernode* s = &f->super[super_of[col]];
      const int32_t* found = row < s->first + s->nodes
                                 ? NULL
                                 : bsearch(&row, f->row + s->row, (size_t)s->border, sizeof row, compare_nodes);
      int32_t at = found ? (int32_t)(found - (f->row + s->row)) : 0;
      f->entry[next[super_of[col]]++] = (CpsCholeskyEntry){
          .block = k, .row = front_row(f, s, row, &at), .col = 3 * (col - s->first), .flipped = flipped};
    }
  }
  return true;
}

static void set_positions(CpsCholesky* f) {
  for (int32_t k = 0; k < f->n; k++) f->position[f->order[k]] = k;
}

CpsCholesky* cps_cholesky_create(const CpsBlockMatrix* A, const CpsCholeskyOptions* options, CpsArena* arena,
                                 CpsArena* scratch) {
  static const CpsCholeskyOptions defaults = {0};
  if (!options) options = &defaults;
  CpsCholesky* f = CPS_TAKE_ZERO(arena, CpsCholesky, 1);
  if (!f) return NULL;
  f->n = A->rows;
  f->pool = options->pool;
  f->order = CPS_TAKE(arena, int32_t, f->n);
  f->position = CPS_TAKE(arena, int32_t, f->n);
  int32_t* super_of = CPS_TAKE(scratch, int32_t, f->n);
  CpsNodeGraph graph;
  int32_t* first;
  if (!f->order || !f->position || !super_of || !cps_node_graph_make(A, scratch, &graph)) return NULL;
  if (!cps_cholesky_find_order(&graph, options, scratch, f->order, &f->ordering)) return NULL;
  if (!cps_supernodes_find(&graph, f->order, scratch, &f->count, &first)) return NULL;
  set_positions(f);
  f->super = CPS_TAKE_ZERO(arena, CpsSupernode, f->count + 1);
  if (!f->super || !find_borders(f, &graph, first, arena, scratch, super_of)) return NULL;
  f->super[f->count].first = f->n;
  lay_out(f);
  if (!place_entries(f, A, super_of, arena, scratch)) return NULL;
  if (!cps_cholesky_plan(f, arena, scratch)) return NULL;
  f->L = CPS_TAKE(arena, double, f->fill);
  if (options->keep_inverse) {
    f->inverse = CPS_TAKE(arena, double, 9 * A->start[A->rows]);
    f->known = CPS_TAKE(arena, bool, f->n);
    if (!f->inverse || !f->known) return NULL;
  }
  return f->L ? f : NULL;
}

const int32_t* cps_cholesky_order(const CpsCholesky* factor) {
  return factor->order;
}

const int32_t* cps_cholesky_position(const CpsCholesky* factor) {
  return factor->position;
}

CpsCholeskyOrder cps_cholesky_ordering(const CpsCholesky* factor) {
  return factor->ordering;
}

int64_t cps_cholesky_fill(const CpsCholesky* factor) {
  return factor->fill;
}

double cps_cholesky_operations(const CpsCholesky* factor) {
  return factor->operations;
}

void cps_cholesky_use(CpsCholesky* factor, CpsPool* pool) {
  factor->pool = pool;
}

int32_t cps_cholesky_supernodes(const CpsCholesky* factor) {
  return factor->count;
}

int32_t cps_cholesky_first(const CpsCholesky* factor, int32_t supernode) {
  return factor->super[supernode].first;
}
