// A live simulation that cannot be held: every allocation of ours fails once, alone or with all that follow.
#include "failing_memory.h"
#include "server/live_hand.h"

enum { ATTEMPTS = 3000 };

static void what_cannot_be_held_is_refused(void** state) {
  (void)state;
  int number = 0, refused = 0;
  for (allocation_failed = true; allocation_failed; ++number) {
    assert_true(number < ATTEMPTS);
    CpsLive* live = NULL;
    CpsError error = {""};
    fail_allocation(number);
    CpsStatus status = cps_live_create(SOURCE_DIR "/scenes/tie.yaml", NULL, 0, 0, NULL, NULL, &live, &error);
    stop_failing();
    if (status == CPS_OK) {
      cps_live_destroy(live);
    } else {
      refused++;
      assert_int_equal(status, CPS_NO_MEMORY);
      assert_null(live);
      assert_true(strlen(error.text) > 5);
    }
  }
  assert_true(refused > 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(what_cannot_be_held_is_refused, fail_one),
      cmocka_unit_test_setup(what_cannot_be_held_is_refused, fail_the_rest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
