// Bodies on tubes: one touch per place, no bumps at joints, and the circle that the points were taken from.
#include <stdlib.h>

#include "geometry/surface_helpers.h"

enum { MOST = 400 };

// Points of a circle of radius R in the x-z plane, from angle 0 upwards.
static CpsGeom* ring(double R, double r, int count, double angle, bool closed) {
  CpsVec3 points[MOST];
  for (int k = 0; k < count; k++) {
    const double phi = angle * k / (closed ? count : count - 1);
    points[k] = cps_vec3(R * sin(phi), 0.0, -R * cos(phi));
  }
  return make_geom(cps_tube(points, count, r, closed));
}

static void straight_rail_is_a_capsule_however_many_points_it_has(void** state) {
  (void)state;
  CpsVec3 points[11];
  for (int k = 0; k <= 10; k++) points[k] = cps_vec3(0.2 * k - 1.0, 0.0, 0.0);
  CpsGeom *rail = make_geom(cps_tube(points, 11, 0.1, false)), *rod = make_geom(cps_capsule(0.1, 2.0));
  CpsGeom* ball = make_geom(cps_sphere(0.3));
  const CpsPose along = turned(pose_at(0, 0, 0), pi / 2, 0, 1, 0);
  CpsRandom random = cps_random_seed(1);
  for (int i = 0; i < 500; i++) {
    CpsPose pose = pose_at(0, 0, 0);
    pose.position = random_vec(&random, 1.5);
    if (i % 5 == 0) pose.position.x = 0.2 * (i % 9) - 0.8;  // beside a joint
    CpsTouch touch[CPS_TOUCH_MAX], exact[CPS_TOUCH_MAX];
    assert_int_equal(touch_pair(ball, pose, rail, pose_at(0, 0, 0), 5.0, touch), 1);
    assert_int_equal(touch_pair(ball, pose, rod, along, 5.0, exact), 1);
    assert_near(touch[0].gap, exact[0].gap, 1e-14);
    assert_vec_near(touch[0].normal, exact[0].normal.x, exact[0].normal.y, exact[0].normal.z, 1e-13);
  }
  cps_geom_destroy(rail);
  cps_geom_destroy(rod);
  cps_geom_destroy(ball);
}

static void ball_in_a_loop_touches_each_rail_in_one_point_of_the_circle(void** state) {
  (void)state;
  // 36 pieces of 10 degrees. The cubic leaves the circle by less than 1e-9 of its radius (tube.c); a polyline would leave
  // it by 1 - cos(5 degrees) = 4e-3, with corners.
  CpsGeom *loop = ring(1.0, 0.02, 36, 2.0 * pi, true), *ball = make_geom(cps_sphere(0.1));
  for (int side = 0; side < 2; side++) {
    const double at = side == 0 ? 0.85 : 1.15;  // inside and outside of the ring
    for (int i = 0; i < 3600; i++) {
      const double phi = 2.0 * pi * i / 3600;
      const CpsPose pose = pose_at(at * sin(phi), 0.05, -at * cos(phi));
      CpsTouch touch[CPS_TOUCH_MAX];
      assert_int_equal(touch_pair(ball, pose, loop, pose_at(0, 0, 0), 0.2, touch), 1);
      const double distance = hypot(0.15, 0.05), sign = side == 0 ? -1.0 : 1.0;
      assert_near(touch[0].gap, distance - 0.12, 1e-9);
      // the normal turns by the error of the circle over the distance, and by that of its slope, one order of angle less
      assert_near(touch[0].normal.x, sign * 0.15 / distance * sin(phi), 1e-7);
      assert_near(touch[0].normal.y, 0.05 / distance, 1e-8);
    }
  }
  cps_geom_destroy(loop);
  cps_geom_destroy(ball);
}

