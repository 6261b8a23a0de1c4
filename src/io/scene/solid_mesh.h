// Meshes of the solids of a scene, in their own axes.
#ifndef CAPSTAN_IO_SCENE_SOLID_MESH_H
#define CAPSTAN_IO_SCENE_SOLID_MESH_H

#include "io/scene/internal.h"

typedef struct CpsSolidLayout {
  const CpsNode* node;  // that says it, for sentences
  int32_t vertex_count, tetrahedron_count, triangle_count;
  CpsVec3* vertices;
  int32_t* tetrahedra;
  int32_t* triangles;  // of the surface
} CpsSolidLayout;

// Builds the mesh that `box`, `ball`, `file` or `fill` of a map describes, in the scene's memory; one of these keys is required.
CpsStatus cps_scene_solid_mesh(CpsReader* reader, const CpsNode* map, CpsSolidLayout* out);

#endif
