// Spouts of grains: which particles they emit, when and where, and what stops them.
#include "world_helpers.h"

#include <math.h>
#include <string.h>

static const double RATE = 20.0, SPEED = 1.0, STEP = 2e-3;  // kg/s, m/s, s

static CpsGrainsDef spout(double from, double until) {
  CpsGrainsDef def = cps_grains_def_default();
  def.rate = RATE;
  def.centre = (CpsVec3){0.0, 0.0, 0.2};
  def.radius = 0.02;
  def.velocity = (CpsVec3){0.0, 0.0, -SPEED};
  def.from = from;
  def.until = until;
  return def;
}

static CpsWorld* make(double gravity, double h, int threads, const CpsGrainsDef* sand) {
  CpsWorldDef def = cps_world_def_default();
  def.step = h;
  def.threads = threads;
  def.gravity = (CpsVec3){0.0, 0.0, -gravity};
  def.solver.tolerance = 1e-4;
  CpsWorld* world = make_world(&def);
  add_floor(world);
  CpsGridDef grid = cps_grid_def_default();
  grid.plane = true;
  must(cps_world_set_grid(world, &grid, &must_error));
  must(cps_world_add_grains(world, sand, &must_error));
  return world;
}

// Without gravity layers fly on as they left: a distance of 5 mm from one to the next, for any step.
static void layers_leave_at_the_rate_and_the_speed(void** state) {
  (void)state;
  const CpsGrainsDef sand = spout(0.01, 0.11);
  double mass[2];
  for (int fine = 0; fine < 2; ++fine) {
    CpsWorld* world = make(0.0, fine ? 0.5 * STEP : STEP, 1, &sand);
    const CpsThing grains = cps_thing_grains(world);
    const int64_t count = cps_world_array_count(world, grains, CPS_QUANTITY_POSITION);
    CpsGridDef grid = cps_grid_def_default();
    grid.plane = true;
    assert_int_equal(count, 20 * 8);  // 0.1 m of layers, 4 cm wide, at 5 mm
    assert_int_equal(count, cps_grains_particle_count(&grid, &sand));
    assert_int_equal(cps_world_grains_info(world).waiting_count, count);
    assert_true(cps_world_grains_info(world).mass == 0.0);
    step(world, fine ? 60 : 30);  // 60 ms: 50 ms of it poured, ten layers
    CpsGrainsInfo info = cps_world_grains_info(world);
    mass[fine] = info.mass;
    assert_near(info.mass, RATE * 0.05, 1e-12);
    assert_near(info.mass, 80 * cps_grains_particle_mass(&grid, &sand), 1e-12);
    assert_int_equal(info.waiting_count, count - 80);
    CpsVec3 x[160], v[160];
    double fraction[160];
    must(cps_world_array(world, grains, CPS_QUANTITY_POSITION, &x->x, sizeof *x));
    must(cps_world_array(world, grains, CPS_QUANTITY_VELOCITY, &v->x, sizeof *v));
    must(cps_world_array(world, grains, CPS_QUANTITY_FRACTION, fraction, sizeof *fraction));
    for (int64_t p = 0; p < 80; ++p) {
      const double left = 0.01 + ((double)(p / 8) + 0.5) * 0.005;
      assert_near(x[p].z, 0.2 - SPEED * (0.06 - left), 1e-12);
      assert_near(v[p].z, -SPEED, 1e-12);
      assert_true(fabs(x[p].x) <= 0.02);
      assert_near(fraction[p], RATE / (2600.0 * 0.04 * SPEED), 1e-12);
    }
    for (int64_t p = 80; p < count; ++p) assert_true(fraction[p] == 0.0 && x[p].z == 0.2);
    step(world, fine ? 60 : 30);
    assert_near(cps_world_grains_info(world).mass, RATE * 0.1, 1e-12);
    assert_int_equal(cps_world_grains_info(world).waiting_count, 0);
    cps_world_destroy(world);
  }
  assert_true(mass[0] == mass[1]);
}

// Onto a floor, with gravity: energy adds up, and a run that is resumed, or has two threads, has the same bits.
static void a_run_is_resumed_in_the_middle_of_pouring(void** state) {
  (void)state;
  CpsGrainsDef sand = spout(0.0, 0.3);
  sand.centre.z = 0.05;
  CpsWorld *whole = make(9.81, STEP, 1, &sand), *two = make(9.81, STEP, 2, &sand),
           *resumed = make(9.81, STEP, 1, &sand);
  step(whole, 40);
  step(two, 40);
  assert_true(cps_world_grains_info(whole).waiting_count > 0);
  copy_state(whole, resumed);
  step(whole, 20);
  step(two, 20);
  step(resumed, 20);
  assert_true(cps_world_hash(whole) == cps_world_hash(two));
  assert_true(cps_world_hash(whole) == cps_world_hash(resumed));
  const CpsEnergy e = cps_world_energy(whole);
  assert_true(e.external > 0.0);
  assert_near(e.error, 0.0, 1e-9);
  cps_world_destroy(whole);
  cps_world_destroy(two);
  cps_world_destroy(resumed);
}

