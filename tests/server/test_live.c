// labels: threads
// A live simulation without sockets: hands, sliders, reset, saving, looking.
#include "io/scratch.h"
#include "server/live_hand.h"

#include "base/atomic_file.h"
#include "capstan/capstan.h"
#include "capstan/fclib.h"

#include <sys/stat.h>

static const char ROPE[] =
    "fibres: {rope: {model: der-inextensible, elements: 20, length: 0.4, radius: 2 mm, line_density: 0.05, direction: "
    "[0, 0, -1],\n"
    "  bending: 1e-5, twisting: 1e-5, drag: 0.05, root: clamped}}\n"
    "obstacles: {floor: {plane: {}, position: [0, 0, -2]}}\n"
    "time: {step: 1 ms, end: 1 s}\n";
static const char BODIES[] =
    "bodies: {box: {box: {size: [0.2, 0.1, 0.1]}, position: [0, 0, 0.05]}, ball: {sphere: {radius: 0.05}, position: "
    "[1, 0, 0.05]}}\n"
    "obstacles: {floor: {plane: {}}}\n";

static const char* write_scene(const char* name, const char* text) {
  const char* path = scratch_path(name);
  CpsError error;
  if (cps_file_replace(path, text, strlen(text), &error) != CPS_OK) fail_msg("%s", error.text);
  return path;
}

// The tip of a rope goes where the hand goes, a little below by its weight, and the hand feels a part of that weight.
static void the_tip_of_a_rope_follows_the_hand(void** state) {
  (void)state;
  if (UNDER_TSAN) skip();  // the thread is that of the other tests
  CpsLive* live = open_live(write_scene("rope.yaml", ROPE), NULL, 0);
  CpsLiveStatus status;
  const CpsFrame* frame = look_until(live, has_made, 0, &status);
  const CpsThings* things = cps_live_things(live);
  assert_int_equal(things->line_count, 1);
  int64_t tip = things->point_count - 1;
  assert_near(frame->points[tip].z, -0.4, 1e-9);
  CpsVec3 target = {0.25, 0.0, -0.15};
  give(live, (CpsLiveOrder){.what = CPS_LIVE_GRAB_FIBRE, .client = 7, .value = 0.4, .target = {0, 0, -0.4}});
  for (int i = 1; i <= 100; ++i) {
    CpsVec3 on_the_way = {target.x * i / 100.0, 0.0, -0.4 + 0.25 * i / 100.0};
    give(live, (CpsLiveOrder){.what = CPS_LIVE_DRAG, .client = 7, .target = on_the_way});
    make_steps(live, status.step, 5, &status);
  }
  frame = make_steps(live, status.step, 500, &status);
  assert_int_equal(status.hand_count, 1);
  assert_int_equal(status.hands[0].client, 7);
  // the rope weighs 0.2 N, the spring has 0.02 kg * 900 / s^2: at most 11 mm
  assert_below(distance(frame->points[tip], target), 0.011);
  assert_near(distance(frame->points[tip], status.hands[0].point), 0.0, 1e-9);
  CpsVec3 F = status.hands[0].force;
  assert_true(F.z > 0.02 && F.z < 0.2);
  // (1) of live_hands.c; the rope still swings a little
  assert_near(F.z, 0.02 * 900.0 * (target.z - status.hands[0].point.z), 0.01);
  give(live, (CpsLiveOrder){.what = CPS_LIVE_RELEASE, .client = 7});
  frame = make_steps(live, status.step, 800, &status);
  assert_int_equal(status.hand_count, 0);
  assert_true(frame->points[tip].z < -0.25);  // it hangs again, or swings
  cps_live_destroy(live);
}

