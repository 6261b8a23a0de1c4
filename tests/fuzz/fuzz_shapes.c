// Shapes of any kind and size at any place: refused in words, or with touches that keep the contract of cps_collide().
#include "bytes.h"
#include "geometry/collide.h"

enum { MOST = 12 };

typedef struct Drawn {
  CpsVec3 points[MOST], normals[MOST];
  int32_t triangles[3 * MOST];
  CpsShape shape;
} Drawn;

static CpsVec3 next_point(Bytes* bytes, double scale) {
  const double x = next_number(bytes), y = next_number(bytes), z = next_number(bytes);
  return (CpsVec3){scale * x, scale * y, scale * z};
}

static void draw_shape(Bytes* bytes, bool convex, double scale, Drawn* drawn) {
  static const CpsShapeKind kinds[] = {CPS_SHAPE_SPHERE,   CPS_SHAPE_BOX,  CPS_SHAPE_CAPSULE,
                                       CPS_SHAPE_CYLINDER, CPS_SHAPE_HULL, CPS_SHAPE_PLANE,
                                       CPS_SHAPE_MESH,     CPS_SHAPE_TUBE, CPS_SHAPE_POINTS};
  *drawn = (Drawn){.shape = {.kind = kinds[next_below(bytes, convex ? 5 : 9)]}};
  CpsShape* shape = &drawn->shape;
  shape->radius = scale * next_number(bytes);
  shape->length = scale * next_number(bytes);
  shape->size = next_point(bytes, scale);
  shape->closed = next_below(bytes, 2);
  shape->points = drawn->points;
  shape->triangles = drawn->triangles;
  shape->point_count = next_below(bytes, MOST + 1);
  shape->triangle_count = next_below(bytes, MOST + 1);
  if (shape->kind == CPS_SHAPE_HULL || shape->kind == CPS_SHAPE_MESH || shape->kind == CPS_SHAPE_TUBE) {
    for (int i = 0; i < shape->point_count; i++) drawn->points[i] = next_point(bytes, scale);
  }
  if (shape->kind == CPS_SHAPE_POINTS) {
    shape->normals = drawn->normals;
    shape->kernel = (CpsKernel)next_below(bytes, CPS_KERNEL_COUNT);
    for (int i = 0; i < shape->point_count; i++) {
      drawn->points[i] = next_point(bytes, scale);
      drawn->normals[i] = next_point(bytes, 1.0);
    }
  }
  if (shape->kind == CPS_SHAPE_MESH) {
    for (int i = 0; i < 3 * shape->triangle_count; i++)
      drawn->triangles[i] = next_below(bytes, MOST + 1) - (i % 7 == 6);
  }
}

static CpsPose next_pose(Bytes* bytes, double scale) {
  const CpsVec3 position = next_point(bytes, scale);
  const double w = next_number(bytes), x = next_number(bytes), y = next_number(bytes), z = next_number(bytes);
  return (CpsPose){position, cps_quat_unit((CpsQuat){w, x, y, z})};
}

static double length_of(CpsVec3 a) {
  return fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z)));
}

static void check_touches(const CpsTouch* touch, int count, double margin, double scale) {
  CHECK(count >= 0 && count <= CPS_TOUCH_MAX);
  for (int k = 0; k < count; k++) {
    CHECK(touch[k].gap <= margin);
    CHECK(fabs(cps_vec3_norm(touch[k].normal) - 1.0) < 1e-9);
    const CpsVec3 off = cps_vec3_sub(touch[k].point_a, cps_vec3_axpy(touch[k].point_b, touch[k].gap, touch[k].normal));
    // coordinates are below 100 scale
    CHECK(length_of(off) <= 1e-10 * scale && length_of(touch[k].point_a) <= 1e4 * scale);
    CHECK(k == 0 || touch[k].feature > touch[k - 1].feature);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Bytes bytes = {data, size};
  const double scale = next_scale(&bytes);
  Drawn a, b;
  draw_shape(&bytes, true, scale, &a);
  draw_shape(&bytes, false, scale, &b);
  CpsGeom *geom_a = NULL, *geom_b = NULL;
  CpsError error = {0};
  if (cps_geom_create(&a.shape, &geom_a, &error) != CPS_OK) CHECK(geom_a == NULL && error.text[0] != '\0');
  if (cps_geom_create(&b.shape, &geom_b, &error) != CPS_OK) CHECK(geom_b == NULL && error.text[0] != '\0');
  const CpsPose pose_a = next_pose(&bytes, scale), pose_b = next_pose(&bytes, scale);
  const double margin = scale * fabs(next_number(&bytes));
  if (geom_a != NULL && geom_b != NULL) {
    CpsTouch touch[CPS_TOUCH_MAX];
    check_touches(touch, cps_collide(geom_a, &pose_a, geom_b, &pose_b, margin, touch), margin, scale);
  }
  cps_geom_destroy(geom_a);
  cps_geom_destroy(geom_b);
  return 0;
}
