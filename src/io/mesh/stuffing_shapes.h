// Splits the inside part of one lattice tetrahedron into tetrahedra. See stuffing_shapes.c.
#ifndef CAPSTAN_IO_MESH_STUFFING_SHAPES_H
#define CAPSTAN_IO_MESH_STUFFING_SHAPES_H

#include "io/mesh/stuffing.h"

typedef struct CpsStuffCorner {
  int64_t number;  // of the lattice
  int side;        // 1 inside, 0 on the surface, -1 outside
  CpsVec3 place;
} CpsStuffCorner;

// The growing mesh, and its vertices by name: a lattice point, or a cut, named after the two ends of its edge. Owns its memory.
typedef struct CpsStuffer {
  CpsStuffing out;
  int64_t vertex_room, tetrahedron_room;
  struct CpsStuffName* names;  // open addressing, at most half full
  int64_t name_room;           // a power of two
} CpsStuffer;

// cut[i][j]: the cut of the edge from corner i, inside, to corner j, outside. False: memory runs out.
bool cps_stuff_shape(CpsStuffer* to, const CpsStuffCorner corner[4], CpsVec3 cut[4][4]);
// Frees the names and hands over the mesh.
CpsStuffing cps_stuffer_finish(CpsStuffer* to);

#endif
