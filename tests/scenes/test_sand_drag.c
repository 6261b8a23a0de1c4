// labels: release
// The scene drag: slow drag in sand does not depend on the speed and is proportional to the depth. Sweeps of diameter, depth and speed are in
// bench/grains/powers.c and docs/scenes/sand.md.
#include "capstan/grains.h"
#include "scene_world.h"

#include <math.h>

// The mean force on the bar, 8 cm thick, from 1 to 3 mm of its way, while hardly a node enters or leaves it.
static double force(double depth, double speed) {
  Overrides o = {0};
  override(&o, "parameters.depth=%g", depth);
  override(&o, "parameters.speed=%g", speed);
  override(&o, "parameters.cell=%s", "2 cm");
  override(&o, "solver.tolerance=%g",
           1e-3 * speed / 0.1);  // of what gravity gives in a step, 0.1 m/s: 1e-3 of the speed
  override(&o, "time.step=%s", "10 ms");
  override(&o, "parameters.size=%s", "8 cm");
  override(&o, "parameters.bed=%s", "24 cm");
  CpsWorld* world = open_scene("drag.yaml", &o);
  const CpsObstacleId last = cps_world_obstacle(world, cps_world_obstacle_count(world) - 1);
  double sum = 0.0;
  int count = 0;
  Run run = {0};
  while (cps_world_time(world) * speed < 3e-3 - 1e-9) {
    CpsVec3 on;
    run_step(world, &run);
    assert_int_equal(cps_world_grains_force(world, last, &on), CPS_OK);
    if (cps_world_time(world) * speed < 1e-3 + 1e-9) continue;
    sum -= on.x;
    count++;
  }
  assert_int_equal(run.unsolved, 0);
  cps_world_destroy(world);
  return sum / count;
}

static double power(double low, double high, double ratio) {
  return log(high / low) / log(ratio);
}

// Of a bar that lies in sand: powers 0 and 1 of speed and depth (Albert et al. 1999, Seguin et al. 2011). The bar lies half-way between rows
// of nodes and is a whole number of cells thick, so that as many rows are in it as it is thick.
static void test_bar(void** unused) {
  (void)unused;
  const double first = force(0.11, 0.025);
  assert_near(power(first, force(0.11, 0.05), 2.0), 0.0, 0.1);
  assert_near(power(first, force(0.15, 0.025), 15.0 / 11.0), 1.0, 0.2);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_bar)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
