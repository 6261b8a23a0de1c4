#include "io/scene/parts.h"

static const CpsPose in_place = {.rotation = {1.0, 0.0, 0.0, 0.0}};

int32_t cps_shape_part_count(const CpsShape* shape) {
  return shape->kind == CPS_SHAPE_COMPOUND ? shape->part_count : 1;
}

// Values that the kind does not use are not read and may be arbitrary.
static CpsShape clean(const CpsShape* shape) {
  CpsShapeKind kind = shape->kind;
  CpsShape out = {.kind = kind};
  bool is_long = kind == CPS_SHAPE_CAPSULE || kind == CPS_SHAPE_CYLINDER;
  if (is_long || kind == CPS_SHAPE_SPHERE || kind == CPS_SHAPE_TUBE) out.radius = shape->radius;
  if (is_long) out.length = shape->length;
  if (kind == CPS_SHAPE_BOX) out.size = shape->size;
  const bool cloud = kind == CPS_SHAPE_POINTS;
  if (kind == CPS_SHAPE_HULL || kind == CPS_SHAPE_MESH || kind == CPS_SHAPE_TUBE || cloud) {
    out.point_count = shape->point_count;
    out.points = shape->points;
  }
  if (kind == CPS_SHAPE_MESH) {
    out.triangle_count = shape->triangle_count;
    out.triangles = shape->triangles;
  }
  if (cloud) {
    out.normals = shape->normals;
    out.kernel = shape->kernel;
    out.radius = shape->radius;
  }
  out.closed = kind == CPS_SHAPE_TUBE && shape->closed;
  return out;
}

CpsShape cps_shape_part(const CpsShape* shape, int32_t i, CpsPose* pose) {
  if (shape->kind != CPS_SHAPE_COMPOUND) {
    *pose = in_place;
    return clean(shape);
  }
  *pose = shape->parts[i].pose;
  CpsQuat q = pose->rotation;
  if (q.w == 0.0 && q.x == 0.0 && q.y == 0.0 && q.z == 0.0) pose->rotation = in_place.rotation;
  return clean(&shape->parts[i].shape);
}

CpsShape cps_scene_owner_shape(const CpsScene* scene, int32_t owner, int32_t bodies) {
  return owner < bodies ? cps_scene_body_shape(scene, owner) : cps_scene_obstacle_shape(scene, owner - bodies);
}
