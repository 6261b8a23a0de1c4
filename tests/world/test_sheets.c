// labels: release
// Sheets in a world: free fall, momenta, friction on slopes, energy balance, pins.
#include "vertices.h"
#include "world/nodal_helpers.h"
#include "world/sheet_helpers.h"

#include <math.h>
#include <string.h>

static const double DEGREE = 3.14159265358979323846 / 180.0;

static CpsSheetId add(CpsWorld* world, const CpsSheetDef* def) {
  CpsSheetId id;
  CpsError error;
  if (cps_world_add_sheet(world, def, &id, &error) != CPS_OK) fail_msg("%s", error.text);
  return id;
}

static double mass_of(const CpsWorld* world, CpsSheetId id) {
  CpsSheetInfo info;
  assert_int_equal(cps_world_sheet_info(world, id, &info), CPS_OK);
  return info.mass;
}

// A crumpled sheet in flight: linear momentum to rounding, angular momentum to second order at theta 1/2, energy balance closed.
static void test_flight(void** unused) {
  (void)unused;
  double lost[2];
  for (int k = 0; k < 2; ++k) {
    CpsWorld* world = make_world(k ? 5e-4 : 1e-3, 0.5, (CpsVec3){0.0, 0.0, 0.0});
    Rectangle r = make_rectangle(6, 6, (CpsVec3){0.0, 0.0, 0.0}, (CpsVec3){0.3, 0.0, 0.0}, (CpsVec3){0.0, 0.3, 0.0});
    CpsSheetDef def = sheet_of_rectangle(&r);
    def.stretch[0] = def.stretch[1] = 200.0;
    def.stretch_damping = def.bending_damping = 0.0;
    CpsSheetId id = add(world, &def);
    CpsVec3* v = calloc((size_t)r.vertex_count, sizeof *v);
    for (int i = 0; i < r.vertex_count; ++i) {
      CpsVec3 x = r.vertices[i];
      v[i] = (CpsVec3){0.4 * sin(9.0 * x.y) - x.y, 0.2 + x.x, 0.5 * sin(20.0 * x.x + 3.0 * x.y)};
    }
    assert_int_equal(set_vertices(world, cps_thing_sheet(id), NULL, v, NULL), CPS_OK);
    lost[k] = fly(world, 1e-13);
    free(v);
    free_rectangle(&r);
    cps_world_destroy(world);
  }
  if (!(lost[1] < 0.3 * lost[0] || lost[0] < 1e-9)) fail_msg("angular momentum: %g, then %g", lost[0], lost[1]);
}

// A sheet on a slope of 10 degrees sticks just above tan 10 and slides just below it, with g (sin - mu cos).
static void test_slope(void** unused) {
  (void)unused;
  const double a = 10.0 * DEGREE;
  const double mus[2] = {0.177, 0.176};
  for (int k = SANITIZED; k < 2; ++k) {
    CpsWorld* world = make_world(1e-2, 1.0, (CpsVec3){9.81 * sin(a), 0.0, -9.81 * cos(a)});
    add_floor(world, mus[k]);
    Rectangle r = make_rectangle(8, 6, (CpsVec3){0.0, 0.0, 2.5e-4}, (CpsVec3){0.4, 0.0, 0.0}, (CpsVec3){0.0, 0.3, 0.0});
    CpsSheetDef def = sheet_of_rectangle(&r);
    def.mu = mus[k];
    CpsSheetId id = add(world, &def);
    while (cps_world_time(world) < 1.0 - 1e-9) step(world);
    double v = mean_velocity(world, mass_of(world, id)).x;
    double expected = k == 0 ? 0.0 : 9.81 * (sin(a) - 0.176 * cos(a));
    if (fabs(v - expected) > 1e-9) fail_msg("mu %g: %.12g m/s, expected %.12g", mus[k], v, expected);
    CpsEnergy e = cps_world_energy(world);
    if (e.error > 1e-9) fail_msg("the books are off by %g", e.error);
    check_problem(world, r.vertex_count);
    free_rectangle(&r);
    cps_world_destroy(world);
  }
}

