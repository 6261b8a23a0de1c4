// Restitution creates no energy, whatever touches at once: a ball or a rod on a sheet on a floor, bodies in a corner. Newton's impact law
// alone multiplied the energy of a ball on a light sheet by up to five, and added 18 % to that of bodies in a corner in one step.
#include "core/random.h"
#include "world/sheet_helpers.h"
#include "world/world_helpers.h"

#include <math.h>

static double between(CpsRandom* random, double low, double high) {
  return low + (high - low) * cps_random_uniform(random);
}

static CpsVec3 any(CpsRandom* random, double size) {
  const double x = between(random, -size, size), y = between(random, -size, size), z = between(random, -size, size);
  return (CpsVec3){x, y, z};
}

static CpsBodyDef any_body(CpsRandom* random, double mass, double z) {
  const int kind = (int)between(random, 0.0, 3.0);
  CpsBodyDef def = cps_body_def_default();
  def.shape = kind == 0   ? cps_sphere(8e-3)
              : kind == 1 ? cps_capsule(12e-3, 40e-3)
                          : cps_box((CpsVec3){0.02, 0.04, 0.02});
  def.mass = mass;
  def.position = (CpsVec3){between(random, -0.02, 0.02), between(random, -0.02, 0.02), z};
  def.velocity = (CpsVec3){between(random, -2.0, 2.0), between(random, -2.0, 2.0), between(random, -4.0, -1.0)};
  def.angular_velocity = any(random, 20.0);
  return def;
}

static CpsWorld* any_world(CpsRandom* random) {
  static const double restitution[3] = {0.3, 0.8, 1.0}, mu[3] = {0.0, 0.3, 1.0};
  CpsWorldDef def = cps_world_def_default();
  def.step = 2e-3;
  def.gravity = (CpsVec3){0.0, 0.0, 0.0};
  def.theta = between(random, 0.0, 1.0) < 0.5 ? 0.5 : 1.0;
  def.restitution = restitution[(int)between(random, 0.0, 3.0)];
  def.mu = mu[(int)between(random, 0.0, 3.0)];
  CpsWorld* world = make_world(&def);
  add_floor(world);
  return world;
}

// Contacts take energy out, in every step, and what they take out is what is missing.
static void step_until(CpsWorld* world, double end) {
  const double start = cps_world_energy(world).start;
  double lost = 0.0;
  while (cps_world_time(world) < end) {
    CpsStepInfo info;
    CpsError error;
    if (cps_world_step(world, &info, &error) < 0) fail_msg("%s", error.text);
    assert_int_equal(info.unsolved, 0);
    const CpsEnergy e = cps_world_energy(world);
    if (e.impact + e.friction < lost - 1e-4 * start)
      fail_msg("contacts made %g of %g J at t = %g s", lost - e.impact - e.friction, start, cps_world_time(world));
    lost = e.impact + e.friction;
    assert_below(e.error, 1e-9);
  }
}

static void a_sheet_is_no_trampoline(void** state) {
  (void)state;
  for (uint64_t seed = 0; seed < 12; ++seed) {
    CpsRandom random = cps_random_seed(seed);
    CpsWorld* world = any_world(&random);
    const double low = 0.025, tilt = between(&random, -0.02, 0.02);
    Rectangle r = make_rectangle(5, 5, (CpsVec3){-0.06, -0.06, low}, (CpsVec3){0.12, 0.0, tilt},
                                 (CpsVec3){0.0, 0.12, between(&random, -0.02, 0.02)});
    CpsSheetDef sheet = sheet_of_rectangle(&r);
    sheet.thickness = 2e-3;
    sheet.velocity = (CpsVec3){0.0, 0.0, -1.5};
    sheet.density = between(&random, 0.0, 1.0) < 0.5 ? 0.05 : 0.5;
    sheet.stretch[0] = sheet.stretch[1] = between(&random, 0.0, 1.0) < 0.5 ? 200.0 : 2000.0;
    must(cps_world_add_sheet(world, &sheet, NULL, &must_error));
    const CpsBodyDef body = any_body(&random, 0.05, 0.075);
    add_body(world, &body);
    step_until(world, 0.06);
    free_rectangle(&r);
    cps_world_destroy(world);
  }
}

static void nor_is_a_corner(void** state) {
  (void)state;
  for (uint64_t seed = 0; seed < 12; ++seed) {
    CpsRandom random = cps_random_seed(seed);
    CpsWorld* world = any_world(&random);
    CpsObstacleDef wall = cps_obstacle_def_default();
    wall.shape = cps_plane();
    wall.pose = (CpsPose){{-0.06, 0.0, 0.0}, {cos(0.6), 0.0, sin(0.6), 0.0}};
    add_obstacle(world, &wall);
    for (int i = 0; i < 6; ++i) {
      const double mass[3] = {0.003, 0.05, 1.0};
      const CpsBodyDef body = any_body(&random, mass[i % 3], 0.05 + 0.06 * i);
      add_body(world, &body);
    }
    step_until(world, 0.2);
    cps_world_destroy(world);
  }
}

// What leaves the ground fast and is hit by something heavy asks for more than there is; a ball that bounces elsewhere, on bodies in
// the same island, bounces as high as ever.
static void what_bounces_elsewhere_keeps_its_restitution(void** state) {
  (void)state;
  CpsWorldDef def = cps_world_def_default();
  def.gravity = (CpsVec3){0.0, 0.0, 0.0};
  def.solver.tolerance = 1e-10;
  CpsWorld* world = NULL;
  must(cps_world_create(&def, &world, &must_error));
  CpsObstacleDef floor = cps_obstacle_def_default();
  floor.shape = cps_plane();
  floor.restitution = 0.0;
  floor.mu = 0.0;
  add_obstacle(world, &floor);
  const struct {
    double x, z, speed, mass;
  } BODIES[] = {{0.0, 0.05, 10.0, 1e-3}, {0.0, 0.15, -8.0, 1.0},  // the light one below the heavy one
                {0.1, 0.05, 0.0, 1.0},   {0.2, 0.05, 0.0, 1.0},  {0.3, 0.05, 0.0, 1.0},  // boxes in a row
                {0.3, 0.15, -1.0, 0.2}};
  CpsBodyId last = {0, 0};
  for (int i = 0; i < 6; ++i) {
    CpsBodyDef body = cps_body_def_default();
    body.shape = i >= 2 && i < 5 ? cps_box((CpsVec3){0.1, 0.1, 0.1}) : cps_sphere(0.05);
    body.mass = BODIES[i].mass;
    body.position = (CpsVec3){BODIES[i].x, 0.0, BODIES[i].z};
    body.velocity = (CpsVec3){0.0, 0.0, BODIES[i].speed};
    body.restitution = i == 1 || i == 5 ? 0.8 : 0.0;  // of a pair the larger one counts
    body.mu = 0.0;
    must(cps_world_add_body(world, &body, &last, &must_error));
  }
  const double start = cps_world_energy(world).kinetic;
  CpsStepInfo info;
  must(cps_world_step(world, &info, &must_error));
  assert_int_equal(info.islands, 1);
  CpsBodyState now;
  assert_int_equal(cps_world_body_state(world, last, &now), CPS_OK);
  assert_near(now.velocity.z, 0.8, 1e-8);
  assert_true(cps_world_energy(world).kinetic <= start * (1.0 + 1e-4));
  cps_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_sheet_is_no_trampoline), cmocka_unit_test(nor_is_a_corner),
                                     cmocka_unit_test(what_bounces_elsewhere_keeps_its_restitution)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
