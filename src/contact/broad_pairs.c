// The pairs that the workers of the broad phase found, and their order: two stable counting sorts, by b and then by a.
#include "contact/broad_grid.h"

void cps_pair_list_grow(CpsPairList* list) {
  CpsPairShared* shared = list->shared;
  while (atomic_flag_test_and_set_explicit(&shared->busy, memory_order_acquire)) continue;
  CpsPairBlock* block = CPS_TAKE(shared->arena, CpsPairBlock, 1);
  atomic_flag_clear_explicit(&shared->busy, memory_order_release);
  if (block == NULL) {
    atomic_store(&shared->failed, true);
    list->newest = NULL;
    return;
  }
  block->older = list->newest;
  block->count = 0;
  list->newest = block;
}

// Turns counts into offsets: the count of item i at [i + 1] becomes its start at [i].
static void accumulate(int64_t* start, int32_t count) {
  for (int32_t i = 0; i < count; i++) start[i + 1] += start[i];
}

CpsBroadPair* cps_pair_lists_sort(const CpsPairList* lists, int list_count, int32_t box_count, CpsArena* arena,
                                  int64_t* pair_count) {
  int64_t* start_a = CPS_TAKE_ZERO(arena, int64_t, (int64_t)box_count + 1);
  int64_t* start_b = CPS_TAKE_ZERO(arena, int64_t, (int64_t)box_count + 1);
  if (start_a == NULL || start_b == NULL) return NULL;
  for (int l = 0; l < list_count; l++) {
    for (const CpsPairBlock* block = lists[l].newest; block != NULL; block = block->older) {
      for (int32_t i = 0; i < block->count; i++) {
        start_a[block->pair[i].a + 1]++;
        start_b[block->pair[i].b + 1]++;
      }
    }
  }
  accumulate(start_a, box_count);
  accumulate(start_b, box_count);
  const int64_t count = start_a[box_count];
  CpsBroadPair* by_b = CPS_TAKE(arena, CpsBroadPair, count);
  CpsBroadPair* pairs = CPS_TAKE(arena, CpsBroadPair, count);
  if (by_b == NULL || pairs == NULL) return NULL;
  for (int l = 0; l < list_count; l++) {
    for (const CpsPairBlock* block = lists[l].newest; block != NULL; block = block->older) {
      for (int32_t i = 0; i < block->count; i++) by_b[start_b[block->pair[i].b]++] = block->pair[i];
    }
  }
  for (int64_t i = 0; i < count; i++) pairs[start_a[by_b[i].a]++] = by_b[i];
  *pair_count = count;
  return pairs;
}
