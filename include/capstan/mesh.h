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
/// binary), Medit (text or binary), otherwise OBJ; only TetGen's pair NAME.node and NAME.ele is known by either of its names. A file of
/// up to 1 GB with up to 50 million vertices, triangles or tetrahedra.
/// @param mesh   out: free it with cps_mesh_file_free(); untouched by a refused call
/// @param error  out: "FILE: line or element: what is wrong"
/// @return CPS_OK, CPS_FILE_ERROR, CPS_BAD_FORMAT (no vertex, an index that is not there, a number that is none, counts
///         that do not fit the file) or CPS_NO_MEMORY
CPS_API CpsStatus cps_mesh_file_read(const char* path, CpsMeshFile* mesh, CpsError* error);
/// The same from bytes in memory.
/// @param name  used as the file name in error messages
CPS_API CpsStatus cps_mesh_file_parse(const void* bytes, size_t size, const char* name, CpsMeshFile* mesh,
                                      CpsError* error);
/// Frees its contents and zeroes it. NULL is allowed.
CPS_API void cps_mesh_file_free(CpsMeshFile* mesh);
/// Writes vertices, triangles and tetrahedra as MSH 4.1 text, which Gmsh and this library read; a path that ends in ".ply": vertices,
/// their normals and triangles as PLY text. The file appears whole or not at all.
CPS_API CpsStatus cps_mesh_file_write(const char* path, const CpsMeshFile* mesh, CpsError* error);

/// Facts about a mesh, in its own units. The surface is that of its tetrahedra, or its triangles if it has none.
typedef struct CpsMeshFacts {
  CpsVec3 lower;              ///< least coordinates of vertices
  CpsVec3 upper;              ///< largest ones
  int32_t unused;             ///< vertices that no triangle and no tetrahedron has
  int32_t surface_triangles;  ///< of the surface
  int32_t open_edges;         ///< of the surface that have another number of triangles than one in each direction
  bool closed;                ///< whether there are triangles, and no such edge
  double area;                ///< of the surface
  double volume;              ///< of the tetrahedra, or within a closed surface; NaN: neither
  int32_t inverted;           ///< tetrahedra whose volume is not positive
  int32_t worst;              ///< the tetrahedron with the smallest dihedral angle; -1: there is none
  double angle_min;           ///< smallest dihedral angle, degrees; NaN: no tetrahedra
  double angle_max;           ///< largest one
  double
      smooth_reach;  ///< reach that a smooth surface over it may have (`surface: smooth`, `points`): the default one, or the
                     ///< shortest without holes if that has too many samples; NaN: neither is possible
  double
      smooth_error;  ///< largest distance between the smooth surface of that reach and the mesh or the points, measured at
                     ///< vertices, midpoints of edges and centroids; NaN: there is none
  int32_t smooth_holes;  ///< such places from which the smooth surface was not found: thin or sharp parts
} CpsMeshFacts;
/// Finds them.
/// @return CPS_OK, CPS_BAD_ARGUMENT or CPS_NO_MEMORY
CPS_API CpsStatus cps_mesh_file_facts(const CpsMeshFile* mesh, CpsMeshFacts* facts, CpsError* error);

/// Fills a closed surface with tetrahedra whose longest edges inside are `size`, by isosurface stuffing. The surface of the result
/// is near the given one, but not the same: sharp edges are cut off.
/// @param surface    its triangles, counter-clockwise from outside; if it has none, the surface of its tetrahedra
/// @param size       in the units of the mesh, > 0
/// @param mesh       out: vertices and tetrahedra; free it with cps_mesh_file_free(); untouched by a refused call
/// @param hausdorff  out: largest distance between the two surfaces, measured at vertices, edges' middles and centroids of
///                   both; may be NULL
/// @return CPS_OK; CPS_BAD_ARGUMENT; CPS_BAD_DATA for a surface that is not closed, turned inside out, goes through itself, or is
///         too small for `size`; or CPS_NO_MEMORY
CPS_API CpsStatus cps_mesh_fill(const CpsMeshFile* surface, double size, CpsMeshFile* mesh, double* hausdorff,
                                CpsError* error);

/// Points with normals on a surface, no two nearer than `spacing`, evenly spread: what a scanner would give.
/// @param surface  its triangles, counter-clockwise from outside
/// @param spacing  in the units of the mesh, > 0
/// @param points   out: vertices and normals; free it with cps_mesh_file_free(); untouched by a refused call
/// @return CPS_OK; CPS_BAD_ARGUMENT; CPS_BAD_DATA for a surface without triangles or more than 4 000 000 points; or CPS_NO_MEMORY
CPS_API CpsStatus cps_mesh_sample(const CpsMeshFile* surface, double spacing, CpsMeshFile* points, CpsError* error);

#ifdef __cplusplus
}
#endif
#endif
