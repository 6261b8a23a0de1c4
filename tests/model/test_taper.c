// labels: release
// Fibres that taper: mass, bending under their own weight and thickness of a truncated cone, for all models, by closed forms.
#include "model/rod.h"

#include "capstan/fibre.h"
#include "test_helpers.h"
#include "world/world_helpers.h"

static const double LENGTH = 0.3, RADIUS = 2e-3, TIP = 1e-3, DENSITY = 1000.0, YOUNG = 1e9, G = 9.81;
static const double PI = 3.14159265358979323846;

static CpsFibreDef cone(CpsRodModel model, int32_t elements) {
  CpsFibreDef def = cps_fibre_def_default();
  def.model = model;
  def.elements = elements;
  def.length = LENGTH;
  def.radius = RADIUS;
  def.radius_tip = TIP;
  def.density = DENSITY;
  def.young = YOUNG;
  return def;
}

static CpsRod make(const CpsFibreDef* def) {
  CpsRod rod;
  assert_int_equal(cps_rod_create(def, &rod, NULL), CPS_OK);
  return rod;
}

static double cone_mass(void) {
  return DENSITY * PI * LENGTH * (RADIUS * RADIUS + RADIUS * TIP + TIP * TIP) / 3.0;
}

// A rod that moves without turning has the momentum and the energy of its mass, and its moment about the root is that of its
// centre of mass: x_c = L (R^2 + 2 R r + 3 r^2) / (4 (R^2 + R r + r^2)). Masses lumped at points have it to second order.
static void the_mass_is_that_of_a_truncated_cone(void** state) {
  (void)state;
  const double R = RADIUS, r = TIP, mass = cone_mass();
  const double centre = LENGTH * (R * R + 2 * R * r + 3 * r * r) / (4.0 * (R * R + R * r + r * r));
  for (int m = 0; m < CPS_ROD_MODEL_COUNT; ++m) {
    CpsFibreDef def = cone((CpsRodModel)m, 20);
    CpsRod rod = make(&def);
    rod.type->move_rigidly(&rod, cps_vec3(0, 0, 2), cps_vec3(0, 0, 0));
    CpsVec3 p, L;
    CpsRodEnergy e = {0};
    rod.type->momentum(&rod, &p, &L);
    rod.type->energy(&rod, cps_vec3(0, 0, 0), &e);
    assert_near(p.z / (2.0 * mass), 1.0, 1e-13);
    assert_near(e.kinetic / (2.0 * mass), 1.0, 1e-13);
    assert_near(-L.y / (2.0 * mass * centre), 1.0, 1e-3);
    cps_rod_free(&rod);
  }
}

// Tip of a clamped cone under its own weight, small deflections. With x from the apex, X at the root and x1 at the tip,
//
//   M(x) = c (x^4 / 12 - x1^3 x / 3 + x1^4 / 4),   c = rho g A / X^2,   E I(x) = E I (x / X)^4,
//   w = int M / (E I) (x - x1) dx from x1 to X.
//
// A whole cone (x1 = 0) would bend into an arc of a circle.
static double deflection(void) {
  const double X = LENGTH / (1.0 - TIP / RADIUS), x = X - LENGTH, A = PI * RADIUS * RADIUS;
  const double EI = YOUNG * PI * pow(RADIUS, 4) / 4.0, K = DENSITY * G * A * X * X / EI;
  const double one = 1.0 / x - 1.0 / X, two = 1.0 / (x * x) - 1.0 / (X * X), three = pow(x, -3) - pow(X, -3);
  return K * (LENGTH * LENGTH / 24.0 - x * x * x / 3.0 * (one - 0.5 * x * two) +
              pow(x, 4) / 4.0 * (0.5 * two - x / 3.0 * three));
}

