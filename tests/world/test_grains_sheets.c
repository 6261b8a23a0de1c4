// labels: release
// Sheets and soft solids in sand: nothing passes through them, and they carry what lies on them. Pulled out of a bed, they feel the
// friction of the pressures on both sides, and they push the sand as it pushes them.
#include "sheet_helpers.h"
#include "world_helpers.h"

#include <math.h>

static const double G = 9.81, RHO = 2600.0, FRACTION = 0.6;

static CpsWorld* make_empty(double gravity, double tolerance, double cell) {
  CpsWorldDef def = cps_world_def_default();
  def.step = 1e-3;
  def.gravity = (CpsVec3){0.0, 0.0, -gravity};
  def.solver.tolerance = tolerance;
  CpsWorld* world = make_world(&def);
  CpsGridDef grid = cps_grid_def_default();
  grid.cell = cell;
  must(cps_world_set_grid(world, &grid, &must_error));
  return world;
}

static void add_sand(CpsWorld* world, CpsVec3 lower, CpsVec3 upper, double mu) {
  CpsGrainsDef sand = cps_grains_def_default();
  sand.lower = lower;
  sand.upper = upper;
  sand.mu = mu;
  must(cps_world_add_grains(world, &sand, &must_error));
}

// Four smooth walls around x and y in +-0.2 m, and a floor.
static void add_box(CpsWorld* world) {
  const double c = sqrt(0.5);
  const CpsQuat looks[] = {
      {1.0, 0.0, 0.0, 0.0}, {c, 0.0, c, 0.0}, {c, 0.0, -c, 0.0}, {c, -c, 0.0, 0.0}, {c, c, 0.0, 0.0}};
  const CpsVec3 at[] = {{0.0, 0.0, 0.0}, {-0.2, 0.0, 0.0}, {0.2, 0.0, 0.0}, {0.0, -0.2, 0.0}, {0.0, 0.2, 0.0}};
  for (int i = 0; i < 5; ++i) {
    CpsObstacleDef wall = cps_obstacle_def_default();
    wall.shape = cps_plane();
    wall.pose = (CpsPose){at[i], looks[i]};
    wall.mu = 0.0;
    add_obstacle(world, &wall);
  }
}

static void run(CpsWorld* world, int steps) {
  for (int i = 0; i < steps; ++i) must(cps_world_step(world, NULL, &must_error));
}

static CpsVec3 force_on(const CpsWorld* world, CpsThing thing) {
  CpsVec3 force;
  assert_int_equal(cps_world_grains_force_on(world, thing, &force), CPS_OK);
  return force;
}

// A sheet all of whose vertices move at a velocity.
static CpsThing add_led(CpsWorld* world, const Rectangle* r, CpsVec3 velocity, double mu) {
  CpsSheetDef def = sheet_of_rectangle(r);
  int32_t* all = calloc((size_t)r->vertex_count, sizeof *all);
  assert_non_null(all);
  for (int32_t i = 0; i < r->vertex_count; ++i) all[i] = i;
  CpsPin pin = cps_pin_default();
  pin.vertex_count = r->vertex_count;
  pin.vertices = all;
  pin.motion.kind = CPS_MOTION_VELOCITY;
  pin.motion.velocity = velocity;
  def.pins = &pin;
  def.pin_count = 1;
  def.mu = mu;
  CpsSheetId id;
  must(cps_world_add_sheet(world, &def, &id, &must_error));
  free(all);
  return cps_thing_sheet(id);
}

// A floor of cloth between two nodes of the grid carries the sand on it, and none of it goes through. With a mesh finer than a cell, and with
// two triangles over all of it.
static void test_bears(void** unused) {
  (void)unused;
  for (int cells = 1; cells <= 8; cells += 7) {
    CpsWorld* world = make_empty(G, 1e-9, 0.1);
    add_box(world);
    add_sand(world, (CpsVec3){-0.2, -0.2, 0.15}, (CpsVec3){0.2, 0.2, 0.4}, 0.5);
    Rectangle r =
        make_rectangle(cells, cells, (CpsVec3){-0.2, -0.2, 0.15}, (CpsVec3){0.4, 0.0, 0.0}, (CpsVec3){0.0, 0.4, 0.0});
    const CpsThing sheet = add_led(world, &r, (CpsVec3){0.0, 0.0, 0.0}, 0.3);
    run(world, 200);
    const CpsThing grains = cps_thing_grains(world);
    const int64_t count = cps_world_array_count(world, grains, CPS_QUANTITY_POSITION);
    CpsVec3* x = calloc((size_t)count, sizeof *x);
    must(cps_world_array(world, grains, CPS_QUANTITY_POSITION, &x->x, sizeof *x));
    for (int64_t i = 0; i < count; ++i) assert_true(x[i].z > 0.15);
    const double weight = RHO * FRACTION * G * 0.4 * 0.4 * 0.25;
    assert_near(-force_on(world, sheet).z / weight, 1.0, 1e-5);
    free(x);
    free_rectangle(&r);
    cps_world_destroy(world);
  }
}

