// A mesh for drawing: its own triangles, with normals that are smooth where the surface is.
//
// The normal at a corner is the sum of the area vectors of the triangles around its vertex at less than 40 degrees to
// this one. Corners of a vertex with the same normal become one point.
#include <stdlib.h>

#include "geometry/triangles.h"

static const double smooth_cosine = 0.76604444311897803520;  // of 40 degrees

typedef struct Around {
  int32_t* start;          // of the corners of each vertex in `corner`
  int32_t* corner;         // 3 triangle + k
  int32_t* point;          // of each corner, once assigned
  CpsVec3 *area, *normal;  // of triangles: area vector; of corners: unit normal
} Around;

static void free_around(Around* a) {
  free(a->start);
  free(a->corner);
  free(a->point);
  free(a->area);
  free(a->normal);
}

static CpsStatus find_around(const CpsShape* shape, Around* a) {
  const int32_t vertices = shape->point_count, corners = 3 * shape->triangle_count;
  a->start = calloc((size_t)vertices + 2, sizeof *a->start);
  a->corner = malloc((size_t)corners * sizeof *a->corner);
  a->point = malloc((size_t)corners * sizeof *a->point);
  a->area = malloc((size_t)shape->triangle_count * sizeof *a->area);
  a->normal = malloc((size_t)corners * sizeof *a->normal);
  if (!a->start || !a->corner || !a->point || !a->area || !a->normal) return CPS_NO_MEMORY;
  for (int32_t c = 0; c < corners; ++c) a->start[shape->triangles[c] + 2]++;
  for (int32_t v = 0; v < vertices; ++v) a->start[v + 2] += a->start[v + 1];
  for (int32_t c = 0; c < corners; ++c) a->corner[a->start[shape->triangles[c] + 1]++] = c;
  for (int32_t t = 0; t < shape->triangle_count; ++t) {
    const int32_t* v = shape->triangles + 3 * (size_t)t;
    CpsVec3 p = shape->points[v[0]];
    a->area[t] = cps_vec3_cross(cps_vec3_sub(shape->points[v[1]], p), cps_vec3_sub(shape->points[v[2]], p));
  }
  return CPS_OK;
}

static CpsVec3 corner_normal(const CpsShape* shape, const Around* a, int32_t corner) {
  CpsVec3 own = a->area[corner / 3], sum = {0};
  int32_t v = shape->triangles[corner];
  for (int32_t k = a->start[v]; k < a->start[v + 1]; ++k) {
    CpsVec3 other = a->area[a->corner[k] / 3];
    bool smooth = cps_vec3_dot(own, other) >= smooth_cosine * cps_vec3_norm(own) * cps_vec3_norm(other);
    if (smooth) sum = cps_vec3_add(sum, other);
  }
  return cps_vec3_unit(sum);
}

static int32_t point_of(CpsTriangleBuilder* b, const CpsShape* shape, const Around* a, int32_t corner) {
  int32_t v = shape->triangles[corner];
  CpsVec3 n = a->normal[corner];
  for (int32_t k = a->start[v]; a->corner[k] < corner; ++k) {
    CpsVec3 other = a->normal[a->corner[k]];
    if (n.x == other.x && n.y == other.y && n.z == other.z) return a->point[a->corner[k]];
  }
  return cps_add_point(b, shape->points[v], n);
}

CpsStatus cps_mesh_triangles(CpsTriangleBuilder* b, const CpsShape* shape) {
  Around around = {0};
  CpsStatus status = find_around(shape, &around);
  if (status == CPS_OK) {
    const int32_t corners = 3 * shape->triangle_count;
    for (int32_t c = 0; c < corners; ++c) around.normal[c] = corner_normal(shape, &around, c);
    for (int32_t c = 0; c < corners; ++c) around.point[c] = point_of(b, shape, &around, c);
    for (int32_t c = 0; c < corners; c += 3) {
      cps_add_triangle(b, around.point[c], around.point[c + 1], around.point[c + 2]);
    }
  }
  free_around(&around);
  return status;
}
