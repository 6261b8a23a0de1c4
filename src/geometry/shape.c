// Shapes by value: their constructors, and the check that each makes sense.
//
// A sentence begins with the field as a scene file names it, "box.size: 0 is not positive", and inside a compound with
// "compound.parts[2]." before it.
#include "capstan/shape.h"

#include "core/error.h"
#include "geometry/geom.h"
#include "geometry/polytope.h"

#include <stdio.h>

CpsShape cps_sphere(double radius) {
  return (CpsShape){.kind = CPS_SHAPE_SPHERE, .radius = radius};
}
CpsShape cps_box(CpsVec3 size) {
  return (CpsShape){.kind = CPS_SHAPE_BOX, .size = size};
}
CpsShape cps_capsule(double radius, double length) {
  return (CpsShape){.kind = CPS_SHAPE_CAPSULE, .radius = radius, .length = length};
}
CpsShape cps_cylinder(double radius, double length) {
  return (CpsShape){.kind = CPS_SHAPE_CYLINDER, .radius = radius, .length = length};
}
CpsShape cps_hull(const CpsVec3* points, int32_t count) {
  return (CpsShape){.kind = CPS_SHAPE_HULL, .points = points, .point_count = count};
}
CpsShape cps_compound(const CpsShapePart* parts, int32_t count) {
  return (CpsShape){.kind = CPS_SHAPE_COMPOUND, .parts = parts, .part_count = count};
}
CpsShape cps_plane(void) {
  return (CpsShape){.kind = CPS_SHAPE_PLANE};
}
CpsShape cps_mesh(const CpsVec3* points, int32_t point_count, const int32_t* triangles, int32_t triangle_count) {
  return (CpsShape){.kind = CPS_SHAPE_MESH,
                    .points = points,
                    .point_count = point_count,
                    .triangles = triangles,
                    .triangle_count = triangle_count};
}
CpsShape cps_tube(const CpsVec3* points, int32_t count, double radius, bool closed) {
  return (CpsShape){.kind = CPS_SHAPE_TUBE, .points = points, .point_count = count, .radius = radius, .closed = closed};
}

// Lengths and coordinates beyond this overflow when they are squared or cubed.
static const double largest = 1e60;

static CpsStatus check_length(const char* name, double value, CpsError* error) {
  if (!(value > 0.0)) return cps_fail(error, CPS_BAD_DATA, "%s: %g is not positive", name, value);
  if (!(value <= largest)) return cps_fail(error, CPS_BAD_DATA, "%s: %g is too large", name, value);
  return CPS_OK;
}

static bool usable(CpsVec3 x) {
  return fabs(x.x) <= largest && fabs(x.y) <= largest && fabs(x.z) <= largest;
}

static CpsStatus check_points(const char* name, const CpsShape* shape, int32_t least, CpsError* error) {
  if (shape->point_count < least)
    return cps_fail(error, CPS_BAD_DATA, "%s: %d points, at least %d are needed", name, shape->point_count, least);
  if (!shape->points) return cps_fail(error, CPS_BAD_DATA, "%s: missing", name);
  for (int32_t k = 0; k < shape->point_count; ++k) {
    if (!usable(shape->points[k]))
      return cps_fail(error, CPS_BAD_DATA, "%s[%d]: not a finite number, or too large", name, k);
  }
  return CPS_OK;
}

static CpsStatus check_hull(const CpsShape* shape, CpsError* error) {
  CpsStatus status = check_points("hull.points", shape, 4, error);
  if (status != CPS_OK) return status;
  CpsPolytope* polytope = NULL;
  status = cps_polytope_hull(shape->points, shape->point_count, &polytope, error);
  cps_polytope_destroy(polytope);
  return status;
}

static CpsStatus check_mesh(const CpsShape* shape, CpsError* error) {
  CpsStatus status = check_points("mesh.points", shape, 3, error);
  if (status != CPS_OK) return status;
  if (shape->triangle_count < 1 || !shape->triangles)
    return cps_fail(error, CPS_BAD_DATA, "mesh.triangles: at least one is needed");
  for (int32_t t = 0; t < shape->triangle_count; ++t) {
    const int32_t* corner = shape->triangles + 3 * (int64_t)t;
    for (int k = 0; k < 3; ++k) {
      if (corner[k] < 0 || corner[k] >= shape->point_count)
        return cps_fail(error, CPS_BAD_DATA, "mesh.triangles[%d]: there is no point %d", t, corner[k]);
    }
    CpsVec3 a = shape->points[corner[0]], b = shape->points[corner[1]], c = shape->points[corner[2]];
    CpsVec3 ab = cps_vec3_sub(b, a), ac = cps_vec3_sub(c, a);
    // the sine of the corner's angle below which a normal cannot be trusted
    if (!(cps_vec3_norm(cps_vec3_cross(ab, ac)) > 1e-12 * cps_vec3_norm(ab) * cps_vec3_norm(ac)))
      return cps_fail(error, CPS_BAD_DATA, "mesh.triangles[%d]: has no area", t);
  }
  return CPS_OK;
}