static void deviation_from_a_circle_falls_with_the_sixth_power_of_the_angle(void** state) {
  (void)state;
  double worst[2];
  CpsGeom* ball = make_geom(cps_sphere(0.1));
  for (int k = 0; k < 2; k++) {
    CpsGeom* loop = ring(1.0, 0.02, k == 0 ? 13 : 26, 2.0 * pi, true);
    worst[k] = 0.0;
    for (int i = 0; i < 1000; i++) {
      const double phi = 2.0 * pi * i / 1000;
      CpsTouch touch[CPS_TOUCH_MAX];
      assert_int_equal(
          touch_pair(ball, pose_at(0.8 * sin(phi), 0, -0.8 * cos(phi)), loop, pose_at(0, 0, 0), 0.2, touch), 1);
      worst[k] = fmax(worst[k], fabs(touch[0].gap - 0.08));
    }
    cps_geom_destroy(loop);
  }
  assert_true(worst[0] / worst[1] > 50.0 && worst[0] / worst[1] < 80.0);  // 2^6 = 64
  cps_geom_destroy(ball);
}

static void sharp_corner_is_a_ball_outside_and_two_walls_inside(void** state) {
  (void)state;
  const CpsVec3 points[3] = {{-1, 0, 0}, {0, 0, 0}, {0, 0, -1}};
  CpsGeom *bend = make_geom(cps_tube(points, 3, 0.1, false)), *ball = make_geom(cps_sphere(0.2));
  CpsTouch touch[CPS_TOUCH_MAX];
  const double d = 0.3 * sqrt(0.5);
  assert_int_equal(touch_pair(ball, pose_at(d, 0, d), bend, pose_at(0, 0, 0), 0.01, touch), 1);
  assert_vec_near(touch[0].normal, sqrt(0.5), 0, sqrt(0.5), 1e-15);
  assert_near(touch[0].gap, 0.0, 1e-15);
  assert_int_equal(touch_pair(ball, pose_at(-0.3, 0, -0.3), bend, pose_at(0, 0, 0), 0.01, touch), 2);
  for (int k = 0; k < 2; k++) {
    assert_near(touch[k].gap, 0.0, 1e-15);
    assert_near(fabs(touch[k].normal.x) + fabs(touch[k].normal.z), 1.0, 1e-15);
  }
  // round ends
  assert_int_equal(touch_pair(ball, pose_at(-1.3, 0, 0), bend, pose_at(0, 0, 0), 0.01, touch), 1);
  assert_vec_near(touch[0].normal, -1, 0, 0, 1e-15);
  assert_int_equal(touch_pair(ball, pose_at(0, 0, -1.3), bend, pose_at(0, 0, 0), 0.01, touch), 1);
  assert_vec_near(touch[0].normal, 0, 0, -1, 1e-15);
  cps_geom_destroy(bend);
  cps_geom_destroy(ball);
}

static void gap_and_normal_are_continuous_along_a_wavy_rail(void** state) {
  (void)state;
  CpsVec3 points[60];
  for (int k = 0; k < 60; k++) points[k] = cps_vec3(0.1 * k, 0.3 * sin(0.5 * k * 0.4), 0.4 * cos(0.3 * k * 0.4));
  CpsGeom *rail = make_geom(cps_tube(points, 60, 0.05, false)), *ball = make_geom(cps_sphere(0.1));
  CpsTouch touch[CPS_TOUCH_MAX];
  CpsTouch last = {0};
  for (int i = 0; i <= 5000; i++) {
    const double u = 1.0 + 55.0 * i / 5000;
    const CpsPose pose = pose_at(0.1 * u, 0.3 * sin(0.2 * u) + 0.05, 0.4 * cos(0.12 * u) + 0.15);
    assert_int_equal(touch_pair(ball, pose, rail, pose_at(0, 0, 0), 0.2, touch), 1);
    if (i > 0) {
      // the ball moves by 1.5e-3 a step: the gap changes by no more, and the normal turns by no more than that over the
      // distance 0.15 and the bend of the rail
      assert_below(fabs(touch[0].gap - last.gap), 1.6e-3);
      assert_below(cps_vec3_norm(cps_vec3_sub(touch[0].normal, last.normal)), 0.02);
    }
    last = touch[0];
  }
  cps_geom_destroy(rail);
  cps_geom_destroy(ball);
}

