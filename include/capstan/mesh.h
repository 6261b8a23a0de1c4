/// @file mesh.h
/// Triangles and tetrahedra in files. Part of the library capstan-io. docs/reference/mesh-files.md describes the
/// formats.
///
///     CpsMeshFile mesh;
///     if (cps_mesh_file_read("shirt.obj", &mesh, NULL) == CPS_OK) {
///       use(mesh.vertices, mesh.vertex_count, mesh.triangles, mesh.triangle_count);
///       cps_mesh_file_free(&mesh);
///     }
#ifndef CAPSTAN_MESH_H
#define CAPSTAN_MESH_H

#include "capstan/base.h"
#include "capstan/vec.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A mesh, in the units and axes of its file. All numbers are finite and all indices within their range.
typedef struct CpsMeshFile {
  int32_t vertex_count;    ///< at least 1
  CpsVec3* vertices;       ///< vertex_count places
  int32_t triangle_count;  ///< may be 0: a file of points or of tetrahedra
  int32_t* triangles;      ///< three vertices each, from 0, in the order of the file; polygons are cut about a corner
  int32_t tetrahedron_count;  ///< may be 0
  int32_t* tetrahedra;        ///< four vertices each, from 0
  int32_t uv_count;           ///< texture coordinates; 0: none
  double* uvs;                ///< u, v each; as many as vertices and in their order if triangle_uvs is NULL
  int32_t* triangle_uvs;      ///< per corner of each triangle, into uvs; -1: this corner has none. NULL: per vertex
  int32_t normal_count;       ///< normals; 0: none
  CpsVec3* normals;           ///< as they are in the file, not of unit length; per vertex if triangle_normals is NULL
  int32_t* triangle_normals;  ///< per corner of each triangle, into normals; -1: this corner has none. NULL: per vertex
  int64_t skipped_cells;      ///< cells of kinds that are not read: points, lines, hexahedra, curved ones
} CpsMeshFile;

/// Reads a mesh. The content tells the format: PLY (text or binary), legacy VTK (text or binary; POLYDATA or
/// UNSTRUCTURED_GRID), VTU (text, base64 or appended, compressed by zlib or not), MSH of Gmsh (versions 2 and 4.1, text or
/// binary), Medit (text), otherwise OBJ; only TetGen's pair NAME.node and NAME.ele is known by either of its names. A file of
/// up to 1 GB with up to 50 million vertices, triangles or tetrahedra.
/// @param mesh   out: free it with cps_mesh_file_free(); untouched by a refused call
/// @param error  out: "FILE: line or element: what is wrong"
/// @return CPS_OK, CPS_FILE_ERROR, CPS_BAD_FORMAT (no vertex, an index that is not there, a number that is none, counts
///         that do not fit the file) or CPS_NO_MEMORY
CPS_API CpsStatus cps_mesh_file_read(const char* path, CpsMeshFile* mesh, CpsError* error);
/// The same from bytes in memory.
/// @param name  stands for the file in error sentences
CPS_API CpsStatus cps_mesh_file_parse(const void* bytes, size_t size, const char* name, CpsMeshFile* mesh,
                                      CpsError* error);
/// Frees what is in it and zeroes it. NULL is allowed.
CPS_API void cps_mesh_file_free(CpsMeshFile* mesh);

#ifdef __cplusplus
}
#endif
#endif
