// A result that is served while it is written: frames that come are told and can be asked for, by those who come later
// too; a run that takes the file's place does not harm the one that is shown.
// labels: threads
#include <sys/wait.h>
#include <unistd.h>

#include "server/served.h"

static const char ball_scene[] =
    "time: {step: 10 ms, end: 1 s}\n"
    "bodies: {ball: {sphere: {radius: 0.1}, velocity: [1, 0, 0]}}\n"
    "gravity: [0, 0, 0]\n";

// A run in a process of its own, as `capstan run` is: HDF5 must not be used from two threads. It obeys letters: 'f' adds a
// frame, 'e' finishes the result and ends.
typedef struct Run {
  pid_t process;
  int orders, answers;
} Run;

static bool write_frames(const char* path, int orders, int answers) {
  CpsScene* scene = NULL;
  CpsWorld* world = NULL;
  CpsResultWriter* writer = NULL;
  CpsRunTotals totals = {0};
  bool good = cps_scene_parse(ball_scene, strlen(ball_scene), "scene.yaml", NULL, 0, &scene, NULL) == CPS_OK &&
              cps_scene_build(scene, 1, &world, NULL) == CPS_OK &&
              cps_result_create(path, scene, &writer, NULL) == CPS_OK &&
              cps_result_write(writer, world, NULL, &totals, NULL) == CPS_OK;
  CpsStepInfo info;
  for (char order = 's'; good && write(answers, &order, 1) == 1 && read(orders, &order, 1) == 1 && order == 'f';) {
    good = cps_world_step(world, &info, NULL) >= 0 && cps_result_add_step(writer, world, &info, NULL) == CPS_OK &&
           cps_result_write(writer, world, &info, &totals, NULL) == CPS_OK;
  }
  good = good && cps_result_finish(writer, NULL) == CPS_OK;
  cps_world_destroy(world);
  cps_scene_destroy(scene);
  return good;
}

// Returns when the first frame is written.
static void begin_run(Run* run, const char* path) {
  int orders[2], answers[2];
  char answer;
  assert_true(pipe(orders) == 0 && pipe(answers) == 0);
  run->process = fork();
  assert_true(run->process >= 0);
  if (run->process == 0) {
    close(orders[1]);
    close(answers[0]);
    _exit(write_frames(path, orders[0], answers[1]) ? 0 : 1);
  }
  close(orders[0]);
  close(answers[1]);
  run->orders = orders[1];
  run->answers = answers[0];
  assert_int_equal(read(run->answers, &answer, 1), 1);
}

static void add_frames(const Run* run, int count) {
  char letter = 'f';
  for (int i = 0; i < count; ++i) {
    assert_int_equal(write(run->orders, &letter, 1), 1);
    assert_int_equal(read(run->answers, &letter, 1), 1);
  }
}

static void end_run(const Run* run) {
  int status = -1;
  assert_int_equal(write(run->orders, "e", 1), 1);
  assert_int_equal(waitpid(run->process, &status, 0), run->process);
  assert_int_equal(status, 0);
  close(run->orders);
  close(run->answers);
}

static Message hear_text(int file, const char* part) {
  Message message = hear(file);
  assert_int_equal(message.kind, 1);
  if (!strstr((char*)message.bytes, part)) fail_msg("'%s' is not in %s", part, (char*)message.bytes);
  return message;
}

static void frames_that_come_are_told_and_served(void** state) {
  (void)state;
  Run run;
  Served served;
  begin_run(&run, scratch_path("grows.h5"));
  begin_serving(&served, scratch_path("grows.h5"), cps_view_options_default());
  int file = open_socket(served.port);
  hear_text(file, "\"frames\":1,\"end\":0,\"until\":1,\"finished\":false");
  add_frames(&run, 3);
  hear_text(file, "{\"type\":\"grown\",\"frames\":4,\"end\":0.03,\"until\":1,\"finished\":false}");
  say(file, "{\"type\": \"frame\", \"index\": 3}");
  Message frame = hear(file);
  assert_int_equal(frame.kind, 2);
  assert_true(f64_at(frame.bytes + 16) == 0.03);
  assert_true(f32_at(frame.bytes + 48) == (double)(float)0.03);  // the ball goes with 1 m/s
  say(file, "{\"type\": \"series\", \"name\": \"kinetic\"}");
  Message series = hear(file);
  assert_memory_equal(series.bytes, "CPSV", 4);
  assert_int_equal(u32_at(series.bytes + 16), 3);  // three steps

  int later = open_socket(served.port);  // the greeting is old, what was told is not
  hear_text(later, "\"frames\":1,");
  hear_text(later, "\"frames\":4,");
  end_run(&run);
  hear_text(file, "\"frames\":4,\"end\":0.03,\"until\":1,\"finished\":true}");
  close(later);
  close(file);
  end_serving(&served);
}

static void another_run_in_its_place_is_told_and_the_old_one_goes_on(void** state) {
  (void)state;
  char path[512], next[512];
  snprintf(path, sizeof path, "%s", scratch_path("replaced.h5"));
  snprintf(next, sizeof next, "%s", scratch_path("next.h5"));
  Served served;
  make_result(path, ball_scene, 3);
  make_result(next, ball_scene, 6);
  begin_serving(&served, path, cps_view_options_default());
  int file = open_socket(served.port);
  hear_text(file, "\"frames\":3,\"end\":0.02,\"until\":1,\"finished\":true");
  assert_int_equal(rename(next, path), 0);  // as a run does with its first frame
  hear_text(file, "replaced.h5 was replaced by another run");
  say(file, "{\"type\": \"frame\", \"index\": 2}");
  assert_int_equal(hear(file).kind, 2);
  say(file, "{\"type\": \"frame\", \"index\": 3}");
  hear_text(file, "frame 3 does not exist");
  close(file);
  end_serving(&served);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(frames_that_come_are_told_and_served),
      cmocka_unit_test(another_run_in_its_place_is_told_and_the_old_one_goes_on),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
