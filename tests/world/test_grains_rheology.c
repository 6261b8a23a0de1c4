// labels: release
// Grains with more than friction: viscosity, cohesion, friction that grows with the inertial number. Closed forms.
#include "world_helpers.h"

#include "capstan/array.h"

#include <math.h>
#include <stdlib.h>

static const double G = 9.81, DENSITY = 2600.0, FRACTION = 0.6;

// A layer without ends, H deep, on a rough floor that leans by atan(slope), until it flows steadily.
static CpsWorld* flow_down(const CpsGrainsDef* def, double slope, double H, int cells, double step, double time) {
  CpsWorldDef settings = cps_world_def_default();
  const double norm = sqrt(1.0 + slope * slope);
  settings.step = step;
  settings.gravity = (CpsVec3){G * slope / norm, 0.0, -G / norm};
  settings.solver.tolerance = 1e-6;
  CpsWorld* world = make_world(&settings);
  CpsObstacleDef floor = cps_obstacle_def_default();
  floor.shape = cps_plane();
  floor.mu = 10.0;
  add_obstacle(world, &floor);
  CpsGridDef grid = cps_grid_def_default();
  grid.cell = H / cells;
  grid.plane = true;
  grid.period = 2;
  must(cps_world_set_grid(world, &grid, &must_error));
  CpsGrainsDef sand = *def;
  sand.upper = (CpsVec3){2.0 * grid.cell, 0.0, H};
  must(cps_world_add_grains(world, &sand, &must_error));
  while (cps_world_time(world) < time - 1e-9) must(cps_world_step(world, NULL, &must_error));
  return world;
}

// The largest error of the velocity of a particle, as a part of the largest velocity.
static double profile_error(const CpsWorld* world, double most, double (*u)(double z, const double* data),
                            const double* data) {
  const CpsThing grains = cps_thing_grains(world);
  const int64_t count = cps_world_array_count(world, grains, CPS_QUANTITY_POSITION);
  double *x = malloc(3 * (size_t)count * sizeof *x), *v = malloc(3 * (size_t)count * sizeof *v), worst = 0.0;
  assert_int_equal(cps_world_array(world, grains, CPS_QUANTITY_POSITION, x, 3 * sizeof *x), CPS_OK);
  assert_int_equal(cps_world_array(world, grains, CPS_QUANTITY_VELOCITY, v, 3 * sizeof *x), CPS_OK);
  for (int64_t p = 0; p < count; ++p) worst = fmax(worst, fabs(v[3 * p] - u(x[3 * p + 2], data)) / most);
  free(x);
  free(v);
  return worst;
}

static double parabola(double z, const double* data) {
  return data[0] * (data[1] * z - 0.5 * z * z);
}

// u = (rho phi g / eta) (sin - mu cos) (H z - z^2 / 2)
static void test_viscous_chute(void** unused) {
  (void)unused;
  const double H = 0.1, slope = 0.7;
  CpsGrainsDef sand = cps_grains_def_default();
  sand.viscosity = 100.0;
  const double a = DENSITY * FRACTION * G / 100.0 * (slope - sand.mu) / sqrt(1.0 + slope * slope), data[2] = {a, H};
  double error[2];
  for (int k = 0; k < 2; ++k) {
    CpsWorld* world = flow_down(&sand, slope, H, k ? 10 : 5, 1e-2, 0.6);
    error[k] = profile_error(world, 0.5 * a * H * H, parabola, data);
    cps_world_destroy(world);
  }
  assert_below(error[0], 0.025);
  assert_below(error[1], error[0] / 3.0);  // second order
}

static double bagnold(double z, const double* data) {
  return data[0] * (pow(data[1], 1.5) - pow(data[1] - z, 1.5));
}