// Without friction inside, the medium presses like water: a sheet that is drawn along itself is held by mu rho phi g d on both sides, an
// upright one by the mean depth.
static void test_drawn_along(void** unused) {
  (void)unused;
  for (int upright = 0; upright < 2; ++upright) {
    CpsWorld* world = make_empty(G, 1e-9, 0.1);
    add_box(world);
    add_sand(world, (CpsVec3){-0.2, -0.2, 0.0}, (CpsVec3){0.2, 0.2, 0.5}, 0.0);
    const CpsVec3 down = {0.0, 0.0, upright ? 0.16 : 0.0}, deep = {0.0, upright ? 0.0 : 0.16, 0.0};
    Rectangle r = make_rectangle(4, 4, (CpsVec3){-0.1, -0.07, 0.13}, (CpsVec3){0.2, 0.0, 0.0}, upright ? down : deep);
    const double mu = 0.1, depth = 0.5 - (upright ? 0.21 : 0.13);
    const CpsThing sheet = add_led(world, &r, (CpsVec3){-0.02, 0.0, 0.0}, mu);
    run(world, 2);  // in the first the pressure is not known yet; later the medium begins to move
    const double expected = mu * 2.0 * 0.2 * 0.16 * RHO * FRACTION * G * depth;
    assert_near(force_on(world, sheet).x / expected, 1.0, 0.02);
    free_rectangle(&r);
    cps_world_destroy(world);
  }
}

// What flies into a lump of sand in empty space gives its momentum to it, and no energy is made.
static void check_throw(CpsWorld* world) {
  CpsVec3 before, after, spin;
  cps_world_momentum(world, &before, &spin);
  double last = INFINITY;
  for (int i = 0; i < 30; ++i) {
    run(world, 1);
    const CpsEnergy e = cps_world_energy(world);
    const double now = e.kinetic + e.elastic;
    assert_true(now <= last * (1.0 + 1e-9));
    last = now;
  }
  cps_world_momentum(world, &after, &spin);
  assert_near(after.x / before.z, before.x / before.z, 1e-9);
  assert_near(after.y / before.z, before.y / before.z, 1e-9);
  assert_near(after.z / before.z, 1.0, 1e-9);
  const CpsThing grains = cps_thing_grains(world);
  CpsVec3 v[512];
  const int64_t count = cps_world_array_count(world, grains, CPS_QUANTITY_VELOCITY);
  assert_true(count <= 512);
  must(cps_world_array(world, grains, CPS_QUANTITY_VELOCITY, &v->x, sizeof *v));
  double mean = 0.0;
  for (int64_t i = 0; i < count; ++i) mean += v[i].z / (double)count;
  assert_true(mean < -1e-3);
}

static CpsWorld* make_lump(void) {
  CpsWorld* world = make_empty(0.0, 1e-6, 0.1);
  add_sand(world, (CpsVec3){-0.15, -0.15, 0.0}, (CpsVec3){0.15, 0.15, 0.2}, 0.5);
  return world;
}

static void test_a_sheet_pushes(void** unused) {
  (void)unused;
  CpsWorld* world = make_lump();
  Rectangle r = make_rectangle(4, 4, (CpsVec3){-0.1, -0.12, 0.26}, (CpsVec3){0.2, 0.0, 0.0}, (CpsVec3){0.0, 0.2, 0.03});
  CpsSheetDef def = sheet_of_rectangle(&r);
  def.density = 5.0;
  def.velocity = (CpsVec3){0.5, 0.2, -5.0};
  must(cps_world_add_sheet(world, &def, NULL, &must_error));
  check_throw(world);
  free_rectangle(&r);
  cps_world_destroy(world);
}

