// labels: threads
// Grains in a world, against closed forms: what still sand bears, on slopes and between walls, falling and closing up; then what
// every step keeps.
#include "world_helpers.h"

#include <math.h>
#include <string.h>

static const double G = 9.81, DENSITY = 2600.0, FRACTION = 0.6;

typedef struct Box {
  double cell, wide, high;
  double mu, wall_mu;
  double fraction;
  double slope;  // tan of the angle by which gravity is turned
  bool walls;    // else the grid repeats after its width
  CpsStressAt stress;
  double step, tolerance;
  int threads;
} Box;

typedef struct Bed {
  CpsWorld* world;
  CpsObstacleId floor, left, right;
} Bed;

static CpsObstacleId add_wall(CpsWorld* world, double x, double side, double mu, double velocity) {
  CpsObstacleDef wall = cps_obstacle_def_default();
  wall.shape = cps_plane();
  wall.pose = (CpsPose){{x, 0.0, 0.0}, {sqrt(0.5), 0.0, side * sqrt(0.5), 0.0}};
  wall.mu = mu;
  if (velocity != 0.0) {
    wall.motion.kind = CPS_MOTION_VELOCITY;
    wall.motion.velocity = (CpsVec3){velocity, 0.0, 0.0};
  }
  return add_obstacle(world, &wall);
}

static Bed make_bed(const Box* box) {
  CpsWorldDef def = cps_world_def_default();
  def.step = box->step > 0.0 ? box->step : 1e-3;
  const double angle = atan(box->slope);
  def.gravity = (CpsVec3){G * sin(angle), 0.0, -G * cos(angle)};
  if (box->tolerance > 0.0) def.solver.tolerance = box->tolerance;
  if (box->threads > 0) def.threads = box->threads;
  Bed bed = {.world = make_world(&def)};
  CpsObstacleDef floor = cps_obstacle_def_default();
  floor.shape = cps_plane();
  floor.mu = box->wall_mu;
  bed.floor = add_obstacle(bed.world, &floor);
  if (box->walls) {
    bed.left = add_wall(bed.world, 0.0, 1.0, 0.0, 0.0);
    bed.right = add_wall(bed.world, box->wide, -1.0, 0.0, 0.0);
  }
  CpsGridDef grid = cps_grid_def_default();
  grid.cell = box->cell;
  grid.stress = box->stress;
  if (!box->walls) grid.period = (int32_t)lround(box->wide / box->cell);
  must(cps_world_set_grid(bed.world, &grid, &must_error));
  CpsGrainsDef sand = cps_grains_def_default();
  sand.upper = (CpsVec3){box->wide, 0.0, box->high};
  sand.mu = box->mu;
  sand.fraction = box->fraction > 0.0 ? box->fraction : FRACTION;
  sand.name = "sand";
  must(cps_world_add_grains(bed.world, &sand, &must_error));
  return bed;
}

static void run_until(CpsWorld* world, double time) {
  while (cps_world_time(world) < time - 1e-9) must(cps_world_step(world, NULL, &must_error));
}

// The largest relative error of the mean vertical stress of a layer of cells.
static double layer_error(CpsWorld* world, const Box* box) {
  const int layers = (int)lround(box->high / box->cell);
  double worst = 0.0;
  for (int k = 0; k < layers; ++k) {
    double sum = 0.0;
    int count = 0;
    for (int32_t i = 0; i < cps_world_grain_cell_count(world); ++i) {
      CpsGrainCell cell;
      assert_int_equal(cps_world_grain_cell(world, i, &cell), CPS_OK);
      if ((int)floor(cell.centre.z / box->cell) != k) continue;
      sum -= cell.stress[2];
      ++count;
    }
    const double exact = DENSITY * FRACTION * G * (box->high - (k + 0.5) * box->cell);
    worst = fmax(worst, fabs(sum / count / exact - 1.0));
  }
  return worst;
}

// Still sand is still: each layer bears what lies on it, floor and walls bear the weight, nothing moves and nothing is lost.
static void test_rest(void** unused) {
  (void)unused;
  for (int at = 0; at < 2; ++at) {
    Box box = {.cell = 0.1, .wide = 0.5, .high = 1.0, .mu = 0.5, .walls = true, .tolerance = 1e-12};
    box.stress = (CpsStressAt)at;
    Bed bed = make_bed(&box);
    run_until(bed.world, 0.1);
    assert_below(layer_error(bed.world, &box), 1e-6);
    CpsVec3 floor, left, right;
    assert_int_equal(cps_world_grains_force(bed.world, bed.floor, &floor), CPS_OK);
    assert_int_equal(cps_world_grains_force(bed.world, bed.left, &left), CPS_OK);
    assert_int_equal(cps_world_grains_force(bed.world, bed.right, &right), CPS_OK);
    const CpsGrainsInfo info = cps_world_grains_info(bed.world);
    assert_near(info.mass, DENSITY * FRACTION * box.wide * box.high, 1e-12 * info.mass);
    assert_near((floor.z + left.z + right.z) / (info.mass * G), -1.0, 1e-10);
    assert_near((floor.x + left.x + right.x) / (info.mass * G), 0.0, 1e-10);
    assert_below(info.fastest, 1e-8);
    cps_world_destroy(bed.world);
  }
}

