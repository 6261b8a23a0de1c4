// The shapes of bodies and obstacles as a result holds them, checked.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/result/reader.h"

typedef struct Columns {
  int64_t *body_offset, *obstacle_offset, *kind, *closed;
  int64_t *point_first, *point_count, *triangle_first, *triangle_count, *triangles;
  double *pose, *radius, *length, *size, *points;
  int64_t parts, point_rows, triangle_rows;
} Columns;

static CpsStatus read_columns(const CpsResult* result, Columns* c) {
  const CpsH5* h5 = &result->h5;
  int64_t bodies = 0, obstacles = 0, n[9] = {0};
  CpsStatus status = cps_h5_read_ints(h5, "/bodies/part_offset", &c->body_offset, &bodies);
  if (status == CPS_OK) status = cps_h5_read_ints(h5, "/obstacles/part_offset", &c->obstacle_offset, &obstacles);
  if (status == CPS_OK) status = cps_h5_read_ints(h5, "/shapes/kind", &c->kind, &c->parts);
  if (status == CPS_OK) status = cps_h5_read_ints(h5, "/shapes/closed", &c->closed, &n[0]);
  if (status == CPS_OK) status = cps_h5_read_ints(h5, "/shapes/point_first", &c->point_first, &n[1]);
  if (status == CPS_OK) status = cps_h5_read_ints(h5, "/shapes/point_count", &c->point_count, &n[2]);
  if (status == CPS_OK) status = cps_h5_read_ints(h5, "/shapes/triangle_first", &c->triangle_first, &n[3]);
  if (status == CPS_OK) status = cps_h5_read_ints(h5, "/shapes/triangle_count", &c->triangle_count, &n[4]);
  if (status == CPS_OK) status = cps_h5_read_doubles(h5, "/shapes/radius", &c->radius, &n[5]);
  if (status == CPS_OK) status = cps_h5_read_doubles(h5, "/shapes/length", &c->length, &n[6]);
  if (status == CPS_OK) status = cps_h5_read_table(h5, "/shapes/pose", 7, &c->pose, &n[7]);
  if (status == CPS_OK) status = cps_h5_read_table(h5, "/shapes/size", 3, &c->size, &n[8]);
  if (status == CPS_OK) status = cps_h5_read_table(h5, "/shapes/points", 3, &c->points, &c->point_rows);
  if (status == CPS_OK) status = cps_h5_read_int_table(h5, "/shapes/triangles", 3, &c->triangles, &c->triangle_rows);
  if (status != CPS_OK) return status;
  bool sound = bodies == (int64_t)result->info.bodies + 1 && obstacles == (int64_t)result->info.obstacles + 1 &&
               c->body_offset[0] == 0 && c->obstacle_offset[0] == c->body_offset[bodies - 1] &&
               c->obstacle_offset[obstacles - 1] == c->parts && c->parts < INT32_MAX;
  for (int i = 0; i < 9; ++i) sound = sound && n[i] == c->parts;
  return sound ? CPS_OK : cps_io_fail(h5->error, CPS_BAD_FORMAT, result->path, "/shapes", "is damaged");
}

static bool in_table(int64_t first, int64_t count, int64_t rows) {
  return first >= 0 && count >= 0 && first <= rows && count <= rows - first && count <= INT32_MAX;
}

// Checks that numbers are plausible, and that points and triangles exist.
static bool part_is_sound(const Columns* c, int64_t i) {
  if (!in_table(c->point_first[i], c->point_count[i], c->point_rows)) return false;
  if (!in_table(c->triangle_first[i], c->triangle_count[i], c->triangle_rows)) return false;
  for (int64_t k = 3 * c->triangle_first[i]; k < 3 * (c->triangle_first[i] + c->triangle_count[i]); ++k) {
    if (c->triangles[k] < 0 || c->triangles[k] >= c->point_count[i]) return false;
  }
  double sum = c->radius[i] + c->length[i] + c->size[3 * i] + c->size[3 * i + 1] + c->size[3 * i + 2];
  for (int k = 0; k < 7; ++k) sum += c->pose[7 * i + k];
  return isfinite(sum) && c->kind[i] >= CPS_SHAPE_SPHERE && c->kind[i] <= CPS_SHAPE_POINTS &&
         (c->kind[i] != CPS_SHAPE_POINTS || c->point_count[i] % 2 == 0);
}