static double settled(CpsRodModel model, int32_t elements) {
  CpsFibreDef def = cone(model, elements);
  def.root.kind = CPS_END_CLAMPED;
  def.damping = 0.02;
  CpsRod rod = make(&def);
  const CpsModelStep step = {.h = 0.01, .theta = 1.0, .gravity = {0.0, 0.0, -G}};
  for (int i = 0; i < 400; ++i) {
    rod.root.now = rod.root.next;
    rod.type->begin(&rod, &step);
    rod.type->receive(&rod, NULL);
    rod.type->advance(&rod, &step);
    rod.type->refresh(&rod);
  }
  double down = -rod.type->at(&rod, LENGTH).position.z;
  cps_rod_free(&rod);
  return down;
}

// Explicit forces would need 1e5 steps; they are those of corde.
static void a_cone_bends_under_its_weight(void** state) {
  (void)state;
  const double exact = deflection(), cylinder = 2.0 * DENSITY * G * pow(LENGTH, 4) / (4.0 * YOUNG * RADIUS * RADIUS);
  assert_below(exact / LENGTH, 0.05);
  assert_true(exact < 0.8 * cylinder);
  for (int m = 0; m < CPS_ROD_MODEL_COUNT; ++m) {
    if (m == CPS_ROD_CORDE_EXPLICIT) continue;
    double coarse = fabs(settled((CpsRodModel)m, 10) / exact - 1.0),
           fine = fabs(settled((CpsRodModel)m, 20) / exact - 1.0);
    print_message("%s: deflection off by %.1e and %.1e with 10 and 20 elements\n", cps_rod_model_name((CpsRodModel)m),
                  coarse, fine);
    // second order in the length of an element; measured 2.9e-3 and less
    assert_below(fine, 3.5e-3);
    assert_below(fine, coarse / 3.5);
  }
}

// Dropped on a floor it comes to lie on a line of its surface: the axis is as high as it is thick there.
static void a_cone_lies_on_its_surface(void** state) {
  (void)state;
  const CpsRodModel models[] = {CPS_ROD_SUPER_HELIX, CPS_ROD_SUPER_CLOTHOID, CPS_ROD_CORDE, CPS_ROD_DER};
  for (int m = 0; m < 4; ++m) {
    CpsWorldDef settings = cps_world_def_default();
    settings.step = 2e-3;
    CpsWorld* world = make_world(&settings);
    add_floor(world);
    CpsFibreDef def = cone(models[m], 20);
    def.root_pose.position = cps_vec3(0, 0, 3e-3);
    CpsFibreId id;
    must(cps_world_add_fibre(world, &def, &id, &must_error));
    for (int i = 0; i < 250; ++i) must(cps_world_step(world, NULL, &must_error));
    CpsFibreInfo info;
    must(cps_world_fibre_info(world, id, &info));
    assert_near(info.mass / cone_mass(), 1.0, 1e-13);
    assert_near(info.radius, RADIUS, 1e-18);
    assert_near(info.radius_tip, TIP, 1e-18);
    double worst = 0.0;
    for (int i = 0; i <= 20; ++i) {
      CpsFibrePoint point;
      must(cps_world_fibre_at(world, id, LENGTH * i / 20, &point));
      double thick = RADIUS + (TIP - RADIUS) * i / 20;
      worst = fmax(worst, fabs(point.position.z - thick));
    }
    // pieces are as thick as the cone in their middle: off by half a step between two of twenty, and the slop
    assert_below(worst, 0.5 * (RADIUS - TIP) / 20 + 2e-6);
    cps_world_destroy(world);
  }
}

static void a_tip_without_thickness_is_refused(void** state) {
  (void)state;
  CpsWorldDef settings = cps_world_def_default();
  CpsWorld* world = make_world(&settings);
  CpsFibreDef def = cone(CPS_ROD_DER, 5);
  CpsError error;
  def.radius_tip = 0.0;
  assert_int_equal(cps_world_add_fibre(world, &def, NULL, &error), CPS_BAD_DATA);
  assert_string_equal(error.text, "the radius of the tip of a fibre is 0 m; it must be positive");
  cps_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_mass_is_that_of_a_truncated_cone),
      cmocka_unit_test(a_cone_bends_under_its_weight),
      cmocka_unit_test(a_cone_lies_on_its_surface),
      cmocka_unit_test(a_tip_without_thickness_is_refused),
  };
  return cmocka_run_group_tests_name("model/taper", tests, NULL, NULL);
}
