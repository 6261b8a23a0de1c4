// Capsules, cylinders, hulls and triangles against flat shapes, closed form.
#include "convex_helpers.h"

static const double half_pi = 1.57079632679489661923;

static void a_capsule_that_lies_on_a_box_touches_at_two_points(void** state) {
  (void)state;
  CpsGeom *capsule = make_geom(cps_capsule(0.1, 0.6)), *box = make_geom(cps_box(cps_vec3(2.0, 2.0, 1.0)));
  CpsTouch touch[CPS_TOUCH_MAX];
  CpsPose pose = turned(pose_at(0.2, -0.1, 0.6 + 1e-4), half_pi, 0.0, 1.0, 0.0);
  int count = collide_at(capsule, pose, box, pose_at(0.0, 0.0, 0.0), 1e-3, touch);
  assert_int_equal(count, 2);
  assert_touches_are_sound(touch, count, 1e-3);
  for (int k = 0; k < 2; ++k) {
    assert_near(touch[k].gap, 1e-4, 1e-15);
    assert_near(touch[k].normal.z, 1.0, 1e-15);
    assert_near(fabs(touch[k].point_b.x - 0.2), 0.3, 1e-14);
    assert_near(touch[k].point_b.y, -0.1, 1e-14);
  }
  // hanging over the border only the part above counts
  pose.position = cps_vec3(1.1, 0.0, 0.6);
  count = collide_at(capsule, pose, box, pose_at(0.0, 0.0, 0.0), 1e-3, touch);
  assert_int_equal(count, 2);
  assert_near(fmin(touch[0].point_b.x, touch[1].point_b.x), 0.8, 1e-14);
  assert_near(fmax(touch[0].point_b.x, touch[1].point_b.x), 1.0, 1e-14);
  // on end it touches at one
  count = collide_at(capsule, pose_at(0.0, 0.0, 0.9), box, pose_at(0.0, 0.0, 0.0), 1e-3, touch);
  assert_int_equal(count, 1);
  assert_near(touch[0].gap, 0.0, 1e-15);
  cps_geom_destroy(capsule);
  cps_geom_destroy(box);
}

// Beside the top edge, axis parallel to it: two points at the distance of the edge.
static void a_capsule_along_an_edge_touches_at_two_points(void** state) {
  (void)state;
  CpsGeom *capsule = make_geom(cps_capsule(0.1, 0.6)), *box = make_geom(cps_box(cps_vec3(2.0, 2.0, 2.0)));
  CpsTouch touch[CPS_TOUCH_MAX];
  CpsPose pose = turned(pose_at(1.06, 0.3, 1.08), half_pi, 1.0, 0.0, 0.0);
  int count = collide_at(capsule, pose, box, pose_at(0.0, 0.0, 0.0), 0.01, touch);
  assert_int_equal(count, 2);
  assert_touches_are_sound(touch, count, 0.01);
  for (int k = 0; k < 2; ++k) {
    assert_near(touch[k].gap, 0.0, 1e-14);
    assert_near(touch[k].normal.x, 0.6, 1e-14);
    assert_near(touch[k].normal.z, 0.8, 1e-14);
    assert_near(fabs(touch[k].point_b.y - 0.3), 0.3, 1e-14);
  }
  cps_geom_destroy(capsule);
  cps_geom_destroy(box);
}

static void a_cylinder_stands_on_eight_points_of_its_rim(void** state) {
  (void)state;
  CpsGeom *cylinder = make_geom(cps_cylinder(0.3, 0.8)), *box = make_geom(cps_box(cps_vec3(2.0, 2.0, 1.0)));
  CpsTouch touch[CPS_TOUCH_MAX], spun[CPS_TOUCH_MAX];
  int count = collide_at(cylinder, pose_at(0.1, 0.2, 0.9 + 1e-5), box, pose_at(0.0, 0.0, 0.0), 1e-3, touch);
  assert_int_equal(count, 8);
  assert_touches_are_sound(touch, count, 1e-3);
  // turned about its own axis it stands on the same points
  CpsPose pose = turned(pose_at(0.1, 0.2, 0.9 + 1e-5), 0.37, 0.0, 0.0, 1.0);
  assert_int_equal(collide_at(cylinder, pose, box, pose_at(0.0, 0.0, 0.0), 1e-3, spun), 8);
  for (int k = 0; k < 8; ++k) {
    assert_near(touch[k].gap, 1e-5, 1e-15);
    assert_near(hypot(touch[k].point_b.x - 0.1, touch[k].point_b.y - 0.2), 0.3, 1e-14);
    assert_int_equal(spun[k].feature, touch[k].feature);
    assert_below(cps_vec3_norm(cps_vec3_sub(spun[k].point_b, touch[k].point_b)), 1e-14);
  }
  cps_geom_destroy(cylinder);
  cps_geom_destroy(box);
}

