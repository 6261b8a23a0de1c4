// What figures 2, 3 and 15 of Larionov, Fan and Pai (2021) show, as numbers (drawn by bench-field-figures).
#include "geometry/field_shapes.h"

#include "test_helpers.h"

// Psi = 0 of a cylinder of seven facets is nearly round, and its normal turns evenly; facets turn by 51 degrees at once.
static void seven_facets_make_a_round_cylinder(void** state) {
  (void)state;
  Surface s = make_cylinder(7, CPS_KERNEL_CUBIC);
  double low = INFINITY, high = 0.0, turn = 0.0, last = 0.0;
  for (int i = 0; i <= 360; ++i) {
    CpsVec3 n = {0.0, 0.0, 0.0};
    const double r = level_at(&s, FIELD_PI * i / 360.0, &n), angle = atan2(n.z, n.x) * 180.0 / FIELD_PI;
    assert_true(isfinite(r));
    low = fmin(low, r);
    high = fmax(high, r);
    if (i > 0) turn = fmax(turn, fabs(angle - last));
    last = angle;
  }
  print_message("radius %.4f to %.4f, at most %.2f degrees in half a degree\n", low, high, turn);
  assert_true(low > 0.995 && high < 1.006);  // facets: 0.901
  assert_true(turn < 0.8);
  dispose(&s);
}

// The interpolating kernel stays with the facets.
static void the_interpolating_kernel_keeps_the_facets(void** state) {
  (void)state;
  Surface s = make_cylinder(7, CPS_KERNEL_INTERPOLATING);
  double low = INFINITY;
  for (int i = 0; i < 360; ++i) {
    CpsVec3 n;
    low = fmin(low, level_at(&s, FIELD_PI * i / 180.0, &n));
  }
  assert_near(low, cos(FIELD_PI / 7.0), 0.01);
  dispose(&s);
}

// Linearised constraints in a valley: the nearer of two planes changes in every round, the smooth surface settles.
static void a_point_in_a_valley_settles_on_the_smooth_surface_only(void** state) {
  (void)state;
  Surface s = make_valley(6.0);
  const Surface* fields[2] = {NULL, &s};
  double way[2] = {0.0, 0.0};
  for (int k = 0; k < 2; ++k) {
    CpsVec3 x = {0.7, 0.0, 1.2};
    for (int round = 0; round < 30; ++round) {
      const CpsVec3 y = go_on(fields[k], x);
      way[k] = cps_vec3_norm(cps_vec3_sub(y, x));
      x = y;
    }
  }
  assert_near(way[0], 0.8, 1e-12);  // from (-0.4, -0.2) to (0.4, -0.2) and back
  assert_true(way[1] < 1e-12);
  dispose(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(seven_facets_make_a_round_cylinder),
      cmocka_unit_test(the_interpolating_kernel_keeps_the_facets),
      cmocka_unit_test(a_point_in_a_valley_settles_on_the_smooth_surface_only),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
