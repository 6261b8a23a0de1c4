// Readers beside a writer, and a few kills; test_kills.c makes many.
#include "io/result/kills.h"

static void a_killed_run_leaves_a_result_that_opens_and_goes_on(void** state) {
  (void)state;
  Kills kills = {.random = cps_random_seed(3)};
  measure_a_whole_run(&kills);
  // on a busy machine a child may end before it is killed, or be killed before it has written anything
  for (int i = 0; i < 5 && (i == 0 || kills.kills < 2 || kills.seen < 2); ++i) {
    kill_writers(&kills, 3);
    kill_commands(&kills, 2);
  }
  assert_true(kills.kills >= 2 && kills.seen >= 2);
  check_the_copies(&kills);
}

// The writer works at full speed in a child, the reader opens and reads all the time. Returns how often it did.
static int read_beside_a_writer(void) {
  char path[192];
  snprintf(path, sizeof path, "%s", scratch_path("growing.h5"));
  remove(path);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    _Atomic int64_t promised = 0;
    write_to_the_end(path, false, &promised);
    _exit(0);
  }
  wait_for(path);
  Run run;
  make_run(&run);
  int64_t before = 0;
  int looks = 0, status = 0;
  for (; waitpid(child, &status, WNOHANG) == 0; ++looks) {
    CpsResult* result = NULL;
    CpsPose poses[4];
    static double time[KILL_FRAMES * STEPS_PER_FRAME];
    assert_ok(cps_result_open(path, &result, &run.error), run.error);
    CpsResultInfo info = cps_result_info(result);
    assert_true(info.frames >= before && info.frames <= KILL_FRAMES);
    assert_int_equal(info.steps, (info.frames - 1) * STEPS_PER_FRAME);
    assert_ok(cps_result_frame_poses(result, info.frames - 1, poses, &run.error), run.error);
    assert_ok(cps_result_series(result, "time", time, &run.error), run.error);
    assert_ok(cps_result_load_frame(result, info.frames - 1, run.world, &run.error), run.error);
    assert_true(cps_world_hash(run.world) == info.hash);
    before = info.frames;
    cps_result_destroy(result);
  }
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  free_run(&run);
  return looks;
}

static void a_result_can_be_read_while_it_grows(void** state) {
  (void)state;
  int looks = 0;
  for (int i = 0; i < 5 && looks < 2; ++i)
    looks = read_beside_a_writer();  // a busy machine may let the writer end first
  assert_true(looks > 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_result_can_be_read_while_it_grows),
                                     cmocka_unit_test(a_killed_run_leaves_a_result_that_opens_and_goes_on)};
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
