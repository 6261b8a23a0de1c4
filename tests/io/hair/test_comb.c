// Geometry of generated hair: roots are spread evenly, combed lines keep their length and stay out of bodies, locks wind.
#include "io/hair/comb.h"
#include "test_helpers.h"

static const double PI = 3.14159265358979323846;
enum { ROOTS = 500, POINTS = 33 };

static void roots_are_spread_evenly(void** state) {
  (void)state;
  const CpsScalp scalp = {.radius = 0.1, .nape = 105.0 * PI / 180.0, .hairline = 55.0 * PI / 180.0};
  for (int jittered = 0; jittered < 2; ++jittered) {
    CpsVec3 n[ROOTS];
    CpsRandom random = cps_random_seed(3);
    cps_scalp_roots(&scalp, ROOTS, jittered ? 0.3 : 0.0, &random, n);
    double nearest = INFINITY, farthest = 0.0;
    for (int i = 0; i < ROOTS; ++i) {
      double own = INFINITY;
      assert_near(cps_vec3_norm(n[i]), 1.0, 1e-12);
      for (int j = 0; j < ROOTS; ++j) {
        if (j != i) own = fmin(own, cps_vec3_norm(cps_vec3_sub(n[i], n[j])));
      }
      nearest = fmin(nearest, own);
      farthest = fmax(farthest, own);
      // behind down to the nape, in front to the hairline; the jitter may lead a little beyond
      double limit = n[i].y > 0.0 && fabs(n[i].x) < 0.05 * n[i].y ? 55.0 : 105.0;
      assert_below(acos(n[i].z), (limit + (jittered ? 2.0 : 0.5)) * PI / 180.0);
    }
    // no two are near, no one is alone: the golden spiral keeps neighbours between 0.85 and 1.05 of the mean distance
    assert_below(farthest, (jittered ? 2.6 : 1.3) * nearest);
  }
}

static void the_same_seed_gives_the_same_roots(void** state) {
  (void)state;
  const CpsScalp scalp = {.radius = 0.1, .nape = 1.8, .hairline = 1.0};
  CpsVec3 a[50], b[50];
  CpsRandom one = cps_random_seed(7), two = cps_random_seed(7);
  cps_scalp_roots(&scalp, 50, 0.3, &one, a);
  cps_scalp_roots(&scalp, 50, 0.3, &two, b);
  assert_memory_equal(a, b, sizeof a);
}

static void hair_grows_out_of_the_head(void** state) {
  (void)state;
  CpsRandom random = cps_random_seed(1);
  const CpsScalp scalp = {.radius = 0.1, .nape = 1.8, .hairline = 1.0};
  CpsVec3 n[ROOTS];
  cps_scalp_roots(&scalp, ROOTS, 0.0, &random, n);
  for (int i = 0; i < ROOTS; ++i) {
    CpsVec3 d = cps_scalp_direction(n[i], 0.3, 0.5);
    assert_near(cps_vec3_norm(d), 1.0, 1e-12);
    // lift and the rest are at right angles: the part along the normal is 0.3 / sqrt(0.3^2 + 0.7^2)
    assert_near(cps_vec3_dot(d, n[i]), 0.3 / hypot(0.3, 0.7), 1e-9);
    if (fabs(n[i].x) > 0.02 && n[i].z > 0.9) assert_true(d.x * n[i].x > 0.0);  // away from the parting
  }
}

static void combed_hair_keeps_its_length_and_its_distance(void** state) {
  (void)state;
  const CpsRoundBody bodies[] = {{{0, 0, 0}, {0, 0, 0}, 0.1}, {{-0.15, 0, -0.25}, {0.15, 0, -0.25}, 0.05}};
  const CpsComb comb = {.fall = 0.05, .clearance = 2e-3, .berth = 2e-3, .head = 0, .body_count = 2, .bodies = bodies};
  for (int k = 0; k < 40; ++k) {
    double azimuth = 0.7 * k, polar = 0.04 * k;
    CpsVec3 n = {sin(polar) * cos(azimuth), sin(polar) * sin(azimuth), cos(polar)}, x[POINTS];
    cps_comb(&comb, cps_vec3_scale(0.1, n), cps_scalp_direction(n, 0.3, 0.5), 0.4, POINTS, x);
    double length = 0.0;
    for (int i = 0; i < POINTS; ++i) {
      if (i > 0) length += cps_vec3_norm(cps_vec3_sub(x[i], x[i - 1]));
      // half the clearance may be lost: a step goes straight ahead
      if (i > 3) assert_true(cps_vec3_norm(x[i]) > 0.1 + 1e-3);
      double along = fmin(0.15, fmax(-0.15, x[i].x));
      double distance = sqrt((x[i].x - along) * (x[i].x - along) + x[i].y * x[i].y + (x[i].z + 0.25) * (x[i].z + 0.25));
      assert_true(distance > 0.05 + 1e-3);
    }
    assert_near(length, 0.4, 0.3 * 0.4 / 32);  // a right angle within one chord takes 0.29 of it
  }
}

