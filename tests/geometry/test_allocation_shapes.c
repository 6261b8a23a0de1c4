// Every allocation of a hull fails once, and touches are found without any.
#include "failing_memory.h"

#include "convex_helpers.h"
#include "geometry/polytope.h"

#include <string.h>

static void fill_cloud(CpsVec3* cloud, int count) {
  CpsRandom random = cps_random_seed(6);
  for (int k = 0; k < count; ++k) cloud[k] = cps_vec3_unit(random_vec(&random, 1.0));
}

// 100 corners are 196 triangles: more than the first buffers hold.
static void a_hull_without_memory_is_refused(void** state) {
  (void)state;
  CpsVec3 cloud[100];
  fill_cloud(cloud, 100);
  int refusals = 0;
  for (int number = 0;; ++number) {
    CpsPolytope* polytope = NULL;
    CpsError error = {0};
    fail_allocation(number);
    CpsStatus status = cps_polytope_hull(cloud, 100, &polytope, &error);
    bool failed = allocation_failed;
    stop_failing();
    if (!failed) {
      assert_int_equal(status, CPS_OK);
      assert_int_equal(polytope->vertex_count, 100);
      cps_polytope_destroy(polytope);
      break;
    }
    assert_int_equal(status, CPS_NO_MEMORY);
    assert_null(polytope);
    assert_true(strlen(error.text) > 0);
    refusals++;
  }
  assert_in_range(refusals, 8, 100);
}

static void a_box_and_a_mass_without_memory_are_refused(void** state) {
  (void)state;
  CpsVec3 cloud[10];
  fill_cloud(cloud, 10);
  CpsPolytope* box = NULL;
  fail_allocation(0);
  assert_int_equal(cps_polytope_box(cps_vec3(1.0, 1.0, 1.0), &box), CPS_NO_MEMORY);
  stop_failing();
  assert_null(box);
  CpsShape hull = cps_hull(cloud, 10);
  int refusals = 0;
  for (int number = 0;; ++number) {
    CpsMassProperties mass = {.mass = -1.0};
    CpsError error = {0};
    fail_allocation(number);
    CpsStatus status = cps_shape_mass(&hull, 1.0, &mass, &error);
    bool failed = allocation_failed;
    stop_failing();
    if (!failed) {
      assert_int_equal(status, CPS_OK);
      break;
    }
    assert_int_equal(status, CPS_NO_MEMORY);
    assert_true(mass.mass == -1.0);
    refusals++;
  }
  assert_in_range(refusals, 8, 100);
}

static void touches_are_found_without_allocation(void** state) {
  (void)state;
  CpsVec3 cloud[40];
  fill_cloud(cloud, 40);
  CpsGeom* geom[] = {make_geom(cps_sphere(0.5)), make_geom(cps_capsule(0.3, 0.6)), make_geom(cps_cylinder(0.5, 1.0)),
                     make_geom(cps_box(cps_vec3(1.0, 1.0, 1.0))), make_geom(cps_hull(cloud, 40))};
  CpsRandom random = cps_random_seed(12);
  int touching = 0;
  fail_allocation(0);
  for (int round = 0; round < 500; ++round) {
    int i = round % 5, j = 2 + round / 5 % 3;
    CpsTouch touch[CPS_TOUCH_MAX];
    CpsPose pose_a = random_pose(&random, 0.8), pose_b = random_pose(&random, 0.8);
    touching += collide_at(geom[i], pose_a, geom[j], pose_b, 0.1, touch) > 0;
  }
  assert_false(allocation_failed);
  stop_failing();
  assert_in_range(touching, 100, 500);
  for (int k = 0; k < 5; ++k) cps_geom_destroy(geom[k]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_hull_without_memory_is_refused),
      cmocka_unit_test(a_box_and_a_mass_without_memory_are_refused),
      cmocka_unit_test(touches_are_found_without_allocation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
