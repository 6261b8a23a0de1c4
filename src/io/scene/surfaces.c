// Shapes whose points come from files and formulas: hulls, meshes, tubes.
#include "io/scene/surfaces.h"

#include <stdlib.h>
#include <string.h>

#include "geometry/field.h"
#include "io/mesh/internal.h"
#include "io/mesh/surface.h"

enum { MESH_MOST = 1000000, MESH_BYTES = 32 << 20 };  // vertices or triangles; bytes of a file

typedef struct Surface {
  int32_t point_count, triangle_count;
  CpsVec3 *points, *normals;  // normals: NULL unless the file has one for each vertex
  int32_t* triangles;
} Surface;

// The triangles of a mesh that are visible from outside: its own, or the surface of its tetrahedra if it has no others.
static CpsStatus take_triangles(CpsReader* reader, const CpsMeshFile* mesh, Surface* out) {
  int32_t* triangles = mesh->triangles;
  out->triangle_count = mesh->triangle_count;
  if (mesh->triangle_count == 0 && mesh->tetrahedron_count > 0) {
    triangles = cps_mesh_surface(mesh, &out->triangle_count);
    if (!triangles) return cps_scene_no_memory(reader);
  }
  const size_t corners = 3 * (size_t)out->triangle_count;
  out->triangles = CPS_TAKE(&reader->scene->memory, int32_t, corners);
  if (out->triangles && corners > 0) memcpy(out->triangles, triangles, corners * sizeof *triangles);
  if (triangles != mesh->triangles) free(triangles);
  return out->triangles ? CPS_OK : cps_scene_no_memory(reader);
}

// Copies a mesh into memory of the scene, within its budget.
static CpsStatus keep(CpsReader* reader, const CpsNode* file, double scale, const CpsMeshFile* mesh, Surface* out) {
  const int64_t things = (int64_t)mesh->vertex_count + mesh->triangle_count + 4 * (int64_t)mesh->tetrahedron_count;
  CpsStatus status = cps_scene_spend(reader, file, things + 50, 40);
  if (status != CPS_OK) return status;
  *out = (Surface){.point_count = mesh->vertex_count};
  out->points = CPS_TAKE(&reader->scene->memory, CpsVec3, mesh->vertex_count);
  if (!out->points) return cps_scene_no_memory(reader);
  for (int32_t i = 0; i < mesh->vertex_count; ++i) out->points[i] = cps_vec3_scale(scale, mesh->vertices[i]);
  if (mesh->normal_count == mesh->vertex_count && !mesh->triangle_normals) {
    out->normals = CPS_TAKE(&reader->scene->memory, CpsVec3, mesh->vertex_count);
    if (!out->normals) return cps_scene_no_memory(reader);
    memcpy(out->normals, mesh->normals, (size_t)mesh->vertex_count * sizeof *out->normals);
  }
  return take_triangles(reader, mesh, out);
}

static CpsStatus read_surface(CpsReader* reader, const CpsNode* file, double scale, Surface* out) {
  const char* path = cps_scene_path(reader, file);
  if (!path) return cps_scene_no_memory(reader);
  CpsError why;
  CpsMeshFile mesh = {0};
  CpsStatus status = cps_mesh_file_load(path, MESH_BYTES, MESH_MOST, &mesh, &why);
  if (status == CPS_NO_MEMORY) return cps_scene_no_memory(reader);
  if (status != CPS_OK) return cps_node_fail(reader->error, status, file, "%s", why.text);
  status = keep(reader, file, scale, &mesh, out);
  cps_mesh_file_free(&mesh);
  return status;
}

CpsStatus cps_scene_hull(CpsReader* reader, const CpsNode* node, CpsShape* shape) {
  const CpsNode *list = cps_node_find(node, "points"), *file = cps_node_find(node, "file");
  double scale = cps_map_number(node, "scale", 1.0);
  if (!list == !file) return cps_node_fail(reader->error, CPS_BAD_FORMAT, node, "a hull has either file or points");
  CpsVec3* points = NULL;
  Surface surface = {0};
  CpsStatus status =
      file ? read_surface(reader, file, scale, &surface) : cps_scene_points(reader, list, scale, &points);
  if (status != CPS_OK) return status;
  int32_t count = file ? surface.point_count : list->count;
  if (count > CPS_HULL_POINTS) {
    return cps_node_fail(reader->error, CPS_BAD_DATA, node, "%d points; a hull has at most %d", (int)count,
                         CPS_HULL_POINTS);
  }
  *shape = cps_hull(file ? surface.points : points, count);
  return cps_scene_spend(reader, node, count, 128);
}

