// The orders of a build without SuiteSparse, by level sets (dissection.c). They fill in more than AMD, which is negligible for
// a web page with a few hundred contacts.
#include "sparse/cholesky_parts.h"
#include "sparse/order.h"

bool cps_block_order(const CpsBlockMatrix* A, CpsArena* arena, int32_t* order) {
  CpsArenaMark mark = cps_arena_mark(arena);
  CpsNodeGraph graph;
  bool ordered = cps_node_graph_make(A, arena, &graph) && cps_dissection_order(&graph, arena, order);
  cps_arena_release(arena, mark);
  return ordered;
}

static void count_or_fill(int32_t n, const int64_t* col_start, const int64_t* row, int32_t* end, int32_t* next) {
  for (int32_t j = 0; j < n; ++j) {
    for (int64_t k = col_start[j]; k < col_start[j + 1]; ++k) {
      int32_t i = (int32_t)row[k];
      if (i == j) continue;
      if (next) next[end[i]] = j, next[end[j]] = i;
      end[i]++, end[j]++;
    }
  }
}

bool cps_pattern_order(int64_t n, const int64_t* col_start, const int64_t* row, int64_t* order) {
  if (n == 0) return true;
  if (n >= INT32_MAX || 2 * col_start[n] >= INT32_MAX) return false;
  CpsArena arena = {0};
  int32_t nodes = (int32_t)n;
  int32_t* start = CPS_TAKE_ZERO(&arena, int32_t, n + 1);
  int32_t* end = CPS_TAKE_ZERO(&arena, int32_t, n);
  int32_t* next = CPS_TAKE(&arena, int32_t, 2 * col_start[n]);
  int32_t* found = CPS_TAKE(&arena, int32_t, n);
  bool ordered = start && end && next && found;
  if (ordered) {
    count_or_fill(nodes, col_start, row, end, NULL);
    for (int32_t i = 0; i < nodes; ++i) start[i + 1] = start[i] + end[i];
    for (int32_t i = 0; i < nodes; ++i) end[i] = start[i];
    count_or_fill(nodes, col_start, row, end, next);
    CpsNodeGraph graph = {.n = nodes, .start = start, .next = next};
    ordered = cps_dissection_order(&graph, &arena, found);
  }
  for (int32_t i = 0; ordered && i < nodes; ++i) order[i] = found[i];
  cps_arena_free(&arena);
  return ordered;
}
