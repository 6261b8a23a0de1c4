// Meshes from files: finds the format, and makes the checks common to all formats.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "core/vec3.h"
#include "io/file_text.h"
#include "io/mesh/internal.h"
#include "io/mesh/tetgen.h"

enum { PATH_MOST = 4096 };

void cps_mesh_file_free(CpsMeshFile* mesh) {
  if (!mesh) return;
  free(mesh->vertices);
  free(mesh->triangles);
  free(mesh->tetrahedra);
  free(mesh->uvs);
  free(mesh->triangle_uvs);
  free(mesh->normals);
  free(mesh->triangle_normals);
  *mesh = (CpsMeshFile){0};
}

static bool begins_with(const CpsMeshBuild* build, const char* mark) {
  return build->size >= strlen(mark) && memcmp(build->bytes, mark, strlen(mark)) == 0;
}

static CpsStatus read_format(CpsMeshBuild* build) {
  if (begins_with(build, "ply\n") || begins_with(build, "ply\r")) return cps_mesh_from_ply(build);
  if (begins_with(build, "# vtk DataFile")) return cps_mesh_from_vtk(build);
  if (begins_with(build, "<?xml") || begins_with(build, "<VTKFile")) return cps_mesh_from_vtu(build);
  if (begins_with(build, "$MeshFormat")) return cps_mesh_from_msh(build);
  if (begins_with(build, "MeshVersionFormatted")) return cps_mesh_from_medit(build);
  if (cps_mesh_is_medit_binary(build)) return cps_mesh_from_medit_binary(build);
  return cps_mesh_from_obj(build);
}

static CpsStatus check_indices(const CpsMeshBuild* build, const int32_t* index, int32_t count, int each,
                               const char* what) {
  for (int64_t i = 0; i < (int64_t)count * each; ++i) {
    if (index[i] < build->mesh.vertex_count) continue;
    return cps_mesh_refuse(build, "%s %lld refers to vertex %d (counted from 0), but the file has only %d", what,
                           (long long)i / each + 1, (int)index[i], (int)build->mesh.vertex_count);
  }
  return CPS_OK;
}

// Index -1 for corners without one, including all triangles after the last one that had some.
static CpsStatus finish_corners(CpsMeshBuild* build, int32_t** corners, int64_t room, int32_t values,
                                const char* what) {
  if (!*corners) return CPS_OK;
  const int64_t count = build->mesh.triangle_count;
  int32_t* whole = realloc(*corners, 3 * (size_t)count * sizeof **corners);
  if (!whole) return cps_mesh_no_memory(build);
  *corners = whole;
  for (int64_t i = 3 * room; i < 3 * count; ++i) whole[i] = -1;
  for (int64_t i = 0; i < 3 * count; ++i) {
    if (whole[i] >= values) {
      return cps_mesh_refuse(build, "triangle %lld refers to %s %d, but the file has only %d", (long long)i / 3 + 1,
                             what, (int)whole[i] + 1, (int)values);
    }
  }
  return CPS_OK;
}

// Vertex values must match the vertices in number; corner values that no corner uses are dropped.
static CpsStatus check_attributes(CpsMeshBuild* build) {
  CpsMeshFile* mesh = &build->mesh;
  if (mesh->uv_count > 0 && !mesh->triangle_uvs && mesh->uv_count != mesh->vertex_count) {
    return cps_mesh_refuse(build, "%d texture coordinates for %d vertices", (int)mesh->uv_count,
                           (int)mesh->vertex_count);
  }
  if (mesh->normal_count > 0 && !mesh->triangle_normals && mesh->normal_count != mesh->vertex_count) {
    return cps_mesh_refuse(build, "%d normals for %d vertices", (int)mesh->normal_count, (int)mesh->vertex_count);
  }
  CpsStatus status =
      finish_corners(build, &mesh->triangle_uvs, build->triangle_uv_room, mesh->uv_count, "texture coordinate");
  if (status != CPS_OK) return status;
  return finish_corners(build, &mesh->triangle_normals, build->triangle_normal_room, mesh->normal_count, "normal");
}

// Programs disagree on the order of corners. If all tetrahedra have negative volumes, the file uses the other order,
// and they are turned. If only some have, these are inverted and are left for the caller to see.
static void turn_tetrahedra(CpsMeshFile* mesh) {
  for (int32_t t = 0; t < mesh->tetrahedron_count; ++t) {
    const int32_t* n = mesh->tetrahedra + 4 * (int64_t)t;
    CpsVec3 e[3];
    for (int i = 0; i < 3; ++i) e[i] = cps_vec3_sub(mesh->vertices[n[i + 1]], mesh->vertices[n[0]]);
    if (!(cps_vec3_dot(e[0], cps_vec3_cross(e[1], e[2])) < 0.0)) return;
  }
  for (int32_t t = 0; t < mesh->tetrahedron_count; ++t) {
    int32_t *n = mesh->tetrahedra + 4 * (int64_t)t, last = n[3];
    n[3] = n[2];
    n[2] = last;
  }
}