CpsStatus cps_scene_mesh(CpsReader* reader, const CpsNode* node, CpsShape* shape) {
  Surface surface;
  CpsStatus status = read_surface(reader, cps_node_find(node, "file"), cps_map_number(node, "scale", 1.0), &surface);
  if (status != CPS_OK) return status;
  if (cps_map_bool(node, "flip", false)) {
    for (int64_t i = 0; i < surface.triangle_count; ++i) {
      int32_t* v = surface.triangles + 3 * i;
      const int32_t second = v[1];
      v[1] = v[2];
      v[2] = second;
    }
  }
  *shape = cps_mesh(surface.points, surface.point_count, surface.triangles, surface.triangle_count);
  return CPS_OK;
}

// Points from a surface of triangles, as for the smooth surface of a solid: centroids and normals.
static CpsStatus sample(CpsReader* reader, Surface* surface) {
  CpsVec3* point = CPS_TAKE(&reader->scene->memory, CpsVec3, surface->triangle_count);
  CpsVec3* normal = CPS_TAKE(&reader->scene->memory, CpsVec3, surface->triangle_count);
  if (!point || !normal) return cps_scene_no_memory(reader);
  cps_field_sample(surface->triangles, surface->triangle_count, surface->points, point, normal);
  surface->points = point;
  surface->normals = normal;
  surface->point_count = surface->triangle_count;
  return CPS_OK;
}

// The points of a cloud, or of a mesh without normals those of its triangles.
CpsStatus cps_scene_cloud(CpsReader* reader, const CpsNode* node, CpsShape* shape) {
  Surface surface = {0};
  const CpsNode *file = cps_node_find(node, "file"), *kernel = cps_node_find(node, "kernel");
  CpsStatus status = read_surface(reader, file, cps_map_number(node, "scale", 1.0), &surface);
  if (status == CPS_OK && !surface.normals && surface.triangle_count > 0) status = sample(reader, &surface);
  if (status == CPS_OK) status = cps_scene_spend(reader, file, surface.point_count, 120);
  if (status != CPS_OK) return status;
  if (!surface.normals) {
    return cps_node_fail(reader->error, CPS_BAD_DATA, file,
                         "%s: the %d points have no normals: a point cloud needs one for each (nx, ny, nz in PLY)",
                         file->text, (int)surface.point_count);
  }
  *shape = cps_points(surface.points, surface.normals, surface.point_count, cps_map_number(node, "reach", 0.0));
  if (kernel) (void)cps_kernel_find(kernel->text, &shape->kernel);
  return CPS_OK;
}

CpsStatus cps_scene_tube(CpsReader* reader, const CpsNode* node, CpsShape* shape) {
  const CpsNode *list = cps_node_find(node, "points"), *file = cps_node_find(node, "file"),
                *curve = cps_node_find(node, "curve");
  if ((list != NULL) + (file != NULL) + (curve != NULL) != 1) {
    return cps_node_fail(reader->error, CPS_BAD_FORMAT, node, "a tube has one of points, file and curve");
  }
  CpsVec3* points = NULL;
  int32_t count = list ? list->count : 0;
  CpsStatus status = list   ? cps_scene_points(reader, list, 1.0, &points)
                     : file ? cps_scene_point_file(reader, file, &points, &count)
                            : cps_scene_point_formulas(reader, curve, &points, &count);
  if (status != CPS_OK) return status;
  *shape = cps_tube(points, count, cps_map_number(node, "radius", 0.0), cps_map_bool(node, "closed", false));
  return CPS_OK;
}

// Five or six boxes around a room, thick enough to push objects that are pressed into them back inside.
CpsStatus cps_scene_container(CpsReader* reader, const CpsNode* node, CpsShape* shape) {
  CpsVec3 room = cps_map_vec3(node, "size", cps_vec3(0.0, 0.0, 0.0));
  bool open = cps_map_bool(node, "open", true);
  double wall = 0.5 * fmax(room.x, fmax(room.y, room.z));
  CpsShapePart* parts = CPS_TAKE(&reader->scene->memory, CpsShapePart, 6);
  if (!parts) return cps_scene_no_memory(reader);
  CpsVec3 across = {wall, room.y + 2.0 * wall, room.z}, along = {room.x, wall, room.z};
  CpsVec3 floor = {room.x + 2.0 * wall, room.y + 2.0 * wall, wall};
  double x = 0.5 * (room.x + wall), y = 0.5 * (room.y + wall), z = 0.5 * room.z;
  const CpsVec3 size[6] = {floor, across, across, along, along, floor};
  const CpsVec3 place[6] = {{0, 0, -0.5 * wall}, {-x, 0, z}, {x, 0, z},
                            {0, -y, z},          {0, y, z},  {0, 0, room.z + 0.5 * wall}};
  for (int i = 0; i < 6; ++i) parts[i] = (CpsShapePart){cps_box(size[i]), {place[i], cps_quat_identity()}, 0.0};
  *shape = cps_compound(parts, open ? 5 : 6);
  return CPS_OK;
}
