// Triangles at rest in the cells of a grid: nearest distances, crossings, and inside tests. See surface_grid.c.
#ifndef CAPSTAN_IO_MESH_SURFACE_GRID_H
#define CAPSTAN_IO_MESH_SURFACE_GRID_H

#include "core/arena.h"
#include "core/vec3.h"

#include <stdint.h>

typedef struct CpsTriangleSoup {
  const CpsVec3* vertices;
  const int32_t* triangles;  // three vertices each
  int32_t triangle_count;
} CpsTriangleSoup;

typedef struct CpsSurfaceGrid {
  CpsTriangleSoup soup;
  CpsVec3 low;
  double cell;
  int32_t count[3];  // cells along each axis
  int64_t* start;
  int32_t* item;  // triangles that come within a cell's size of each cell
} CpsSurfaceGrid;

enum { CPS_GRID_CELLS = 1 << 24 };
// Memory of the arena; false if it is short or there would be more than CPS_GRID_CELLS cells.
bool cps_surface_grid_create(CpsTriangleSoup soup, double cell, CpsArena* arena, CpsSurfaceGrid* grid);
// Distance of a point from the surface; searches all triangles if none is near.
double cps_surface_grid_distance(const CpsSurfaceGrid* grid, CpsVec3 x);
// First crossing of the surface by the segment from a to b, at most a cell long, in [0, 1]; -1: none.
double cps_surface_grid_crossing(const CpsSurfaceGrid* grid, CpsVec3 a, CpsVec3 b);

// Adds the winding number of the surface around each point of a row x_i = from + i step along the first axis, i < count.
typedef struct CpsGridRow {
  CpsVec3 from;
  double step;
  int32_t count;
  int32_t* winding;
} CpsGridRow;
// The triangles over a row, by its y and z: each changes the winding of all points before it.
void cps_surface_wind(const CpsTriangleSoup* soup, int32_t triangle, const CpsGridRow* row);

#endif