// Tilted by 0.2 about an axis that is no corner's: the lowest point of the rim, to rounding.
static void a_tilted_cylinder_touches_with_the_lowest_point_of_its_rim(void** state) {
  (void)state;
  CpsGeom *cylinder = make_geom(cps_cylinder(0.3, 0.8)), *box = make_geom(cps_box(cps_vec3(2.0, 2.0, 1.0)));
  CpsTouch touch[CPS_TOUCH_MAX];
  const double low = 0.3 * sin(0.2) + 0.4 * cos(0.2);
  const double gaps[] = {1e-4, -1e-4};
  for (int g = 0; g < 2; ++g) {
    CpsPose pose = turned(pose_at(0.0, 0.0, 0.5 + low + gaps[g]), 0.2, cos(0.2), sin(0.2), 0.0);
    int count = collide_at(cylinder, pose, box, pose_at(0.0, 0.0, 0.0), 2e-4, touch);
    assert_int_equal(count, 1);  // the next points of the rim are higher than this margin
    assert_touches_are_sound(touch, count, 2e-4);
    assert_near(touch[0].gap, gaps[g], 1e-15);
    // across the axis of the turn, at r cos(0.2) - h sin(0.2) from the middle
    const double reach = 0.3 * cos(0.2) - 0.4 * sin(0.2);
    assert_near(touch[0].point_b.x, reach * sin(0.2), 1e-14);
    assert_near(touch[0].point_b.y, -reach * cos(0.2), 1e-14);
  }
  cps_geom_destroy(cylinder);
  cps_geom_destroy(box);
}

static void a_lying_cylinder_touches_along_a_line(void** state) {
  (void)state;
  CpsGeom *cylinder = make_geom(cps_cylinder(0.3, 0.8)), *box = make_geom(cps_box(cps_vec3(2.0, 2.0, 1.0)));
  CpsTouch touch[CPS_TOUCH_MAX];
  // rolling by any angle changes nothing
  for (int roll = 0; roll < 10; ++roll) {
    CpsPose pose = turned(pose_at(0.1, 0.2, 0.8 - 1e-6), half_pi, 0.0, 1.0, 0.0);
    pose.rotation = cps_quat_multiply(pose.rotation, cps_quat_exp(cps_vec3(0.0, 0.0, 0.7 * roll)));
    int count = collide_at(cylinder, pose, box, pose_at(0.0, 0.0, 0.0), 1e-3, touch);
    assert_int_equal(count, 2);
    assert_touches_are_sound(touch, count, 1e-3);
    for (int k = 0; k < 2; ++k) {
      assert_near(touch[k].gap, -1e-6, 2e-15);
      assert_near(fabs(touch[k].point_b.x - 0.1), 0.4, 1e-14);
      assert_near(touch[k].point_b.y, 0.2, 1e-14);
    }
  }
  cps_geom_destroy(cylinder);
  cps_geom_destroy(box);
}

static void two_cylinders_touch_by_caps_lines_and_crossings(void** state) {
  (void)state;
  CpsGeom* cylinder = make_geom(cps_cylinder(0.3, 0.8));
  CpsTouch touch[CPS_TOUCH_MAX];
  // on top of each other
  int count = collide_at(cylinder, pose_at(0.0, 0.0, 0.8), cylinder, pose_at(0.0, 0.0, 0.0), 1e-3, touch);
  assert_int_equal(count, 8);
  assert_touches_are_sound(touch, count, 1e-3);
  for (int k = 0; k < count; ++k) assert_near(touch[k].gap, 0.0, 1e-15);
  // side by side, shifted by 0.2: the common part of the lines is 0.6 long
  count = collide_at(cylinder, pose_at(0.36, 0.48, 0.2), cylinder, pose_at(0.0, 0.0, 0.0), 1e-3, touch);
  assert_int_equal(count, 2);
  assert_touches_are_sound(touch, count, 1e-3);
  for (int k = 0; k < count; ++k) {
    assert_near(touch[k].gap, 0.0, 1e-15);
    assert_near(touch[k].normal.x, 0.6, 1e-15);
  }
  assert_near(fabs(touch[0].point_b.z - touch[1].point_b.z), 0.6, 1e-14);
  // crossed at right angles
  CpsPose pose = turned(pose_at(0.61, 0.1, -0.05), half_pi, 1.0, 0.0, 0.0);
  count = collide_at(cylinder, pose, cylinder, pose_at(0.0, 0.0, 0.0), 0.02, touch);
  assert_int_equal(count, 1);
  assert_touches_are_sound(touch, count, 0.02);
  assert_near(touch[0].gap, 0.01, 1e-15);
  assert_near(touch[0].point_b.y, 0.0, 1e-14);
  assert_near(touch[0].point_b.z, -0.05, 1e-14);
  cps_geom_destroy(cylinder);
}

