// How far each contact is from the law: the worst contact of a step is as bad as the step says.
#include <math.h>

#include "capstan/fibre.h"
#include "test_helpers.h"

static CpsWorld* make_pile(double tolerance) {
  CpsWorldDef def = cps_world_def_default();
  def.step = 2e-3;
  def.mu = 0.4;
  def.solver.tolerance = tolerance;
  CpsWorld* world = NULL;
  assert_int_equal(cps_world_create(&def, &world, NULL), CPS_OK);
  CpsObstacleDef floor = cps_obstacle_def_default();
  floor.shape = cps_plane();
  floor.surface_velocity = (CpsVec3){0.3, 0.1, 0.0};
  assert_int_equal(cps_world_add_obstacle(world, &floor, NULL, NULL), CPS_OK);
  for (int i = 0; i < 12; ++i) {
    CpsBodyDef body = cps_body_def_default();
    body.shape = cps_box((CpsVec3){0.2, 0.1, 0.1});
    body.position = (CpsVec3){0.05 * (i % 3), 0.02 * (i % 2), 0.05 + 0.1 * (i / 2)};
    if (i % 2) body.position.y += 0.1;
    if (i % 3 == 0) body.mu_across = 0.1;
    if (i % 4 == 0) body.restitution = 0.3;
    body.velocity = (CpsVec3){0.2 * (i % 5), -0.1 * i, 0.0};
    assert_int_equal(cps_world_add_body(world, &body, NULL, NULL), CPS_OK);
  }
  CpsFibreDef fibre = cps_fibre_def_default();
  fibre.model = CPS_ROD_DER;
  fibre.length = 0.4;
  fibre.radius = 5e-3;
  fibre.elements = 6;
  fibre.young = 1e6;
  fibre.root_pose.position = (CpsVec3){-0.1, 0.05, 0.655};
  assert_int_equal(cps_world_add_fibre(world, &fibre, NULL, NULL), CPS_OK);
  return world;
}

// Velocities are found by the models instead of from W: the difference is rounding, some 1e-14 of the largest.
static void the_worst_contact_is_as_bad_as_the_step(void** state) {
  (void)state;
  for (int k = 0; k < 2; ++k) {
    CpsWorld* world = make_pile(k == 0 ? 1e-2 : 1e-8);
    int with_contacts = 0;
    for (int i = 0; i < 60; ++i) {
      CpsStepInfo info;
      assert_true(cps_world_step(world, &info, NULL) >= 0);
      double worst = 0.0;
      for (int32_t c = 0; c < cps_world_contact_count(world); ++c) {
        worst = fmax(worst, cps_world_contact(world, c).residual);
      }
      if (!(fabs(worst - info.residual) <= 1e-12)) print_error("step %d: %g, %g\n", i, worst, info.residual);
      assert_near(worst, info.residual, 1e-12);
      with_contacts += info.contacts > 10;
    }
    assert_true(with_contacts > 30);
    cps_world_destroy(world);
  }
}

static void the_last_step_is_known(void** state) {
  (void)state;
  CpsWorld* world = make_pile(1e-6);
  assert_true(isnan(cps_world_last_step(world)));
  assert_true(isnan(cps_world_last_step(NULL)));
  assert_true(cps_world_step(world, NULL, NULL) >= 0);
  assert_true(cps_world_last_step(world) == 2e-3);
  cps_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_worst_contact_is_as_bad_as_the_step),
      cmocka_unit_test(the_last_step_is_known),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