// Two hands lift two things; one lets go and its thing falls.
static void two_hands_pull_at_once(void** state) {
  (void)state;
  CpsLive* live = open_live(write_scene("bodies.yaml", BODIES), NULL, 0);
  CpsLiveStatus status;
  CpsLiveOrder grab = {
      .what = CPS_LIVE_GRAB_BODY, .client = 1, .index = 0, .vector = {0.1, 0, 0}, .target = {0.1, 0, 0.5}};
  give(live, grab);
  give(live, (CpsLiveOrder){.what = CPS_LIVE_GRAB_BODY, .client = 2, .index = 1, .target = {1, 0, 0.4}});
  const CpsFrame* frame = make_steps(live, 0, 800, &status);
  assert_int_equal(status.hand_count, 2);
  // twice the radius of gyration of the ball, sqrt(3/5) r, is 7.7 cm: it hangs a twentieth of that below the hand
  assert_near(frame->bodies[1].position.z, 0.4 - 2.0 * sqrt(0.6) * 0.05 / 20.0, 1e-6);
  double weight = 1000.0 * 4.0 / 3.0 * 3.14159265 * 0.05 * 0.05 * 0.05 * 9.81;
  assert_near(status.hands[1].force.z, weight, 0.01 * weight);
  assert_near(status.hands[0].point.z, 0.5, 0.02);
  give(live, (CpsLiveOrder){.what = CPS_LIVE_RELEASE, .client = 2});
  frame = make_steps(live, 800, 600, &status);
  assert_int_equal(status.hand_count, 1);
  assert_near(frame->bodies[1].position.z, 0.05, 1e-4);
  assert_near(status.hands[0].point.z, 0.5, 0.02);
  cps_live_destroy(live);
}

// How high and how far the ball of the double loop came.
static double run_loop(CpsLive* live, double mu) {
  CpsLiveStatus status;
  reset(live, mu);
  return make_steps(live, 0, 3600, &status)->bodies[0].position.x;
}

// The slider of the double loop: the friction of the scene carries the ball through both loops, without it comes back.
static void friction_decides_how_far_the_ball_goes(void** state) {
  (void)state;
  if (UNDER_TSAN) skip();  // the thread is that of the other tests
  CpsLive* live = open_live(SOURCE_DIR "/scenes/loop.yaml", NULL, 0);
  double loops = 0.1 * 4.0 * 3.14159265;  // where the second loop ends
  assert_true(run_loop(live, NAN) > loops);
  assert_true(run_loop(live, 0.05) < 0.0);
  cps_live_destroy(live);
}

static uint64_t hash_of(CpsLive* live, int64_t from, int steps, CpsVec3* where) {
  CpsLiveStatus status;
  const CpsFrame* frame = make_steps(live, from, steps, &status);
  assert_true(status.step == from + steps);
  *where = frame->bodies[0].position;
  uint64_t hash = 0;
  for (int32_t i = 0; i < cps_live_things(live)->body_count; ++i) {
    uint64_t bits;
    memcpy(&bits, &frame->bodies[i].position.x, sizeof bits);
    hash = hash * 31 + bits;
    memcpy(&bits, &frame->bodies[i].rotation.x, sizeof bits);
    hash = hash * 31 + bits;
  }
  return hash;
}

// After a reset everything is as at the start, to the bit, whatever was pulled in between.
static void a_reset_is_a_fresh_start(void** state) {
  (void)state;
  const char* path = SOURCE_DIR "/scenes/tower.yaml";
  CpsScene* scene = NULL;
  CpsWorld* world = NULL;
  assert_int_equal(cps_scene_load(path, NULL, 0, &scene, NULL), CPS_OK);
  assert_int_equal(cps_scene_build(scene, 0, &world, NULL), CPS_OK);
  for (int i = 0; i < 40; ++i) assert_true(cps_world_step(world, NULL, NULL) >= 0);
  CpsLive* live = open_live(path, NULL, 0);
  CpsVec3 where[2];
  uint64_t first = hash_of(live, 0, 40, &where[0]);
  CpsBodyState body;
  assert_int_equal(cps_world_body_state(world, cps_world_body(world, 0), &body), CPS_OK);
  assert_memory_equal(&body.pose.position, &where[0], sizeof where[0]);
  give(live, (CpsLiveOrder){.what = CPS_LIVE_GRAB_BODY, .client = 3, .target = {1, 1, 1}});
  CpsLiveStatus status;
  make_steps(live, 40, 20, &status);
  assert_int_equal(status.hand_count, 1);
  reset(live, NAN);
  uint64_t second = hash_of(live, 0, 40, &where[1]);
  assert_true(first == second);
  cps_live_destroy(live);
  cps_world_destroy(world);
  cps_scene_destroy(scene);
}

