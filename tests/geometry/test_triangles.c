// Triangles of shapes: closed, counter-clockwise, on the surface, with the volume of the solid.
#include <math.h>
#include <stdlib.h>

#include "capstan/shape.h"
#include "core/quat.h"
#include "test_helpers.h"

static const double pi = 3.14159265358979323846;

static CpsTriangles make(const CpsShape* shape, int32_t around) {
  CpsTriangles t;
  CpsError error;
  if (cps_shape_triangles(shape, around, 1.0, &t, &error) != CPS_OK) fail_msg("%s", error.text);
  return t;
}

// sum p.(q x r) / 6 over the triangles: positive where they are counter-clockwise seen from outside.
static double volume(const CpsTriangles* t) {
  double sum = 0.0;
  for (int32_t i = 0; i < t->triangle_count; ++i) {
    const int32_t* v = t->triangles + 3 * (size_t)i;
    sum += cps_vec3_dot(t->points[v[0]], cps_vec3_cross(t->points[v[1]], t->points[v[2]])) / 6.0;
  }
  return sum;
}

// The area vectors of a closed surface cancel; no triangle turns its back to its normals.
static void assert_closed_and_outward(const CpsTriangles* t) {
  CpsVec3 sum = {0};
  double area = 0.0;
  for (int32_t i = 0; i < t->triangle_count; ++i) {
    const int32_t* v = t->triangles + 3 * (size_t)i;
    for (int k = 0; k < 3; ++k) assert_in_range((uintmax_t)v[k], 0, (uintmax_t)t->point_count - 1);
    CpsVec3 p = t->points[v[0]];
    CpsVec3 a = cps_vec3_cross(cps_vec3_sub(t->points[v[1]], p), cps_vec3_sub(t->points[v[2]], p));
    sum = cps_vec3_add(sum, a);
    area += cps_vec3_norm(a);
    for (int k = 0; k < 3; ++k) assert_true(cps_vec3_dot(a, t->normals[v[k]]) > 0.0);
  }
  assert_true(cps_vec3_norm(sum) < 1e-12 * area);
  for (int32_t i = 0; i < t->point_count; ++i) assert_true(fabs(cps_vec3_norm(t->normals[i]) - 1.0) < 1e-12);
}

// A polygon of n corners on a circle has the area (n/2) sin(2 pi/n) r^2.
static double polygon(int32_t n, double r) {
  return 0.5 * n * sin(2.0 * pi / n) * r * r;
}

static void a_cylinder_is_a_prism(void** state) {
  (void)state;
  CpsShape shape = cps_cylinder(0.3, 0.8);
  CpsTriangles t = make(&shape, 24);
  assert_closed_and_outward(&t);
  assert_true(fabs(volume(&t) - 0.8 * polygon(24, 0.3)) < 1e-12);
  cps_triangles_free(&t);
  assert_null(t.points);
}

static void spheres_and_capsules_converge_at_second_order(void** state) {
  (void)state;
  CpsShape shapes[2] = {cps_sphere(0.5), cps_capsule(0.5, 1.2)};
  const double exact[2] = {4.0 / 3.0 * pi * 0.125, (4.0 / 3.0 * 0.5 + 1.2) * pi * 0.25};
  for (int k = 0; k < 2; ++k) {
    double error[2];
    for (int fine = 0; fine < 2; ++fine) {
      CpsTriangles t = make(&shapes[k], fine ? 64 : 32);
      assert_closed_and_outward(&t);
      error[fine] = exact[k] - volume(&t);
      for (int32_t i = 0; i < t.point_count; ++i) {
        CpsVec3 p = t.points[i];
        double reach = fmax(fabs(p.z) - 0.5 * shapes[k].length, 0.0);  // beyond the straight part
        assert_true(fabs(sqrt(p.x * p.x + p.y * p.y + reach * reach) - 0.5) < 1e-14);
      }
      cps_triangles_free(&t);
    }
    assert_true(error[1] > 0.0 && error[0] / error[1] > 3.9 && error[0] / error[1] < 4.1);
  }
}

