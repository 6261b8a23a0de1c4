// The triangles of a sheet: nodes (vertices joined by a seam share one), edges, hinges, and the load-free shape.
#ifndef CAPSTAN_MODEL_SHEET_MESH_H
#define CAPSTAN_MODEL_SHEET_MESH_H

#include "capstan/sheet.h"
#include "core/arena.h"
#include "core/vec3.h"

typedef struct CpsVec2 {
  double x, y;
} CpsVec2;

// A hinge: an edge between two triangles. Nodes a -> b is the direction of the edge in the first triangle; c is the third
// node of the first triangle, d that of the second.
typedef struct CpsSheetHinge {
  int32_t node[4];      // a, b, c, d
  int32_t triangle[2];  // ascending
  int32_t corner[2];    // of c in the first triangle, of d in the second
} CpsSheetHinge;

typedef struct CpsSheetMesh {
  int32_t vertex_count, node_count, triangle_count, edge_count, hinge_count;
  int32_t* node;         // of each vertex
  CpsVec3* place;        // of each node, initial
  int32_t* triangle;     // three nodes each
  int32_t* edge;         // two nodes each, of all edges, ascending
  int32_t* opposite;     // three per triangle: hinge opposite to that corner, -1 on the border
  CpsSheetHinge* hinge;  // ascending by their lower, then their higher node
  CpsVec2* rest;         // three per triangle: its corners in its own plane without load, first axis along the warp
  double* area;          // of each triangle without load
  double* rest_angle;    // of each hinge
} CpsSheetMesh;

// Builds it in the memory of the arena.
// @return CPS_OK, CPS_BAD_DATA with a message that gives the location, or CPS_NO_MEMORY
CpsStatus cps_sheet_mesh_build(const CpsSheetDef* def, CpsArena* arena, CpsSheetMesh* mesh, CpsError* error);

// "sheet flag", or "a sheet" without a name; long names are truncated.
enum { CPS_SHEET_NAME_SIZE = 60 };
const char* cps_sheet_name(const CpsSheetDef* def, char text[CPS_SHEET_NAME_SIZE]);

// Parts built in other files:
// - seams: node, place, node_count; each node has a vertex
CpsStatus cps_sheet_join_seams(const CpsSheetDef* def, CpsArena* arena, CpsSheetMesh* mesh, CpsError* error);
// - rest, area
CpsStatus cps_sheet_flatten(const CpsSheetDef* def, CpsArena* arena, CpsSheetMesh* mesh, CpsError* error);
// - rest_angle
CpsStatus cps_sheet_set_rest_angles(const CpsSheetDef* def, CpsArena* arena, CpsSheetMesh* mesh, CpsError* error);

#endif
