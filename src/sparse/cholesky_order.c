// Elimination orders of the sparse Cholesky factor: nested dissection by METIS (Karypis and Kumar 1998), approximate
// minimum degree by AMD (Amestoy, Davis and Duff 2004), and the choice of the one with fewer operations.
//
// Neither wins on all meshes (sheets with bending patches and tetrahedra: AMD up to 40 % fewer operations, or METIS half as
// many), so both are tried and the operations counted from the elimination tree.
//
// A build without SuiteSparse has neither and uses level sets (dissection.c).
//
// METIS draws its random numbers from rand(). It gets a separate generator state with a fixed seed, and the program's state
// is restored after the call; a lock serialises callers. Another thread of the program that calls rand() meanwhile could
// still change the order, and with it the last bits of a solution.
#define _DEFAULT_SOURCE  // initstate, setstate
#include "sparse/cholesky_parts.h"

#include <stdlib.h>
#include <string.h>

#ifdef CAPSTAN_SUITESPARSE
#include <amd.h>
#include <metis.h>
#include <pthread.h>

static pthread_mutex_t metis_lock = PTHREAD_MUTEX_INITIALIZER;
#endif

bool cps_node_graph_make(const CpsBlockMatrix* A, CpsArena* arena, CpsNodeGraph* graph) {
  int32_t n = A->rows;
  int64_t edges = 0;
  for (int32_t i = 0; i < n; i++) {
    for (int64_t k = A->start[i]; k < A->start[i + 1]; k++) edges += A->col[k] < i ? 2 : 0;
  }
  if (edges >= INT32_MAX) return false;
  int32_t* start = CPS_TAKE_ZERO(arena, int32_t, n + 2);
  int32_t* next = CPS_TAKE(arena, int32_t, edges);
  if (!start || !next) return false;
  // degrees two positions ahead, so that the entries below become the starts during filling
  for (int32_t i = 0; i < n; i++) {
    for (int64_t k = A->start[i]; k < A->start[i + 1]; k++) {
      if (A->col[k] >= i) continue;
      if (i + 2 <= n) start[i + 2]++;
      if (A->col[k] + 2 <= n) start[A->col[k] + 2]++;
    }
  }
  for (int32_t i = 1; i < n; i++) start[i + 1] += start[i];
  for (int32_t i = 0; i < n; i++) {
    for (int64_t k = A->start[i]; k < A->start[i + 1]; k++) {
      int32_t j = A->col[k];
      if (j >= i) continue;
      next[start[i + 1]++] = j;
      next[start[j + 1]++] = i;
    }
  }
  *graph = (CpsNodeGraph){.n = n, .start = start, .next = next};
  return true;
}

void cps_elimination_tree(const CpsNodeGraph* graph, const int32_t* order, const int32_t* position, int32_t* parent,
                          int32_t* length, int32_t* work) {
  // Row i of L has the columns on the paths from the entries of row i of A up to i (Liu 1990).
  for (int32_t i = 0; i < graph->n; i++) {
    parent[i] = -1;
    length[i] = 1;
    work[i] = i;
    int32_t node = order[i];
    for (int32_t e = graph->start[node]; e < graph->start[node + 1]; e++) {
      int32_t k = position[graph->next[e]];
      if (k > i) continue;
      while (work[k] != i) {
        if (parent[k] < 0) parent[k] = i;
        length[k]++;
        work[k] = i;
        k = parent[k];
      }
    }
  }
}

static bool is_permutation(int32_t n, const int32_t* order, CpsArena* scratch) {
  CpsArenaMark mark = cps_arena_mark(scratch);
  bool* seen = CPS_TAKE_ZERO(scratch, bool, n);
  bool good = seen != NULL && order != NULL;
  for (int32_t k = 0; good && k < n; k++) {
    good = order[k] >= 0 && order[k] < n && !seen[order[k]];
    if (good) seen[order[k]] = true;
  }
  cps_arena_release(scratch, mark);
  return good;
}

#ifdef CAPSTAN_SUITESPARSE

