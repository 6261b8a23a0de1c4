// Rods fitted to polylines: known rods are found again, noise does not throw the fit off, real hair is followed.
#include "capstan/fibre.h"
#include "core/quat.h"
#include "model/helix.h"
#include "test_helpers.h"

#include <string.h>
#ifdef CAPSTAN_IO
#include "capstan/hair.h"
#endif

enum { POINTS = 321 };

// Points at equal distances of the rod of `elements` given curvatures; returns the rotation at the tip.
static CpsMat3 build(const CpsVec3* k, int32_t elements, double length, CpsMat3 R, CpsVec3* x, int32_t count) {
  double size = length / elements, h = length / (count - 1);
  CpsVec3 at = {0.1, -0.2, 0.3};
  int32_t element = 0;
  for (int32_t i = 0; i < count; ++i) {
    double s = i * h;
    while (element + 1 < elements && s > (element + 1) * size + 1e-12) {
      CpsHelix helix = cps_helix(cps_vec3_scale(size, k[element++]));
      at = cps_vec3_axpy(at, size, cps_mat3_apply(R, cps_helix_chord(&helix)));
      R = cps_mat3_multiply(R, cps_helix_turn(&helix));
    }
    double a = s - element * size;
    CpsHelix helix = cps_helix(cps_vec3_scale(a, k[element]));
    x[i] = cps_vec3_axpy(at, a, cps_mat3_apply(R, cps_helix_chord(&helix)));
  }
  return R;
}

static const CpsVec3 CURVES[][4] = {
    {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}},                // straight
    {{0, 3, 0}, {0, 3, 0}, {0, 3, 0}, {0, 3, 0}},                // an arc
    {{0, 3, 1}, {0, -4, 2}, {0, 0, 5}, {0, 1, -3}},              // bends to all sides
    {{5, 0, 12}, {5, 0, 12}, {5, 0, 12}, {5, 0, 12}},            // a helix
    {{20, 60, 0}, {20, 60, 0}, {20, 60, 0}, {20, 60, 0}},        // a curl of over three turns
    {{-15, 0, 50}, {-10, 20, 40}, {-12, 10, 50}, {-15, 0, 50}},  // an uneven one
};

// The smooth curve through 321 points has an error of fourth order in their distance, some 1e-8 of the length.
static void a_known_rod_is_found_again(void** state) {
  (void)state;
  for (int c = 0; c < 6; ++c) {
    CpsVec3 x[POINTS], k[4];
    CpsFibreFit fit;
    build(CURVES[c], 4, 0.3, cps_quat_matrix(cps_quat_exp(cps_vec3(0.3, 1.0, -2.0))), x, POINTS);
    assert_int_equal(cps_fibre_fit(x, POINTS, 4, k, &fit, NULL), CPS_OK);
    assert_near(fit.length, 0.3, 1e-6 * 0.3);
    assert_below(fit.max, 1e-7 * 0.3);
    assert_true(fit.mean <= fit.max);
    // points of the rod, built from what was returned
    CpsVec3 y[POINTS];
    build(k, 4, fit.length, cps_quat_matrix(fit.root.rotation), y, POINTS);
    for (int i = 0; i < POINTS; ++i) {
      assert_below(cps_vec3_norm(cps_vec3_sub(x[i], y[i])), 1e-6 * 0.3);
    }
    assert_true(fit.root.position.x == x[0].x && fit.root.position.y == x[0].y && fit.root.position.z == x[0].z);
  }
}

// Of all rods on a straight line the one without twist is taken.
static void a_plane_curve_has_no_twist(void** state) {
  (void)state;
  for (int c = 0; c < 2; ++c) {
    CpsVec3 x[POINTS], k[4];
    CpsFibreFit fit;
    build(CURVES[c], 4, 0.3, cps_mat3_identity(), x, POINTS);
    assert_int_equal(cps_fibre_fit(x, POINTS, 4, k, &fit, NULL), CPS_OK);
    for (int i = 0; i < 4; ++i) assert_below(fabs(k[i].x), 1e-3);
  }
}

// More elements come nearer: an element of length l misses a smooth curve by its change of curvature, of order l^3.
static void the_distance_falls_with_the_elements(void** state) {
  (void)state;
  CpsVec3 x[POINTS], k[32];
  double before = INFINITY;
  for (int i = 0; i < POINTS; ++i) {
    double t = (double)i / (POINTS - 1);
    x[i] = cps_vec3(0.3 * t, 0.05 * sin(5.0 * t), 0.04 * cos(7.0 * t));
  }
  for (int32_t elements = 4; elements <= 32; elements *= 2) {
    CpsFibreFit fit;
    assert_int_equal(cps_fibre_fit(x, POINTS, elements, k, &fit, NULL), CPS_OK);
    assert_below(fit.mean, before / 5.0);
    before = fit.mean;
  }
  assert_below(before, 1e-5 * 0.3);
}

