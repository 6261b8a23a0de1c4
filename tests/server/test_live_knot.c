// A knot by hands alone: tied in an open rope, pulled tight, let go. With friction it holds, without it opens.
// labels: release whole
#include "server/live_hand.h"

// How the end of the rope goes. The rope lies along x from -0.5 m to 0.5 m and is held at three places.
typedef struct Way {
  CpsVec3 to;
  double seconds;
} Way;

static const Way TIE[] = {
    {{0.35, 0.25, 0.04}, 0.6},     // back in an arc,
    {{0.05, 0.25, 0.04}, 0.6},     //
    {{-0.10, 0.10, 0.04}, 0.4},    //
    {{-0.10, -0.08, 0.04}, 0.4},   // over the rope,
    {{-0.06, -0.08, -0.05}, 0.4},  // down,
    {{0.00, -0.03, -0.05}, 0.3},   // back below it,
    {{0.055, 0.035, -0.05}, 0.4},  // under the loop,
    {{0.06, 0.04, 0.09}, 0.6},     // up through it,
    {{0.10, 0.30, 0.09}, 0.8},     // and out over its other side
};
static const Way PULL[] = {{{0.30, 0.30, 0.05}, 0.5}, {{0.60, 0.10, 0.00}, 0.8}, {{0.80, 0.00, 0.00}, 0.5}};
enum { STEPS = 10 };  // between two movements of a hand, of 1 ms each

static double between_ends(const CpsLive* live, const CpsFrame* frame) {
  return distance(frame->points[0], frame->points[cps_live_things(live)->point_count - 1]);
}

static void grab(CpsLive* live, uint64_t client, double s) {
  CpsLiveOrder order = {.what = CPS_LIVE_GRAB_FIBRE, .client = client, .value = s, .target = {s - 0.5, 0, 0}};
  give(live, order);
}

static void release(CpsLive* live, uint64_t client) {
  give(live, (CpsLiveOrder){.what = CPS_LIVE_RELEASE, .client = client});
}

// The hand of client 1 goes its ways; the distance of the ends of the rope afterwards.
static double go(CpsLive* live, CpsVec3* from, const Way* ways, int count, CpsLiveStatus* status) {
  double ends = 0.0;
  for (int k = 0; k < count; ++k) {
    int pieces = (int)(ways[k].seconds * 1000.0 / STEPS);
    CpsVec3 to = ways[k].to;
    for (int i = 1; i <= pieces; ++i) {
      double f = (double)i / pieces;
      CpsVec3 at = {from->x + f * (to.x - from->x), from->y + f * (to.y - from->y), from->z + f * (to.z - from->z)};
      give(live, (CpsLiveOrder){.what = CPS_LIVE_DRAG, .client = 1, .target = at});
      ends = between_ends(live, make_steps(live, status->step, STEPS, status));
    }
    *from = to;
  }
  return ends;
}

static void a_knot_is_tied_tightened_and_holds(void** state) {
  (void)state;
  CpsLive* live = open_live(SOURCE_DIR "/scenes/tie.yaml", NULL, 0);
  CpsLiveStatus status = {0};
  CpsVec3 hand = {0.5, 0.0, 0.0};
  grab(live, 1, 1.0);
  grab(live, 2, 0.0);
  grab(live, 3, 0.4);
  grab(live, 4, 0.6);
  (void)go(live, &hand, TIE, sizeof TIE / sizeof TIE[0], &status);
  release(live, 3);
  release(live, 4);
  double tight = go(live, &hand, PULL, sizeof PULL / sizeof PULL[0], &status);
  // a rope without a knot would be straight; a tight trefoil takes up about ten diameters
  assert_int_equal(status.crossings, 0);
  double diameter = 0.008;
  assert_true(1.0 - tight > 8.0 * diameter);
  assert_true(1.0 - tight < 20.0 * diameter);
  double force = distance(status.hands[0].force, (CpsVec3){0, 0, 0});
  assert_true(force > 10.0 && force < 30.0);
  release(live, 1);
  release(live, 2);
  double relaxed = between_ends(live, make_steps(live, status.step, 300, &status));
  double held = between_ends(live, make_steps(live, status.step, 300, &status));
  assert_int_equal(status.hand_count, 0);
  double later = between_ends(live, make_steps(live, status.step, 900, &status));
  give(live, (CpsLiveOrder){.what = CPS_LIVE_SET_MU, .value = 0.0});
  double open = between_ends(live, make_steps(live, status.step, 900, &status));
  // The rope is stiff: a tight knot springs open when its ends are let go. Then oil lets its tails straighten, slowly: drag times
  // length^4 over stiffness is 5000 s for 0.4 m, and the ends move by millimetres. What friction does is what changes when it is taken
  // away. A loop of length l turns by 2 pi at least, so that its energy is at least 2 pi^2 B / l (Cauchy and Schwarz), and it draws the
  // ends together with 2 pi^2 B / l^2 = 19 mN. In oil speeds go with forces: friction carries four fifths of that, or more.
  print_message("ends %.1f mm apart when tight, %.1f when let go, %.1f and %.1f later, %.1f without friction\n",
                1e3 * tight, 1e3 * relaxed, 1e3 * held, 1e3 * later, 1e3 * open);
  assert_true(1.0 - relaxed > 1.0 - tight);
  assert_below(1.0 - held, 20.0 * diameter);
  assert_below(relaxed - held, 0.004);
  assert_below(held - later, 0.2 * (later - open));
  cps_live_destroy(live);
}

// One mouse: nothing holds the rope but oil. What was tied is pulled apart with two hands to see that it is a knot.
static void one_hand_ties_it_too(void** state) {
  (void)state;
  if (!run_whole()) skip();  // 6 s; two hands tie it above
  CpsLive* live = open_live(SOURCE_DIR "/scenes/tie.yaml", NULL, 0);
  CpsLiveStatus status = {0};
  CpsVec3 hand = {0.5, 0.0, 0.0};
  grab(live, 1, 1.0);
  (void)go(live, &hand, TIE, sizeof TIE / sizeof TIE[0], &status);
  CpsVec3 root = make_steps(live, status.step, 1, &status)->points[0];
  give(live, (CpsLiveOrder){.what = CPS_LIVE_GRAB_FIBRE, .client = 2, .target = root});
  double tight = go(live, &hand, PULL, sizeof PULL / sizeof PULL[0], &status);
  assert_int_equal(status.crossings, 0);
  assert_true(distance(status.hands[0].force, (CpsVec3){0, 0, 0}) > 10.0);  // it is taut
  assert_true(1.0 - tight > 8.0 * 0.008);                                   // and yet shorter by a knot
  cps_live_destroy(live);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_knot_is_tied_tightened_and_holds),
      cmocka_unit_test(one_hand_ties_it_too),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
