// The axial force of fibres of every model against closed forms.
#include "rod_helpers.h"

#include <math.h>

enum { COUNT = 9, ALL = CPS_ROD_MODEL_COUNT };
static const double LENGTH = 0.2, RADIUS = 1e-3, DENSITY = 1000.0, GRAVITY = 9.81;

static double weight_per_length(void) {
  return acos(-1.0) * RADIUS * RADIUS * DENSITY * GRAVITY;
}

static CpsWorld* world_of(CpsRodModel model) {
  CpsWorldDef settings = cps_world_def_default();
  settings.gravity = cps_vec3(0, 0, -GRAVITY);
  settings.step = model == CPS_ROD_CORDE_EXPLICIT ? 2e-5 : 1e-3;
  return make_world(&settings);
}

// A rod between two points, straight at the start.
static CpsFibreDef rod_along(CpsRodModel model, const CpsVec3* points) {
  CpsFibreDef def = cps_fibre_def_default();
  def.model = model;
  def.elements = model <= CPS_ROD_SUPER_CLOTHOID || model == CPS_ROD_CORDE_EXPLICIT ? 6 : 20;
  def.points = points;
  def.point_count = 2;
  def.radius = RADIUS;
  def.density = DENSITY;
  def.young = 1e7;
  def.contact_radius = 0.0;
  return def;
}

static void read(const CpsWorld* world, CpsFibreId id, double* tension) {
  assert_int_equal(cps_world_fibre_tension(world, id, COUNT, tension), CPS_OK);
}

static void a_hanging_rod_carries_what_is_below(void** state) {
  (void)state;
  const CpsVec3 points[2] = {{0, 0, 0}, {0, 0, -LENGTH}};
  for (int m = 0; m < ALL; ++m) {
    CpsWorld* world = world_of((CpsRodModel)m);
    CpsFibreDef def = rod_along((CpsRodModel)m, points);
    def.root.kind = CPS_END_CLAMPED;
    def.drag = 0.05;
    CpsFibreId id = add(world, &def);
    (void)steps_with_contacts(world, m == CPS_ROD_CORDE_EXPLICIT ? 10000 : 400);
    double T[COUNT], whole = weight_per_length() * LENGTH;
    read(world, id, T);
    for (int i = 0; i < COUNT; ++i) {
      // what stretches still rings a little
      assert_near(T[i] / whole, 1.0 - (double)i / (COUNT - 1), m <= CPS_ROD_SUPER_CLOTHOID ? 1e-8 : 1e-3);
    }
    cps_world_destroy(world);
  }
}

// A rope between two pins in the catenary: T cos(angle) = H all along, T sin(angle) the weight of what is below, and the
// span 2 (H/w) arsinh(w L / 2 H). Super-models hold the tip by a spring, the others exactly.
static void a_rope_between_two_pins_is_a_catenary(void** state) {
  (void)state;
  const double span = 0.15;
  for (int m = 0; m < ALL; ++m) {
    if (m == CPS_ROD_DER_PROJECTED || m == CPS_ROD_CORDE_EXPLICIT) continue;
    CpsWorld* world = world_of((CpsRodModel)m);
    CpsVec3 points[41];
    for (int i = 0; i <= 40; ++i) {
      // an arc of the right length over the span: sin(a)/a = span / LENGTH
      double a = 1.2756981, r = 0.5 * LENGTH / a, at = a * (2.0 * i / 40.0 - 1.0);
      points[i] = cps_vec3(r * sin(at), 0.0, -r * (cos(at) - cos(a)));
    }
    CpsFibreDef def = rod_along((CpsRodModel)m, points);
    def.point_count = 41;
    def.young = 3e4;  // a soft rope, stretched by 0.2 % all the same
    def.stretching = 10.0;
    def.drag = 0.5;
    def.root.kind = def.tip.kind = CPS_END_PINNED;
    CpsFibreId id = add(world, &def);
    (void)steps_with_contacts(world, 1500);
    double T[COUNT], w = weight_per_length(), low = 1e-6, high = 1.0;
    for (int i = 0; i < 100; ++i) {
      double H = 0.5 * (low + high);
      if (2.0 * H / w * asinh(0.5 * w * LENGTH / H) < span) {
        low = H;
      } else {
        high = H;
      }
    }
    read(world, id, T);
    for (int i = 0; i < COUNT; ++i) {
      double below = w * LENGTH * fabs((double)i / (COUNT - 1) - 0.5), expected = hypot(low, below);
      // stiffness, stretch and the polygon, whose edges have the tension of their middle
      assert_near(T[i] / expected, 1.0, 0.06);
    }
    cps_world_destroy(world);
  }
}

