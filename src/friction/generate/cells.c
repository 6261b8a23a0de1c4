// Neighbour search on a uniform grid, by counting sort: deterministic, linear in the number of points.
#include "friction/generate/generated.h"

#include <string.h>

// Maximum number of cells along one axis: bounds the memory of sparse clouds.
enum { CELLS_MAX = 96 };

static double axis_of(CpsVec3 a, int axis) {
  return axis == 0 ? a.x : axis == 1 ? a.y : a.z;
}

int32_t cps_cells_coordinate(const CpsCells* cells, int axis, double x) {
  double i = floor((x - axis_of(cells->origin, axis)) / cells->size);
  double last = (double)(cells->count[axis] - 1);
  return (int32_t)fmax(0.0, fmin(i, last));
}

static int64_t cell_of(const CpsCells* cells, CpsVec3 x) {
  int64_t i = cps_cells_coordinate(cells, 0, x.x), j = cps_cells_coordinate(cells, 1, x.y),
          k = cps_cells_coordinate(cells, 2, x.z);
  return (k * cells->count[1] + j) * cells->count[0] + i;
}

bool cps_cells_build(CpsArena* arena, int32_t count, const CpsVec3* points, double size, CpsCells* cells) {
  CpsVec3 low = points[0], high = points[0];
  for (int32_t p = 1; p < count; ++p) {
    low = cps_vec3(fmin(low.x, points[p].x), fmin(low.y, points[p].y), fmin(low.z, points[p].z));
    high = cps_vec3(fmax(high.x, points[p].x), fmax(high.y, points[p].y), fmax(high.z, points[p].z));
  }
  CpsVec3 extent = cps_vec3_sub(high, low);
  double largest = fmax(extent.x, fmax(extent.y, extent.z));
  cells->origin = low;
  cells->size = fmax(size, largest / CELLS_MAX);
  int64_t cell_count = 1;
  for (int axis = 0; axis < 3; ++axis) {
    cells->count[axis] = 1 + (int32_t)(axis_of(extent, axis) / cells->size);
    cell_count *= cells->count[axis];
  }
  cells->start = CPS_TAKE_ZERO(arena, int32_t, cell_count + 1);
  cells->item = CPS_TAKE(arena, int32_t, count);
  if (!cells->start || !cells->item) return false;
  // counts, then ends, then (filling backwards) starts: points keep their order inside a cell
  for (int32_t p = 0; p < count; ++p) cells->start[cell_of(cells, points[p])]++;
  for (int64_t c = 1; c <= cell_count; ++c) cells->start[c] += cells->start[c - 1];
  for (int32_t p = count - 1; p >= 0; --p) cells->item[--cells->start[cell_of(cells, points[p])]] = p;
  return true;
}

void cps_cells_row(const CpsCells* cells, int32_t i, int32_t j, int32_t k, int32_t* first, int32_t* last) {
  *first = *last = 0;
  if (j < 0 || k < 0 || j >= cells->count[1] || k >= cells->count[2]) return;
  int64_t row = ((int64_t)k * cells->count[1] + j) * cells->count[0];
  int32_t from = i > 0 ? i - 1 : 0, to = i + 1 < cells->count[0] ? i + 1 : cells->count[0] - 1;
  *first = cells->start[row + from];
  *last = cells->start[row + to + 1];
}
