// Names and shapes of bodies and obstacles, enough to draw them.
//
// The parts (io/scene/parts.h) form one table; points and triangles lie one after the other behind it, and parts that share
// the scene's points share them here.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/result/writer.h"
#include "io/scene/parts.h"

typedef struct Table {
  int64_t part_count, point_count, triangle_count;
  int32_t *kind, *closed;
  double *radius, *length, *size, *pose;
  int64_t *point_first, *point_number, *triangle_first, *triangle_number;
  double* points;
  int32_t* triangles;
} Table;

static void put_points(Table* table, int64_t row, const CpsShape* shape, const CpsVec3** last, int64_t* last_first) {
  table->point_first[row] = table->point_count;
  table->point_number[row] = 0;
  if (shape->point_count == 0) return;
  const int64_t number =
      shape->normals ? 2 * (int64_t)shape->point_count : shape->point_count;  // point clouds also store normals
  table->point_number[row] = number;
  if (*last == shape->points) {
    table->point_first[row] = *last_first;
    return;
  }
  if (table->points) {
    double* at = table->points + 3 * table->point_count;
    for (int64_t i = 0; i < number; ++i) {
      const CpsVec3 x = i < shape->point_count ? shape->points[i] : shape->normals[i - shape->point_count];
      memcpy(at + 3 * i, (double[3]){x.x, x.y, x.z}, 3 * sizeof(double));
    }
  }
  *last = shape->points;
  *last_first = table->point_count;
  table->point_count += number;
}

static void put_triangles(Table* table, int64_t row, const CpsShape* shape) {
  int64_t number = shape->triangle_count;
  table->triangle_first[row] = table->triangle_count;
  table->triangle_number[row] = number;
  if (table->triangles && number > 0) {
    memcpy(table->triangles + 3 * table->triangle_count, shape->triangles, (size_t)number * 3 * sizeof(int32_t));
  }
  table->triangle_count += number;
}

static void put_part(Table* table, int64_t row, const CpsShape* shape, const CpsPose* pose) {
  table->kind[row] = (int32_t)shape->kind;
  table->closed[row] = shape->closed;
  table->radius[row] = shape->radius;
  table->length[row] = shape->length;
  memcpy(table->size + 3 * row, (double[3]){shape->size.x, shape->size.y, shape->size.z}, 3 * sizeof(double));
  memcpy(table->pose + 7 * row,
         (double[7]){pose->position.x, pose->position.y, pose->position.z, pose->rotation.w, pose->rotation.x,
                     pose->rotation.y, pose->rotation.z},
         7 * sizeof(double));
}

// Visits all parts; the first pass, without points and triangles, counts them.
static void fill(Table* table, const CpsScene* scene, int32_t bodies, int32_t owners) {
  table->point_count = table->triangle_count = 0;
  const CpsVec3* last = NULL;
  int64_t row = 0, last_first = 0;
  for (int32_t owner = 0; owner < owners; ++owner) {
    CpsShape shape = cps_scene_owner_shape(scene, owner, bodies);
    for (int32_t i = 0; i < cps_shape_part_count(&shape); ++i, ++row) {
      CpsPose pose;
      CpsShape part = cps_shape_part(&shape, i, &pose);
      put_part(table, row, &part, &pose);
      put_points(table, row, &part, &last, &last_first);
      put_triangles(table, row, &part);
    }
  }
}

static bool make_table(Table* table, const CpsScene* scene, int32_t bodies, int32_t owners) {
  for (int32_t owner = 0; owner < owners; ++owner) {
    CpsShape shape = cps_scene_owner_shape(scene, owner, bodies);
    table->part_count += cps_shape_part_count(&shape);
  }
  size_t n = (size_t)table->part_count + 1;
  table->kind = malloc(n * sizeof(int32_t));
  table->closed = malloc(n * sizeof(int32_t));
  table->radius = malloc(n * sizeof(double));
  table->length = malloc(n * sizeof(double));
  table->size = malloc(n * 3 * sizeof(double));
  table->pose = malloc(n * 7 * sizeof(double));
  table->point_first = malloc(n * sizeof(int64_t));
  table->point_number = malloc(n * sizeof(int64_t));
  table->triangle_first = malloc(n * sizeof(int64_t));
  table->triangle_number = malloc(n * sizeof(int64_t));
  if (!table->kind || !table->closed || !table->radius || !table->length || !table->size || !table->pose ||
      !table->point_first || !table->point_number || !table->triangle_first || !table->triangle_number) {
    return false;
  }
  fill(table, scene, bodies, owners);
  table->points = malloc(((size_t)table->point_count + 1) * 3 * sizeof(double));
  table->triangles = malloc(((size_t)table->triangle_count + 1) * 3 * sizeof(int32_t));
  if (!table->points || !table->triangles) return false;
  fill(table, scene, bodies, owners);
  return true;
}

static void free_table(Table* table) {
  free(table->kind);
  free(table->closed);
  free(table->radius);
  free(table->length);
  free(table->size);
  free(table->pose);
  free(table->point_first);
  free(table->point_number);
  free(table->triangle_first);
  free(table->triangle_number);
  free(table->points);
  free(table->triangles);
}

