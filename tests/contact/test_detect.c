// labels: threads
// Detection against a plain search over all pairs of colliders, its order, and the same bits for any number of threads.
#include <stdlib.h>
#include <string.h>

#include "contact/detect.h"
#include "geometry/surface_helpers.h"

enum { SHAPES = 7, BODIES = 400, OBSTACLES = 5, COUNT = BODIES + OBSTACLES };

typedef struct Scene {
  CpsGeom* shapes[SHAPES];
  CpsCollider colliders[COUNT];
} Scene;

static void make_scene(Scene* scene, uint64_t seed) {
  const CpsVec3 floor_points[4] = {{-3, -3, 0}, {3, -3, 0}, {3, 3, 0}, {-3, 3, 0}};
  const int32_t floor_triangles[6] = {0, 1, 2, 0, 2, 3};
  const CpsVec3 rail[3] = {{-3, 0, 1}, {0, 0.2, 1}, {3, 0, 1}};
  CpsRandom random = cps_random_seed(seed);
  scene->shapes[0] = make_geom(cps_sphere(0.15));
  scene->shapes[1] = make_geom(cps_box(cps_vec3(0.2, 0.3, 0.25)));
  scene->shapes[2] = make_geom(cps_capsule(0.1, 0.3));
  scene->shapes[3] = make_geom(cps_sphere(0.4));
  scene->shapes[4] = make_geom(cps_plane());
  scene->shapes[5] = make_geom(cps_mesh(floor_points, 4, floor_triangles, 2));
  scene->shapes[6] = make_geom(cps_tube(rail, 3, 0.1, false));
  for (int32_t i = 0; i < COUNT; i++) {
    const bool body = i < BODIES;
    CpsPose pose = random_pose(&random, 1.4);
    if (!body) pose = turned(pose_at(0, 0, -1.0 + 0.3 * (i - BODIES)), 0.1 * (i - BODIES), 1, 2, 0);
    scene->colliders[i] = (CpsCollider){.geom = scene->shapes[body ? i % 4 : 4 + i % 3],
                                        .pose = pose,
                                        .reach = body ? 0.01 * cps_random_uniform(&random) : 0.0,
                                        .key = (uint64_t)i,
                                        .owner = body ? i / 2 : -1,
                                        .group = body && i % 5 == 0 ? 1 : 0};
  }
}

static void free_scene(Scene* scene) {
  for (int k = 0; k < SHAPES; k++) cps_geom_destroy(scene->shapes[k]);
}

static void all_touches_of_all_pairs_are_found_in_order(void** state) {
  (void)state;
  static Scene scene;
  make_scene(&scene, 1);
  const double skin = 0.005;
  CpsDetector* detector = cps_detector_create();
  const CpsColliderTouch* found = NULL;
  int32_t count = 0, k = 0;
  assert_true(cps_detect(detector, scene.colliders, COUNT, skin, NULL, &found, &count));
  for (int32_t a = 0; a < COUNT; a++) {
    for (int32_t b = a + 1; b < COUNT; b++) {
      const CpsCollider *p = &scene.colliders[a], *q = &scene.colliders[b];
      if (p->owner == q->owner || (p->group > 0 && p->group == q->group)) continue;
      CpsTouch touch[CPS_TOUCH_MAX];
      const int touches = cps_collide(p->geom, &p->pose, q->geom, &q->pose, p->reach + q->reach + skin, touch);
      for (int i = 0; i < touches; i++, k++) {
        assert_true(k < count);
        assert_int_equal(found[k].a, a);
        assert_int_equal(found[k].b, b);
        assert_int_equal(found[k].touch.feature, touch[i].feature);
        // the same function of the same numbers
        assert_true(found[k].touch.gap == touch[i].gap && found[k].touch.point_a.x == touch[i].point_a.x);
      }
    }
  }
  assert_int_equal(k, count);
  assert_true(count > 300);
  cps_detector_destroy(detector);
  free_scene(&scene);
}