// A sliding sheet stops after v^2 / 2 mu g, and the friction term of the energy balance equals its kinetic energy.
static void test_stop(void** unused) {
  (void)unused;
  CpsWorld* world = make_world(1e-3, 1.0, (CpsVec3){0.0, 0.0, -10.0});
  CpsObstacleDef floor = cps_obstacle_def_default();
  floor.shape = cps_plane();
  assert_int_equal(cps_world_add_obstacle(world, &floor, NULL, NULL), CPS_OK);
  Rectangle r = make_rectangle(4, 4, (CpsVec3){0.0, 0.0, 2.5e-4}, (CpsVec3){0.2, 0.0, 0.0}, (CpsVec3){0.0, 0.2, 0.0});
  CpsSheetDef def = sheet_of_rectangle(&r);
  def.mu = 0.5;
  def.velocity = (CpsVec3){1.0, 0.0, 0.0};
  CpsSheetId id = add(world, &def);
  CpsSheetInfo info;
  cps_world_sheet_info(world, id, &info);
  while (cps_world_time(world) < 0.3) step(world);
  CpsVec3 x[25];
  assert_int_equal(vertices_of(world, cps_thing_sheet(id), x, NULL), CPS_OK);
  assert_near(x[0].x, 0.1, 1e-3);
  CpsEnergy e = cps_world_energy(world);
  assert_near(e.friction, 0.5 * info.mass, 5e-3 * info.mass);
  assert_true(e.error < 1e-9);
  free_rectangle(&r);
  cps_world_destroy(world);
}

// Pinned at two corners it hangs, its reaction is its weight; released it falls.
static void test_pins(void** unused) {
  (void)unused;
  CpsWorld* world = make_world(5e-3, 1.0, (CpsVec3){0.0, 0.0, -9.81});
  Rectangle r = make_rectangle(8, 8, (CpsVec3){0.0, 0.0, 0.0}, (CpsVec3){0.4, 0.0, 0.0}, (CpsVec3){0.0, 0.4, 0.0});
  CpsSheetDef def = sheet_of_rectangle(&r);
  CpsPin pin = cps_pin_default();
  const int32_t corners[2] = {0, 8};
  pin.vertex_count = 2;
  pin.vertices = corners;
  const double until = SANITIZED ? 0.4 : 1.0;
  pin.until = until;
  def.pin_count = 1;
  def.pins = &pin;
  CpsSheetId id = add(world, &def);
  while (cps_world_time(world) < until - 0.01) step(world);
  CpsVec3 x[81], v[81];
  vertices_of(world, cps_thing_sheet(id), x, v);
  assert_true(x[0].x == 0.0 && x[0].z == 0.0 && x[8].x == 0.4);
  assert_true(x[76].z < -0.2);  // swings below
  CpsEnergy e = cps_world_energy(world);
  if (e.error > 1e-9) fail_msg("the books are off by %g", e.error);
  double before = mean_velocity(world, mass_of(world, id)).z;
  while (cps_world_time(world) < until + 0.2) step(world);
  assert_near(mean_velocity(world, mass_of(world, id)).z - before, -9.81 * 0.2, 0.1);
  free_rectangle(&r);
  cps_world_destroy(world);
}

// A flat sheet that falls broadside through still air reaches the speed at which drag is its weight:
//   m g = density c A v^2 / 2;  and wind of that speed from below holds it.
static void test_air(void** unused) {
  (void)unused;
  for (int windy = 0; windy < 2; ++windy) {
    CpsWorld* world = make_world(5e-3, 1.0, (CpsVec3){0.0, 0.0, -9.81});
    Rectangle r = make_rectangle(4, 4, (CpsVec3){0.0, 0.0, 0.0}, (CpsVec3){0.2, 0.0, 0.0}, (CpsVec3){0.0, 0.2, 0.0});
    CpsSheetDef def = sheet_of_rectangle(&r);
    def.density = 0.1;
    def.drag[0] = 1.5;
    double terminal = sqrt(2.0 * 0.1 * 9.81 / (1.2 * 1.5));
    if (windy) def.wind = (CpsVec3){0.0, 0.0, terminal};
    CpsSheetId id = add(world, &def);
    while (cps_world_time(world) < 2.0) step(world);
    assert_near(mean_velocity(world, mass_of(world, id)).z, windy ? 0.0 : -terminal, 1e-6);
    CpsEnergy e = cps_world_energy(world);
    if (e.error > 1e-9) fail_msg("the books are off by %g", e.error);
    free_rectangle(&r);
    cps_world_destroy(world);
  }
}

