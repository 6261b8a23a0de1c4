// Point clouds with normals: exact planes, spheres of second order, mass by the divergence theorem, what is refused.
#include "geometry/points.h"

#include "capstan/mesh.h"
#include "core/random.h"
#include "geometry/collide.h"
#include "test_helpers.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 5000 };
static CpsVec3 points[MOST], normals[MOST];
static const CpsPose origin = {.rotation = {1.0, 0.0, 0.0, 0.0}};

// A jittered grid in a plane through a point.
static int32_t make_plane(CpsPose pose) {
  CpsRandom random = cps_random_seed(3);
  int32_t count = 0;
  for (int i = 0; i < 21; ++i) {
    for (int k = 0; k < 21; ++k) {
      const double a = cps_random_uniform(&random), b = cps_random_uniform(&random);
      points[count] = cps_pose_apply(pose, cps_vec3(-0.5 + 0.05 * (i + 0.5 * a), -0.5 + 0.05 * (k + 0.5 * b), 0.0));
      normals[count++] = cps_quat_rotate(pose.rotation, cps_vec3(0.0, 0.0, 7.0));
    }
  }
  return count;
}

// Evenly on the unit sphere (a spiral).
static int32_t make_sphere(int32_t count) {
  for (int32_t i = 0; i < count; ++i) {
    const double z = 1.0 - 2.0 * (i + 0.5) / count, s = sqrt(1.0 - z * z),
                 a = acos(-1.0) * (1.0 + sqrt(5.0)) * (i + 0.5);
    points[i] = normals[i] = cps_vec3(s * cos(a), s * sin(a), z);
  }
  return count;
}

static CpsGeom* geom_of(const CpsShape* shape) {
  CpsGeom* g = NULL;
  CpsError error;
  const CpsStatus status = cps_geom_create(shape, &g, &error);
  if (status != CPS_OK) print_error("%s\n", error.text);
  assert_int_equal(status, CPS_OK);
  return g;
}

// Balls and corners on a tilted plane of points see the plane, to rounding of the numbers in the cloud.
static void points_of_a_plane_are_the_plane(void** state) {
  (void)state;
  const CpsPose pose = {{0.3, -0.2, 0.1}, cps_quat_exp(cps_vec3(0.4, -0.7, 0.2))};
  for (int kernel = 0; kernel < CPS_KERNEL_COUNT; ++kernel) {
    CpsShape cloud = cps_points(points, normals, make_plane(pose), 0.0);
    cloud.kernel = (CpsKernel)kernel;
    CpsGeom* b = geom_of(&cloud);
    const CpsShape shapes[5] = {cps_sphere(0.02), cps_sphere(1.5), cps_box((CpsVec3){0.3, 0.2, 0.1}),
                                cps_capsule(0.05, 0.3), cps_cylinder(0.1, 0.2)};
    const int least[5] = {1, 1, 4, 2, 4};  // touches that what lies flat needs
    for (int k = 0; k < 5; ++k) {
      CpsGeom* a = geom_of(&shapes[k]);
      const bool lies = shapes[k].kind == CPS_SHAPE_CAPSULE;
      const double half = k < 2 ? shapes[k].radius : k == 2 ? 0.05 : k == 3 ? 0.05 : 0.1, gap = 1e-3;
      CpsPose own = {{0.013, -0.027, half + gap},
                     lies ? cps_quat_exp(cps_vec3(0.0, 0.5 * acos(-1.0), 0.0)) : origin.rotation};
      own = cps_pose_multiply(pose, own);
      CpsTouch touch[CPS_TOUCH_MAX];
      const int count = cps_collide(a, &own, b, &origin, 0.01, touch);
      int near = 0;
      for (int i = 0; i < count; ++i) {
        assert_near(cps_vec3_dot(touch[i].normal, cps_quat_rotate(pose.rotation, cps_vec3(0, 0, 1))), 1.0, 1e-12);
        assert_near(cps_pose_apply_back(pose, touch[i].point_b).z, 0.0, 1e-12);
        near += fabs(touch[i].gap - gap) < 1e-9;
      }
      assert_true(near >= least[k]);
      // the other way round: the cloud is the first
      CpsTouch turned[CPS_TOUCH_MAX];
      assert_int_equal(cps_collide(b, &origin, a, &own, 0.01, turned), count);
      for (int i = 0; i < count; ++i) assert_near(cps_vec3_dot(turned[i].normal, touch[i].normal), -1.0, 1e-12);
      cps_geom_destroy(a);
    }
    cps_geom_destroy(b);
  }
}

