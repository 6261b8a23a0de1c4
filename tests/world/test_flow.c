// Dense flow in a fixed domain against closed forms: hydrostatics, chutes and channels; and a disc in it, behind which there is no
// pressure where a fluid has a negative one.
#include "world/flow_helpers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static CpsFlowDef chute(int cells, double height) {
  CpsFlowDef def = cps_flow_def_default();
  def.upper = (CpsVec3){2.0 * height / cells, 0.0, height};
  def.cells_x = 2;
  def.cells_z = cells;
  def.periodic = true;
  def.border[CPS_FLOW_BOTTOM].kind = CPS_FLOW_NO_SLIP;
  return def;
}

// u(z) = (density fraction g / viscosity) (sin t - mu cos t) (H z - z^2/2). Elements are quadratic: the profile is exact, up to the
// solver's tolerance.
static void a_viscous_chute_is_a_parabola(void** state) {
  (void)state;
  const double H = 0.1, angle = 0.6, g = 9.81;
  CpsFlowDef def = chute(8, H);
  def.mu = 0.4;
  def.viscosity = 20.0;
  CpsWorld* world = flow_world(&def, 10.0, angle, g, 1e-10);
  const int64_t points = cps_flow_point_count(&def);
  settle_flow(world, points, 60, 1e-11);
  const double rate = def.density * def.fraction * g / def.viscosity * (sin(angle) - def.mu * cos(angle));
  for (int64_t i = 0; i < points; ++i) {
    const CpsFlowPoint p = flow_point(world, i);
    const double z = p.place.z;
    assert_near(p.velocity.x, rate * (H * z - 0.5 * z * z), 1e-7 * rate * H * H);
    assert_near(p.velocity.z, 0.0, 1e-7 * rate * H * H);
    // weight of what lies above it; single vertices are determined here, since the layer flows
    assert_near(p.pressure, def.density * def.fraction * g * cos(angle) * (H - z), 1.0);
  }
  assert_below(cps_world_energy(world).error, 1e-10);
  cps_world_destroy(world);
}

// Half of a channel: stuck at the bottom, pressed from the top, pulled along x. The shear stress is density fraction g (H - z); where it
// is below mu p nothing shears. u' = (stress - mu p)/viscosity below the plug.
static double bingham_error(int cells) {
  const double H = 0.1, g = 9.81, p = 800.0;
  CpsFlowDef def = chute(cells, H);
  def.mu = 0.5;
  def.viscosity = 5.0;
  def.border[CPS_FLOW_TOP].pressure = p;
  CpsWorld* world = flow_world(&def, 10.0, 0.5 * acos(-1.0), g, 1e-9);
  const int64_t points = cps_flow_point_count(&def);
  settle_flow(world, points, 100, 1e-9);
  const double weight = def.density * def.fraction * g, plug = def.mu * p / weight;
  double error = 0.0;
  for (int64_t i = 0; i < points; ++i) {
    const CpsFlowPoint q = flow_point(world, i);
    const double z = fmin(q.place.z, H - plug);
    error = fmax(error, fabs(q.velocity.x - weight / def.viscosity * ((H - plug) * z - 0.5 * z * z)));
  }
  cps_world_destroy(world);
  return error / (0.5 * weight / def.viscosity * (H - plug) * (H - plug));
}

// The edge of the plug lies within an element: between first and second order, below 1 % from ten elements on.
static void a_bingham_channel_has_its_plug(void** state) {
  (void)state;
  const double coarse = bingham_error(10), fine = bingham_error(20);
  assert_below(coarse, 0.01);
  assert_below(fine, 0.5 * coarse);
}

// u = (2/3) (I/d) sqrt(fraction g cos t) (H^(3/2) - (H - z)^(3/2)), tan t = mu(I)
static void friction_that_grows_with_the_rate_gives_bagnolds_profile(void** state) {
  (void)state;
  const double H = 0.02, g = 9.81, slope = 0.5, angle = atan(slope);
  CpsFlowDef def = chute(20, H);
  def.mu = 0.38;
  def.mu_fast = 0.64;
  def.grain = 1e-3;
  CpsWorld* world = flow_world(&def, 0.5, angle, g, 1e-7);
  const int64_t points = cps_flow_point_count(&def);
  settle_flow(world, points, 300, 1e-6);
  const double I = def.I_0 * (slope - def.mu) / (def.mu_fast - slope);
  const double rate = 2.0 / 3.0 * I / def.grain * sqrt(def.fraction * g * cos(angle));
  for (int64_t i = 0; i < points; ++i) {
    const CpsFlowPoint q = flow_point(world, i);
    const double exact = rate * (pow(H, 1.5) - pow(fmax(H - q.place.z, 0.0), 1.5));
    assert_near(q.velocity.x, exact,
                0.02 * rate * pow(H, 1.5));  // elements see the surface, where the profile has no curvature
  }
  cps_world_destroy(world);
}