static void a_hull_of_the_corners_of_a_box_is_the_box(void** state) {
  (void)state;
  CpsVec3 corner[9] = {{0.1, 0.2, 0.1}};
  for (int k = 0; k < 8; ++k) corner[k + 1] = cps_vec3(k & 1 ? 0.5 : -0.5, k & 2 ? 0.3 : -0.3, k & 4 ? 0.2 : -0.2);
  CpsGeom *hull = make_geom(cps_hull(corner, 9)), *box = make_geom(cps_box(cps_vec3(1.0, 0.6, 0.4)));
  assert_int_equal(hull->polytope->vertex_count, 8);
  assert_int_equal(hull->polytope->face_count, 6);
  assert_int_equal(hull->polytope->edge_count, 12);
  CpsRandom random = cps_random_seed(2);
  CpsTouch one[CPS_TOUCH_MAX], two[CPS_TOUCH_MAX];
  int touching = 0;
  for (int round = 0; round < 300; ++round) {
    CpsPose pose = random_pose(&random, 0.7);
    int count = collide_at(box, pose, box, pose_at(0.0, 0.0, 0.0), 0.1, one);
    assert_int_equal(collide_at(box, pose, hull, pose_at(0.0, 0.0, 0.0), 0.1, two), count);
    touching += count > 0;
    if (count > 0) assert_near(least_gap(one, count), least_gap(two, count), 1e-14);
  }
  assert_in_range(touching, 100, 290);
  cps_geom_destroy(hull);
  cps_geom_destroy(box);
}

static int on_triangle(CpsShape shape, CpsPose pose, CpsTouch* touch) {
  CpsGeom* geom = make_geom(shape);
  CpsConvex a = cps_convex_geom(geom, &pose);
  CpsConvex b = cps_convex_triangle(cps_vec3(-3.0, -3.0, 7.0), cps_vec3(3.0, -3.0, 7.0), cps_vec3(0.0, 4.0, 7.0));
  int count = cps_convex_collide(&a, &b, 0.01, touch);
  assert_touches_are_sound(touch, count, 0.01);
  for (int k = 0; k < count; ++k) {
    assert_near(touch[k].normal.z, 1.0, 1e-14);
    assert_near(touch[k].point_b.z, 7.0, 1e-14);
  }
  cps_geom_destroy(geom);
  return count;
}

// Above, a little below and behind.
static void a_triangle_is_touched_from_its_front(void** state) {
  (void)state;
  const CpsVec3 pyramid[] = {
      {-0.4, -0.4, -0.2}, {0.4, -0.4, -0.2}, {0.4, 0.4, -0.2}, {-0.4, 0.4, -0.2}, {0.0, 0.0, 0.6}};
  const struct {
    CpsShape shape;
    double height;  // of its lowest point under its origin
    int points;
  } cases[] = {{cps_sphere(0.3), 0.3, 1},
               {cps_capsule(0.2, 0.5), 0.45, 1},
               {cps_box(cps_vec3(0.6, 0.8, 1.0)), 0.5, 4},
               {cps_cylinder(0.3, 0.6), 0.3, 8},
               {cps_hull(pyramid, 5), 0.2, 4}};
  for (int k = 0; k < 5; ++k) {
    CpsTouch touch[CPS_TOUCH_MAX];
    const double gaps[] = {5e-3, 0.0, -1e-9, -1e-3};
    for (int g = 0; g < 4; ++g) {
      assert_int_equal(on_triangle(cases[k].shape, pose_at(0.1, 0.0, 7.0 + cases[k].height + gaps[g]), touch),
                       cases[k].points);
      for (int p = 0; p < cases[k].points; ++p) assert_near(touch[p].gap, gaps[g], 1e-14);
    }
    assert_int_equal(on_triangle(cases[k].shape, pose_at(0.1, 0.0, 7.0 + cases[k].height + 0.02), touch), 0);
    assert_int_equal(on_triangle(cases[k].shape, pose_at(0.1, 0.0, 6.7), touch), 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_capsule_that_lies_on_a_box_touches_at_two_points),
      cmocka_unit_test(a_capsule_along_an_edge_touches_at_two_points),
      cmocka_unit_test(a_cylinder_stands_on_eight_points_of_its_rim),
      cmocka_unit_test(a_tilted_cylinder_touches_with_the_lowest_point_of_its_rim),
      cmocka_unit_test(a_lying_cylinder_touches_along_a_line),
      cmocka_unit_test(two_cylinders_touch_by_caps_lines_and_crossings),
      cmocka_unit_test(a_hull_of_the_corners_of_a_box_is_the_box),
      cmocka_unit_test(a_triangle_is_touched_from_its_front),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
