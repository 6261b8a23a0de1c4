// labels: release
// Scenes of sand against closed forms and laws: rankine, janssen, compaction, sand-column-round, plough, roots, slosh. Short forms; what longer
// runs give is in docs/scenes/sand.md.
#include "capstan/array.h"
#include "capstan/grains.h"
#include "scene_world.h"

#include <math.h>
#include <stdlib.h>

static const double G = 9.81, BULK = 2600.0 * 0.6;

static CpsVec3 force_on(const CpsWorld* world, int32_t obstacle) {
  CpsVec3 force;
  assert_int_equal(cps_world_grains_force(world, cps_world_obstacle(world, obstacle), &force), CPS_OK);
  return force;
}

// The wall moves by a hundredth of a millimetre a step, off the nodes of the grid at once: the thrust is (1 - mu)/(1 + mu) of the
// hydrostatic one when it is drawn back, and the inverse when it is pushed in, to 1 %.
//
// In a box wider than it is high a wedge slides down on a plane of 45 degrees while the rest stands still. Where sand does not dilate,
// such a plane bears tau/N = mu only (docs/theory/grains.md), and the thrust is between Rankine's and that for the friction
// angle atan mu, (1 - s)/(1 + s) with s = sin atan mu: the law has both as solutions, as for slopes.
static void test_rankine(void** unused) {
  (void)unused;
  const double mu = 0.5, active = (1.0 - mu) / (1.0 + mu), hydrostatic = 0.5 * BULK * G * 0.3 * 0.3;
  const double s = mu / sqrt(1.0 + mu * mu), wedge = (1.0 - s) / (1.0 + s);
  const char* const width[3] = {"30 cm", "30 cm", "50 cm"};
  const double speed[3] = {1e-3, -1e-3, 1e-3}, low[3] = {active, 1.0 / active, active},
               high[3] = {active, 1.0 / active, wedge};
  for (int k = 0; k < 3; ++k) {
    Overrides o = {0};
    override(&o, "time.step=%s", "10 ms");
    override(&o, "parameters.width=%s", width[k]);
    override(&o, "parameters.speed=%g", speed[k]);
    CpsWorld* world = open_scene("rankine.yaml", &o);
    const Run run = run_until(world, 0.05);
    assert_int_equal(run.unsolved, 0);
    const double K = force_on(world, 2).x / hydrostatic;
    if (!(K > 0.99 * low[k] && K < 1.01 * high[k])) fail_msg("K = %g is not in %g to %g", K, low[k], high[k]);
    assert_below(cps_world_grains_info(world).fastest, 3e-3);  // grains follow the wall, which moves at 1e-3
    cps_world_destroy(world);
  }
}

// Walls bear the rest of the weight, by all their friction; the ratio K of horizontal to vertical stress that Janssen's formula needs for
// this floor is between Rankine's two, (1 - mu)/(1 + mu) and its inverse.
static void test_janssen(void** unused) {
  (void)unused;
  Overrides o = {0};
  override(&o, "time.step=%s", "10 ms");
  CpsWorld* world = open_scene("janssen.yaml", &o);
  const Run run = run_until(world, 0.06);
  assert_int_equal(run.unsolved, 0);
  const double width = 0.1, height = 0.6, weight = BULK * G * width * height, wall = 0.3;
  const CpsVec3 floor = force_on(world, 0), left = force_on(world, 1), right = force_on(world, 2);
  assert_near((floor.z + left.z + right.z) / weight, -1.0, 1e-5);
  assert_near(left.z / left.x, wall, 1e-3);
  assert_near(right.z / right.x, -wall, 1e-3);
  double low = 0.01, high = 100.0;
  for (int i = 0; i < 60; ++i) {
    const double K = sqrt(low * high), deep = BULK * G * width * width / (2.0 * wall * K);
    const double bears = deep * (1.0 - exp(-2.0 * wall * K * height / width));
    *(bears > -floor.z ? &low : &high) = K;
  }
  if (!(low > 0.98 / 3.0 && low < 3.0)) fail_msg("K = %g", low);
  assert_below(-floor.z, 0.6 * weight);
  cps_world_destroy(world);
}

// A front of dense grains rises as rho g t^2 / (2 (1 - rho)), rho = 5/6, and everything above is as loose as it was: the mean fraction
// says where the front is, to half a cell. In the end the layer is rho as high.
static void test_compaction(void** unused) {
  (void)unused;
  Overrides o = {0};
  override(&o, "parameters.width=%s", "5 cm");
  override(&o, "solver.tolerance=%s", "1e-4");
  CpsWorld* world = open_scene("compaction.yaml", &o);
  const double rho = 5.0 / 6.0, height = 0.5;
  for (int k = 1; k <= 2; ++k) {
    const Run run = run_until(world, 0.04 * k);
    assert_int_equal(run.unsolved, 0);
    const CpsThing sand = cps_thing_grains(world);
    const int64_t count = cps_world_array_count(world, sand, CPS_QUANTITY_FRACTION);
    double* phi = malloc((size_t)count * sizeof *phi);
    double dense = 0.0;
    assert_int_equal(cps_world_array(world, sand, CPS_QUANTITY_FRACTION, phi, sizeof *phi), CPS_OK);
    for (int64_t i = 0; i < count; ++i)
      dense += (phi[i] - 0.5) / 0.1 / (double)count;  // part of the mass that is dense
    free(phi);
    const double t = cps_world_time(world), front = rho * G * t * t / (2.0 * (1.0 - rho));
    assert_near(dense * rho * height, front, 0.0125);
  }
  (void)run_until(world, 0.14);
  const CpsGrainsInfo info = cps_world_grains_info(world);
  assert_near(info.upper.z, rho * height, 0.025);
  cps_world_destroy(world);
}