static bool write_table(hid_t file, const Table* table) {
  const hsize_t parts[2] = {(hsize_t)table->part_count, 3}, poses[2] = {(hsize_t)table->part_count, 7};
  const hsize_t points[2] = {(hsize_t)table->point_count, 3}, triangles[2] = {(hsize_t)table->triangle_count, 3};
  return cps_result_write_fixed(
             file, "/shapes/kind", "1",
             "1 sphere, 2 box, 3 capsule, 4 cylinder, 5 convex hull, 7 half-space z <= 0, 8 mesh, 9 tube, 10 points",
             CPS_I32, 1, parts, table->kind) &&
         cps_result_write_fixed(file, "/shapes/radius", "m", "of spheres, capsules, cylinders, tubes; reach of points",
                                CPS_F64, 1, parts, table->radius) &&
         cps_result_write_fixed(file, "/shapes/length", "m",
                                "along z: of cylinders; of capsules between the centres of the caps", CPS_F64, 1, parts,
                                table->length) &&
         cps_result_write_fixed(file, "/shapes/size", "m", "edges x y z of boxes", CPS_F64, 2, parts, table->size) &&
         cps_result_write_fixed(file, "/shapes/pose", "m, 1",
                                "position x y z and quaternion w x y z of the part in the frame of its owner", CPS_F64,
                                2, poses, table->pose) &&
         cps_result_write_fixed(file, "/shapes/closed", "1", "1: the last point of the tube joins the first", CPS_I32,
                                1, parts, table->closed) &&
         cps_result_write_fixed(file, "/shapes/point_first", "1", "first row of /shapes/points", CPS_I64, 1, parts,
                                table->point_first) &&
         cps_result_write_fixed(file, "/shapes/point_count", "1", "rows of /shapes/points", CPS_I64, 1, parts,
                                table->point_number) &&
         cps_result_write_fixed(file, "/shapes/points", "m",
                                "of hulls, meshes, centre lines and clouds, whose normals follow, in the part's frame",
                                CPS_F64, 2, points, table->points) &&
         cps_result_write_fixed(file, "/shapes/triangle_first", "1", "first row of /shapes/triangles", CPS_I64, 1,
                                parts, table->triangle_first) &&
         cps_result_write_fixed(file, "/shapes/triangle_count", "1", "rows of /shapes/triangles", CPS_I64, 1, parts,
                                table->triangle_number) &&
         cps_result_write_fixed(file, "/shapes/triangles", "1", "points of the part, counter-clockwise from outside",
                                CPS_I32, 2, triangles, table->triangles);
}

static const char* owner_name(const CpsScene* scene, int32_t owner, int32_t bodies) {
  return owner < bodies ? cps_scene_body_name(scene, owner) : cps_scene_obstacle_name(scene, owner - bodies);
}

// Writes names, and offsets of the parts of each owner, for the owners from `first` on.
static bool write_owners(hid_t file, const char* group, const CpsScene* scene, int32_t bodies, int32_t first,
                         int32_t count, int64_t* part) {
  size_t length = 1;
  for (int32_t i = 0; i < count; ++i) {
    size_t own = strlen(owner_name(scene, first + i, bodies)) + 1;
    if (length < own) length = own;
  }
  char* names = calloc((size_t)count + 1, length);
  int64_t* offset = malloc(((size_t)count + 1) * sizeof *offset);
  bool done = names && offset;
  if (done) {
    offset[0] = *part;
    for (int32_t i = 0; i < count; ++i) {
      const char* name = owner_name(scene, first + i, bodies);
      snprintf(names + (size_t)i * length, length, "%s", name);
      CpsShape shape = cps_scene_owner_shape(scene, first + i, bodies);
      offset[i + 1] = offset[i] + cps_shape_part_count(&shape);
    }
    *part = offset[count];
    char path[64] = "/";
    strcat(strcat(path, group), "/name");
    done = cps_result_write_texts(file, path, "names in the scene", names, length, count);
    strcpy(path + strlen(group) + 1, "/part_offset");
    const hsize_t extent = (hsize_t)count + 1;
    done =
        done && cps_result_write_fixed(file, path, "1", "number i has the rows offset[i] to offset[i + 1] of /shapes",
                                       CPS_I64, 1, &extent, offset);
  }
  free(names);
  free(offset);
  return done;
}

bool cps_result_write_shapes(hid_t file, const CpsScene* scene) {
  CpsSceneInfo info = cps_scene_info(scene);
  static const char* const groups[] = {"/bodies", "/obstacles", "/shapes"};
  for (int i = 0; i < 3; ++i) {
    hid_t group = H5Gcreate2(file, groups[i], H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (group < 0) return false;
    H5Gclose(group);
  }
  Table table = {0};
  int64_t part = 0;
  bool done = make_table(&table, scene, info.bodies, info.bodies + info.obstacles) && write_table(file, &table) &&
              write_owners(file, "bodies", scene, info.bodies, 0, info.bodies, &part) &&
              write_owners(file, "obstacles", scene, info.bodies, info.bodies, info.obstacles, &part);
  free_table(&table);
  return done;
}
