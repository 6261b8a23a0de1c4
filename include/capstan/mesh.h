/// @file mesh.h Mesh files: triangles and tetrahedra. Part of the library capstan-io. docs/reference/mesh-files.md
/// describes the formats.
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
  int32_t vertex_count;       ///< at least 1
  CpsVec3* vertices;          ///< vertex_count positions
  int32_t triangle_count;     ///< may be 0: a file of points or of tetrahedra
  int32_t* triangles;         ///< three vertices each, from 0, in the order of the file; polygons are split into fans
  int32_t tetrahedron_count;  ///< may be 0
  int32_t* tetrahedra;        ///< four vertices each, from 0; turned if all of the file have negative volumes
  int32_t uv_count;           ///< texture coordinates; 0: none
  double* uvs;                ///< u, v each; as many as vertices and in their order if triangle_uvs is NULL
  int32_t* triangle_uvs;      ///< per corner of each triangle, into uvs; -1: this corner has none. NULL: per vertex
  int32_t normal_count;       ///< normals; 0: none
  CpsVec3* normals;           ///< as in the file, not normalised; per vertex if triangle_normals is NULL
  int32_t* triangle_normals;  ///< per corner of each triangle, into normals; -1: this corner has none. NULL: per vertex
  int64_t skipped_cells;      ///< cells of unsupported kinds: points, lines, hexahedra, curved cells
} CpsMeshFile;

/// Reads a mesh. The format is recognised by the content: PLY (text or binary), legacy VTK (text or binary; POLYDATA or
/// UNSTRUCTURED_GRID), VTU (text, base64 or appended, compressed by zlib or not), MSH of Gmsh (versions 2 and 4.1, text
/// or binary), Medit (text or binary), otherwise OBJ. TetGen's pair NAME.node and NAME.ele is recognised by either
/// name. Files may have up to 1 GB and 50 million vertices, triangles or tetrahedra.
/// @param mesh   out: free it with cps_mesh_file_free(); unchanged if the call fails
/// @param error  out: "FILE: line or element: what is wrong"
/// @return CPS_OK, CPS_FILE_ERROR, CPS_BAD_FORMAT (no vertices, an index out of range, an invalid number, counts that
/// do not match the file) or CPS_NO_MEMORY
CPS_API CpsStatus cps_mesh_file_read(const char* path, CpsMeshFile* mesh, CpsError* error);
/// The same from bytes in memory.
/// @param name  used as the file name in error messages
CPS_API CpsStatus cps_mesh_file_parse(const void* bytes, size_t size, const char* name, CpsMeshFile* mesh,
                                      CpsError* error);
/// Frees its contents and zeroes it. NULL is allowed.
CPS_API void cps_mesh_file_free(CpsMeshFile* mesh);
/// Writes vertices, triangles and tetrahedra as MSH 4.1 text, readable by Gmsh and this library. If the path ends in
/// ".ply", writes vertices, their normals and triangles as PLY text. The file is replaced atomically.
CPS_API CpsStatus cps_mesh_file_write(const char* path, const CpsMeshFile* mesh, CpsError* error);

/// Facts about a mesh, in its own units. The surface is that of the tetrahedra or, if there are none, the triangles.
typedef struct CpsMeshFacts {
  CpsVec3 lower;              ///< smallest coordinates of the vertices
  CpsVec3 upper;              ///< largest coordinates
  int32_t unused;             ///< vertices that belong to no triangle or tetrahedron
  int32_t surface_triangles;  ///< of the surface
  int32_t open_edges;         ///< edges of the surface that do not have exactly one triangle in each direction
  bool closed;                ///< whether there are triangles and no such edges
  double area;                ///< of the surface
  double volume;              ///< of the tetrahedra, or within a closed surface; NaN: neither
  int32_t inverted;           ///< tetrahedra whose volume is not positive
  int32_t worst;              ///< the tetrahedron with the smallest dihedral angle; -1: none
  double angle_min;           ///< smallest dihedral angle, degrees; NaN: no tetrahedra
  double angle_max;           ///< largest one
  double smooth_reach;        ///< possible reach of a smooth surface over it (`surface: smooth`, `points`): the default
                              ///< or, if that has too many samples, the shortest without holes; NaN: neither is
                              ///< possible
  double smooth_error;        ///< largest distance between the smooth surface of that reach and the mesh or the points,
                              ///< measured at vertices, midpoints of edges and centroids; NaN: there is none
  int32_t smooth_holes;       ///< such points from which the smooth surface was not found: thin or sharp parts
} CpsMeshFacts;
/// Computes these facts.
/// @return CPS_OK, CPS_BAD_ARGUMENT or CPS_NO_MEMORY
CPS_API CpsStatus cps_mesh_file_facts(const CpsMeshFile* mesh, CpsMeshFacts* facts, CpsError* error);

/// Fills a closed surface with tetrahedra whose longest interior edges are `size`, by isosurface stuffing. The surface
/// of the result is close to the given one but not identical: sharp edges are cut off.
/// @param surface    its triangles, counter-clockwise from outside; if it has none, the surface of its tetrahedra
/// @param size       in the units of the mesh, > 0
/// @param mesh       out: vertices and tetrahedra; free it with cps_mesh_file_free(); unchanged if the call fails
/// @param hausdorff  out: largest distance between the two surfaces, measured at vertices, midpoints of edges and
///                   centroids of both; may be NULL
/// @return CPS_OK; CPS_BAD_ARGUMENT; CPS_BAD_DATA for a surface that is open, inside out, self-intersecting or too
/// small for `size`; or CPS_NO_MEMORY
CPS_API CpsStatus cps_mesh_fill(const CpsMeshFile* surface, double size, CpsMeshFile* mesh, double* hausdorff,
                                CpsError* error);

/// Samples a surface by evenly spread points with normals, no two closer than `spacing`, like a scanner.
/// @param surface  its triangles, counter-clockwise from outside
/// @param spacing  in the units of the mesh, > 0
/// @param points   out: vertices and normals; free it with cps_mesh_file_free(); unchanged if the call fails
/// @return CPS_OK; CPS_BAD_ARGUMENT; CPS_BAD_DATA for a surface without triangles or more than 4 000 000 points; or
/// CPS_NO_MEMORY
CPS_API CpsStatus cps_mesh_sample(const CpsMeshFile* surface, double spacing, CpsMeshFile* points, CpsError* error);

#ifdef __cplusplus
}
#endif
#endif
