// Pieces that go through each other, against following them through time.
#include "contact/crossing.h"
#include "core/random.h"
#include "geometry/segment.h"
#include "test_helpers.h"

static CpsVec3 random_in(CpsRandom* random, double size) {
  const double x = cps_random_uniform(random), y = cps_random_uniform(random), z = cps_random_uniform(random);
  return cps_vec3(size * (x - 0.5), size * (y - 0.5), size * (z - 0.5));
}

static CpsMovedPiece random_piece(CpsRandom* random, double motion) {
  CpsMovedPiece p = {.ends = {true, true}};
  const CpsVec3 centre = random_in(random, 0.3), arm = cps_vec3_scale(0.5, cps_vec3_unit(random_in(random, 1.0)));
  const CpsVec3 go = random_in(random, motion), turn = random_in(random, 0.2);
  p.before[0] = cps_vec3_sub(centre, arm);
  p.before[1] = cps_vec3_add(centre, arm);
  p.after[0] = cps_vec3_sub(cps_vec3_add(p.before[0], go), turn);
  p.after[1] = cps_vec3_add(cps_vec3_add(p.before[1], go), turn);
  return p;
}

static CpsVec3 between(CpsVec3 p, CpsVec3 q, double t) {
  return cps_vec3_axpy(cps_vec3_scale(1.0 - t, p), t, q);
}

// How often the segments pass through each other while their ends move on straight lines: the volume of the tetrahedron of
// the four ends changes its sign while the nearest points are inside both. `clear` is the least distance in between from
// an end of the other: passings that graze an end are of no use here.
static int passings(const CpsMovedPiece* a, const CpsMovedPiece* b, bool* clear) {
  enum { STEPS = 2000 };
  int count = 0;
  double last = 0.0;
  *clear = true;
  for (int k = 0; k <= STEPS; k++) {
    const double time = (double)k / STEPS;
    const CpsVec3 p = between(a->before[0], a->after[0], time), q = between(b->before[0], b->after[0], time);
    const CpsVec3 d = cps_vec3_sub(between(a->before[1], a->after[1], time), p);
    const CpsVec3 e = cps_vec3_sub(between(b->before[1], b->after[1], time), q);
    const double volume = cps_vec3_dot(cps_vec3_cross(d, e), cps_vec3_sub(p, q));
    double s, t;
    cps_segment_segment(p, d, q, e, &s, &t);
    const double inside = fmin(fmin(s, 1.0 - s), fmin(t, 1.0 - t));
    if (k > 0 && volume * last < 0.0) {
      count += inside > 0.0;
      if (inside > 0.0 && inside < 0.02) *clear = false;
    }
    if ((k == 0 || k == STEPS) && !(inside > 0.0)) *clear = false;
    // nearly parallel pieces change the sign of the volume without meeting
    const CpsVec3 n = cps_vec3_unit(cps_vec3_cross(d, e));
    if (cps_vec3_norm(cps_vec3_cross(cps_vec3_unit(d), cps_vec3_unit(e))) < 0.3 || !(cps_vec3_norm(n) > 0.5))
      *clear = false;
    last = volume;
  }
  return count;
}

static void pieces_that_pass_through_each_other_are_seen(void** state) {
  (void)state;
  CpsRandom random = cps_random_seed(3);
  int crossed = 0, passed_by = 0;
  for (int scene = 0; scene < 4000; scene++) {
    const CpsMovedPiece a = random_piece(&random, 0.3), b = random_piece(&random, 0.3);
    bool clear;
    const int count = passings(&a, &b, &clear);
    if (!clear) continue;
    assert_int_equal(cps_pieces_crossed(&a, &b), count % 2 == 1);
    crossed += count % 2 == 1;
    passed_by += count == 0;
  }
  assert_true(crossed > 100 && passed_by > 100);
}

static void round_the_end_of_a_fibre_is_not_through_it(void** state) {
  (void)state;
  // a crosses the line of b beyond its end
  CpsMovedPiece a = {{{1.2, -1, 0.1}, {1.2, 1, 0.1}}, {{1.2, -1, -0.1}, {1.2, 1, -0.1}}, {true, true}};
  CpsMovedPiece b = {{{0, 0, 0}, {1, 0, 0}}, {{0, 0, 0}, {1, 0, 0}}, {true, true}};
  assert_false(cps_pieces_crossed(&a, &b));
  // the same through it
  for (int k = 0; k < 2; k++) a.before[k].x = a.after[k].x = 0.9;
  assert_true(cps_pieces_crossed(&a, &b));
  // at a joint of b the fibre goes on
  for (int k = 0; k < 2; k++) a.before[k].x = a.after[k].x = 1.0;
  assert_false(cps_pieces_crossed(&a, &b));
  b.ends[1] = false;
  assert_true(cps_pieces_crossed(&a, &b));
}

// Pieces beside a joint, both sides of a pair and a contact that was told already name one place again and again.
static void one_place_is_counted_once(void** state) {
  (void)state;
  CpsCrossing list[] = {cps_crossing(2, 7, 1, 3), cps_crossing(1, 3, 2, 7), cps_crossing(1, 4, 2, 7),
                        cps_crossing(2, 8, 1, 4), cps_crossing(1, 4, 2, 7), cps_crossing(2, 6, 1, 5)};
  assert_int_equal(cps_crossing_places(list, 6), 1);
  // with itself, whichever piece is named first
  CpsCrossing self[] = {cps_crossing(5, 9, 5, 2), cps_crossing(5, 2, 5, 9), cps_crossing(5, 3, 5, 10)};
  assert_int_equal(cps_crossing_places(self, 3), 1);
  assert_int_equal(cps_crossing_places(self, 0), 0);
}

static void places_apart_are_told_apart(void** state) {
  (void)state;
  // two steps away on one of the fibres, other fibres
  CpsCrossing list[] = {cps_crossing(1, 3, 2, 7), cps_crossing(1, 3, 2, 9), cps_crossing(1, 5, 2, 8),
                        cps_crossing(1, 3, 3, 7), cps_crossing(3, 7, 2, 3)};
  assert_int_equal(cps_crossing_places(list, 5), 5);
  // and joined by what lies between: a fibre that goes through another one along its length
  CpsCrossing joined[] = {cps_crossing(1, 3, 2, 7), cps_crossing(1, 3, 2, 9), cps_crossing(1, 5, 2, 8),
                          cps_crossing(1, 4, 2, 8)};
  assert_int_equal(cps_crossing_places(joined, 4), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pieces_that_pass_through_each_other_are_seen),
      cmocka_unit_test(round_the_end_of_a_fibre_is_not_through_it),
      cmocka_unit_test(one_place_is_counted_once),
      cmocka_unit_test(places_apart_are_told_apart),
  };
  return cmocka_run_group_tests_name("contact/crossing", tests, NULL, NULL);
}
