// labels: long
// Sand over a minute, and run-out against aspect ratio: what docs/scenes/sand.md says of sand-rest, heap, slosh and sand-column.
#include "capstan/array.h"
#include "capstan/grains.h"
#include "scene_world.h"

#include <math.h>
#include <stdlib.h>

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static double* positions(const CpsWorld* world, int64_t* count) {
  const CpsThing grains = cps_thing_grains(world);
  *count = cps_world_array_count(world, grains, CPS_QUANTITY_POSITION);
  double* x = malloc(3 * (size_t)*count * sizeof *x);
  assert_int_equal(cps_world_array(world, grains, CPS_QUANTITY_POSITION, x, 3 * sizeof *x), CPS_OK);
  return x;
}

// A column between walls from the start on, and a heap once it has come to rest, stay below 1e-8 m/s for a minute; mass stays to the
// last bit.
static void test_a_minute_at_rest(void** unused) {
  (void)unused;
  const char* const scene[2] = {"sand-rest.yaml", "heap.yaml"};
  const char* const step[2] = {"10 ms", "20 ms"};
  const double settled[2] = {0.0, 6.0};
  for (int k = 0; k < 2; ++k) {
    Overrides o = {0};
    override(&o, "time.step=%s", step[k]);
    CpsWorld* world = open_scene(scene[k], &o);
    const double mass = cps_world_grains_info(world).mass;
    Run run = run_until(world, settled[k]);
    while (cps_world_time(world) < 60.0) {
      run_step(world, &run);
      assert_below(cps_world_grains_info(world).fastest, 1e-8);
    }
    assert_int_equal(run.unsolved, 0);
    assert_true(cps_world_grains_info(world).mass == mass);
    cps_world_destroy(world);
  }
}

// A fluid in motion keeps its volume to 1 % for a minute.
static void test_slosh(void** unused) {
  (void)unused;
  Overrides o = {0};
  override(&o, "parameters.cell=%s", "10 cm");
  override(&o, "time.step=%s", "20 ms");
  CpsWorld* world = open_scene("slosh.yaml", &o);
  Run run = {0};
  while (cps_world_time(world) < 60.0) {
    run_step(world, &run);
    int64_t count;
    double* x = positions(world, &count);
    double z = 0.0;
    for (int64_t p = 0; p < count; ++p) z += x[3 * p + 2] / (double)count;
    free(x);
    assert_near(z / 0.25, 1.0, 0.01);
  }
  assert_int_equal(run.unsolved, 0);
  assert_below(run.books_error, 1e-9);
  cps_world_destroy(world);
}

// 99 % of the grains stay within this, in widths beyond the foot of the column.
static double runout(double aspect) {
  Overrides o = {0};
  override(&o, "parameters.aspect=%g", aspect);
  override(&o, "parameters.cell=%s", "1.25 cm");
  override(&o, "solver.tolerance=%s", "1e-3");
  CpsWorld* world = open_scene("sand-column.yaml", &o);
  (void)run_until(world, 0.3 + 0.36 * sqrt(aspect));
  int64_t count;
  double* x = positions(world, &count);
  for (int64_t p = 0; p < count; ++p) x[p] = x[3 * p];
  qsort(x, (size_t)count, sizeof *x, ascending);
  const double found = x[(int64_t)(0.99 * (double)count)] / 0.1 - 1.0;
  free(x);
  cps_world_destroy(world);
  return found;
}

// Narrow columns run out with the power 0.65 of their aspect ratio, to 0.05 (Balmforth and Kerswell 2005, Larrieu et al. 2006).
static void test_runout(void** unused) {
  (void)unused;
  assert_near(log(runout(7.0) / runout(3.5)) / log(2.0), 0.65, 0.05);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_minute_at_rest), cmocka_unit_test(test_slosh),
                                     cmocka_unit_test(test_runout)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
