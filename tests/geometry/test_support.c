// Triangles and convex sets: distances that prove themselves, and motions followed in small steps.
#include "core/random.h"
#include "geometry/support.h"
#include "test_helpers.h"

#include <math.h>

static double between(CpsRandom* random, double low, double high) {
  return low + (high - low) * cps_random_uniform(random);
}

static CpsVec3 anywhere(CpsRandom* random, double size) {
  return cps_vec3(between(random, -size, size), between(random, -size, size), between(random, -size, size));
}

// A set of some kind: a ball, a segment, a triangle, a box, a drum that may be flat or thin.
static CpsSupport make_set(CpsRandom* random, int kind, CpsVec3 room[8]) {
  if (kind == 4) {
    double flat = pow(10.0, between(random, -3.0, 0.0)), thin = pow(10.0, between(random, -3.0, 0.0));
    return (CpsSupport){.drum = {flat, thin}};
  }
  const int32_t count[4] = {1, 2, 3, 8};
  for (int i = 0; i < 8; ++i) {
    room[i] = kind < 3 ? anywhere(random, 1.0) : cps_vec3(i & 1 ? 1.0 : -1.0, i & 2 ? 0.2 : -0.2, i & 4 ? 0.6 : -0.6);
  }
  return (CpsSupport){.point = room, .count = count[kind], .radius = kind < 2 ? 0.1 : 0.0};
}

static void make_triangle(CpsRandom* random, double far, CpsVec3 x[3]) {
  CpsVec3 at = anywhere(random, far);
  double size = pow(10.0, between(random, -2.0, 0.5));
  for (int i = 0; i < 3; ++i) x[i] = cps_vec3_add(at, anywhere(random, size));
}

// The nearest points are of the two, as far apart as said, and a plane between them keeps both that far apart: there is no
// smaller distance and no larger one.
static void distances_prove_themselves(void** state) {
  (void)state;
  CpsRandom random = cps_random_seed(1);
  int apart = 0;
  for (int n = 0; n < 100000; ++n) {
    CpsVec3 room[8], x[3];
    CpsSupport s = make_set(&random, n % 5, room);
    make_triangle(&random, 2.0, x);
    CpsSupportNearest at = cps_support_nearest(x, &s);
    if (at.distance == 0.0) continue;
    ++apart;
    CpsVec3 a = {0.0, 0.0, 0.0};
    double sum = 0.0, low = INFINITY;
    for (int i = 0; i < 3; ++i) {
      assert_true(at.weight[i] >= 0.0);
      sum += at.weight[i];
      a = cps_vec3_axpy(a, at.weight[i], x[i]);
      low = fmin(low, cps_vec3_dot(at.normal, x[i]));
    }
    assert_near(sum, 1.0, 1e-12);
    assert_near(cps_vec3_norm(cps_vec3_sub(a, at.point)), at.distance, 1e-12);
    double gap = low - cps_vec3_dot(at.normal, cps_support_point(&s, at.normal));
    if (fabs(gap - at.distance) > 1e-8) fail_msg("%d: %.12g apart, a plane says %.12g", n, at.distance, gap);
    // the point is in the set: no plane has it outside
    for (int k = 0; k < 8; ++k) {
      CpsVec3 m = anywhere(&random, 1.0);
      assert_true(cps_vec3_dot(m, at.point) <= cps_vec3_dot(m, cps_support_point(&s, m)) + 1e-9);
    }
  }
  assert_true(apart > 50000);
}

// Before the impact, and without one, the two are never nearer than asked; an impact is one.
static void no_impact_is_jumped_over(void** state) {
  (void)state;
  enum { PARTS = 400 };
  CpsRandom random = cps_random_seed(2);
  int impacts = 0, free = 0;
  for (int n = 0; n < 4000; ++n) {
    CpsVec3 room[8], start[3], end[3];
    CpsSupport s = make_set(&random, n % 5, room);
    make_triangle(&random, 2.0, start);
    make_triangle(&random, 2.0, end);
    const double separation = pow(10.0, between(&random, -4.0, -1.0)), tolerance = 0.01 * separation;
    CpsSupportImpact impact;
    double d0 = cps_support_nearest(start, &s).distance;
    if (d0 == 0.0) continue;
    bool met = cps_ccd_support(start, end, &s, separation, tolerance, &impact);
    impacts += met, free += !met;
    double m = fmin(s.radius + separation, d0 - tolerance), last = met ? impact.time : 1.0;
    for (int k = 0; k <= PARTS; ++k) {
      CpsVec3 x[3];
      for (int i = 0; i < 3; ++i) x[i] = cps_vec3_axpy(start[i], last * k / PARTS, cps_vec3_sub(end[i], start[i]));
      double d = cps_support_nearest(x, &s).distance;
      if (d < m - 1e-9) fail_msg("%d: %g instead of %g at %g of %g", n, d, m, last * k / PARTS, last);
    }
    if (met && d0 > 2.0 * tolerance && !(impact.at.distance <= m + tolerance))
      fail_msg("%d: %g is far", n, impact.at.distance);
  }
  print_message("%d impacts, %d without\n", impacts, free);
  assert_true(impacts > 500 && free > 500);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(distances_prove_themselves),
                                     cmocka_unit_test(no_impact_is_jumped_over)};
  return cmocka_run_group_tests_name("geometry/support", tests, NULL, NULL);
}
