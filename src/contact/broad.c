// The broad phase: a hashed grid of rows with one level per size of box.
//
// A box goes to the level of its size s, the power of two above it, and there to the row that holds its lower corner in
// y and z. With w the width of a cell, at least as large as any box of the level, and c(x) = floor(x / w), which is
// monotone also in floating point,
//
//   a and b overlap  =>  c(min_a) <= c(max_b) <= c(min_b) + 1  and the other way round  =>  |c(min_a) - c(min_b)| <= 1  (1)
//
// so that a row is compared with itself and its eight neighbours (four of them, to see each pair once) and with at most
// a few rows of each coarser level. Rows are sorted along x and swept. The work is O(n (log n + levels) + candidates),
// and the number of levels is at most 32 for any sizes: where sizes span more octaves, levels are made wider.
//
// Infinite boxes (planes) and the few largest ones are compared with everything.
//
// The pairs are found row by row, by any number of threads, and then sorted: the order does not depend on the threads.
#include "contact/broad.h"

#include <float.h>

#include "contact/broad_grid.h"

enum {
  LOWEST = -1075,  // exponents of doubles
  EXPONENTS = 2104,
  FEW = 16  // up to this many boxes are compared with all others, without a grid
};

// Assigns boxes to a level of the grid, or to the list that is compared with all boxes.
typedef struct Sizes {
  int32_t histogram[EXPONENTS];
  int32_t level[EXPONENTS];  // -1: the list
  int shift;                 // octaves per level = 2^shift
  int32_t levels, listed;
} Sizes;

// The longest edge. Infinite also for a box at infinity, whose edge lengths are NaN.
static double size_of(const CpsAabb* box) {
  const double x = box->max.x - box->min.x, y = box->max.y - box->min.y, z = box->max.z - box->min.z;
  if (!(x <= DBL_MAX && y <= DBL_MAX && z <= DBL_MAX)) return INFINITY;
  const double larger = x > y ? x : y;
  return z > larger ? z : larger;
}

// The class of a size, -1 for an infinite one.
static int class_of(double size) {
  if (!(size <= DBL_MAX)) return -1;
  int exponent = LOWEST;
  if (size > 0.0) (void)frexp(size, &exponent);
  return exponent - LOWEST;
}

static int32_t occupied(const Sizes* sizes) {
  int32_t count = 0;
  int last = -1;
  for (int e = 0; e < EXPONENTS; e++) {
    if (sizes->histogram[e] == 0 || e >> sizes->shift == last) continue;
    last = e >> sizes->shift;
    count++;
  }
  return count;
}

// Levels from fine to coarse. The largest boxes go to the list as long as they are few.
static void choose_levels(Sizes* sizes) {
  sizes->listed = 0;
  int top = EXPONENTS - 1;
  for (; top >= 0 && sizes->listed + sizes->histogram[top] <= FEW; top--) {
    sizes->listed += sizes->histogram[top];
    sizes->histogram[top] = 0;
    sizes->level[top] = -1;
  }
  for (sizes->shift = 0; occupied(sizes) > CPS_GRID_LEVELS; sizes->shift++) continue;
  sizes->levels = 0;
  int last = -1;
  for (int e = 0; e <= top; e++) {
    if (sizes->histogram[e] == 0) continue;
    if (e >> sizes->shift != last) sizes->levels++;
    last = e >> sizes->shift;
    sizes->level[e] = sizes->levels - 1;
  }
}

typedef struct Broad {
  CpsGrid grid;
  CpsGridItem* list;  // compared with all boxes; `row` is the place in the list
  int32_t list_count;
  CpsPairShared shared;
  CpsPairList* found;  // one per thread
} Broad;

// Boxes of the list against items [first, last), and against each other in the first range.
static void search_list(void* data, int64_t first, int64_t last, int worker) {
  Broad* broad = data;
  for (int32_t i = 0; i < broad->list_count; i++) {
    const CpsGridItem* big = &broad->list[i];
    for (int64_t j = first; j < last; j++) {
      const CpsGridItem* item = &broad->grid.items[j];
      if (cps_aabb_overlap(&big->box, &item->box)) cps_pair_list_add(&broad->found[worker], big, item);
    }
  }
}

static void search_within_list(Broad* broad) {
  for (int32_t i = 0; i < broad->list_count; i++) {
    for (int32_t j = i + 1; j < broad->list_count; j++) {
      const CpsGridItem *a = &broad->list[i], *b = &broad->list[j];
      if (cps_aabb_overlap(&a->box, &b->box)) cps_pair_list_add(&broad->found[0], a, b);
    }
  }
}

static void search_grid(void* data, int64_t first, int64_t last, int worker) {
  Broad* broad = data;
  cps_grid_search(&broad->grid, first, last, &broad->found[worker]);
}

// Distributes the boxes over the list and the levels.
static bool distribute(Broad* broad, const CpsBroadBox* boxes, int32_t count, CpsArena* arena) {
  Sizes* sizes = CPS_TAKE_ZERO(arena, Sizes, 1);
  int16_t* class = CPS_TAKE(arena, int16_t, count);
  if (sizes == NULL || class == NULL) return false;
  int32_t infinite = 0;
  for (int32_t i = 0; i < count; i++) {
    class[i] = (int16_t)class_of(size_of(&boxes[i].box));
    if (class[i] < 0) {
      infinite++;
    } else {
      sizes->histogram[class[i]]++;
    }
  }
  choose_levels(sizes);
  broad->list = CPS_TAKE(arena, CpsGridItem, infinite + sizes->listed);
  broad->grid.items = CPS_TAKE(arena, CpsGridItem, count);
  if (broad->list == NULL || broad->grid.items == NULL) return false;
  broad->grid.levels = sizes->levels;
  for (int32_t i = 0; i < count; i++) {
    const int32_t level = class[i] < 0 ? -1 : sizes->level[class[i]];
    CpsGridItem* item = level < 0 ? &broad->list[broad->list_count++] : &broad->grid.items[broad->grid.item_count++];
    *item = (CpsGridItem){boxes[i].box, i, boxes[i].owner, boxes[i].group, level};
  }
  return cps_grid_build(&broad->grid, arena);
}

CpsBroadPair* cps_broad_pairs(const CpsBroadBox* boxes, int32_t count, CpsPool* pool, CpsArena* arena,
                              int64_t* pair_count) {
  const int threads = cps_pool_threads(pool);
  Broad* broad = CPS_TAKE_ZERO(arena, Broad, 1);
  if (broad == NULL || !distribute(broad, boxes, count, arena)) return NULL;
  broad->shared.arena = arena;
  broad->shared.boxes = boxes;
  atomic_flag_clear(&broad->shared.busy);
  atomic_init(&broad->shared.failed, false);
  broad->found = CPS_TAKE_ZERO(arena, CpsPairList, threads);
  if (broad->found == NULL) return NULL;
  for (int i = 0; i < threads; i++) broad->found[i].shared = &broad->shared;
  search_within_list(broad);
  cps_pool_run(pool, broad->grid.item_count, search_list, broad);
  cps_pool_run(pool, broad->grid.item_count, search_grid, broad);
  if (atomic_load(&broad->shared.failed)) return NULL;
  return cps_pair_lists_sort(broad->found, threads, count, arena, pair_count);
}
