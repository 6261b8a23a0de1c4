// Closed forms of cloth through a world: chain line, drum, belt on a drum; rest, energy, and steps that do not change what sticks.
#include "capstan/sheet.h"
#include "scenes/scene_world.h"
#include "vertices.h"

#include <stdlib.h>

enum { MOST = 1000 };
static CpsVec3 x[MOST], v[MOST];

static int32_t look(const CpsWorld* world) {
  CpsSheetInfo info;
  const CpsSheetId id = cps_world_sheet(world, 0);
  assert_int_equal(cps_world_sheet_info(world, id, &info), CPS_OK);
  assert_true(info.vertex_count <= MOST);
  assert_int_equal(vertices_of(world, cps_thing_sheet(id), x, v), CPS_OK);
  return info.vertex_count;
}

// Sag over span of a chain 1.25 spans long.
static void a_strip_hangs_like_a_chain(void** state) {
  (void)state;
  CpsWorld* world = open_scene("../tests/scenes/catenary.yaml", NULL);
  Run run = run_until(world, SHORTER ? 2.0 : 5.0);
  (void)look(world);
  const double span = x[40].x - x[0].x, sag = x[0].z - x[41 + 20].z;
  print_message("span %.6f, sag %.6f, theory 0.331797\n", span, sag);
  assert_int_equal(run.unsolved, 0);
  assert_near(span, 1.0, 1e-9);
  assert_near(sag, 0.331797, SHORTER ? 0.02 : 0.0033);
  cps_world_destroy(world);
}

// Force per width in the cells from `first` to `last` of the first row, N/m.
static double tension(int32_t first, int32_t last, double rest) {
  const double stretch = distance(x[first], x[last]) / ((last - first) * rest);
  return 1000.0 * 0.5 * (stretch * stretch - 1.0) * stretch;
}

static void a_belt_slips_where_its_forces_are_as_the_exponential(void** state) {
  (void)state;
  static const double MU[] = {0.1, 0.3, 0.6};
  const double pi = acos(-1.0), rest = 1.5 * pi * 0.1 / 60;
  for (int k = SHORTER ? 1 : 0; k < (SHORTER ? 2 : 3); ++k) {
    Overrides o = {0};
    override(&o, "mu=%g", MU[k]);
    CpsWorld* world = open_scene("../tests/scenes/belt.yaml", &o);
    Run run = run_until(world, SHORTER ? 0.1 : 0.4);
    (void)look(world);
    const double light = tension(0, 8, rest), heavy = tension(52, 60, rest);
    print_message("mu %.1f: forces %.4f and %.4f N/m, ratio %.4f, e^(mu pi) %.4f\n", MU[k], light, heavy, heavy / light,
                  exp(MU[k] * pi));
    assert_int_equal(run.unsolved, 0);
    assert_near(heavy / light / exp(MU[k] * pi), 1.0, 0.01);
    cps_world_destroy(world);
  }
}

// The first mode of a stretched disc, from its own shape of velocities: J0(2.404826 r/a) by its series.
static double bessel(double z) {
  double term = 1.0, sum = 1.0;
  for (int k = 1; k < 30; ++k) sum += term *= -0.25 * z * z / (k * k);
  return sum;
}

static void a_drum_sounds_at_its_frequency(void** state) {
  (void)state;
  enum { RINGS = 8 };
  const double pi = acos(-1.0), a = 0.2, lambda = 1.02, E = 500.0, nu = 0.3, rho = 0.2, zero = 2.404825557695773;
  const double T = E / (1.0 - nu) * 0.5 * (lambda * lambda - 1.0);
  const double frequency = zero / (2.0 * pi * a) * sqrt(T * lambda * lambda / rho);
  Overrides o = {0};
  override(&o, "rings=%d", RINGS);
  CpsWorld* scene = open_scene("drape.yaml", &o);  // for its mesh
  const int32_t count = look(scene);
  const int32_t* triangles = cps_world_sheet_triangles(scene, cps_world_sheet(scene, 0));
  CpsSheetDef def = cps_sheet_def_default();
  double* texture = malloc(36 * RINGS * RINGS * sizeof *texture);
  int32_t rim[6 * RINGS];
  for (int32_t i = 0; i < count; ++i) x[i] = (CpsVec3){x[i].x * a / 0.15, x[i].y * a / 0.15, 0.0};
  for (int32_t i = 0; i < 18 * RINGS * RINGS; ++i) {
    texture[2 * i] = x[triangles[i]].x / lambda;
    texture[2 * i + 1] = x[triangles[i]].y / lambda;
  }
  for (int32_t i = 0; i < 6 * RINGS; ++i) rim[i] = count - 6 * RINGS + i;
  CpsPin pin = cps_pin_default();
  pin.vertex_count = 6 * RINGS;
  pin.vertices = rim;
  def.vertex_count = count;
  def.vertices = x;
  def.triangle_count = 6 * RINGS * RINGS;
  def.triangles = triangles;
  def.texture = texture;
  def.density = rho;
  def.stretch[0] = def.stretch[1] = E;
  def.poisson = nu;
  def.bending[0] = def.bending[1] = 0.0;
  def.stretch_damping = def.bending_damping = 0.0;
  def.contact = def.gravity = false;
  def.pin_count = 1;
  def.pins = &pin;
  CpsWorldDef settings = cps_world_def_default();
  settings.theta = 0.5;
  settings.step = 1.0 / (200.0 * frequency);
  CpsWorld* world = NULL;
  CpsSheetId id;
  CpsError error = {{0}};
  assert_int_equal(cps_world_create(&settings, &world, NULL), CPS_OK);
  if (cps_world_add_sheet(world, &def, &id, &error) != CPS_OK) fail_msg("%s", error.text);
  for (int32_t i = 0; i < count; ++i) {
    v[i] = (CpsVec3){0.0, 0.0, i < rim[0] ? 1e-3 * bessel(zero * hypot(x[i].x, x[i].y) / a) : 0.0};
  }
  assert_int_equal(set_vertices(world, cps_thing_sheet(id), NULL, v, NULL), CPS_OK);
  double before = 0.0, after = 0.0, time = 0.0;
  for (int k = 0; k < 130 && (k < 10 || after > 0.0); ++k) {
    before = after;
    assert_int_equal(cps_world_step(world, NULL, NULL), CPS_OK);
    time = cps_world_time(world);
    (void)look(world);
    after = x[0].z;
  }
  const double half = time - settings.step * after / (after - before);
  print_message("drum: %.4f Hz, theory %.4f Hz\n", 0.5 / half, frequency);
  assert_near(0.5 / half / frequency, 1.0, 0.01);
  free(texture);
  cps_world_destroy(world);
  cps_world_destroy(scene);
}

