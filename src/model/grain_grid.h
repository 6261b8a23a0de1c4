// The sparse grid under particles: the occupied cells and the nodes at their corners. Rebuilt in each step.
//
// Cell (i, j, k) is the cube from node (i, j, k) to node (i+1, j+1, k+1); in the plane j = 0 and the cell has four corners. Cells
// and nodes are sorted by (i, j, k), the first index slowest. This is the order in memory, the same for any number of threads.
#ifndef CAPSTAN_MODEL_GRAIN_GRID_H
#define CAPSTAN_MODEL_GRAIN_GRID_H

#include "core/vec3.h"

#include <stddef.h>
#include <stdint.h>

// Position in units of cells.
typedef struct CpsGridPlace {
  int32_t i[3];
} CpsGridPlace;

enum { CPS_GRID_CORNERS = 8, CPS_GRID_FAR = (1 << 19) - 2 };  // corners in space; the largest cell index along an axis

typedef struct CpsSortPair {
  uint64_t key;
  int32_t item;
} CpsSortPair;

typedef struct CpsGrainGrid {
  int dim, corners;  // 2 and 4, or 3 and 8
  double cell;       // m
  int32_t period;    // number of cells after which the grid repeats along x, >= 2; 0: not periodic
  int32_t cell_count, node_count;
  int32_t* order;       // particles sorted by cell, in their own order within a cell
  int32_t* cell_start;  // cell_count + 1 offsets into `order`
  CpsGridPlace* cell_at;
  int32_t*
      cell_node;  // of each corner of each cell; corner c is at (c & 1, c >> 1 & 1, c >> 2), in the plane (c & 1, 0, c >> 1)
  CpsGridPlace* node_at;
  int32_t* slot_start;  // node_count + 1 offsets into
  int32_t* slot;        // corners at the node, indexed like `cell_node`
  // memory
  int32_t particle_capacity, cell_capacity, node_capacity;
  CpsSortPair *pair, *other;
  int64_t pair_capacity;
} CpsGrainGrid;

void cps_grain_grid_free(CpsGrainGrid* grid);
// Finds cells and nodes of `count` particles, except those for which `there` is not > 0; NULL: all exist. Allocates only if
// there are more of either than ever before.
// @return -1; a particle that is not finite or too far away for the grid; or -2: memory runs out
int32_t cps_grain_grid_build(CpsGrainGrid* grid, int32_t count, const CpsVec3* x, const double* there);

// The cell that contains a position, -1 if it has no particles.
int32_t cps_grain_grid_find(const CpsGrainGrid* grid, CpsVec3 x);

static inline CpsVec3 cps_grid_position(const CpsGrainGrid* grid, CpsGridPlace at) {
  return cps_vec3(at.i[0] * grid->cell, at.i[1] * grid->cell, at.i[2] * grid->cell);
}
// Local coordinates of a particle in its cell, in [0, 1) along each axis; 0 along y in the plane.
static inline CpsVec3 cps_grid_inside(const CpsGrainGrid* grid, CpsVec3 x) {
  const CpsVec3 s = {x.x / grid->cell, grid->dim == 2 ? 0.0 : x.y / grid->cell, x.z / grid->cell};
  return cps_vec3(s.x - floor(s.x), s.y - floor(s.y), s.z - floor(s.z));
}
// Which corner: 0 or 1 along each axis.
static inline CpsGridPlace cps_grid_corner(const CpsGrainGrid* grid, int c) {
  if (grid->dim == 2) return (CpsGridPlace){{c & 1, 0, c >> 1}};
  return (CpsGridPlace){{c & 1, c >> 1 & 1, c >> 2}};
}
// N and its gradient (1/m) of the corner c at s inside the cell: products of 1 - s or s.
static inline double cps_grid_weight(const CpsGrainGrid* grid, int c, CpsVec3 s, CpsVec3* gradient) {
  const CpsGridPlace at = cps_grid_corner(grid, c);
  const double x = at.i[0] ? s.x : 1.0 - s.x, z = at.i[2] ? s.z : 1.0 - s.z;
  const double y = grid->dim == 2 ? 1.0 : at.i[1] ? s.y : 1.0 - s.y;
  const double one = 1.0 / grid->cell;
  *gradient = cps_vec3((at.i[0] ? one : -one) * y * z, 0.0, (at.i[2] ? one : -one) * x * y);
  if (grid->dim == 3) gradient->y = (at.i[1] ? one : -one) * x * z;
  return x * y * z;
}

#endif
