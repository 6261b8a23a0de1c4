// Writing meshes as MSH 4.1 text: one block of vertices, one of triangles, one of tetrahedra; or as PLY text.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/fail.h"
#include "capstan/mesh.h"

static void put_elements(FILE* out, const CpsMeshFile* mesh) {
  const int32_t total = mesh->triangle_count + mesh->tetrahedron_count;
  const int blocks = (mesh->triangle_count > 0) + (mesh->tetrahedron_count > 0);
  int32_t tag = 1;
  fprintf(out, "$Elements\n%d %d 1 %d\n", blocks, (int)total, (int)total);
  if (mesh->triangle_count > 0) fprintf(out, "2 1 2 %d\n", (int)mesh->triangle_count);
  for (int64_t i = 0; i < mesh->triangle_count; ++i) {
    const int32_t* v = mesh->triangles + 3 * i;
    fprintf(out, "%d %d %d %d\n", (int)tag++, (int)v[0] + 1, (int)v[1] + 1, (int)v[2] + 1);
  }
  if (mesh->tetrahedron_count > 0) fprintf(out, "3 1 4 %d\n", (int)mesh->tetrahedron_count);
  for (int64_t i = 0; i < mesh->tetrahedron_count; ++i) {
    const int32_t* v = mesh->tetrahedra + 4 * i;
    fprintf(out, "%d %d %d %d %d\n", (int)tag++, (int)v[0] + 1, (int)v[1] + 1, (int)v[2] + 1, (int)v[3] + 1);
  }
  fputs("$EndElements\n", out);
}

static void put_msh(FILE* out, const CpsMeshFile* mesh) {
  const int n = (int)mesh->vertex_count, dimension = mesh->tetrahedron_count > 0 ? 3 : 2;
  fprintf(out, "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 %d 1 %d\n%d 1 0 %d\n", n, n, dimension, n);
  for (int i = 1; i <= n; ++i) fprintf(out, "%d\n", i);
  for (int i = 0; i < n; ++i) {
    fprintf(out, "%.17g %.17g %.17g\n", mesh->vertices[i].x, mesh->vertices[i].y, mesh->vertices[i].z);
  }
  fputs("$EndNodes\n", out);
  put_elements(out, mesh);
}

static void put_ply(FILE* out, const CpsMeshFile* mesh) {
  const bool normals = mesh->normal_count == mesh->vertex_count && !mesh->triangle_normals;
  fprintf(out, "ply\nformat ascii 1.0\nelement vertex %d\n", (int)mesh->vertex_count);
  fputs("property double x\nproperty double y\nproperty double z\n", out);
  if (normals) fputs("property double nx\nproperty double ny\nproperty double nz\n", out);
  if (mesh->triangle_count > 0) {
    fprintf(out, "element face %d\nproperty list uchar int vertex_indices\n", (int)mesh->triangle_count);
  }
  fputs("end_header\n", out);
  for (int32_t i = 0; i < mesh->vertex_count; ++i) {
    const CpsVec3 x = mesh->vertices[i];
    fprintf(out, "%.9g %.9g %.9g", x.x, x.y, x.z);
    if (normals) fprintf(out, " %.9g %.9g %.9g", mesh->normals[i].x, mesh->normals[i].y, mesh->normals[i].z);
    fputc('\n', out);
  }
  for (int64_t i = 0; i < mesh->triangle_count; ++i) {
    const int32_t* v = mesh->triangles + 3 * i;
    fprintf(out, "3 %d %d %d\n", (int)v[0], (int)v[1], (int)v[2]);
  }
}

CpsStatus cps_mesh_file_write(const char* path, const CpsMeshFile* mesh, CpsError* error) {
  if (!path || !mesh) return cps_io_fail(error, CPS_BAD_ARGUMENT, path ? path : "", NULL, "path or mesh is NULL");
  char* text = NULL;
  size_t size = 0;
  FILE* out = open_memstream(&text, &size);
  if (!out) return cps_io_fail(error, CPS_NO_MEMORY, path, NULL, "out of memory");
  const size_t length = strlen(path);
  (length > 4 && strcmp(path + length - 4, ".ply") == 0 ? put_ply : put_msh)(out, mesh);
  const bool failed = ferror(out) != 0;
  if (fclose(out) != 0 || failed) {
    free(text);
    return cps_io_fail(error, CPS_NO_MEMORY, path, NULL, "out of memory");
  }
  CpsStatus status = cps_file_replace(path, text, size, error);
  free(text);
  return status;
}
