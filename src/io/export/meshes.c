// Surfaces of the parts of a result, made once for all parts of one shape, and where they are.
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "core/quat.h"
#include "io/export/internal.h"

enum { MANY_POINTS = 200000 };  // points per frame up to which round shapes get their full resolution

// A part, for sorting by shape.
typedef struct Entry {
  const CpsShape* shape;
  int32_t part;
} Entry;

static int compare_reals(double a, double b) {
  return (a > b) - (a < b);
}

// Points and triangles are equal if they are the same arrays.
static int compare_shapes(const CpsShape* a, const CpsShape* b) {
  int order = (a->kind > b->kind) - (a->kind < b->kind);
  if (order == 0) order = compare_reals(a->radius, b->radius);
  if (order == 0) order = compare_reals(a->length, b->length);
  if (order == 0) order = compare_reals(a->size.x, b->size.x);
  if (order == 0) order = compare_reals(a->size.y, b->size.y);
  if (order == 0) order = compare_reals(a->size.z, b->size.z);
  if (order == 0) order = (a->closed > b->closed) - (a->closed < b->closed);
  if (order == 0) order = (a->point_count > b->point_count) - (a->point_count < b->point_count);
  if (order == 0 && a->point_count > 0) order = (a->points > b->points) - (a->points < b->points);
  if (order == 0) order = (a->triangle_count > b->triangle_count) - (a->triangle_count < b->triangle_count);
  if (order == 0 && a->triangle_count > 0) order = (a->triangles > b->triangles) - (a->triangles < b->triangles);
  return order;
}

static int compare_entries(const void* a, const void* b) {
  const Entry *x = a, *y = b;
  int order = compare_shapes(x->shape, y->shape);
  return order != 0 ? order : (x->part > y->part) - (x->part < y->part);
}

// Numbers the meshes in the order of the parts, independent of the addresses of shapes.
static CpsStatus number(CpsExport* e, Entry* entries, CpsExportMeshes* meshes, int32_t around) {
  int32_t parts = e->things->part_count;
  for (int32_t i = 0; i < parts; ++i) entries[i] = (Entry){&e->things->parts[i].shape, i};
  qsort(entries, (size_t)parts, sizeof *entries, compare_entries);
  for (int32_t i = 0, first = 0; i < parts; ++i) {
    if (i > 0 && compare_shapes(entries[i - 1].shape, entries[i].shape) != 0) first = i;
    meshes->of_part[entries[i].part] = entries[first].part;  // the first part with this shape
  }
  CpsStatus status = CPS_OK;
  for (int32_t i = 0; status == CPS_OK && i < parts; ++i) {
    if (meshes->of_part[i] != i) {
      meshes->of_part[i] = meshes->of_part[meshes->of_part[i]];
    } else {
      CpsError why;
      status = cps_shape_triangles(&e->things->parts[i].shape, around, e->extent, &meshes->mesh[meshes->count], &why);
      if (status != CPS_OK) cps_io_fail(e->error, status, e->path, NULL, "%s", why.text);
      meshes->of_part[i] = meshes->count++;
    }
    meshes->uses[meshes->of_part[i]]++;
  }
  return status;
}

static CpsStatus make(CpsExport* e, CpsExportMeshes* meshes, int32_t around) {
  size_t parts = (size_t)e->things->part_count + 1;
  *meshes = (CpsExportMeshes){0};
  meshes->mesh = calloc(parts, sizeof *meshes->mesh);
  meshes->of_part = calloc(parts, sizeof *meshes->of_part);
  meshes->uses = calloc(parts, sizeof *meshes->uses);
  Entry* entries = malloc(parts * sizeof *entries);
  CpsStatus status = meshes->mesh && meshes->of_part && meshes->uses && entries ? number(e, entries, meshes, around)
                                                                                : cps_export_no_memory(e);
  free(entries);
  if (status != CPS_OK) cps_export_meshes_free(meshes);
  return status;
}

int64_t cps_export_meshes_points(const CpsExportMeshes* meshes) {
  int64_t points = 0;
  for (int32_t i = 0; i < meshes->count; ++i) points += (int64_t)meshes->uses[i] * meshes->mesh[i].point_count;
  return points;
}

CpsStatus cps_export_meshes_make(CpsExport* e, CpsExportMeshes* meshes) {
  static const int32_t AROUND[] = {24, 16, 12, 8, 6};
  bool repeated = e->options.format == CPS_EXPORT_PVD || e->options.format == CPS_EXPORT_OBJ;
  if (e->options.around > 0) return make(e, meshes, e->options.around);
  CpsStatus status = make(e, meshes, AROUND[0]);
  for (int i = 1; status == CPS_OK && repeated && i < 5 && cps_export_meshes_points(meshes) > MANY_POINTS; ++i) {
    cps_export_meshes_free(meshes);
    status = make(e, meshes, AROUND[i]);
  }
  return status;
}

void cps_export_meshes_free(CpsExportMeshes* meshes) {
  for (int32_t i = 0; meshes->mesh && i < meshes->count; ++i) cps_triangles_free(&meshes->mesh[i]);
  free(meshes->mesh);
  free(meshes->of_part);
  free(meshes->uses);
  *meshes = (CpsExportMeshes){0};
}

CpsPose cps_export_part_pose(const CpsFrame* frame, const CpsResultPart* part) {
  CpsPose owner = part->is_obstacle ? frame->obstacles[part->owner] : frame->bodies[part->owner];
  return cps_pose_multiply(owner, part->pose);
}
