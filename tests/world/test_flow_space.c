// Dense flow in a fixed domain of space, with stresses of six rows: what does not change along y is the flow of the plane; hydrostatics; a
// square duct of a viscous fluid against its series, and of grains against the yield stress at which it stops; a slab that slides; a ball.
// labels: threads
#include "world/flow_helpers.h"

#include <stdlib.h>
#include <string.h>

static const double G = 9.81, PI = 3.14159265358979324;

// A slice of a layer: smooth on its sides, so that nothing changes along y.
static CpsFlowDef slice(int cells, double height) {
  CpsFlowDef def = cps_flow_def_default();
  def.upper = (CpsVec3){2.0 * height / cells, 1.5 * height / cells, height};
  def.cells_x = 2;
  def.cells_y = 1;
  def.cells_z = cells;
  def.periodic = true;
  def.border[CPS_FLOW_BOTTOM].kind = CPS_FLOW_NO_SLIP;
  def.front.kind = def.back.kind = CPS_FLOW_SLIP;
  return def;
}

// The parabola of the plane (test_flow.c), and the pressure of the weight above. Without a strain along y there is no deviator along y, so
// that |Dev| and the pressure are those of plane strain.
static void a_slice_of_a_viscous_chute_is_a_parabola(void** state) {
  (void)state;
  const double H = 0.1, angle = 0.6;
  CpsFlowDef def = slice(4, H);
  def.mu = 0.4;
  def.viscosity = 20.0;
  CpsWorld* world = flow_world(&def, 10.0, angle, G, 1e-10);
  const int64_t points = cps_flow_point_count(&def);
  settle_flow(world, points, 60, 1e-11);
  const double weight = def.density * def.fraction * G;
  const double rate = weight / def.viscosity * (sin(angle) - def.mu * cos(angle));
  for (int64_t i = 0; i < points; ++i) {
    const CpsFlowPoint p = flow_point(world, i);
    const double z = p.place.z;
    assert_near(p.velocity.x, rate * (H * z - 0.5 * z * z), 1e-7 * rate * H * H);
    assert_near(p.velocity.y, 0.0, 1e-7 * rate * H * H);
    assert_near(p.velocity.z, 0.0, 1e-7 * rate * H * H);
    assert_near(p.pressure, weight * cos(angle) * (H - z), 1e-3 * weight * H);
  }
  assert_below(cps_world_energy(world).error, 1e-10);
  cps_world_destroy(world);
}

static CpsFlowDef in_the_plane(CpsFlowDef def) {
  def.cells_y = 0;
  return def;
}

// Steady velocities at the points of a slice minus those of the plane, relative to the largest.
static double from_the_plane(const CpsFlowDef* space, double step, double angle, double tolerance, double still) {
  const CpsFlowDef plane = in_the_plane(*space);
  const int64_t points = cps_flow_point_count(space), count = cps_flow_point_count(&plane);
  CpsWorld* world[2] = {flow_world(space, step, angle, G, tolerance), flow_world(&plane, step, angle, G, tolerance)};
  settle_flow(world[0], points, 300, still);
  settle_flow(world[1], count, 300, still);
  double error = 0.0, most = 0.0;
  for (int64_t i = 0; i < points; ++i) {
    const CpsFlowPoint p = flow_point(world[0], i);
    // points of the plane are numbered along x, then z; those of space along x, y, z
    const int64_t along = count / (plane.cells_z + 1), row = i / along / (space->cells_y + 1);
    const CpsFlowPoint q = flow_point(world[1], row * along + i % along);
    error = fmax(error, fabs(p.velocity.x - q.velocity.x) + fabs(p.velocity.y) + fabs(p.velocity.z - q.velocity.z));
    most = fmax(most, fabs(q.velocity.x));
  }
  for (int k = 0; k < 2; ++k) cps_world_destroy(world[k]);
  return error / most;
}

static void a_slice_of_a_bingham_channel_is_that_of_the_plane(void** state) {
  (void)state;
  CpsFlowDef def = slice(8, 0.1);
  def.mu = 0.5;
  def.viscosity = 5.0;
  def.border[CPS_FLOW_TOP].pressure = 800.0;
  assert_below(from_the_plane(&def, 10.0, 0.5 * PI, 1e-9, 1e-9), 1e-6);
}

// Bagnold's profile; two cells along y
static void a_slice_with_friction_that_grows_is_that_of_the_plane(void** state) {
  (void)state;
  CpsFlowDef def = slice(8, 0.02);
  def.cells_y = 2;
  def.mu = 0.38;
  def.mu_fast = 0.64;
  def.grain = 1e-3;
  assert_below(from_the_plane(&def, 0.5, atan(0.5), 1e-7, 1e-6), 1e-4);
}

