// The residual of a step with a sheet refers to its last M~: the problem saved from the step reproduces it to rounding. Earlier rounds
// measure with the xi of the first round, which differs from that of the last by a few per cent here.
#include "world/nodal_helpers.h"
#include "world/sheet_helpers.h"

#include <math.h>

static void the_residual_is_that_of_the_last_round(void** state) {
  (void)state;
  CpsWorldDef world_def = cps_world_def_default();
  world_def.step = 5e-3;
  world_def.mu = 0.4;
  world_def.solver.tolerance = 1e-6;
  CpsWorld* world = NULL;
  assert_int_equal(cps_world_create(&world_def, &world, NULL), CPS_OK);
  CpsObstacleDef ball = cps_obstacle_def_default();
  ball.shape = cps_sphere(0.1);
  assert_int_equal(cps_world_add_obstacle(world, &ball, NULL, NULL), CPS_OK);
  Rectangle r =
      make_rectangle(14, 14, (CpsVec3){-0.17, -0.2, 0.104}, (CpsVec3){0.4, 0.0, 0.0}, (CpsVec3){0.0, 0.4, 0.0});
  CpsSheetDef def = sheet_of_rectangle(&r);
  def.stretch[0] = def.stretch[1] = 500.0;
  CpsError error;
  if (cps_world_add_sheet(world, &def, NULL, &error) != CPS_OK) fail_msg("%s", error.text);
  int compared = 0;
  for (int k = 0; k < 40; ++k) {
    CpsStepInfo info;
    assert_int_equal(cps_world_step(world, &info, NULL), CPS_OK);
    if (info.contacts == 0) continue;
    CpsProblem* problem = NULL;
    double* impulses = calloc((size_t)cps_world_problem_rows(world), sizeof *impulses);
    CpsResidual residual;
    assert_int_equal(cps_world_problem(world, &problem, impulses, NULL), CPS_OK);
    assert_int_equal(cps_problem_residual(problem, impulses, &residual), CPS_OK);
    assert_near(residual.natural, info.residual, 1e-11);
    compared += residual.natural > 1e-9;
    cps_problem_destroy(problem);
    free(impulses);
  }
  assert_true(compared > 15);
  free_rectangle(&r);
  cps_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_residual_is_that_of_the_last_round)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
