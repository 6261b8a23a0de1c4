// Rows of the broad phase: built with one hash table per level, searched by sweeps along x. See broad.c for the idea.
#include "contact/broad_grid.h"

// Cells are wider than the widest box by this part, and so wide that the largest coordinate has at most `most_cells`
// cells: the error of x / w stays below the slack, and two corners of a box are at most one cell apart.
static const double slack = 1e-3, most_cells = 1e12;

static int64_t cell(double x, double inverse) {
  return (int64_t)floor(x * inverse);
}

static uint64_t hash(int64_t y, int64_t z) {
  uint64_t h = (uint64_t)y * 0x9E3779B97F4A7C15u + (uint64_t)z * 0xC2B2AE3D27D4EB4Fu;
  h ^= h >> 29;
  h *= 0xBF58476D1CE4E5B9u;
  return h ^ h >> 32;
}

static int32_t find_row(const CpsGrid* grid, const CpsGridLevel* level, int64_t y, int64_t z) {
  for (uint64_t k = hash(y, z) & level->mask;; k = (k + 1) & level->mask) {
    const int32_t row = level->table[k] - 1;
    if (row < 0 || (grid->rows[row].y == y && grid->rows[row].z == z)) return row;
  }
}

static int32_t find_or_add_row(CpsGrid* grid, CpsGridLevel* level, int32_t number, int64_t y, int64_t z) {
  for (uint64_t k = hash(y, z) & level->mask;; k = (k + 1) & level->mask) {
    const int32_t row = level->table[k] - 1;
    if (row >= 0 && grid->rows[row].y == y && grid->rows[row].z == z) return row;
    if (row >= 0) continue;
    level->table[k] = grid->row_count + 1;
    grid->rows[grid->row_count] = (CpsGridRow){.y = y, .z = z, .level = number};
    return grid->row_count++;
  }
}

// fmin and fmax are calls because of NaN, which boxes do not have.
static double smaller(double a, double b) {
  return a < b ? a : b;
}
static double larger(double a, double b) {
  return a > b ? a : b;
}

// What is measured of a level before its cells are chosen.
typedef struct Extent {
  double size;                          // of its largest box in y and z
  double low_y, high_y, low_z, high_z;  // of all corners
} Extent;

// As wide as the widest box; where that would leave most rows empty up to four times as wide, because a row that has to be
// looked for costs more than a box that has to be compared.
static double cell_width(const Extent* e, int32_t count) {
  const double far = larger(larger(fabs(e->low_y), fabs(e->high_y)), larger(fabs(e->low_z), fabs(e->high_z)));
  const double sparse = sqrt((e->high_y - e->low_y) / count) * sqrt(e->high_z - e->low_z);
  const double width = larger((1.0 + slack) * e->size, smaller(sparse, 4.0 * e->size));
  return larger(larger(width, far / most_cells), 1e-300);
}

// Counts the boxes of each level and measures its cells.
static void measure(CpsGrid* grid) {
  Extent extent[CPS_GRID_LEVELS];
  for (int32_t l = 0; l < grid->levels; l++) extent[l] = (Extent){0.0, INFINITY, -INFINITY, INFINITY, -INFINITY};
  for (int32_t i = 0; i < grid->item_count; i++) {
    const CpsAabb* box = &grid->items[i].box;
    CpsGridLevel* level = &grid->level[grid->items[i].row];
    Extent* e = &extent[grid->items[i].row];
    level->count++;
    level->widest = larger(level->widest, box->max.x - box->min.x);
    e->size = larger(e->size, larger(box->max.y - box->min.y, box->max.z - box->min.z));
    e->low_y = smaller(e->low_y, box->min.y);
    e->high_y = larger(e->high_y, box->max.y);
    e->low_z = smaller(e->low_z, box->min.z);
    e->high_z = larger(e->high_z, box->max.z);
  }
  for (int32_t l = 0; l < grid->levels; l++) {
    const double width = cell_width(&extent[l], grid->level[l].count);
    grid->level[l].inverse = 1.0 / width;
    grid->level[l].reach = extent[l].size + slack * width;
  }
}

static bool before(const CpsGridItem* a, const CpsGridItem* b) {
  return a->box.min.x < b->box.min.x || (a->box.min.x == b->box.min.x && a->index < b->index);
}

static void sift(CpsGridItem* items, int32_t root, int32_t count) {
  const CpsGridItem moving = items[root];
  for (int32_t child; (child = 2 * root + 1) < count; root = child) {
    if (child + 1 < count && before(&items[child], &items[child + 1])) child++;
    if (!before(&moving, &items[child])) break;
    items[root] = items[child];
  }
  items[root] = moving;
}