static CpsStatus check_all(CpsMeshBuild* build) {
  CpsStatus status;
  const CpsMeshFile* mesh = &build->mesh;
  if (mesh->vertex_count == 0) {
    return cps_mesh_refuse(
        build, "has no vertex; meshes are read from OBJ, PLY, legacy VTK, VTU, MSH, Medit and TetGen files");
  }
  status = check_indices(build, mesh->triangles, mesh->triangle_count, 3, "triangle");
  if (status != CPS_OK) return status;
  status = check_indices(build, mesh->tetrahedra, mesh->tetrahedron_count, 4, "tetrahedron");
  if (status != CPS_OK) return status;
  turn_tetrahedra(&build->mesh);
  return check_attributes(build);
}

// bytes[size] is zero.
static CpsStatus parse_ended(const unsigned char* bytes, size_t size, const char* name, int32_t most, CpsMeshFile* mesh,
                             CpsError* error) {
  CpsMeshBuild build = {.bytes = bytes, .size = size, .name = name, .error = error, .most = most};
  if (error) error->text[0] = '\0';
  CpsStatus status = read_format(&build);
  if (status == CPS_OK) status = check_all(&build);
  if (status == CPS_OK) {
    *mesh = build.mesh;
  } else {
    cps_mesh_file_free(&build.mesh);
  }
  return status;
}

static bool ends_with(const char* path, const char* end) {
  return strlen(path) >= strlen(end) && strcmp(path + strlen(path) - strlen(end), end) == 0;
}

// One of the two TetGen files, by the stem of their common name.
static CpsStatus read_half(CpsMeshBuild* build, const char* stem, const char* end, size_t limit, int64_t* first) {
  char path[PATH_MOST], why[CPS_FILE_WHY_SIZE];
  snprintf(path, sizeof path, "%s%s", stem, end);
  char* text = NULL;
  CpsStatus status = cps_file_text(path, limit, true, &text, &build->size, NULL, why);
  if (status != CPS_OK) return cps_io_fail(build->error, status, path, NULL, "%s", why);
  build->bytes = (const unsigned char*)text;
  build->name = path;
  status = end[1] == 'n' ? cps_mesh_from_node(build, first) : cps_mesh_from_ele(build, *first);
  free(text);
  build->name = stem;
  return status;
}

static CpsStatus load_tetgen(const char* path, size_t bytes, int32_t most, CpsMeshFile* mesh, CpsError* error) {
  CpsMeshBuild build = {.error = error, .most = most};
  char stem[PATH_MOST];
  int64_t first = 0;
  const int length = (int)(strrchr(path, '.') - path);
  if (length + 6 >= PATH_MOST) return cps_io_fail(error, CPS_FILE_ERROR, path, NULL, "the name is too long");
  snprintf(stem, sizeof stem, "%.*s", length, path);
  CpsStatus status = read_half(&build, stem, ".node", bytes, &first);
  if (status == CPS_OK) status = read_half(&build, stem, ".ele", bytes, &first);
  build.name = path;  // for error messages
  if (status == CPS_OK) status = check_all(&build);
  if (status == CPS_OK) {
    *mesh = build.mesh;
  } else {
    cps_mesh_file_free(&build.mesh);
  }
  return status;
}

CpsStatus cps_mesh_file_load(const char* path, size_t bytes, int32_t most, CpsMeshFile* mesh, CpsError* error) {
  char* text = NULL;
  size_t length;
  char why[CPS_FILE_WHY_SIZE];
  if (ends_with(path, ".node") || ends_with(path, ".ele")) return load_tetgen(path, bytes, most, mesh, error);
  CpsStatus status = cps_file_text(path, bytes, true, &text, &length, NULL, why);
  if (status != CPS_OK) return cps_io_fail(error, status, path, NULL, "%s", why);
  status = parse_ended((const unsigned char*)text, length, path, most, mesh, error);
  free(text);
  return status;
}

CpsStatus cps_mesh_file_read(const char* path, CpsMeshFile* mesh, CpsError* error) {
  if (!path || !mesh) return cps_io_fail(error, CPS_BAD_ARGUMENT, path ? path : "", NULL, "path or mesh is NULL");
  return cps_mesh_file_load(path, CPS_MESH_BYTES, CPS_MESH_MOST, mesh, error);
}

CpsStatus cps_mesh_file_parse(const void* bytes, size_t size, const char* name, CpsMeshFile* mesh, CpsError* error) {
  if ((!bytes && size > 0) || !name || !mesh) {
    return cps_io_fail(error, CPS_BAD_ARGUMENT, name ? name : "", NULL, "bytes, name or mesh is NULL");
  }
  unsigned char* copy = size < SIZE_MAX ? malloc(size + 1) : NULL;
  if (!copy) return cps_io_fail(error, CPS_NO_MEMORY, name, NULL, "out of memory");
  if (size > 0) memcpy(copy, bytes, size);
  copy[size] = 0;
  CpsStatus status = parse_ended(copy, size, name, CPS_MESH_MOST, mesh, error);
  free(copy);
  return status;
}
