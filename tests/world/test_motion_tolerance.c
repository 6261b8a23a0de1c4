// When a step counts as solved, in motion and at rest: large islands in motion have a tolerance of their own.
#include "world_helpers.h"

// Boxes on a plate that lies on the floor: one island of four contacts a box and four more. h = 10 ms, so that g h is about
// 0.1 m/s.
static CpsWorld* boxes_on_a_plate(const CpsWorldDef* def, int side, double speed, double mu) {
  CpsWorld* world = make_world(def);
  CpsObstacleDef floor = cps_obstacle_def_default();
  floor.shape = cps_plane();
  add_obstacle(world, &floor);
  CpsBodyDef plate = box_at((CpsVec3){0.3 * side, 0.3 * side, 0.1}, 0, 0, 0.05);
  add_body(world, &plate);
  for (int i = 0; i < side * side; i++) {
    double x = 0.2 * (i % side - 0.5 * (side - 1)), y = 0.2 * (i / side - 0.5 * (side - 1));
    CpsBodyDef box = box_at((CpsVec3){0.1, 0.1, 0.1}, x, y, 0.15);
    box.velocity = (CpsVec3){speed, 0.0, 0.0};
    box.mu = mu;
    add_body(world, &box);
  }
  return world;
}

static CpsStepInfo step_of(double tolerance, double motion, int side, double speed) {
  CpsWorldDef def = cps_world_def_default();
  CpsStepInfo info;
  def.step = 0.01;
  if (tolerance > 0.0) def.solver.tolerance = tolerance;
  def.motion_tolerance = motion;
  CpsWorld* world = boxes_on_a_plate(&def, side, speed, NAN);
  must(cps_world_step(world, &info, &must_error));
  assert_true(info.residual <= info.tolerance);
  assert_int_equal(info.unsolved, 0);
  cps_world_destroy(world);
  return info;
}

static void large_islands_in_motion_have_their_own_tolerance(void** state) {
  (void)state;
  CpsStepInfo moving = step_of(0.0, 0.0, 12, 1.0);
  assert_int_equal(moving.islands, 1);
  assert_true(moving.contacts > 500 && moving.moving == 1 && moving.tolerance == 1e-4);
  // 1e-3 of g h: what was solved roughly is at rest for the next step
  CpsStepInfo resting = step_of(0.0, 0.0, 12, 1e-4);
  assert_true(resting.contacts > 500 && resting.moving == 0 && resting.tolerance == 1e-6);
  // up to 500 contacts nothing changes
  CpsStepInfo small = step_of(0.0, 0.0, 5, 1.0);
  assert_true(small.contacts <= 500 && small.moving == 0 && small.tolerance == 1e-6);
}

// At the beginning nothing moves and no impulses are known: what the first ones set off is in motion, what they hold is not.
static void what_starts_to_slide_is_in_motion(void** state) {
  (void)state;
  for (int slides = 0; slides < 2; slides++) {
    CpsWorldDef def = cps_world_def_default();
    CpsStepInfo info;
    def.step = 0.01;
    def.gravity = (CpsVec3){2.0, 0.0, -9.0};
    CpsWorld* world = boxes_on_a_plate(&def, 12, 0.0, slides ? 0.05 : 0.5);
    must(cps_world_step(world, &info, &must_error));
    assert_true(info.contacts > 512 && info.islands == 1);
    assert_int_equal(info.moving, slides);
    assert_true(info.tolerance == (slides ? 1e-4 : 1e-6) && info.residual <= info.tolerance);
    cps_world_destroy(world);
  }
}

static void a_tolerance_that_is_given_holds_for_all(void** state) {
  (void)state;
  assert_true(step_of(1e-5, 0.0, 12, 1.0).tolerance == 1e-5);
  assert_true(step_of(0.0, 1e-6, 12, 1.0).tolerance == 1e-6);
  assert_true(step_of(1e-5, 1e-3, 12, 1.0).tolerance == 1e-3);
  assert_true(step_of(1e-3, 1e-5, 12, 1.0).tolerance == 1e-3);  // never below that of the rest
}

// The default, and what is refused.
static void the_default_says_what_it_means(void** state) {
  (void)state;
  CpsWorldDef def = cps_world_def_default();
  assert_true(def.motion_tolerance == 0.0 && cps_world_def_motion_tolerance(&def) == 1e-4);
  def.solver.tolerance = 1e-8;
  assert_true(cps_world_def_motion_tolerance(&def) == 1e-8);
  for (int k = 0; k < 2; k++) {
    CpsError error;
    CpsWorld* world = NULL;
    def.motion_tolerance = k == 0 ? -1.0 : NAN;
    assert_int_equal(cps_world_create(&def, &world, &error), CPS_BAD_DATA);
  }
}

// A few that slide among many that rest do not make the rest of them rough.
static void one_that_slides_is_no_motion_of_all(void** state) {
  (void)state;
  CpsWorldDef def = cps_world_def_default();
  CpsStepInfo info;
  def.step = 0.01;
  CpsWorld* world = boxes_on_a_plate(&def, 12, 0.0, NAN);
  CpsBodyId one = cps_world_body(world, 70);
  CpsBodyState moved = state_of(world, one);
  moved.velocity.x = 1.0;
  must(cps_world_set_body_state(world, one, &moved, &must_error));
  must(cps_world_step(world, &info, &must_error));
  assert_true(info.contacts > 500 && info.moving == 0 && info.tolerance == 1e-6);
  cps_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(large_islands_in_motion_have_their_own_tolerance),
      cmocka_unit_test(what_starts_to_slide_is_in_motion),
      cmocka_unit_test(a_tolerance_that_is_given_holds_for_all),
      cmocka_unit_test(the_default_says_what_it_means),
      cmocka_unit_test(one_that_slides_is_no_motion_of_all),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
