// The closed forms of one element of constant curvature: against the series of the exponential, finite differences and
// each other, for curvatures from nothing to many turns.
#include "model/helix.h"

#include "test_helpers.h"

static const double SIZES[] = {0.0, 1e-9, 1e-6, 1e-3, 0.1, 0.5, 0.999, 1.001, 2.0, 5.0, 12.0, 40.0};
enum { SIZE_COUNT = sizeof SIZES / sizeof SIZES[0], DIRECTION_COUNT = 4 };
static const CpsVec3 DIRECTIONS[] = {{1, 0, 0}, {0, 0.6, 0.8}, {-0.48, 0.6, 0.64}, {0.6, -0.64, 0.48}};

static CpsVec3 sample(int i, int j) {
  return cps_vec3_scale(SIZES[i], DIRECTIONS[j]);
}

static void assert_same(CpsMat3 A, CpsMat3 B, double tolerance) {
  for (int i = 0; i < 9; ++i) assert_near(A.m[i], B.m[i], tolerance);
}

static void assert_same_vec(CpsVec3 a, CpsVec3 b, double tolerance) {
  assert_near(a.x, b.x, tolerance);
  assert_near(a.y, b.y, tolerance);
  assert_near(a.z, b.z, tolerance);
}

// Central difference of a vector function along u.
static CpsVec3 difference(CpsVec3 (*f)(const CpsHelix*), CpsVec3 v, CpsVec3 u, double d) {
  CpsHelix plus = cps_helix(cps_vec3_axpy(v, d, u)), minus = cps_helix(cps_vec3_axpy(v, -d, u));
  return cps_vec3_scale(0.5 / d, cps_vec3_sub(f(&plus), f(&minus)));
}

static CpsVec3 unit(int k) {
  return cps_vec3(k == 0, k == 1, k == 2);
}

static CpsVec3 column(CpsMat3 A, int k) {
  return cps_vec3(A.m[k], A.m[3 + k], A.m[6 + k]);
}

static void turn_is_a_rotation_about_its_vector(void** state) {
  (void)state;
  for (int i = 0; i < SIZE_COUNT; ++i) {
    for (int j = 0; j < DIRECTION_COUNT; ++j) {
      CpsHelix helix = cps_helix(sample(i, j));
      CpsMat3 E = cps_helix_turn(&helix), T = E;
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) T.m[3 * r + c] = E.m[3 * c + r];
      }
      // rounding, and the error of |v|^2 in the argument of the sine of a large angle
      assert_same(cps_mat3_multiply(E, T), cps_mat3_identity(), 2e-15 * (1.0 + SIZES[i]));
      assert_same_vec(cps_mat3_apply(E, helix.v), helix.v, 2e-15 * (1.0 + SIZES[i] * SIZES[i]));
      assert_near(E.m[0] + E.m[4] + E.m[8], 1.0 + 2.0 * cos(SIZES[i]), 2e-15 * (2.0 + SIZES[i]));
    }
  }
}

// (3) is the integral of the tangents (1): the rule of the panels finds it.
static void chord_is_the_integral_of_the_tangent(void** state) {
  (void)state;
  for (int i = 0; i < SIZE_COUNT; ++i) {
    for (int j = 0; j < DIRECTION_COUNT; ++j) {
      CpsVec3 v = sample(i, j), sum = {0};
      int32_t panels = cps_helix_panels(SIZES[i]);
      for (int32_t p = 0; p < panels; ++p) {
        for (int k = 0; k < CPS_HELIX_POINTS; ++k) {
          CpsHelix at = cps_helix(cps_vec3_scale((p + cps_helix_node[k]) / panels, v));
          sum = cps_vec3_axpy(sum, cps_helix_weight[k] / panels, column(cps_helix_turn(&at), 0));
        }
      }
      CpsHelix helix = cps_helix(v);
      // eight points on a panel of four radians leave about 1e-13 (measured), on shorter ones rounding
      assert_same_vec(cps_helix_chord(&helix), sum, 1e-12);
    }
  }
}

