// A surface of triangles: its connectivity, and a tree to find the triangles near a body.
#ifndef CAPSTAN_GEOMETRY_MESH_H
#define CAPSTAN_GEOMETRY_MESH_H

#include "geometry/bvh.h"

typedef struct CpsMeshTriangle {
  int32_t vertex[3];
  int32_t edge[3];  // from vertex k to the next one
  CpsVec3 normal;
} CpsMeshTriangle;

// A ridge is an edge that a body can touch: one that sticks out, or the border of the surface. A valley bends the other
// way. An edge bent by no more than rounding is neither. Bodies with corners only test sharp ridges: at a blunt one they
// lie on the adjacent triangles, while a ball, whose centre is away from the surface, rolls over it.
typedef struct CpsMeshEdge {
  int32_t vertex[2];
  int32_t triangle[2];  // the second is -1 at a border
  CpsVec3 out[2];       // unit, in the plane of each triangle, perpendicular to the edge, away from the triangle
  bool ridge, sharp, valley;
} CpsMeshEdge;

typedef struct CpsMeshVertex {
  CpsVec3 point;
  CpsVec3 normal;              // sum of the normals around it
  int32_t owner;               // its first triangle; -1 if it has none
  int32_t edge_first, degree;  // its edges in `vertex_edge`
  bool ridge, sharp;           // has such an edge
} CpsMeshVertex;

struct CpsMeshTree {
  CpsMeshVertex* vertex;
  CpsMeshTriangle* triangle;
  CpsMeshEdge* edge;
  int32_t* vertex_edge;
  int32_t vertex_count, triangle_count, edge_count;
  bool open;          // has a border
  CpsMeshTree* back;  // the same seen from behind, if it is open; otherwise NULL
  CpsBvh tree;        // over the triangles
};

// From a checked shape; CPS_OK or CPS_NO_MEMORY. Points with equal coordinates are merged, degenerate triangles
// dropped.
CpsStatus cps_mesh_create(const CpsShape* shape, CpsMeshTree** mesh);
void cps_mesh_destroy(CpsMeshTree* mesh);  // NULL is allowed

#endif