static CpsStatus check_tube(const CpsShape* shape, CpsError* error) {
  CpsStatus status = check_length("tube.radius", shape->radius, error);
  if (status == CPS_OK) status = check_points("tube.points", shape, 2, error);
  if (status != CPS_OK) return status;
  int32_t segments = shape->closed ? shape->point_count : shape->point_count - 1;
  for (int32_t k = 0; k < segments; ++k) {
    CpsVec3 a = shape->points[k], b = shape->points[(k + 1) % shape->point_count];
    if (!(cps_vec3_norm(cps_vec3_sub(b, a)) > 0.0))
      return cps_fail(error, CPS_BAD_DATA, "tube.points[%d]: the same as the point before it",
                      (k + 1) % shape->point_count);
  }
  return CPS_OK;
}

static CpsStatus check_simple(const CpsShape* shape, CpsError* error) {
  CpsStatus status;
  switch (shape->kind) {
    case CPS_SHAPE_SPHERE:
      return check_length("sphere.radius", shape->radius, error);
    case CPS_SHAPE_BOX:
      status = check_length("box.size", shape->size.x, error);
      if (status == CPS_OK) status = check_length("box.size", shape->size.y, error);
      return status == CPS_OK ? check_length("box.size", shape->size.z, error) : status;
    case CPS_SHAPE_CAPSULE:
      status = check_length("capsule.radius", shape->radius, error);
      if (status != CPS_OK) return status;
      if (!(shape->length >= 0.0))
        return cps_fail(error, CPS_BAD_DATA, "capsule.length: %g is negative or not a number", shape->length);
      return shape->length > 0.0 ? check_length("capsule.length", shape->length, error) : CPS_OK;
    case CPS_SHAPE_CYLINDER:
      status = check_length("cylinder.radius", shape->radius, error);
      return status == CPS_OK ? check_length("cylinder.length", shape->length, error) : status;
    case CPS_SHAPE_HULL:
      return check_hull(shape, error);
    case CPS_SHAPE_PLANE:
      return CPS_OK;
    case CPS_SHAPE_MESH:
      return check_mesh(shape, error);
    case CPS_SHAPE_TUBE:
      return check_tube(shape, error);
    case CPS_SHAPE_NONE:
    case CPS_SHAPE_COMPOUND:
      break;
  }
  return cps_fail(error, CPS_BAD_DATA, "shape: no kind is given");
}

static CpsStatus check_part(const CpsShapePart* part, CpsError* error) {
  const CpsShapeKind kind = part->shape.kind;
  if (kind == CPS_SHAPE_COMPOUND) return cps_fail(error, CPS_BAD_DATA, "shape: a compound cannot be a part");
  if (kind == CPS_SHAPE_PLANE || kind == CPS_SHAPE_MESH || kind == CPS_SHAPE_TUBE)
    return cps_fail(error, CPS_BAD_DATA, "shape: a plane, a mesh or a tube cannot be a part");
  if (!usable(part->pose.position)) return cps_fail(error, CPS_BAD_DATA, "position: not a finite number, or too large");
  const CpsQuat q = part->pose.rotation;
  const double norm = cps_quat_norm(q);
  // all zeros means none; anything else is normalised, which must not overflow or lose its digits
  bool none = q.w == 0.0 && q.x == 0.0 && q.y == 0.0 && q.z == 0.0;
  if (!none && !(norm > 1e-100 && norm < 1e100)) return cps_fail(error, CPS_BAD_DATA, "rotation: cannot be normalised");
  return check_simple(&part->shape, error);
}

CpsStatus cps_shape_check(const CpsShape* shape, CpsError* error) {
  if (!shape) return cps_fail(error, CPS_BAD_ARGUMENT, "the shape is NULL");
  if (shape->kind != CPS_SHAPE_COMPOUND) {
    CpsStatus status = check_simple(shape, error);
    return status == CPS_OK ? cps_succeed(error) : status;
  }
  if (shape->part_count < 1 || !shape->parts)
    return cps_fail(error, CPS_BAD_DATA, "compound.parts: at least one is needed");
  for (int32_t k = 0; k < shape->part_count; ++k) {
    CpsError inner = {0};
    CpsStatus status = check_part(&shape->parts[k], &inner);
    if (status != CPS_OK) return cps_fail(error, status, "compound.parts[%d].%.200s", k, inner.text);
  }
  return cps_succeed(error);
}