// A spout that stands on the floor: the mouth is soon full, and what would come out is lost. No grain is faster than those that leave, and
// the grains under the mouth are never denser than they can be.
static void a_full_mouth_lets_nothing_out(void** state) {
  (void)state;
  CpsGrainsDef sand = spout(0.0, 0.4);
  sand.centre.z = 0.02;
  sand.rate = 60.0;
  CpsWorld* world = make(9.81, STEP, 1, &sand);
  for (int k = -1; k <= 1; k += 2) {  // a shaft, 4 cm wide
    CpsObstacleDef wall = cps_obstacle_def_default();
    wall.shape = cps_box((CpsVec3){0.1, 1.0, 1.0});
    wall.pose.position = (CpsVec3){0.07 * k, 0.0, 0.5};
    add_obstacle(world, &wall);
  }
  step(world, 200);
  const CpsGrainsInfo info = cps_world_grains_info(world);
  assert_true(info.waiting_count > 0);
  assert_true(info.mass < 0.25 * 60.0 * 0.4);                 // of what it would have poured
  assert_true(info.mass > 0.4 * 2600.0 * 0.6 * 0.04 * 0.02);  // of what is below the mouth
  assert_true(info.upper.z < 0.04);
  assert_true(info.fastest < 2.0 * SPEED);
  cps_world_destroy(world);
}

static void refusals(void** state) {
  (void)state;
  static const struct {
    double rate, radius, speed, from, until;
    const char* sentence;
  } BAD[] = {
      {70.0, 0.02, 1.0, 0.0, 1.0, "passes at most 62.4 kg/s"}, {-1.0, 0.02, 1.0, 0.0, 1.0, "the rate of a spout is -1"},
      {NAN, 0.02, 1.0, 0.0, 1.0, "the rate of a spout is"},    {1.0, 0.0, 1.0, 0.0, 1.0, "both must be > 0"},
      {1.0, 0.02, 0.0, 0.0, 1.0, "both must be > 0"},          {1.0, 0.02, 1.0, 1.0, 1.0, "for some time"},
      {1.0, 0.02, 1.0, 0.0, INFINITY, "for some time"},        {1e-3, 0.02, 1e4, 0.0, 1e5, "not enough memory for"}};
  const CpsGrainsDef good = spout(0.0, 1.0);
  CpsWorld* world = make(9.81, STEP, 1, &good);
  for (size_t i = 0; i < sizeof BAD / sizeof *BAD; ++i) {
    CpsGrainsDef def = spout(BAD[i].from, BAD[i].until);
    def.rate = BAD[i].rate;
    def.radius = BAD[i].radius;
    def.velocity.z = -BAD[i].speed;
    CpsError error = {""};
    assert_true(cps_world_add_grains(world, &def, &error) < 0);
    if (!strstr(error.text, BAD[i].sentence)) fail_msg("%s: %s", BAD[i].sentence, error.text);
  }
  assert_int_equal(cps_world_grains_info(world).group_count, 1);
  cps_world_destroy(world);
}

// Sand poured in space into a funnel of two thin plates gets through it. Single particles splash about, beside which all others must still
// be solved to the tolerance: contacts take energy in every step, or give a part of what moves that is near the tolerance (1e-3; seen: 1.5e-3).
static void a_funnel_gives_no_energy(void** state) {
  (void)state;
  CpsWorldDef def = cps_world_def_default();
  def.step = 2e-3;
  def.adaptive = true;
  def.solver.tolerance = 1e-3;
  CpsWorld* world = make_world(&def);
  add_floor(world);
  for (int side = -1; side <= 1; side += 2) {
    CpsObstacleDef plate = cps_obstacle_def_default();
    plate.shape = cps_box((CpsVec3){0.2, 0.2, 0.001});
    plate.pose = (CpsPose){{0.09 * side, 0.0, 0.14}, {cos(0.349), 0.0, -sin(0.349) * side, 0.0}};  // 40 degrees
    plate.mu = 0.2;
    add_obstacle(world, &plate);
    CpsObstacleDef wall = cps_obstacle_def_default();
    wall.shape = cps_plane();
    wall.pose = (CpsPose){{0.0, 0.04 * side, 0.0}, {sqrt(0.5), side * sqrt(0.5), 0.0, 0.0}};
    wall.mu = 0.0;
    add_obstacle(world, &wall);
  }
  CpsGridDef grid = cps_grid_def_default();
  grid.cell = 0.02;
  must(cps_world_set_grid(world, &grid, &must_error));
  CpsGrainsDef sand = spout(0.0, 0.3);
  sand.rate = 1.0;
  sand.centre.z = 0.26;
  sand.velocity.z = -0.8;
  sand.mu = 0.45;
  must(cps_world_add_grains(world, &sand, &must_error));
  double taken = 0.0, kinetic = 0.0;
  while (cps_world_time(world) < 0.3) {
    must(cps_world_step(world, NULL, &must_error));
    const CpsEnergy e = cps_world_energy(world);
    if (!(e.friction + e.impact >= taken - 1e-2 * kinetic))
      fail_msg("contacts made %g J of %g J at %g s", taken - e.friction - e.impact, kinetic, cps_world_time(world));
    taken = e.friction + e.impact;
    kinetic = e.kinetic;
  }
  cps_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(layers_leave_at_the_rate_and_the_speed),
      cmocka_unit_test(a_run_is_resumed_in_the_middle_of_pouring),
      cmocka_unit_test(a_full_mouth_lets_nothing_out),
      cmocka_unit_test(a_funnel_gives_no_energy),
      cmocka_unit_test(refusals),
  };
  return cmocka_run_group_tests_name("world/spout", tests, NULL, NULL);
}
