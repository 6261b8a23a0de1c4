// Sheets whose meshes come from files.
#include <string.h>

#include "io/mesh/internal.h"
#include "io/scene/sheet_mesh.h"

enum { FILE_BYTES = 64 << 20 };

// Texture coordinates of all corners; every corner must have them.
static CpsStatus take_texture(CpsReader* reader, const CpsNode* rest, const CpsMeshFile* mesh, CpsSheetLayout* out) {
  if (mesh->uv_count == 0) {
    return cps_node_fail(reader->error, CPS_BAD_DATA, rest, "the file has no texture coordinates");
  }
  out->texture = CPS_TAKE(&reader->scene->memory, double, 6 * (int64_t)out->triangle_count);
  if (!out->texture) return cps_scene_no_memory(reader);
  for (int64_t i = 0; i < 3 * (int64_t)mesh->triangle_count; ++i) {
    int32_t uv = mesh->triangle_uvs ? mesh->triangle_uvs[i] : mesh->triangles[i];
    if (uv < 0) {
      return cps_node_fail(reader->error, CPS_BAD_DATA, rest, "triangle %d has no texture coordinates", (int)(i / 3));
    }
    out->texture[2 * i] = mesh->uvs[2 * (int64_t)uv];
    out->texture[2 * i + 1] = mesh->uvs[2 * (int64_t)uv + 1];
  }
  return CPS_OK;
}

static CpsStatus keep(CpsReader* reader, const CpsNode* map, const CpsMeshFile* mesh, CpsSheetLayout* out) {
  const CpsNode* rest = cps_node_find(map, "rest");
  const double scale = cps_map_number(map, "scale", 1.0);
  if (mesh->triangle_count == 0)
    return cps_node_fail(reader->error, CPS_BAD_DATA, out->node, "%s has no triangles", out->node->text);
  CpsStatus status = cps_scene_sheet_take(reader, mesh->vertex_count, mesh->triangle_count, out);
  if (status != CPS_OK) return status;
  for (int32_t i = 0; i < mesh->vertex_count; ++i) out->vertices[i] = cps_vec3_scale(scale, mesh->vertices[i]);
  memcpy(out->triangles, mesh->triangles, 3 * (size_t)mesh->triangle_count * sizeof *out->triangles);
  bool textured = rest && strcmp(rest->text, "texture") == 0;
  return textured ? take_texture(reader, rest, mesh, out) : CPS_OK;
}

CpsStatus cps_scene_sheet_file(CpsReader* reader, const CpsNode* map, CpsSheetLayout* out) {
  const char* path = cps_scene_path(reader, out->node);
  if (!path) return cps_scene_no_memory(reader);
  CpsError why;
  CpsMeshFile mesh = {0};
  CpsStatus status = cps_mesh_file_load(path, FILE_BYTES, 2 * CPS_SHEET_VERTICES, &mesh, &why);
  if (status == CPS_NO_MEMORY) return cps_scene_no_memory(reader);
  if (status != CPS_OK) return cps_node_fail(reader->error, status, out->node, "%s", why.text);
  status = keep(reader, map, &mesh, out);
  cps_mesh_file_free(&mesh);
  return status;
}
