// Shows when memory runs out, and none taken once the largest frame was seen.
#include "failing_memory.h"

#include "capstan/frame.h"
#include "io/result/runs.h"

enum { FRAMES = 6, ATTEMPTS = 500 };

static void a_show_that_cannot_be_made_leaves_nothing(void** state) {
  (void)state;
  const char* path = scratch_path("r.h5");
  make_result(path, FRAMES);
  Run run;
  make_run(&run);
  for (int i = 0; i < 8; ++i) assert_ok(cps_world_step(run.world, NULL, &run.error), run.error);
  for (int kind = 0; kind < 2; ++kind) {
    int refused = 0;
    allocation_failed = true;
    for (int number = 0; allocation_failed; ++number) {
      assert_true(number < ATTEMPTS);
      CpsResult* result = NULL;
      CpsShow* show = NULL;
      assert_ok(cps_result_open(path, &result, &run.error), run.error);
      fail_allocation(number);
      CpsStatus status = kind == 0 ? cps_show_result(result, &show, &run.error)
                                   : cps_show_world(run.scene, run.world, &show, &run.error);
      if (status == CPS_OK) status = cps_show_read(show, FRAMES - 1, &run.error);
      stop_failing();
      // a text that could not be read is taken for a damaged one
      assert_true(status == CPS_OK || status == CPS_NO_MEMORY || status == CPS_BAD_FORMAT);
      assert_true(status == CPS_OK || run.error.text[0] != '\0');
      refused += status != CPS_OK;
      cps_show_destroy(show);
      cps_result_destroy(result);
    }
    assert_true(refused > 5);
  }
  free_run(&run);
}

static void steady_reading_takes_no_memory(void** state) {
  (void)state;
  const char* path = scratch_path("r.h5");
  make_result(path, FRAMES);
  Run run;
  make_run(&run);
  for (int i = 0; i < 8; ++i) assert_ok(cps_world_step(run.world, NULL, &run.error), run.error);
  CpsResult* result = NULL;
  CpsShow* shows[2] = {NULL, NULL};
  assert_ok(cps_result_open(path, &result, &run.error), run.error);
  assert_ok(cps_show_result(result, &shows[0], &run.error), run.error);
  assert_ok(cps_show_world(run.scene, run.world, &shows[1], &run.error), run.error);
  for (int kind = 0; kind < 2; ++kind) {
    for (int64_t i = 0; i < FRAMES; ++i) assert_ok(cps_show_read(shows[kind], i, &run.error), run.error);
    assert_true(cps_show_frame(shows[kind])->contact_count > 0);
    fail_allocation(0);
    for (int64_t i = 0; i < FRAMES; ++i) assert_ok(cps_show_read(shows[kind], i, &run.error), run.error);
    stop_failing();
    assert_false(allocation_failed);
    cps_show_destroy(shows[kind]);
  }
  cps_result_destroy(result);
  free_run(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_show_that_cannot_be_made_leaves_nothing),
      cmocka_unit_test(steady_reading_takes_no_memory),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
