// labels: long
// Sand over a minute, and run-out against aspect ratio: what docs/scenes/sand.md says of sand-rest, heap, slosh, sand-column and
// crater.
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

// 99 % of the grains that have left the foot of the column stay within this, in widths beyond it. (Of all grains, most of which never move
// in a wide column, it would be another part of the front for each aspect ratio.) Wide columns have as many cells along their height.
static double runout(double aspect) {
  Overrides o = {0};
  const double cell = fmin(0.0125, aspect * 0.1 / 14.0);
  override(&o, "parameters.aspect=%g", aspect);
  override(&o, "parameters.cell=%g", cell);
  override(&o, "time.step=%g", 0.16 * cell);
  override(&o, "grid.particles=%d", 3);
  override(&o, "solver.tolerance=%s", "1e-3");
  CpsWorld* world = open_scene("sand-column.yaml", &o);
  (void)run_until(world, 0.3 + 0.36 * sqrt(aspect));
  int64_t count, inside = 0;
  double* x = positions(world, &count);
  for (int64_t p = 0; p < count; ++p) x[p] = x[3 * p];
  qsort(x, (size_t)count, sizeof *x, ascending);
  while (inside < count && x[inside] <= 0.1) ++inside;
  assert_true(inside < count);
  const double found = x[inside + (int64_t)(0.99 * (double)(count - inside))] / 0.1 - 1.0;
  free(x);
  cps_world_destroy(world);
  return found;
}

// Columns run out with the power 0.9 of their aspect ratio, to 0.1, if they are wide, and with 0.65, to 0.05, if they are narrow
// (Balmforth and Kerswell 2005, Larrieu et al. 2006).
static void test_runout(void** unused) {
  (void)unused;
  assert_near(log(runout(2.0) / runout(0.7)) / log(2.0 / 0.7), 0.9, 0.1);
  assert_near(log(runout(7.0) / runout(3.5)) / log(2.0), 0.65, 0.05);
}

// Height of the sand at a place: the volume of the column above it, smoothed over a cell.
static double height(const double* x, int64_t count, double volume, double cell, double px, double py) {
  double sum = 0.0;
  for (int64_t p = 0; p < count; ++p) {
    const double dx = x[3 * p] - px, dy = x[3 * p + 1] - py, far = (dx * dx + dy * dy) / (cell * cell);
    if (far < 16.0) sum += exp(-0.5 * far);
  }
  return sum * volume / (2.0 * acos(-1.0) * cell * cell);
}

// Where the rim is highest along a direction, between grid points by a parabola.
static double crest(const double* x, int64_t count, double volume, double cell, double angle) {
  enum { POINTS = 33 };
  const double first = 0.04, apart = 0.001;  // m: from 4 to 7.2 cm; the ball's radius is 3.5 cm
  double h[POINTS];
  int top = 1;
  for (int k = 0; k < POINTS; ++k) {
    const double r = first + k * apart;
    h[k] = height(x, count, volume, cell, r * cos(angle), r * sin(angle));
    if (k > 0 && k < POINTS - 1 && h[k] > h[top]) top = k;
  }
  assert_true(h[top] > h[0] && h[top] > h[POINTS - 1]);
  return first + apart * (top + 0.5 * (h[top - 1] - h[top + 1]) / (h[top - 1] - 2.0 * h[top] + h[top + 1]));
}

// The crater of a ball is round: its rim deviates by less than 1 % of its radius in any direction, although the bed, the box and the
// cells are square.
static void test_crater_is_round(void** unused) {
  (void)unused;
  enum { DIRECTIONS = 64 };
  CpsWorld* world = open_scene("crater.yaml", NULL);
  const Run run = run_until(world, 0.2);
  assert_int_equal(run.unsolved, 0);
  int64_t count;
  double *x = positions(world, &count), rim[DIRECTIONS], mean = 0.0;
  for (int k = 0; k < DIRECTIONS; ++k) {
    rim[k] = crest(x, count, 0.28 * 0.28 * 0.1 / (double)count, 0.01, 2.0 * acos(-1.0) * (k + 0.5) / DIRECTIONS);
    mean += rim[k] / DIRECTIONS;
  }
  for (int k = 0; k < DIRECTIONS; ++k) assert_near(rim[k] / mean, 1.0, 0.01);
  free(x);
  cps_world_destroy(world);
}

// How deep a ball that falls in with this speed gets below the surface.
static double ball_depth(double speed) {
  Overrides o = {0};
  override(&o, "parameters.cell=%s", "1.4 cm");
  override(&o, "parameters.depth=%s", "16.8 cm");
  override(&o, "parameters.speed=%g", speed);
  CpsWorld* world = open_scene("crater.yaml", &o);
  (void)run_until(world, 0.2);
  CpsBodyState ball;
  assert_int_equal(cps_world_body_state(world, cps_world_body(world, 0), &ball), CPS_OK);
  cps_world_destroy(world);
  return 0.168 - (ball.centre.z - 0.035);
}

// The depth of a crater is as the power 1/3 of the height H of the fall, with the depth itself counted (Uehara et al. 2003), to 0.05.
static void test_depth_of_craters(void** unused) {
  (void)unused;
  const double low = ball_depth(1.0), high = ball_depth(3.2);
  const double H_low = 1.0 / (2.0 * 9.81) + low, H_high = 3.2 * 3.2 / (2.0 * 9.81) + high;
  assert_near(log(high / low) / log(H_high / H_low), 1.0 / 3.0, 0.05);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_minute_at_rest), cmocka_unit_test(test_slosh),
                                     cmocka_unit_test(test_runout), cmocka_unit_test(test_crater_is_round),
                                     cmocka_unit_test(test_depth_of_craters)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
