// Refines meshes and keeps their shape. See refine.c.
#ifndef CAPSTAN_IO_MESH_REFINE_H
#define CAPSTAN_IO_MESH_REFINE_H

#include "capstan/mesh.h"

// Splits every tetrahedron into eight, `times` times. A split drops triangles, texture coordinates and normals. Refused if the result
// would have more than `most` tetrahedra. The mesh stays valid after a failure.
CpsStatus cps_mesh_refine(CpsMeshFile* mesh, int times, int64_t most, CpsError* error);

#endif
