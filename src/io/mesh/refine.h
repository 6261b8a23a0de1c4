// Finer meshes of the same shape. See refine.c.
#ifndef CAPSTAN_IO_MESH_REFINE_H
#define CAPSTAN_IO_MESH_REFINE_H

#include "capstan/mesh.h"

// Splits every tetrahedron into eight, `times` times; triangles, texture coordinates and normals are dropped if it does. Refused if there would be
// more than `most` tetrahedra; the mesh is valid after a failure too.
CpsStatus cps_mesh_refine(CpsMeshFile* mesh, int times, int64_t most, CpsError* error);

#endif