// u = 2/3 (I / d) sqrt(phi g cos) (H^(3/2) - (H - z)^(3/2)) with mu(I) = slope
static void test_bagnold(void** unused) {
  (void)unused;
  const double H = 0.1, slope = 0.6;
  CpsGrainsDef sand = cps_grains_def_default();
  sand.grain = 0.04;
  const double I = sand.I_0 / ((sand.mu_fast - sand.mu) / (slope - sand.mu) - 1.0);
  const double a = 2.0 / 3.0 * I / sand.grain * sqrt(FRACTION * G / sqrt(1.0 + slope * slope)), data[2] = {a, H};
  CpsWorld* world = flow_down(&sand, slope, H, 10, 2e-2, 4.0);
  assert_true(cps_world_grains_info(world).inertial);
  assert_below(profile_error(world, a * pow(H, 1.5), bagnold, data), 0.02);
  cps_world_destroy(world);
}

// A free block of cohesive grains between two smooth plates yields at the stress q: |Dev| = mu (p + C) with p = q/2, |Dev| = q/2 in the
// plane, q/3 and q/sqrt(3) in space.
static void test_cohesive_block(void** unused) {
  (void)unused;
  for (int plane = 0; plane < 2; ++plane) {
    const double C = 1000.0, mu = 0.5, wide = 0.4;
    CpsWorldDef settings = cps_world_def_default();
    settings.step = 1e-3;
    settings.gravity = (CpsVec3){0.0, 0.0, 0.0};
    settings.solver.tolerance = 1e-8;
    CpsWorld* world = make_world(&settings);
    CpsObstacleDef plate = cps_obstacle_def_default();
    plate.shape = cps_plane();
    plate.mu = 0.0;
    const CpsObstacleId floor = add_obstacle(world, &plate);
    plate.pose = (CpsPose){{0.0, 0.0, 0.3}, {0.0, 1.0, 0.0, 0.0}};
    plate.motion.kind = CPS_MOTION_VELOCITY;
    plate.motion.velocity = (CpsVec3){0.0, 0.0, -0.01};
    add_obstacle(world, &plate);
    CpsGridDef grid = cps_grid_def_default();
    grid.cell = 0.1;
    grid.plane = plane;
    must(cps_world_set_grid(world, &grid, &must_error));
    CpsGrainsDef sand = cps_grains_def_default();
    sand.upper = (CpsVec3){wide, wide, 0.3};
    sand.cohesion = C;
    must(cps_world_add_grains(world, &sand, &must_error));
    for (int i = 0; i < 20; ++i) must(cps_world_step(world, NULL, &must_error));
    CpsVec3 force;
    assert_int_equal(cps_world_grains_force(world, floor, &force), CPS_OK);
    const double yield = plane ? 2.0 * mu * C / (1.0 - mu) : mu * C / (1.0 / sqrt(3.0) - mu / 3.0);
    assert_near(-force.z / (plane ? wide : wide * wide) / yield, 1.0, 1e-3);  // inertia of the block dies out
    const CpsEnergy e = cps_world_energy(world);
    assert_below(e.error, 1e-9);
    cps_world_destroy(world);
  }
}

static void test_refusals(void** unused) {
  (void)unused;
  CpsWorldDef settings = cps_world_def_default();
  CpsWorld* world = make_world(&settings);
  CpsGridDef grid = cps_grid_def_default();
  must(cps_world_set_grid(world, &grid, &must_error));
  for (int k = 0; k < 6; ++k) {
    CpsGrainsDef sand = cps_grains_def_default();
    sand.upper = (CpsVec3){0.1, 0.1, 0.1};
    if (k == 0) sand.viscosity = NAN;
    if (k == 1) sand.cohesion = -1.0;
    if (k == 2) sand.grain = INFINITY;
    if (k >= 3) sand.grain = 1e-3;
    if (k == 3) sand.mu_fast = 0.4;
    if (k == 4) sand.I_0 = 0.0;
    const CpsStatus expected = k < 5 ? CPS_BAD_DATA : CPS_OK;
    assert_int_equal(cps_world_add_grains(world, &sand, NULL), expected);
  }
  cps_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_viscous_chute),
      cmocka_unit_test(test_bagnold),
      cmocka_unit_test(test_cohesive_block),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
