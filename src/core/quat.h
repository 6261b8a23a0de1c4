// Rotations as unit quaternions, and poses, by value.
#ifndef CAPSTAN_CORE_QUAT_H
#define CAPSTAN_CORE_QUAT_H

#include "core/vec3.h"

static inline CpsQuat cps_quat_identity(void) {
  return (CpsQuat){1.0, 0.0, 0.0, 0.0};
}
// The rotation b followed by a.
static inline CpsQuat cps_quat_multiply(CpsQuat a, CpsQuat b) {
  return (CpsQuat){
      a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
      a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
      a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
  };
}
static inline CpsQuat cps_quat_conjugate(CpsQuat q) {
  return (CpsQuat){q.w, -q.x, -q.y, -q.z};
}
static inline double cps_quat_norm(CpsQuat q) {
  return sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
}
// q / ||q||; no rotation where it vanishes.
static inline CpsQuat cps_quat_unit(CpsQuat q) {
  double norm = cps_quat_norm(q);
  if (!(norm > 0.0)) return cps_quat_identity();
  return (CpsQuat){q.w / norm, q.x / norm, q.y / norm, q.z / norm};
}
// The rotation by ||v|| radians about v: exp(v / 2).
static inline CpsQuat cps_quat_exp(CpsVec3 v) {
  double angle = cps_vec3_norm(v), half = 0.5 * angle;
  // sin(x)/x by its series where the quotient would lose digits
  double s = angle > 1e-4 ? sin(half) / angle : 0.5 - angle * angle / 48.0;
  return (CpsQuat){cos(half), s * v.x, s * v.y, s * v.z};
}
// The rotation vector of a unit quaternion, the short way round.
static inline CpsVec3 cps_quat_log(CpsQuat q) {
  if (q.w < 0.0) q = (CpsQuat){-q.w, -q.x, -q.y, -q.z};
  CpsVec3 v = {q.x, q.y, q.z};
  double s = cps_vec3_norm(v);
  return s > 0.0 ? cps_vec3_scale(2.0 * atan2(s, q.w) / s, v) : v;
}
// The columns are the rotated axes: R v = q v q*.
static inline CpsMat3 cps_quat_matrix(CpsQuat q) {
  double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z, xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z, wx = q.w * q.x,
         wy = q.w * q.y, wz = q.w * q.z;
  return (CpsMat3){{1.0 - 2.0 * (yy + zz), 2.0 * (xy - wz), 2.0 * (xz + wy), 2.0 * (xy + wz), 1.0 - 2.0 * (xx + zz),
                    2.0 * (yz - wx), 2.0 * (xz - wy), 2.0 * (yz + wx), 1.0 - 2.0 * (xx + yy)}};
}
// The rotation with these columns, orthonormal and right-handed, by the root of its largest component.
static inline CpsQuat cps_quat_of_axes(CpsVec3 x, CpsVec3 y, CpsVec3 z) {
  double trace = x.x + y.y + z.z;
  if (trace > 0.0) return cps_quat_unit((CpsQuat){1.0 + trace, y.z - z.y, z.x - x.z, x.y - y.x});
  if (x.x >= y.y && x.x >= z.z) return cps_quat_unit((CpsQuat){y.z - z.y, 1.0 + x.x - y.y - z.z, y.x + x.y, z.x + x.z});
  if (y.y >= z.z) return cps_quat_unit((CpsQuat){z.x - x.z, y.x + x.y, 1.0 + y.y - x.x - z.z, y.z + z.y});
  return cps_quat_unit((CpsQuat){x.y - y.x, z.x + x.z, y.z + z.y, 1.0 + z.z - x.x - y.y});
}
static inline CpsVec3 cps_quat_rotate(CpsQuat q, CpsVec3 v) {
  // v + 2 w (a × v) + 2 a × (a × v), a the vector part
  CpsVec3 a = {q.x, q.y, q.z}, t = cps_vec3_scale(2.0, cps_vec3_cross(a, v));
  return cps_vec3_add(cps_vec3_axpy(v, q.w, t), cps_vec3_cross(a, t));
}
static inline CpsVec3 cps_quat_rotate_back(CpsQuat q, CpsVec3 v) {
  return cps_quat_rotate(cps_quat_conjugate(q), v);
}

static inline CpsVec3 cps_pose_apply(CpsPose p, CpsVec3 x) {
  return cps_vec3_add(p.position, cps_quat_rotate(p.rotation, x));
}
static inline CpsVec3 cps_pose_apply_back(CpsPose p, CpsVec3 x) {
  return cps_quat_rotate_back(p.rotation, cps_vec3_sub(x, p.position));
}
// The pose b given in the frame of a.
static inline CpsPose cps_pose_multiply(CpsPose a, CpsPose b) {
  return (CpsPose){cps_pose_apply(a, b.position), cps_quat_multiply(a.rotation, b.rotation)};
}

#endif