// The wheel on the plectoneme: six radians at the nearer clamp are twelve radians per metre of twist.
static void a_turned_end_twists_the_rod(void** state) {
  (void)state;
  if (UNDER_TSAN) skip();  // the thread is that of the other tests
  const char* const sets[] = {"turns=0", "nearer=0"};
  CpsLive* live = open_live(SOURCE_DIR "/scenes/plectoneme.yaml", sets, 2);
  CpsLiveStatus status;
  give(live, (CpsLiveOrder){.what = CPS_LIVE_GRAB_FIBRE, .client = 1, .value = 0.4, .target = {0.4, 0, 0}});
  make_steps(live, 0, 10, &status);
  assert_below(status.elastic, 1e-4);
  for (int i = 0; i < 12; ++i) give(live, (CpsLiveOrder){.what = CPS_LIVE_TWIST, .client = 1, .value = 0.5});
  make_steps(live, 10, 700, &status);
  // (twisting) twist^2 length / 2, and a trace from the natural curvature
  assert_near(status.elastic, 0.5 * (1e-4 * 2.0 / 3.0) * 12.0 * 12.0 * 0.5, 1e-4);
  expect_error(live, (CpsLiveOrder){.what = CPS_LIVE_TWIST, .client = 9, .value = 1.0},
               "the hand holds no fibre to twist");
  cps_live_destroy(live);
}

// A held end that is dragged goes there itself.
static void a_held_end_goes_with_the_hand(void** state) {
  (void)state;
  if (UNDER_TSAN) skip();  // the thread is that of the other tests
  CpsLive* live = open_live(write_scene("rope.yaml", ROPE), NULL, 0);
  CpsLiveStatus status;
  give(live, (CpsLiveOrder){.what = CPS_LIVE_GRAB_FIBRE, .client = 1, .value = 0.001, .target = {0, 0, 0}});
  give(live, (CpsLiveOrder){.what = CPS_LIVE_DRAG, .client = 1, .target = {0.1, 0, 0}});
  const CpsFrame* frame = make_steps(live, 0, 600, &status);
  assert_near(frame->points[0].x, 0.1, 1e-5);  // e^(-30 * 0.6) (1 + 30 * 0.6) of the way is left
  assert_near(status.hands[0].force.x, 0.0, 0.0);
  expect_error(live, (CpsLiveOrder){.what = CPS_LIVE_GRAB_FIBRE, .client = 1, .value = 0.9},
               "the fibre has no point at 0.9 m; it is 0.4 m long");
  cps_live_destroy(live);
}

// Hair stays in the head.
static void what_an_obstacle_carries_stays_with_it(void** state) {
  (void)state;
  CpsLive* live = open_live(write_scene("carried.yaml",
                                        "obstacles: {head: {sphere: {radius: 0.1}, position: [0, 0, 0.2]}}\n"
                                        "fibres: {hair: {length: 0.2, contact_start: 0.02, position: [0.1, 0, 0.2],\n"
                                        "  root: {kind: clamped, on: head}}}\n"),
                            NULL, 0);
  CpsLiveStatus status;
  give(live, (CpsLiveOrder){.what = CPS_LIVE_GRAB_FIBRE, .client = 1, .value = 0.0, .target = {0.3, 0, 0.2}});
  const CpsFrame* frame = make_steps(live, 0, 50, &status);
  assert_near(frame->points[0].x, 0.1, 1e-12);
  expect_error(live, (CpsLiveOrder){.what = CPS_LIVE_TWIST, .client = 1, .value = 1.0},
               "neither end of this fibre is clamped on its own, so there is nothing to turn");
  cps_live_destroy(live);
}

static void sliders_have_limits(void** state) {
  (void)state;
  CpsLive* live = open_live(write_scene("rope.yaml", ROPE), NULL, 0);
  expect_error(live, (CpsLiveOrder){.what = CPS_LIVE_SET_STEP, .client = 4, .value = 0.0},
               "the step is 0; it must be between 1e-07 and 0.1");
  expect_error(live, (CpsLiveOrder){.what = CPS_LIVE_SET_MU, .client = 5, .value = -1.0},
               "the friction is -1; it must be between 0 and 100");
  expect_error(live, (CpsLiveOrder){.what = CPS_LIVE_SET_TOLERANCE, .value = NAN},
               "the tolerance is nan; it must be between 1e-14 and 0.1");
  expect_error(live, (CpsLiveOrder){.what = CPS_LIVE_SET_METHOD, .text = "magic"}, "unknown method 'magic'");
  expect_error(live, (CpsLiveOrder){.what = CPS_LIVE_SET_GRAVITY, .vector = {0, 0, INFINITY}},
               "a component of gravity is inf; it must be between -10000 and 10000");
  expect_error(live, (CpsLiveOrder){.what = CPS_LIVE_GRAB_BODY, .client = 1, .index = 0}, "body 0 does not exist");
  expect_error(live, (CpsLiveOrder){.what = CPS_LIVE_DRAG, .client = 1}, "the hand holds nothing to drag");
  expect_error(live, (CpsLiveOrder){.what = CPS_LIVE_SAVE_PROBLEM},
               "the last step had no contacts, so there is no problem to save");
  give(live, (CpsLiveOrder){.what = CPS_LIVE_SET_STEP, .value = 2e-3});
  give(live, (CpsLiveOrder){.what = CPS_LIVE_SET_METHOD, .text = "newton-ac"});
  give(live, (CpsLiveOrder){.what = CPS_LIVE_SET_GRAVITY, .vector = {1, 2, 3}});
  for (int i = 0; i < 3; ++i) (void)wait_for_event(live, CPS_LIVE_SETTINGS);
  CpsLiveSettings s = cps_live_settings(live);
  assert_true(s.step == 2e-3 && s.gravity.z == 3.0 && strcmp(s.method, "newton-ac") == 0 && isnan(s.mu));
  CpsLiveStatus status;
  make_steps(live, 0, 3, &status);
  assert_near(status.time, 6e-3, 1e-15);
  assert_true(status.dt == 2e-3);
  cps_live_destroy(live);
}

