// The capstan measured: the force of the spring once it does not change any longer.
#ifndef CAPSTAN_TESTS_SCENES_CAPSTAN_H
#define CAPSTAN_TESTS_SCENES_CAPSTAN_H

#include "capstan/fibre.h"
#include "scenes/scene_world.h"

typedef struct Capstan {
  double ratio;     // force of the spring over that of the other end
  double expected;  // exp(lambda phi)
  double discrete;  // the same for n segments
  int64_t steps;
  int32_t sticking;  // contacts that do not slide in the last step
  double middle;  // tension half way around over that of the first end, squared over exp(mu phi): 1 if it grows evenly
} Capstan;

// Friction f = mu n acts on the surface of the rope, at R from the axis of the drum, its tension along the centreline, at
// rho = R + r. With the shear force Q and a constant bending moment, per angle,
//
//   T' = f - Q,   n = T - Q',   Q rho = f r   =>   T = T_1 exp(lambda phi),   lambda + mu (r/rho) lambda^2 = mu R/rho
static inline double rate_of(double mu, double R, double r) {
  double a = mu * r / (R + r), b = mu * R / (R + r);
  return 2.0 * b / (1.0 + sqrt(1.0 + 4.0 * a * b));
}

// n segments that each touch in the middle and slip: tensions of neighbours are as (1 + z) to (1 - z) with
// z = a (1 - z^2), a = mu sin(d)/2, d = phi/n (docs/scenes/capstan.md).
static inline double discrete_ratio(double mu, double phi, double n) {
  double a = 0.5 * mu * sin(phi / n), z = (sqrt(1.0 + 4.0 * a * a) - 1.0) / (2.0 * a);
  return exp(2.0 * n * atanh(z));
}

// Tension in the middle: between two segments, which touch in their middles, or the mean on both sides of one.
static inline double middle_of(const CpsWorld* world, int32_t elements) {
  double tension[2 * 1024 + 1];
  assert_true(elements <= 1024);
  assert_int_equal(cps_world_fibre_tension(world, cps_world_fibre(world, 0), 2 * elements + 1, tension), CPS_OK);
  return elements % 2 ? sqrt(tension[elements - 1] * tension[elements + 1]) : tension[elements];
}

// `turning`: the drum turns under the rope, whose drag takes all inertia out of it. Where the ratio is in the ten thousands
// the weak end is slow to follow: less drag, and a longer wait.
static inline Capstan measure_capstan(double mu, double degrees, bool turning) {
  const double pi = acos(-1.0), phi = degrees * pi / 180.0, hold = 0.01;
  const bool slow = mu * phi > 8.0;
  const double drag = slow ? 10.0 : 30.0, still = slow ? 3e-5 : 1e-4;
  Overrides o = {0};
  override(&o, "mu=%g", mu);
  override(&o, "phi=%.17g", phi);
  if (turning) {
    override(&o, "spin=1e-3");
    override(&o, "speed=0");
    override(&o, "inertia=%.17g", hold * exp(mu * phi) / 5000.0);
    override(&o, "drag=%.17g", hold * exp(mu * phi) * drag);
  }
  CpsWorld* world = open_scene("capstan.yaml", &o);
  CpsPullId spring = {1, 1};
  const double lambda = rate_of(mu, 0.05, 0.001);
  Capstan c = {.expected = exp(lambda * phi)};
  double before = 0.0;
  int steady = 0;
  CpsStepInfo info = {0};
  while (steady < 5 && c.steps < 1000) {
    assert_int_equal(cps_world_step(world, &info, NULL), CPS_OK);
    CpsVec3 F;
    assert_int_equal(cps_world_pull_force(world, spring, &F), CPS_OK);
    c.ratio = speed(F) / hold;
    steady = fabs(c.ratio - before) < still * c.ratio && info.slide > 0 ? steady + 1 : 0;
    before = c.ratio;
    c.steps++;
  }
  assert_int_equal(steady, 5);
  CpsFibreInfo rope;
  assert_int_equal(cps_world_fibre_info(world, cps_world_fibre(world, 0), &rope), CPS_OK);
  c.discrete = discrete_ratio(lambda, phi, rope.elements - 12.0);
  c.sticking = info.contacts - info.slide;
  c.middle = middle_of(world, rope.elements) / hold;
  c.middle *= c.middle / c.ratio;
  cps_world_destroy(world);
  return c;
}

#endif
