// Rows of the broad phase: built with one hash table per level. See broad.c for the idea.
#include "contact/broad_grid.h"

// Relative margin of the cells over the widest box, and the largest number of cells between the origin and a box: the
// error of x / w stays below the margin, and two corners of a box are at most one cell apart.
static const double slack = 1e-3, most_cells = 1e12;

static int32_t find_or_add_row(CpsGrid* grid, CpsGridLevel* level, int32_t number, int64_t y, int64_t z) {
  for (uint64_t k = cps_grid_hash(y, z) & level->mask;; k = (k + 1) & level->mask) {
    const int32_t row = level->table[k] - 1;
    if (row >= 0 && grid->rows[row].y == y && grid->rows[row].z == z) return row;
    if (row >= 0) continue;
    level->table[k] = grid->row_count + 1;
    grid->rows[grid->row_count] = (CpsGridRow){.y = y, .z = z, .level = number};
    return grid->row_count++;
  }
}

// Not fmin and fmax: they are function calls because of NaN, which boxes do not contain.
static double smaller(double a, double b) {
  return a < b ? a : b;
}
static double larger(double a, double b) {
  return a > b ? a : b;
}

// Measurements of a level from which its cells are chosen.
typedef struct Extent {
  double size;                          // of its largest box in y and z
  double low_y, high_y, low_z, high_z;  // of all corners
} Extent;

// As wide as the widest box. If most rows would then be empty, up to four times as wide, because looking up a row
// costs more than comparing a box.
static double cell_width(const Extent* e, int32_t count) {
  const double sparse = sqrt((e->high_y - e->low_y) / count) * sqrt(e->high_z - e->low_z);
  return larger((1.0 + slack) * e->size, smaller(sparse, 4.0 * e->size));
}

static double farthest(const Extent* e) {
  return larger(larger(fabs(e->low_y), fabs(e->high_y)), larger(fabs(e->low_z), fabs(e->high_z)));
}

// Counts the boxes of each level and chooses the size of its cells.
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
  double width = 1e-300;
  for (int32_t l = 0; l < grid->levels; l++) width = larger(width, farthest(&extent[l]) / most_cells);
  for (int32_t l = 0; l < grid->levels; l++) {  // a coarser level never has narrower cells
    width = larger(width, cell_width(&extent[l], grid->level[l].count));
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

// Insertion sort for short rows, heap sort for long ones: no recursion, no memory.
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

// Spreads the bits of a 16-bit number to every other bit.
static uint64_t spread(uint64_t x) {
  x = (x | x << 8) & 0x00FF00FFu;
  x = (x | x << 4) & 0x0F0F0F0Fu;
  x = (x | x << 2) & 0x33333333u;
  return (x | x << 1) & 0x55555555u;
}

// Level first, then along a Z-curve through the cells.
static void fill_keys(const CpsGrid* grid, uint64_t* key) {
  int64_t low_y[CPS_GRID_LEVELS], low_z[CPS_GRID_LEVELS], wide[CPS_GRID_LEVELS] = {0};
  for (int32_t l = 0; l < CPS_GRID_LEVELS; l++) low_y[l] = low_z[l] = INT64_MAX;
  for (int32_t r = 0; r < grid->row_count; r++) {
    const CpsGridRow* row = &grid->rows[r];
    if (row->y < low_y[row->level]) low_y[row->level] = row->y;
    if (row->z < low_z[row->level]) low_z[row->level] = row->z;
  }
  for (int32_t r = 0; r < grid->row_count; r++) {
    const CpsGridRow* row = &grid->rows[r];
    wide[row->level] |= (row->y - low_y[row->level]) | (row->z - low_z[row->level]);
  }
  for (int32_t r = 0; r < grid->row_count; r++) {
    const CpsGridRow* row = &grid->rows[r];
    int shift = 0;
    while (wide[row->level] >> shift >= 1 << 16) shift++;
    const uint64_t y = (uint64_t)(row->y - low_y[row->level]) >> shift;
    const uint64_t z = (uint64_t)(row->z - low_z[row->level]) >> shift;
    key[r] = (uint64_t)row->level << 32 | spread(z) << 1 | spread(y);
  }
}

// Puts rows that are near each other in space near each other in memory, so that a search from row to row stays in
// the cache. Radix sort, four passes of ten bits.
static bool order_rows(CpsGrid* grid, CpsArena* arena) {
  enum { BITS = 10, DIGITS = 1 << BITS };
  const int32_t count = grid->row_count;
  uint64_t* key = CPS_TAKE(arena, uint64_t, count);
  int32_t* order = CPS_TAKE(arena, int32_t, count);
  int32_t* other = CPS_TAKE(arena, int32_t, count);
  CpsGridRow* rows = CPS_TAKE(arena, CpsGridRow, count);
  if (key == NULL || order == NULL || other == NULL || rows == NULL) return false;
  fill_keys(grid, key);
  for (int32_t r = 0; r < count; r++) order[r] = r;
  for (int shift = 0; shift < 4 * BITS; shift += BITS) {
    int32_t start[DIGITS + 1] = {0};
    for (int32_t r = 0; r < count; r++) start[(key[r] >> shift & (DIGITS - 1)) + 1]++;
    for (int d = 0; d < DIGITS; d++) start[d + 1] += start[d];
    for (int32_t k = 0; k < count; k++) other[start[key[order[k]] >> shift & (DIGITS - 1)]++] = order[k];
    int32_t* swap = order;
    order = other;
    other = swap;
  }
  for (int32_t k = 0; k < count; k++) {
    rows[k] = grid->rows[order[k]];
    other[order[k]] = k;
  }
  grid->rows = rows;
  for (int32_t i = 0; i < grid->item_count; i++) grid->items[i].row = other[grid->items[i].row];
  for (int32_t l = 0; l < grid->levels; l++) {
    for (uint64_t k = 0; k <= grid->level[l].mask; k++) {
      if (grid->level[l].table[k] > 0) grid->level[l].table[k] = other[grid->level[l].table[k] - 1] + 1;
    }
  }
  return true;
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
    const int64_t y = cps_grid_cell(item->box.min.y, level->inverse),
                  z = cps_grid_cell(item->box.min.z, level->inverse);
    item->row = find_or_add_row(grid, level, item->row, y, z);
    grid->rows[item->row].count++;
  }
  if (!order_rows(grid, arena)) return false;
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