static void without_friction_pressure_is_hydrostatic(void** state) {
  (void)state;
  CpsFlowDef def = cps_flow_def_default();
  def.lower = (CpsVec3){0.0, 0.1, 0.0};
  def.upper = (CpsVec3){0.5, 0.5, 1.0};
  def.cells_x = 2;
  def.cells_y = 2;
  def.cells_z = 4;
  def.mu = 0.0;
  for (int k = 0; k < CPS_FLOW_TOP; ++k) def.border[k].kind = CPS_FLOW_SLIP;
  def.front.kind = def.back.kind = CPS_FLOW_SLIP;
  CpsWorld* world = flow_world(&def, 0.01, 0.0, G, 1e-12);
  const double weight = def.density * def.fraction * G;
  for (int n = 0; n < 2; ++n) assert_int_equal(cps_world_step(world, NULL, NULL), CPS_OK);
  for (int64_t i = 0; i < cps_flow_point_count(&def); ++i) {
    const CpsFlowPoint p = flow_point(world, i);
    assert_near(p.pressure, weight * (1.0 - p.place.z), 1e-8 * weight);
    assert_below(fabs(p.velocity.x) + fabs(p.velocity.y) + fabs(p.velocity.z), 1e-9);
    for (int k = 0; k < 3; ++k) {
      assert_near(p.stress[k], k < 2 ? -p.pressure : 0.0, 1e-8 * weight);
      assert_near(p.stress_y[k], k == 0 ? -p.pressure : 0.0, 1e-8 * weight);
    }
  }
  cps_world_destroy(world);
}

// Cohesion lets the pressure go down to -cohesion and no further: what pulls with less on the open side is held, with more it draws grains out.
static void cohesion_holds_against_as_much_tension(void** state) {
  (void)state;
  for (int k = 0; k < 2; ++k) {
    CpsFlowDef def = cps_flow_def_default();
    def.upper = (CpsVec3){0.1, 0.1, 0.1};
    def.cells_x = def.cells_y = def.cells_z = 2;
    def.viscosity = 1.0;
    def.cohesion = 100.0;
    for (int i = 0; i < CPS_FLOW_TOP; ++i) def.border[i].kind = CPS_FLOW_SLIP;
    def.front.kind = def.back.kind = CPS_FLOW_SLIP;
    def.border[CPS_FLOW_TOP].pressure = k == 0 ? -99.0 : -101.0;
    def.mu = 0.0;
    CpsWorld* world = flow_world(&def, 0.01, 0.0, 0.0, 1e-8);
    for (int n = 0; n < 3; ++n) assert_int_equal(cps_world_step(world, NULL, NULL), CPS_OK);
    for (int64_t i = 0; i < cps_flow_point_count(&def); ++i) {
      const CpsFlowPoint p = flow_point(world, i);
      if (k == 0) {
        assert_near(p.pressure, -99.0, 1e-6);
        assert_below(fabs(p.velocity.z), 1e-9);
      } else if (p.place.z > 0.05) {
        assert_true(p.velocity.z > 1e-4);
      }
    }
    cps_world_destroy(world);
  }
}

// A duct of n x n cells along x, side 2 a, no slip on its walls.
static CpsFlowDef duct(int cells, double a) {
  CpsFlowDef def = cps_flow_def_default();
  def.lower = (CpsVec3){0.0, -a, -a};
  def.upper = (CpsVec3){4.0 * a / cells, a, a};
  def.cells_x = 2;
  def.cells_y = def.cells_z = cells;
  def.periodic = true;
  def.border[CPS_FLOW_BOTTOM].kind = def.border[CPS_FLOW_TOP].kind = CPS_FLOW_NO_SLIP;
  def.front.kind = def.back.kind = CPS_FLOW_NO_SLIP;
  return def;
}

// u = 16 a^2 weight/(viscosity pi^3) sum over odd k of (-1)^((k-1)/2)/k^3 (1 - cosh(k pi z/2a)/cosh(k pi/2)) cos(k pi y/2a)
static double duct_series(double a, double y, double z) {
  double sum = 0.0;
  for (int k = 1; k < 60; k += 2) {
    const double part = 1.0 - cosh(0.5 * k * PI * z / a) / cosh(0.5 * k * PI);
    sum += (k % 4 == 1 ? 1.0 : -1.0) / (k * k * k) * part * cos(0.5 * k * PI * y / a);
  }
  return 16.0 * a * a / (PI * PI * PI) * sum;
}

