// Floating tangents: short helices, chains of them, and super-helices with elements of unequal length.
#include "geometry/short_helix.h"
#include "inverse/inverse_helpers.h"
#include "model/helix.h"
#include "model/rod.h"

#include <string.h>

static const double PI = 3.14159265358979323846;

static CpsVec3 draw_unit(uint64_t* seed) {
  for (;;) {
    const CpsVec3 v = {draw(seed), draw(seed), draw(seed)};
    const double n = cps_vec3_norm(v);
    if (n > 0.1 && n < 1.0) return cps_vec3_scale(1.0 / n, v);
  }
}

// The end of a helix that begins at the origin with the tangent t.
static void follow(CpsVec3 t, const CpsShortHelix* helix, CpsVec3* end, CpsVec3* tangent) {
  const CpsMat3 rows = cps_mat3_frame(t, cps_vec3(0.3, 0.4, 0.5)), R = cps_mat3_transposed(rows);
  const CpsHelix h = cps_helix(cps_vec3_scale(helix->length, cps_mat3_apply(rows, helix->turn)));
  *end = cps_mat3_apply(R, cps_vec3_scale(helix->length, cps_helix_chord(&h)));
  *tangent = cps_mat3_apply(R, cps_mat3_apply(cps_helix_turn(&h), cps_vec3(1.0, 0.0, 0.0)));
}

// Helices of less than a turn are found again, also plane arcs, nearly straight ones and half circles.
static void short_helices_are_found_again(void** state) {
  (void)state;
  uint64_t seed = 1;
  double worst = 0.0;
  for (int i = 0; i < 1000; ++i) {
    const CpsVec3 t0 = draw_unit(&seed);
    CpsVec3 axis = draw_unit(&seed), end, t1, again_end, again_t;
    if (i % 4 == 1) axis = cps_vec3_unit(cps_vec3_cross(t0, axis));  // in a plane
    double turn = PI * (1.0 + draw(&seed));
    if (i % 4 == 2) turn *= 1e-6;
    if (i % 8 == 1) turn = PI;  // opposite tangents
    const double length = 0.1 * (1.2 + draw(&seed));
    const CpsShortHelix helix = {length, cps_vec3_scale(turn / length, axis)};
    CpsShortHelix found;
    follow(t0, &helix, &end, &t1);
    assert_true(cps_short_helix(cps_vec3(0, 0, 0), t0, end, t1, &found));
    follow(t0, &found, &again_end, &again_t);
    worst = fmax(worst, cps_vec3_norm(cps_vec3_sub(end, again_end)) / length);
    worst = fmax(worst, cps_vec3_norm(cps_vec3_sub(t1, again_t)));
    if (turn > 0.1 && turn < 6.2 && i % 8 != 1) assert_near(found.length / length, 1.0, 1e-9);
  }
  print_message("1000 short helices: end and tangent to %.1e\n", worst);
  assert_true(worst < 1e-11);
}

static void straight_pieces_and_nothing(void** state) {
  (void)state;
  const CpsVec3 o = {0, 0, 0}, x = {1, 0, 0}, p = {0.3, 0, 0}, q = {0.3, 0.01, 0};
  CpsShortHelix helix;
  CpsVec3 end, t;
  assert_true(cps_short_helix(o, x, p, x, &helix));
  assert_near(helix.length, 0.3, 1e-15);
  assert_near(cps_vec3_norm(helix.turn), 0.0, 1e-15);
  // aside: a whole turn, hardly longer than the chord
  assert_true(cps_short_helix(o, x, q, x, &helix));
  follow(x, &helix, &end, &t);
  assert_near(cps_vec3_norm(cps_vec3_sub(end, q)), 0.0, 1e-12);
  assert_near(helix.length / hypot(0.3, 0.01), 1.0, 1e-3);
  assert_false(cps_short_helix(o, x, o, x, &helix));
}

typedef CpsVec3 (*Curve)(double u);
static CpsVec3 circle(double u) {
  return cps_vec3(0.1 * sin(4.0 * u), 0.1 * (1.0 - cos(4.0 * u)), 0.0);
}
static CpsVec3 knot(double u) {
  const double a = 5.0 * u;
  return cps_vec3(0.05 * (sin(a) + 2.0 * sin(2.0 * a)), 0.05 * (cos(a) - 2.0 * cos(2.0 * a)), -0.05 * sin(3.0 * a));
}
static CpsVec3 sine(double u) {
  return cps_vec3(0.3 * u, 0.03 * sin(9.0 * u), 0.02 * sin(5.0 * u));
}

enum { POINTS = 400, MOST = 120 };
static double error_of(Curve curve, int32_t elements, double* lengths, CpsVec3* curvature, CpsFibreFit* fit) {
  static CpsVec3 points[POINTS];
  for (int i = 0; i < POINTS; ++i) points[i] = curve((double)i / (POINTS - 1));
  must(cps_fibre_fit_tangents(points, POINTS, elements, lengths, curvature, fit, &must_error));
  return fit->mean / fit->length;
}

