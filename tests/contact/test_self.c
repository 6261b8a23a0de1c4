// labels: threads
// A fibre and itself: pieces that are far enough from each other along it touch, others do not, in any order of boxes.
#include "chains.h"

#include <string.h>

#include "contact/broad.h"

static const double pi = 3.14159265358979323846;

typedef struct Coil {
  Chain chain;
  CpsCollider colliders[CHAIN_MOST];
} Coil;

// Turns of a helix whose neighbours are `gap` apart.
static void make_coil(Coil* coil, int32_t pieces, double per_turn, double radius, double gap) {
  CpsVec3 points[CHAIN_MOST + 1];
  for (int32_t i = 0; i <= pieces; i++) {
    const double angle = 2.0 * pi * i / per_turn;
    points[i] = cps_vec3(cos(angle), sin(angle), (2.0 * radius + gap) * i / per_turn);
  }
  coil->chain = chain_of(points, pieces, radius);
}

// What detection should find, by all pairs of pieces.
static int32_t plain(const CpsCollider* colliders, int32_t count, double skin, CpsColliderTouch* out, int32_t most) {
  int32_t found = 0;
  for (int32_t a = 0; a < count; a++) {
    for (int32_t b = a + 1; b < count; b++) {
      const CpsCollider *p = &colliders[a], *q = &colliders[b];
      if (!(q->arc[0] - p->arc[1] >= p->self_distance) || !(p->self_distance > 0.0)) continue;
      CpsTouch touch[CPS_TOUCH_MAX];
      int touches = cps_collide(p->geom, &p->pose, q->geom, &q->pose, p->reach + q->reach + skin, touch);
      touches = cps_chain_own(colliders, a, b, touch, touches);
      for (int k = 0; k < touches && found < most; k++)
        out[found++] = (CpsColliderTouch){.a = a, .b = b, .touch = touch[k]};
    }
  }
  return found;
}

static void a_coil_touches_itself_as_a_plain_search_says(void** state) {
  (void)state;
  static Coil coil;
  static CpsColliderTouch expected[4096];
  CpsDetector* detector = cps_detector_create();
  CpsPool* pool = cps_pool_create(3);
  for (int scene = 0; scene < 4; scene++) {
    const double per_turn = 24.5 + 4.1 * scene, self_distance = 0.5 + scene;
    make_coil(&coil, 200, per_turn, 0.05, 0.004);
    offer(&coil.chain, 7, 1e-3, self_distance, coil.colliders);
    const int32_t plain_count = plain(coil.colliders, 200, 0.003, expected, 4096);
    for (int threads = 0; threads < 2; threads++) {
      const CpsColliderTouch* found = NULL;
      int32_t count = 0;
      assert_true(cps_detect(detector, coil.colliders, 200, 0.003, threads ? pool : NULL, &found, &count));
      assert_int_equal(count, plain_count);
      for (int32_t i = 0; i < count; i++) {
        assert_int_equal(found[i].a, expected[i].a);
        assert_int_equal(found[i].b, expected[i].b);
        assert_int_equal(found[i].touch.feature, expected[i].touch.feature);
        assert_memory_equal(&found[i].touch.point_a, &expected[i].touch.point_a, sizeof(CpsVec3));
        assert_memory_equal(&found[i].touch.normal, &expected[i].touch.normal, sizeof(CpsVec3));
      }
    }
    // each vertex over the turns below it
    assert_true(plain_count > 200);
  }
  cps_pool_destroy(pool);
  cps_detector_destroy(detector);
}