// Operations of a factorisation in an order, in blocks: the sum of the squared column lengths. < 0: memory ran out.
static double count_operations(const CpsNodeGraph* graph, const int32_t* order, CpsArena* scratch) {
  CpsArenaMark mark = cps_arena_mark(scratch);
  size_t n = (size_t)graph->n;
  int32_t* work = CPS_TAKE(scratch, int32_t, 4 * (int64_t)graph->n);
  if (!work) return -1.0;
  int32_t *position = work, *parent = work + n, *length = work + 2 * n;
  for (int32_t k = 0; k < graph->n; k++) position[order[k]] = k;
  cps_elimination_tree(graph, order, position, parent, length, work + 3 * n);
  double sum = 0.0;
  for (size_t k = 0; k < n; k++) sum += (double)length[k] * length[k];
  cps_arena_release(scratch, mark);
  return sum;
}

static bool order_by_amd(const CpsNodeGraph* graph, int32_t* order) {
  int status = amd_order(graph->n, graph->start, graph->next, order, NULL, NULL);
  return status == AMD_OK || status == AMD_OK_BUT_JUMBLED;
}

static bool order_by_metis(const CpsNodeGraph* graph, int32_t* order, CpsArena* scratch) {
  idx_t n = graph->n, options[METIS_NOPTIONS];
  if (graph->start[n] == 0) {  // METIS rejects a graph without edges, for which any order works
    for (int32_t k = 0; k < n; k++) order[k] = k;
    return true;
  }
  CpsArenaMark mark = cps_arena_mark(scratch);
  idx_t* position = CPS_TAKE(scratch, idx_t, n);
  if (!position) return false;
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_NUMBERING] = 0;
  options[METIS_OPTION_SEED] = 1;
  char generator[128];
  pthread_mutex_lock(&metis_lock);
  char* programs = initstate(1, generator, sizeof generator);
  int status = METIS_NodeND(&n, graph->start, graph->next, NULL, options, order, position);
  if (programs) setstate(programs);
  pthread_mutex_unlock(&metis_lock);
  cps_arena_release(scratch, mark);
  return status == METIS_OK;
}

static bool compute_order(const CpsNodeGraph* graph, CpsCholeskyOrder wish, CpsArena* scratch, int32_t* order,
                          CpsCholeskyOrder* chosen) {
  if (wish == CPS_CHOLESKY_AMD) return order_by_amd(graph, order);
  // METIS rejects graphs that AMD accepts: memory has not run out
  if (!order_by_metis(graph, order, scratch)) {
    *chosen = CPS_CHOLESKY_AMD;
    return order_by_amd(graph, order);
  }
  if (wish == CPS_CHOLESKY_METIS) return true;

  int32_t* other = CPS_TAKE(scratch, int32_t, graph->n);
  if (!other || !order_by_amd(graph, other)) return false;
  double metis = count_operations(graph, order, scratch), amd = count_operations(graph, other, scratch);
  if (metis < 0.0 || amd < 0.0) return false;
  *chosen = metis <= amd ? CPS_CHOLESKY_METIS : CPS_CHOLESKY_AMD;
  if (amd < metis) memcpy(order, other, (size_t)graph->n * sizeof *order);
  return true;
}

#else

static bool compute_order(const CpsNodeGraph* graph, CpsCholeskyOrder wish, CpsArena* scratch, int32_t* order,
                          CpsCholeskyOrder* chosen) {
  (void)wish;
  *chosen = CPS_CHOLESKY_LEVELS;
  return cps_dissection_order(graph, scratch, order);
}

#endif

bool cps_cholesky_find_order(const CpsNodeGraph* graph, const CpsCholeskyOptions* options, CpsArena* scratch,
                             int32_t* order, CpsCholeskyOrder* chosen) {
  *chosen = options->order;
  if (options->order == CPS_CHOLESKY_GIVEN) {
    if (!is_permutation(graph->n, options->given, scratch)) return false;
    memcpy(order, options->given, (size_t)graph->n * sizeof *order);
    return true;
  }
  if (graph->n == 0) return true;
  if (options->order == CPS_CHOLESKY_LEVELS) return cps_dissection_order(graph, scratch, order);
  return compute_order(graph, options->order, scratch, order, chosen);
}
