// Constructors of shapes by value. check.c validates them later.
#include "capstan/shape.h"

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

CpsShape cps_points(const CpsVec3* points, const CpsVec3* normals, int32_t count, double reach) {
  return (CpsShape){
      .kind = CPS_SHAPE_POINTS, .points = points, .normals = normals, .point_count = count, .radius = reach};
}