// A tetrahedron on its way down with a face ahead, and one of the smooth kind.
static void test_a_solid_pushes(void** unused) {
  (void)unused;
  const CpsVec3 vertices[] = {{-0.1, -0.1, 0.26}, {0.12, -0.08, 0.27}, {0.0, 0.1, 0.26}, {0.0, 0.0, 0.4}};
  const int32_t corners[] = {0, 1, 2, 3};
  for (int smooth = 0; smooth < 2; ++smooth) {
    CpsWorld* world = make_lump();
    CpsSolidDef def = cps_solid_def_default();
    def.vertex_count = 4;
    def.vertices = vertices;
    def.tetrahedron_count = 1;
    def.tetrahedra = corners;
    def.matter.density = 800.0;
    def.velocity = (CpsVec3){0.5, 0.2, -5.0};
    def.smooth.on = smooth;
    must(cps_world_add_solid(world, &def, NULL, &must_error));
    check_throw(world);
    cps_world_destroy(world);
  }
}

// A sheet with sand on it, hung at two sides.
static CpsWorld* make_hammock(int threads) {
  CpsWorldDef def = cps_world_def_default();
  def.step = 1e-3;
  def.threads = threads;
  def.solver.tolerance = 1e-4;
  CpsWorld* world = make_world(&def);
  CpsGridDef grid = cps_grid_def_default();
  grid.cell = 0.1;
  must(cps_world_set_grid(world, &grid, &must_error));
  add_sand(world, (CpsVec3){-0.1, -0.1, 0.1}, (CpsVec3){0.1, 0.1, 0.2}, 0.5);
  Rectangle r = make_rectangle(4, 4, (CpsVec3){-0.2, -0.2, 0.12}, (CpsVec3){0.4, 0.0, 0.0}, (CpsVec3){0.0, 0.4, 0.0});
  int32_t held[10];
  for (int i = 0; i < 10; ++i) held[i] = i % 5 * 5 + i / 5 * 4;
  CpsPin pin = cps_pin_default();
  pin.vertices = held;
  pin.vertex_count = 10;
  CpsSheetDef sheet = sheet_of_rectangle(&r);
  sheet.pins = &pin;
  sheet.pin_count = 1;
  must(cps_world_add_sheet(world, &sheet, NULL, &must_error));
  free_rectangle(&r);
  return world;
}

static void test_same_bits(void** unused) {
  (void)unused;
  CpsWorld* world[3] = {make_hammock(1), make_hammock(2), make_hammock(1)};
  for (int k = 0; k < 2; ++k) run(world[k], 10);
  assert_true(cps_world_hash(world[0]) == cps_world_hash(world[1]));
  const size_t size = cps_world_state_size(world[0]);
  void* bytes = malloc(size);
  assert_non_null(bytes);
  must(cps_world_save(world[0], bytes, size, &must_error));
  must(cps_world_load(world[2], bytes, size, &must_error));
  for (int k = 0; k < 3; ++k) run(world[k], 10);
  for (int k = 1; k < 3; ++k) assert_true(cps_world_hash(world[0]) == cps_world_hash(world[k]));
  CpsStepInfo info;
  must(cps_world_step(world[0], &info, &must_error));
  assert_true(info.contacts > 3);
  free(bytes);
  for (int k = 0; k < 3; ++k) cps_world_destroy(world[k]);
}

static void test_the_plane_has_none(void** unused) {
  (void)unused;
  CpsWorldDef def = cps_world_def_default();
  CpsWorld* world = make_world(&def);
  CpsGridDef grid = cps_grid_def_default();
  grid.plane = true;
  must(cps_world_set_grid(world, &grid, &must_error));
  add_sand(world, (CpsVec3){0.0, 0.0, 0.0}, (CpsVec3){0.1, 0.0, 0.1}, 0.5);
  Rectangle r = make_rectangle(2, 2, (CpsVec3){0.0, 0.0, 2.0}, (CpsVec3){0.1, 0.0, 0.0}, (CpsVec3){0.0, 0.1, 0.0});
  const CpsSheetDef sheet = sheet_of_rectangle(&r);
  must(cps_world_add_sheet(world, &sheet, NULL, &must_error));
  CpsError error;
  assert_int_equal(cps_world_step(world, NULL, &error), CPS_UNSUPPORTED);
  assert_string_equal(
      error.text, "sheet 0 is a surface, which can touch a granular medium only in space, and the grid has a plane");
  free_rectangle(&r);
  cps_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bears),          cmocka_unit_test(test_drawn_along),
      cmocka_unit_test(test_a_sheet_pushes), cmocka_unit_test(test_a_solid_pushes),
      cmocka_unit_test(test_same_bits),      cmocka_unit_test(test_the_plane_has_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