static double duct_error(int cells) {
  const double a = 0.05;
  CpsFlowDef def = duct(cells, a);
  def.mu = 0.0;  // gravity along the duct makes no pressure
  def.viscosity = 5.0;
  CpsWorld* world = flow_world(&def, 10.0, 0.5 * PI, G, 1e-10);
  settle_flow(world, cps_flow_point_count(&def), 60, 1e-12);
  const double scale = def.density * def.fraction * G / def.viscosity;
  double error = 0.0;
  for (int64_t i = 0; i < cps_flow_point_count(&def); ++i) {
    const CpsFlowPoint p = flow_point(world, i);
    error = fmax(error, fabs(p.velocity.x - scale * duct_series(a, p.place.y, p.place.z)));
  }
  cps_world_destroy(world);
  return error / (scale * duct_series(a, 0.0, 0.0));
}

// Quadratic elements are better than second order at their corners.
static void a_square_duct_has_the_velocities_of_its_series(void** state) {
  (void)state;
  const double coarse = duct_error(4), fine = duct_error(8);
  assert_below(coarse, 5e-4);
  assert_below(fine, 0.2 * coarse);
}

// Half a duct under the pressure p: a medium with the yield stress mu p. It moves only while the weight of some part of the cross section is
// more than its edge bears: yield < weight 2a/(2 + sqrt(pi)), the constant of Cheeger of a square (Mosolov and Miasnikov 1965).
static double speed_of_half_a_duct(double part) {
  const double a = 0.05;
  CpsFlowDef def = duct(8, a);
  def.cells_z = 4;
  def.upper.z = 0.0;
  def.mu = 0.5;
  def.viscosity = 5.0;
  const double weight = def.density * def.fraction * G, limit = weight * 2.0 * a / (2.0 + sqrt(PI));
  def.border[CPS_FLOW_TOP] = (CpsFlowBorder){CPS_FLOW_OPEN, {0.0, 0.0, 0.0}, part * limit / def.mu};
  CpsWorld* world = flow_world(&def, 10.0, 0.5 * PI, G, 1e-6);
  for (int n = 0; n < 12; ++n) assert_int_equal(cps_world_step(world, NULL, NULL), CPS_OK);
  double most = 0.0;
  for (int64_t i = 0; i < cps_flow_point_count(&def); ++i) most = fmax(most, flow_point(world, i).velocity.x);
  cps_world_destroy(world);
  return most / (weight / def.viscosity * duct_series(a, 0.0, 0.0));
}

static void grains_in_a_duct_stop_at_the_yield_stress_of_its_shape(void** state) {
  (void)state;
  assert_below(speed_of_half_a_duct(1.05), 1e-6);
  assert_true(speed_of_half_a_duct(0.95) > 5e-3);
}

// A layer on a floor that is smoother than its inside, mu_w < mu, slides as one block: v = g t (sin - mu_w cos).
static void a_layer_slides_on_a_smooth_floor_as_a_block(void** state) {
  (void)state;
  const double angle = 0.4, mu_w = 0.2;
  CpsFlowDef def = slice(2, 0.1);
  def.mu = 0.5;
  def.viscosity = 1.0;
  def.border[CPS_FLOW_BOTTOM].kind = CPS_FLOW_OPEN;
  CpsWorld* world = flow_world(&def, 0.01, angle, G, 1e-10);
  CpsObstacleDef floor = cps_obstacle_def_default();
  floor.shape = cps_plane();
  floor.mu = mu_w;
  assert_int_equal(cps_world_add_obstacle(world, &floor, NULL, NULL), CPS_OK);
  for (int n = 1; n <= 5; ++n) {
    assert_int_equal(cps_world_step(world, NULL, NULL), CPS_OK);
    for (int64_t i = 0; i < cps_flow_point_count(&def); ++i) {
      const CpsVec3 v = flow_point(world, i).velocity;
      assert_near(v.x, 0.01 * n * G * (sin(angle) - mu_w * cos(angle)), 1e-8);
      assert_below(fabs(v.y) + fabs(v.z), 1e-8);
    }
  }
  cps_world_destroy(world);
}

