// The tetrahedra of a solid: volumes, gradients of their corners' weights, and the surface.
#ifndef CAPSTAN_MODEL_SOLID_MESH_H
#define CAPSTAN_MODEL_SOLID_MESH_H

#include "capstan/solid.h"
#include "core/arena.h"
#include "core/vec3.h"

typedef struct CpsSolidMesh {
  int32_t vertex_count, tetrahedron_count, triangle_count;
  int32_t* tetrahedron;  // four vertices each
  int32_t* triangle;     // three vertices each, of the surface, counter-clockwise from outside, by tetrahedra
  double* volume;        // of each tetrahedron without load, m^3
  CpsVec3* gradient;     // four per tetrahedron: of the weights of its corners in space without load, 1/m
} CpsSolidMesh;

// Builds it in the memory of the arena.
// @return CPS_OK, CPS_BAD_DATA with a message that gives the location, or CPS_NO_MEMORY
CpsStatus cps_solid_mesh_build(const CpsSolidDef* def, CpsArena* arena, CpsSolidMesh* mesh, CpsError* error);

// "solid ball", or "a solid" without a name; long names are truncated.
enum { CPS_SOLID_NAME_SIZE = 60 };
const char* cps_solid_name(const CpsSolidDef* def, char text[CPS_SOLID_NAME_SIZE]);

#endif
