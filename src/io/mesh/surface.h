// The surface of a mesh. See surface.c.
#ifndef CAPSTAN_IO_MESH_SURFACE_H
#define CAPSTAN_IO_MESH_SURFACE_H

#include "capstan/mesh.h"

// Three vertices of each triangle of the surface: of tetrahedra the faces that only one of them has, in their order and that of
// a solid (model/solid_mesh.c), otherwise the triangles of the mesh. Allocated; NULL if memory runs out.
int32_t* cps_mesh_surface(const CpsMeshFile* mesh, int32_t* count);
// Edges that do not have one triangle in each direction; `edge`: one of them, may be NULL. -1 if memory runs out.
int32_t cps_mesh_open_edges(const int32_t* triangles, int32_t count, int32_t edge[2]);
// The volume within, with the sign of its orientation.
double cps_mesh_enclosed(const CpsMeshFile* mesh, const int32_t* triangles, int32_t count);

// smooth_facts.c: the facts about a smooth surface over these triangles, or over the vertices if they have normals and there is no
// triangle. False if memory runs out.
bool cps_mesh_measure_smooth(const CpsMeshFile* mesh, const int32_t* surface, int32_t count, CpsMeshFacts* facts);

#endif
