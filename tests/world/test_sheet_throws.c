// labels: threads release
// Nothing passes through a sheet: each kind of object thrown a few times, the short form of sheet_throws_long.
#include "world/sheet_throws.h"

enum { SCENES = SANITIZED ? THINGS / 2 : 3 * THINGS, SAME = SANITIZED ? 1 : 3 };

static void nothing_gets_through_a_sheet(void** state) {
  (void)state;
  throw_all(0, SCENES);
}

// A needle that only the last resort keeps from passing through a free sheet: positions are not corrected here. Momentum is kept,
// and the energy balance accounts for the loss. The needle's path depends on the last digits that the tolerance leaves: with
// velocities changed by 1e-6 m/s it is stopped in 2 steps or in some 4000 consecutive ones, so 20 are enough.
static void what_is_stopped_keeps_its_momentum(void** state) {
  (void)state;
  Throw t = make_throw(2960);
  CpsWorldDef def = cps_world_settings(t.world);
  def.projection = false;
  must(cps_world_configure(t.world, &def, &must_error));
  CpsVec3 p0, p, L;
  int32_t stopped = 0;
  cps_world_momentum(t.world, &p0, &L);
  while (cps_world_time(t.world) < t.end && stopped < 20) {
    CpsStepInfo info;
    CpsError error;
    if (cps_world_step(t.world, &info, &error) < 0) fail_msg("%s", error.text);
    stopped += info.stopped;
    assert_int_equal(info.crossings, 0);
    cps_world_momentum(t.world, &p, &L);
    assert_near(cps_vec3_norm(cps_vec3_sub(p, p0)), 0.0, 1e-12 * cps_vec3_norm(p0));
    CpsEnergy e = cps_world_energy(t.world);
    if (e.error > 1e-9) fail_msg("the books are off by %g", e.error);
  }
  if (stopped == 0) fail_msg("nothing was stopped");
  cps_world_destroy(t.world);
  free_rectangle(&t.mesh);
}

// The same bits for one thread and for two.
static void threads_change_nothing(void** state) {
  (void)state;
  const int scenes[3] = {3, 7, 25};  // a box, a rope, a sheet
  for (int i = 0; i < SAME; ++i) {
    uint64_t hash[2];
    for (int k = 0; k < 2; ++k) {
      Throw t = make_throw(scenes[i]);
      CpsWorldDef def = cps_world_settings(t.world);
      def.threads = k + 1;
      must(cps_world_configure(t.world, &def, &must_error));
      while (cps_world_time(t.world) < 0.6 * t.end) assert_true(cps_world_step(t.world, NULL, NULL) >= 0);
      hash[k] = cps_world_hash(t.world);
      cps_world_destroy(t.world);
      free_rectangle(&t.mesh);
      if (t.thing == SHEET) free_rectangle(&t.other_mesh);
    }
    assert_true(hash[0] == hash[1]);
  }
}

int main(void) {
  keep_to_threads("threads_*");
  const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_gets_through_a_sheet),
                                     cmocka_unit_test(what_is_stopped_keeps_its_momentum),
                                     cmocka_unit_test(threads_change_nothing)};
  return cmocka_run_group_tests_name("world/sheet_throws", tests, NULL, NULL);
}
