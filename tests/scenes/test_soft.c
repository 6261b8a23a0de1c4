// labels: release
// Scenes of soft solids: what stays on a slope and what slides, how a ball with spin bounces.
#include "capstan/solid.h"
#include "scenes/scene_world.h"
#include "vertices.h"

static const double G = 9.81;

static double mass_of(const CpsWorld* world) {
  CpsSolidInfo info;
  assert_int_equal(cps_world_solid_info(world, cps_world_solid(world, 0), &info), CPS_OK);
  return info.mass;
}

// Down the slope; the block stops above the tangent of 10 degrees and slides with g (sin - mu cos) below it, on two meshes.
static void a_soft_block_stops_only_above_the_tangent(void** state) {
  (void)state;
  const double slope = 10.0 * acos(-1.0) / 180.0, a = G * (sin(slope) - 0.176 * cos(slope));
  assert_near(1e3 * a, 3.159, 5e-4);
  for (int k = 0; k < 3; ++k) {
    Overrides o = {0};
    override(&o, "mu=%g", k == 0 ? 0.177 : 0.176);
    override(&o, "cells=%d", k == 2 ? 3 : 2);
    override(&o, "solver.tolerance=1e-9");
    override(&o, "solids.block.damping=5 ms");
    CpsWorld* world = open_scene("block-ramp.yaml", &o);
    const double mass = mass_of(world);
    Run run = {0};
    double v[2];
    for (int i = 0; i < 2; ++i) {
      while (cps_world_time(world) < 1.0 + 0.5 * i - 1e-9) run_step(world, &run);
      CpsVec3 p, L;
      cps_world_momentum(world, &p, &L);
      v[i] = (p.x * cos(slope) - p.z * sin(slope)) / mass;
    }
    if (k == 0) assert_near(v[1], 0.0, 1e-9);
    if (k > 0) assert_near((v[1] - v[0]) / 0.5, a, 1e-6);
    assert_int_equal(run.unsolved, 0);
    cps_world_destroy(world);
  }
}

// The first bounce of the ball, on a level floor: what it got along it and across it, m/s, and its spin about y before and after.
typedef struct Bounce {
  double along, up, spin[2];
} Bounce;

static double spin_of(const CpsWorld* world, double mass) {
  CpsVec3 p, L, x[2000], v[2000], c = {0, 0, 0}, own = {0, 0, 0};
  CpsSolidInfo info;
  cps_world_momentum(world, &p, &L);
  assert_int_equal(cps_world_solid_info(world, cps_world_solid(world, 0), &info), CPS_OK);
  assert_true(info.vertex_count <= 2000);
  assert_int_equal(vertices_of(world, cps_thing_solid(cps_world_solid(world, 0)), x, v), CPS_OK);
  for (int i = 0; i < info.vertex_count; ++i) c.x += x[i].x, c.z += x[i].z;
  c.x /= info.vertex_count, c.z /= info.vertex_count;
  own.y = L.y - (c.z * p.x - c.x * p.z);
  return own.y / mass;  // spin times the square of the radius of gyration
}

static Bounce bounce(double mu) {
  Overrides o = {0};
  override(&o, "mu=%g", mu);
  override(&o, "slope=0");
  override(&o, "hollow=0");
  override(&o, "size=5 cm");
  override(&o, "height=0.15 m");
  override(&o, "spin=30");
  override(&o, "time.step=1 ms");
  override(&o, "solids.ball.velocity=[0, 0, -1 m/s]");
  CpsWorld* world = open_scene("ball-spin.yaml", &o);
  const double mass = mass_of(world);
  Run run = {0};
  Bounce b = {.spin = {spin_of(world, mass), 0.0}};
  CpsVec3 p, L;
  bool touched = false;
  for (int i = 0; i < 400; ++i) {
    run_step(world, &run);
    if (cps_world_contact_count(world) > 0) touched = true;
    cps_world_momentum(world, &p, &L);
    if (touched && cps_world_contact_count(world) == 0 && p.z > 0.0) break;
  }
  assert_int_equal(run.unsolved, 0);
  b.along = p.x / mass;
  b.up = p.z / mass + 1.0 + G * cps_world_time(world);
  b.spin[1] = spin_of(world, mass);
  CpsEnergy e = cps_world_energy(world);
  assert_true(e.error < 1e-8);
  cps_world_destroy(world);
  return b;
}

// With little friction all of the contact slips all of the time: the ball gets mu times along the floor what it gets across it. With
// much friction it gets less than that: it sticks in the end.
static void a_spinning_ball_bounces_by_the_law(void** state) {
  (void)state;
  Bounce slip = bounce(0.01), stick = bounce(1.0);
  print_message("mu 0.01: %g m/s along, %g up, spin %g then %g; mu 1: %g along, %g up, spin %g then %g\n", slip.along,
                slip.up, slip.spin[0], slip.spin[1], stick.along, stick.up, stick.spin[0], stick.spin[1]);
  assert_near(fabs(slip.along) / (0.01 * slip.up), 1.0, 0.01);
  assert_true(fabs(stick.along) < 0.9 * stick.up && fabs(stick.along) > 20.0 * fabs(slip.along));
  // the spin drives it towards -x, and loses what that takes
  assert_true(stick.along * slip.along > 0.0);
  // angular momentum of what it got along the floor at the distance of its centre, about its radius
  assert_true(slip.spin[1] > slip.spin[0] && slip.spin[1] < 0.95 * slip.spin[0]);
  assert_near((stick.spin[1] - stick.spin[0]) / (-0.1 * stick.along), 1.0, 0.12);
  assert_true(stick.spin[0] < 0.0 && stick.spin[1] > 0.0);  // it turns round
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_soft_block_stops_only_above_the_tangent),
      cmocka_unit_test(a_spinning_ball_bounces_by_the_law),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
