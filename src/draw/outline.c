#include "draw/outline.h"

#include <math.h>
#include <stdlib.h>

#include "core/quat.h"

enum { DISC = 48 };  // points of a circle
static const double PI = 3.14159265358979323846;

CpsView cps_view_from(CpsVec3 direction) {
  CpsView view = {.eye = cps_vec3_unit(direction)};
  bool above = fabs(view.eye.z) > 0.999;
  CpsVec3 up = above ? cps_vec3(0.0, 1.0, 0.0) : cps_vec3(0.0, 0.0, 1.0);
  view.right = cps_vec3_unit(cps_vec3_cross(up, view.eye));
  view.up = cps_vec3_cross(view.eye, view.right);
  return view;
}

CpsPoint2 cps_view_project(const CpsView* view, CpsVec3 point) {
  return (CpsPoint2){cps_vec3_dot(view->right, point), cps_vec3_dot(view->up, point)};
}

double cps_view_depth(const CpsView* view, CpsVec3 point) {
  return cps_vec3_dot(view->eye, point);
}

int32_t cps_outline_most(const CpsShape* shape) {
  switch (shape->kind) {
    case CPS_SHAPE_SPHERE:
      return 1;
    case CPS_SHAPE_CAPSULE:
      return 2;
    case CPS_SHAPE_BOX:
      return 8;
    case CPS_SHAPE_CYLINDER:
      return 2 * DISC;
    case CPS_SHAPE_HULL:
    case CPS_SHAPE_MESH:
    case CPS_SHAPE_TUBE:
    case CPS_SHAPE_POINTS:
      return shape->point_count;
    default:
      return 0;
  }
}

// The same in the axes of the shape.
static CpsVec3 own_point(const CpsShape* shape, int32_t i) {
  double side = i % 2 ? 0.5 : -0.5;
  switch (shape->kind) {
    case CPS_SHAPE_CAPSULE:
      return cps_vec3(0.0, 0.0, side * shape->length);
    case CPS_SHAPE_BOX:
      return cps_vec3(side * shape->size.x, (i & 2 ? 0.5 : -0.5) * shape->size.y, (i & 4 ? 0.5 : -0.5) * shape->size.z);
    case CPS_SHAPE_CYLINDER: {
      int32_t corner = i / 2;
      double angle = 2.0 * PI * corner / DISC;
      return cps_vec3(shape->radius * cos(angle), shape->radius * sin(angle), side * shape->length);
    }
    case CPS_SHAPE_HULL:
    case CPS_SHAPE_MESH:
    case CPS_SHAPE_TUBE:
    case CPS_SHAPE_POINTS:
      return shape->points[i];
    default:
      return cps_vec3(0.0, 0.0, 0.0);
  }
}

int32_t cps_outline_points(const CpsShape* shape, CpsPose pose, CpsVec3* points) {
  int32_t count = cps_outline_most(shape);
  for (int32_t i = 0; i < count; ++i) points[i] = cps_pose_apply(pose, own_point(shape, i));
  return count;
}

static int by_x(const void* left, const void* right) {
  const CpsPoint2 *p = left, *q = right;
  if (p->x != q->x) return p->x < q->x ? -1 : 1;
  return (p->y > q->y) - (p->y < q->y);
}

static bool turns_left(CpsPoint2 a, CpsPoint2 b, CpsPoint2 c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x) > 0.0;
}

// The lower chain from left to right, then the upper one back (Andrew 1979).
int32_t cps_outline_hull(CpsPoint2* points, int32_t count, CpsPoint2* hull) {
  qsort(points, (size_t)count, sizeof *points, by_x);
  int32_t used = 0;
  for (int pass = 0; pass < 2; ++pass) {
    int32_t floor = pass == 0 ? 2 : used + 1;
    for (int32_t k = pass; k < count; ++k) {
      CpsPoint2 next = points[pass == 0 ? k : count - 1 - k];
      while (used >= floor && !turns_left(hull[used - 2], hull[used - 1], next)) used--;
      hull[used++] = next;
    }
  }
  return used > 1 ? used - 1 : used;  // the last is the first again
}
