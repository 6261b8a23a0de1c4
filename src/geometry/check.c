// Validity of shapes. Every message begins with the place: "box.size: [1, 0, 1] must be positive, …".
#include "core/error.h"
#include "geometry/points.h"
#include "geometry/polytope.h"

// Beyond these limits, squares and cubes of lengths leave the range of doubles.
static const double smallest = 1e-60, largest = 1e60;

static bool usable_point(CpsVec3 v) {
  return fabs(v.x) <= largest && fabs(v.y) <= largest && fabs(v.z) <= largest;
}

static bool usable(double x) {
  return x >= smallest && x <= largest;
}

static CpsStatus check_round(const char* name, const CpsShape* shape, CpsError* error) {
  if (!usable(shape->radius))
    return cps_fail(error, CPS_BAD_DATA, "%s.radius: %g must be positive, between 1e-60 and 1e60", name, shape->radius);
  const bool capsule = shape->kind == CPS_SHAPE_CAPSULE;
  if (shape->kind == CPS_SHAPE_CYLINDER && !usable(shape->length))
    return cps_fail(error, CPS_BAD_DATA, "%s.length: %g must be positive, between 1e-60 and 1e60", name, shape->length);
  if (capsule && !(shape->length >= 0.0 && shape->length <= largest))
    return cps_fail(error, CPS_BAD_DATA, "%s.length: %g must not be negative, and at most 1e60", name, shape->length);
  return CPS_OK;
}

static CpsStatus check_points(const char* name, const CpsShape* shape, int32_t least, CpsError* error) {
  if (shape->points == NULL) return cps_fail(error, CPS_BAD_ARGUMENT, "%s.points: missing", name);
  if (shape->point_count < least)
    return cps_fail(error, CPS_BAD_DATA, "%s.points: %d points, needs at least %d", name, shape->point_count, least);
  for (int32_t i = 0; i < shape->point_count; i++) {
    if (!usable_point(shape->points[i]))
      return cps_fail(error, CPS_BAD_DATA, "%s.points[%d]: is not finite, or beyond 1e60", name, i);
  }
  return CPS_OK;
}

static CpsStatus check_hull(const CpsShape* shape, CpsError* error) {
  CpsStatus status = check_points("hull", shape, 4, error);
  if (status != CPS_OK) return status;
  CpsPolytope* polytope = NULL;
  status = cps_polytope_hull(shape->points, shape->point_count, &polytope, error);
  cps_polytope_destroy(polytope);
  return status;
}

static CpsStatus check_mesh(const CpsShape* shape, CpsError* error) {
  CpsStatus status = check_points("mesh", shape, 3, error);
  if (status != CPS_OK) return status;
  if (shape->triangles == NULL) return cps_fail(error, CPS_BAD_ARGUMENT, "mesh.triangles: missing");
  if (shape->triangle_count < 1 || shape->triangle_count > INT32_MAX / 3)
    return cps_fail(error, CPS_BAD_DATA, "mesh.triangles: %d triangles, needs 1 to %d", shape->triangle_count,
                    INT32_MAX / 3);
  bool area = false;
  for (int32_t i = 0; i < shape->triangle_count; i++) {
    const int32_t* t = shape->triangles + 3 * (size_t)i;
    for (int k = 0; k < 3; k++) {
      if (t[k] < 0 || t[k] >= shape->point_count)
        return cps_fail(error, CPS_BAD_DATA, "mesh.triangles[%d]: names point %d of %d", i, t[k], shape->point_count);
    }
    const CpsVec3 u = cps_vec3_sub(shape->points[t[1]], shape->points[t[0]]);
    const CpsVec3 v = cps_vec3_sub(shape->points[t[2]], shape->points[t[0]]);
    area = area || cps_vec3_norm(cps_vec3_cross(u, v)) > 0.0;
  }
  return area ? CPS_OK : cps_fail(error, CPS_BAD_DATA, "mesh.triangles: none has an area");
}

static CpsStatus check_tube(const CpsShape* shape, CpsError* error) {
  CpsStatus status = check_round("tube", shape, error);
  if (status == CPS_OK) status = check_points("tube", shape, 2, error);
  if (status != CPS_OK) return status;
  for (int32_t i = 1; i < shape->point_count; i++) {
    if (cps_vec3_norm(cps_vec3_sub(shape->points[i], shape->points[0])) > 0.0) return CPS_OK;
  }
  return cps_fail(error, CPS_BAD_DATA, "tube.points: all are the same point");
}

enum { MOST_POINTS = 4000000 };

