// The polygon in place of the friction disc: corners and sides describe the same set, inside or around the disc.
#include "friction/facets.h"
#include "test_helpers.h"

static void corners_lie_on_two_sides_and_inside_the_others(void** state) {
  (void)state;
  for (int facets = 4; facets <= 64; facets += 2) {
    for (int kind = 0; kind <= 1; kind++) {
      double a = cps_facet_apothem(3, facets, (CpsFacets)kind);
      for (int k = 0; k < facets; k++) {
        double p[2], c[2];
        cps_facet_corner(3, facets, (CpsFacets)kind, k, p);
        int touching = 0;
        for (int j = 0; j < facets; j++) {
          cps_facet_normal(3, facets, (CpsFacets)kind, j, c);
          double distance = a - (c[0] * p[0] + c[1] * p[1]);
          assert_true(distance > -1e-15 * 10);  // ten roundings of numbers of size 1
          if (distance < 1e-14) touching++;
        }
        assert_int_equal(touching, 2);
      }
    }
  }
}

static void inner_corners_and_outer_sides_touch_the_circle(void** state) {
  (void)state;
  for (int facets = 4; facets <= 64; facets += 2) {
    double p[2];
    for (int k = 0; k < facets; k++) {
      cps_facet_corner(3, facets, CPS_FACETS_INNER, k, p);
      assert_near(hypot(p[0], p[1]), 1.0, 1e-15);
      cps_facet_corner(3, facets, CPS_FACETS_OUTER, k, p);
      assert_near(hypot(p[0], p[1]), 1.0 / cos(acos(-1.0) / facets), 1e-15 * 2);
    }
    assert_true(cps_facet_apothem(3, facets, CPS_FACETS_INNER) < 1.0);
    assert_true(cps_facet_apothem(3, facets, CPS_FACETS_OUTER) == 1.0);
  }
}

static void opposite_directions_are_exactly_opposite(void** state) {
  (void)state;
  for (int facets = 4; facets <= 34; facets += 2) {
    for (int kind = 0; kind <= 1; kind++) {
      for (int k = 0; k < facets / 2; k++) {
        double p[2], q[2];
        cps_facet_corner(3, facets, (CpsFacets)kind, k, p);
        cps_facet_corner(3, facets, (CpsFacets)kind, k + facets / 2, q);
        assert_true(p[0] == -q[0] && p[1] == -q[1]);
        cps_facet_normal(3, facets, (CpsFacets)kind, k, p);
        cps_facet_normal(3, facets, (CpsFacets)kind, k + facets / 2, q);
        assert_true(p[0] == -q[0] && p[1] == -q[1]);
      }
    }
  }
}

static void four_inner_corners_are_the_axes(void** state) {
  (void)state;
  static const double axes[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
  for (int k = 0; k < 4; k++) {
    double p[2];
    cps_facet_corner(3, 4, CPS_FACETS_INNER, k, p);
    assert_true(p[0] == axes[k][0] && p[1] == axes[k][1]);
  }
}

static void in_the_plane_the_segment_is_exact(void** state) {
  (void)state;
  double p, c;
  assert_int_equal(cps_facet_count(2, 12), 2);
  assert_int_equal(cps_facet_count(3, 12), 12);
  for (int kind = 0; kind <= 1; kind++) {
    assert_true(cps_facet_apothem(2, 12, (CpsFacets)kind) == 1.0);
    for (int k = 0; k < 2; k++) {
      cps_facet_corner(2, 12, (CpsFacets)kind, k, &p);
      cps_facet_normal(2, 12, (CpsFacets)kind, k, &c);
      assert_true(p == (k == 0 ? 1.0 : -1.0) && c == p);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(corners_lie_on_two_sides_and_inside_the_others),
      cmocka_unit_test(inner_corners_and_outer_sides_touch_the_circle),
      cmocka_unit_test(opposite_directions_are_exactly_opposite),
      cmocka_unit_test(four_inner_corners_are_the_axes),
      cmocka_unit_test(in_the_plane_the_segment_is_exact),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
