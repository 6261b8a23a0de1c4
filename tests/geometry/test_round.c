// Spheres and capsules with each other, and every convex shape on a plane.
#include "geometry/segment.h"
#include "geometry/surface_helpers.h"

#include <string.h>

static void two_spheres_touch_on_the_line_of_their_centres(void** state) {
  (void)state;
  CpsGeom *big = make_geom(cps_sphere(2.0)), *small = make_geom(cps_sphere(0.5));
  CpsTouch touch[CPS_TOUCH_MAX];
  // 3-4-5: distance 5, gap 5 - 2 - 0.5
  assert_int_equal(touch_pair(big, pose_at(3, 0, 4), small, pose_at(0, 0, 0), 3.0, touch), 1);
  assert_near(touch[0].gap, 2.5, 1e-15);
  assert_vec_near(touch[0].normal, 0.6, 0.0, 0.8, 1e-15);
  assert_vec_near(touch[0].point_b, 0.3, 0.0, 0.4, 1e-15);
  assert_int_equal(touch_pair(big, pose_at(3, 0, 4), small, pose_at(0, 0, 0), 2.4, touch), 0);
  cps_geom_destroy(big);
  cps_geom_destroy(small);
}

static void spheres_with_one_centre_still_have_a_normal(void** state) {
  (void)state;
  CpsGeom* ball = make_geom(cps_sphere(1.0));
  CpsTouch touch[CPS_TOUCH_MAX];
  assert_int_equal(touch_pair(ball, pose_at(1, 2, 3), ball, pose_at(1, 2, 3), 0.0, touch), 1);
  assert_near(touch[0].gap, -2.0, 1e-15);
  cps_geom_destroy(ball);
}

static void crossed_capsules_touch_in_one_point(void** state) {
  (void)state;
  CpsGeom* rod = make_geom(cps_capsule(0.1, 2.0));
  CpsTouch touch[CPS_TOUCH_MAX];
  const CpsPose along_x = turned(pose_at(0, 0, 0.25), pi / 2, 0, 1, 0),
                along_y = turned(pose_at(0, 0.3, 0), pi / 2, 1, 0, 0);
  assert_int_equal(touch_pair(rod, along_x, rod, along_y, 0.1, touch), 1);
  assert_near(touch[0].gap, 0.05, 1e-15);
  assert_vec_near(touch[0].normal, 0, 0, 1, 1e-15);
  assert_vec_near(touch[0].point_b, 0, 0, 0.1, 1e-15);
  cps_geom_destroy(rod);
}

static void parallel_capsules_touch_at_both_ends_of_the_common_part(void** state) {
  (void)state;
  CpsGeom *rod = make_geom(cps_capsule(0.1, 2.0)), *short_rod = make_geom(cps_capsule(0.1, 1.0));
  CpsTouch touch[CPS_TOUCH_MAX];
  assert_int_equal(touch_pair(rod, pose_at(0.2, 0, 0.7), short_rod, pose_at(0, 0, 0), 0.01, touch), 2);
  double low = fmin(touch[0].point_b.z, touch[1].point_b.z), high = fmax(touch[0].point_b.z, touch[1].point_b.z);
  assert_near(low, -0.3, 1e-15);
  assert_near(high, 0.5, 1e-15);
  for (int k = 0; k < 2; k++) assert_vec_near(touch[k].normal, 1, 0, 0, 1e-15);
  // tilted by a degree they still touch at two points, each with its own gap
  const CpsPose tilted = turned(pose_at(0.2, 0, 0), 0.017, 0, 1, 0);
  assert_int_equal(touch_pair(rod, tilted, rod, pose_at(0, 0, 0), 0.1, touch), 2);
  assert_near(fabs(touch[0].gap - touch[1].gap), 2.0 * sin(0.017), 1e-4);  // the ends are not exactly opposite
  cps_geom_destroy(rod);
  cps_geom_destroy(short_rod);
}

// The convex function of the two parameters, minimised over a grid and then over finer grids about the best point.
static double sampled_distance(CpsVec3 p, CpsVec3 d, CpsVec3 q, CpsVec3 e) {
  double best = INFINITY, s0 = 0.5, t0 = 0.5, width = 0.5;
  for (int level = 0; level < 12; level++, width *= 0.3) {
    double s1 = s0, t1 = t0;
    for (int i = -8; i <= 8; i++) {
      for (int j = -8; j <= 8; j++) {
        const double s = cps_clamp(s0 + width * i / 8, 0, 1), t = cps_clamp(t0 + width * j / 8, 0, 1);
        const double distance = cps_vec3_norm(cps_vec3_sub(cps_vec3_axpy(p, s, d), cps_vec3_axpy(q, t, e)));
        if (distance < best) {
          best = distance;
          s1 = s;
          t1 = t;
        }
      }
    }
    s0 = s1;
    t0 = t1;
  }
  return best;
}

