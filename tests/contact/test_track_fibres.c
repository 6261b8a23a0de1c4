// Contacts of fibres keep their impulses while they slide from piece to piece, each impulse once.
#include <stdlib.h>
#include <string.h>

#include "contact/track.h"
#include "core/random.h"
#include "test_helpers.h"

static uint64_t key(uint64_t owner, uint64_t piece) {
  return owner << CPS_KEY_PIECE_BITS | piece;
}

// Of two fibres with pieces of length 0.1.
static CpsTrack touch(uint64_t a, double s, uint64_t b, double t, double impulse) {
  return (CpsTrack){.key_a = key(a, (uint64_t)(s / 0.1)),
                    .key_b = key(b, (uint64_t)(t / 0.1)),
                    .feature = 4,
                    .lines = 3,
                    .arc = {s, t},
                    .span = 0.1,
                    .impulse = {impulse, 0.0, 0.0}};
}

static void match(const CpsTrack* before, int32_t before_count, CpsTrack* now, int32_t now_count) {
  CpsArena scratch = {0};
  assert_true(cps_track_match(before, before_count, now, now_count, 0.0, &scratch));
  cps_arena_free(&scratch);
}

static void a_contact_goes_on_from_piece_to_piece(void** state) {
  (void)state;
  CpsTrack before = touch(1, 0.199, 2, 0.301, 5.0), now = touch(1, 0.201, 2, 0.299, 0.0);
  match(&before, 1, &now, 1);
  assert_near(now.impulse.x, 5.0, 0.0);
}

static void another_pair_of_fibres_or_a_far_place_is_another_contact(void** state) {
  (void)state;
  const CpsTrack before[] = {touch(1, 0.2, 2, 0.3, 1.0), touch(1, 0.2, 3, 0.3, 2.0), touch(1, 0.55, 3, 0.9, 3.0)};
  CpsTrack now[] = {touch(1, 0.2, 2, 0.41, 0.0), touch(1, 0.25, 3, 0.35, 0.0), touch(2, 0.2, 3, 0.3, 0.0)};
  match(before, 3, now, 3);
  assert_near(now[0].impulse.x, 0.0, 0.0);
  assert_near(now[1].impulse.x, 2.0, 0.0);
  assert_near(now[2].impulse.x, 0.0, 0.0);
}

// A new contact between two old ones does not take the impulse of one of them that is still there.
static void those_that_are_nearest_to_each_other_come_first(void** state) {
  (void)state;
  const CpsTrack before[] = {touch(1, 0.20, 2, 0.20, 1.0), touch(1, 0.24, 2, 0.24, 2.0)};
  CpsTrack now[] = {touch(1, 0.19, 2, 0.19, 0.0), touch(1, 0.215, 2, 0.215, 0.0), touch(1, 0.238, 2, 0.238, 0.0)};
  match(before, 2, now, 3);
  assert_near(now[0].impulse.x, 1.0, 0.0);
  assert_near(now[1].impulse.x, 0.0, 0.0);
  assert_near(now[2].impulse.x, 2.0, 0.0);
}

static int compare(const void* a, const void* b) {
  const CpsTrack *p = a, *q = b;
  if (p->key_a != q->key_a) return p->key_a < q->key_a ? -1 : 1;
  if (p->key_b != q->key_b) return p->key_b < q->key_b ? -1 : 1;
  return p->arc[0] < q->arc[0] ? -1 : 1;
}

// Many fibres, each contact moves by less than half the distance to the next one: all find their own, whatever pieces they
// are on, and rigid contacts among them keep to their features.
static void sliding_contacts_of_many_fibres_all_keep_their_own(void** state) {
  (void)state;
  enum { FIBRES = 12, CONTACTS = 1200 };
  static CpsTrack before[CONTACTS], now[CONTACTS];
  CpsRandom random = cps_random_seed(5);
  int32_t count = 0;
  for (uint64_t a = 0; a < FIBRES; a++) {
    for (uint64_t b = a; b < FIBRES && count < CONTACTS; b++) {
      const int here = (int)(12.0 * cps_random_uniform(&random));
      for (int k = 0; k < here && count < CONTACTS; k++, count++) {
        const double s = 0.05 + 0.08 * k, t = a == b ? 2.0 - s : 0.05 + 1.9 * cps_random_uniform(&random);
        before[count] = touch(a, s, b, t, count + 1.0);
        const double ds = 0.06 * (cps_random_uniform(&random) - 0.5), dt = 0.04 * (cps_random_uniform(&random) - 0.5);
        now[count] = touch(a, s + ds, b, t + dt, 0.0);
        now[count].point.z = count + 1.0;  // who it is; not read where both are fibres
      }
    }
  }
  assert_true(count > 300);
  const CpsTrack stone = {.key_a = key(90, 1), .key_b = key(91, 1), .feature = 3, .impulse = {77.0, 0.0, 0.0}};
  before[count] = now[count] = stone;
  now[count].point.z = 77.0;
  count++;
  qsort(before, (size_t)count, sizeof *before, compare);
  qsort(now, (size_t)count, sizeof *now, compare);
  match(before, count, now, count);
  for (int32_t i = 0; i < count; i++) assert_near(now[i].impulse.x, now[i].point.z, 0.0);
}

