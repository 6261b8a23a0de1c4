// Shapes prepared for distance queries: derived data, computed once.
#include "geometry/geom.h"

#include <stdlib.h>

#include "core/error.h"
#include "geometry/mesh.h"
#include "geometry/points.h"
#include "geometry/polytope.h"
#include "geometry/tube.h"

static CpsAabb points_bounds(const CpsVec3* points, int32_t count) {
  CpsAabb box = {points[0], points[0]};
  for (int32_t i = 1; i < count; i++) {
    const CpsVec3 p = points[i];
    box.min = cps_vec3(fmin(box.min.x, p.x), fmin(box.min.y, p.y), fmin(box.min.z, p.z));
    box.max = cps_vec3(fmax(box.max.x, p.x), fmax(box.max.y, p.y), fmax(box.max.z, p.z));
  }
  return box;
}

static double farthest(const CpsVec3* points, int32_t count) {
  double square = 0.0;
  for (int32_t i = 0; i < count; i++) square = fmax(square, cps_vec3_dot(points[i], points[i]));
  return sqrt(square);
}

static CpsAabb symmetric(double x, double y, double z) {
  return (CpsAabb){cps_vec3(-x, -y, -z), cps_vec3(x, y, z)};
}

// Data common to all polyhedra with a polytope.
static void fill_polytope(CpsGeom* geom) {
  const CpsPolytope* p = geom->polytope;
  geom->bounds = points_bounds(p->vertex, p->vertex_count);
  geom->outer_radius = farthest(p->vertex, p->vertex_count);
  geom->centre = cps_vec3(0.0, 0.0, 0.0);
  for (int32_t i = 0; i < p->vertex_count; i++) {
    geom->centre = cps_vec3_axpy(geom->centre, 1.0 / p->vertex_count, p->vertex[i]);
  }
  geom->inner_radius = INFINITY;
  for (int32_t f = 0; f < p->face_count; f++) {
    geom->inner_radius = fmin(geom->inner_radius, p->offset[f] - cps_vec3_dot(p->normal[f], geom->centre));
  }
}

static void fill_round(const CpsShape* shape, CpsGeom* geom) {
  const double r = shape->radius, h = shape->kind == CPS_SHAPE_SPHERE ? 0.0 : 0.5 * shape->length;
  const bool cylinder = shape->kind == CPS_SHAPE_CYLINDER;
  geom->radius = r;
  geom->half_length = h;
  geom->bounds = symmetric(r, r, cylinder ? h : h + r);
  geom->inner_radius = cylinder ? fmin(r, h) : r;
  geom->outer_radius = cylinder ? sqrt(r * r + h * h) : r + h;
}

// The line through the points may bulge slightly beyond them: the tree has its box.
static CpsStatus fill_tube(const CpsShape* shape, CpsGeom* geom) {
  const CpsStatus status = cps_tube_create(shape, &geom->tube);
  if (status != CPS_OK) return status;
  geom->radius = geom->inner_radius = shape->radius;
  geom->centre = shape->points[0];
  geom->bounds = cps_aabb_grow(geom->tube->tree.node[0].box, shape->radius);
  const CpsVec3 low = geom->bounds.min, high = geom->bounds.max;
  geom->outer_radius = cps_vec3_norm(
      cps_vec3(fmax(fabs(low.x), fabs(high.x)), fmax(fabs(low.y), fabs(high.y)), fmax(fabs(low.z), fabs(high.z))));
  return CPS_OK;
}

// The surface is within a share of the reach of the points. The radius of the largest ball inside is about the distance of the
// points' mean from them, if the mean is inside.
static CpsStatus fill_points(const CpsShape* shape, CpsGeom* geom, CpsError* error) {
  const CpsStatus status = cps_points_create(shape, &geom->points, error);
  if (status != CPS_OK) return status;
  const CpsPointCloud* c = geom->points;
  const double reach = c->field.reach;
  for (int32_t i = 0; i < c->field.count; ++i) {
    geom->centre = cps_vec3_axpy(geom->centre, 1.0 / c->field.count, c->on[i]);
  }
  double nearest = INFINITY;
  for (int32_t i = 0; i < c->field.count; ++i) {
    const CpsVec3 d = cps_vec3_sub(c->on[i], geom->centre);
    if (cps_vec3_norm(d) < fabs(nearest)) nearest = copysign(cps_vec3_norm(d), cps_vec3_dot(d, c->field.normal[i]));
  }
  geom->inner_radius = fmax(nearest, 0.5 * reach);
  geom->bounds = cps_aabb_grow(points_bounds(c->on, c->field.count), 0.5 * reach);
  geom->outer_radius = farthest(c->on, c->field.count) + 0.5 * reach;
  return CPS_OK;
}

static CpsStatus fill(const CpsShape* shape, CpsGeom* geom, CpsError* error) {
  CpsStatus status = CPS_OK;
  switch (shape->kind) {
    case CPS_SHAPE_SPHERE:
    case CPS_SHAPE_CAPSULE:
    case CPS_SHAPE_CYLINDER:
      fill_round(shape, geom);
      return CPS_OK;
    case CPS_SHAPE_BOX:
    case CPS_SHAPE_HULL:
      status = shape->kind == CPS_SHAPE_BOX
                   ? cps_polytope_box(shape->size, &geom->polytope)
                   : cps_polytope_hull(shape->points, shape->point_count, &geom->polytope, error);
      if (status == CPS_OK) fill_polytope(geom);
      return status;
    case CPS_SHAPE_PLANE:
      geom->bounds = symmetric(INFINITY, INFINITY, INFINITY);
      geom->outer_radius = INFINITY;
      return CPS_OK;
    case CPS_SHAPE_MESH:
      geom->bounds = points_bounds(shape->points, shape->point_count);
      geom->outer_radius = farthest(shape->points, shape->point_count);
      return cps_mesh_create(shape, &geom->mesh);
    case CPS_SHAPE_TUBE:
      return fill_tube(shape, geom);
    case CPS_SHAPE_POINTS:
      return fill_points(shape, geom, error);
    default:
      return CPS_BAD_DATA;
  }
}

CpsStatus cps_geom_create(const CpsShape* shape, CpsGeom** out, CpsError* error) {
  if (out == NULL) return cps_fail(error, CPS_BAD_ARGUMENT, "geom: NULL");
  CpsStatus status = cps_shape_check(shape, error);
  if (status != CPS_OK) return status;
  if (shape->kind == CPS_SHAPE_COMPOUND) return cps_fail(error, CPS_BAD_DATA, "shape: a compound is several shapes");
  CpsGeom* geom = calloc(1, sizeof *geom);
  if (geom == NULL) return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a shape");
  geom->kind = shape->kind;
  status = fill(shape, geom, error);
  if (status != CPS_OK) {
    cps_geom_destroy(geom);
    return status == CPS_NO_MEMORY ? cps_fail(error, status, "not enough memory for a shape") : status;
  }
  *out = geom;
  return cps_succeed(error);
}

void cps_geom_destroy(CpsGeom* geom) {
  if (geom == NULL) return;
  cps_polytope_destroy(geom->polytope);
  cps_mesh_destroy(geom->mesh);
  cps_tube_destroy(geom->tube);
  cps_points_destroy(geom->points);
  free(geom);
}
