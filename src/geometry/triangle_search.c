// Multi-threaded search for pairs of triangles of two trees with overlapping boxes, with results in ascending lists.
//
// The pair of roots is split into smaller pairs of nodes until there is work for many threads; each thread takes the
// next one when it is free. Results go into blocks from a common store, so memory is linear in the number of pairs and
// no thread needs room for all of them. Two stable counting sorts, first by b, then by a, make the lists independent of
// the threads.
#include <stdatomic.h>
#include <string.h>

#include "geometry/triangle_tree.h"

enum { BLOCK = 1022, TASKS = 512, STACK = 256 };

typedef struct Block {
  int32_t list, count;
  CpsFeaturePair pair[BLOCK];
} Block;

typedef struct NodePair {
  int32_t a, b;
} NodePair;

typedef struct Shared {
  const CpsSearch* search;
  bool same;  // one tree with itself
  NodePair task[TASKS];
  int task_count;
  atomic_int next_task;
  atomic_int next_block;
  int32_t block_count;
  Block* block;
  CpsSearchWriter* writer;  // one per thread
} Shared;

struct CpsSearchWriter {
  Shared* shared;
  Block* open[CPS_SEARCH_LISTS];
  int64_t lost;  // pairs for which no block was left
  char pad[64];  // keeps threads on different cache lines
};

void cps_search_put(CpsSearchWriter* writer, int list, int32_t a, int32_t b) {
  Block* block = writer->open[list];
  if (!block || block->count == BLOCK) {
    const int32_t next = writer->lost > 0 ? INT32_MAX : atomic_fetch_add(&writer->shared->next_block, 1);
    if (next >= writer->shared->block_count) {
      writer->lost++;
      return;
    }
    block = writer->open[list] = &writer->shared->block[next];
    block->list = list;
    block->count = 0;
  }
  block->pair[block->count++] = (CpsFeaturePair){a, b};
}

// The pairs of children of a pair of nodes, at least one of which is not a leaf; at most three.
static int split(const Shared* shared, NodePair pair, NodePair out[3]) {
  const CpsBvhNode *a = &shared->search->a->bvh.node[pair.a], *b = &shared->search->b->bvh.node[pair.b];
  if (shared->same && pair.a == pair.b) {
    out[0] = (NodePair){a->first, a->first};
    out[1] = (NodePair){a->first, a->first + 1};
    out[2] = (NodePair){a->first + 1, a->first + 1};
    return 3;
  }
  // nodes were created level by level, so the lower number is the larger box
  const bool first = b->count > 0 || (a->count == 0 && pair.a < pair.b);
  out[0] = first ? (NodePair){a->first, pair.b} : (NodePair){pair.a, b->first};
  out[1] = first ? (NodePair){a->first + 1, pair.b} : (NodePair){pair.a, b->first + 1};
  return 2;
}

static bool is_apart(const Shared* shared, NodePair pair) {
  return !cps_float_boxes_overlap(&shared->search->a->node_box[pair.a], &shared->search->b->node_box[pair.b]);
}

static bool are_leaves(const Shared* shared, NodePair pair) {
  return shared->search->a->bvh.node[pair.a].count > 0 && shared->search->b->bvh.node[pair.b].count > 0;
}

static void visit_leaves(const Shared* shared, CpsSearchWriter* writer, NodePair pair) {
  const CpsTriangleTree *a = shared->search->a, *b = shared->search->b;
  const CpsBvhNode *leaf_a = &a->bvh.node[pair.a], *leaf_b = &b->bvh.node[pair.b];
  const bool self = shared->same && pair.a == pair.b;
  for (int32_t i = leaf_a->first; i < leaf_a->first + leaf_a->count; ++i) {
    const CpsFloatBox box = a->triangle_box[i];
    if (!cps_float_boxes_overlap(&box, &b->node_box[pair.b])) continue;
    for (int32_t j = self ? i + 1 : leaf_b->first; j < leaf_b->first + leaf_b->count; ++j) {
      if (cps_float_boxes_overlap(&box, &b->triangle_box[j])) shared->search->visit(shared->search, writer, i, j);
    }
  }
}

static void search_below(const Shared* shared, CpsSearchWriter* writer, NodePair top) {
  NodePair stack[STACK];  // at most two more for each of at most 64 levels of both trees
  int depth = 1;
  stack[0] = top;
  while (depth > 0) {
    const NodePair pair = stack[--depth];
    if (is_apart(shared, pair)) continue;
    if (are_leaves(shared, pair)) {
      visit_leaves(shared, writer, pair);
    } else {
      depth += split(shared, pair, stack + depth);
    }
  }
}

// Splits all tasks, level by level, as long as there is room for their parts.
static void make_tasks(Shared* shared) {
  NodePair next[TASKS];
  shared->task[0] = (NodePair){0, 0};
  shared->task_count = 1;
  for (bool more = true; more && 3 * shared->task_count <= TASKS;) {
    int count = 0;
    more = false;
    for (int i = 0; i < shared->task_count; ++i) {
      const NodePair pair = shared->task[i];
      if (are_leaves(shared, pair)) {
        next[count++] = pair;
        continue;
      }
      NodePair part[3];
      const int parts = split(shared, pair, part);
      for (int k = 0; k < parts; ++k) {
        if (!is_apart(shared, part[k])) next[count++] = part[k];
      }
      more = true;
    }
    memcpy(shared->task, next, (size_t)count * sizeof *next);
    shared->task_count = count;
  }
}

