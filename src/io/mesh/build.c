// Meshes that grow as they are read.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fail.h"
#include "io/mesh/internal.h"

CpsStatus cps_mesh_refuse(const CpsMeshBuild* build, const char* format, ...) {
  char reason[sizeof build->error->text];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(reason, sizeof reason, format, arguments);
  va_end(arguments);
  return cps_io_fail(build->error, CPS_BAD_FORMAT, build->name, NULL, "%s", reason);
}

CpsStatus cps_mesh_no_memory(const CpsMeshBuild* build) {
  return cps_io_fail(build->error, CPS_NO_MEMORY, build->name, NULL, "out of memory");
}

// Room for one more after `count` entries; grows by half.
static bool make_room(void** array, int64_t* room, int64_t count, size_t size) {
  if (count < *room) return true;
  const int64_t larger = *room + *room / 2 + 64;
  void* grown = realloc(*array, (size_t)larger * size);
  if (!grown) return false;
  *array = grown;
  *room = larger;
  return true;
}

static CpsStatus check_count(const CpsMeshBuild* build, int32_t count, const char* what) {
  return count < build->most ? CPS_OK : cps_mesh_refuse(build, "more than %d %s", (int)build->most, what);
}

CpsStatus cps_mesh_add_vertex(CpsMeshBuild* build, CpsVec3 x) {
  CpsMeshFile* mesh = &build->mesh;
  CpsStatus status = check_count(build, mesh->vertex_count, "vertices");
  if (status != CPS_OK) return status;
  if (!isfinite(x.x) || !isfinite(x.y) || !isfinite(x.z)) {
    return cps_mesh_refuse(build, "vertex %d has a coordinate that is not finite", (int)mesh->vertex_count + 1);
  }
  if (!make_room((void**)&mesh->vertices, &build->vertex_room, mesh->vertex_count, sizeof x)) {
    return cps_mesh_no_memory(build);
  }
  mesh->vertices[mesh->vertex_count++] = x;
  return CPS_OK;
}

CpsStatus cps_mesh_add_uv(CpsMeshBuild* build, double u, double v) {
  CpsMeshFile* mesh = &build->mesh;
  CpsStatus status = check_count(build, mesh->uv_count, "texture coordinates");
  if (status != CPS_OK) return status;
  if (!isfinite(u) || !isfinite(v)) {
    return cps_mesh_refuse(build, "texture coordinate %d is not finite", (int)mesh->uv_count + 1);
  }
  if (!make_room((void**)&mesh->uvs, &build->uv_room, mesh->uv_count, 2 * sizeof u)) return cps_mesh_no_memory(build);
  mesh->uvs[2 * (size_t)mesh->uv_count] = u;
  mesh->uvs[2 * (size_t)mesh->uv_count++ + 1] = v;
  return CPS_OK;
}

CpsStatus cps_mesh_add_normal(CpsMeshBuild* build, CpsVec3 n) {
  CpsMeshFile* mesh = &build->mesh;
  CpsStatus status = check_count(build, mesh->normal_count, "normals");
  if (status != CPS_OK) return status;
  if (!isfinite(n.x) || !isfinite(n.y) || !isfinite(n.z)) {
    return cps_mesh_refuse(build, "normal %d is not finite", (int)mesh->normal_count + 1);
  }
  if (!make_room((void**)&mesh->normals, &build->normal_room, mesh->normal_count, sizeof n)) {
    return cps_mesh_no_memory(build);
  }
  mesh->normals[mesh->normal_count++] = n;
  return CPS_OK;
}

// Whether an index is possible for a mesh; vertices may be read later.
static bool is_index(int64_t index) {
  return index >= 0 && index < INT32_MAX;
}

CpsStatus cps_mesh_add_triangle(CpsMeshBuild* build, const int64_t vertex[3]) {
  CpsMeshFile* mesh = &build->mesh;
  CpsStatus status = check_count(build, mesh->triangle_count, "triangles");
  if (status != CPS_OK) return status;
  if (!make_room((void**)&mesh->triangles, &build->triangle_room, mesh->triangle_count, 3 * sizeof(int32_t))) {
    return cps_mesh_no_memory(build);
  }
  for (int k = 0; k < 3; ++k) {
    if (!is_index(vertex[k])) return cps_mesh_refuse(build, "a face refers to vertex %lld", (long long)vertex[k]);
    mesh->triangles[3 * (size_t)mesh->triangle_count + (size_t)k] = (int32_t)vertex[k];
  }
  mesh->triangle_count++;
  return CPS_OK;
}