static void lines_beside_each_other_keep_their_distance(void** state) {
  (void)state;
  CpsVec3 path[POINTS], a[POINTS], b[POINTS];
  for (int i = 0; i < POINTS; ++i) path[i] = cps_vec3(0.1 * sin(0.1 * i), 0.1 * cos(0.1 * i), 0.01 * i);
  cps_comb_beside(path, POINTS, cps_vec3(0, 0, 1), cps_vec3(0, 0.003, 0), a);
  cps_comb_beside(path, POINTS, cps_vec3(0, 0, 1), cps_vec3(0, 0, 0.004), b);
  for (int i = 0; i < POINTS; ++i) {
    assert_near(cps_vec3_norm(cps_vec3_sub(a[i], path[i])), 0.003, 1e-12);
    assert_near(cps_vec3_norm(cps_vec3_sub(a[i], b[i])), 0.005, 1e-12);
  }
}

// On a straight path the lock is its natural helix: the curvature of every element is the natural one, the middle of the
// winding lies outwards, and the lock goes forwards along the path.
static void a_lock_on_a_straight_path_is_a_helix(void** state) {
  (void)state;
  CpsVec3 path[POINTS], k[6], natural = {40.0, 0.0, 90.0}, axis = cps_vec3_unit(cps_vec3(1.0, 2.0, -2.0));
  CpsVec3 outwards = {1.0, 1.0, 1.5};
  CpsQuat root;
  for (int i = 0; i < POINTS; ++i) path[i] = cps_vec3_scale(0.3 * i / (POINTS - 1), axis);
  cps_comb_curl(path, POINTS, 0.5, natural, outwards, 6, &root, k);
  for (int i = 0; i < 6; ++i) assert_below(cps_vec3_norm(cps_vec3_sub(k[i], natural)), 1e-10 * 100.0);
  assert_true(cps_vec3_dot(cps_quat_rotate(root, cps_vec3(0, 1, 0)), outwards) > 0.0);
  assert_near(cps_vec3_dot(cps_quat_rotate(root, cps_vec3(1, 0, 0)), axis), 40.0 / cps_vec3_norm(natural), 1e-12);
}

// On a bent path each element has its axis along the path and the natural rate of winding.
static void a_lock_follows_its_path(void** state) {
  (void)state;
  CpsVec3 path[POINTS], k[8], natural = {40.0, 0.0, 90.0}, x = {0.0, 0.0, 0.0};
  CpsQuat R;
  for (int i = 0; i < POINTS; ++i) path[i] = cps_vec3(0.2 * sin(0.03 * i), 0.0, 0.2 * cos(0.03 * i));
  double length = 8 * 0.03;  // eight elements
  cps_comb_curl(path, POINTS, length, natural, cps_vec3(0, 0, 1), 8, &R, k);
  CpsVec3 before = {0.0, 0.0, 0.0};
  for (int i = 0; i < 8; ++i) {
    assert_near(cps_vec3_norm(k[i]), cps_vec3_norm(natural), 1e-9);
    CpsVec3 axis = cps_vec3_unit(cps_quat_rotate(R, k[i])),
            way = cps_vec3_unit(cps_vec3_sub(path[4 * i + 4], path[4 * i]));
    assert_near(cps_vec3_dot(axis, way), 1.0, 1e-9);
    for (int j = 0; j < 100; ++j) {
      CpsQuat half = cps_quat_multiply(R, cps_quat_exp(cps_vec3_scale(0.5 * 0.03 / 100, k[i])));
      x = cps_vec3_axpy(x, 0.03 / 100, cps_quat_rotate(half, cps_vec3(1, 0, 0)));
      R = cps_quat_multiply(R, cps_quat_exp(cps_vec3_scale(0.03 / 100, k[i])));
    }
    // it goes forwards in each element
    assert_true(cps_vec3_dot(cps_vec3_sub(x, before), way) > 0.2 * 0.03);
    before = x;
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(roots_are_spread_evenly),
      cmocka_unit_test(the_same_seed_gives_the_same_roots),
      cmocka_unit_test(hair_grows_out_of_the_head),
      cmocka_unit_test(combed_hair_keeps_its_length_and_its_distance),
      cmocka_unit_test(lines_beside_each_other_keep_their_distance),
      cmocka_unit_test(a_lock_on_a_straight_path_is_a_helix),
      cmocka_unit_test(a_lock_follows_its_path),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