// A stiff rod swings from a pin: with its angle below the horizontal a and its spin o, both as they are now,
// T(s) = rho S [ o^2 (L^2 - s^2)/2 + g sin(a) (L - s) ].
static void a_swinging_rod_pulls_by_its_spin_too(void** state) {
  (void)state;
  const CpsVec3 points[2] = {{0, 0, 0}, {LENGTH, 0, 0}};
  for (int m = 0; m < ALL; ++m) {
    if (m == CPS_ROD_CORDE_EXPLICIT) continue;  // too stiff for it
    CpsWorld* world = world_of((CpsRodModel)m);
    CpsFibreDef def = rod_along((CpsRodModel)m, points);
    def.young = 3e9;
    def.root.kind = CPS_END_PINNED;
    CpsFibreId id = add(world, &def);
    (void)steps_with_contacts(world, 140);
    CpsFibrePoint tip;
    assert_int_equal(cps_world_fibre_at(world, id, LENGTH, &tip), CPS_OK);
    double spin = cps_vec3_norm(tip.velocity) / LENGTH, sine = -tip.position.z / LENGTH, T[COUNT];
    assert_true(sine > 0.5);
    read(world, id, T);
    for (int i = 0; i < COUNT; ++i) {
      double s = LENGTH * i / (COUNT - 1);
      double expected = weight_per_length() / GRAVITY *
                        (0.5 * spin * spin * (LENGTH * LENGTH - s * s) + GRAVITY * sine * (LENGTH - s));
      // a millisecond late: spin h = 1 %
      assert_near(T[i], expected, 0.03 * weight_per_length() * LENGTH * (1.0 + spin * spin * LENGTH / GRAVITY));
    }
    cps_world_destroy(world);
  }
}

static void a_pull_is_felt_from_the_root_to_its_place(void** state) {
  (void)state;
  const CpsVec3 points[2] = {{0, 0, 0}, {0, 0, -LENGTH}};
  CpsWorld* world = world_of(CPS_ROD_SUPER_HELIX);
  CpsFibreDef def = rod_along(CPS_ROD_SUPER_HELIX, points);
  def.root.kind = CPS_END_CLAMPED;
  CpsFibreId id = add(world, &def);
  CpsPullDef pull = cps_pull_def_default();
  pull.at.thing = cps_thing_fibre(id);
  pull.at.s = 0.55 * LENGTH;
  pull.force = cps_vec3(0, 0, -1.0);
  must(cps_world_add_pull(world, &pull, NULL, &must_error));
  (void)steps_with_contacts(world, 50);
  double T[COUNT], whole = weight_per_length() * LENGTH;
  read(world, id, T);
  for (int i = 0; i < COUNT; ++i) {
    double s = (double)i / (COUNT - 1);
    assert_near(T[i], whole * (1.0 - s) + (s < 0.55 ? 1.0 : 0.0), 1e-6);
  }
  cps_world_destroy(world);
}

static void branches_weigh_on_the_trunk(void** state) {
  (void)state;
  const CpsVec3 points[2] = {{0, 0, 0}, {0, 0, -LENGTH}};
  CpsWorld* world = world_of(CPS_ROD_SUPER_HELIX_RECURSIVE);
  CpsFibreDef def = rod_along(CPS_ROD_SUPER_HELIX_RECURSIVE, points);
  CpsFibreBranch branches[3] = {{.parent = -1, .at = 2}, {.parent = -1, .at = 5}, {.parent = 0, .at = 1}};
  for (int i = 0; i < 3; ++i) {
    branches[i].elements = 3;
    branches[i].length = 0.5 * LENGTH;
    branches[i].radius = RADIUS;
    branches[i].curvature.x = NAN;
  }
  def.branches = branches;
  def.branch_count = 3;
  def.root.kind = CPS_END_CLAMPED;
  CpsFibreId id = add(world, &def);
  (void)steps_with_contacts(world, 20);
  double T[COUNT], one = weight_per_length() * LENGTH;
  read(world, id, T);
  for (int i = 0; i < COUNT; ++i) {
    double s = (double)i / (COUNT - 1);
    // two of the branches hang from the middle, one on the other, and one from the tip
    assert_near(T[i] / one, 1.0 - s + 0.5 + (s < 0.5 - 1e-9 ? 1.0 : 0.0), 1e-8);
  }
  CpsTensions* tensions = cps_tensions_create();
  assert_int_equal(cps_tensions_update(tensions, world), CPS_OK);
  for (int b = 0; b < 3; ++b) {
    assert_int_equal(cps_tensions_read(tensions, world, id, b, COUNT, T), CPS_OK);
    for (int i = 0; i < COUNT; ++i) {
      double s = (double)i / (COUNT - 1), third = b == 0 && s < 2.0 / 3.0 ? 0.5 : 0.0;
      assert_near(T[i] / one, 0.5 * (1.0 - s) + third, 1e-8);
    }
  }
  cps_tensions_destroy(tensions);
  cps_world_destroy(world);
}