static void the_step_does_not_change_what_sticks(void** state) {
  (void)state;
  static const double STEP[] = {1.0, 5.0, 20.0};  // ms
  for (int k = 0; k < 6; ++k) {
    Overrides o = {0};
    override(&o, "columns=5");
    override(&o, "rows=4");
    override(&o, "mu=%g", k < 3 ? 0.1764 : 0.1762);  // tan 10 degrees = 0.17633
    override(&o, "time.step=%g ms", STEP[k % 3]);
    override(&o, "solver.tolerance=1e-9");
    CpsWorld* world = open_scene("cloth-ramp.yaml", &o);
    Run run = run_until(world, 0.2);
    double fastest = 0.0;
    for (int32_t i = look(world) - 1; i >= 0; --i) fastest = fmax(fastest, speed(v[i]));
    assert_int_equal(run.unsolved, 0);
    if (k < 3) assert_below(fastest, 1e-9);
    if (k >= 3) assert_near(fastest / (9.81 * 0.2 * (sin(acos(-1.0) / 18) - 0.1762 * cos(acos(-1.0) / 18))), 1.0, 1e-3);
    cps_world_destroy(world);
  }
}

static void what_rests_stays_for_a_minute(void** state) {
  (void)state;
  Overrides o = {0};
  override(&o, "columns=5");
  override(&o, "rows=4");
  override(&o, "mu=0.177");
  CpsWorld* world = open_scene("cloth-ramp.yaml", &o);
  double fastest = 0.0;
  while (cps_world_time(world) < (SHORTER ? 2.0 : 60.0)) {
    (void)run_until(world, cps_world_time(world) + 0.5);
    if (cps_world_time(world) < 1.0) continue;
    for (int32_t i = look(world) - 1; i >= 0; --i) fastest = fmax(fastest, speed(v[i]));
  }
  print_message("fastest vertex in a minute: %.1e m/s\n", fastest);
  assert_below(fastest, 1e-9);
  cps_world_destroy(world);
}

// A cloth falls over crates and comes to rest: at theta = 1 and e = 0 no step has more energy than the one before.
static void energy_never_grows(void** state) {
  (void)state;
  Overrides o = {0};
  override(&o, "cells=6");
  override(&o, "step=4 ms");
  CpsWorld* world = open_scene("tangle.yaml", &o);
  double last = INFINITY, most = 0.0, grown = 0.0;
  for (int k = 0; k < (SHORTER ? 40 : 120); ++k) {
    assert_int_equal(cps_world_step(world, NULL, NULL), CPS_OK);
    CpsEnergy e = cps_world_energy(world);
    const double now = e.kinetic + e.potential + e.elastic;
    most = fmax(most, fabs(now));
    grown = fmax(grown, now - last);
    last = now;
  }
  print_message("energy grew by %.1e of %.1e J at most\n", grown, most);
  assert_below(grown, 1e-9 * most);
  cps_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_strip_hangs_like_a_chain),
      cmocka_unit_test(a_belt_slips_where_its_forces_are_as_the_exponential),
      cmocka_unit_test(a_drum_sounds_at_its_frequency),
      cmocka_unit_test(the_step_does_not_change_what_sticks),
      cmocka_unit_test(what_rests_stays_for_a_minute),
      cmocka_unit_test(energy_never_grows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