// What is saved never takes an old name, and goes on as the simulation would have.
static void what_is_saved_can_be_run_again(void** state) {
  (void)state;
  const char* path = write_scene("save.yaml", BODIES);
  CpsError error;
  assert_int_equal(cps_file_replace(scratch_path("save-1.state"), "old", 3, &error), CPS_OK);
  CpsLive* live = open_live(path, NULL, 0);
  CpsLiveStatus status;
  give(live, (CpsLiveOrder){.what = CPS_LIVE_SET_MU, .value = 0.7});
  give(live, (CpsLiveOrder){.what = CPS_LIVE_SET_GRAVITY, .vector = {3, 0, -9}});
  make_steps(live, 0, 50, &status);
  give(live, (CpsLiveOrder){.what = CPS_LIVE_SAVE_SCENE, .client = 8});
  CpsLiveEvent saved = wait_for_event(live, CPS_LIVE_SAVED);
  assert_true(saved.client == 8 && !saved.problem);
  assert_non_null(strstr(saved.text, "/save-2.yaml"));  // save-1.state was there
  const CpsFrame* frame = make_steps(live, 50, 50, &status);
  CpsScene* scene = NULL;
  CpsWorld* world = NULL;
  if (cps_scene_load(saved.text, NULL, 0, &scene, &error) != CPS_OK) fail_msg("%s", error.text);
  assert_int_equal(cps_scene_build(scene, 0, &world, &error), CPS_OK);
  for (int i = 0; i < 50; ++i) assert_true(cps_world_step(world, NULL, NULL) >= 0);
  for (int32_t i = 0; i < 2; ++i) {
    CpsBodyState body;
    assert_int_equal(cps_world_body_state(world, cps_world_body(world, i), &body), CPS_OK);
    assert_memory_equal(&body.pose, &frame->bodies[i], sizeof body.pose);
  }
  cps_world_destroy(world);
  cps_scene_destroy(scene);
  give(live, (CpsLiveOrder){.what = CPS_LIVE_SAVE_PROBLEM, .client = 8});
  saved = wait_for_event(live, CPS_LIVE_SAVED);
  assert_true(saved.problem);
  assert_non_null(strstr(saved.text, "/save-1.hdf5"));
  CpsProblem* problem = NULL;
  if (cps_fclib_read(saved.text, CPS_FORM_W, &problem, NULL, &error) != CPS_OK) fail_msg("%s", error.text);
  cps_problem_destroy(problem);
  cps_live_destroy(live);
}

static bool is_past(const CpsLiveStatus* status, double time) {
  return status->time >= time;
}

static bool stands(const CpsLiveStatus* status, double unused) {
  (void)unused;
  return !status->running;
}

// Running is no faster than the clock, whether anybody looks or not.
static void running_keeps_to_the_clock(void** state) {
  (void)state;
  CpsLive* live = open_live(write_scene("bodies.yaml", BODIES), NULL, 0);
  CpsLiveStatus status;
  double began = cps_clock_wall();
  give(live, (CpsLiveOrder){.what = CPS_LIVE_RUN});
  look_until(live, is_past, 0.3, &status);
  assert_true(cps_clock_wall() - began > 0.3 - 2e-3);
  pause_for(0.3);  // nobody looks
  (void)cps_live_take(live, &status);
  look_until(live, is_past, status.time, &status);
  assert_true(status.time <= cps_clock_wall() - began + 2e-3);
  assert_below(status.pace, 1.1);
  give(live, (CpsLiveOrder){.what = CPS_LIVE_PAUSE});
  look_until(live, stands, 0.0, &status);
  double time = status.time;
  pause_for(0.05);
  assert_null(cps_live_take(live, &status));  // nothing new
  assert_true(status.time == time);
  static double times[CPS_LIVE_HISTORY], values[CPS_LIVE_HISTORY];
  int32_t count = cps_live_series(live, "kinetic", times, values);
  assert_int_equal(count, status.step);
  assert_true(times[count - 1] == time);
  assert_int_equal(cps_live_series(live, "luck", times, values), -1);
  cps_live_destroy(live);
}