static void without_friction_pressure_is_hydrostatic(void** state) {
  (void)state;
  CpsFlowDef def = cps_flow_def_default();
  def.upper = (CpsVec3){0.5, 0.0, 1.0};
  def.cells_x = 3;
  def.cells_z = 6;
  def.mu = 0.0;
  for (int k = 0; k < 3; ++k) def.border[k].kind = CPS_FLOW_SLIP;
  CpsWorld* world = flow_world(&def, 0.01, 0.0, 9.81, 1e-12);
  const double weight = def.density * def.fraction * 9.81;
  for (int n = 0; n < 2; ++n) assert_int_equal(cps_world_step(world, NULL, NULL), CPS_OK);
  for (int64_t i = 0; i < cps_flow_point_count(&def); ++i) {
    const CpsFlowPoint p = flow_point(world, i);
    assert_near(p.pressure, weight * (1.0 - p.place.z), 1e-8 * weight);
    assert_near(p.stress_y[0], -p.pressure, 1e-12 * weight);
    assert_below(fabs(p.velocity.x) + fabs(p.velocity.z), 1e-9);
  }
  cps_world_destroy(world);
}

enum { CELLS = 8 };  // across the channel

static CpsFlowDef channel(void) {
  CpsFlowDef def = cps_flow_def_default();
  def.lower = (CpsVec3){-0.2, 0.0, -0.4};
  def.upper = (CpsVec3){0.2, 0.0, 0.4};
  def.cells_x = CELLS;
  def.cells_z = 2 * CELLS;
  def.mu = 0.3;
  def.viscosity = 2.0;
  def.disc_radius = 0.05;
  def.border[CPS_FLOW_LEFT].kind = def.border[CPS_FLOW_RIGHT].kind = CPS_FLOW_NO_SLIP;
  def.border[CPS_FLOW_TOP] = (CpsFlowBorder){CPS_FLOW_VELOCITY, {0.0, 0.0, -0.05}, 0.0};
  return def;
}

static void pressure_around_a_disc(const CpsFlowDef* def, double axis[2 * CELLS + 1], double* least) {
  CpsWorld* world = flow_world(def, 0.05, 0.0, 0.0, 1e-5);
  settle_flow(world, cps_flow_point_count(def), 80, 1e-4);
  *least = 0.0;
  for (int64_t i = 0; i < cps_flow_point_count(def); ++i) {
    const CpsFlowPoint p = flow_point(world, i);
    *least = fmin(*least, p.pressure);
    if (i % (CELLS + 1) == CELLS / 2) axis[i / (CELLS + 1)] = p.pressure;
  }
  CpsVec3 force;
  assert_int_equal(cps_world_flow_force(world, &force), CPS_OK);
  assert_true(force.z < -1.0);  // N: the flow pushes the disc along
  assert_below(fabs(force.x), 1e-2 * fabs(force.z));
  assert_below(cps_world_energy(world).error, 1e-9);
  cps_world_destroy(world);
}

// Figure 3.10: an arch above the disc, a trough further up, nothing behind it.
static void grains_around_a_disc_leave_no_pressure_behind_it(void** state) {
  (void)state;
  const CpsFlowDef def = channel();
  double axis[2 * CELLS + 1], least;
  pressure_around_a_disc(&def, axis, &least);
  assert_true(least >= -1e-9);
  const double above = axis[CELLS + 2], top = axis[2 * CELLS], behind = axis[CELLS - 1];
  double trough = above;
  for (int k = CELLS + 2; k <= 2 * CELLS; ++k) trough = fmin(trough, axis[k]);
  assert_true(behind < 0.02 * above);
  assert_true(trough < 0.8 * above && trough < 0.9 * top);
}

// The same without friction, where pressure may be negative: an incompressible fluid.
static void a_fluid_has_a_negative_wake(void** state) {
  (void)state;
  CpsFlowDef def = channel();
  def.mu = 0.0;
  def.cohesion = 1e4;
  double axis[2 * CELLS + 1], least;
  pressure_around_a_disc(&def, axis, &least);
  assert_true(least < -1.0);
  assert_true(axis[CELLS - 2] < 0.25 * axis[CELLS + 2]);
}