static void slope_of_the_chord_is_its_derivative(void** state) {
  (void)state;
  for (int i = 0; i < SIZE_COUNT; ++i) {
    for (int j = 0; j < DIRECTION_COUNT; ++j) {
      CpsHelix helix = cps_helix(sample(i, j));
      CpsMat3 slope = cps_helix_chord_slope(&helix);
      // d^2 / 6 times third derivatives below 1, and rounding 1e-16 / d
      for (int k = 0; k < 3; ++k) {
        assert_same_vec(column(slope, k), difference(cps_helix_chord, helix.v, unit(k), 1e-5), 1e-10);
      }
    }
  }
}

// E(v + d u) E(v)^T = I + d [J_l u]x
static void spin_is_the_derivative_of_the_turn(void** state) {
  (void)state;
  const double d = 1e-5;
  for (int i = 0; i < SIZE_COUNT; ++i) {
    for (int j = 0; j < DIRECTION_COUNT; ++j) {
      CpsHelix helix = cps_helix(sample(i, j));
      CpsMat3 spin = cps_helix_spin(&helix), E = cps_helix_turn(&helix);
      for (int k = 0; k < 3; ++k) {
        CpsHelix plus = cps_helix(cps_vec3_axpy(helix.v, d, unit(k)));
        CpsHelix minus = cps_helix(cps_vec3_axpy(helix.v, -d, unit(k)));
        CpsMat3 change = cps_mat3_axpy(cps_helix_turn(&plus), -1.0, cps_helix_turn(&minus));
        CpsMat3 expected = cps_mat3_scale(2.0 * d, cps_mat3_multiply(cps_mat3_cross(column(spin, k)), E));
        assert_same(change, expected, 2e-5 * 1e-9);
      }
    }
  }
}

// At |v| = 1 the series hands over to sines; divisions by y = 1 lose nothing.
static void functions_are_continuous_where_the_series_ends(void** state) {
  (void)state;
  CpsHelix below = cps_helix(cps_vec3(nextafter(1.0, 0.0), 0, 0)), above = cps_helix(cps_vec3(1, 0, 0));
  for (int n = 0; n < CPS_STUMPFF_COUNT; ++n) assert_near(below.c[n], above.c[n], 2e-15);
  assert_same_vec(cps_helix_chord(&below), cps_helix_chord(&above), 1e-15);
  assert_same(cps_helix_chord_slope(&below), cps_helix_chord_slope(&above), 1e-15);
}

static void a_straight_element_is_straight(void** state) {
  (void)state;
  CpsHelix helix = cps_helix(cps_vec3(0, 0, 0));
  assert_same(cps_helix_turn(&helix), cps_mat3_identity(), 0.0);
  assert_same(cps_helix_spin(&helix), cps_mat3_identity(), 0.0);
  assert_same_vec(cps_helix_chord(&helix), cps_vec3(1, 0, 0), 0.0);
}

static void absurd_curvatures_cost_a_bounded_number_of_panels(void** state) {
  (void)state;
  assert_int_equal(cps_helix_panels(0.0), 1);
  assert_int_equal(cps_helix_panels(3.9), 1);
  assert_int_equal(cps_helix_panels(9.0), 3);
  assert_int_equal(cps_helix_panels(1e300), 257);
  assert_int_equal(cps_helix_panels(NAN), 257);
}

static void chord_along_a_line_is_the_slope_times_its_direction(void** state) {
  (void)state;
  for (int i = 0; i < SIZE_COUNT; ++i) {
    for (int j = 0; j < DIRECTION_COUNT; ++j) {
      CpsHelix helix = cps_helix(sample(i, j));
      CpsVec3 u = {0.3, -0.7, 0.9};
      CpsVec3 expected = cps_mat3_apply(cps_helix_chord_slope(&helix), u);
      // rounding of products of v with itself
      assert_same_vec(cps_helix_chord_along(&helix, u), expected, 1e-15 * (1.0 + SIZES[i]));
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chord_along_a_line_is_the_slope_times_its_direction),
      cmocka_unit_test(turn_is_a_rotation_about_its_vector),
      cmocka_unit_test(chord_is_the_integral_of_the_tangent),
      cmocka_unit_test(slope_of_the_chord_is_its_derivative),
      cmocka_unit_test(spin_is_the_derivative_of_the_turn),
      cmocka_unit_test(functions_are_continuous_where_the_series_ends),
      cmocka_unit_test(a_straight_element_is_straight),
      cmocka_unit_test(absurd_curvatures_cost_a_bounded_number_of_panels),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
