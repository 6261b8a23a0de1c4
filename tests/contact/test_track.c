// Contacts keep their impulses by feature, and by place where the feature is new.
#include "contact/track.h"
#include "test_helpers.h"

static CpsTrack track(uint64_t a, uint64_t b, uint32_t feature, double x, double impulse) {
  return (CpsTrack){.key_a = a, .key_b = b, .feature = feature, .point = {x, 0.0, 0.0}, .impulse = {impulse, 0.0, 0.0}};
}

static void same_feature_of_the_same_pair_keeps_its_impulse(void** state) {
  (void)state;
  CpsArena scratch = {0};
  const CpsTrack before[] = {track(1, 2, 0, 0, 1), track(1, 2, 5, 1, 2), track(1, 3, 0, 0, 3), track(4, 9, 7, 0, 4)};
  CpsTrack now[] = {track(0, 2, 0, 0, 9), track(1, 2, 0, 50, 9), track(1, 2, 5, 50, 9), track(1, 4, 0, 0, 9),
                    track(4, 9, 7, 0, 9)};
  assert_true(cps_track_match(before, 4, now, 5, 0.1, &scratch));
  const double expected[] = {0, 1, 2, 0, 4};
  for (int i = 0; i < 5; i++) assert_near(now[i].impulse.x, expected[i], 0.0);
  cps_arena_free(&scratch);
}

static void new_feature_takes_the_nearest_that_nothing_continues(void** state) {
  (void)state;
  CpsArena scratch = {0};
  const CpsTrack before[] = {track(1, 2, 0, 0.0, 1), track(1, 2, 1, 1.0, 2), track(1, 2, 2, 2.0, 3)};
  // feature 1 goes on; 7 is nearest to 1 but that is taken, so it gets 2 at distance 0.9; 8 is left with 0, too far
  CpsTrack now[] = {track(1, 2, 1, 1.0, 0), track(1, 2, 7, 1.1, 0), track(1, 2, 8, 1.2, 0)};
  assert_true(cps_track_match(before, 3, now, 3, 0.95, &scratch));
  assert_near(now[0].impulse.x, 2, 0.0);
  assert_near(now[1].impulse.x, 3, 0.0);
  assert_near(now[2].impulse.x, 0, 0.0);
  cps_arena_free(&scratch);
}

static void nothing_is_taken_from_another_pair_or_from_far_away(void** state) {
  (void)state;
  CpsArena scratch = {0};
  const CpsTrack before[] = {track(1, 2, 0, 0.0, 1), track(1, 3, 0, 0.0, 2)};
  CpsTrack now[] = {track(1, 2, 1, 0.3, 9), track(1, 4, 0, 0.0, 9), track(2, 3, 0, 0.0, 9)};
  assert_true(cps_track_match(before, 2, now, 3, 0.2, &scratch));
  for (int i = 0; i < 3; i++) assert_near(now[i].impulse.x, 0, 0.0);
  assert_true(cps_track_match(before, 0, now, 3, 0.2, &scratch));
  assert_true(cps_track_match(before, 2, now, 0, 0.2, &scratch));
  cps_arena_free(&scratch);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(same_feature_of_the_same_pair_keeps_its_impulse),
      cmocka_unit_test(new_feature_takes_the_nearest_that_nothing_continues),
      cmocka_unit_test(nothing_is_taken_from_another_pair_or_from_far_away),
  };
  return cmocka_run_group_tests_name("contact/track", tests, NULL, NULL);
}