CpsStatus cps_mesh_add_tetrahedron(CpsMeshBuild* build, const int64_t vertex[4]) {
  CpsMeshFile* mesh = &build->mesh;
  CpsStatus status = check_count(build, mesh->tetrahedron_count, "tetrahedra");
  if (status != CPS_OK) return status;
  if (!make_room((void**)&mesh->tetrahedra, &build->tetrahedron_room, mesh->tetrahedron_count, 4 * sizeof(int32_t))) {
    return cps_mesh_no_memory(build);
  }
  for (int k = 0; k < 4; ++k) {
    if (!is_index(vertex[k]))
      return cps_mesh_refuse(build, "a tetrahedron refers to vertex %lld", (long long)vertex[k]);
    mesh->tetrahedra[4 * (size_t)mesh->tetrahedron_count + (size_t)k] = (int32_t)vertex[k];
  }
  mesh->tetrahedron_count++;
  return CPS_OK;
}

// Corners of the newest triangle; triangles from `*room_used` on without corners get -1.
static CpsStatus add_corners(CpsMeshBuild* build, int32_t** corners, int64_t* room, const int64_t index[3]) {
  const int64_t count = build->mesh.triangle_count;
  if (count > *room) {
    const int64_t larger = count + count / 2 + 64;
    int32_t* grown = realloc(*corners, 3 * (size_t)larger * sizeof **corners);
    if (!grown) return cps_mesh_no_memory(build);
    for (int64_t i = 3 * *room; i < 3 * larger; ++i) grown[i] = -1;
    *corners = grown;
    *room = larger;
  }
  for (int k = 0; k < 3; ++k) (*corners)[3 * (count - 1) + k] = is_index(index[k]) ? (int32_t)index[k] : -1;
  return CPS_OK;
}

CpsStatus cps_mesh_add_triangle_uvs(CpsMeshBuild* build, const int64_t uv[3]) {
  return add_corners(build, &build->mesh.triangle_uvs, &build->triangle_uv_room, uv);
}

CpsStatus cps_mesh_add_triangle_normals(CpsMeshBuild* build, const int64_t normal[3]) {
  return add_corners(build, &build->mesh.triangle_normals, &build->triangle_normal_room, normal);
}

CpsStatus cps_mesh_add_polygon(CpsMeshBuild* build, const int64_t* vertex, int64_t count) {
  if (count < 3) build->mesh.skipped_cells++;
  if (count == 3) return cps_mesh_add_triangle(build, vertex);
  int64_t(*cut)[3] = NULL;
  CpsStatus status = count > 3 ? cps_mesh_cut_polygon(build, vertex, count, &cut) : CPS_OK;
  for (int64_t k = 0; status == CPS_OK && k < count - 2; ++k) {
    const int64_t corner[3] = {vertex[cut[k][0]], vertex[cut[k][1]], vertex[cut[k][2]]};
    status = cps_mesh_add_triangle(build, corner);
  }
  free(cut);
  return status;
}

// In a strip, every other triangle has the opposite orientation.
static CpsStatus add_strip(CpsMeshBuild* build, const int64_t* vertex, int64_t count) {
  if (count < 3) build->mesh.skipped_cells++;
  for (int64_t k = 2; k < count; ++k) {
    const int64_t odd = k % 2, corner[3] = {vertex[k - 2 + odd], vertex[k - 1 - odd], vertex[k]};
    CpsStatus status = cps_mesh_add_triangle(build, corner);
    if (status != CPS_OK) return status;
  }
  return CPS_OK;
}

CpsStatus cps_mesh_add_cell(CpsMeshBuild* build, int64_t kind, const int64_t* vertex, int64_t count) {
  enum { TRIANGLE = 5, PIXEL = 8, QUAD = 9, TETRAHEDRON = 10 };
  if (kind == CPS_VTK_POLYGON || (kind == TRIANGLE && count == 3) || (kind == QUAD && count == 4)) {
    return cps_mesh_add_polygon(build, vertex, count);
  }
  if (kind == CPS_VTK_STRIP) return add_strip(build, vertex, count);
  if (kind == TETRAHEDRON && count == 4) return cps_mesh_add_tetrahedron(build, vertex);
  if (kind == PIXEL && count == 4) {
    const int64_t around[4] = {vertex[0], vertex[1], vertex[3], vertex[2]};
    return cps_mesh_add_polygon(build, around, 4);
  }
  build->mesh.skipped_cells++;
  return CPS_OK;
}
