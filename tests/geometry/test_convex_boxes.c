// Boxes on boxes, closed form.
#include "convex_helpers.h"

static const double sqrt2 = 1.41421356237309504880;

// Two metre cubes: the four corners, and gaps exact to the rounding of metres.
static void a_cube_on_a_cube_touches_at_its_four_corners(void** state) {
  (void)state;
  CpsGeom* cube = make_geom(cps_box(cps_vec3(1.0, 1.0, 1.0)));
  CpsTouch touch[CPS_TOUCH_MAX];
  const double gaps[] = {0.0, 1e-12, -1e-9, 1e-3, -1e-3};
  for (int g = 0; g < 5; ++g) {
    int count = collide_at(cube, pose_at(3.0, -2.0, 1.0 + gaps[g]), cube, pose_at(3.0, -2.0, 0.0), 0.01, touch);
    assert_int_equal(count, 4);
    assert_touches_are_sound(touch, count, 0.01);
    for (int k = 0; k < count; ++k) {
      assert_near(touch[k].gap, gaps[g], 1e-15);
      assert_true(touch[k].normal.x == 0.0 && touch[k].normal.y == 0.0 && touch[k].normal.z == 1.0);
      assert_near(fabs(touch[k].point_b.x - 3.0), 0.5, 1e-14);
      assert_near(fabs(touch[k].point_b.y + 2.0), 0.5, 1e-14);
      assert_near(touch[k].point_b.z, 0.5, 1e-14);
    }
  }
  cps_geom_destroy(cube);
}

// Turned by 45 degrees on its equal the common part is a regular octagon with corners at 1/2 (1, tan 22.5).
static void a_cube_turned_by_45_degrees_touches_at_an_octagon(void** state) {
  (void)state;
  CpsGeom* cube = make_geom(cps_box(cps_vec3(1.0, 1.0, 1.0)));
  CpsTouch touch[CPS_TOUCH_MAX];
  CpsPose top = turned(pose_at(0.0, 0.0, 1.0), atan(1.0), 0.0, 0.0, 1.0);
  int count = collide_at(cube, top, cube, pose_at(0.0, 0.0, 0.0), 1e-3, touch);
  assert_int_equal(count, 8);
  assert_touches_are_sound(touch, count, 1e-3);
  double radius = 0.5 * sqrt(1.0 + (sqrt2 - 1.0) * (sqrt2 - 1.0));
  for (int k = 0; k < count; ++k) {
    assert_near(hypot(touch[k].point_b.x, touch[k].point_b.y), radius, 1e-14);
    assert_near(touch[k].gap, 0.0, 1e-14);
  }
  cps_geom_destroy(cube);
}

// A smaller box hanging over the edge: two of its corners, two crossings of the edges.
static void an_overhanging_box_touches_only_over_the_other(void** state) {
  (void)state;
  CpsGeom *big = make_geom(cps_box(cps_vec3(2.0, 2.0, 1.0))), *small = make_geom(cps_box(cps_vec3(0.5, 0.5, 0.5)));
  CpsTouch touch[CPS_TOUCH_MAX];
  int count = collide_at(small, pose_at(0.9, 0.0, 0.75), big, pose_at(0.0, 0.0, 0.0), 1e-3, touch);
  assert_int_equal(count, 4);
  assert_touches_are_sound(touch, count, 1e-3);
  for (int k = 0; k < 4; ++k) {
    double x = touch[k].point_b.x;
    assert_true(fabs(x - 1.0) < 1e-14 || fabs(x - 0.65) < 1e-14);
    assert_near(fabs(touch[k].point_b.y), 0.25, 1e-14);
  }
  cps_geom_destroy(big);
  cps_geom_destroy(small);
}

// Cubes on edge, crossed at 90 degrees: one point between the middles of the edges.
static void crossed_edges_touch_at_one_point(void** state) {
  (void)state;
  CpsGeom* cube = make_geom(cps_box(cps_vec3(1.0, 1.0, 1.0)));
  CpsTouch touch[CPS_TOUCH_MAX];
  const double gaps[] = {1e-3, 0.0, -1e-3};
  for (int g = 0; g < 3; ++g) {
    CpsPose low = turned(pose_at(0.0, 0.0, 0.0), atan(1.0), 1.0, 0.0, 0.0);
    CpsPose top = turned(pose_at(0.1, -0.2, sqrt2 + gaps[g]), atan(1.0), 0.0, 1.0, 0.0);
    int count = collide_at(cube, top, cube, low, 0.01, touch);
    assert_int_equal(count, 1);
    assert_touches_are_sound(touch, count, 0.01);
    assert_near(touch[0].gap, gaps[g], 1e-15);
    assert_near(touch[0].normal.z, 1.0, 1e-15);
    assert_near(touch[0].point_b.x, 0.1, 1e-14);
    assert_near(touch[0].point_b.y, 0.0, 1e-14);
  }
  cps_geom_destroy(cube);
}