static void box_and_rod_lie_on_two_rails_with_upright_normals(void** state) {
  (void)state;
  CpsVec3 points[21];
  for (int k = 0; k <= 20; k++) points[k] = cps_vec3(0.1 * k - 1.0, 0.0, 0.0);
  CpsGeom *rail = make_geom(cps_tube(points, 21, 0.05, false)), *box = make_geom(cps_box(cps_vec3(0.5, 0.8, 0.2)));
  CpsGeom* rod = make_geom(cps_capsule(0.1, 1.0));
  CpsTouch touch[CPS_TOUCH_MAX];
  const CpsPose across = turned(pose_at(0.13, 0, 0.15 - 1e-4), pi / 2, 1, 0, 0);
  for (int i = 0; i < 200; i++) {
    const CpsPose pose = pose_at(-0.5 + 0.005 * i, 0.03, 0.15 - 1e-4);
    const int count = touch_pair(box, pose, rail, pose_at(0, 0, 0), 1e-3, touch);
    assert_in_range(count, 2, 16);
    double low = INFINITY, high = -INFINITY;
    for (int k = 0; k < count; k++) {
      assert_vec_near(touch[k].normal, 0, 0, 1, 1e-9);
      assert_near(touch[k].gap, -1e-4, 1e-12);
      low = fmin(low, touch[k].point_b.x - pose.position.x);
      high = fmax(high, touch[k].point_b.x - pose.position.x);
    }
    assert_near(low, -0.25, 1e-9);  // it rests on its whole length
    assert_near(high, 0.25, 1e-9);
    CpsPose rolling = across;
    rolling.position.x += 0.003 * i;
    assert_int_equal(touch_pair(rod, rolling, rail, pose_at(0, 0, 0), 1e-3, touch), 1);
    assert_vec_near(touch[0].normal, 0, 0, 1, 1e-12);
  }
  cps_geom_destroy(rail);
  cps_geom_destroy(box);
  cps_geom_destroy(rod);
}

static void drum_lies_across_a_rail_and_along_it(void** state) {
  (void)state;
  CpsVec3 points[21];
  for (int k = 0; k <= 20; k++) points[k] = cps_vec3(0.1 * k - 1.0, 0.0, 0.0);
  CpsGeom *rail = make_geom(cps_tube(points, 21, 0.05, false)), *drum = make_geom(cps_cylinder(0.1, 0.5));
  CpsTouch touch[CPS_TOUCH_MAX];
  for (int i = 0; i < 200; i++) {
    const double x = -0.5 + 0.005 * i;
    int count =
        touch_pair(drum, turned(pose_at(x, 0.03, 0.15 - 1e-4), pi / 2, 1, 0, 0), rail, pose_at(0, 0, 0), 1e-3, touch);
    assert_true(count >= 1);
    for (int k = 0; k < count; k++) {
      assert_vec_near(touch[k].normal, 0, 0, 1, 1e-9);
      assert_near(touch[k].gap, -1e-4, 1e-12);
      assert_near(touch[k].point_b.x, x, 1e-6);
    }
    count =
        touch_pair(drum, turned(pose_at(x, 0.0, 0.15 - 1e-4), pi / 2, 0, 1, 0), rail, pose_at(0, 0, 0), 1e-3, touch);
    double low = INFINITY, high = -INFINITY;
    for (int k = 0; k < count; k++) {
      assert_vec_near(touch[k].normal, 0, 0, 1, 1e-9);
      low = fmin(low, touch[k].point_b.x - x);
      high = fmax(high, touch[k].point_b.x - x);
    }
    assert_near(low, -0.25, 1e-9);
    assert_near(high, 0.25, 1e-9);
  }
  cps_geom_destroy(rail);
  cps_geom_destroy(drum);
}

