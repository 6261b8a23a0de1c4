// Vectors and 3 x 3 matrices by value.
#ifndef CAPSTAN_CORE_VEC3_H
#define CAPSTAN_CORE_VEC3_H

#include "capstan/vec.h"

#include <math.h>
#include <stdbool.h>

// Row-major: m[3 * row + column].
typedef struct CpsMat3 {
  double m[9];
} CpsMat3;

static inline CpsVec3 cps_vec3(double x, double y, double z) {
  return (CpsVec3){x, y, z};
}
// The same numbers; 0 and -0 are.
static inline bool cps_vec3_is_equal(CpsVec3 a, CpsVec3 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}
static inline CpsVec3 cps_vec3_add(CpsVec3 a, CpsVec3 b) {
  return cps_vec3(a.x + b.x, a.y + b.y, a.z + b.z);
}
static inline CpsVec3 cps_vec3_sub(CpsVec3 a, CpsVec3 b) {
  return cps_vec3(a.x - b.x, a.y - b.y, a.z - b.z);
}
static inline CpsVec3 cps_vec3_scale(double s, CpsVec3 a) {
  return cps_vec3(s * a.x, s * a.y, s * a.z);
}
// a + s b
static inline CpsVec3 cps_vec3_axpy(CpsVec3 a, double s, CpsVec3 b) {
  return cps_vec3(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}
static inline double cps_vec3_dot(CpsVec3 a, CpsVec3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline CpsVec3 cps_vec3_cross(CpsVec3 a, CpsVec3 b) {
  return cps_vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
// From and to three numbers in a row of a vector or matrix.
static inline CpsVec3 cps_vec3_get(const double* x) {
  return cps_vec3(x[0], x[1], x[2]);
}
static inline void cps_vec3_put(double* x, CpsVec3 a) {
  x[0] = a.x, x[1] = a.y, x[2] = a.z;
}
static inline bool cps_vec3_is_finite(CpsVec3 a) {
  return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}
static inline double cps_vec3_norm(CpsVec3 a) {
  return sqrt(cps_vec3_dot(a, a));
}
// a / ||a||; a itself where it vanishes.
static inline CpsVec3 cps_vec3_unit(CpsVec3 a) {
  double norm = cps_vec3_norm(a);
  return norm > 0.0 ? cps_vec3_scale(1.0 / norm, a) : a;
}

static inline CpsMat3 cps_mat3_identity(void) {
  return (CpsMat3){{1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}};
}
// [a]x, so that [a]x b = a × b
static inline CpsMat3 cps_mat3_cross(CpsVec3 a) {
  return (CpsMat3){{0.0, -a.z, a.y, a.z, 0.0, -a.x, -a.y, a.x, 0.0}};
}
// a b^T
static inline CpsMat3 cps_mat3_outer(CpsVec3 a, CpsVec3 b) {
  return (CpsMat3){{a.x * b.x, a.x * b.y, a.x * b.z, a.y * b.x, a.y * b.y, a.y * b.z, a.z * b.x, a.z * b.y, a.z * b.z}};
}
// A + s B
static inline CpsMat3 cps_mat3_axpy(CpsMat3 A, double s, CpsMat3 B) {
  for (int i = 0; i < 9; ++i) A.m[i] += s * B.m[i];
  return A;
}
static inline CpsMat3 cps_mat3_scale(double s, CpsMat3 A) {
  for (int i = 0; i < 9; ++i) A.m[i] *= s;
  return A;
}
static inline CpsMat3 cps_mat3_multiply(CpsMat3 A, CpsMat3 B) {
  CpsMat3 C;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      C.m[3 * i + j] = A.m[3 * i] * B.m[j] + A.m[3 * i + 1] * B.m[3 + j] + A.m[3 * i + 2] * B.m[6 + j];
  return C;
}
static inline CpsVec3 cps_mat3_apply(CpsMat3 A, CpsVec3 b) {
  return cps_vec3(A.m[0] * b.x + A.m[1] * b.y + A.m[2] * b.z, A.m[3] * b.x + A.m[4] * b.y + A.m[5] * b.z,
                  A.m[6] * b.x + A.m[7] * b.y + A.m[8] * b.z);
}
// A^T b
static inline CpsMat3 cps_mat3_transposed(CpsMat3 A) {
  return (CpsMat3){{A.m[0], A.m[3], A.m[6], A.m[1], A.m[4], A.m[7], A.m[2], A.m[5], A.m[8]}};
}
static inline CpsVec3 cps_mat3_apply_transposed(CpsMat3 A, CpsVec3 b) {
  return cps_vec3(A.m[0] * b.x + A.m[3] * b.y + A.m[6] * b.z, A.m[1] * b.x + A.m[4] * b.y + A.m[7] * b.z,
                  A.m[2] * b.x + A.m[5] * b.y + A.m[8] * b.z);
}
// The rows n, t1, t2 of a right-handed orthonormal frame with normal n (a unit vector) and t1 along `along` as far as
// it is tangential; any tangent where `along` is parallel to n.
static inline CpsMat3 cps_mat3_frame(CpsVec3 n, CpsVec3 along) {
  CpsVec3 t = cps_vec3_axpy(along, -cps_vec3_dot(along, n), n);
  if (!(cps_vec3_norm(t) > 1e-6 * cps_vec3_norm(along))) {
    CpsVec3 axis = fabs(n.x) < 0.6 ? cps_vec3(1.0, 0.0, 0.0) : cps_vec3(0.0, 1.0, 0.0);
    t = cps_vec3_axpy(axis, -cps_vec3_dot(axis, n), n);
  }
  // where `along` is almost parallel to n the difference keeps few digits: what is left of n in it is removed again
  if (!(cps_vec3_norm(t) > 0.1 * cps_vec3_norm(along))) {
    t = cps_vec3_unit(t);
    t = cps_vec3_axpy(t, -cps_vec3_dot(t, n), n);
  }
  CpsVec3 t1 = cps_vec3_unit(t), t2 = cps_vec3_cross(n, t1);
  return (CpsMat3){{n.x, n.y, n.z, t1.x, t1.y, t1.z, t2.x, t2.y, t2.z}};
}

#endif