// Corner to corner across the diagonal, and edge along edge: the true distance, not that along a face.
static void corners_and_edges_that_face_each_other_are_at_their_distance(void** state) {
  (void)state;
  CpsGeom* cube = make_geom(cps_box(cps_vec3(1.0, 1.0, 1.0)));
  CpsTouch touch[CPS_TOUCH_MAX];
  int count = collide_at(cube, pose_at(1.01, 1.02, 1.02), cube, pose_at(0.0, 0.0, 0.0), 0.1, touch);
  assert_int_equal(count, 1);
  assert_touches_are_sound(touch, count, 0.1);
  assert_near(touch[0].gap, 0.03, 1e-14);
  assert_near(touch[0].normal.x, 1.0 / 3.0, 1e-12);  // rounding of the corners over the gap
  count = collide_at(cube, pose_at(1.03, 0.25, 1.04), cube, pose_at(0.0, 0.0, 0.0), 0.1, touch);
  assert_int_equal(count, 2);
  assert_touches_are_sound(touch, count, 0.1);
  for (int k = 0; k < 2; ++k) {
    assert_near(touch[k].gap, 0.05, 1e-14);
    assert_near(touch[k].normal.x, 0.6, 1e-12);
    assert_near(touch[k].normal.z, 0.8, 1e-12);
  }
  assert_near(fabs(touch[0].point_b.y - touch[1].point_b.y), 0.75, 1e-14);
  // beyond the margin nothing is reported, although no face axis sees more than 0.04
  assert_int_equal(collide_at(cube, pose_at(1.03, 0.25, 1.04), cube, pose_at(0.0, 0.0, 0.0), 0.045, touch), 0);
  cps_geom_destroy(cube);
}

// A cube that rests and trembles by 1e-9 gives the same features in every step.
static void a_trembling_box_keeps_its_features(void** state) {
  (void)state;
  CpsGeom *cube = make_geom(cps_box(cps_vec3(1.0, 1.0, 1.0))), *brick = make_geom(cps_box(cps_vec3(0.7, 1.4, 0.3)));
  const CpsGeom* low[] = {cube, brick};
  CpsRandom random = cps_random_seed(7);
  for (int pair = 0; pair < 2; ++pair) {
    const double height = pair == 0 ? 1.0 : 0.65;
    CpsTouch first[CPS_TOUCH_MAX], touch[CPS_TOUCH_MAX];
    int count = collide_at(cube, pose_at(0.0, 0.0, height), low[pair], pose_at(0.0, 0.0, 0.0), 1e-3, first);
    for (int step = 0; step < 2000; ++step) {
      CpsPose pose = pose_at(0.0, 0.0, height);
      pose.position = cps_vec3_add(pose.position, random_vec(&random, 1e-9));
      pose.rotation = cps_quat_exp(random_vec(&random, 1e-9));
      int again = collide_at(cube, pose, low[pair], pose_at(0.0, 0.0, 0.0), 1e-3, touch);
      assert_int_equal(again, count);
      for (int k = 0; k < count; ++k) {
        assert_int_equal(touch[k].feature, first[k].feature);
        assert_below(fabs(touch[k].gap - first[k].gap), 3e-9);  // 1e-9 sideways and 1e-9 of turn on a lever below 1
      }
    }
  }
  cps_geom_destroy(cube);
  cps_geom_destroy(brick);
}

// Outside: face, edge and corner; inside: the nearest face.
static void a_ball_touches_a_box_at_one_point(void** state) {
  (void)state;
  CpsGeom *ball = make_geom(cps_sphere(0.25)), *box = make_geom(cps_box(cps_vec3(2.0, 2.0, 2.0)));
  const struct {
    CpsVec3 centre, normal;
    double gap;
  } cases[] = {{{0.3, 0.2, 1.5}, {0.0, 0.0, 1.0}, 0.25},  {{0.3, 0.2, 1.2}, {0.0, 0.0, 1.0}, -0.05},
               {{1.3, 0.2, 1.4}, {0.6, 0.0, 0.8}, 0.25},  {{1.1, 1.2, 1.2}, {1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0}, 0.05},
               {{0.3, 0.2, 0.9}, {0.0, 0.0, 1.0}, -0.35}, {{-0.8, 0.2, 0.1}, {-1.0, 0.0, 0.0}, -0.45}};
  for (int k = 0; k < 6; ++k) {
    CpsTouch touch[CPS_TOUCH_MAX];
    CpsPose pose = pose_at(cases[k].centre.x, cases[k].centre.y, cases[k].centre.z);
    assert_int_equal(collide_at(ball, pose, box, pose_at(0.0, 0.0, 0.0), 0.5, touch), 1);
    assert_touches_are_sound(touch, 1, 0.5);
    assert_near(touch[0].gap, cases[k].gap, 1e-15);
    assert_below(cps_vec3_norm(cps_vec3_sub(touch[0].normal, cases[k].normal)), 1e-15);
    // and seen from the box
    assert_int_equal(collide_at(box, pose_at(0.0, 0.0, 0.0), ball, pose, 0.5, touch), 1);
    assert_near(touch[0].gap, cases[k].gap, 1e-15);
    assert_below(cps_vec3_norm(cps_vec3_add(touch[0].normal, cases[k].normal)), 1e-15);
  }
  cps_geom_destroy(ball);
  cps_geom_destroy(box);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_cube_on_a_cube_touches_at_its_four_corners),
      cmocka_unit_test(a_cube_turned_by_45_degrees_touches_at_an_octagon),
      cmocka_unit_test(an_overhanging_box_touches_only_over_the_other),
      cmocka_unit_test(crossed_edges_touch_at_one_point),
      cmocka_unit_test(corners_and_edges_that_face_each_other_are_at_their_distance),
      cmocka_unit_test(a_trembling_box_keeps_its_features),
      cmocka_unit_test(a_ball_touches_a_box_at_one_point),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