static void boxes_and_hulls_are_exact(void** state) {
  (void)state;
  CpsShape box = cps_box(cps_vec3(1.0, 2.0, 3.0));
  CpsTriangles t = make(&box, 6);
  assert_closed_and_outward(&t);
  assert_int_equal(t.point_count, 24);
  assert_int_equal(t.triangle_count, 12);
  assert_true(fabs(volume(&t) - 6.0) < 1e-14);
  cps_triangles_free(&t);
  const CpsVec3 corners[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  CpsShape hull = cps_hull(corners, 4);
  t = make(&hull, 6);
  assert_closed_and_outward(&t);
  assert_true(fabs(volume(&t) - 1.0 / 6.0) < 1e-15);
  cps_triangles_free(&t);
}

static void a_compound_has_the_triangles_of_its_parts_in_their_places(void** state) {
  (void)state;
  const double half = sqrt(0.5);  // a quarter turn about x
  CpsShapePart parts[2] = {{cps_box(cps_vec3(1.0, 1.0, 1.0)), {.position = {3.0, 0.0, 0.0}}, 0.0},
                           {cps_box(cps_vec3(1.0, 2.0, 4.0)), {.rotation = {half, half, 0.0, 0.0}}, 0.0}};
  CpsShape shape = cps_compound(parts, 2);
  CpsTriangles t = make(&shape, 6);
  assert_int_equal(t.triangle_count, 24);
  double most_x = 0.0, most_y = 0.0;
  for (int32_t i = 0; i < t.point_count; ++i) {
    most_x = fmax(most_x, t.points[i].x);
    most_y = fmax(most_y, t.points[i].y);
  }
  assert_true(fabs(most_x - 3.5) < 1e-15 && fabs(most_y - 2.0) < 1e-14);
  assert_true(fabs(volume(&t) - 9.0) < 1e-13);
  cps_triangles_free(&t);
}

static void a_half_space_is_a_square_that_faces_up(void** state) {
  (void)state;
  CpsShape plane = cps_plane();
  CpsTriangles t;
  assert_int_equal(cps_shape_triangles(&plane, 6, 5.0, &t, NULL), CPS_OK);
  assert_int_equal(t.triangle_count, 2);
  for (int32_t i = 0; i < 4; ++i) {
    assert_true(fabs(t.points[i].x) == 5.0 && fabs(t.points[i].y) == 5.0 && t.points[i].z == 0.0);
    assert_true(t.normals[i].z == 1.0);
  }
  cps_triangles_free(&t);
}

// A roof: two squares that meet at a right angle keep their normals; a shallow one gets one normal along the ridge.
static void a_mesh_is_smooth_where_it_bends_little(void** state) {
  (void)state;
  const int32_t triangles[12] = {0, 1, 3, 1, 4, 3, 1, 2, 4, 2, 5, 4};
  for (int shallow = 0; shallow < 2; ++shallow) {
    double z = shallow ? -0.1 : -1.0;
    const CpsVec3 points[6] = {{-1, 0, z}, {0, 0, 0}, {1, 0, z}, {-1, 1, z}, {0, 1, 0}, {1, 1, z}};
    CpsShape mesh = cps_mesh(points, 6, triangles, 4);
    CpsTriangles t = make(&mesh, 6);
    assert_int_equal(t.triangle_count, 4);
    assert_int_equal(t.point_count, shallow ? 6 : 8);
    for (int32_t i = 0; i < t.point_count; ++i) {
      bool ridge = t.points[i].x == 0.0;
      double steep = fabs(t.normals[i].x);
      if (ridge && shallow)
        assert_true(steep < 0.1 * 0.5);  // pulled towards the side with two triangles, not exactly up
      if (!shallow) assert_true(fabs(steep - sqrt(0.5)) < 1e-15);
    }
    cps_triangles_free(&t);
  }
}

static void tubes_have_round_ends_and_close_on_themselves(void** state) {
  (void)state;
  const CpsVec3 straight[2] = {{0, 0, 0}, {0.3, 0.4, 1.2}};
  CpsShape tube = cps_tube(straight, 2, 0.1, false);
  CpsTriangles t = make(&tube, 64);
  assert_closed_and_outward(&t);
  assert_true(fabs(volume(&t) / ((1.3 + 4.0 / 3.0 * 0.1) * pi * 0.01) - 1.0) < 0.004);  // of polygons of 64 corners
  cps_triangles_free(&t);

  enum { N = 24 };
  CpsVec3 ring[N];
  for (int i = 0; i < N; ++i) ring[i] = cps_vec3(cos(2.0 * pi * i / N), sin(2.0 * pi * i / N), 0.0);
  tube = cps_tube(ring, N, 0.2, true);
  t = make(&tube, 64);
  assert_closed_and_outward(&t);
  assert_true(fabs(volume(&t) / (2.0 * pi * pi * 0.04) - 1.0) < 0.004);
  for (int32_t i = 0; i < t.point_count; ++i) {
    CpsVec3 p = t.points[i];
    double from_axis = hypot(p.x, p.y) - 1.0;
    assert_true(fabs(hypot(from_axis, p.z) - 0.2) < 1e-4);  // of a circle through 24 points
  }
  cps_triangles_free(&t);

  const CpsVec3 corner[3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}};
  tube = cps_tube(corner, 3, 0.1, false);
  t = make(&tube, 16);
  assert_closed_and_outward(&t);
  CpsVec3 far = {0};
  for (int32_t i = 0; i < t.point_count; ++i) far.x = fmax(far.x, t.points[i].x);
  assert_true(fabs(far.x - 1.1) < 1e-12);
  cps_triangles_free(&t);
}

static void bad_arguments_are_refused_with_a_sentence(void** state) {
  (void)state;
  CpsShape ball = cps_sphere(1.0), none = {0};
  CpsTriangles t;
  CpsError error;
  assert_int_equal(cps_shape_triangles(&ball, 5, 1.0, &t, &error), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_shape_triangles(&ball, 4097, 1.0, &t, &error), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_shape_triangles(&ball, 6, NAN, &t, &error), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_shape_triangles(NULL, 6, 1.0, &t, &error), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_shape_triangles(&ball, 6, 1.0, NULL, &error), CPS_BAD_ARGUMENT);
  assert_true(error.text[0] != '\0');
  assert_int_equal(cps_shape_triangles(&none, 6, 1.0, &t, &error), CPS_BAD_DATA);
  assert_null(t.points);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_cylinder_is_a_prism),
      cmocka_unit_test(spheres_and_capsules_converge_at_second_order),
      cmocka_unit_test(boxes_and_hulls_are_exact),
      cmocka_unit_test(a_compound_has_the_triangles_of_its_parts_in_their_places),
      cmocka_unit_test(a_half_space_is_a_square_that_faces_up),
      cmocka_unit_test(a_mesh_is_smooth_where_it_bends_little),
      cmocka_unit_test(tubes_have_round_ends_and_close_on_themselves),
      cmocka_unit_test(bad_arguments_are_refused_with_a_sentence),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
