// Two cylinders that lie along each other, closed form: touches at both ends of the part they have in common, each with its own
// gap.
#include "convex_helpers.h"

static const double R = 0.3, H = 0.4;

static const CpsTouch* named(const CpsTouch* touch, int count, uint32_t end) {
  for (int k = 0; k < count; ++k) {
    if (touch[k].feature == (3U << 18 | end)) return &touch[k];
  }
  fail_msg("no end %u among %d touches", end, count);
  return NULL;
}

// The distance of a point from the side of a cylinder, or how far it is beyond its ends.
static double off_side(const CpsGeom* cylinder, CpsPose pose, CpsVec3 x) {
  const CpsVec3 own = cps_mat3_apply_transposed(cps_quat_matrix(pose.rotation), cps_vec3_sub(x, pose.position));
  return fmax(fabs(hypot(own.x, own.y) - cylinder->radius), fabs(own.z) - cylinder->half_length);
}

static void assert_on_both_sides(const CpsGeom* a, CpsPose pose_a, const CpsGeom* b, CpsPose pose_b,
                                 const CpsTouch* touch, int count) {
  for (int k = 0; k < count; ++k) {
    assert_below(off_side(a, pose_a, touch[k].point_a), 1e-13);
    assert_below(off_side(b, pose_b, touch[k].point_b), 1e-13);
  }
}

// Equal cylinders whose axes cross in the middle at a distance D and an angle x, seen along D: at their ends the points of the two
// sides that look at each other are at the angle asin(t) from D, t = h tan(x/2) / r, and the gap is D - 2 r sqrt(1 - t^2).
static void cylinders_that_cross_at_a_small_angle_touch_at_both_ends(void** state) {
  (void)state;
  CpsGeom* cylinder = make_geom(cps_cylinder(R, 2.0 * H));
  CpsTouch touch[CPS_TOUCH_MAX];
  const double angles[] = {1e-4, 0.002, 0.02, 0.085, 0.2, 0.5}, gaps[] = {1e-3, -1e-5, -4e-3, -0.02};
  const CpsPose b = pose_at(0.0, 0.0, 0.0);
  for (int k = 0; k < 6; ++k) {
    for (int g = 0; g < 4; ++g) {
      for (int reversed = 0; reversed < 2; ++reversed) {
        const double angle = angles[k] + (reversed ? acos(-1.0) : 0.0), D = 2.0 * R + gaps[g];
        const CpsPose a = turned(pose_at(D, 0.0, 0.0), angle, 1.0, 0.0, 0.0);
        const double t = H * tan(0.5 * angles[k]) / R, gap = D - 2.0 * R * sqrt(1.0 - t * t);
        const int count = collide_at(cylinder, a, cylinder, b, 0.1, touch);
        // the point where they are nearest is a third one as soon as it is nearer
        assert_int_equal(count, gap > gaps[g] + 1e-9 * R ? 3 : 2);
        assert_touches_are_sound(touch, count, 0.1);
        assert_on_both_sides(cylinder, a, cylinder, b, touch, count);
        assert_near(least_gap(touch, count), gaps[g], 1e-8 * R);
        for (uint32_t end = 1; end <= 2; ++end) {
          const CpsTouch* at = named(touch, count, end);
          assert_near(at->gap, gap, 1e-13);
          assert_near(at->normal.x, 1.0, 1e-12);
          assert_near(at->point_b.z, (end == 1) != (reversed == 1) ? -H : H, 1e-13);
          assert_near(hypot(at->point_b.x / R - sqrt(1.0 - t * t), fabs(at->point_b.y) / R - t), 0.0, 1e-12);
        }
      }
    }
  }
  cps_geom_destroy(cylinder);
}

// The same with a capsule, which is seen as its axis: at the end of the cylinder that axis is h tan(x) beside the axis of the
// cylinder.
static void a_capsule_across_a_cylinder_at_a_small_angle_touches_at_both_ends(void** state) {
  (void)state;
  const double r = 0.1;
  CpsGeom *capsule = make_geom(cps_capsule(r, 3.0 * H)), *cylinder = make_geom(cps_cylinder(R, 2.0 * H));
  CpsTouch touch[CPS_TOUCH_MAX];
  const double angles[] = {0.002, 0.085, 0.2};
  for (int k = 0; k < 3; ++k) {
    const double depth = 3e-3, D = r + R - depth, t = H * tan(angles[k]) / R;
    const CpsPose pose = turned(pose_at(0.0, D, 0.0), angles[k], 0.0, 1.0, 0.0), zero = pose_at(0.0, 0.0, 0.0);
    const int count = collide_at(capsule, pose, cylinder, zero, 0.1, touch);
    assert_int_equal(count, 3);
    assert_touches_are_sound(touch, count, 0.1);
    assert_on_both_sides(capsule, pose, cylinder, zero, touch, count);
    assert_near(least_gap(touch, count), -depth, 1e-8 * R);
    for (uint32_t end = 1; end <= 2; ++end) {
      const CpsTouch* at = named(touch, count, end);
      assert_near(at->gap, D - r - R * sqrt(1.0 - t * t), 1e-13);
      assert_near(fabs(at->point_b.z), H, 1e-13);
      assert_near(fabs(at->point_b.x), t * R, 1e-13);
    }
  }
  cps_geom_destroy(capsule);
  cps_geom_destroy(cylinder);
}

