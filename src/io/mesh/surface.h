// The surface of a mesh. See surface.c.
#ifndef CAPSTAN_IO_MESH_SURFACE_H
#define CAPSTAN_IO_MESH_SURFACE_H

#include "capstan/mesh.h"

// Three vertices of each surface triangle. For tetrahedra: the faces that belong to only one of them, in the order of a solid
// (model/solid_mesh.c). Otherwise: the triangles of the mesh. Allocated; NULL if memory runs out.
int32_t* cps_mesh_surface(const CpsMeshFile* mesh, int32_t* count);
// Number of edges without exactly one triangle in each direction; `edge`: one of them, may be NULL. -1 if memory runs out.
int32_t cps_mesh_open_edges(const int32_t* triangles, int32_t count, int32_t edge[2]);
// The enclosed volume, signed by the orientation.
double cps_mesh_enclosed(const CpsMeshFile* mesh, const int32_t* triangles, int32_t count);

// smooth_facts.c: the facts about a smooth surface over these triangles. Without triangles: over the vertices, if they have normals.
// False if memory runs out.
bool cps_mesh_measure_smooth(const CpsMeshFile* mesh, const int32_t* surface, int32_t count, CpsMeshFacts* facts);

#endif
