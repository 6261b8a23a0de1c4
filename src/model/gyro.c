// The gyroscopic term by the implicit midpoint rule, in principal axes.
//
//   I (s+ - s) / h + m × I m = t,   m = (s + s+) / 2                                                             (1)
//
// The term does no work, m . (m × I m) = 0, so the kinetic energy changes only by the work h t.m of the torque, for any h:
// a fast spin cannot blow up. Newton's method solves (1); the step is divided into equal parts in which a body turns by at
// most half a radian, where Newton's method converges from s.
//
// Not guaranteed: the direction of the angular momentum, which has an error of second order in h.
#include "model/rigid.h"

#include <math.h>

enum { PARTS_MAX = 256, NEWTON_MAX = 12 };

static CpsVec3 times(CpsVec3 a, CpsVec3 b) {
  return cps_vec3(a.x * b.x, a.y * b.y, a.z * b.z);
}

// Solves A x = b by Cramer's rule; returns b if A is singular.
static CpsVec3 solve3(CpsMat3 A, CpsVec3 b) {
  CpsVec3 a0 = {A.m[0], A.m[3], A.m[6]}, a1 = {A.m[1], A.m[4], A.m[7]}, a2 = {A.m[2], A.m[5], A.m[8]};
  CpsVec3 c12 = cps_vec3_cross(a1, a2);
  double det = cps_vec3_dot(a0, c12);
  if (det == 0.0) return b;
  return cps_vec3(cps_vec3_dot(b, c12) / det, cps_vec3_dot(a0, cps_vec3_cross(b, a2)) / det,
                  cps_vec3_dot(a0, cps_vec3_cross(a1, b)) / det);
}

static CpsVec3 midpoint(CpsVec3 I, CpsVec3 s, CpsVec3 t, double h) {
  CpsVec3 next = s;
  for (int k = 0; k < NEWTON_MAX; ++k) {
    CpsVec3 m = cps_vec3_scale(0.5, cps_vec3_add(s, next)), L = times(I, m);
    CpsVec3 f = cps_vec3_sub(times(I, cps_vec3_sub(next, s)), cps_vec3_scale(h, cps_vec3_sub(t, cps_vec3_cross(m, L))));
    // df/ds+ = I + h/2 ([m]× I - [I m]×)
    CpsMat3 D = cps_mat3_axpy(cps_mat3_multiply(cps_mat3_cross(m), (CpsMat3){{I.x, 0, 0, 0, I.y, 0, 0, 0, I.z}}), -1.0,
                              cps_mat3_cross(L));
    D = cps_mat3_axpy((CpsMat3){{I.x, 0, 0, 0, I.y, 0, 0, 0, I.z}}, 0.5 * h, D);
    CpsVec3 step = solve3(D, f);
    next = cps_vec3_sub(next, step);
    if (!(cps_vec3_norm(step) > 1e-16 * cps_vec3_norm(next))) break;
  }
  return next;
}

CpsVec3 cps_gyro_advance(CpsVec3 inertia, CpsVec3 spin, CpsVec3 torque, double h) {
  CpsVec3 after = cps_vec3_axpy(spin, h, cps_vec3(torque.x / inertia.x, torque.y / inertia.y, torque.z / inertia.z));
  if (inertia.x == inertia.y && inertia.y == inertia.z) return after;  // no gyroscopic term
  double turn = h * fmax(cps_vec3_norm(spin), cps_vec3_norm(after));
  if (turn == 0.0) return after;
  int parts = turn > 0.5 * PARTS_MAX ? PARTS_MAX : 1 + (int)(2.0 * turn);
  for (int k = 0; k < parts; ++k) spin = midpoint(inertia, spin, torque, h / parts);
  return spin;
}