// A quarter of a channel with a ball in it.
static CpsFlowDef channel(int cells) {
  CpsFlowDef def = cps_flow_def_default();
  def.lower = (CpsVec3){0.0, 0.0, -0.2};
  def.upper = (CpsVec3){0.1, 0.1, 0.2};
  def.cells_x = def.cells_y = cells;
  def.cells_z = 4 * cells;
  def.mu = 0.3;
  def.viscosity = 2.0;
  def.disc_radius = 0.05;
  def.ball = true;
  def.border[CPS_FLOW_LEFT].kind = def.front.kind = CPS_FLOW_SLIP;
  def.border[CPS_FLOW_RIGHT].kind = def.back.kind = CPS_FLOW_NO_SLIP;
  def.border[CPS_FLOW_TOP] = (CpsFlowBorder){CPS_FLOW_VELOCITY, {0.0, 0.0, -0.05}, 0.0};
  return def;
}

static void grains_around_a_ball_leave_no_pressure_behind_it(void** state) {
  (void)state;
  const int cells = 3;
  const CpsFlowDef def = channel(cells);
  CpsWorld* world = flow_world(&def, 0.05, 0.0, 0.0, 1e-4);
  settle_flow(world, cps_flow_point_count(&def), 40, 1e-2);
  double axis[13], through[13] = {0.0};
  const int64_t layer = (cells + 1) * (cells + 1);
  for (int64_t i = 0; i < cps_flow_point_count(&def); ++i) {
    const CpsFlowPoint p = flow_point(world, i);
    assert_true(p.pressure >= -1e-9);
    if (i % layer == 0) axis[i / layer] = p.pressure;
    // what is between two corners at the border of a layer counts half, at its corner a quarter
    const bool x = i % layer % (cells + 1) % cells == 0, y = i % layer / (cells + 1) % cells == 0;
    through[i / layer] += p.velocity.z * (x ? 0.5 : 1.0) * (y ? 0.5 : 1.0);
  }
  assert_true(axis[4] < 0.05 * axis[8]);
  assert_near(through[3], through[10], 0.15 * fabs(through[10]));  // what enters goes past the ball
  CpsVec3 force;
  assert_int_equal(cps_world_flow_force(world, &force), CPS_OK);
  assert_true(force.z < -0.1);
  assert_near(force.x, force.y, 1e-2 * fabs(force.z));  // the quarter is symmetric
  assert_below(cps_world_energy(world).error, 1e-9);
  cps_world_destroy(world);
}

static void bits_are_the_same_for_any_threads_and_after_a_pause(void** state) {
  (void)state;
  CpsWorld* world[4];
  const CpsFlowDef def = channel(2);
  for (int k = 0; k < 4; ++k) {
    CpsWorldDef settings = cps_world_def_default();
    settings.step = 0.05;
    settings.gravity = (CpsVec3){0.0, 0.0, 0.0};
    settings.solver.tolerance = 1e-5;
    settings.threads = k == 3 ? 1 : 1 << k;
    assert_int_equal(cps_world_create(&settings, &world[k], NULL), CPS_OK);
    assert_int_equal(cps_world_add_flow(world[k], &def, NULL), CPS_OK);
  }
  for (int n = 0; n < 6; ++n) {
    for (int k = 0; k < (n < 3 ? 3 : 4); ++k) assert_int_equal(cps_world_step(world[k], NULL, NULL), CPS_OK);
    if (n == 2) {
      const size_t size = cps_world_state_size(world[0]);
      void* bytes = malloc(size);
      assert_non_null(bytes);
      assert_int_equal(cps_world_save(world[0], bytes, size, NULL), CPS_OK);
      assert_int_equal(cps_world_load(world[3], bytes, size, NULL), CPS_OK);
      free(bytes);
    }
    for (int k = 1; k < (n < 2 ? 3 : 4); ++k) assert_true(cps_world_hash(world[k]) == cps_world_hash(world[0]));
  }
  for (int k = 0; k < 4; ++k) cps_world_destroy(world[k]);
}

int main(void) {
  keep_to_threads("bits_*");
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_slice_of_a_viscous_chute_is_a_parabola),
      cmocka_unit_test(a_slice_of_a_bingham_channel_is_that_of_the_plane),
      cmocka_unit_test(a_slice_with_friction_that_grows_is_that_of_the_plane),
      cmocka_unit_test(without_friction_pressure_is_hydrostatic),
      cmocka_unit_test(cohesion_holds_against_as_much_tension),
      cmocka_unit_test(a_square_duct_has_the_velocities_of_its_series),
      cmocka_unit_test(grains_in_a_duct_stop_at_the_yield_stress_of_its_shape),
      cmocka_unit_test(a_layer_slides_on_a_smooth_floor_as_a_block),
      cmocka_unit_test(grains_around_a_ball_leave_no_pressure_behind_it),
      cmocka_unit_test(bits_are_the_same_for_any_threads_and_after_a_pause),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
