// labels: threads
// The pen and the scissors of a live simulation, without sockets: what is drawn stands as it was drawn, and what is cut is shorter.
#include "io/scratch.h"
#include "server/live_hand.h"

#include "base/atomic_file.h"
#include "server/pen.h"

#include <stdio.h>

static const char SCENE[] =
    "obstacles: {ball: {sphere: {radius: 5 cm}}}\n"
    "fibres: {hair: {elements: 6, length: 0.2, position: [0, 0.3, 0], root: clamped, natural: equilibrium, radius: 1 "
    "mm}}\n"
    "time: {step: 2 ms, end: 1 s}\n";

// A cat's tail that leaves the ball.
static CpsVec3 tail_at(int i, int count) {
  const double t = (double)i / (count - 1);
  return (CpsVec3){0.05 + 0.22 * t + 0.05 * sin(3.14159 * t), 0.02 * sin(6.28318 * t), -0.08 * sin(4.71239 * t) * t};
}

static CpsLive* open_scene(void) {
  const char* path = scratch_path("pen.yaml");
  CpsError error;
  if (cps_file_replace(path, SCENE, strlen(SCENE), &error) != CPS_OK) fail_msg("%s", error.text);
  return open_live(path, NULL, 0);
}

static void draw_point(CpsLive* live, int64_t curve, int64_t k, CpsVec3 point) {
  give(live, (CpsLiveOrder){.what = CPS_LIVE_DRAW, .client = 1, .index = curve, .vertex = k, .target = point});
}

// What pages are told about a curve once it has so many points.
static char* told(CpsLive* live, int32_t curve, const char* has) {
  for (double began = cps_clock_wall(); cps_clock_wall() - began < 60.0; pause_for(1e-3)) {
    CpsBuffer out = {0};
    if (!cps_live_curve(live, curve, true, &out)) continue;
    char* text = malloc(out.size + 1);
    memcpy(text, out.bytes, out.size);
    text[out.size] = '\0';
    cps_buffer_free(&out);
    if (strstr(text, has)) return text;
    free(text);
  }
  fail_msg("no curve with %s in a minute", has);
  return NULL;
}

static double number_of(const char* text, const char* name) {
  const char* at = strstr(text, name);
  assert_non_null(at);
  return strtod(at + strlen(name), NULL);
}

static const CpsFrame* wait_for_scene(CpsLive* live, uint64_t serial, CpsLiveStatus* status) {
  for (double began = cps_clock_wall(); cps_clock_wall() - began < 60.0; pause_for(5e-4)) {
    const CpsFrame* frame = cps_live_take(live, status);
    if (frame && cps_live_serial(live) == serial) return frame;
  }
  fail_msg("no such scene in a minute");
  return NULL;
}

static void draw_tail(CpsLive* live, int64_t curve, int points) {
  for (int i = 0; i < points; ++i) draw_point(live, curve, i, tail_at(i, points));
}

