// Tetrahedra that fill a closed surface: isosurface stuffing (Labelle and Shewchuk 2007) on a uniform lattice. See stuffing.c.
#ifndef CAPSTAN_IO_MESH_STUFFING_H
#define CAPSTAN_IO_MESH_STUFFING_H

#include "io/mesh/surface_grid.h"

typedef struct CpsStuffing {
  CpsVec3* vertices;  // allocated
  int32_t vertex_count;
  int32_t* tetrahedra;  // allocated; four vertices each, of positive volume
  int32_t tetrahedron_count;
} CpsStuffing;

typedef enum CpsStuffingEnd {
  CPS_STUFFED = 0,
  CPS_STUFFING_NO_MEMORY = 1,
  CPS_STUFFING_TOO_FINE = 2,  // more than CPS_GRID_CELLS cells
  CPS_STUFFING_EMPTY = 3      // no point of the lattice is inside
} CpsStuffingEnd;

// soup: closed, counter-clockwise seen from outside. size: length of the longest lattice edges, m.
CpsStuffingEnd cps_stuff(CpsTriangleSoup soup, double size, CpsStuffing* out);
void cps_stuffing_free(CpsStuffing* stuffing);

#endif
