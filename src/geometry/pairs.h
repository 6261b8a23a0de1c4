// The pairs of shapes behind cps_collide(), one function per kind of second shape. Shapes are passed in world position,
// so that rotation matrices are computed once per step and not once per pair.
#ifndef CAPSTAN_GEOMETRY_PAIRS_H
#define CAPSTAN_GEOMETRY_PAIRS_H

#include "geometry/convex.h"

// A placed shape of any kind; the triangle is not set.
void cps_place(const CpsGeom* geom, const CpsPose* pose, CpsConvex* out);
// As cps_collide().
int cps_collide_placed(const CpsConvex* a, const CpsConvex* b, double margin, CpsTouch* out);

// Spheres and capsules with each other.
int cps_round_collide(const CpsConvex* a, const CpsConvex* b, double margin, CpsTouch* out);
// Any convex shape on a plane.
int cps_plane_collide(const CpsConvex* a, const CpsConvex* plane, double margin, CpsTouch* out);
// A convex shape on a mesh or on a tube.
int cps_mesh_collide(const CpsConvex* a, const CpsConvex* mesh, double margin, CpsTouch* out);
int cps_tube_collide(const CpsConvex* a, const CpsConvex* tube, double margin, CpsTouch* out);
// A point cloud with any shape. `flip`: the cloud is the first of the two.
int cps_points_collide(const CpsConvex* cloud, const CpsConvex* other, bool flip, double margin, CpsTouch* out);

// A thick segment: all points within `radius` of start + t along, 0 <= t <= 1.
typedef struct CpsLine {
  CpsVec3 start, along;
  double radius;
} CpsLine;
enum { CPS_LINE_TOUCHES = 3, CPS_LINE_FEATURES = 5 };
// The axis of a sphere or capsule.
CpsLine cps_line_of(const CpsConvex* a);
// Touches of two thick segments, at most CPS_LINE_TOUCHES.
int cps_lines_collide(const CpsLine* a, const CpsLine* b, double margin, CpsTouch* out);
// Touch of two balls. `fallback` is the normal if the centres coincide.
CpsTouch cps_ball_touch(CpsVec3 centre_a, double radius_a, CpsVec3 centre_b, double radius_b, CpsVec3 fallback,
                        uint32_t feature);
// Touches of a sphere, capsule or cylinder with the plane through a point, at most CPS_PLANE_TOUCHES.
enum { CPS_PLANE_TOUCHES = 18 };
int cps_round_on_plane(const CpsConvex* a, CpsVec3 normal, CpsVec3 point, double margin, CpsTouch* out);

// The rotation of the z axis to a unit vector; the identity for the null vector.
static inline CpsQuat cps_quat_z_to(CpsVec3 u) {
  if (u.z < -1.0 + 1e-12) return (CpsQuat){0.0, 1.0, 0.0, 0.0};
  return cps_quat_unit((CpsQuat){1.0 + u.z, -u.y, u.x, 0.0});
}

// The axis of a capsule, cylinder or plane in the world.
static inline CpsVec3 cps_place_axis(const CpsConvex* a) {
  return cps_vec3(a->rotation.m[2], a->rotation.m[5], a->rotation.m[8]);
}

#endif
