// Convex hulls: faces, edges, and what is refused.
#include "convex_helpers.h"
#include "geometry/polytope.h"

#include <string.h>

// Closed, convex, edges directed with their first face to the left, all points inside.
static void assert_is_hull(const CpsPolytope* p, const CpsVec3* points, int32_t count, double slack) {
  assert_int_equal(p->vertex_count - p->edge_count + p->face_count, 2);
  assert_int_equal(p->face_start[p->face_count], 2 * p->edge_count);
  for (int32_t f = 0; f < p->face_count; ++f) {
    assert_near(cps_vec3_norm(p->normal[f]), 1.0, 1e-15);
    for (int32_t k = 0; k < count; ++k) assert_below(cps_vec3_dot(p->normal[f], points[k]) - p->offset[f], slack);
    for (int32_t k = p->face_start[f]; k < p->face_start[f + 1]; ++k)
      assert_near(cps_vec3_dot(p->normal[f], p->vertex[p->face_vertex[k]]), p->offset[f], slack);
  }
  for (int32_t e = 0; e < p->edge_count; ++e) {
    CpsVec3 a = p->vertex[p->edge[e][0]], d = cps_vec3_sub(p->vertex[p->edge[e][1]], a);
    CpsVec3 left = p->normal[p->edge_face[e][0]], right = p->normal[p->edge_face[e][1]];
    // into the left face is down from the right one
    assert_true(cps_vec3_dot(cps_vec3_cross(left, d), right) < 0.0);
    assert_near(cps_vec3_dot(left, a), p->offset[p->edge_face[e][0]], slack);
    assert_near(cps_vec3_dot(right, a), p->offset[p->edge_face[e][1]], slack);
  }
}

static CpsPolytope* hull_of(const CpsVec3* points, int32_t count) {
  CpsPolytope* p = NULL;
  CpsError error = {0};
  if (cps_polytope_hull(points, count, &p, &error) != CPS_OK) fail_msg("%s", error.text);
  return p;
}

static void random_points_have_a_hull(void** state) {
  (void)state;
  CpsRandom random = cps_random_seed(1);
  CpsVec3 points[300];
  for (int round = 0; round < 60; ++round) {
    int32_t count = 4 + (int32_t)(cps_random_u32(&random) % 297);
    double size = pow(10.0, round % 7 - 3.0);
    for (int k = 0; k < count; ++k) {
      points[k] = random_vec(&random, size);
      if (round % 3 == 0) points[k] = cps_vec3_scale(size, cps_vec3_unit(points[k]));
    }
    CpsPolytope* p = hull_of(points, count);
    assert_is_hull(p, points, count, 1e-9 * size);  // ten times what counts as coplanar
    if (round % 3 == 0) assert_int_equal(p->vertex_count, count);
    cps_polytope_destroy(p);
  }
}

// Points of a grid: everything is coplanar with something, and only the eight corners remain.
static void a_grid_of_points_has_the_hull_of_a_box(void** state) {
  (void)state;
  CpsVec3 points[216];
  CpsRandom random = cps_random_seed(8);
  for (int round = 0; round < 20; ++round) {
    CpsPose pose = random_pose(&random, 2.0);
    for (int k = 0; k < 216; ++k) {
      points[k] = cps_vec3(0.2 * (k % 6), 0.1 * (k / 6 % 6), 0.3 * (k / 36));
      if (round > 0) points[k] = cps_pose_apply(pose, points[k]);  // and with rounding
    }
    CpsPolytope* p = hull_of(points, 216);
    assert_int_equal(p->vertex_count, 8);
    assert_int_equal(p->face_count, 6);
    for (int f = 0; f < 6; ++f) assert_int_equal(p->face_start[f + 1] - p->face_start[f], 4);
    assert_is_hull(p, points, 216, 1e-9);
    cps_polytope_destroy(p);
  }
}

static void a_prism_keeps_its_round_faces_whole(void** state) {
  (void)state;
  CpsVec3 points[80];
  for (int k = 0; k < 40; ++k) {
    double angle = 2.0 * 3.14159265358979323846 * k / 40;
    points[2 * k] = cps_vec3(cos(angle), sin(angle), -0.5);
    points[2 * k + 1] = cps_vec3(cos(angle), sin(angle), 0.5);
  }
  CpsPolytope* p = hull_of(points, 80);
  assert_int_equal(p->vertex_count, 80);
  assert_int_equal(p->face_count, 42);
  assert_is_hull(p, points, 80, 1e-9);
  cps_polytope_destroy(p);
}

static void duplicates_do_not_matter(void** state) {
  (void)state;
  CpsVec3 points[40];
  for (int k = 0; k < 40; ++k) points[k] = cps_vec3(k % 4 == 1, k % 4 == 2, k % 4 == 3);
  CpsPolytope* p = hull_of(points, 40);
  assert_int_equal(p->vertex_count, 4);
  assert_int_equal(p->face_count, 4);
  assert_is_hull(p, points, 40, 1e-15);
  cps_polytope_destroy(p);
}

static void refused(const CpsVec3* points, int32_t count, const char* why) {
  CpsPolytope* p = NULL;
  CpsError error = {0};
  assert_int_equal(cps_polytope_hull(points, count, &p, &error), CPS_BAD_DATA);
  assert_null(p);
  if (!strstr(error.text, why)) fail_msg("\"%s\" does not say \"%s\"", error.text, why);
}

static void points_without_a_volume_are_refused(void** state) {
  (void)state;
  CpsVec3 points[9];
  for (int k = 0; k < 9; ++k) points[k] = cps_vec3(1.0, 2.0, 3.0);
  refused(points, 9, "all points are the same");
  for (int k = 0; k < 9; ++k) points[k] = cps_vec3(k, 2.0 * k, -k);
  refused(points, 9, "on a line");
  for (int k = 0; k < 9; ++k) points[k] = cps_vec3(k % 3, 0.0, k / 3);
  refused(points, 9, "in a plane");
  refused(points, 3, "at least 4");
  refused(NULL, 9, "at least 4");
  points[4].y = NAN;
  refused(points, 9, "hull.points[4]");
  points[4].y = INFINITY;
  refused(points, 9, "hull.points[4]");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_points_have_a_hull),           cmocka_unit_test(a_grid_of_points_has_the_hull_of_a_box),
      cmocka_unit_test(a_prism_keeps_its_round_faces_whole), cmocka_unit_test(duplicates_do_not_matter),
      cmocka_unit_test(points_without_a_volume_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
