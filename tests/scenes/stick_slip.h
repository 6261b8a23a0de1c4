// Shared by the two tests of scenes/stick-slip.yaml: when a strip pushed onto a floor slips.
#ifndef CAPSTAN_TESTS_SCENES_STICK_SLIP_H
#define CAPSTAN_TESTS_SCENES_STICK_SLIP_H

#include "capstan/fibre.h"
#include "scenes/reference.h"
#include "scenes/scene_world.h"

// Above it the tip points upwards: the strip lies on the floor, where the table's elastica would go through it.
static const double EPS_MAX = 0.32;

// Coefficient needed to stick at eps: the table, linear in between.
static inline double mu_needed(const Reference* table, double eps) {
  int i = 1;
  while (i + 1 < table->count && table->row[i][0] < eps) ++i;
  const double *a = table->row[i - 1], *b = table->row[i];
  return a[3] + (b[3] - a[3]) * (eps - a[0]) / (b[0] - a[0]);
}

// How far the surface of the strip slid along x in the last step. The tip is round and rolls as it turns: that is no slip.
static inline double slid(const CpsWorld* world, double step) {
  double way = 0.0;
  for (int32_t i = 0; i < cps_world_contact_count(world); ++i) {
    CpsContact c = cps_world_contact(world, i);
    if (!(c.impulse[0] > 0.0)) continue;
    double along = c.velocity[1] * c.tangent1.x + c.velocity[2] * c.tangent2.x;
    if (fabs(along) * step > fabs(way)) way = along * step;
  }
  return way;
}

// Pushes the clamp down; returns eps at which the tip has slid by a thousandth of the length, EPS_MAX if it does not.
static inline double slips_at(const char* model, double mu) {
  Overrides o = {0};
  override(&o, "fibres.strip.model=%s", model);
  override(&o, "mu=%g", mu);
  override(&o, "eps=%g", EPS_MAX);
  CpsWorld* world = open_scene("stick-slip.yaml", &o);
  CpsFibreId strip = cps_world_fibre(world, 0);
  CpsFibreInfo info;
  CpsFibrePoint root, tip;
  Run run = {0};
  assert_int_equal(cps_world_fibre_info(world, strip, &info), CPS_OK);
  assert_int_equal(cps_world_fibre_at(world, strip, info.length, &tip), CPS_OK);
  double way = 0.0, eps = 0.0, time = 0.0;
  do {
    run_step(world, &run);
    assert_int_equal(cps_world_fibre_at(world, strip, 0.0, &root), CPS_OK);
    assert_int_equal(cps_world_fibre_at(world, strip, info.length, &tip), CPS_OK);
    eps = 1.0 - (root.position.z - tip.position.z) / info.length;
    way += slid(world, cps_world_time(world) - time);
    time = cps_world_time(world);
  } while (fabs(way) < 1e-3 * info.length && eps < EPS_MAX - 1e-4);
  assert_int_equal(run.unsolved, 0);
  cps_world_destroy(world);
  return eps;
}

// The cells of a grid of mu and eps: sticks where mu is more than what is needed, slips where it is less, on both sides of
// a line 6 % wide: the push is not infinitely slow, and 20 elements are not the elastica.
static inline void check_cells(const char* model, const double* mus, int count) {
  static Reference table;
  read_reference("stickslip_mu_c_vs_eps.csv", &table);
  for (int i = 0; i < count; ++i) {
    double at = slips_at(model, mus[i]);
    int cells = 0;
    for (double eps = 0.02; eps < EPS_MAX; eps += 0.02) {
      double needed = mu_needed(&table, eps);
      if (fabs(mus[i] / needed - 1.0) < 0.03) continue;
      if ((mus[i] > needed) != (at > eps)) print_error("%s: mu = %g slips at eps = %g\n", model, mus[i], at);
      assert_int_equal(mus[i] > needed, at > eps);
      ++cells;
    }
    assert_true(cells >= 13);
  }
}

#endif