static void capsules_are_as_near_as_a_fine_search_finds_them(void** state) {
  (void)state;
  CpsRandom random = cps_random_seed(7);
  CpsGeom *a = make_geom(cps_capsule(0.1, 1.2)), *b = make_geom(cps_capsule(0.2, 0.7));
  for (int i = 0; i < 300; i++) {
    const CpsPose pose_a = random_pose(&random, 1.0), pose_b = random_pose(&random, 1.0);
    CpsTouch touch[CPS_TOUCH_MAX];
    const int count = touch_pair(a, pose_a, b, pose_b, 10.0, touch);
    const CpsVec3 p = cps_pose_apply(pose_a, cps_vec3(0, 0, -0.6)), q = cps_pose_apply(pose_b, cps_vec3(0, 0, -0.35));
    const CpsVec3 d = cps_quat_rotate(pose_a.rotation, cps_vec3(0, 0, 1.2)),
                  e = cps_quat_rotate(pose_b.rotation, cps_vec3(0, 0, 0.7));
    // the last grid has steps of 1e-7, and a minimum is flat; touches may leave out anything nearer by 1e-6 radii
    assert_near(least_gap(touch, count), sampled_distance(p, d, q, e) - 0.3, 1e-6);
  }
  cps_geom_destroy(a);
  cps_geom_destroy(b);
}

static void sphere_and_capsule_rest_on_a_plane(void** state) {
  (void)state;
  CpsGeom *plane = make_geom(cps_plane()), *ball = make_geom(cps_sphere(0.5)), *rod = make_geom(cps_capsule(0.1, 2.0));
  CpsTouch touch[CPS_TOUCH_MAX];
  assert_int_equal(touch_pair(ball, pose_at(1, 2, 0.45), plane, pose_at(0, 0, 0), 0.0, touch), 1);
  assert_near(touch[0].gap, -0.05, 1e-15);
  assert_vec_near(touch[0].point_b, 1, 2, 0, 1e-15);
  assert_vec_near(touch[0].normal, 0, 0, 1, 0.0);
  assert_int_equal(touch_pair(rod, turned(pose_at(0, 0, 0.1), pi / 2, 0, 1, 0), plane, pose_at(0, 0, 0), 1e-3, touch),
                   2);
  assert_near(fabs(touch[0].point_a.x - touch[1].point_a.x), 2.0, 1e-15);
  assert_int_equal(touch_pair(rod, pose_at(0, 0, 1.1), plane, pose_at(0, 0, 0), 1e-3, touch), 1);
  assert_near(touch[0].gap, 0.0, 1e-15);
  cps_geom_destroy(plane);
  cps_geom_destroy(ball);
  cps_geom_destroy(rod);
}

static void box_and_hull_rest_on_their_lowest_vertices(void** state) {
  (void)state;
  CpsGeom *plane = make_geom(cps_plane()), *box = make_geom(cps_box(cps_vec3(2, 1, 0.5)));
  CpsTouch touch[CPS_TOUCH_MAX];
  assert_int_equal(touch_pair(box, pose_at(0, 0, 0.25), plane, pose_at(0, 0, 0), 1e-3, touch), 4);
  for (int k = 0; k < 4; k++) {
    assert_near(touch[k].gap, 0.0, 1e-16);
    assert_near(fabs(touch[k].point_a.x), 1.0, 1e-16);
    assert_near(fabs(touch[k].point_a.y), 0.5, 1e-16);
  }
  assert_int_equal(touch_pair(box, turned(pose_at(0, 0, 1), 0.5, 1, 2, 0), plane, pose_at(0, 0, 0), 0.0, touch), 0);
  // a prism on 20 corners is reduced to 8 that are the same however the heights are rounded
  CpsVec3 points[40];
  for (int k = 0; k < 40; k++) {
    points[k] = cps_vec3(cos(0.1 * pi * k), sin(0.1 * pi * k), k < 20 ? -0.5 : 0.5);
  }
  CpsGeom* prism = make_geom(cps_hull(points, 40));
  assert_int_equal(touch_pair(prism, pose_at(0, 0, 0.5), plane, pose_at(0, 0, 0), 1e-3, touch), 8);
  CpsTouch again[CPS_TOUCH_MAX];
  assert_int_equal(touch_pair(prism, turned(pose_at(0, 0, 0.5), 1e-9, 3, 1, 0), plane, pose_at(0, 0, 0), 1e-3, again),
                   8);
  double x = 0.0, y = 0.0;
  for (int k = 0; k < 8; k++) {
    assert_int_equal(touch[k].feature, again[k].feature);
    assert_near(touch[k].gap, 0.0, 1e-15);
    x += fabs(touch[k].point_a.x) / 8;
    y += fabs(touch[k].point_a.y) / 8;
  }
  assert_true(x > 0.5 && y > 0.5);  // on all sides
  cps_geom_destroy(plane);
  cps_geom_destroy(box);
  cps_geom_destroy(prism);
}

