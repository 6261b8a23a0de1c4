// Shapes on surfaces through the one entry cps_collide(), with the contract of its touches checked in every call.
#ifndef CAPSTAN_TESTS_SURFACE_HELPERS_H
#define CAPSTAN_TESTS_SURFACE_HELPERS_H

#include "geometry/convex_helpers.h"

static const double pi = 3.14159265358979323846;

static inline int touch_pair(const CpsGeom* a, CpsPose pose_a, const CpsGeom* b, CpsPose pose_b, double margin,
                             CpsTouch* out) {
  const int count = cps_collide(a, &pose_a, b, &pose_b, margin, out);
  assert_in_range(count, 0, CPS_TOUCH_MAX);
  for (int k = 0; k < count; k++) {
    assert_near(cps_vec3_norm(out[k].normal), 1.0, 1e-14);  // a few roundings of unit numbers
    assert_below(out[k].gap, margin);
    const CpsVec3 off = cps_vec3_sub(out[k].point_a, cps_vec3_axpy(out[k].point_b, out[k].gap, out[k].normal));
    assert_below(cps_vec3_norm(off), 1e-13);  // coordinates are of the order 10 or less
    if (k > 0) assert_true(out[k].feature > out[k - 1].feature);
  }
  return count;
}

static inline void assert_vec_near(CpsVec3 a, double x, double y, double z, double tolerance) {
  assert_near(a.x, x, tolerance);
  assert_near(a.y, y, tolerance);
  assert_near(a.z, z, tolerance);
}

// Both shapes carried away together give the same touches carried away: the world has no preferred place.
static inline void assert_moves_along(const CpsGeom* a, CpsPose pose_a, const CpsGeom* b, CpsPose pose_b, double margin,
                                      CpsPose by, double tolerance) {
  CpsTouch here[CPS_TOUCH_MAX], there[CPS_TOUCH_MAX];
  const int count = touch_pair(a, pose_a, b, pose_b, margin, here);
  assert_int_equal(touch_pair(a, cps_pose_multiply(by, pose_a), b, cps_pose_multiply(by, pose_b), margin, there),
                   count);
  for (int k = 0; k < count; k++) {
    const CpsVec3 point = cps_pose_apply(by, here[k].point_b), normal = cps_quat_rotate(by.rotation, here[k].normal);
    assert_vec_near(there[k].point_b, point.x, point.y, point.z, tolerance);
    assert_vec_near(there[k].normal, normal.x, normal.y, normal.z, tolerance);
    assert_near(there[k].gap, here[k].gap, tolerance);
    assert_int_equal(there[k].feature, here[k].feature);
  }
}

#endif