// Against the plain rule, written with all pairs: random contacts, also too many and too few.
static void each_impulse_is_used_once_and_only_within_the_span(void** state) {
  (void)state;
  enum { MOST = 60 };
  CpsRandom random = cps_random_seed(6);
  for (int scene = 0; scene < 300; scene++) {
    CpsTrack before[MOST], now[MOST];
    const int32_t m = (int32_t)(MOST * cps_random_uniform(&random)), n = (int32_t)(MOST * cps_random_uniform(&random));
    for (int32_t i = 0; i < m; i++) {
      before[i] = touch(1, cps_random_uniform(&random), 2, 0.3 * cps_random_uniform(&random), i + 1.0);
    }
    for (int32_t j = 0; j < n; j++) {
      now[j] = touch(1, cps_random_uniform(&random), 2, 0.3 * cps_random_uniform(&random), 0.0);
    }
    qsort(before, (size_t)m, sizeof *before, compare);
    qsort(now, (size_t)n, sizeof *now, compare);
    match(before, m, now, n);
    bool used[MOST + 1] = {false};
    for (int32_t j = 0; j < n; j++) {
      double nearest_left = INFINITY;
      for (int32_t i = 0; i < m; i++) {
        const double d = hypot(before[i].arc[0] - now[j].arc[0], before[i].arc[1] - now[j].arc[1]);
        bool taken = false;
        for (int32_t k = 0; k < n; k++) taken = taken || now[k].impulse.x == before[i].impulse.x;
        if (!taken && d < nearest_left) nearest_left = d;
        if (now[j].impulse.x == before[i].impulse.x) {
          assert_below(d, 0.1);
          assert_false(used[i]);
          used[i] = true;
        }
      }
      // what starts from zero has nothing near that is left
      if (now[j].impulse.x == 0.0) assert_true(nearest_left > 0.1);
    }
  }
}

// On an obstacle the arc length of one side and the place in the world count.
static void on_an_obstacle_the_place_tells_contacts_apart(void** state) {
  (void)state;
  const uint64_t ground = UINT64_C(1) << 63;
  CpsTrack before[2], now[2];
  for (int k = 0; k < 2; k++) {
    before[k] = (CpsTrack){.key_a = key(1, 1),
                           .key_b = ground,
                           .feature = (uint32_t)k,
                           .lines = 1,
                           .arc = {0.199, 0},
                           .span = 0.1,
                           .point = {0, 0, 0.01 * k},
                           .impulse = {k + 1.0, 0, 0}};
    now[k] = before[k];
    now[k].key_a = key(1, 2);
    now[k].arc[0] = 0.2005;
    now[k].feature = (uint32_t)(1 - k);
    now[k].point.z = 0.01 * k + 0.001;
  }
  match(before, 2, now, 2);
  assert_near(now[0].impulse.x, 1.0, 0.0);
  assert_near(now[1].impulse.x, 2.0, 0.0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_contact_goes_on_from_piece_to_piece),
      cmocka_unit_test(another_pair_of_fibres_or_a_far_place_is_another_contact),
      cmocka_unit_test(those_that_are_nearest_to_each_other_come_first),
      cmocka_unit_test(sliding_contacts_of_many_fibres_all_keep_their_own),
      cmocka_unit_test(each_impulse_is_used_once_and_only_within_the_span),
      cmocka_unit_test(on_an_obstacle_the_place_tells_contacts_apart),
  };
  return cmocka_run_group_tests_name("contact/track-fibres", tests, NULL, NULL);
}