static void cylinder_stands_on_its_rim_and_lies_on_two_points(void** state) {
  (void)state;
  CpsGeom *plane = make_geom(cps_plane()), *drum = make_geom(cps_cylinder(0.5, 2.0));
  CpsTouch touch[CPS_TOUCH_MAX];
  assert_int_equal(touch_pair(drum, pose_at(0, 0, 1), plane, pose_at(0, 0, 0), 1e-3, touch), 8);
  for (int k = 0; k < 8; k++) {
    assert_near(touch[k].gap, 0.0, 1e-15);
    assert_near(hypot(touch[k].point_a.x, touch[k].point_a.y), 0.5, 1e-15);
  }
  // rounding does not turn the points about the axis
  CpsTouch again[CPS_TOUCH_MAX];
  assert_int_equal(touch_pair(drum, turned(pose_at(0, 0, 1), 1e-8, 1, 3, 0), plane, pose_at(0, 0, 0), 1e-3, again), 8);
  for (int k = 0; k < 8; k++) {
    assert_int_equal(again[k].feature, touch[k].feature);
    assert_below(cps_vec3_norm(cps_vec3_sub(again[k].point_a, touch[k].point_a)), 3e-8);  // the tilt times the height
  }
  assert_int_equal(touch_pair(drum, turned(pose_at(0, 0, 0.5), pi / 2, 0, 1, 0), plane, pose_at(0, 0, 0), 1e-3, touch),
                   2);
  assert_near(fabs(touch[0].point_a.x - touch[1].point_a.x), 2.0, 1e-15);
  // tilted by 30 degrees it rolls on its true rim: lowest point h cos + r sin below the centre
  const double low = cos(pi / 6) + 0.5 * sin(pi / 6);
  assert_int_equal(
      touch_pair(drum, turned(pose_at(0, 0, low), pi / 6, 0.3, 0.7, 0), plane, pose_at(0, 0, 0), 1e-3, touch), 1);
  assert_near(touch[0].gap, 0.0, 1e-15);
  cps_geom_destroy(plane);
  cps_geom_destroy(drum);
}

static void touches_move_with_the_shapes(void** state) {
  (void)state;
  CpsRandom random = cps_random_seed(11);
  CpsGeom* plane = make_geom(cps_plane());
  CpsGeom* shapes[] = {make_geom(cps_sphere(0.5)), make_geom(cps_capsule(0.2, 0.8)), make_geom(cps_cylinder(0.3, 0.7)),
                       make_geom(cps_box(cps_vec3(0.6, 0.8, 1.0)))};
  for (int i = 0; i < 100; i++) {
    const CpsPose by = random_pose(&random, 5.0);
    const CpsPose a = random_pose(&random, 0.3), b = random_pose(&random, 0.3);
    for (int k = 0; k < 4; k++) assert_moves_along(shapes[k], a, plane, pose_at(0, 0, 0), 0.1, by, 1e-13);
    for (int k = 0; k < 2; k++) assert_moves_along(shapes[k], a, shapes[1], b, 0.2, by, 1e-13);
  }
  cps_geom_destroy(plane);
  for (int k = 0; k < 4; k++) cps_geom_destroy(shapes[k]);
}

