// Shared by the readers of meshes.
#ifndef CAPSTAN_IO_MESH_INTERNAL_H
#define CAPSTAN_IO_MESH_INTERNAL_H

#include "capstan/mesh.h"

enum { CPS_MESH_MOST = 50000000, CPS_MESH_BYTES = 1 << 30 };  // vertices, triangles or tetrahedra; bytes of a file

// As cps_mesh_file_read(), with other limits.
CpsStatus cps_mesh_file_load(const char* path, size_t bytes, int32_t most, CpsMeshFile* mesh, CpsError* error);

// A growing mesh and its source file. `bytes[size]` is readable and zero.
typedef struct CpsMeshBuild {
  const unsigned char* bytes;
  size_t size;
  const char* name;
  CpsError* error;
  int32_t most;  // of anything
  CpsMeshFile mesh;
  int64_t vertex_room, triangle_room, tetrahedron_room, uv_room, normal_room;
  int64_t triangle_uv_room, triangle_normal_room;
} CpsMeshBuild;

CpsStatus cps_mesh_refuse(const CpsMeshBuild* build, const char* format, ...) __attribute__((format(printf, 2, 3)));
CpsStatus cps_mesh_no_memory(const CpsMeshBuild* build);

// Each appends one item.
CpsStatus cps_mesh_add_vertex(CpsMeshBuild* build, CpsVec3 x);
CpsStatus cps_mesh_add_uv(CpsMeshBuild* build, double u, double v);
CpsStatus cps_mesh_add_normal(CpsMeshBuild* build, CpsVec3 n);
CpsStatus cps_mesh_add_triangle(CpsMeshBuild* build, const int64_t vertex[3]);
CpsStatus cps_mesh_add_tetrahedron(CpsMeshBuild* build, const int64_t vertex[4]);
// Indices of the corners of the newest triangle into uvs or normals; -1: none. Earlier triangles without indices get -1.
CpsStatus cps_mesh_add_triangle_uvs(CpsMeshBuild* build, const int64_t uv[3]);
CpsStatus cps_mesh_add_triangle_normals(CpsMeshBuild* build, const int64_t normal[3]);
// polygon.c: splits a polygon into triangles, given by the indices of their corners in the polygon: count - 2 triangles, count >= 3;
// a fan around the first corner if the polygon is convex
typedef enum CpsPolygonCut {
  CPS_POLYGON_CUT,
  CPS_POLYGON_CROSSES,  // itself
  CPS_POLYGON_LARGE,
  CPS_POLYGON_NO_MEMORY
} CpsPolygonCut;
CpsPolygonCut cps_polygon_cut(const CpsVec3* x, int64_t count, int64_t (*out)[3]);
// The same for vertices of a build; the caller frees the list. Refuses a polygon that crosses itself.
CpsStatus cps_mesh_cut_polygon(CpsMeshBuild* build, const int64_t* vertex, int64_t count, int64_t (**triangles)[3]);
// Adds the triangles of a polygon. Fewer than three corners: counts a skipped cell.
CpsStatus cps_mesh_add_polygon(CpsMeshBuild* build, const int64_t* vertex, int64_t count);
// Adds a VTK cell by its type number: keeps triangles, strips, polygons and tetrahedra, counts other cells.
CpsStatus cps_mesh_add_cell(CpsMeshBuild* build, int64_t kind, const int64_t* vertex, int64_t count);
enum { CPS_VTK_STRIP = 6, CPS_VTK_POLYGON = 7 };

// Readers of one format. After a failure, cps_mesh_file_free() still frees the contents of the build.
CpsStatus cps_mesh_from_obj(CpsMeshBuild* build);
CpsStatus cps_mesh_from_ply(CpsMeshBuild* build);
CpsStatus cps_mesh_from_vtk(CpsMeshBuild* build);
CpsStatus cps_mesh_from_vtu(CpsMeshBuild* build);
CpsStatus cps_mesh_from_msh(CpsMeshBuild* build);
CpsStatus cps_mesh_from_medit(CpsMeshBuild* build);
bool cps_mesh_is_medit_binary(const CpsMeshBuild* build);
CpsStatus cps_mesh_from_medit_binary(CpsMeshBuild* build);

#endif