// Drawn point by point, let go, tugged at, and drawn again (figure 4.4 of the habilitation of Bertails-Descoubes 2017).
static void the_drawing_stands_when_let_go(void** state) {
  (void)state;
  enum { POINTS = 8 };
  CpsLive* live = open_scene();
  CpsLiveStatus status;
  look_until(live, has_made, 0, &status);
  assert_int_equal(cps_live_things(live)->fibre_count, 1);
  give(live, (CpsLiveOrder){.what = CPS_LIVE_LET_GO});
  assert_non_null(strstr(wait_for_event(live, CPS_LIVE_ERROR).text, "draw something"));
  draw_tail(live, 0, POINTS);
  char* text = told(live, 0, "\"elements\":14");
  const double length = number_of(text, "\"length\":"), least = number_of(text, "\"least\":");
  assert_near(length, 0.3, 0.1);
  assert_true(least > 0.0 && least <= 0.5 + 1e-9);  // twice as stiff as it must be, or stiffer
  free(text);

  give(live, (CpsLiveOrder){.what = CPS_LIVE_LET_GO});
  give(live, (CpsLiveOrder){.what = CPS_LIVE_PAUSE});
  const CpsFrame* frame = wait_for_scene(live, 2, &status);
  const CpsThings* things = cps_live_things(live);
  assert_int_equal(things->fibre_count, 2);
  assert_string_equal(things->fibre_names[1], "drawn-1");
  const int64_t first = things->lines[1].first, tip = first + things->lines[1].count - 1;
  const CpsVec3 root = frame->points[first], drawn = frame->points[tip], end = tail_at(POINTS - 1, POINTS);
  assert_near(distance(root, (CpsVec3){0.05, 0.0, 0.0}), 0.0, 1e-9);
  assert_true(distance(drawn, end) < 0.02 * length);  // floating tangents move joints a little
  frame = make_steps(live, status.step, SANITIZED ? 50 : 500, &status);
  assert_true(distance(frame->points[tip], drawn) < 1e-9 * length);

  give(live, (CpsLiveOrder){
                 .what = CPS_LIVE_GRAB_FIBRE, .client = 1, .index = 1, .value = length, .target = {0.3, 0.1, 0.1}});
  frame = make_steps(live, status.step, 100, &status);
  assert_true(distance(frame->points[tip], drawn) > 0.05 * length);
  give(live, (CpsLiveOrder){.what = CPS_LIVE_RELEASE, .client = 1});
  if (!SANITIZED) {
    frame = make_steps(live, status.step, 2500, &status);
    assert_true(distance(frame->points[tip], drawn) < 1e-3 * length);
  }

  // the points can be moved again, and the fibre is gone until the next time
  draw_point(live, 0, 3, tail_at(2, POINTS));
  assert_non_null(strstr(wait_for_event(live, CPS_LIVE_ERROR).text, "select the pen"));
  give(live, (CpsLiveOrder){.what = CPS_LIVE_TAKE_PEN});
  wait_for_scene(live, 3, &status);
  assert_int_equal(cps_live_things(live)->fibre_count, 1);
  assert_true(!status.running && status.time == 0.0);
  CpsVec3 aside = tail_at(POINTS - 1, POINTS);
  aside.y += 0.05;
  draw_point(live, 0, POINTS - 1, aside);
  give(live, (CpsLiveOrder){.what = CPS_LIVE_LET_GO});
  give(live, (CpsLiveOrder){.what = CPS_LIVE_PAUSE});
  frame = wait_for_scene(live, 4, &status);
  assert_true(distance(frame->points[cps_live_things(live)->point_count - 1], aside) < 0.03 * length);
  cps_live_destroy(live);
}

// Below the least stiffness the pen says so, and the rod falls.
static void the_bar_tells_what_holds(void** state) {
  (void)state;
  CpsLive* live = open_scene();
  // an upright line: the heavy column, 7.8373 = w L^3 / E I
  for (int i = 0; i < 5; ++i) draw_point(live, 0, i, (CpsVec3){0.0, 0.0, 0.05 + 0.1 * i});
  char* text = told(live, 0, "0,0,0.45]");
  const double young = number_of(text, "\"young\":"), least = number_of(text, "\"least\":");
  const double r = 0.01 * 0.4, load = 4.0 * 1000.0 * 9.81 * 0.4 * 0.4 * 0.4 / (r * r);
  assert_near(load / (least * young), 7.8373, 0.08);  // eight helices: 7.88
  free(text);
  give(live, (CpsLiveOrder){.what = CPS_LIVE_STIFFNESS, .index = 0, .value = 0.5 * least * young});
  for (;;) {
    text = told(live, 0, "\"least\":");
    const double now = number_of(text, "\"least\":");
    free(text);
    if (now > 1.0) {
      assert_near(now, 2.0, 1e-6);
      break;
    }
    pause_for(1e-3);
  }
  CpsLiveStatus status;
  give(live, (CpsLiveOrder){.what = CPS_LIVE_LET_GO});
  give(live, (CpsLiveOrder){.what = CPS_LIVE_PAUSE});
  const CpsFrame* frame = wait_for_scene(live, 2, &status);
  const int64_t tip = cps_live_things(live)->point_count - 1;
  give(live,
       (CpsLiveOrder){.what = CPS_LIVE_GRAB_FIBRE, .client = 1, .index = 1, .value = 0.4, .target = {0.01, 0.0, 0.45}});
  frame = make_steps(live, status.step, 20, &status);
  give(live, (CpsLiveOrder){.what = CPS_LIVE_RELEASE, .client = 1});
  frame = make_steps(live, status.step, SANITIZED ? 300 : 1000, &status);
  if (!SANITIZED) assert_true(frame->points[tip].z < 0.35);
  cps_live_destroy(live);
}

