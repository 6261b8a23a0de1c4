// Fibres in a world: ids, states and threads, for each model of a rod.
// labels: threads
#include "world/fibre_helpers.h"

#include <stdlib.h>
#include <string.h>

static void names_of_models_go_both_ways(void** state) {
  (void)state;
  for (int i = 0; i < CPS_ROD_MODEL_COUNT; ++i) {
    CpsRodModel found = CPS_ROD_MODEL_COUNT;
    assert_true(cps_rod_model_find(cps_rod_model_name((CpsRodModel)i), &found));
    assert_int_equal(found, i);
  }
  assert_null(cps_rod_model_name(CPS_ROD_MODEL_COUNT));
  assert_false(cps_rod_model_find("super-duper", NULL));
  assert_false(cps_rod_model_find(NULL, NULL));
}

static void ids_tell_fibres_apart(void** state) {
  (void)state;
  CpsWorld* world = make_for(CPS_ROD_SUPER_HELIX, 1);
  CpsFibreDef def = thread_of(CPS_ROD_SUPER_HELIX);
  CpsFibreId a = add_fibre(world, &def), b = add_fibre(world, &def);
  assert_int_equal(cps_world_fibre_count(world), 2);
  must(cps_world_remove_fibre(world, a, &must_error));
  assert_false(cps_world_fibre_exists(world, a));
  assert_true(cps_world_fibre_exists(world, b));
  assert_int_equal(cps_world_fibre(world, 0).index, b.index);
  CpsFibreId c = add_fibre(world, &def);
  assert_int_equal(c.index, a.index);  // the place is used again
  assert_int_not_equal(c.generation, a.generation);
  CpsFibrePoint point;
  assert_int_equal(cps_world_fibre_at(world, a, 0.0, &point), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_world_remove_fibre(world, a, NULL), CPS_BAD_ARGUMENT);
  cps_world_destroy(world);
}

static void nonsense_is_refused(void** state) {
  (void)state;
  CpsWorld* world = make_for(CPS_ROD_SUPER_HELIX, 1);
  const CpsVec3 twice[3] = {{0, 0, 0}, {1, 0, 0}, {1, 0, 0}};
  for (int k = 0; k < 18; ++k) {
    CpsFibreDef def = cps_fibre_def_default();
    if (k == 0) def.length = 0.0;
    if (k == 1) def.length = NAN;
    if (k == 2) def.elements = 0;
    if (k == 3) def.radius = -1.0;
    if (k == 4) def.young = 0.0;
    if (k == 5) def.poisson = 0.6;
    if (k == 6) def.damping = -1.0;
    if (k == 7) def.point_count = 1, def.points = twice;
    if (k == 8) def.point_count = 3, def.points = twice;
    if (k == 9) def.curvature_count = 1;
    if (k == 10) def.root.kind = (CpsEndKind)7;
    if (k == 11) def.root.kind = CPS_END_CLAMPED, def.root.obstacle = (CpsObstacleId){3, 1};
    if (k == 12) def.material = 9;
    if (k == 13) def.mu = -0.5;
    if (k == 14) def.model = (CpsRodModel)77;
    if (k == 15) def.cookie = 0;
    if (k == 16) def.root_pose.position.x = INFINITY;
    if (k == 17) def.branch_count = 1, def.branches = &(CpsFibreBranch){.parent = -1, .elements = 1, .length = 1};
    CpsError error = {""};
    CpsStatus status = cps_world_add_fibre(world, &def, NULL, &error);
    if (status >= 0) fail_msg("definition %d was taken", k);
    assert_true(strlen(error.text) > 10);
  }
  assert_int_equal(cps_world_fibre_count(world), 0);
  step(world, 2);
  cps_world_destroy(world);
}

static void run(CpsWorld* world, int steps) {
  for (int i = 0; i < steps; ++i) assert_true(cps_world_step(world, NULL, NULL) >= 0);
}