// Two sheets that fly into each other crosswise: momenta, no crossing, energy never grows.
static void test_collision(void** unused) {
  (void)unused;
  CpsWorld* world = make_world(1e-3, 1.0, (CpsVec3){0.0, 0.0, 0.0});
  Rectangle r = make_rectangle(5, 5, (CpsVec3){0.0, 0.0, 0.0}, (CpsVec3){0.2, 0.0, 0.0}, (CpsVec3){0.0, 0.2, 0.0});
  Rectangle q =
      make_rectangle(4, 5, (CpsVec3){0.03, 0.06, -0.08}, (CpsVec3){0.14, 0.1, 0.02}, (CpsVec3){0.02, 0.0, 0.2});
  CpsSheetDef def = sheet_of_rectangle(&r);
  def.thickness = 1e-3;
  def.velocity = (CpsVec3){0.0, 0.0, -2.0};
  def.mu = 0.4;
  for (int i = 0; i < r.vertex_count; ++i) r.vertices[i].z += 0.15;
  add(world, &def);
  def = sheet_of_rectangle(&q);
  def.thickness = 1e-3;
  def.velocity = (CpsVec3){0.0, 0.0, 2.0};
  def.mu = 0.4;
  add(world, &def);
  CpsVec3 p0, L0, p, L;
  cps_world_momentum(world, &p0, &L0);
  double last = cps_world_energy(world).kinetic;
  int32_t most = 0;
  while (cps_world_time(world) < 0.1) {
    CpsStepInfo info;
    CpsError error;
    if (cps_world_step(world, &info, &error) != CPS_OK) fail_msg("%s", error.text);
    assert_int_equal(info.crossings, 0);
    if (info.contacts > most) most = info.contacts;
    CpsEnergy e = cps_world_energy(world);
    double now = e.kinetic + e.elastic;
    if (now > last * (1.0 + 1e-9)) fail_msg("energy grows from %.12g to %.12g", last, now);
    if (e.error > 1e-8) fail_msg("the books are off by %g", e.error);
    last = now;
  }
  assert_true(most > 0);
  cps_world_momentum(world, &p, &L);
  assert_near(p.x, p0.x, 1e-12);
  assert_near(p.y, p0.y, 1e-12);
  assert_near(p.z, p0.z, 1e-12);
  free_rectangle(&r);
  free_rectangle(&q);
  cps_world_destroy(world);
}

// A box stands with one corner on a sheet that is held at its border, between its vertices: it is carried, and does not
// slip through. A rope lies across another.
static void test_corner_and_rope(void** unused) {
  (void)unused;
  CpsWorld* world = make_world(2e-3, 1.0, (CpsVec3){0.0, 0.0, -9.81});
  Rectangle r = make_rectangle(4, 4, (CpsVec3){-0.2, -0.2, 0.0}, (CpsVec3){0.4, 0.0, 0.0}, (CpsVec3){0.0, 0.4, 0.0});
  CpsSheetDef def = sheet_of_rectangle(&r);
  int32_t border[16], count = 0;
  for (int32_t i = 0; i < 25; ++i) {
    if (i % 5 == 0 || i % 5 == 4 || i < 5 || i >= 20) border[count++] = i;
  }
  CpsPin pin = cps_pin_default();
  pin.vertex_count = count;
  pin.vertices = border;
  def.pin_count = 1;
  def.pins = &pin;
  def.thickness = 2e-3;
  add(world, &def);
  CpsBodyDef box = cps_body_def_default();
  box.shape = cps_box((CpsVec3){0.02, 0.02, 0.02});
  box.mass = 0.02;
  box.rotation = (CpsQuat){0.8804762392171493, 0.279848142333, -0.3647051996, 0.1159168956};  // about corner down
  box.position = (CpsVec3){0.045, 0.055, 0.03};
  CpsBodyId id;
  assert_int_equal(cps_world_add_body(world, &box, &id, NULL), CPS_OK);
  CpsFibreDef rope = cps_fibre_def_default();
  rope.model = CPS_ROD_DER;
  rope.elements = 8;
  rope.length = 0.06;
  rope.radius = 1.5e-3;
  rope.young = 1e6;
  rope.root_pose.position = (CpsVec3){-0.08, -0.053, 0.01};
  rope.root_pose.rotation = (CpsQuat){1.0, 0.0, 0.0, 0.0};
  CpsFibreId fibre;
  assert_int_equal(cps_world_add_fibre(world, &rope, &fibre, NULL), CPS_OK);
  while (cps_world_time(world) < 0.5) {
    CpsError error;
    if (cps_world_step(world, NULL, &error) < 0) fail_msg("%s", error.text);
  }
  CpsBodyState state;
  cps_world_body_state(world, id, &state);
  if (!(state.centre.z > -0.05)) fail_msg("the box is at %g m", state.centre.z);
  CpsFibrePoint middle;
  assert_int_equal(cps_world_fibre_at(world, fibre, 0.03, &middle), CPS_OK);
  if (!(middle.position.z > -0.05)) fail_msg("the rope is at %g m", middle.position.z);
  CpsEnergy e = cps_world_energy(world);
  if (e.error > 1e-6) fail_msg("the books are off by %g", e.error);
  free_rectangle(&r);
  cps_world_destroy(world);
}