static void ball_between_the_turns_of_a_spring_touches_each(void** state) {
  (void)state;
  CpsVec3 points[MOST];
  for (int k = 0; k < MOST; k++) points[k] = cps_vec3(cos(0.05 * k), sin(0.05 * k), 0.4 * 0.05 * k / (2.0 * pi));
  CpsGeom *spring = make_geom(cps_tube(points, MOST, 0.05, false)), *ball = make_geom(cps_sphere(0.18));
  CpsTouch touch[CPS_TOUCH_MAX];
  // beside the line halfway between two turns that are 0.4 apart
  const double angle = 2.5 * pi;
  const CpsPose pose = pose_at(1.1 * cos(angle), 1.1 * sin(angle), 0.4 * angle / (2.0 * pi) + 0.2);
  assert_int_equal(touch_pair(ball, pose, spring, pose_at(0, 0, 0), 0.05, touch), 2);
  assert_true(touch[0].normal.z * touch[1].normal.z < 0.0);
  CpsRandom random = cps_random_seed(6);
  for (int i = 0; i < 50; i++)
    assert_moves_along(ball, pose, spring, pose_at(0, 0, 0), 0.05, random_pose(&random, 3.0), 1e-12);
  cps_geom_destroy(spring);
  cps_geom_destroy(ball);
}

static void any_line_gives_sound_touches(void** state) {
  (void)state;
  CpsRandom random = cps_random_seed(14);
  CpsGeom* shapes[] = {make_geom(cps_sphere(0.3)), make_geom(cps_capsule(0.2, 0.6)),
                       make_geom(cps_box(cps_vec3(0.5, 0.4, 0.3))), make_geom(cps_cylinder(0.3, 0.4))};
  int touched = 0;
  for (int i = 0; i < 100; i++) {
    CpsVec3 points[12];
    for (int k = 0; k < 12; k++) {
      // doubles, ways back, straight on: the line may cross itself
      const CpsVec3 p = random_vec(&random, 1.5);
      points[k] = k % 4 == 3 ? points[k - 1] : k % 5 == 4 ? points[k - 3] : cps_vec3(round(p.x), p.y, round(p.z));
    }
    CpsGeom* line = make_geom(cps_tube(points, 12, 0.1, i % 2 == 0));
    for (int n = 0; n < 20; n++) {
      const CpsPose pose = random_pose(&random, 1.5), place = random_pose(&random, 1.0);
      CpsTouch touch[CPS_TOUCH_MAX];
      for (int k = 0; k < 4; k++) touched += touch_pair(shapes[k], pose, line, place, 0.1, touch) > 0;
    }
    cps_geom_destroy(line);
  }
  assert_true(touched > 1000);
  for (int k = 0; k < 4; k++) cps_geom_destroy(shapes[k]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(straight_rail_is_a_capsule_however_many_points_it_has),
      cmocka_unit_test(ball_in_a_loop_touches_each_rail_in_one_point_of_the_circle),
      cmocka_unit_test(deviation_from_a_circle_falls_with_the_sixth_power_of_the_angle),
      cmocka_unit_test(sharp_corner_is_a_ball_outside_and_two_walls_inside),
      cmocka_unit_test(gap_and_normal_are_continuous_along_a_wavy_rail),
      cmocka_unit_test(box_and_rod_lie_on_two_rails_with_upright_normals),
      cmocka_unit_test(drum_lies_across_a_rail_and_along_it),
      cmocka_unit_test(any_line_gives_sound_touches),
      cmocka_unit_test(ball_between_the_turns_of_a_spring_touches_each),
  };
  return cmocka_run_group_tests_name("geometry/tube", tests, NULL, NULL);
}
