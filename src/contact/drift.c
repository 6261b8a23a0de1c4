// The motion that lines share. See drift.h.
#include "contact/drift.h"

#include "contact/chain.h"

static CpsVec3 row(const CpsMat3* A, int i) {
  return cps_vec3(A->m[3 * i], A->m[3 * i + 1], A->m[3 * i + 2]);
}

// A^-1 b by Cramer's rule for a symmetric A; zero where A is singular to rounding.
static CpsVec3 solve(const CpsMat3* A, CpsVec3 b) {
  CpsVec3 x = row(A, 0), y = row(A, 1), z = row(A, 2), yz = cps_vec3_cross(y, z);
  double det = cps_vec3_dot(x, yz), scale = cps_vec3_norm(x) * cps_vec3_norm(y) * cps_vec3_norm(z);
  if (!(det > 1e-12 * scale)) return cps_vec3(0.0, 0.0, 0.0);
  CpsVec3 sum = cps_vec3_axpy(cps_vec3_scale(b.x, yz), b.y, cps_vec3_cross(z, x));
  return cps_vec3_scale(1.0 / det, cps_vec3_axpy(sum, b.z, cps_vec3_cross(x, y)));
}

CpsDrift cps_drift_fit(const CpsCollider* colliders, int32_t count) {
  CpsDrift drift = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  int32_t n = 0;
  for (int32_t i = 0; i < count; ++i) {
    if (!cps_is_line_piece(&colliders[i])) continue;
    drift.centre = cps_vec3_add(drift.centre, colliders[i].pose.position);
    drift.velocity = cps_vec3_add(drift.velocity, colliders[i].velocity);
    n++;
  }
  if (n == 0) return drift;
  drift.centre = cps_vec3_scale(1.0 / n, drift.centre);
  drift.velocity = cps_vec3_scale(1.0 / n, drift.velocity);
  CpsMat3 A = {{0.0}};
  CpsVec3 b = {0.0, 0.0, 0.0};
  for (int32_t i = 0; i < count; ++i) {
    if (!cps_is_line_piece(&colliders[i])) continue;
    CpsVec3 d = cps_vec3_sub(colliders[i].pose.position, drift.centre);
    b = cps_vec3_add(b, cps_vec3_cross(d, colliders[i].velocity));
    A = cps_mat3_axpy(A, cps_vec3_dot(d, d), cps_mat3_identity());
    A = cps_mat3_axpy(A, -1.0, cps_mat3_outer(d, d));
  }
  // collinear lines do not determine the spin about their common axis: it is set to zero
  drift.spin = solve(&A, b);
  return drift;
}
