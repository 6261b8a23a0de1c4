// World boxes of shapes: tight for round shapes, the rotated box of the own frame for the others.
#include "geometry/geom.h"

// c ± e
static CpsAabb around(CpsVec3 c, CpsVec3 e) {
  return (CpsAabb){cps_vec3_sub(c, e), cps_vec3_add(c, e)};
}

// The half-space below a plane. It is bounded only if the normal is an axis, as for most planes in scenes.
static CpsAabb plane_bounds(CpsVec3 n, CpsVec3 p) {
  CpsAabb box = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
  if (n.x == 0.0 && n.y == 0.0) {
    if (n.z > 0.0) box.max.z = p.z;
    if (n.z < 0.0) box.min.z = p.z;
  } else if (n.y == 0.0 && n.z == 0.0) {
    if (n.x > 0.0) box.max.x = p.x;
    if (n.x < 0.0) box.min.x = p.x;
  } else if (n.x == 0.0 && n.z == 0.0) {
    if (n.y > 0.0) box.max.y = p.y;
    if (n.y < 0.0) box.min.y = p.y;
  }
  return box;
}

CpsAabb cps_geom_bounds(const CpsGeom* geom, const CpsPose* pose) {
  const double r = geom->radius;
  if (geom->kind == CPS_SHAPE_SPHERE) return around(pose->position, cps_vec3(r, r, r));
  const CpsMat3 R = cps_quat_matrix(pose->rotation);
  const CpsVec3 z = {R.m[2], R.m[5], R.m[8]};
  if (geom->kind == CPS_SHAPE_PLANE) return plane_bounds(z, pose->position);
  if (geom->kind == CPS_SHAPE_CAPSULE || geom->kind == CPS_SHAPE_CYLINDER) {
    // half-width of a disc with normal z along the i-th axis: r sqrt(1 - z_i^2)
    const bool disc = geom->kind == CPS_SHAPE_CYLINDER;
    const double h = geom->half_length;
    return around(pose->position, cps_vec3(h * fabs(z.x) + (disc ? r * sqrt(fmax(0.0, 1.0 - z.x * z.x)) : r),
                                           h * fabs(z.y) + (disc ? r * sqrt(fmax(0.0, 1.0 - z.y * z.y)) : r),
                                           h * fabs(z.z) + (disc ? r * sqrt(fmax(0.0, 1.0 - z.z * z.z)) : r)));
  }
  const CpsVec3 own = cps_vec3_scale(0.5, cps_vec3_add(geom->bounds.min, geom->bounds.max));
  const CpsVec3 half = cps_vec3_scale(0.5, cps_vec3_sub(geom->bounds.max, geom->bounds.min));
  CpsMat3 size = R;
  for (int i = 0; i < 9; i++) size.m[i] = fabs(size.m[i]);
  return around(cps_vec3_add(pose->position, cps_mat3_apply(R, own)), cps_mat3_apply(size, half));
}