static void threads_change_no_bit(void** state) {
  (void)state;
  for (int m = 0; m < CPS_ROD_MODEL_COUNT; ++m) {
    uint64_t hash[3];
    for (int threads = 1; threads <= 3; ++threads) {
      CpsWorld* world = make_tangle((CpsRodModel)m, threads);
      run(world, UNDER_TSAN ? 40 : 60);
      hash[threads - 1] = cps_world_hash(world);
      cps_world_destroy(world);
    }
    if (hash[0] != hash[1] || hash[1] != hash[2]) fail_msg("%s", cps_rod_model_name((CpsRodModel)m));
  }
}

static void a_loaded_world_goes_on_with_the_same_bits(void** state) {
  (void)state;
  for (int m = 0; m < CPS_ROD_MODEL_COUNT; ++m) {
    CpsWorld *whole = make_tangle((CpsRodModel)m, 1), *first = make_tangle((CpsRodModel)m, 1);
    CpsWorld* second = make_tangle((CpsRodModel)m, 1);
    run(whole, 60);
    run(first, 35);
    copy_state(first, second);
    run(second, 25);
    if (cps_world_hash(second) != cps_world_hash(whole)) fail_msg("%s", cps_rod_model_name((CpsRodModel)m));
    cps_world_destroy(whole);
    cps_world_destroy(first);
    cps_world_destroy(second);
  }
}

// The explicit scheme becomes unstable in steps that are too long: the step reports it and the world is unchanged.
// A bent thread whose explicit forces are far too stiff for steps of 10 ms.
static CpsWorld* stiff_thread(bool mend, CpsFibreId* id) {
  CpsWorldDef def = cps_world_def_default();
  def.step = 1e-2;
  def.mend = mend;
  CpsWorld* world = make_world(&def);
  CpsFibreDef fibre = thread_of(CPS_ROD_CORDE_EXPLICIT);
  const CpsVec3 bent = {0.0, 0.0, 10.0};
  fibre.curvature = &bent;
  fibre.curvature_count = 1;
  *id = add_fibre(world, &fibre);
  return world;
}

static void what_flies_apart_fails_its_step(void** state) {
  (void)state;
  CpsFibreId id;
  CpsWorld* world = stiff_thread(false, &id);
  CpsError error = {""};
  CpsStatus status = CPS_OK;
  uint64_t before = 0;
  for (int i = 0; i < 2000 && status >= 0; ++i) {
    before = cps_world_hash(world);
    status = cps_world_step(world, NULL, &error);
  }
  assert_int_equal(status, CPS_BAD_DATA);
  assert_non_null(strstr(error.text, "became unstable"));
  assert_true(cps_world_hash(world) == before);
  assert_true(isfinite(fibre_at(world, id, 0.2).position.x));
  CpsFibreInfo info;
  assert_int_equal(cps_world_fibre_info(world, id, &info), CPS_OK);
  assert_below(info.stored_length, 30.0 * info.length);  // it is given up long before numbers overflow
  cps_world_destroy(world);
}

// The same if unstable steps are halved. This keeps the thread from flying apart, but not from being torn to and fro: every step in
// which it is longer than twice its length is reported.
static void what_shorter_steps_do_not_save_is_told(void** state) {
  (void)state;
  CpsFibreId id;
  CpsWorld* world = stiff_thread(true, &id);
  int wrong = 0;
  for (int i = 0; i < 40; ++i) {
    CpsError error = {{0}};
    CpsStatus status = cps_world_step(world, NULL, &error);
    CpsFibreInfo info;
    assert_int_equal(cps_world_fibre_info(world, id, &info), CPS_OK);
    if (info.stored_length <= 2.0 * info.length) continue;
    wrong++;
    assert_int_not_equal(status, CPS_OK);
    assert_non_null(strstr(error.text, "unstable at t ="));
  }
  assert_true(wrong > 0);
  cps_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_shorter_steps_do_not_save_is_told),
      cmocka_unit_test(names_of_models_go_both_ways),
      cmocka_unit_test(ids_tell_fibres_apart),
      cmocka_unit_test(nonsense_is_refused),
      cmocka_unit_test(what_flies_apart_fails_its_step),
      cmocka_unit_test(threads_change_no_bit),
      cmocka_unit_test(a_loaded_world_goes_on_with_the_same_bits),
  };
  keep_to_threads("threads_*");
  return cmocka_run_group_tests(tests, NULL, NULL);
}