static void run_tasks(void* data, int64_t first, int64_t last, int worker) {
  (void)first;
  (void)last;
  Shared* shared = data;
  CpsSearchWriter* writer = &shared->writer[worker];
  for (int task; (task = atomic_fetch_add(&shared->next_task, 1)) < shared->task_count;) {
    search_below(shared, writer, shared->task[task]);
  }
}

// Runs with the available blocks. Returns the number needed.
static int64_t search_all(Shared* shared, CpsPool* pool) {
  const int threads = cps_pool_threads(pool);
  for (int i = 0; i < threads; ++i) shared->writer[i] = (CpsSearchWriter){.shared = shared};
  atomic_store(&shared->next_task, 0);
  atomic_store(&shared->next_block, 0);
  cps_pool_run(pool, threads, run_tasks, shared);
  int64_t lost = 0;
  for (int i = 0; i < threads; ++i) lost += shared->writer[i].lost;
  const int64_t used = atomic_load(&shared->next_block);
  return lost > 0 ? shared->block_count + lost / BLOCK + (CPS_SEARCH_LISTS + 1) * threads : used;
}

typedef struct Sort {
  const Shared* shared;
  int32_t blocks;
  int32_t* start[CPS_SEARCH_LISTS];  // room for counts of a or of b
  CpsFeaturePair* half[CPS_SEARCH_LISTS];
  CpsFeaturePairs* list;
} Sort;

// Turns counts of keys into the start of each key.
static void to_places(int32_t* start, int32_t size) {
  int32_t sum = 0;
  for (int32_t k = 0; k < size; ++k) {
    const int32_t count = start[k];
    start[k] = sum;
    sum += count;
  }
}

static void sort_list(const Sort* sort, int list) {
  const CpsSearch* search = sort->shared->search;
  CpsFeaturePair *half = sort->half[list], *out = sort->list[list].pair;
  int32_t* start = sort->start[list];
  memset(start, 0, (size_t)search->size_b[list] * sizeof *start);
  for (int pass = 0; pass < 2; ++pass) {
    for (int32_t n = 0; n < sort->blocks; ++n) {
      const Block* block = &sort->shared->block[n];
      if (block->list != list) continue;
      for (int32_t i = 0; i < block->count; ++i) {
        if (pass == 0) {
          start[block->pair[i].b]++;
        } else {
          half[start[block->pair[i].b]++] = block->pair[i];
        }
      }
    }
    if (pass == 0) to_places(start, search->size_b[list]);
  }
  memset(start, 0, (size_t)search->size_a[list] * sizeof *start);
  for (int64_t i = 0; i < sort->list[list].count; ++i) start[half[i].a]++;
  to_places(start, search->size_a[list]);
  for (int64_t i = 0; i < sort->list[list].count; ++i) out[start[half[i].a]++] = half[i];
}

static void sort_lists(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  for (int64_t list = first; list < last; ++list) sort_list(data, (int)list);
}

static CpsStatus collect(const Shared* shared, int32_t blocks, CpsPool* pool, CpsArena* arena,
                         CpsFeaturePairs list[CPS_SEARCH_LISTS]) {
  Sort sort = {.shared = shared, .blocks = blocks, .list = list};
  int64_t total = 0;
  for (int k = 0; k < CPS_SEARCH_LISTS; ++k) list[k] = (CpsFeaturePairs){0};
  for (int32_t n = 0; n < blocks; ++n) {
    list[shared->block[n].list].count += shared->block[n].count;
    total += shared->block[n].count;
  }
  if (total > INT32_MAX) return CPS_NO_MEMORY;
  for (int k = 0; k < CPS_SEARCH_LISTS; ++k) {
    const int32_t size_a = shared->search->size_a[k], size_b = shared->search->size_b[k];
    sort.start[k] = CPS_TAKE(arena, int32_t, size_a > size_b ? size_a : size_b);
    sort.half[k] = CPS_TAKE(arena, CpsFeaturePair, list[k].count);
    list[k].pair = CPS_TAKE(arena, CpsFeaturePair, list[k].count);
    if (!sort.start[k] || !sort.half[k] || !list[k].pair) return CPS_NO_MEMORY;
  }
  cps_pool_run(pool, CPS_SEARCH_LISTS, sort_lists, &sort);
  return CPS_OK;
}

CpsStatus cps_search_run(const CpsSearch* search, CpsPool* pool, CpsArena* arena,
                         CpsFeaturePairs list[CPS_SEARCH_LISTS]) {
  Shared* shared = CPS_TAKE_ZERO(arena, Shared, 1);
  if (!shared) return CPS_NO_MEMORY;
  shared->search = search;
  shared->same = search->a == search->b;
  shared->writer = CPS_TAKE(arena, CpsSearchWriter, cps_pool_threads(pool));
  if (!shared->writer) return CPS_NO_MEMORY;
  make_tasks(shared);
  const CpsArenaMark mark = cps_arena_mark(arena);
  for (int64_t wanted = search->a->chunks;;) {
    if (wanted > INT32_MAX / BLOCK) return CPS_NO_MEMORY;
    shared->block_count = (int32_t)wanted;
    shared->block = CPS_TAKE(arena, Block, wanted);
    if (!shared->block) return CPS_NO_MEMORY;
    const int64_t used = search_all(shared, pool);
    if (used <= shared->block_count) return collect(shared, (int32_t)used, pool, arena, list);
    cps_arena_release(arena, mark);
    wanted = used + used / 4;
    search->a->chunks = (int32_t)(wanted < INT32_MAX ? wanted : INT32_MAX);
  }
}