static double radius_error(int32_t count, double reach) {
  const CpsShape cloud = cps_points(points, normals, make_sphere(count), reach), ball = cps_sphere(0.1);
  CpsGeom *b = geom_of(&cloud), *a = geom_of(&ball);
  CpsRandom random = cps_random_seed(5);
  double worst = 0.0;
  for (int i = 0; i < 50; ++i) {
    CpsVec3 n = cps_vec3(cps_random_normal(&random), cps_random_normal(&random), cps_random_normal(&random));
    n = cps_vec3_unit(n);
    const CpsPose pose = {cps_vec3_scale(1.15, n), origin.rotation};
    CpsTouch touch[CPS_TOUCH_MAX];
    assert_int_equal(cps_collide(a, &pose, b, &origin, 0.1, touch), 1);
    worst = fmax(worst, fabs(touch[0].gap - 0.05));
    assert_true(cps_vec3_dot(touch[0].normal, n) > 0.999);
  }
  cps_geom_destroy(a);
  cps_geom_destroy(b);
  return worst;
}

// The surface lies outside of the sphere by an error of second order in the reach.
static void points_of_a_sphere_converge_with_the_square_of_the_reach(void** state) {
  (void)state;
  const double coarse = radius_error(500, 0.4), fine = radius_error(2000, 0.2), finer = radius_error(4500, 0.4 / 3.0);
  print_message("error of the radius at a reach of 0.4, 0.2, 0.133: %.5f, %.5f, %.5f\n", coarse, fine, finer);
  assert_near(coarse / fine, 4.0, 0.4);
  assert_near(coarse / finer, 9.0, 1.0);
}

// 4/3 pi r^3, its centre, 2/5 m r^2; a plane encloses nothing.
static void a_closed_cloud_has_a_mass(void** state) {
  (void)state;
  const int32_t count = make_sphere(2000);
  for (int32_t i = 0; i < count; ++i) points[i] = cps_vec3_add(points[i], cps_vec3(3.0, -1.0, 2.0));
  CpsShape cloud = cps_points(points, normals, count, 0.2);
  CpsMassProperties m;
  CpsError error;
  assert_int_equal(cps_shape_mass(&cloud, 1000.0, &m, &error), CPS_OK);
  const double pi = acos(-1.0);
  print_message("volume %.4f of the sphere's, inertia %.4f\n", m.volume / (4.0 / 3.0 * pi),
                m.inertia.x / (0.4 * m.mass));
  assert_near(m.volume, 4.0 / 3.0 * pi, 0.03 * 4.0 / 3.0 * pi);  // the surface is larger by 0.7 %, areas are estimates
  assert_near(m.inertia.x, 0.4 * m.mass, 0.03 * m.mass);
  assert_near(cps_vec3_norm(cps_vec3_sub(m.centre, cps_vec3(3.0, -1.0, 2.0))), 0.0, 2e-3);
  cloud.point_count = make_plane(origin);
  cloud.radius = 0.0;
  assert_int_equal(cps_shape_mass(&cloud, 1000.0, &m, &error), CPS_BAD_DATA);
  assert_non_null(strstr(error.text, "enclose no volume"));
}

