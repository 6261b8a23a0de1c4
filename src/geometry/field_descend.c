// The point of a smooth surface nearest to a shape: the minimum over the surface of the distance to it. With N the gradient of the
// distance and n the normal of the surface,
//
//   y <- project (y - tau t),   t = N - (N.n) n,   tau = dy.dy / dy.dt  of the last two                                (1)
#include "geometry/field.h"

#include <math.h>

enum { ROUNDS = 40 };
static const double FLAT = 1e-8;    // |t| at a minimum
static const double STRIDE = 0.25;  // longest step of (1), relative to the reach

void cps_field_descend(const CpsField* field, CpsFieldLook* look, const void* data, CpsVec3* y, CpsFieldAt* at,
                       CpsTouch* touch) {
  const double R = field->reach;
  double tau = STRIDE * R;
  for (int i = 0; i < ROUNDS; ++i) {
    const CpsVec3 n = cps_vec3_unit(at->gradient), N = touch->normal;
    const CpsVec3 t = cps_vec3_axpy(N, -cps_vec3_dot(N, n), n);
    const double size = cps_vec3_norm(t);
    if (!(size > FLAT)) return;
    CpsVec3 next = cps_vec3_axpy(*y, -fmin(tau, STRIDE * R / size), t);
    CpsFieldAt there;
    CpsTouch nearer;
    if (!cps_field_project(field, 0.0, &next, &there) || !look(data, next, &nearer) || !(nearer.gap < touch->gap)) {
      tau = 0.25 * fmin(tau, STRIDE * R / size);
      continue;
    }
    const CpsVec3 m = cps_vec3_unit(there.gradient), M = nearer.normal;
    const CpsVec3 dy = cps_vec3_sub(next, *y), dt = cps_vec3_sub(cps_vec3_axpy(M, -cps_vec3_dot(M, m), m), t);
    const double bend = cps_vec3_dot(dy, dt);
    tau = bend > 0.0 ? cps_vec3_dot(dy, dy) / bend : 2.0 * tau;
    *y = next, *at = there, *touch = nearer;
  }
}
