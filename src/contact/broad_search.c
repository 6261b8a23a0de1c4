// The search of the broad phase: rows are swept along x, alone, with their neighbours and with rows of coarser levels. See
// broad.c for the idea.
#include "contact/broad_grid.h"

static bool overlap_yz(const CpsAabb* a, const CpsAabb* b) {
  return a->min.y <= b->max.y && b->min.y <= a->max.y && a->min.z <= b->max.z && b->min.z <= a->max.z;
}

static void sweep_row(const CpsGridItem* items, int32_t count, CpsPairList* list) {
  for (int32_t i = 0; i < count; i++) {
    const CpsGridItem* a = &items[i];
    for (int32_t j = i + 1; j < count && items[j].box.min.x <= a->box.max.x; j++) {
      if (overlap_yz(&a->box, &items[j].box)) cps_pair_list_add(list, a, &items[j]);
    }
  }
}

// Of two boxes, the one that begins first is compared with the boxes of the other row that begin within it.
static void sweep_two_rows(const CpsGridItem* a, const CpsGridItem* a_end, const CpsGridItem* b,
                           const CpsGridItem* b_end, CpsPairList* list) {
  while (a < a_end && b < b_end) {
    if (a->box.min.x <= b->box.min.x) {
      for (const CpsGridItem* k = b; k < b_end && k->box.min.x <= a->box.max.x; k++) {
        if (overlap_yz(&a->box, &k->box)) cps_pair_list_add(list, a, k);
      }
      a++;
    } else {
      for (const CpsGridItem* k = a; k < a_end && k->box.min.x <= b->box.max.x; k++) {
        if (overlap_yz(&b->box, &k->box)) cps_pair_list_add(list, b, k);
      }
      b++;
    }
  }
}

// The first item that begins at x or later.
static const CpsGridItem* begins_at(const CpsGridItem* items, int32_t count, double x) {
  while (count > 0) {
    const int32_t half = count / 2;
    if (items[half].box.min.x < x) {
      items += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return items;
}

// Compares a row with the rows of a coarser level that its boxes may reach.
static void search_coarser(const CpsGrid* grid, const CpsGridRow* row, const CpsAabb* hull, const CpsGridLevel* level,
                           CpsPairList* list) {
  const CpsGridItem *a = grid->items + row->first, *a_end = a + row->count;
  const int64_t y_last = cps_grid_cell(hull->max.y, level->inverse),
                z_last = cps_grid_cell(hull->max.z, level->inverse);
  const int64_t y_first = cps_grid_cell(hull->min.y - level->reach, level->inverse);
  for (int64_t z = cps_grid_cell(hull->min.z - level->reach, level->inverse); z <= z_last; z++) {
    for (int64_t y = y_first; y <= y_last; y++) {
      const int32_t found = cps_grid_find(grid, level, y, z);
      if (found < 0) continue;
      const CpsGridItem* b = grid->items + grid->rows[found].first;
      const CpsGridItem* start = begins_at(b, grid->rows[found].count, hull->min.x - level->widest);
      sweep_two_rows(a, a_end, start, b + grid->rows[found].count, list);
    }
  }
}

// The bounding box of a row in y and z; in x only its beginning.
static CpsAabb row_hull(const CpsGridItem* items, int32_t count) {
  CpsAabb hull = items[0].box;
  for (int32_t i = 1; i < count; i++) {
    const CpsAabb* box = &items[i].box;
    if (box->min.y < hull.min.y) hull.min.y = box->min.y;
    if (box->min.z < hull.min.z) hull.min.z = box->min.z;
    if (box->max.y > hull.max.y) hull.max.y = box->max.y;
    if (box->max.z > hull.max.z) hull.max.z = box->max.z;
  }
  return hull;
}

void cps_grid_search(const CpsGrid* grid, int64_t first, int64_t last, CpsPairList* list) {
  static const int neighbour[4][2] = {{1, 0}, {-1, 1}, {0, 1}, {1, 1}};  // (y, z)
  int32_t low = 0, high = grid->row_count;  // the first row that begins at `first` or later
  while (low < high) {
    const int32_t middle = low + (high - low) / 2;
    if (grid->rows[middle].first < first) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  for (int32_t r = low; r < grid->row_count && grid->rows[r].first < last; r++) {
    const CpsGridRow* row = &grid->rows[r];
    const CpsGridLevel* level = &grid->level[row->level];
    const CpsGridItem* items = grid->items + row->first;
    sweep_row(items, row->count, list);
    const CpsAabb hull = row_hull(items, row->count);
    const bool reaches_y = cps_grid_cell(hull.max.y, level->inverse) > row->y;
    const bool reaches_z = cps_grid_cell(hull.max.z, level->inverse) > row->z;
    for (int k = 0; k < 4; k++) {
      if ((neighbour[k][0] > 0 && !reaches_y) || (neighbour[k][1] > 0 && !reaches_z)) continue;
      const int32_t other = cps_grid_find(grid, level, row->y + neighbour[k][0], row->z + neighbour[k][1]);
      if (other < 0) continue;
      const CpsGridItem* b = grid->items + grid->rows[other].first;
      sweep_two_rows(items, items + row->count, b, b + grid->rows[other].count, list);
    }
    for (int32_t l = row->level + 1; l < grid->levels; l++) search_coarser(grid, row, &hull, &grid->level[l], list);
  }
}
