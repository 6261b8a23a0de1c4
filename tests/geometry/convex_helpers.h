// Shapes at random places, and the checks that every list of touches must pass.
#ifndef CAPSTAN_TESTS_CONVEX_HELPERS_H
#define CAPSTAN_TESTS_CONVEX_HELPERS_H

#include "core/random.h"
#include "geometry/convex.h"
#include "test_helpers.h"

static inline CpsGeom* make_geom(CpsShape shape) {
  CpsGeom* geom = NULL;
  CpsError error = {0};
  if (cps_geom_create(&shape, &geom, &error) != CPS_OK) fail_msg("%s", error.text);
  return geom;
}

static inline CpsPose pose_at(double x, double y, double z) {
  return (CpsPose){{x, y, z}, {1.0, 0.0, 0.0, 0.0}};
}

static inline CpsPose turned(CpsPose pose, double angle, double x, double y, double z) {
  pose.rotation = cps_quat_exp(cps_vec3_scale(angle, cps_vec3_unit(cps_vec3(x, y, z))));
  return pose;
}

static inline CpsVec3 random_vec(CpsRandom* random, double size) {
  double x = cps_random_uniform(random), y = cps_random_uniform(random), z = cps_random_uniform(random);
  return cps_vec3(size * (2.0 * x - 1.0), size * (2.0 * y - 1.0), size * (2.0 * z - 1.0));
}

static inline CpsQuat random_rotation(CpsRandom* random) {
  double w = cps_random_normal(random), x = cps_random_normal(random), y = cps_random_normal(random);
  return cps_quat_unit((CpsQuat){w, x, y, cps_random_normal(random)});
}

static inline CpsPose random_pose(CpsRandom* random, double size) {
  CpsVec3 position = random_vec(random, size);
  return (CpsPose){position, random_rotation(random)};
}

static inline int collide_at(const CpsGeom* a, CpsPose pose_a, const CpsGeom* b, CpsPose pose_b, double margin,
                             CpsTouch* out) {
  CpsConvex convex_a = cps_convex_geom(a, &pose_a), convex_b = cps_convex_geom(b, &pose_b);
  return cps_convex_collide(&convex_a, &convex_b, margin, out);
}

static inline double least_gap(const CpsTouch* touch, int count) {
  double least = INFINITY;
  for (int k = 0; k < count; ++k) least = fmin(least, touch[k].gap);
  return least;
}

// What the contract of cps_collide() says of every touch. Coordinates in the tests are of the order 1.
static inline void assert_touches_are_sound(const CpsTouch* touch, int count, double margin) {
  assert_in_range(count, 0, CPS_TOUCH_PAIR_MAX);
  for (int k = 0; k < count; ++k) {
    assert_near(cps_vec3_norm(touch[k].normal), 1.0, 1e-15);
    assert_below(touch[k].gap, margin);
    CpsVec3 off = cps_vec3_sub(touch[k].point_a, cps_vec3_axpy(touch[k].point_b, touch[k].gap, touch[k].normal));
    assert_below(cps_vec3_norm(off), 1e-14);
    assert_true(touch[k].feature < 1U << 20);
    if (k > 0) assert_true(touch[k].feature > touch[k - 1].feature);
  }
}

#endif
