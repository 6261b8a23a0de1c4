// Writing, reading and resuming results with allocations of ours failing, alone or with all that follow.
// (Allocations inside libhdf5 are its own affair: it is a shared library and does not come through here.)
#include "failing_memory.h"

#include <sys/stat.h>

#include "io/result/runs.h"

enum { ATTEMPTS = 3000, FRAMES = 3 };

static char path[192];

// Each frame is flushed to the disk once, which is slow on real ones.
static int set_up(void** state) {
  struct stat facts;
  if (stat("/dev/shm", &facts) == 0 && chdir("/dev/shm") != 0) return -1;
  int made = make_scratch(state);
  snprintf(path, sizeof path, "%s", scratch_path("r.h5"));
  return made;
}

// The first are tried all; then, in the hundreds of equal pieces of metadata, one in `stride`.
static int next(int number, int stride) {
  return number < 40 ? number + 1 : number + stride;
}

static void assert_frames(int64_t least) {
  CpsResult* result = NULL;
  CpsError error;
  assert_ok(cps_result_open(path, &result, &error), error);
  assert_true(cps_result_info(result).frames >= least);
  cps_result_destroy(result);
  assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
}

static CpsStatus refuse_or_make_step(Run* run) {
  CpsStepInfo info;
  assert_true(cps_world_step(run->world, &info, &run->error) >= 0);
  return cps_result_add_step(run->writer, run->world, &info, &run->error);
}

static void a_frame_that_fails_leaves_the_frames_before(void** state) {
  (void)state;
  int refused = 0;
  allocation_failed = true;
  for (int number = 0; allocation_failed; number = next(number, SANITIZED ? 29 : 7)) {
    assert_true(number < ATTEMPTS);
    Run run;
    make_run(&run);
    remove(path);
    fail_allocation(number);
    CpsStatus status = cps_result_create(path, run.scene, &run.writer, &run.error);
    int64_t safe = 0;
    while (status == CPS_OK && safe < FRAMES) {
      status = cps_result_write(run.writer, run.world, NULL, &run.totals, &run.error);
      if (status != CPS_OK) break;
      safe++;
      int left = allocations_left;
      stop_failing();
      status = refuse_or_make_step(&run);  // the step itself is not what is tested
      allocations_left = left;
    }
    stop_failing();
    cps_result_close(run.writer);
    assert_true(status == CPS_OK || status == CPS_NO_MEMORY);
    assert_true(status == CPS_OK || strstr(run.error.text, "memory"));
    refused += status != CPS_OK;
    if (safe > 0) assert_frames(safe);
    free_run(&run);
  }
  assert_true(refused > 50);
}

static void a_result_that_cannot_be_opened_gives_nothing(void** state) {
  (void)state;
  make_result(path, FRAMES);
  Run run;
  make_run(&run);
  int refused = 0;
  allocation_failed = true;
  for (int number = 0; allocation_failed; ++number) {
    assert_true(number < ATTEMPTS);
    CpsResult* result = NULL;
    CpsPose poses[4];
    uint64_t before = cps_world_hash(run.world);
    fail_allocation(number);
    CpsStatus status = cps_result_open(path, &result, &run.error);
    if (status == CPS_OK) status = cps_result_frame_poses(result, 1, poses, &run.error);
    if (status == CPS_OK) status = cps_result_load_frame(result, 0, run.world, &run.error);
    stop_failing();
    // a text that could not be read is taken for a damaged one
    assert_true(status == CPS_OK || status == CPS_NO_MEMORY || status == CPS_BAD_FORMAT);
    refused += status != CPS_OK;
    assert_true(cps_world_hash(run.world) == before);
    cps_result_destroy(result);
    assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
  }
  assert_true(refused > 5);
  free_run(&run);
}

static void a_resume_that_fails_leaves_the_result(void** state) {
  (void)state;
  make_result(path, FRAMES);
  int refused = 0;
  allocation_failed = true;
  for (int number = 0; allocation_failed; ++number) {
    assert_true(number < ATTEMPTS);
    Run run;
    make_run(&run);
    fail_allocation(number);
    CpsStatus status = cps_result_resume(path, run.scene, run.world, &run.totals, &run.writer, &run.error);
    stop_failing();
    assert_true(status == CPS_OK || status == CPS_NO_MEMORY || status == CPS_BAD_FORMAT);
    refused += status != CPS_OK;
    if (status != CPS_OK) assert_null(run.writer);
    cps_result_close(run.writer);
    free_run(&run);
    assert_frames(FRAMES);
  }
  assert_true(refused > 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(a_frame_that_fails_leaves_the_frames_before, fail_one),
      cmocka_unit_test_setup(a_frame_that_fails_leaves_the_frames_before, fail_the_rest),
      cmocka_unit_test_setup(a_result_that_cannot_be_opened_gives_nothing, fail_one),
      cmocka_unit_test_setup(a_result_that_cannot_be_opened_gives_nothing, fail_the_rest),
      cmocka_unit_test_setup(a_resume_that_fails_leaves_the_result, fail_one),
      cmocka_unit_test_setup(a_resume_that_fails_leaves_the_result, fail_the_rest),
  };
  return cmocka_run_group_tests(tests, set_up, remove_scratch);
}
