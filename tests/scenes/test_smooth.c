// labels: release
// Smooth surfaces of soft solids: a coarse ball rolls like a sphere, a block slides as its facets do, momenta are kept.
#include "capstan/solid.h"
#include "scenes/scene_world.h"
#include "things/nodal.h"

#include <stdlib.h>

static const double G = 9.81;

typedef struct Motion {
  double kept;   // of its speed
  double shake;  // rms of the acceleration of its centre across the floor, m/s^2
  int64_t unsolved;
} Motion;

// Rolls for a while, once it lies on the floor.
static Motion roll(const char* surface, const char* size, double until) {
  Overrides o = {0};
  override(&o, "solids.ball.surface=%s", surface);
  override(&o, "size=%s", size);
  CpsWorld* world = open_scene("../tests/scenes/roll_ball.yaml", &o);
  CpsSolidInfo info;
  assert_int_equal(cps_world_solid_info(world, cps_world_solid(world, 0), &info), CPS_OK);
  Run run = {0};
  CpsVec3 p, L;
  double last = 0.0, square = 0.0;
  int count = 0;
  while (cps_world_time(world) < until - 1e-9) {
    run_step(world, &run);
    cps_world_momentum(world, &p, &L);
    const double a = (p.z / info.mass - last) / 2e-3;
    last = p.z / info.mass;
    if (cps_world_time(world) < 0.05) continue;
    square += a * a, ++count;
  }
  cps_world_destroy(world);
  return (Motion){p.x / info.mass / 0.5, sqrt(square / count), run.unsolved};
}

static void a_smooth_ball_rolls_like_a_sphere(void** state) {
  (void)state;
  const char* sizes[2] = {"4 cm", "2.5 cm"};
  for (int i = 0; i < (SHORTER ? 1 : 2); ++i) {
    Motion f = roll("faceted", sizes[i], 0.25), s = roll("smooth", sizes[i], 0.25);
    print_message("tetrahedra of %s: facets keep %.4f of the speed and shake by %.4f g; smooth %.4f, %.4f g\n",
                  sizes[i], f.kept, f.shake / G, s.kept, s.shake / G);
    assert_int_equal(f.unsolved + s.unsolved, 0);
    assert_true(s.shake < 0.4 * f.shake);
    if (i == 1) assert_true(s.kept > 0.985 && f.kept < 0.97);
  }
}

// The law of friction does not ask what the surface is made of: g (sin - mu cos) on both sides of the tangent of 10 degrees.
static void a_smooth_block_slides_by_the_law(void** state) {
  (void)state;
  const double slope = 10.0 * acos(-1.0) / 180.0, mus[2] = {0.177, 0.176};
  for (int k = 0; k < 2; ++k) {
    Overrides o = {0};
    override(&o, "mu=%g", mus[k]);
    override(&o, "cells=3");
    override(&o, "solver.tolerance=1e-9");
    override(&o, "solids.block.damping=5 ms");
    override(&o, "solids.block.surface=smooth");
    override(&o, "solids.block.position=[0, 0, 0.13]");  // its edges bulge
    CpsWorld* world = open_scene("block-ramp.yaml", &o);
    CpsSolidInfo info;
    assert_int_equal(cps_world_solid_info(world, cps_world_solid(world, 0), &info), CPS_OK);
    Run run = {0};
    double v[2];
    for (int i = 0; i < 2; ++i) {
      while (cps_world_time(world) < 0.6 + 0.3 * i - 1e-9) run_step(world, &run);
      CpsVec3 p, L;
      cps_world_momentum(world, &p, &L);
      v[i] = (p.x * cos(slope) - p.z * sin(slope)) / info.mass;
    }
    assert_near((v[1] - v[0]) / 0.3, G * (sin(slope) - mus[k] * cos(slope)), 1e-6);
    assert_int_equal(run.unsolved, 0);
    cps_world_destroy(world);
  }
}

// What the impulses of a step have in sum, and their moments about where things were at its beginning, of the largest impulse.
static void sum_impulses(const CpsWorld* world, double* force, double* moment) {
  const CpsContacts* c = &world->contacts;
  for (int32_t i = 0; i < c->count; ++i) {
    const CpsTouching* t = &c->contact[i];
    CpsVec3 J = cps_mat3_apply_transposed(t->frame, cps_vec3_get(t->r)), P = {0, 0, 0}, L = {0, 0, 0};
    if (!(cps_vec3_norm(J) > 1e-9)) continue;
    for (int s = 0; s < 2; ++s) {
      const CpsSpot* spot = s == 0 ? &t->spot_a : &t->spot_b;
      CpsMember m = cps_world_member(world, s == 0 ? t->a : t->b);
      const CpsVec3* start = ((const CpsNodals*)m.model)->member[m.index]->end;  // once advanced
      for (int32_t n = 0; n < spot->patch_count; ++n) {
        CpsVec3 own = cps_vec3_scale(s == 0 ? 1.0 : -1.0, cps_mat3_apply_transposed(spot->patch[n].weight, J));
        P = cps_vec3_add(P, own);
        L = cps_vec3_add(L, cps_vec3_cross(start[spot->patch[n].node], own));
      }
    }
    *force = fmax(*force, cps_vec3_norm(P) / cps_vec3_norm(J));
    *moment = fmax(*moment, cps_vec3_norm(L) / (0.1 * cps_vec3_norm(J)));
  }
}

// Two balls meet off their centres. What they have together stays, to rounding; no energy comes from nowhere.
static void meet(const char* transport, double* linear, double* force, double* moment) {
  Overrides o = {0};
  override(&o, "solids.left.transport=%s", transport);
  override(&o, "solids.right.transport=%s", transport);
  CpsWorld* world = open_scene("../tests/scenes/smooth_balls.yaml", &o);
  CpsSolidInfo info;
  assert_int_equal(cps_world_solid_info(world, cps_world_solid(world, 0), &info), CPS_OK);
  CpsVec3 p0, p, L;
  cps_world_momentum(world, &p0, &L);
  Run run = {0};
  CpsEnergy e = cps_world_energy(world);
  double most = e.kinetic + e.elastic;
  *linear = *force = *moment = 0.0;
  while (cps_world_time(world) < 0.06 - 1e-9) {
    run_step(world, &run);
    sum_impulses(world, force, moment);
    cps_world_momentum(world, &p, &L);
    *linear = fmax(*linear, distance(p, p0) / info.mass);
    e = cps_world_energy(world);
    assert_true(e.kinetic + e.elastic <= most * (1.0 + 1e-12));
    most = e.kinetic + e.elastic;
    assert_true(e.error < 1e-8);
  }
  assert_true(run.contacts_max > 3);
  assert_int_equal(run.unsolved, 0);
  cps_world_destroy(world);
}

static void balls_that_meet_keep_their_momenta(void** state) {
  (void)state;
  double linear, force, moment;
  meet("rigid", &linear, &force, &moment);
  print_message("momentum lost: %.1e; of an impulse %.1e, of a moment %.1e\n", linear, force, moment);
  assert_true(linear < 1e-12);
  assert_true(force < 1e-12 && moment < 1e-12);
  meet("paper", &linear, &force, &moment);
  print_message("with the paper's transport: %.1e; %.1e, %.1e\n", linear, force, moment);
  assert_true(force > 2e-3 && linear > 1e-6);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(balls_that_meet_keep_their_momenta),
      cmocka_unit_test(a_smooth_block_slides_by_the_law),
      cmocka_unit_test(a_smooth_ball_rolls_like_a_sphere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