// The table has the mean of the element whatever is linear in between: with the trapezoidal rule.
static void the_table_keeps_the_mean_of_each_element(void** state) {
  (void)state;
  CpsVec3 table[4 * CPS_FIT_TABLE + 1];
  cps_fibre_fit_table(CURVES[5], 4, table);
  for (int i = 0; i < 4; ++i) {
    double sum = 0.0;
    for (int j = 0; j < CPS_FIT_TABLE; ++j) {
      sum += 0.5 * (table[i * CPS_FIT_TABLE + j].z + table[i * CPS_FIT_TABLE + j + 1].z) / CPS_FIT_TABLE;
    }
    assert_near(sum, CURVES[5][i].z, 1e-12 * 50.0);
  }
}

static void bad_input_is_refused(void** state) {
  (void)state;
  CpsVec3 x[3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, k[4];
  CpsFibreFit fit;
  CpsError error;
  assert_int_equal(cps_fibre_fit(NULL, 3, 4, k, &fit, &error), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_fibre_fit(x, 1, 4, k, &fit, &error), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_fibre_fit(x, 3, 0, k, &fit, &error), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_fibre_fit(x, 3, 201, k, &fit, &error), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_fibre_fit(x, 3, 4, NULL, &fit, &error), CPS_BAD_ARGUMENT);
  x[2] = x[1];
  assert_int_equal(cps_fibre_fit(x, 3, 4, k, &fit, &error), CPS_BAD_DATA);
  x[2].y = NAN;
  assert_int_equal(cps_fibre_fit(x, 3, 4, k, &fit, &error), CPS_BAD_DATA);
  assert_true(error.text[0]);
}

enum { MANY = 7, EACH = 40 };

static void many_curves(CpsVec3* points, int64_t* first) {
  for (int32_t i = 0; i <= MANY; ++i) first[i] = (int64_t)EACH * i;
  for (int i = 0; i < MANY * EACH; ++i) {
    const double t = (double)(i % EACH) / (EACH - 1), a = 1.0 + i / EACH;
    points[i] = cps_vec3(0.3 * t, 0.05 * sin(a * t), 0.04 * cos((a + 2.0) * t));
  }
}

// Many at once are each fitted as alone, to the last bit, by any number of threads and by both methods.
static void many_polylines_are_each_fitted_as_alone(void** state) {
  (void)state;
  CpsVec3 points[MANY * EACH], all[MANY * 6], one[6];
  int64_t first[MANY + 1];
  double lengths[MANY * 6], own[6];
  CpsFibreFit fits[MANY], fit;
  int32_t failed;
  many_curves(points, first);
  for (int32_t threads = 1; threads <= 4; ++threads) {
    for (int method = 0; method < 2; ++method) {
      double* to = method == 0 ? NULL : lengths;
      assert_int_equal(cps_fibre_fit_all(points, first, MANY, 6, threads, to, all, fits, &failed, NULL), CPS_OK);
      assert_int_equal(failed, -1);
      for (int i = 0; i < MANY; ++i) {
        const CpsStatus status = method == 0 ? cps_fibre_fit(points + first[i], EACH, 6, one, &fit, NULL)
                                             : cps_fibre_fit_tangents(points + first[i], EACH, 6, own, one, &fit, NULL);
        assert_int_equal(status, CPS_OK);
        assert_memory_equal(one, all + (ptrdiff_t)6 * i, sizeof one);
        assert_memory_equal(&fit, &fits[i], sizeof fit);
        if (method == 1) assert_memory_equal(own, lengths + (ptrdiff_t)6 * i, sizeof own);
      }
    }
  }
}

// The first polyline that has no fit is named, whichever thread met it.
static void a_polyline_without_a_fit_is_named(void** state) {
  (void)state;
  CpsVec3 points[MANY * EACH], k[MANY * 6];
  int64_t first[MANY + 1];
  CpsFibreFit fits[MANY];
  CpsError error;
  many_curves(points, first);
  points[2 * EACH + 5] = points[2 * EACH + 4];
  points[6 * EACH].x = NAN;
  for (int32_t threads = 1; threads <= 4; ++threads) {
    int32_t failed = -7;
    assert_int_equal(cps_fibre_fit_all(points, first, MANY, 6, threads, NULL, k, fits, &failed, &error), CPS_BAD_DATA);
    assert_int_equal(failed, 2);
    assert_non_null(strstr(error.text, "points 4 and 5"));
  }
  assert_int_equal(cps_fibre_fit_all(NULL, first, MANY, 6, 1, NULL, k, fits, NULL, &error), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_fibre_fit_all(points, first, MANY, 6, 0, NULL, k, fits, NULL, &error), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_fibre_fit_all(points, first, MANY, 201, 1, NULL, k, fits, NULL, &error), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_fibre_fit_all(points, first, 0, 6, 2, NULL, k, fits, NULL, &error), CPS_OK);
}

#ifdef CAPSTAN_IO
// Real grooms: distances in parts of the length of each strand.
static void real_hair_is_followed(void** state) {
  (void)state;
  static const struct {
    const char* path;
    int32_t every;       // strands examined
    int32_t elements;    //
    double mean, worst;  // what was measured, with a third more
    double twist;        // rad in an element, mean, likewise; twist that costs nothing was 7.5, 0.85, 7.2 and 2.8
  } CASES[] = {{SHARED_DATA "/hair/yuksel_straight.hair", 50, 5, 3.6e-3, 4.3e-2, 0.65},
               {SHARED_DATA "/hair/yuksel_straight.hair", 50, 10, 8.5e-4, 1.5e-2, 0.4},
               {SHARED_DATA "/hair/creamystrand_man_hair_init_700.ply", 7, 5, 3.6e-3, 2.6e-2, 2.2},
               {SHARED_DATA "/hair/creamystrand_man_hair_init_700.ply", 7, 10, 8.8e-4, 5.8e-3, 1.9}};
  for (int c = 0; c < 4; ++c) {
    CpsHair hair;
    CpsError error;
    if (cps_hair_read(CASES[c].path, &hair, &error) != CPS_OK) {
      print_message("skipped: %s\n", error.text);
      continue;
    }
    double mean = 0.0, worst = 0.0, twist = 0.0;
    int32_t count = 0;
    for (int32_t s = 0; s < hair.strand_count; s += CASES[c].every * (SANITIZED ? 5 : 1), ++count) {
      CpsVec3 k[16];
      CpsFibreFit fit;
      int32_t points = (int32_t)(hair.first[s + 1] - hair.first[s]);
      assert_int_equal(cps_fibre_fit(hair.points + hair.first[s], points, CASES[c].elements, k, &fit, &error), CPS_OK);
      mean += fit.mean / fit.length;
      worst = fmax(worst, fit.max / fit.length);
      for (int32_t i = 0; i < CASES[c].elements; ++i) {
        twist += fabs(k[i].x) * fit.length / ((double)CASES[c].elements * CASES[c].elements);
      }
    }
    mean /= count;
    twist /= count;
    print_message("%d elements: mean distance %.2e, worst %.2e of the length, twist %.2f rad an element\n",
                  (int)CASES[c].elements, mean, worst, twist);
    assert_below(twist, (SANITIZED ? 2.0 : 1.0) * CASES[c].twist);
    assert_below(mean, (SANITIZED ? 2.0 : 1.0) * CASES[c].mean);  // of fewer strands there
    assert_below(worst, CASES[c].worst);
    cps_hair_free(&hair);
  }
}
#endif

// Locks that wind six times around an axis that bends: with guesses from means of frames alone, rods end 0.46 lengths away.
static void winding_locks_are_followed(void** state) {
  (void)state;
  enum { PLACES = 80, LOCKS = 24, ELEMENTS = 14 };
  double worst = 0.0, mean = 0.0;
  for (int i = 0; i < LOCKS; ++i) {
    CpsVec3 points[PLACES], curvature[ELEMENTS];
    for (int k = 0; k < PLACES; ++k) {
      const double s = (double)k / (PLACES - 1), a = 40.0 * s + 0.7 * i, r = 0.006 * fmin(1.0, 5.0 * s);
      const double tilt = 0.05 * (i % 7), turn = 1.2 * s;
      points[k] = (CpsVec3){0.15 * (1.0 - cos(turn)) + r * cos(a), r * sin(a) + tilt * s * s, -0.2 * s};
    }
    CpsFibreFit fit;
    CpsError error;
    assert_int_equal(cps_fibre_fit(points, PLACES, ELEMENTS, curvature, &fit, &error), CPS_OK);
    mean += fit.mean / fit.length / LOCKS;
    worst = fmax(worst, fit.max / fit.length);
  }
  print_message("%d locks: mean distance %.1e, worst %.1e of the length\n", (int)LOCKS, mean, worst);
  assert_true(mean < 4e-3);
  assert_true(worst < 0.04);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(winding_locks_are_followed),
      cmocka_unit_test(a_known_rod_is_found_again),
      cmocka_unit_test(a_plane_curve_has_no_twist),
      cmocka_unit_test(the_distance_falls_with_the_elements),
      cmocka_unit_test(the_table_keeps_the_mean_of_each_element),
      cmocka_unit_test(bad_input_is_refused),
      cmocka_unit_test(many_polylines_are_each_fitted_as_alone),
      cmocka_unit_test(a_polyline_without_a_fit_is_named),
#ifdef CAPSTAN_IO
      cmocka_unit_test(real_hair_is_followed),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