// A button on a sheet in flight: the tie holds, and momentum is kept.
static void test_button(void** unused) {
  (void)unused;
  CpsWorld* world = make_world(1e-3, 1.0, (CpsVec3){0.0, 0.0, 0.0});
  Rectangle r = make_rectangle(4, 4, (CpsVec3){0.0, 0.0, 0.0}, (CpsVec3){0.2, 0.0, 0.0}, (CpsVec3){0.0, 0.2, 0.0});
  CpsSheetDef def = sheet_of_rectangle(&r);
  def.velocity = (CpsVec3){0.0, 0.3, 1.0};
  CpsSheetId cloth = add(world, &def);
  CpsBodyDef ball = cps_body_def_default();
  ball.shape = cps_sphere(0.01);
  ball.mass = 0.02;
  ball.position = (CpsVec3){0.1, 0.1, 0.01};
  ball.angular_velocity = (CpsVec3){0.0, 20.0, 0.0};
  CpsBodyId id;
  assert_int_equal(cps_world_add_body(world, &ball, &id, NULL), CPS_OK);
  CpsTieDef tie = cps_tie_def_default();
  tie.a = cps_anchor_sheet(cloth, 12);
  tie.b = cps_anchor_body(id, (CpsVec3){0.0, 0.0, -0.01});
  CpsTieId knot;
  assert_int_equal(cps_world_add_tie(world, &tie, &knot, NULL), CPS_OK);
  CpsVec3 p0, p, L;
  cps_world_momentum(world, &p0, &L);
  while (cps_world_time(world) < 0.2) step(world);
  cps_world_momentum(world, &p, &L);
  assert_near(p.x, p0.x, 1e-12);
  assert_near(p.y, p0.y, 1e-12);
  assert_near(p.z, p0.z, 1e-12);
  CpsTieState now;
  assert_int_equal(cps_world_tie_state(world, knot, &now), CPS_OK);
  if (now.apart > 1e-5) fail_msg("the button is %g m from its vertex", now.apart);
  CpsEnergy e = cps_world_energy(world);
  if (e.error > 1e-8) fail_msg("the books are off by %g", e.error);
  tie.a = cps_anchor_sheet(cloth, 25);
  assert_int_equal(cps_world_add_tie(world, &tie, NULL, NULL), CPS_BAD_DATA);
  free_rectangle(&r);
  cps_world_destroy(world);
}

// A strip falls on its edge and folds over itself several times: nothing passes through, and it comes to rest.
static void test_fold(void** unused) {
  (void)unused;
  CpsWorld* world = make_world(4e-3, 1.0, (CpsVec3){0.0, 0.0, -9.81});
  CpsObstacleDef floor = cps_obstacle_def_default();
  floor.shape = cps_plane();
  assert_int_equal(cps_world_add_obstacle(world, &floor, NULL, NULL), CPS_OK);
  Rectangle r = make_rectangle(2, 20, (CpsVec3){0.0, 0.0, 0.01}, (CpsVec3){0.0, 0.03, 0.0}, (CpsVec3){0.01, 0.0, 0.3});
  CpsSheetDef def = sheet_of_rectangle(&r);
  def.thickness = 2e-3;
  def.mu = 0.3;
  add(world, &def);
  double spent = 0.0;
  int32_t most = 0, halvings = 0;
  while (cps_world_time(world) < (SANITIZED ? 0.25 : 0.4)) {
    CpsStepInfo info;
    CpsError error;
    if (cps_world_step(world, &info, &error) < 0) fail_msg("%s", error.text);
    if (info.crossings > 0) fail_msg("%d crossings at %g s", info.crossings, info.time);
    if (info.contacts > most) most = info.contacts;
    halvings += info.halvings;
    spent += info.seconds;
  }
  print_message("%d contacts at most, %d halvings, %.3g s\n", most, halvings, spent);
  CpsEnergy e = cps_world_energy(world);
  if (e.error > 1e-7) fail_msg("the books are off by %g", e.error);
  free_rectangle(&r);
  cps_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_flight), cmocka_unit_test(test_slope), cmocka_unit_test(test_stop),
      cmocka_unit_test(test_pins),   cmocka_unit_test(test_air),   cmocka_unit_test(test_collision),
      cmocka_unit_test(test_button), cmocka_unit_test(test_fold),  cmocka_unit_test(test_corner_and_rope),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