static void boxes_hold_their_shapes(void** state) {
  (void)state;
  CpsRandom random = cps_random_seed(3);
  CpsGeom *drum = make_geom(cps_cylinder(0.3, 0.7)), *rod = make_geom(cps_capsule(0.2, 0.8)),
          *box = make_geom(cps_box(cps_vec3(0.2, 0.4, 1.0)));
  for (int i = 0; i < 200; i++) {
    const CpsPose pose = random_pose(&random, 1.0);
    const CpsAabb b = cps_geom_bounds(drum, &pose), c = cps_geom_bounds(rod, &pose), d = cps_geom_bounds(box, &pose);
    double reach[3] = {0, 0, 0};  // of the drum in the three directions of the world, by sampling its rims
    for (int k = 0; k < 720; k++) {
      const double angle = 2.0 * pi * k / 720;
      const CpsVec3 x = cps_quat_rotate(pose.rotation, cps_vec3(0.3 * cos(angle), 0.3 * sin(angle), 0.35));
      reach[0] = fmax(reach[0], fabs(x.x));
      reach[1] = fmax(reach[1], fabs(x.y));
      reach[2] = fmax(reach[2], fabs(x.z));
    }
    // tight: the best of 720 directions is within 0.3 (1 - cos(0.25 degrees)) = 3e-6 of the true reach
    assert_near(b.max.x - pose.position.x, reach[0], 3e-6);
    assert_near(b.max.y - pose.position.y, reach[1], 3e-6);
    assert_near(pose.position.z - b.min.z, reach[2], 3e-6);
    const CpsVec3 end = cps_quat_rotate(pose.rotation, cps_vec3(0, 0, 0.4));
    assert_near(c.max.x - c.min.x, 2.0 * fabs(end.x) + 0.4, 1e-14);
    const CpsVec3 corner = cps_pose_apply(pose, cps_vec3(0.1, -0.2, 0.5));
    assert_true(corner.x <= d.max.x + 1e-15 && corner.y >= d.min.y - 1e-15 && corner.z <= d.max.z + 1e-15);
  }
  CpsGeom* plane = make_geom(cps_plane());
  const CpsPose floor = pose_at(0, 0, 2), slope = turned(pose_at(0, 0, 0), 0.3, 1, 0, 0);
  assert_true(cps_geom_bounds(plane, &floor).max.z == 2.0 && isinf(cps_geom_bounds(plane, &floor).min.z));
  assert_true(isinf(cps_geom_bounds(plane, &slope).max.z));
  cps_geom_destroy(plane);
  cps_geom_destroy(drum);
  cps_geom_destroy(rod);
  cps_geom_destroy(box);
}

static void shapes_without_sense_are_refused(void** state) {
  (void)state;
  const CpsVec3 points[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, same[2] = {{1, 1, 1}, {1, 1, 1}},
                nan_points[2] = {{0, 0, 0}, {NAN, 0, 0}};
  const int32_t bad_index[3] = {0, 1, 3}, no_area[3] = {0, 1, 1};
  const CpsShapePart bad_part = {.shape = cps_sphere(-1.0)}, plane_part = {.shape = cps_plane()};
  const struct {
    CpsShape shape;
    const char* begins;
  } cases[] = {
      {{0}, "shape"},
      {cps_sphere(0.0), "sphere.radius"},
      {cps_sphere(NAN), "sphere.radius"},
      {cps_box(cps_vec3(1, -1, 1)), "box.size"},
      {cps_capsule(1.0, -1.0), "capsule.length"},
      {cps_cylinder(1.0, 0.0), "cylinder.length"},
      {cps_cylinder(INFINITY, 1.0), "cylinder.radius"},
      {cps_hull(points, 3), "hull.points"},
      {cps_mesh(points, 3, bad_index, 1), "mesh.triangles[0]"},
      {cps_mesh(points, 3, no_area, 1), "mesh.triangles"},
      {cps_mesh(points, 3, NULL, 1), "mesh.triangles"},
      {cps_tube(points, 1, 0.1, false), "tube.points"},
      {cps_tube(same, 2, 0.1, false), "tube.points"},
      {cps_tube(nan_points, 2, 0.1, false), "tube.points[1]"},
      {cps_tube(points, 3, 0.0, false), "tube.radius"},
      {cps_compound(&bad_part, 1), "compound.parts[0].sphere.radius"},
      {cps_compound(&plane_part, 1), "compound.parts[0]"},
      {cps_compound(NULL, 1), "compound.parts"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    CpsError error = {0};
    CpsGeom* geom = NULL;
    assert_true(cps_geom_create(&cases[i].shape, &geom, &error) < 0);
    assert_null(geom);
    assert_memory_equal(error.text, cases[i].begins, strlen(cases[i].begins));
    assert_true(cps_shape_check(&cases[i].shape, NULL) < 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(two_spheres_touch_on_the_line_of_their_centres),
      cmocka_unit_test(spheres_with_one_centre_still_have_a_normal),
      cmocka_unit_test(crossed_capsules_touch_in_one_point),
      cmocka_unit_test(parallel_capsules_touch_at_both_ends_of_the_common_part),
      cmocka_unit_test(capsules_are_as_near_as_a_fine_search_finds_them),
      cmocka_unit_test(sphere_and_capsule_rest_on_a_plane),
      cmocka_unit_test(box_and_hull_rest_on_their_lowest_vertices),
      cmocka_unit_test(cylinder_stands_on_its_rim_and_lies_on_two_points),
      cmocka_unit_test(touches_move_with_the_shapes),
      cmocka_unit_test(boxes_hold_their_shapes),
      cmocka_unit_test(shapes_without_sense_are_refused),
  };
  return cmocka_run_group_tests_name("geometry/round", tests, NULL, NULL);
}
