// Memory: a steady step of fibres allocates nothing, and a failed allocation while adding a fibre or stepping changes nothing.
#include "world/fibre_helpers.h"
#include "world/step_memory.h"

static CpsWorld* make_bundle(CpsRodModel model, int threads) {
  CpsWorldDef def = cps_world_def_default();
  def.threads = threads;
  def.step = step_of(model);
  def.solver.tolerance = 1e-4;
  CpsWorld* world = make_world(&def);
  add_floor(world);
  for (int i = 0; i < 4; ++i) {
    CpsFibreDef fibre = thread_of(model);
    fibre.root_pose.position = (CpsVec3){0.0, 0.0021 * i, 0.001};
    CpsFibreId id = add_fibre(world, &fibre);
    CpsPullDef pull = cps_pull_def_default();
    pull.at.thing = cps_thing_fibre(id);
    pull.at.s = 0.1;
    pull.force = (CpsVec3){0.0, 0.0, -1e-4};
    must(cps_world_add_pull(world, &pull, NULL, &must_error));
  }
  return world;
}

static void a_steady_step_does_not_allocate(void** state) {
  (void)state;
  for (int m = 3; m < CPS_ROD_MODEL_COUNT; ++m) {
    for (int threads = 1; threads <= 2; ++threads) {
      CpsWorld* world = make_bundle((CpsRodModel)m, threads);
      step(world, 30);  // everything has its size, and the arenas are of one piece
      assert_true(cps_world_contact_count(world) > 0);
      CpsStatus worst = step_without_allocating(world, 50, true);
      if (worst != CPS_OK || allocation_failed)
        fail_msg("%s: status %d", cps_rod_model_name((CpsRodModel)m), (int)worst);
      cps_world_destroy(world);
    }
  }
}

static void adding_without_memory_is_refused(void** state) {
  (void)state;
  for (int m = 3; m < CPS_ROD_MODEL_COUNT; ++m) {
    int refused = 0;
    for (int number = 0, failed = 1; failed; ++number) {
      CpsWorldDef world_def = cps_world_def_default();
      world_def.step = step_of((CpsRodModel)m);
      CpsWorld* world = make_world(&world_def);
      CpsFibreDef def = thread_of((CpsRodModel)m);
      const double times[2] = {0.0, 1.0};
      const CpsPose poses[2] = {{{0, 0, 0}, {1, 0, 0, 0}}, {{0, 0, 1}, {1, 0, 0, 0}}};
      def.root = (CpsFibreEnd){
          .kind = CPS_END_CLAMPED,
          .motion = {.kind = CPS_MOTION_KEYFRAMES, .key_count = 2, .key_times = times, .key_poses = poses}};
      CpsFibreId id = {0, 0};
      fail_allocation(number);
      CpsStatus status = cps_world_add_fibre(world, &def, &id, NULL);
      CpsPullDef pull = cps_pull_def_default();
      pull.at.thing = cps_thing_fibre(id);
      if (status == CPS_OK) status = cps_world_add_pull(world, &pull, NULL, NULL);
      failed = allocation_failed;
      stop_failing();
      if (failed) assert_int_equal(status, CPS_NO_MEMORY);
      if (status != CPS_OK) refused++;
      step(world, 2);
      cps_world_destroy(world);
    }
    assert_true(refused > 5);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_steady_step_does_not_allocate),
      cmocka_unit_test(adding_without_memory_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