// With ten cells across, the disc contains all nodes of some vertices except one, for which their weights vanish. The stress of such a
// vertex has no effect, and must not serve as the reference of the residual.
static void stresses_that_move_nothing_do_not_count(void** state) {
  (void)state;
  CpsFlowDef def = channel();
  def.cells_x = 10;
  def.cells_z = 20;
  CpsWorld* world = flow_world(&def, 0.05, 0.0, 0.0, 1e-4);
  for (int n = 0; n < 5; ++n) assert_int_equal(cps_world_step(world, NULL, NULL), CPS_OK);
  double enters = 0.0, leaves = 0.0, least = 0.0;
  for (int64_t i = 0; i < cps_flow_point_count(&def); ++i) {
    const CpsFlowPoint p = flow_point(world, i);
    least = fmin(least, p.rate[0] + p.rate[1]);
    if (i / 11 == 0) leaves += p.velocity.z;
    if (i / 11 == 20) enters += p.velocity.z;
  }
  assert_below(-least, 0.05);                          // 1/s: nothing is compressed
  assert_true(leaves < 0.5 * enters && enters < 0.0);  // and what enters drives what is there
  cps_world_destroy(world);
}

static void a_saved_flow_goes_on_as_if_nothing_had_been(void** state) {
  (void)state;
  CpsFlowDef def = chute(4, 0.1);
  def.viscosity = 10.0;
  CpsWorld* world[2] = {flow_world(&def, 0.01, 0.7, 9.81, 1e-8), flow_world(&def, 0.01, 0.7, 9.81, 1e-8)};
  for (int n = 0; n < 5; ++n) assert_int_equal(cps_world_step(world[0], NULL, NULL), CPS_OK);
  const size_t size = cps_world_state_size(world[0]);
  void* bytes = malloc(size);
  assert_non_null(bytes);
  assert_int_equal(cps_world_save(world[0], bytes, size, NULL), CPS_OK);
  assert_int_equal(cps_world_load(world[1], bytes, size, NULL), CPS_OK);
  for (int n = 0; n < 5; ++n) {
    for (int k = 0; k < 2; ++k) assert_int_equal(cps_world_step(world[k], NULL, NULL), CPS_OK);
    assert_true(cps_world_hash(world[0]) == cps_world_hash(world[1]));
  }
  free(bytes);
  for (int k = 0; k < 2; ++k) cps_world_destroy(world[k]);
}

static void bad_flows_are_refused(void** state) {
  (void)state;
  CpsWorldDef settings = cps_world_def_default();
  CpsWorld* world = NULL;
  CpsError error;
  assert_int_equal(cps_world_create(&settings, &world, &error), CPS_OK);
  for (int k = 0; k < 10; ++k) {
    CpsFlowDef def = chute(4, 0.1);
    def.viscosity = 1.0;
    if (k == 0) def.upper.z = -1.0;
    if (k == 1) def.cells_z = 0;
    if (k == 2) def.mu = NAN;
    if (k == 3) def.viscosity = -1.0;
    if (k == 4) def.fraction = 1.5;
    if (k == 5) def.border[CPS_FLOW_TOP].pressure = INFINITY;
    if (k == 6) def.cookie = 0;
    if (k == 7) def.viscosity = 0.0;  // motions that no stress sees
    if (k == 8) def.viscosity = 0.0, def.grain = 1e-3, def.mu_fast = def.mu;
    if (k == 9) def.cells_y = -1;
    assert_int_equal(cps_world_add_flow(world, &def, &error), k == 6 ? CPS_BAD_ARGUMENT : CPS_BAD_DATA);
    assert_true(strlen(error.text) > 10);
  }
  CpsFlowPoint p;
  assert_int_equal(cps_world_flow_point(world, 0, &p), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_world_flow_force(world, NULL), CPS_BAD_ARGUMENT);
  CpsFlowDef def = chute(4, 0.1);
  def.viscosity = 1.0;
  assert_int_equal(cps_world_add_flow(world, &def, &error), CPS_OK);
  assert_int_equal(cps_world_add_flow(world, &def, &error), CPS_BAD_ARGUMENT);
  cps_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_viscous_chute_is_a_parabola),
      cmocka_unit_test(a_bingham_channel_has_its_plug),
      cmocka_unit_test(friction_that_grows_with_the_rate_gives_bagnolds_profile),
      cmocka_unit_test(without_friction_pressure_is_hydrostatic),
      cmocka_unit_test(grains_around_a_disc_leave_no_pressure_behind_it),
      cmocka_unit_test(a_fluid_has_a_negative_wake),
      cmocka_unit_test(stresses_that_move_nothing_do_not_count),
      cmocka_unit_test(a_saved_flow_goes_on_as_if_nothing_had_been),
      cmocka_unit_test(bad_flows_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
