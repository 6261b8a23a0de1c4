// The parts of the broad phase: the rows of the grid, their search, and the list of pairs.
#ifndef CAPSTAN_CONTACT_BROAD_GRID_H
#define CAPSTAN_CONTACT_BROAD_GRID_H

#include <math.h>
#include <stdatomic.h>

#include "contact/broad.h"

// A box in the form that the search reads: one cache line.
typedef struct CpsGridItem {
  CpsAabb box;
  int32_t index, owner, group;
  int32_t row;
} CpsGridItem;

// Items of one level whose lower corner is in one cell of the y-z plane, in ascending order of min.x.
typedef struct CpsGridRow {
  int64_t y, z;
  int32_t first, count;  // among the items of the grid
  int32_t level;
} CpsGridRow;

// Boxes of similar size. A cell is at least as wide as the widest of them.
typedef struct CpsGridLevel {
  double inverse;  // 1 / width of a cell
  double widest;   // box along x
  double reach;    // a little more than the largest box in y and z
  int32_t count;   // items
  int32_t* table;  // open addressing: row + 1, or 0
  uint64_t mask;
} CpsGridLevel;

enum { CPS_GRID_LEVELS = 32 };

typedef struct CpsGrid {
  CpsGridItem* items;  // level by level, row by row
  CpsGridRow* rows;
  CpsGridLevel level[CPS_GRID_LEVELS];  // from fine to coarse
  int32_t item_count, row_count, levels;
} CpsGrid;

static inline int64_t cps_grid_cell(double x, double inverse) {
  return (int64_t)floor(x * inverse);
}

static inline uint64_t cps_grid_hash(int64_t y, int64_t z) {
  uint64_t h = (uint64_t)y * 0x9E3779B97F4A7C15u + (uint64_t)z * 0xC2B2AE3D27D4EB4Fu;
  h ^= h >> 29;
  h *= 0xBF58476D1CE4E5B9u;
  return h ^ h >> 32;
}

// The row of a cell, or -1.
static inline int32_t cps_grid_find(const CpsGrid* grid, const CpsGridLevel* level, int64_t y, int64_t z) {
  for (uint64_t k = cps_grid_hash(y, z) & level->mask;; k = (k + 1) & level->mask) {
    const int32_t row = level->table[k] - 1;
    if (row < 0 || (grid->rows[row].y == y && grid->rows[row].z == z)) return row;
  }
}

// (broad_grid.c) Sorts items that carry their level in `row` into rows. false if memory runs out.
bool cps_grid_build(CpsGrid* grid, CpsArena* arena);

// A list of pairs, in blocks that all workers take from one arena.
typedef struct CpsPairBlock CpsPairBlock;
typedef struct CpsPairShared {
  CpsArena* arena;
  const CpsBroadBox* boxes;
  atomic_flag busy;
  atomic_bool failed;
} CpsPairShared;
typedef struct CpsPairList {
  CpsPairShared* shared;
  CpsPairBlock* newest;
  char apart[48];  // lists of two workers share no cache line
} CpsPairList;

enum { CPS_PAIR_BLOCK = 2046 };
struct CpsPairBlock {
  CpsPairBlock* older;
  int32_t count;
  CpsBroadPair pair[CPS_PAIR_BLOCK];
};

void cps_pair_list_grow(CpsPairList* list);

// Whether two boxes of one owner are a pair: only pieces of a line, far enough apart along it.
static inline bool cps_pair_within_owner(const CpsPairList* list, const CpsGridItem* a, const CpsGridItem* b) {
  if (a->owner < 0) return false;
  const CpsBroadBox *p = &list->shared->boxes[a->index], *q = &list->shared->boxes[b->index];
  return cps_broad_self(p->arc, p->self_distance, q->arc, q->self_distance);
}

// Adds a pair unless the two may not touch. If memory runs out, drops the pair and sets `failed`.
static inline void cps_pair_list_add(CpsPairList* list, const CpsGridItem* a, const CpsGridItem* b) {
  if (list->shared->boxes[a->index].idle && list->shared->boxes[b->index].idle) return;
  if (a->owner == b->owner) {
    if (!cps_pair_within_owner(list, a, b)) return;
  } else if (a->group > 0 && a->group == b->group) {
    return;
  }
  if (list->newest == NULL || list->newest->count == CPS_PAIR_BLOCK) {
    cps_pair_list_grow(list);
    if (list->newest == NULL) return;
  }
  CpsPairBlock* block = list->newest;
  block->pair[block->count++] =
      a->index < b->index ? (CpsBroadPair){a->index, b->index} : (CpsBroadPair){b->index, a->index};
}

// (broad_search.c) All pairs between the rows of items [first, last) and these rows themselves, later rows of their level, and rows of
// coarser levels.
void cps_grid_search(const CpsGrid* grid, int64_t first, int64_t last, CpsPairList* list);

// (broad_pairs.c) The pairs of all lists in ascending order; NULL if memory runs out.
CpsBroadPair* cps_pair_lists_sort(const CpsPairList* lists, int list_count, int32_t box_count, CpsArena* arena,
                                  int64_t* pair_count);

#endif
