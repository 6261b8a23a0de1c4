// The smooth surface that a solid or a point cloud from a mesh would have: its reach, and how far it lies from the triangles or points.
//
// Vertices, midpoints of edges and centroids are projected onto Psi = 0 along the gradient (geometry/field_project.c). The longest way is
// at least the distance from each of these places to the smooth surface, and from each place found there back to the mesh: a bound of the
// Hausdorff distance between the two, measured there.
#include <math.h>
#include <stdlib.h>

#include "core/error.h"
#include "geometry/field.h"
#include "geometry/points.h"
#include "io/mesh/surface.h"

enum { TRIANGLES_MOST = 2000000 };  // larger meshes are not examined
static const double TIGHTEST =
    1.02;  // relative to the smallest reach without holes: the reach if the usual one has too many samples

static void project(const CpsField* field, CpsVec3 x, CpsMeshFacts* f) {
  CpsFieldAt at;
  CpsVec3 y = x;
  if (!cps_field_project(field, 0.0, &y, &at)) {
    f->smooth_holes++;
    return;
  }
  f->smooth_error = fmax(f->smooth_error, cps_vec3_norm(cps_vec3_sub(y, x)));
}

static void measure(const CpsMeshFile* mesh, const int32_t* triangles, const CpsField* field, CpsMeshFacts* f) {
  f->smooth_reach = field->reach;
  f->smooth_error = 0.0;
  for (int32_t t = 0; t < field->count; ++t) {
    const int32_t* corner = triangles + 3 * (int64_t)t;
    for (int k = 0; k < 3; ++k) {
      const CpsVec3 a = mesh->vertices[corner[k]], b = mesh->vertices[corner[(k + 1) % 3]];
      project(field, a, f);
      project(field, cps_vec3_scale(0.5, cps_vec3_add(a, b)), f);
    }
    project(field, field->point[t], f);
  }
}

// The largest distance from a vertex to the nearest centroid of its triangles: a smaller reach leaves holes. NaN if memory runs out.
static double hole_free(const CpsMeshFile* mesh, const int32_t* triangles, const CpsField* field) {
  double *nearest = malloc((size_t)mesh->vertex_count * sizeof *nearest), most = 0.0;
  if (!nearest) return NAN;
  for (int32_t i = 0; i < mesh->vertex_count; ++i) nearest[i] = INFINITY;
  for (int64_t i = 0; i < 3 * (int64_t)field->count; ++i) {
    const CpsVec3 away = cps_vec3_sub(mesh->vertices[triangles[i]], field->point[i / 3]);
    nearest[triangles[i]] = fmin(nearest[triangles[i]], cps_vec3_norm(away));
  }
  for (int32_t i = 0; i < mesh->vertex_count; ++i) {
    if (isfinite(nearest[i])) most = fmax(most, nearest[i]);
  }
  free(nearest);
  return most;
}

static bool of_triangles(const CpsMeshFile* mesh, const int32_t* triangles, int32_t count, CpsMeshFacts* f) {
  CpsArena arena = {0};
  CpsVec3 *point = CPS_TAKE(&arena, CpsVec3, count), *normal = CPS_TAKE(&arena, CpsVec3, count);
  bool fine = point && normal;
  if (fine) cps_field_sample(triangles, count, mesh->vertices, point, normal);
  CpsField field = {.kernel = CPS_KERNEL_CUBIC, .count = count, .point = point, .normal = normal};
  const double usual = fine ? cps_field_reach(triangles, count, mesh->vertices) : NAN;
  const double least = fine ? hole_free(mesh, triangles, &field) : NAN;
  fine = fine && !isnan(least);
  const double reach[2] = {usual, TIGHTEST * least};
  for (int k = 0; fine && isnan(f->smooth_reach) && k < 2; ++k) {
    field.reach = reach[k];
    if (!(field.reach > 0.0) || !isfinite(field.reach)) continue;
    fine = cps_field_build(&field, &arena);
    if (fine && cps_field_most(&field) <= CPS_FIELD_TERMS / 2) measure(mesh, triangles, &field, f);
  }
  cps_arena_free(&arena);
  return fine;
}

static bool of_points(const CpsMeshFile* mesh, CpsMeshFacts* f) {
  const CpsShape shape = cps_points(mesh->vertices, mesh->normals, mesh->vertex_count, 0.0);
  CpsPointCloud* cloud = NULL;
  const CpsStatus status = cps_points_create(&shape, &cloud, NULL);
  if (status == CPS_NO_MEMORY) return false;
  if (status != CPS_OK) return true;  // the points do not form a surface
  f->smooth_reach = cloud->field.reach;
  f->smooth_error = 0.0;
  for (int32_t i = 0; i < cloud->field.count; ++i) {
    f->smooth_error = fmax(f->smooth_error, cps_vec3_norm(cps_vec3_sub(cloud->on[i], cloud->field.point[i])));
  }
  cps_points_destroy(cloud);
  return true;
}

bool cps_mesh_measure_smooth(const CpsMeshFile* mesh, const int32_t* surface, int32_t count, CpsMeshFacts* f) {
  f->smooth_reach = f->smooth_error = NAN;
  if (count > 0) return count > TRIANGLES_MOST || of_triangles(mesh, surface, count, f);
  const bool cloud = mesh->normal_count == mesh->vertex_count && !mesh->triangle_normals;
  return !cloud || mesh->vertex_count > TRIANGLES_MOST || of_points(mesh, f);
}