// A thinner and shorter one that is tilted towards the other in the plane of the axes: the gap grows along it from the end that
// is nearest, by the sine of the angle. What lies beyond the other does not count.
static void a_tilted_cylinder_touches_along_its_side(void** state) {
  (void)state;
  const double r = 0.1, h = 0.2;
  CpsGeom *a = make_geom(cps_cylinder(r, 2.0 * h)), *b = make_geom(cps_cylinder(R, 2.0 * H));
  CpsTouch touch[CPS_TOUCH_MAX];
  const double angles[] = {0.002, 0.02, 0.1}, shifts[] = {0.0, 0.25};
  for (int k = 0; k < 3; ++k) {
    for (int s = 0; s < 2; ++s) {
      const double sine = sin(angles[k]), cosine = cos(angles[k]), depth = 1e-3;
      // the low end of its lower line is `depth` inside, at the height -h cos - r sin from its middle
      const CpsPose pose = turned(pose_at(R - depth + r * cosine + h * sine, 0.0, shifts[s]), angles[k], 0.0, 1.0, 0.0);
      const int count = collide_at(a, pose, b, pose_at(0.0, 0.0, 0.0), 0.1, touch);
      assert_int_equal(count, 2);
      assert_touches_are_sound(touch, count, 0.1);
      assert_on_both_sides(a, pose, b, pose_at(0.0, 0.0, 0.0), touch, count);
      const CpsTouch *low = named(touch, count, 1), *high = named(touch, count, 2);
      assert_near(low->gap, -depth, 1e-9);
      assert_near(low->normal.x, 1.0, 1e-9);
      const double length = fmin(2.0 * h, (H - low->point_b.z) / cosine);
      assert_near(high->gap, -depth + length * sine, 1e-9);
      assert_near(high->point_b.z, low->point_b.z + length * cosine, 1e-9);
      assert_true(s == 0 ? length == 2.0 * h : length < 2.0 * h);
    }
  }
  cps_geom_destroy(a);
  cps_geom_destroy(b);
}

// Any two that lie along each other: no gap is less than the depth, and all points are on both of them.
static void touches_along_the_sides_are_on_the_sides(void** state) {
  (void)state;
  CpsRandom random = cps_random_seed(1);
  CpsTouch touch[CPS_TOUCH_MAX];
  int ends = 0;
  for (int k = 0; k < 20000; ++k) {
    const double r = 0.05 + 0.3 * cps_random_uniform(&random), h = 0.05 + 0.5 * cps_random_uniform(&random);
    CpsGeom *a = make_geom(cps_cylinder(r, 2.0 * h)), *b = make_geom(cps_cylinder(R, 2.0 * H));
    const double around = 6.3 * cps_random_uniform(&random), far = r + R - 0.02 * r * cps_random_uniform(&random);
    CpsPose pose = pose_at(far * cos(around), far * sin(around), 0.8 * (cps_random_uniform(&random) - 0.5));
    pose.rotation = cps_quat_exp(random_vec(&random, 0.2));
    const int count = collide_at(a, pose, b, pose_at(0.0, 0.0, 0.0), 0.05, touch);
    assert_touches_are_sound(touch, count, 0.05);
    for (int j = 0; j < count; ++j) {
      if (touch[j].feature != (3U << 18 | 1U) && touch[j].feature != (3U << 18 | 2U)) continue;
      assert_below(off_side(a, pose, touch[j].point_a), 1e-12);
      assert_below(off_side(b, pose_at(0.0, 0.0, 0.0), touch[j].point_b), 1e-12);
      ++ends;
    }
    cps_geom_destroy(a);
    cps_geom_destroy(b);
  }
  assert_true(ends > 20000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cylinders_that_cross_at_a_small_angle_touch_at_both_ends),
      cmocka_unit_test(a_capsule_across_a_cylinder_at_a_small_angle_touches_at_both_ends),
      cmocka_unit_test(a_tilted_cylinder_touches_along_its_side),
      cmocka_unit_test(touches_along_the_sides_are_on_the_sides),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
