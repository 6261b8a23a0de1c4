// Supernodes of the sparse Cholesky factor: runs of columns of L with the same rows below.
//
// Columns j and j + 1 belong together if j + 1 is the parent of j in the elimination tree and its column is shorter by exactly
// one (Liu, Ng and Peyton 1993). A supernode is then merged into its parent if this adds few explicit zeros (Ashcraft and
// Grimes 1989): the dense kernels prefer wide supernodes.
#include "sparse/cholesky_parts.h"

#include <string.h>

// A supernode of fewer nodes than [i].nodes may have this share of zeros.
static const struct {
  int32_t nodes;
  double zeros;
} RELAXED[] = {{2, 1.0}, {5, 0.4}, {12, 0.15}, {INT32_MAX, 0.05}};

// Supernodes during merging; they keep their postorder numbers.
typedef struct Merging {
  int32_t count;
  int32_t* first;   // first node, count + 1
  int32_t* parent;  // -1 at roots
  int32_t* nodes;   // columns
  int32_t* length;  // rows of the first column
  int64_t* zeros;
  int32_t *head, *tail, *next;  // the supernodes merged into one, in the order of elimination
  int32_t* into;                // the supernode it was merged into, or itself
} Merging;

// post[k] is the k-th of n tree nodes, children before parents and subtrees in one run. Parents have greater numbers; -2 marks
// columns removed from the tree. work: 2 n. Returns the number of nodes in the tree.
static int32_t postorder(int32_t n, const int32_t* parent, int32_t* work, int32_t* post) {
  int32_t *child = work, *sibling = work + n, top = -1, count = 0;
  for (int32_t k = 0; k < n; k++) child[k] = -1;
  for (int32_t k = n - 1; k >= 0; k--) {  // down: the children of a node and the roots come out ascending
    int32_t* list = parent[k] >= 0 ? &child[parent[k]] : &top;
    if (parent[k] == -2) continue;
    sibling[k] = *list;
    *list = k;
  }
  for (int32_t k = top; k >= 0;) {
    while (child[k] >= 0) k = child[k];
    while (k >= 0) {
      post[count++] = k;
      if (sibling[k] >= 0) {
        k = sibling[k];
        break;
      }
      k = parent[k];
    }
  }
  return count;
}

// Puts the elimination tree into postorder, which only renumbers L. scratch keeps the memory taken.
static bool put_into_postorder(const CpsNodeGraph* graph, int32_t* order, CpsArena* scratch, int32_t* parent,
                               int32_t* length) {
  int32_t n = graph->n;
  int32_t* work = CPS_TAKE(scratch, int32_t, 6 * (int64_t)n);
  if (!work) return false;
  int32_t *position = work, *post = work + n, *old = work + 2 * (size_t)n, *old_parent = work + 3 * (size_t)n;
  int32_t* two = work + 4 * (size_t)n;
  size_t bytes = (size_t)n * sizeof *order;
  for (int32_t k = 0; k < n; k++) position[order[k]] = k;
  cps_elimination_tree(graph, order, position, old_parent, old, two);
  postorder(n, old_parent, two, post);
  int32_t* place = position;  // of the old numbers
  for (int32_t k = 0; k < n; k++) place[post[k]] = k;
  for (int32_t k = 0; k < n; k++) {
    length[k] = old[post[k]];
    parent[k] = old_parent[post[k]] < 0 ? -1 : place[old_parent[post[k]]];
  }
  for (int32_t k = 0; k < n; k++) old[k] = order[post[k]];
  memcpy(order, old, bytes);
  return true;
}

static int64_t entries(int64_t nodes, int64_t length) {
  return nodes * length - nodes * (nodes - 1) / 2;
}

static void merge_if_cheap(Merging* m, int32_t c, int32_t s) {
  int32_t nodes = m->nodes[c] + m->nodes[s], length = m->nodes[c] + m->length[s];
  int64_t all = entries(nodes, length);
  int64_t zeros =
      all - entries(m->nodes[c], m->length[c]) - entries(m->nodes[s], m->length[s]) + m->zeros[c] + m->zeros[s];
  int rule = 0;
  while (nodes > RELAXED[rule].nodes) rule++;
  if ((double)zeros > RELAXED[rule].zeros * (double)all) return;
  m->nodes[s] = nodes;
  m->length[s] = length;
  m->zeros[s] = zeros;
  m->into[c] = s;
  m->next[m->tail[c]] = m->head[s];
  m->head[s] = m->head[c];
}

