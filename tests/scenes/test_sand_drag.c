// labels: long
// The scene drag: slow drag in sand does not depend on the speed and is proportional to the depth.
#include "capstan/grains.h"
#include "scene_world.h"

#include <math.h>

static CpsVec3 force_on(const CpsWorld* world, int32_t obstacle) {
  CpsVec3 force;
  assert_int_equal(cps_world_grains_force(world, cps_world_obstacle(world, obstacle), &force), CPS_OK);
  return force;
}

static double mean_drag(double depth, double speed, double step) {
  Overrides o = {0};
  override(&o, "parameters.depth=%g", depth);
  override(&o, "parameters.bed=%g", depth + 0.08);
  override(&o, "parameters.speed=%g", speed);
  override(&o, "parameters.cell=%s", "2 cm");
  override(&o, "parameters.size=%s", "5 cm");
  override(&o, "time.step=%g", step);
  CpsWorld* world = open_scene("drag.yaml", &o);
  double sum = 0.0;
  for (int i = 0; i < 12; ++i) {
    Run run = {0};
    run_step(world, &run);
    if (i >= 4) sum -= force_on(world, 3).x / 8.0;
  }
  cps_world_destroy(world);
  return sum;
}

// Over the same way: at twice the speed the same force, half as deep again half as much again. On cells of 2 cm the force changes by
// a few hundredths as the bar moves over nodes.
static void test_drag(void** unused) {
  (void)unused;
  const double once = mean_drag(0.08, 0.01, 2e-2), twice = mean_drag(0.08, 0.02, 1e-2),
               deep = mean_drag(0.12, 0.02, 1e-2);
  assert_true(once > 10.0);
  assert_near(twice / once, 1.0, 0.06);
  assert_near(deep / twice, 1.5, 0.1);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_drag)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