// An edit of fifty helices, stability included, is there before the next picture of a screen.
static void an_edit_takes_less_than_a_picture(void** state) {
  (void)state;
  if (SANITIZED) skip();
  enum { POINTS = 30 };
  CpsVec3 points[POINTS];
  for (int i = 0; i < POINTS; ++i) points[i] = tail_at(i, POINTS);
  static CpsPenShape shape;
  double best = INFINITY;
  for (int k = 0; k < 5; ++k) {
    CpsError error;
    points[7].y += 1e-3;
    const double began = cps_clock_cpu();
    assert_int_equal(cps_pen_shape(points, POINTS, NAN, (CpsVec3){0, 0, -9.81}, &shape, &error), CPS_OK);
    best = fmin(best, cps_clock_cpu() - began);
  }
  assert_int_equal(shape.elements, 50);
  print_message("%d helices: %.2f ms\n", (int)shape.elements, 1e3 * best);
  assert_true(best < 0.016);
}

// A fibre that is cut is shorter and springs; a reset makes it whole.
static void scissors_cut_and_a_reset_mends(void** state) {
  (void)state;
  CpsLive* live = open_scene();
  CpsLiveStatus status;
  const CpsFrame* frame = look_until(live, has_made, 0, &status);
  const int64_t tip = cps_live_things(live)->point_count - 1;
  assert_near(frame->points[tip].x, 0.2, 1e-9);
  give(live, (CpsLiveOrder){.what = CPS_LIVE_CUT, .index = 0, .value = 0.13});
  frame = make_steps(live, 0, 100, &status);
  assert_near(distance(frame->points[tip], (CpsVec3){0.0, 0.3, 0.0}), 0.13, 1e-3);
  assert_true(frame->points[tip].z > 1e-6);  // what it carried is gone
  give(live, (CpsLiveOrder){.what = CPS_LIVE_SAVE_SCENE, .client = 3});
  assert_non_null(strstr(wait_for_event(live, CPS_LIVE_ERROR).text, "trim"));
  give(live, (CpsLiveOrder){.what = CPS_LIVE_RESET});
  frame = wait_for_scene(live, 2, &status);
  assert_near(frame->points[tip].x, 0.2, 1e-9);
  assert_true(status.time == 0.0);
  const CpsLiveOrder wrong[2] = {{.what = CPS_LIVE_CUT, .index = 7, .value = 0.1}, {.what = CPS_LIVE_CUT}};
  for (int i = 0; i < 2; ++i) {
    give(live, wrong[i]);
    assert_true(strlen(wait_for_event(live, CPS_LIVE_ERROR).text) > 10);
  }
  cps_live_destroy(live);
}

// What cannot be drawn is refused in a message; erased curves make room.
static void the_pen_has_limits(void** state) {
  (void)state;
  CpsLive* live = open_scene();
  const CpsLiveOrder wrong[] = {
      {.what = CPS_LIVE_DRAW, .index = 1},
      {.what = CPS_LIVE_DRAW, .vertex = 1},
      {.what = CPS_LIVE_DRAW, .target = {1e300, 0, 0}},
      {.what = CPS_LIVE_DRAW, .target = {NAN, 0, 0}},
      {.what = CPS_LIVE_ERASE},
      {.what = CPS_LIVE_STIFFNESS, .value = 1e6},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
    give(live, wrong[i]);
    assert_true(strlen(wait_for_event(live, CPS_LIVE_ERROR).text) > 10);
  }
  draw_tail(live, 0, 4);
  draw_point(live, 0, 4, tail_at(3, 4));
  assert_non_null(strstr(wait_for_event(live, CPS_LIVE_ERROR).text, "coincide"));
  give(live, (CpsLiveOrder){.what = CPS_LIVE_STIFFNESS, .value = -1.0});
  assert_non_null(strstr(wait_for_event(live, CPS_LIVE_ERROR).text, "Young"));
  for (int i = 1; i < CPS_PEN_CURVES; ++i) draw_tail(live, i, 2);
  draw_point(live, CPS_PEN_CURVES, 0, tail_at(0, 2));
  assert_non_null(strstr(wait_for_event(live, CPS_LIVE_ERROR).text, "50"));
  assert_int_equal(cps_live_curve_count(live), CPS_PEN_CURVES);
  for (int i = 0; i < CPS_PEN_CURVES; ++i) give(live, (CpsLiveOrder){.what = CPS_LIVE_ERASE});
  free(told(live, 0, "\"count\":0"));
  cps_live_destroy(live);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_drawing_stands_when_let_go),
      cmocka_unit_test(the_bar_tells_what_holds),
      cmocka_unit_test(an_edit_takes_less_than_a_picture),
      cmocka_unit_test(scissors_cut_and_a_reset_mends),
      cmocka_unit_test(the_pen_has_limits),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