static bool find_fundamental(int32_t n, const int32_t* parent, const int32_t* length, CpsArena* scratch, Merging* m) {
  int32_t* take = CPS_TAKE(scratch, int32_t, 9 * (int64_t)n + 1);
  m->zeros = CPS_TAKE_ZERO(scratch, int64_t, n);
  if (!take || !m->zeros) return false;
  int32_t** lists[] = {&m->parent, &m->nodes, &m->length, &m->head, &m->tail, &m->next, &m->into};
  for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) *lists[k] = take + k * (size_t)n;
  int32_t* of = take + 7 * (size_t)n;  // the supernode of each node
  m->first = take + 8 * (size_t)n;
  m->count = 0;
  for (int32_t j = 0; j < n; j++) {
    bool same = j > 0 && parent[j - 1] == j && length[j - 1] == length[j] + 1;
    if (!same) m->first[m->count++] = j;
    of[j] = m->count - 1;
  }
  m->first[m->count] = n;
  for (int32_t s = 0; s < m->count; s++) {
    int32_t last = m->first[s + 1] - 1;
    m->nodes[s] = m->first[s + 1] - m->first[s];
    m->length[s] = length[m->first[s]];
    m->parent[s] = parent[last] < 0 ? -1 : of[parent[last]];
    m->head[s] = m->tail[s] = m->into[s] = s;
    m->next[s] = -1;
  }
  return true;
}

// Merges from the leaves up; among the children of a supernode, the last one, eliminated right before it, comes first.
static void merge(Merging* m, int32_t* child, int32_t* sibling) {
  for (int32_t s = 0; s < m->count; s++) child[s] = -1;
  for (int32_t s = 0; s < m->count; s++) {  // all children of s have been processed
    for (int32_t c = child[s]; c >= 0; c = sibling[c]) merge_if_cheap(m, c, s);
    if (m->parent[s] < 0) continue;
    sibling[s] = child[m->parent[s]];
    child[m->parent[s]] = s;
  }
  for (int32_t s = m->count - 1; s >= 0; s--)
    m->into[s] = m->into[m->into[s]];  // from the root down: to the end of the chain
  for (int32_t s = 0; s < m->count; s++) {
    int32_t p = m->parent[s];
    if (m->into[s] != s)
      m->parent[s] = -2;
    else if (p >= 0)
      m->parent[s] = m->into[p];
  }
}

bool cps_supernodes_find(const CpsNodeGraph* graph, int32_t* order, CpsArena* scratch, int32_t* count,
                         int32_t** first) {
  int32_t n = graph->n;
  int32_t* take = CPS_TAKE(scratch, int32_t, 6 * (int64_t)n);
  *first = CPS_TAKE_ZERO(scratch, int32_t, n + 1);
  if (!take || !*first) return false;
  int32_t *parent = take, *length = take + n;
  Merging m;
  if (!put_into_postorder(graph, order, scratch, parent, length)) return false;
  if (!find_fundamental(n, parent, length, scratch, &m)) return false;
  merge(&m, take + 2 * (size_t)n, take + 3 * (size_t)n);

  int32_t* post = take + 4 * (size_t)n;
  *count = postorder(m.count, m.parent, take + 2 * (size_t)n, post);
  int32_t* old = parent;  // no longer needed
  memcpy(old, order, (size_t)n * sizeof *old);
  int32_t k = 0;
  for (int32_t s = 0; s < *count; s++) {
    (*first)[s] = k;
    for (int32_t t = m.head[post[s]]; t >= 0; t = m.next[t]) {
      for (int32_t j = m.first[t]; j < m.first[t + 1]; j++) order[k++] = old[j];
    }
  }
  (*first)[*count] = n;
  return true;
}