// Every local minimum of the distance of a wild closed curve with itself, beyond the self distance, is one touch.
static void every_minimum_of_a_tangle_with_itself_is_one_touch(void** state) {
  (void)state;
  enum { PIECES = 120, GRID = 480 };
  static Coil tangle;
  static double d[GRID + 1][GRID + 1];
  CpsDetector* detector = cps_detector_create();
  int minima = 0;
  for (int scene = 0; scene < 6; scene++) {
    CpsVec3 points[PIECES + 1];
    for (int k = 0; k <= PIECES; k++) {
      const double a = 2.0 * pi * k / PIECES, w = 2.0 + scene % 3;
      points[k] = cps_vec3(sin(a) + 2.0 * sin(w * a), cos(a) - 2.0 * cos(w * a + 0.1 * scene), -0.3 * sin((w + 1) * a));
    }
    tangle.chain = chain_of(points, PIECES, 0.12);
    const Chain* c = &tangle.chain;
    const double self_distance = 1.5, length = chain_length(c), step = length / GRID, reach = 0.5;
    offer(&tangle.chain, 3, 0.5 * reach, self_distance, tangle.colliders);
    const CpsColliderTouch* found = NULL;
    int32_t count = 0;
    assert_true(cps_detect(detector, tangle.colliders, PIECES, 0.0, NULL, &found, &count));
    for (int i = 0; i <= GRID; i++) {
      for (int j = 0; j <= GRID; j++) d[i][j] = chain_distance(c, c, fmin(i * step, length), fmin(j * step, length));
    }
    // two pieces stay clear of the self distance, where the pairs end
    const int apart = (int)((self_distance + 2.0 * length / PIECES) / step) + 1;
    for (int i = 0; i <= GRID; i++) {
      for (int j = i + apart; j <= GRID; j++) {
        bool least = true;
        for (int k = i > 0 ? i - 1 : 0; k <= (i < GRID ? i + 1 : GRID); k++) {
          for (int l = j - 1; l <= (j < GRID ? j + 1 : GRID); l++) least = least && d[k][l] >= d[i][j];
        }
        if (!least) continue;
        double s = fmin(i * step, length), t = fmin(j * step, length);
        const double distance = descend(c, c, 0.5 * step, &s, &t);
        if (!(distance - 2.0 * c->radius <= reach - 1e-9) || t - s < apart * step) continue;
        minima++;
        int there = 0;
        for (int32_t k = 0; k < count; k++) {
          const double s_a = cps_chain_arc(&tangle.colliders[found[k].a], &found[k].touch, 0);
          const double s_b = cps_chain_arc(&tangle.colliders[found[k].b], &found[k].touch, 1);
          there += hypot(s_a - s, s_b - t) < 0.02 && fabs(found[k].touch.gap + 2.0 * c->radius - distance) < 1e-6;
        }
        assert_int_equal(there, 1);
      }
    }
  }
  assert_true(minima > 10);
  cps_detector_destroy(detector);
}

// A fibre bent to a U has its legs at the distance of the bend; the bend itself does not touch.
static void a_bend_does_not_touch_itself(void** state) {
  (void)state;
  enum { N = 60 };
  Coil coil;
  CpsVec3 points[N + 1];
  for (int k = 0; k <= N; k++) {
    const double s = (k - N / 2) * 0.05, r = 0.2, half = 0.5 * pi * r;
    const double over = fabs(s) - half, side = s < 0.0 ? -1.0 : 1.0;
    points[k] = over > 0.0 ? cps_vec3(side * r, -over, 0.0) : cps_vec3(r * sin(s / r), r * cos(s / r), 0.0);
  }
  coil.chain = chain_of(points, N, 0.19);
  offer(&coil.chain, 0, 0.001, 1.0, coil.colliders);
  CpsDetector* detector = cps_detector_create();
  const CpsColliderTouch* found = NULL;
  int32_t count = 0;
  assert_true(cps_detect(detector, coil.colliders, N, 0.02, NULL, &found, &count));
  assert_true(count > 0);
  for (int32_t i = 0; i < count; i++) {
    const double s_a = cps_chain_arc(&coil.colliders[found[i].a], &found[i].touch, 0);
    const double s_b = cps_chain_arc(&coil.colliders[found[i].b], &found[i].touch, 1);
    assert_true(s_b - s_a >= 1.0);
    assert_near(found[i].touch.gap, 0.02, 2e-3);  // the legs, up to the corners of the polyline
  }
  offer(&coil.chain, 0, 0.001, 0.0, coil.colliders);  // no self-contact asked for
  assert_true(cps_detect(detector, coil.colliders, N, 0.02, NULL, &found, &count));
  assert_int_equal(count, 0);
  cps_detector_destroy(detector);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_coil_touches_itself_as_a_plain_search_says),
      cmocka_unit_test(every_minimum_of_a_tangle_with_itself_is_one_touch),
      cmocka_unit_test(a_bend_does_not_touch_itself),
  };
  return cmocka_run_group_tests_name("contact/self", tests, NULL, NULL);
}
