// Triangle surfaces of a world in the order of results and frames: its sheets, then its solids.
#ifndef CAPSTAN_IO_WORLD_SURFACES_H
#define CAPSTAN_IO_WORLD_SURFACES_H

#include "capstan/array.h"
#include "capstan/solid.h"

// Positions and velocities of the vertices of surface i; either may be NULL. Returns their number, -1: no such surface.
int32_t cps_world_surface_vertices(const CpsWorld* world, int32_t i, CpsVec3* position, CpsVec3* velocity);

typedef struct CpsWorldSurface {
  int32_t vertex_count, triangle_count;
  const int32_t* triangles;
  double thickness, mass;
} CpsWorldSurface;
// Zeroed: no such surface.
CpsWorldSurface cps_world_surface(const CpsWorld* world, int32_t i);

#endif