// A quarter of a round column: its mass is that of the cylinder, and it spreads along x as along y.
static void test_round(void** unused) {
  (void)unused;
  CpsWorld* world = open_scene("sand-column-round.yaml", NULL);
  const CpsGrainsInfo then = cps_world_grains_info(world);
  assert_near(then.mass / (BULK * 0.25 * acos(-1.0) * 1e-3), 1.0, 0.04);  // particles of 1.25 cm
  const Run run = run_until(world, 0.12);
  assert_int_equal(run.unsolved, 0);
  assert_below(run.books_error, 1e-9);
  const CpsGrainsInfo now = cps_world_grains_info(world);
  assert_true(now.mass == then.mass);
  assert_true(now.upper.x > 0.105);
  assert_near(now.upper.x, now.upper.y, 1e-3);  // the tolerance of the solver
  cps_world_destroy(world);
}

// The rope, the body, its friction and the stresses of the sand are solved together: the sand holds the share back and bears it.
static void test_plough(void** unused) {
  (void)unused;
  Overrides o = {0};
  override(&o, "parameters.cell=%s", "4 cm");
  CpsWorld* world = open_scene("plough.yaml", &o);
  const Run run = run_until(world, 0.06);
  assert_int_equal(run.unsolved, 0);
  assert_below(run.residual_max, 1e-3);
  CpsVec3 force;
  assert_int_equal(cps_world_grains_force_on(world, cps_thing_body(cps_world_body(world, 0)), &force), CPS_OK);
  assert_true(force.x < -1.0 && force.z > 1.0);
  const CpsBodyState share = body(world, 0);
  assert_true(share.velocity.x > 0.2);  // the winch goes at 0.3 m/s
  cps_world_destroy(world);
}

// Roots that are drawn out of sand: fibres, friction and stresses are one problem. The sand holds each root back, and lets go of it: the part
// that is still in the sand gets shorter, and so does what holds it.
static void test_roots(void** unused) {
  (void)unused;
  Overrides o = {0};
  override(&o, "parameters.cell=%s", "4 cm");
  override(&o, "parameters.speed=%s", "1 m/s");
  CpsWorld* world = open_scene("roots.yaml", &o);
  double held[2] = {0.0, 0.0};
  for (int k = 0; k < 2; ++k) {
    const Run run = run_until(world, k == 0 ? 0.01 : 0.1);
    assert_int_equal(run.unsolved, 0);
    assert_below(run.residual_max, 1e-4);
    for (int i = 0; i < 2; ++i) {
      CpsVec3 force;
      assert_int_equal(cps_world_grains_force_on(world, cps_thing_fibre(cps_world_fibre(world, i)), &force), CPS_OK);
      assert_true(force.z < 0.0);
      held[k] -= force.z;
    }
  }
  assert_true(held[1] < 0.5 * held[0]);
  cps_world_destroy(world);
}

static CpsVec3 centre_of(const CpsWorld* world) {
  const CpsThing grains = cps_thing_grains(world);
  const int64_t count = cps_world_array_count(world, grains, CPS_QUANTITY_POSITION);
  double* x = malloc(3 * (size_t)count * sizeof *x);
  CpsVec3 sum = {0.0, 0.0, 0.0};
  assert_int_equal(cps_world_array(world, grains, CPS_QUANTITY_POSITION, x, 3 * sizeof *x), CPS_OK);
  for (int64_t p = 0; p < count; ++p) {
    sum.x += x[3 * p] / (double)count;
    sum.z += x[3 * p + 2] / (double)count;
  }
  free(x);
  return sum;
}

// Grains without friction slosh: the centre is back in the middle after each half period of the first wave, omega^2 = g k tanh(k H), to 2 %, and
// the volume stays to 1 %. Without grain_crowd.c it has lost 2.5 % after a period.
static void test_slosh(void** unused) {
  (void)unused;
  Overrides o = {0};
  override(&o, "parameters.cell=%s", "10 cm");
  override(&o, "time.step=%s", "20 ms");
  CpsWorld* world = open_scene("slosh.yaml", &o);
  const double k = acos(-1.0), half = acos(-1.0) / sqrt(G * k * tanh(0.5 * k));
  Run run = {0};
  CpsVec3 then = {0.5, 0.0, 0.0}, now = {0.5, 0.0, 0.25};
  int crossings = 0;
  while (crossings < 4 && cps_world_time(world) < 4.5 * half) {
    const double time = cps_world_time(world);
    then = now;
    run_step(world, &run);
    now = centre_of(world);
    assert_near(now.z / 0.25, 1.0, 0.01);
    if (!((then.x - 0.5) * (now.x - 0.5) < 0.0)) continue;
    const double crossed = time + (cps_world_time(world) - time) * (then.x - 0.5) / (then.x - now.x);
    assert_near(crossed / (++crossings * half), 1.0, 0.02);
  }
  assert_int_equal(crossings, 4);
  assert_int_equal(run.unsolved, 0);
  assert_below(run.books_error, 1e-9);
  cps_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rankine), cmocka_unit_test(test_janssen), cmocka_unit_test(test_compaction),
      cmocka_unit_test(test_round),   cmocka_unit_test(test_plough),  cmocka_unit_test(test_roots),
      cmocka_unit_test(test_slosh),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
