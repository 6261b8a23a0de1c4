// The parts of mesh collisions, all in the frame of the mesh.
#ifndef CAPSTAN_GEOMETRY_MESH_COLLIDE_H
#define CAPSTAN_GEOMETRY_MESH_COLLIDE_H

#include "geometry/mesh.h"
#include "geometry/pairs.h"
#include "geometry/touches.h"

typedef struct CpsMeshQuery {
  const CpsMeshTree* mesh;
  CpsConvex a;     // in the frame of the mesh
  CpsVec3 centre;  // of a
  CpsAabb box;     // of a, grown by the margin
  bool sided;      // the centre decides the side of a
  CpsTouches touches;
} CpsMeshQuery;

// Overhang, in inner radii: a corner sunk into two walls of a valley has its foot beyond both.
#define CPS_MESH_OVERHANG 0.05

enum { CPS_MESH_FACE = 1, CPS_MESH_EDGE = 2, CPS_MESH_VERTEX = 3 };

// Whether the foot of x on the plane of a triangle lies in the triangle, or within `overhang` of it across a valley.
bool cps_mesh_over_triangle(const CpsMeshTree* mesh, const CpsMeshTriangle* triangle, CpsVec3 x, double overhang);
// Whether a unit normal at an edge or a vertex lies in its normal cone, up to a sine.
bool cps_mesh_edge_sees(const CpsMeshTree* mesh, const CpsMeshEdge* edge, CpsVec3 normal, double tolerance);
bool cps_mesh_vertex_sees(const CpsMeshTree* mesh, const CpsMeshVertex* vertex, CpsVec3 normal, double tolerance);
// Keeps a touch unless it lies on the far side of a, or so deep that it belongs to the other side of a thin wall.
void cps_mesh_add(CpsMeshQuery* query, CpsVec3 front, const CpsTouch* touch);
// The same for a corner of a on triangle t; a corner that has sunk in leaves by the nearest triangle of a convex part of
// the surface, not by all of them.
void cps_mesh_add_corner(CpsMeshQuery* query, int32_t t, const CpsTouch* touch);

// One triangle, edge or vertex of the mesh with a sphere, capsule or cylinder; with a polyhedron.
void cps_mesh_round_face(CpsMeshQuery* query, int32_t triangle);
void cps_mesh_round_edge(CpsMeshQuery* query, int32_t edge);
void cps_mesh_round_vertex(CpsMeshQuery* query, int32_t vertex);
void cps_mesh_solid_face(CpsMeshQuery* query, int32_t triangle);
void cps_mesh_solid_edge(CpsMeshQuery* query, int32_t edge);
void cps_mesh_solid_vertex(CpsMeshQuery* query, int32_t vertex);

#endif