// A free rod on its root: contact carries it.
static void what_stands_on_the_floor_is_pushed(void** state) {
  (void)state;
  CpsWorld* world = world_of(CPS_ROD_SUPER_HELIX);
  add_floor(world);
  const CpsVec3 points[2] = {{0, 0, RADIUS}, {0, 0, RADIUS + LENGTH}};
  CpsFibreDef def = rod_along(CPS_ROD_SUPER_HELIX, points);
  def.contact_radius = RADIUS;
  def.young = 1e9;
  def.mu = 0.5;
  CpsFibreId id = add(world, &def);
  (void)steps_with_contacts(world, 3);  // it falls over in the end
  double T[COUNT], whole = weight_per_length() * LENGTH;
  read(world, id, T);
  // only what is above pushes down on a section, and it stands: T = - w (L - s)
  for (int i = 1; i < COUNT; ++i) assert_near(T[i] / whole, -(1.0 - (double)i / (COUNT - 1)), 1e-3);
  cps_world_destroy(world);
}

static void nonsense_is_refused(void** state) {
  (void)state;
  const CpsVec3 points[2] = {{0, 0, 0}, {0, 0, -LENGTH}};
  CpsWorld* world = world_of(CPS_ROD_DER_PROJECTED);
  CpsFibreDef def = rod_along(CPS_ROD_DER_PROJECTED, points);
  def.root.kind = def.tip.kind = CPS_END_PINNED;
  CpsFibreId id = add(world, &def), none = {7, 1};
  double T[COUNT] = {1.0};
  assert_int_equal(cps_world_fibre_tension(world, id, COUNT, T), CPS_UNSUPPORTED);
  assert_true(T[0] == 0.0);
  assert_int_equal(cps_world_fibre_tension(world, none, COUNT, T), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_world_fibre_tension(NULL, id, COUNT, T), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_world_fibre_tension(world, id, 1, T), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_world_fibre_tension(world, id, COUNT, NULL), CPS_BAD_ARGUMENT);
  CpsTensions* tensions = cps_tensions_create();
  assert_non_null(tensions);
  assert_int_equal(cps_tensions_read(tensions, world, id, -1, COUNT, T), CPS_BAD_ARGUMENT);  // not updated
  assert_int_equal(cps_tensions_update(NULL, world), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_tensions_update(tensions, NULL), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_tensions_update(tensions, world), CPS_OK);
  assert_int_equal(cps_tensions_read(tensions, world, id, 0, COUNT, T), CPS_BAD_ARGUMENT);  // no such branch
  assert_int_equal(cps_tensions_read(tensions, world, id, -2, COUNT, T), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_tensions_read(tensions, world, id, -1, COUNT, T), CPS_UNSUPPORTED);
  cps_tensions_destroy(tensions);
  cps_tensions_destroy(NULL);
  cps_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_hanging_rod_carries_what_is_below),
      cmocka_unit_test(a_rope_between_two_pins_is_a_catenary),
      cmocka_unit_test(a_swinging_rod_pulls_by_its_spin_too),
      cmocka_unit_test(a_pull_is_felt_from_the_root_to_its_place),
      cmocka_unit_test(branches_weigh_on_the_trunk),
      cmocka_unit_test(what_stands_on_the_floor_is_pushed),
      cmocka_unit_test(nonsense_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
