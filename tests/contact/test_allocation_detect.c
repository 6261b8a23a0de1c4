// Shapes and detection without memory: refused in words, nothing leaked, nothing broken; and a steady step needs none.
#include "contact/detect.h"
#include "core/random.h"
#include "failing_memory.h"
#include "test_helpers.h"

#include <string.h>

enum { BODIES = 300 };

static const CpsVec3 corners[8] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0},
                                   {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}};
static const int32_t triangles[12] = {0, 1, 3, 0, 3, 2, 4, 5, 7, 4, 7, 6};

static void shapes_without_memory_are_refused(void** state) {
  (void)state;
  const CpsShape shapes[] = {cps_sphere(1.0), cps_box(cps_vec3(1, 2, 3)), cps_hull(corners, 8),
                             cps_mesh(corners, 8, triangles, 4), cps_tube(corners, 8, 0.1, true)};
  for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
    int refused = 0;
    for (int n = 0; n < 100; n++) {
      CpsGeom* geom = NULL;
      CpsError error = {0};
      fail_allocation(n);
      const CpsStatus status = cps_geom_create(&shapes[k], &geom, &error);
      stop_failing();
      if (!allocation_failed) {
        assert_int_equal(status, CPS_OK);
        cps_geom_destroy(geom);
        break;
      }
      assert_int_equal(status, CPS_NO_MEMORY);
      assert_null(geom);
      assert_true(strlen(error.text) > 0);
      refused++;
    }
    assert_in_range(refused, 1, 99);
  }
}

static void make_bodies(CpsCollider* colliders, const CpsGeom* ball, uint64_t seed) {
  CpsRandom random = cps_random_seed(seed);
  for (int32_t i = 0; i < BODIES; i++) {
    const double x = cps_random_uniform(&random), y = cps_random_uniform(&random), z = cps_random_uniform(&random);
    colliders[i] = (CpsCollider){.geom = ball, .pose = {{x, y, z}, {1, 0, 0, 0}}, .key = (uint64_t)i, .owner = i};
  }
}

static void detection_without_memory_says_so_and_works_again(void** state) {
  (void)state;
  static CpsCollider colliders[BODIES];
  const CpsShape shape = cps_sphere(0.06);
  CpsGeom* ball = NULL;
  assert_int_equal(cps_geom_create(&shape, &ball, NULL), CPS_OK);
  make_bodies(colliders, ball, 1);
  int32_t expected = -1;
  for (int n = 0; n < 200; n++) {
    fail_allocation(n);
    CpsDetector* detector = cps_detector_create();
    const CpsColliderTouch* found = NULL;
    int32_t count = -1;
    bool done = detector != NULL && cps_detect(detector, colliders, BODIES, 0.01, NULL, &found, &count);
    const bool failed = allocation_failed;
    stop_failing();
    assert_true(done || failed);
    if (detector != NULL && !done) done = cps_detect(detector, colliders, BODIES, 0.01, NULL, &found, &count);
    if (detector != NULL) {
      assert_true(done);
      assert_true(count > 0 && (expected < 0 || count == expected));
      expected = count;
    }
    cps_detector_destroy(detector);
    if (!failed) break;
    assert_in_range(n, 0, 198);
  }
  cps_geom_destroy(ball);
}

static void a_steady_step_allocates_nothing(void** state) {
  (void)state;
  static CpsCollider colliders[BODIES];
  const CpsShape shape = cps_sphere(0.06);
  CpsGeom* ball = NULL;
  assert_int_equal(cps_geom_create(&shape, &ball, NULL), CPS_OK);
  make_bodies(colliders, ball, 2);
  CpsDetector* detector = cps_detector_create();
  const CpsColliderTouch* found = NULL;
  int32_t count = 0;
  // the first step grows the memory, the second joins its pieces
  for (int step = 0; step < 20; step++) {
    for (int32_t i = 0; i < BODIES; i++) colliders[i].pose.position.x += 1e-5 * (i % 7);  // a little other each time
    if (step >= 2) fail_allocation(0);
    assert_true(cps_detect(detector, colliders, BODIES, 0.01, NULL, &found, &count));
    stop_failing();
    if (step >= 2) assert_false(allocation_failed);
  }
  assert_true(count > 0);
  cps_detector_destroy(detector);
  cps_geom_destroy(ball);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shapes_without_memory_are_refused),
      cmocka_unit_test(detection_without_memory_says_so_and_works_again),
      cmocka_unit_test(a_steady_step_allocates_nothing),
  };
  return cmocka_run_group_tests_name("contact/allocation", tests, NULL, NULL);
}
