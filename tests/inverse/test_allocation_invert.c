// Inversion, stability, statics and fits without memory: a message, and nothing has changed.
#include "failing_memory.h"
#include "inverse_helpers.h"

typedef CpsStatus (*Call)(CpsWorld* world, CpsFibreId id);

static CpsStatus invert_it(CpsWorld* world, CpsFibreId id) {
  (void)id;
  return cps_world_invert(world, NULL, NULL, NULL);
}
static CpsStatus judge_it(CpsWorld* world, CpsFibreId id) {
  CpsFibreStability stability;
  return cps_world_fibre_stability(world, id, &stability, NULL);
}
static CpsStatus settle_it(CpsWorld* world, CpsFibreId id) {
  return cps_world_settle_fibre(world, id, NULL, NULL);
}
static CpsStatus fit_it(CpsWorld* world, CpsFibreId id) {
  (void)world, (void)id;
  const CpsVec3 points[4] = {{0, 0, 0}, {1, 0, 0}, {2, 1, 0}, {3, 1, 1}};
  CpsVec3 curvature[5];
  double lengths[5];
  CpsFibreFit fit;
  return cps_fibre_fit_tangents(points, 4, 5, lengths, curvature, &fit, NULL);
}

static void without_memory_nothing_changes(void** state) {
  (void)state;
  const Call calls[4] = {invert_it, judge_it, settle_it, fit_it};
  for (int m = 0; m < MODELS; ++m) {
    for (int c = 0; c < 4; ++c) {
      CpsWorld* world = still_world(0.001);
      CpsFibreDef def = clamped(INVERTIBLE[m], 6);
      def.natural_as_placed = true;
      def.contact_radius = 4.5e-4;
      CpsFibreId id = add_fibre(world, &def);
      CpsObstacleDef floor = cps_obstacle_def_default();
      floor.shape = cps_plane();
      floor.pose.position = (CpsVec3){0.0, 0.0, -4.4e-4};
      add_obstacle(world, &floor);
      const uint64_t before = cps_world_hash(world);
      int refused = 0;
      for (int number = 0;; ++number) {
        keep_failing = true;  // an arena that cannot have much asks for little
        fail_allocation(number);
        const CpsStatus status = calls[c](world, id);
        const bool failed = allocation_failed;
        stop_failing();
        if (!failed) {
          assert_int_equal(status, CPS_OK);
          break;
        }
        assert_int_equal(status, CPS_NO_MEMORY);
        // a fibre that is being brought to rest is somewhere on its way
        if (calls[c] != settle_it) assert_true(cps_world_hash(world) == before);
        ++refused;
      }
      assert_true(refused > 0);
      cps_world_destroy(world);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_memory_nothing_changes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