static CpsStatus check_cloud(const CpsShape* shape, CpsError* error) {
  CpsStatus status = check_points("points", shape, 6, error);
  if (status != CPS_OK) return status;
  if (shape->point_count > MOST_POINTS)
    return cps_fail(error, CPS_BAD_DATA, "points.points: %d points, at most %d", shape->point_count, MOST_POINTS);
  if (shape->normals == NULL) return cps_fail(error, CPS_BAD_DATA, "points.normals: missing; each point needs one");
  if (!cps_kernel_name(shape->kernel)) return cps_fail(error, CPS_BAD_DATA, "points.kernel: does not exist");
  if (!(shape->radius == 0.0 || usable(shape->radius)))
    return cps_fail(error, CPS_BAD_DATA, "points.reach: %g must be positive, between 1e-60 and 1e60", shape->radius);
  for (int32_t i = 0; i < shape->point_count; i++) {
    if (!usable_point(shape->normals[i]) || !(cps_vec3_norm(shape->normals[i]) >= smallest))
      return cps_fail(error, CPS_BAD_DATA, "points.normals[%d]: has no direction", i);
  }
  CpsPointCloud* cloud = NULL;
  status = cps_points_create(shape, &cloud, error);
  cps_points_destroy(cloud);
  return status;
}

static CpsStatus check_simple(const CpsShape* shape, CpsError* error) {
  switch (shape->kind) {
    case CPS_SHAPE_SPHERE:
      return check_round("sphere", shape, error);
    case CPS_SHAPE_CAPSULE:
      return check_round("capsule", shape, error);
    case CPS_SHAPE_CYLINDER:
      return check_round("cylinder", shape, error);
    case CPS_SHAPE_BOX:
      if (usable(shape->size.x) && usable(shape->size.y) && usable(shape->size.z)) return CPS_OK;
      return cps_fail(error, CPS_BAD_DATA, "box.size: [%g, %g, %g] must be positive, between 1e-60 and 1e60",
                      shape->size.x, shape->size.y, shape->size.z);
    case CPS_SHAPE_HULL:
      return check_hull(shape, error);
    case CPS_SHAPE_PLANE:
      return CPS_OK;
    case CPS_SHAPE_MESH:
      return check_mesh(shape, error);
    case CPS_SHAPE_TUBE:
      return check_tube(shape, error);
    case CPS_SHAPE_POINTS:
      return check_cloud(shape, error);
    case CPS_SHAPE_NONE:
      return cps_fail(error, CPS_BAD_DATA, "shape: none was given");
    case CPS_SHAPE_COMPOUND:
      break;
  }
  return cps_fail(error, CPS_BAD_DATA, "shape: unknown kind %d", (int)shape->kind);
}

static CpsStatus check_part(const CpsShapePart* part, int32_t i, CpsError* error) {
  const CpsShapeKind kind = part->shape.kind;
  if (kind == CPS_SHAPE_COMPOUND || kind == CPS_SHAPE_PLANE || kind == CPS_SHAPE_MESH || kind == CPS_SHAPE_TUBE ||
      kind == CPS_SHAPE_POINTS)
    return cps_fail(error, CPS_BAD_DATA, "compound.parts[%d]: must be a sphere, box, capsule, cylinder or hull", i);
  const CpsQuat q = part->pose.rotation;
  if (!usable_point(part->pose.position) || !isfinite(cps_quat_norm(q)))
    return cps_fail(error, CPS_BAD_DATA, "compound.parts[%d].pose: is not finite, or beyond 1e60", i);
  if (!(part->density >= 0.0) || !isfinite(part->density))
    return cps_fail(error, CPS_BAD_DATA, "compound.parts[%d].density: %g is not positive and finite", i, part->density);
  CpsError inner = {0};
  const CpsStatus status = check_simple(&part->shape, &inner);
  if (status == CPS_OK) return CPS_OK;
  return cps_fail(error, status, "compound.parts[%d].%.200s", i, inner.text);
}

CpsStatus cps_shape_check(const CpsShape* shape, CpsError* error) {
  if (shape == NULL) return cps_fail(error, CPS_BAD_ARGUMENT, "shape: is NULL");
  CpsStatus status = CPS_OK;
  if (shape->kind != CPS_SHAPE_COMPOUND) {
    status = check_simple(shape, error);
  } else {
    if (shape->parts == NULL) return cps_fail(error, CPS_BAD_ARGUMENT, "compound.parts: missing");
    if (shape->part_count < 1) return cps_fail(error, CPS_BAD_DATA, "compound.parts: needs at least one");
    for (int32_t i = 0; i < shape->part_count && status == CPS_OK; i++) status = check_part(&shape->parts[i], i, error);
  }
  return status == CPS_OK ? cps_succeed(error) : status;
}
