// Vertices near triangles: the box of each vertex descends the tree of triangles separately.
//
// Each thread has a range of vertices and writes its results in sequence; the concatenated lists of the threads are then in
// the order of the vertices. The few triangles of a vertex are sorted immediately.
#include "geometry/triangle_tree.h"

#include <string.h>

enum { STACK = 128 };  // one more for each of at most 64 levels

typedef struct Lookup {
  const CpsTriangleTree *a, *b;
  int64_t room;          // pairs per thread
  CpsFeaturePair* pair;  // those of a thread begin at its number times room
  int64_t* found;        // of each thread; more than room: the rest was dropped
} Lookup;

static bool has_vertex(const CpsTreeTriangle* t, int32_t v) {
  return (t->vertex[0] == v) | (t->vertex[1] == v) | (t->vertex[2] == v);
}

// Whether vertex v of a and the triangle at position j of b may meet.
static bool may_meet(const Lookup* l, int32_t v, int32_t j) {
  if (!cps_float_boxes_overlap(&l->a->vertex_box[v], &l->b->triangle_box[j])) return false;
  const CpsSlab* slab = &l->b->slab[j];
  const CpsSpan span = cps_half_box_span(&l->a->vertex_half[v], slab->n);
  if (span.low > slab->high || span.high < slab->low) return false;
  return l->a != l->b || !has_vertex(&l->b->triangle[j], v);
}

// Inserts a triangle among the preceding ones of its vertex, from `first` on.
static void insert(CpsFeaturePair* pair, int64_t first, int64_t at, CpsFeaturePair new) {
  for (; at > first && pair[at - 1].b > new.b; --at) pair[at] = pair[at - 1];
  pair[at] = new;
}

static int64_t look_up(const Lookup* l, int32_t v, CpsFeaturePair* pair, int64_t found) {
  const CpsFloatBox box = l->a->vertex_box[v];
  const int64_t before = found;
  int32_t stack[STACK], depth = 1;
  stack[0] = 0;
  while (depth > 0) {
    const int32_t n = stack[--depth];
    if (!cps_float_boxes_overlap(&box, &l->b->node_box[n])) continue;
    const CpsBvhNode* node = &l->b->bvh.node[n];
    for (int32_t j = node->first; j < node->first + node->count; ++j) {
      if (!may_meet(l, v, j)) continue;
      if (found < l->room) insert(pair, before, found, (CpsFeaturePair){v, l->b->triangle[j].index});
      ++found;
    }
    if (node->count == 0) stack[depth++] = node->first + 1, stack[depth++] = node->first;
  }
  return found;
}

static void look_up_range(void* data, int64_t first, int64_t last, int worker) {
  const Lookup* l = data;
  CpsFeaturePair* pair = l->pair + worker * l->room;
  int64_t found = 0;
  for (int64_t v = first; v < last; ++v) found = look_up(l, (int32_t)v, pair, found);
  l->found[worker] = found;
}

CpsStatus cps_triangle_tree_vertices(CpsTriangleTree* a, const CpsTriangleTree* b, CpsPool* pool, CpsArena* arena,
                                     CpsFeaturePairs* pairs) {
  const int threads = cps_pool_threads(pool);
  Lookup lookup = {.a = a, .b = b, .room = a->room, .found = CPS_TAKE(arena, int64_t, threads)};
  if (!lookup.found) return CPS_NO_MEMORY;
  const CpsArenaMark mark = cps_arena_mark(arena);
  for (;;) {
    lookup.pair = CPS_TAKE(arena, CpsFeaturePair, threads * lookup.room);
    if (!lookup.pair) return CPS_NO_MEMORY;
    memset(lookup.found, 0, (size_t)threads * sizeof *lookup.found);
    cps_pool_run(pool, a->vertex_count, look_up_range, &lookup);
    int64_t most = 0, total = 0;
    for (int i = 0; i < threads; ++i) {
      most = lookup.found[i] > most ? lookup.found[i] : most;
      total += lookup.found[i];
    }
    if (total > INT32_MAX / 2) return CPS_NO_MEMORY;
    if (most > lookup.room) {
      cps_arena_release(arena, mark);
      lookup.room = a->room = (int32_t)(most + most / 4);
      continue;
    }
    *pairs = (CpsFeaturePairs){lookup.found[0], lookup.pair};
    for (int i = 1; i < threads; ++i) {  // close the gaps between the threads
      memmove(pairs->pair + pairs->count, lookup.pair + i * lookup.room, (size_t)lookup.found[i] * sizeof *lookup.pair);
      pairs->count += lookup.found[i];
    }
    return CPS_OK;
  }
}