static void refuse(CpsShape shape, const char* part) {
  CpsError error;
  assert_true(cps_shape_check(&shape, &error) < 0);
  if (!strstr(error.text, part)) print_error("%s\n", error.text);
  assert_non_null(strstr(error.text, part));
}

static void bad_clouds_are_refused(void** state) {
  (void)state;
  const int32_t count = make_plane(origin);
  refuse(cps_points(points, NULL, count, 0.0), "normals: missing");
  refuse(cps_points(points, normals, 5, 0.0), "needs at least 6");
  refuse(cps_points(points, normals, count, -1.0), "reach: -1");
  refuse(cps_points(points, normals, count, NAN), "reach: nan");
  refuse(cps_points(points, normals, count, 0.02), "leaves a hole at point");
  refuse(cps_points(points, normals, count, 2.0), "choose a shorter reach");
  normals[7] = cps_vec3(0.0, 0.0, 0.0);
  refuse(cps_points(points, normals, count, 0.0), "normals[7]: has no direction");
  normals[7] = cps_vec3(0.0, 0.0, 1.0);
  points[9] = cps_vec3(NAN, 0.0, 0.0);
  refuse(cps_points(points, normals, count, 0.0), "points[9]: is not finite");
  for (int32_t i = 0; i < count; ++i) points[i] = cps_vec3(1.0, 2.0, 3.0);
  refuse(cps_points(points, normals, count, 0.0), "too many points are at (1, 2, 3)");
  make_plane(origin);
  points[20] = cps_vec3(9.0, 9.0, 9.0);  // far away from all others
  refuse(cps_points(points, normals, count, 0.2), "leaves a hole at point 20");
}

// Points on a unit square: none nearer than the spacing, and no hole for a ball of 1.2 times that.
static void sampled_points_are_evenly_spread(void** state) {
  (void)state;
  CpsVec3 x[4] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  int32_t t[6] = {0, 1, 2, 0, 2, 3};
  const CpsMeshFile square = {.vertex_count = 4, .vertices = x, .triangle_count = 2, .triangles = t};
  CpsMeshFile cloud;
  assert_int_equal(cps_mesh_sample(&square, 0.05, &cloud, NULL), CPS_OK);
  double nearest = INFINITY, hole = 0.0;
  for (int32_t i = 0; i < cloud.vertex_count; ++i) {
    assert_near(cloud.normals[i].z, 1.0, 1e-15);
    for (int32_t k = 0; k < i; ++k) {
      nearest = fmin(nearest, cps_vec3_norm(cps_vec3_sub(cloud.vertices[i], cloud.vertices[k])));
    }
  }
  for (int i = 0; i < 60 * 60; ++i) {
    const CpsVec3 p = {(i % 60 + 0.5) / 60.0, (i / 60 + 0.5) / 60.0, 0.0};
    double least = INFINITY;
    for (int32_t k = 0; k < cloud.vertex_count; ++k)
      least = fmin(least, cps_vec3_norm(cps_vec3_sub(cloud.vertices[k], p)));
    hole = fmax(hole, least);
  }
  print_message("%d points, nearest %.4f, widest hole %.4f\n", (int)cloud.vertex_count, nearest, hole);
  assert_true(nearest >= 0.05 && hole < 0.08);
  const CpsShape shape = cps_points(cloud.vertices, cloud.normals, cloud.vertex_count, 0.0);
  assert_int_equal(cps_shape_check(&shape, NULL), CPS_OK);
  cps_mesh_file_free(&cloud);
  assert_int_equal(cps_mesh_sample(&square, 0.0, &cloud, NULL), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_mesh_sample(&square, 1e-5, &cloud, NULL), CPS_BAD_DATA);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(points_of_a_plane_are_the_plane),
      cmocka_unit_test(points_of_a_sphere_converge_with_the_square_of_the_reach),
      cmocka_unit_test(a_closed_cloud_has_a_mass),
      cmocka_unit_test(bad_clouds_are_refused),
      cmocka_unit_test(sampled_points_are_evenly_spread),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