static void any_number_of_threads_finds_the_same_bits(void** state) {
  (void)state;
  static Scene scene;
  make_scene(&scene, 2);
  CpsDetector* detector = cps_detector_create();
  const CpsColliderTouch* found = NULL;
  int32_t count = 0;
  assert_true(cps_detect(detector, scene.colliders, COUNT, 0.005, NULL, &found, &count));
  // copied field by field into zeroed memory, because padding may differ
  CpsColliderTouch* first = calloc((size_t)count, sizeof *first);
  memcpy(first, found, (size_t)count * sizeof *first);
  for (int threads = 1; threads <= 3; threads++) {
    CpsPool* pool = cps_pool_create(threads);
    assert_non_null(pool);
    int32_t again = 0;
    assert_true(cps_detect(detector, scene.colliders, COUNT, 0.005, pool, &found, &again));
    assert_int_equal(again, count);
    for (int32_t i = 0; i < count; i++) {
      assert_int_equal(found[i].a, first[i].a);
      assert_int_equal(found[i].b, first[i].b);
      assert_int_equal(found[i].touch.feature, first[i].touch.feature);
      assert_memory_equal(&found[i].touch, &first[i].touch, offsetof(CpsTouch, feature));
    }
    cps_pool_destroy(pool);
  }
  free(first);
  cps_detector_destroy(detector);
  free_scene(&scene);
}

// Pairs of idle colliders are left out, and nothing else changes: an idle one still meets one that is not.
static void two_that_are_idle_are_left_out(void** state) {
  (void)state;
  static Scene scene;
  make_scene(&scene, 3);
  CpsDetector *all = cps_detector_create(), *some = cps_detector_create();
  const CpsColliderTouch *whole = NULL, *part = NULL;
  int32_t count = 0, left = 0, k = 0, mixed = 0;
  assert_true(cps_detect(all, scene.colliders, COUNT, 0.005, NULL, &whole, &count));
  for (int32_t i = 0; i < COUNT; i++) scene.colliders[i].idle = i % 3 != 0;
  assert_true(cps_detect(some, scene.colliders, COUNT, 0.005, NULL, &part, &left));
  for (int32_t i = 0; i < count; i++) {
    const bool one = scene.colliders[whole[i].a].idle, other = scene.colliders[whole[i].b].idle;
    if (one && other) continue;
    mixed += one || other;
    assert_true(k < left);
    assert_int_equal(part[k].a, whole[i].a);
    assert_int_equal(part[k].b, whole[i].b);
    assert_true(part[k].touch.feature == whole[i].touch.feature && part[k].touch.gap == whole[i].touch.gap);
    k++;
  }
  assert_int_equal(k, left);
  assert_true(mixed > 100 && left < count - 100);
  cps_detector_destroy(all);
  cps_detector_destroy(some);
  free_scene(&scene);
}

static void nothing_at_all_is_found_among_nothing(void** state) {
  (void)state;
  CpsDetector* detector = cps_detector_create();
  const CpsColliderTouch* found = NULL;
  int32_t count = -1;
  assert_true(cps_detect(detector, NULL, 0, 0.01, NULL, &found, &count));
  assert_int_equal(count, 0);
  CpsGeom* ball = make_geom(cps_sphere(1.0));
  const CpsCollider alone = {.geom = ball, .pose = pose_at(0, 0, 0)};
  assert_true(cps_detect(detector, &alone, 1, 0.01, NULL, &found, &count));
  assert_int_equal(count, 0);
  cps_geom_destroy(ball);
  cps_detector_destroy(detector);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_touches_of_all_pairs_are_found_in_order),
      cmocka_unit_test(any_number_of_threads_finds_the_same_bits),
      cmocka_unit_test(two_that_are_idle_are_left_out),
      cmocka_unit_test(nothing_at_all_is_found_among_nothing),
  };
  return cmocka_run_group_tests_name("contact/detect", tests, NULL, NULL);
}
