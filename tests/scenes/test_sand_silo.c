// labels: release
// The scene silo-round on a coarse grid: the discharge grows with the power 5/2 of the diameter of the hole less one cell, and the thin
// plates around the hole hold. Finer grids are in docs/scenes/sand.md.
#include "capstan/array.h"
#include "capstan/grains.h"
#include "scene_world.h"

#include <math.h>
#include <stdlib.h>

// The mass that has left through the hole, and how far from the axis the farthest of it is.
static double fallen(const CpsWorld* world, double* farthest) {
  const CpsThing grains = cps_thing_grains(world);
  const int64_t count = cps_world_array_count(world, grains, CPS_QUANTITY_POSITION);
  double* x = malloc(3 * (size_t)count * sizeof *x);
  double below = 0.0;
  assert_int_equal(cps_world_array(world, grains, CPS_QUANTITY_POSITION, x, 3 * sizeof *x), CPS_OK);
  for (int64_t p = 0; p < count; ++p) {
    if (x[3 * p + 2] > 0.0) continue;
    below += 1.0;
    *farthest = fmax(*farthest, hypot(x[3 * p], x[3 * p + 1]));
  }
  free(x);
  return below * cps_world_grains_info(world).mass / (double)count;
}

static double discharge(const char* hole, double radius) {
  Overrides o = {0};
  override(&o, "parameters.hole=%s", hole);
  override(&o, "parameters.cell=%s", "4 cm");
  override(&o, "parameters.width=%s", "24 cm");
  override(&o, "parameters.fill=%s", "28 cm");
  override(&o, "time.step=%s", "16 ms");
  CpsWorld* world = open_scene("silo-round.yaml", &o);
  double farthest = 0.0;
  Run run = run_until(world, 0.08);
  const double before = fallen(world, &farthest);
  run = run_until(world, 0.32);
  const double after = fallen(world, &farthest);
  assert_int_equal(run.unsolved, 0);
  assert_below(farthest, radius + 0.04);  // nothing went through a plate; below it spreads by less than a cell
  cps_world_destroy(world);
  return (after - before) / 0.24;
}

static void test_power(void** unused) {
  (void)unused;
  const double narrow = discharge("16 cm", 0.08), wide = discharge("24 cm", 0.12);
  // Beverloo's law counts the diameter less a grain or so, for which a cell stands here: nodes on the border of the hole stand still.
  const double power = log(wide / narrow) / log((0.24 - 0.04) / (0.16 - 0.04));
  // 4 and 6 cells wide, a quarter of a second: particles fall in rows
  if (!(power > 2.2 && power < 2.8)) fail_msg("the power is %g", power);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_power)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
