// Clamped ends moved and rotated by the caller, for each model of a rod.
#include "world/fibre_helpers.h"

#include <stdlib.h>

static CpsQuat turn_about_x(double angle) {
  return (CpsQuat){cos(0.5 * angle), sin(0.5 * angle), 0.0, 0.0};
}

static CpsPose end_of(const CpsWorld* world, CpsFibreId id, int end) {
  CpsPose pose;
  assert_int_equal(cps_world_fibre_end_pose(world, id, end, &pose), CPS_OK);
  return pose;
}

// A root that is moved is there after the step, stays there, and the fibre comes along.
static void a_root_goes_where_it_is_put(void** state) {
  (void)state;
  for (int model = 0; model < CPS_ROD_MODEL_COUNT; ++model) {
    CpsWorld* world = make_for((CpsRodModel)model, 1);
    CpsFibreDef def = thread_of((CpsRodModel)model);
    def.root.kind = model % 2 ? CPS_END_PINNED : CPS_END_CLAMPED;
    // a motion that the hand takes over from
    def.root.motion = (CpsMotion){.kind = CPS_MOTION_VELOCITY, .velocity = {0, 0.1, 0}};
    CpsFibreId id = add_fibre(world, &def);
    step(world, 10);
    CpsPose pose = end_of(world, id, 0);
    assert_near(pose.position.y, 0.1 * cps_world_time(world), 1e-12);
    double y = pose.position.y;
    for (int i = 1; i <= 20; ++i) {
      pose.position.z = 1e-4 * i;
      must(cps_world_move_fibre_end(world, id, 0, pose, &must_error));
      step(world, 1);
      // the root of every model is held exactly
      assert_near(end_of(world, id, 0).position.z, 1e-4 * i, 1e-15);
      assert_near(fibre_at(world, id, 0.0).position.z, 1e-4 * i, 1e-12);
    }
    step(world, 20);
    assert_near(fibre_at(world, id, 0.0).position.z, 2e-3, 1e-12);
    assert_near(fibre_at(world, id, 0.0).position.y, y, 1e-12);
    cps_world_destroy(world);
  }
}

// The twist of a straight rod whose tip is turned by an angle is angle / length at rest: models that know twist.
static void a_turned_tip_twists_the_rod(void** state) {
  (void)state;
  const CpsRodModel models[] = {
      CPS_ROD_SUPER_HELIX, CPS_ROD_SUPER_HELIX_RECURSIVE, CPS_ROD_SUPER_CLOTHOID, CPS_ROD_CORDE,
      CPS_ROD_DER,         CPS_ROD_DER_INEXTENSIBLE,      CPS_ROD_DER_PROJECTED};
  for (int k = 0; k < 7; ++k) {
    CpsWorld* world = make_for(models[k], 1);
    CpsFibreDef def = thread_of(models[k]);
    def.gravity = false;
    def.root.kind = def.tip.kind = CPS_END_CLAMPED;
    CpsFibreId id = add_fibre(world, &def);
    CpsPose start = end_of(world, id, 1), pose = start;
    for (int i = 1; i <= 100; ++i) {
      CpsQuat turn = turn_about_x(0.02 * i);
      pose.rotation = turn;  // the rod lies along x, its frames are those of the world
      must(cps_world_move_fibre_end(world, id, 1, pose, &must_error));
      step(world, 1);
    }
    step(world, 1500);
    // super-models hold their tip by a spring, and the rest swings: one per cent
    assert_near(fibre_at(world, id, 0.1).curvature.x, 2.0 / 0.2, 0.1);
    cps_world_destroy(world);
  }
}

// A shorter adaptive step takes the end a part of its way.
static void the_way_takes_one_step_of_the_settings(void** state) {
  (void)state;
  CpsWorldDef settings = cps_world_def_default();
  settings.adaptive = true;
  CpsWorld* world = make_world(&settings);
  CpsFibreDef def = thread_of(CPS_ROD_DER_INEXTENSIBLE);
  def.root.kind = CPS_END_CLAMPED;
  CpsFibreId id = add_fibre(world, &def);
  settings.adaptive = false;
  step(world, 1);
  CpsPose pose = end_of(world, id, 0);
  pose.position.z += 1e-3;
  must(cps_world_move_fibre_end(world, id, 0, pose, &must_error));
  settings.step = 0.5e-3;
  must(cps_world_configure(world, &settings, &must_error));
  step(world, 1);
  assert_near(fibre_at(world, id, 0.0).position.z, 0.5e-3, 1e-15);
  step(world, 1);
  assert_near(fibre_at(world, id, 0.0).position.z, 1e-3, 1e-15);
  cps_world_destroy(world);
}

// What was taken over is part of the state.
static void a_state_holds_the_hand(void** state) {
  (void)state;
  CpsWorld* world[2];
  CpsFibreId id[2];
  for (int k = 0; k < 2; ++k) {
    world[k] = make_for(CPS_ROD_DER, 1);
    CpsFibreDef def = thread_of(CPS_ROD_DER);
    def.root.kind = CPS_END_CLAMPED;
    def.root.motion = (CpsMotion){.kind = CPS_MOTION_VELOCITY, .velocity = {0, 0.1, 0}};
    id[k] = add_fibre(world[k], &def);
  }
  step(world[0], 10);
  CpsPose pose = end_of(world[0], id[0], 0);
  pose.position.x -= 1e-3;
  must(cps_world_move_fibre_end(world[0], id[0], 0, pose, &must_error));
  copy_state(world[0], world[1]);
  for (int k = 0; k < 2; ++k) step(world[k], 30);
  assert_true(cps_world_hash(world[0]) == cps_world_hash(world[1]));
  assert_near(end_of(world[1], id[1], 0).position.x, -1e-3, 1e-15);
  for (int k = 0; k < 2; ++k) cps_world_destroy(world[k]);
}

static void free_ends_and_nonsense_are_refused(void** state) {
  (void)state;
  CpsWorld* world = make_for(CPS_ROD_DER, 1);
  CpsFibreDef def = thread_of(CPS_ROD_DER);
  def.root.kind = CPS_END_CLAMPED;
  CpsFibreId id = add_fibre(world, &def);
  CpsPose pose = end_of(world, id, 1);
  assert_near(pose.position.x, 0.2, 1e-12);
  CpsError error;
  assert_int_equal(cps_world_move_fibre_end(world, id, 1, pose, &error), CPS_BAD_ARGUMENT);
  assert_string_equal(error.text, "the tip of the fibre is free: only an end that is held can be moved");
  assert_int_equal(cps_world_move_fibre_end(world, id, 2, pose, &error), CPS_BAD_ARGUMENT);
  pose.position.x = NAN;
  assert_int_equal(cps_world_move_fibre_end(world, id, 0, pose, &error), CPS_BAD_DATA);
  assert_int_equal(cps_world_move_fibre_end(world, (CpsFibreId){7, 1}, 0, pose, &error), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_world_fibre_end_pose(world, id, 2, &pose), CPS_BAD_ARGUMENT);
  cps_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_root_goes_where_it_is_put),
      cmocka_unit_test(a_turned_tip_twists_the_rod),
      cmocka_unit_test(the_way_takes_one_step_of_the_settings),
      cmocka_unit_test(a_state_holds_the_hand),
      cmocka_unit_test(free_ends_and_nonsense_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