// Short rows by insertion, long ones as a heap: no recursion, no memory.
static void sort_row(CpsGridItem* items, int32_t count) {
  if (count > 48) {
    for (int32_t i = count / 2 - 1; i >= 0; i--) sift(items, i, count);
    for (int32_t last = count - 1; last > 0; last--) {
      const CpsGridItem top = items[0];
      items[0] = items[last];
      items[last] = top;
      sift(items, 0, last);
    }
    return;
  }
  for (int32_t i = 1; i < count; i++) {
    if (!before(&items[i], &items[i - 1])) continue;
    const CpsGridItem moving = items[i];
    int32_t k = i;
    for (; k > 0 && before(&moving, &items[k - 1]); k--) items[k] = items[k - 1];
    items[k] = moving;
  }
}

bool cps_grid_build(CpsGrid* grid, CpsArena* arena) {
  measure(grid);
  grid->rows = CPS_TAKE(arena, CpsGridRow, grid->item_count);
  CpsGridItem* sorted = CPS_TAKE(arena, CpsGridItem, grid->item_count);
  if (grid->rows == NULL || sorted == NULL) return false;
  for (int32_t l = 0; l < grid->levels; l++) {
    uint64_t capacity = 16;
    while (capacity < 2 * (uint64_t)grid->level[l].count) capacity *= 2;
    grid->level[l].mask = capacity - 1;
    grid->level[l].table = CPS_TAKE_ZERO(arena, int32_t, capacity);
    if (grid->level[l].table == NULL) return false;
  }
  for (int32_t i = 0; i < grid->item_count; i++) {
    CpsGridItem* item = &grid->items[i];
    CpsGridLevel* level = &grid->level[item->row];
    const int64_t y = cell(item->box.min.y, level->inverse), z = cell(item->box.min.z, level->inverse);
    item->row = find_or_add_row(grid, level, item->row, y, z);
    grid->rows[item->row].count++;
  }
  for (int32_t r = 0, first = 0; r < grid->row_count; r++) {
    grid->rows[r].first = first;
    first += grid->rows[r].count;
    grid->rows[r].count = 0;
  }
  for (int32_t i = 0; i < grid->item_count; i++) {
    CpsGridRow* row = &grid->rows[grid->items[i].row];
    sorted[row->first + row->count++] = grid->items[i];
  }
  grid->items = sorted;
  for (int32_t r = 0; r < grid->row_count; r++) sort_row(sorted + grid->rows[r].first, grid->rows[r].count);
  return true;
}

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

// The box that begins first is compared with those of the other row that begin within it.
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

// First of the items that begins at x or later.
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

// A row against the rows of a coarser level that boxes of the row may reach.
static void search_coarser(const CpsGrid* grid, const CpsGridRow* row, const CpsAabb* hull, const CpsGridLevel* level,
                           CpsPairList* list) {
  const CpsGridItem *a = grid->items + row->first, *a_end = a + row->count;
  const int64_t y_last = cell(hull->max.y, level->inverse), z_last = cell(hull->max.z, level->inverse);
  const int64_t y_first = cell(hull->min.y - level->reach, level->inverse);
  for (int64_t z = cell(hull->min.z - level->reach, level->inverse); z <= z_last; z++) {
    for (int64_t y = y_first; y <= y_last; y++) {
      const int32_t found = find_row(grid, level, y, z);
      if (found < 0) continue;
      const CpsGridItem* b = grid->items + grid->rows[found].first;
      const CpsGridItem* start = begins_at(b, grid->rows[found].count, hull->min.x - level->widest);
      sweep_two_rows(a, a_end, start, b + grid->rows[found].count, list);
    }
  }
}

// The box of a row in y and z; in x only its beginning.
static CpsAabb row_hull(const CpsGridItem* items, int32_t count) {
  CpsAabb hull = items[0].box;
  for (int32_t i = 1; i < count; i++) {
    const CpsAabb* box = &items[i].box;
    hull.min.y = smaller(hull.min.y, box->min.y);
    hull.min.z = smaller(hull.min.z, box->min.z);
    hull.max.y = larger(hull.max.y, box->max.y);
    hull.max.z = larger(hull.max.z, box->max.z);
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
    const bool reaches_y = cell(hull.max.y, level->inverse) > row->y;
    const bool reaches_z = cell(hull.max.z, level->inverse) > row->z;
    for (int k = 0; k < 4; k++) {
      if ((neighbour[k][0] > 0 && !reaches_y) || (neighbour[k][1] > 0 && !reaches_z)) continue;
      const int32_t other = find_row(grid, level, row->y + neighbour[k][0], row->z + neighbour[k][1]);
      if (other < 0) continue;
      const CpsGridItem* b = grid->items + grid->rows[other].first;
      sweep_two_rows(items, items + row->count, b, b + grid->rows[other].count, list);
    }
    for (int32_t l = row->level + 1; l < grid->levels; l++) search_coarser(grid, row, &hull, &grid->level[l], list);
  }
}