static bool fill_part(CpsResult* result, const Columns* c, int64_t i) {
  if (!part_is_sound(c, i)) return false;
  const double* p = c->pose + 7 * i;
  result->parts[i].pose = (CpsPose){{p[0], p[1], p[2]}, {p[3], p[4], p[5], p[6]}};
  result->parts[i].shape = (CpsShape){
      .kind = (CpsShapeKind)c->kind[i],
      .radius = c->radius[i],
      .length = c->length[i],
      .size = {c->size[3 * i], c->size[3 * i + 1], c->size[3 * i + 2]},
      .point_count = (int32_t)c->point_count[i],
      .points = result->part_points + c->point_first[i],
      .triangle_count = (int32_t)c->triangle_count[i],
      .triangles = result->part_triangles + 3 * c->triangle_first[i],
      .closed = c->closed[i] == 1,
  };
  // the normals of a cloud follow its points
  CpsShape* shape = &result->parts[i].shape;
  if (shape->kind == CPS_SHAPE_POINTS) {
    shape->point_count /= 2;
    shape->normals = shape->points + shape->point_count;
  }
  return true;
}

// Finds the owner of each part; false if the offsets are inconsistent.
static bool fill_owners(CpsResult* result, const int64_t* offset, int32_t count, bool obstacle) {
  for (int32_t owner = 0; owner < count; ++owner) {
    if (offset[owner + 1] < offset[owner] || offset[owner + 1] > result->part_count) return false;
    for (int64_t i = offset[owner]; i < offset[owner + 1]; ++i) {
      result->parts[i].is_obstacle = obstacle;
      result->parts[i].owner = owner;
    }
  }
  return true;
}

static CpsStatus fill(CpsResult* result, const Columns* c) {
  result->parts = calloc((size_t)c->parts + 1, sizeof *result->parts);
  result->part_points = malloc(((size_t)c->point_rows + 1) * sizeof *result->part_points);
  result->part_triangles = malloc((3 * (size_t)c->triangle_rows + 1) * sizeof *result->part_triangles);
  if (!result->parts || !result->part_points || !result->part_triangles) {
    return cps_io_fail(result->h5.error, CPS_NO_MEMORY, result->path, NULL, "out of memory");
  }
  result->part_count = (int32_t)c->parts;
  for (int64_t i = 0; i < c->point_rows; ++i) {
    result->part_points[i] = (CpsVec3){c->points[3 * i], c->points[3 * i + 1], c->points[3 * i + 2]};
  }
  for (int64_t i = 0; i < 3 * c->triangle_rows; ++i) result->part_triangles[i] = (int32_t)c->triangles[i];
  bool sound = fill_owners(result, c->body_offset, result->info.bodies, false) &&
               fill_owners(result, c->obstacle_offset, result->info.obstacles, true);
  for (int64_t i = 0; sound && i < c->parts; ++i) sound = fill_part(result, c, i);
  return sound ? CPS_OK : cps_io_fail(result->h5.error, CPS_BAD_FORMAT, result->path, "/shapes", "is damaged");
}

static CpsStatus read_parts(CpsResult* result) {
  Columns c = {0};
  CpsStatus status = read_columns(result, &c);
  if (status == CPS_OK) status = fill(result, &c);
  void* const all[] = {c.body_offset, c.obstacle_offset, c.kind,      c.closed,         c.point_first,
                       c.point_count, c.triangle_first,  c.triangles, c.triangle_count, c.pose,
                       c.radius,      c.length,          c.size,      c.points};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) free(all[i]);
  return status;
}

void cps_result_forget_parts(CpsResult* result) {
  free(result->parts);
  free(result->part_points);
  free(result->part_triangles);
  result->parts = NULL;
  result->part_points = NULL;
  result->part_triangles = NULL;
  result->part_count = 0;
}

CpsStatus cps_result_parts(CpsResult* result, const CpsResultPart** parts, int32_t* count, CpsError* error) {
  if (!result || !parts || !count) {
    return cps_io_fail(error, CPS_BAD_ARGUMENT, "cps_result_parts", NULL, "result, parts or count is NULL");
  }
  CpsStatus status = CPS_OK;
  if (!result->parts) {
    result->h5.error = error;
    H5E_BEGIN_TRY {
      status = read_parts(result);
    }
    H5E_END_TRY
    result->h5.error = NULL;
    if (status != CPS_OK) cps_result_forget_parts(result);
  }
  if (status != CPS_OK) return status;
  *parts = result->parts;
  *count = result->part_count;
  if (error) error->text[0] = '\0';
  return CPS_OK;
}
