// labels: threads
// Grains in a world, against closed forms: the stress of sand at rest, on slopes and between walls, falling and compacting; then the
// invariants of every step.
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
  grid.plane = true;
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

// Sand at rest stays at rest: each layer carries the layers above, floor and walls carry the weight, nothing moves and nothing is lost.
static void test_rest(void** unused) {
  (void)unused;
  for (int at = 0; at < 2; ++at) {
    Box box = {.cell = 0.1, .wide = 0.5, .high = 1.0, .mu = 0.5, .walls = true, .tolerance = 1e-12};
    box.stress = (CpsStressAt)at;
    Bed bed = make_bed(&box);
    run_until(bed.world, 0.03);
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
  const double mu = 0.5, steep = cps_grains_static_slope(mu, true) + 0.01;
  assert_near(cps_grains_static_slope(mu, true), 0.57735026918962576, 1e-15);
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
  grid.plane = true;
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

// Loose grains fall onto a floor and compact: the dense part grows as rho g t^2 / (2 (1 - rho)), rho = phi / phi_max, until the
// column is rho times as high. The front is the lower end of the falling medium.
static void test_compaction(void** unused) {
  (void)unused;
  const double rho = 5.0 / 6.0;
  const Box box = {.cell = 0.02, .wide = 0.04, .high = 0.3, .mu = 0.3, .fraction = 0.5};
  Bed bed = make_bed(&box);
  for (int k = 1; k <= 3; ++k) {
    const double t = 0.025 * k;
    run_until(bed.world, t);
    // between the highest centre of a cell that has nearly stopped and the next one above it
    double low = 0.0, slow = 0.0, front = 0.0;
    for (int32_t i = 0; i < cps_world_grain_cell_count(bed.world); ++i) {
      CpsGrainCell cell;
      assert_int_equal(cps_world_grain_cell(bed.world, i, &cell), CPS_OK);
      const double half = -0.5 * G * t, v = cell.velocity.z;
      if (cell.centre.x > box.cell) break;
      if (v < half) {
        front = low + (cell.centre.z - low) * (half - slow) / (v - slow);
        break;
      }
      low = cell.centre.z;
      slow = v;
    }
    assert_near(front, rho * G * t * t / (2.0 * (1.0 - rho)), box.cell);
  }
  run_until(bed.world, 0.12);
  const CpsGrainsInfo info = cps_world_grains_info(bed.world);
  assert_near(info.upper.z + 0.25 * box.cell, rho * box.high, box.cell);
  cps_world_destroy(bed.world);
}

// Rankine: the thrust on a smooth wall is that of the active state if the wall yields, and of the passive state if it is pushed in.
static double thrust(double velocity, double mu) {
  const Box box = {.cell = 0.1, .wide = 1.2, .high = 0.4, .mu = mu};
  CpsWorldDef def = cps_world_def_default();
  def.step = 1e-3;
  def.gravity = (CpsVec3){0.0, 0.0, -G};
  CpsWorld* world = make_world(&def);
  CpsObstacleDef floor = cps_obstacle_def_default();
  floor.shape = cps_plane();
  floor.mu = 0.0;
  add_obstacle(world, &floor);
  add_wall(world, 0.0, 1.0, 0.0, 0.0);
  const CpsObstacleId wall = add_wall(world, box.wide, -1.0, 0.0, velocity);
  CpsGridDef grid = cps_grid_def_default();
  grid.plane = true;
  grid.cell = box.cell;
  must(cps_world_set_grid(world, &grid, &must_error));
  CpsGrainsDef sand = cps_grains_def_default();
  sand.upper = (CpsVec3){box.wide, 0.0, box.high};
  sand.mu = mu;
  must(cps_world_add_grains(world, &sand, &must_error));
  must(cps_world_step(world, NULL, &must_error));
  CpsVec3 force;
  assert_int_equal(cps_world_grains_force(world, wall, &force), CPS_OK);
  cps_world_destroy(world);
  return force.x / (0.5 * DENSITY * FRACTION * G * box.high * box.high);
}

static void test_rankine(void** unused) {
  (void)unused;
  const double mu = 0.4, active = (1.0 - mu) / (1.0 + mu);
  assert_near(thrust(1e-5, mu) / active, 1.0, 0.01);
  assert_near(thrust(-1e-5, mu) * active, 1.0, 0.01);
}

// A column without walls collapses on a floor: mass to rounding, energy never grows, the energy balance closes, and no pressure is
// negative.
static void test_collapse(void** unused) {
  (void)unused;
  Box box = {.cell = 0.02, .wide = 0.1, .high = 0.1, .mu = 0.5, .wall_mu = 0.5};
  for (int at = 0; at < 2; ++at) {
    CpsWorldDef def = cps_world_def_default();
    def.step = 4e-3;
    def.gravity = (CpsVec3){0.0, 0.0, -G};
    CpsWorld* world = make_world(&def);
    CpsObstacleDef floor = cps_obstacle_def_default();
    floor.shape = cps_plane();
    floor.mu = box.wall_mu;
    add_obstacle(world, &floor);
    CpsGridDef grid = cps_grid_def_default();
    grid.plane = true;
    grid.cell = box.cell;
    grid.stress = (CpsStressAt)at;
    must(cps_world_set_grid(world, &grid, &must_error));
    CpsGrainsDef sand = cps_grains_def_default();
    sand.upper = (CpsVec3){box.wide, 0.0, box.high};
    must(cps_world_add_grains(world, &sand, &must_error));
    const double mass = cps_world_grains_info(world).mass;
    double last = INFINITY, first = 0.0;
    while (cps_world_time(world) < 0.24 - 1e-9) {
      must(cps_world_step(world, NULL, &must_error));
      const CpsEnergy e = cps_world_energy(world);
      const double total = e.kinetic + e.potential;
      if (last == INFINITY) first = total;
      assert_true(total <= last + 1e-8 * first);  // the tolerance of the solver
      assert_below(e.error, 1e-9);
      last = total;
      for (int32_t i = 0; i < cps_world_grain_cell_count(world); ++i) {
        CpsGrainCell cell;
        assert_int_equal(cps_world_grain_cell(world, i, &cell), CPS_OK);
        assert_true(cell.pressure >= 0.0);
        assert_true(cell.fraction <= sand.fraction_max);
      }
    }
    const CpsGrainsInfo info = cps_world_grains_info(world);
    assert_near(info.mass, mass, 1e-12 * mass);
    assert_true(info.upper.x > 0.12);  // it spread
    assert_true(info.upper.z > 0.04);  // and is a heap
    CpsVec3 centre, spin;
    cps_world_momentum(world, &centre, &spin);
    assert_near(info.lower.x + info.upper.x, box.wide, 1e-3);  // to both sides alike
    cps_world_destroy(world);
  }
}

// The same bits for any number of threads, and for a run that was interrupted.
static void test_same_bits_for_any_threads(void** unused) {
  (void)unused;
  Box box = {.cell = 0.02, .wide = 0.4, .high = 0.2, .mu = 0.5, .wall_mu = 0.6, .slope = 0.8, .fraction = 0.55};
  const int steps = SANITIZED ? 4 : 8;
  uint64_t hash[4];
  void* state = NULL;
  size_t bytes = 0;
  for (int threads = 1; threads <= 3; ++threads) {
    box.threads = threads;
    Bed bed = make_bed(&box);
    for (int i = 0; i < steps; ++i) {
      must(cps_world_step(bed.world, NULL, &must_error));
      if (threads > 1 || i != steps / 2) continue;
      bytes = cps_world_state_size(bed.world);
      state = malloc(bytes);
      must(cps_world_save(bed.world, state, bytes, &must_error));
    }
    hash[threads] = cps_world_hash(bed.world);
    cps_world_destroy(bed.world);
  }
  Bed bed = make_bed(&box);
  must(cps_world_load(bed.world, state, bytes, &must_error));
  for (int i = steps / 2 + 1; i < steps; ++i) must(cps_world_step(bed.world, NULL, &must_error));
  hash[0] = cps_world_hash(bed.world);
  // a state with a particle that is nowhere is refused
  double* numbers = state;
  CpsError error;
  for (size_t i = 0; i < bytes / sizeof *numbers; ++i) {
    if (numbers[i] == 0.55) numbers[i] = 0.7;
  }
  assert_int_equal(cps_world_load(bed.world, state, bytes, &error), CPS_BAD_DATA);
  free(state);
  cps_world_destroy(bed.world);
  for (int k = 1; k < 4; ++k) assert_true(hash[k] == hash[0]);
}

// Impossible input is refused with a message, and nearly empty input has an answer.
static void test_refusals(void** unused) {
  (void)unused;
  CpsWorldDef def = cps_world_def_default();
  CpsWorld* world = make_world(&def);
  CpsError error;
  CpsGridDef grid = cps_grid_def_default();
  grid.plane = true;
  CpsGrainsDef sand = cps_grains_def_default();
  sand.upper = (CpsVec3){0.01, 0.0, 0.01};
  assert_int_equal(cps_world_add_grains(world, &sand, &error), CPS_BAD_ARGUMENT);  // no grid
  grid.cell = NAN;
  assert_int_equal(cps_world_set_grid(world, &grid, &error), CPS_BAD_DATA);
  grid = cps_grid_def_default();
  grid.plane = true;
  grid.period = 1;
  assert_int_equal(cps_world_set_grid(world, &grid, &error), CPS_BAD_DATA);
  grid = cps_grid_def_default();
  grid.plane = true;
  must(cps_world_set_grid(world, &grid, &must_error));
  assert_int_equal(cps_world_set_grid(world, &grid, &error), CPS_BAD_ARGUMENT);  // twice
  CpsGrainsDef bad[6] = {sand, sand, sand, sand, sand, sand};
  bad[0].fraction = 0.7;
  bad[1].mu = -1.0;
  bad[2].upper.z = NAN;
  bad[3].upper.x = 0.0;
  bad[4].density = 0.0;
  bad[5].upper = (CpsVec3){1e6, 0.0, 1e6};  // 1e17 particles
  for (int i = 0; i < 6; ++i) {
    error.text[0] = '\0';
    assert_true(cps_world_add_grains(world, &bad[i], &error) < 0);
    assert_true(error.text[0] != '\0');
  }
  assert_int_equal(cps_world_grains_info(world).particle_count, 0);
  must(cps_world_step(world, NULL, &must_error));  // a grid without grains
  // one particle; the friction of rock; falls forever
  CpsVec3 place = {0.5, 3.0, 0.25};
  sand.particle_count = 1;
  sand.particles = &place;
  sand.particle_volume = 1e-6;
  sand.mu = 5.0;
  must(cps_world_add_grains(world, &sand, &must_error));
  for (int i = 0; i < 10; ++i) must(cps_world_step(world, NULL, &must_error));
  assert_int_equal(cps_world_grains_info(world).particle_count, 1);
  assert_near(cps_world_grains_info(world).fastest, 10.0 * 9.81e-3, 1e-12);
  CpsVec3 force;
  assert_int_equal(cps_world_grains_force(world, (CpsObstacleId){0, 0}, &force), CPS_BAD_ARGUMENT);
  cps_world_destroy(world);
}

int main(void) {
  keep_to_threads("*threads*");
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rest),
      cmocka_unit_test(test_hydrostatics),
      cmocka_unit_test(test_slope),
      cmocka_unit_test(test_slab_slides),
      cmocka_unit_test(test_free_fall),
      cmocka_unit_test(test_compaction),
      cmocka_unit_test(test_rankine),
      cmocka_unit_test(test_collapse),
      cmocka_unit_test(test_same_bits_for_any_threads),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