// The error falls with the square of the number of elements at least.
static void more_elements_are_nearer(void** state) {
  (void)state;
  const Curve curves[3] = {circle, knot, sine};
  const char* const names[3] = {"circle", "knot", "sine"};
  double lengths[MOST];
  CpsVec3 curvature[MOST];
  CpsFibreFit fit;
  for (int c = 0; c < 3; ++c) {
    const double coarse = error_of(curves[c], 30, lengths, curvature, &fit),
                 fine = error_of(curves[c], 60, lengths, curvature, &fit);
    print_message("%s: mean %.1e L with 30, %.1e L with 60 elements\n", names[c], coarse, fine);
    assert_true(fine < 1e-3);
    assert_true(fine < 0.3 * coarse || fine < 1e-5);
  }
}

// The rod made of a chain is the chain: joints where it says, tangents continuous; both forms have the same motion.
static void a_rod_takes_elements_of_unequal_length(void** state) {
  (void)state;
  double lengths[MOST];
  CpsVec3 curvature[MOST], points[2][PLACES], drawn[2][PLACES];
  CpsFibreFit fit;
  error_of(sine, 9, lengths, curvature, &fit);
  for (int m = 0; m < 2; ++m) {
    CpsFibreDef def = clamped(INVERTIBLE[m], 9);
    def.element_lengths = lengths;
    def.element_curvature = curvature;
    def.natural_as_placed = true;
    def.root_pose = fit.root;
    def.radius_tip = 0.6 * def.radius;
    CpsWorld* world = still_world(0.002);
    CpsFibreId id = add_fibre(world, &def);
    CpsFibreInfo info;
    assert_int_equal(cps_world_fibre_info(world, id, &info), CPS_OK);
    assert_near(info.length, fit.length, 1e-15);
    double s = 0.0;
    for (int i = 0; i < 9; ++i) {
      CpsFibrePoint p;
      assert_int_equal(cps_world_fibre_at(world, id, s + 0.5 * lengths[i], &p), CPS_OK);
      assert_near(cps_vec3_norm(cps_vec3_sub(p.curvature, curvature[i])), 0.0, 1e-9);
      s += lengths[i];
    }
    look(world, id, drawn[m]);
    step(world, 50);
    look(world, id, points[m]);
    assert_true(farthest(points[m], drawn[m], PLACES) > 1e-3);
    cps_world_destroy(world);
    // inverted it stands still, whatever the lengths
    world = still_world(0.002);
    for (int a = 0; a < 2; ++a) def.bending[a] *= 10.0;
    id = add_fibre(world, &def);
    assert_true(invert(world).balance < 1e-12);
    step(world, 200);
    CpsVec3 now[PLACES];
    look(world, id, now);
    assert_true(farthest(now, drawn[m], PLACES) < 1e-10 * fit.length);
    cps_world_destroy(world);
  }
  assert_true(farthest(points[0], points[1], PLACES) < 1e-9);
  assert_true(farthest(drawn[0], drawn[1], PLACES) < 1e-12);
}

// Equal lengths given one by one are those of a rod of equal elements.
static void equal_lengths_change_nothing(void** state) {
  (void)state;
  double lengths[7];
  CpsVec3 end[2][PLACES];
  for (int i = 0; i < 7; ++i) lengths[i] = 0.3 / 7.0;
  for (int given = 0; given < 2; ++given) {
    CpsFibreDef def = clamped(CPS_ROD_SUPER_HELIX, 7);
    if (given) def.element_lengths = lengths;
    CpsWorld* world = still_world(0.002);
    CpsFibreId id = add_fibre(world, &def);
    step(world, 100);
    look(world, id, end[given]);
    cps_world_destroy(world);
  }
  assert_true(farthest(end[0], end[1], PLACES) < 1e-11);
}

static void bad_input_is_refused(void** state) {
  (void)state;
  double lengths[3] = {0.1, -0.1, 0.1};
  CpsVec3 points[3] = {{0, 0, 0}, {0, 0, 1}, {0, 0, 1}}, curvature[3];
  CpsFibreFit fit;
  CpsError error;
  assert_int_equal(cps_fibre_fit_tangents(points, 3, 3, lengths, curvature, &fit, &error), CPS_BAD_DATA);
  assert_int_equal(cps_fibre_fit_tangents(points, 1, 3, lengths, curvature, &fit, &error), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_fibre_fit_tangents(points, 2, 0, lengths, curvature, &fit, &error), CPS_BAD_ARGUMENT);
  points[1].x = NAN;
  assert_int_equal(cps_fibre_fit_tangents(points, 2, 3, lengths, curvature, &fit, &error), CPS_BAD_DATA);
  CpsFibreDef def = clamped(CPS_ROD_SUPER_HELIX, 3);
  CpsWorld* world = still_world(0.002);
  def.element_lengths = lengths;
  lengths[1] = -0.1;
  assert_int_equal(cps_world_add_fibre(world, &def, NULL, &error), CPS_BAD_DATA);
  lengths[1] = 0.1;
  def.model = CPS_ROD_DER;
  assert_int_equal(cps_world_add_fibre(world, &def, NULL, &error), CPS_UNSUPPORTED);
  cps_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(short_helices_are_found_again), cmocka_unit_test(straight_pieces_and_nothing),
      cmocka_unit_test(more_elements_are_nearer),      cmocka_unit_test(a_rod_takes_elements_of_unequal_length),
      cmocka_unit_test(equal_lengths_change_nothing),  cmocka_unit_test(bad_input_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