// Without friction the medium is a fluid at rest: the same pressure at one height in every cell.
static void test_hydrostatics(void** unused) {
  (void)unused;
  const Box box = {.cell = 0.1, .wide = 0.5, .high = 1.0, .mu = 0.0, .walls = true, .tolerance = 1e-10};
  Bed bed = make_bed(&box);
  run_until(bed.world, 0.02);
  for (int32_t i = 0; i < cps_world_grain_cell_count(bed.world); ++i) {
    CpsGrainCell cell;
    assert_int_equal(cps_world_grain_cell(bed.world, i, &cell), CPS_OK);
    const double exact = DENSITY * FRACTION * G * (box.high - cell.centre.z);
    assert_near(cell.pressure / exact, 1.0, 1e-8);
    assert_near(cell.stress[0] / exact, -1.0, 1e-8);
  }
  CpsVec3 right;
  assert_int_equal(cps_world_grains_force(bed.world, bed.right, &right), CPS_OK);
  assert_near(right.x / (0.5 * DENSITY * FRACTION * G * box.high * box.high), 1.0, 1e-8);
  cps_world_destroy(bed.world);
}

// Mean velocity along the slope of the uppermost particles.
static double top_speed(CpsWorld* world, const Box* box) {
  const CpsThing grains = cps_thing_grains(world);
  const int64_t count = cps_world_array_count(world, grains, CPS_QUANTITY_POSITION);
  CpsVec3 *x = malloc((size_t)count * sizeof *x), *v = malloc((size_t)count * sizeof *v);
  assert_int_equal(cps_world_array(world, grains, CPS_QUANTITY_POSITION, &x->x, sizeof *x), CPS_OK);
  assert_int_equal(cps_world_array(world, grains, CPS_QUANTITY_VELOCITY, &v->x, sizeof *v), CPS_OK);
  double sum = 0.0;
  int number = 0;
  for (int64_t p = 0; p < count; ++p) {
    if (x[p].z < box->high - box->cell) continue;
    sum += v[p].x;
    ++number;
  }
  free(x);
  free(v);
  return sum / number;
}

// An infinite layer on a rough slope rests below mu; above the static limit it accelerates with g (sin - mu cos).
static void test_slope(void** unused) {
  (void)unused;
  const double mu = 0.5, steep = cps_grains_static_slope(mu) + 0.01;
  assert_near(cps_grains_static_slope(mu), 0.57735026918962576, 1e-15);
  Box box = {.cell = 0.05, .wide = 0.2, .high = 0.2, .mu = mu, .wall_mu = 2.0, .slope = mu - 0.01, .tolerance = 1e-8};
  Bed bed = make_bed(&box);
  run_until(bed.world, 0.05);
  assert_below(cps_world_grains_info(bed.world).fastest, 1e-8);
  cps_world_destroy(bed.world);
  box.slope = steep;
  bed = make_bed(&box);
  run_until(bed.world, 0.05);
  const double angle = atan(steep), expected = G * (sin(angle) - mu * cos(angle)) * 0.05;
  assert_near(top_speed(bed.world, &box) / expected, 1.0, 0.01);
  cps_world_destroy(bed.world);
}

// A slab on a floor that is smoother than the grains are slides as a block does.
static void test_slab_slides(void** unused) {
  (void)unused;
  const Box box = {.cell = 0.05, .wide = 0.2, .high = 0.2, .mu = 0.5, .wall_mu = 0.3, .slope = 0.5};
  Bed bed = make_bed(&box);
  run_until(bed.world, 0.05);
  const double angle = atan(0.5), expected = G * (sin(angle) - 0.3 * cos(angle)) * 0.05;
  assert_near(top_speed(bed.world, &box) / expected, 1.0, 1e-3);
  cps_world_destroy(bed.world);
}

// Without contact particles fly on parabolas: v = v0 + g t, and by the scheme x = x0 + sum of h v.
static void test_free_fall(void** unused) {
  (void)unused;
  CpsWorldDef def = cps_world_def_default();
  def.step = 1e-3;
  def.gravity = (CpsVec3){0.0, 0.0, -G};
  CpsWorld* world = make_world(&def);
  CpsGridDef grid = cps_grid_def_default();
  must(cps_world_set_grid(world, &grid, &must_error));
  CpsGrainsDef sand = cps_grains_def_default();
  sand.lower = (CpsVec3){-0.013, 0.0, 0.017};
  sand.upper = (CpsVec3){0.041, 0.0, 0.052};
  sand.velocity = (CpsVec3){0.3, 0.0, 0.4};
  must(cps_world_add_grains(world, &sand, &must_error));
  const CpsThing grains = cps_thing_grains(world);
  const int64_t count = cps_world_array_count(world, grains, CPS_QUANTITY_POSITION);
  CpsVec3 *x0 = malloc((size_t)count * sizeof *x0), *x = malloc((size_t)count * sizeof *x);
  cps_world_array(world, grains, CPS_QUANTITY_POSITION, &x0->x, sizeof *x0);
  const int steps = 50;
  for (int i = 0; i < steps; ++i) must(cps_world_step(world, NULL, &must_error));
  cps_world_array(world, grains, CPS_QUANTITY_POSITION, &x->x, sizeof *x);
  const double t = steps * def.step, fall = 0.5 * G * def.step * def.step * steps * (steps + 2.0 * def.theta - 1.0);
  for (int64_t p = 0; p < count; ++p) {
    assert_near(x[p].x - x0[p].x, 0.3 * t, 1e-13);
    assert_near(x[p].z - x0[p].z, 0.4 * t - fall, 1e-13);
  }
  CpsVec3 P, L;
  cps_world_momentum(world, &P, &L);
  const double mass = cps_world_grains_info(world).mass;
  assert_near(P.x / mass, 0.3, 1e-12);
  assert_near(P.z / mass, 0.4 - G * t, 1e-12);
  assert_below(cps_world_energy(world).error, 1e-12);
  free(x0);
  free(x);
  cps_world_destroy(world);
}

int main(void) {
  keep_to_threads("*threads*");
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rest),        cmocka_unit_test(test_hydrostatics), cmocka_unit_test(test_slope),
      cmocka_unit_test(test_slab_slides), cmocka_unit_test(test_free_fall),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