// A step that fails stands still with its sentence; what is wrong with a scene is said at once.
static void failures_are_sentences(void** state) {
  (void)state;
  CpsLive* live = NULL;
  CpsError error;
  assert_int_equal(cps_live_create("nowhere.yaml", NULL, 0, 0, NULL, NULL, &live, &error), CPS_FILE_ERROR);
  assert_string_equal(error.text, "nowhere.yaml: No such file or directory");
  assert_null(live);
  // explicit forces with a step that is far too long
  live = open_live(
      write_scene("explicit.yaml",
                  "fibres: {a: {model: corde-explicit, elements: 20, length: 0.3, contact_radius: 0, root: clamped}}\n"
                  "time: {step: 10 ms}\n"),
      NULL, 0);
  CpsLiveStatus status;
  give(live, (CpsLiveOrder){.what = CPS_LIVE_RUN});
  // the first step makes energy from nothing, which is told while it runs; the second fails
  do {
    look_until(live, has_made, 0, &status);
  } while (status.running || !status.sentence[0]);
  assert_non_null(strstr(status.sentence, "became unstable"));
  cps_live_destroy(live);
}

// Without a thread nothing happens but in the turns that the caller gives; 5 steps there are the 5 steps of the world itself, bit by bit.
static void without_a_thread_steps_are_made_in_turns(void** state) {
  (void)state;
  const char* path = write_scene("turns.yaml", BODIES);
  CpsError error;
  CpsLive* live = NULL;
  assert_int_equal(cps_live_open(path, NULL, 0, 1, NULL, NULL, &live, &error), CPS_OK);
  CpsLiveStatus status;
  assert_non_null(cps_live_take(live, &status));
  for (int i = 0; i < 5; ++i) give(live, (CpsLiveOrder){.what = CPS_LIVE_STEP});
  assert_null(cps_live_take(live, &status));  // ordered, and not yet made
  assert_true(isinf(cps_live_turn(live)));
  const CpsFrame* frame = cps_live_take(live, &status);
  assert_non_null(frame);
  assert_int_equal(status.step, 5);
  CpsScene* scene = NULL;
  CpsWorld* world = NULL;
  assert_int_equal(cps_scene_load(path, NULL, 0, &scene, &error), CPS_OK);
  assert_int_equal(cps_scene_build(scene, 1, &world, &error), CPS_OK);
  for (int i = 0; i < 5; ++i) assert_int_equal(cps_world_step(world, NULL, &error), CPS_OK);
  CpsBodyState ball;
  assert_int_equal(cps_world_body_state(world, cps_world_body(world, 1), &ball), CPS_OK);
  assert_memory_equal(&frame->bodies[1], &ball.pose, sizeof ball.pose);
  cps_world_destroy(world);
  cps_scene_destroy(scene);
  // a running one says when its next step is due, at most a step from now
  give(live, (CpsLiveOrder){.what = CPS_LIVE_RUN});
  const double left = cps_live_turn(live);
  assert_true(left >= 0.0 && left <= status.dt);
  cps_live_destroy(live);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_tip_of_a_rope_follows_the_hand),
      cmocka_unit_test(two_hands_pull_at_once),
      cmocka_unit_test(friction_decides_how_far_the_ball_goes),
      cmocka_unit_test(a_reset_is_a_fresh_start),
      cmocka_unit_test(a_turned_end_twists_the_rod),
      cmocka_unit_test(a_held_end_goes_with_the_hand),
      cmocka_unit_test(what_an_obstacle_carries_stays_with_it),
      cmocka_unit_test(sliders_have_limits),
      cmocka_unit_test(what_is_saved_can_be_run_again),
      cmocka_unit_test(running_keeps_to_the_clock),
      cmocka_unit_test(failures_are_sentences),
      cmocka_unit_test(without_a_thread_steps_are_made_in_turns),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
