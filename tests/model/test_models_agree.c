// One definition of a rod, nine models: at high resolution they come to rest in the same shape and swing alike, and their
// errors fall as theory says.
// labels: release
#include "model/rod.h"

#include "test_helpers.h"

static const double LENGTH = 0.4;
static const CpsVec3 GRAVITY = {0.0, 0.0, -9.81};

enum { POINTS = 21 };
typedef struct Shape {
  CpsVec3 x[POINTS];
} Shape;

// A curl in a plane, which mass-spring chains know as well, or in space.
static CpsRod make(CpsRodModel model, int32_t elements, bool in_space, double drag) {
  static const CpsVec3 PLANE = {0.0, 10.0, 0.0}, SPACE = {8.0, 12.0, 5.0};
  CpsFibreDef def = cps_fibre_def_default();
  def.model = model;
  def.elements = elements;
  def.length = LENGTH;
  def.radius = 1e-3;
  def.young = 2.5e8;
  def.natural_count = 1;
  def.natural = in_space ? &SPACE : &PLANE;
  def.root.kind = CPS_END_CLAMPED;
  def.drag = drag;
  CpsRod rod;
  assert_int_equal(cps_rod_create(&def, &rod, NULL), CPS_OK);
  return rod;
}

static Shape run(CpsRodModel model, int32_t elements, bool in_space, double drag, double h, int32_t steps) {
  CpsRod rod = make(model, elements, in_space, drag);
  const CpsModelStep step = {.h = h, .theta = 1.0, .gravity = GRAVITY};
  for (int32_t i = 0; i < steps; ++i) {
    rod.root.now = rod.root.next;
    rod.type->begin(&rod, &step);
    rod.type->receive(&rod, NULL);
    rod.type->advance(&rod, &step);
    rod.type->refresh(&rod);
  }
  Shape shape;
  for (int i = 0; i < POINTS; ++i) shape.x[i] = rod.type->at(&rod, LENGTH * i / (POINTS - 1)).position;
  cps_rod_free(&rod);
  return shape;
}

// With drag that stops the swing soonest; after 3 s less than 1e-6 of it is left.
static Shape settle(CpsRodModel model, int32_t elements, bool in_space, double h) {
  return run(model, elements, in_space, 0.05, h, (int32_t)(3.0 / h));
}

// In lengths of the rod.
static double apart(const Shape* a, const Shape* b) {
  double worst = 0.0;
  for (int i = 0; i < POINTS; ++i) {
    double d = cps_vec3_norm(cps_vec3_sub(a->x[i], b->x[i])) / LENGTH;
    if (!(d <= worst)) worst = d;
  }
  return worst;
}

static bool plane_only(int model) {
  return model == CPS_ROD_MASS_SPRING;
}

// All implicit models; errors at rest fall with the square of the number of elements from about 0.06 (plane) or 0.25 (space)
// at two or four of them, that of the super-clothoid with the fourth power.
static void models_come_to_rest_in_the_same_shape(void** state) {
  (void)state;
  for (int space = 0; space < 2; ++space) {
    Shape reference = settle(CPS_ROD_SUPER_CLOTHOID, 12, space, 5e-3);
    for (int model = 0; model < CPS_ROD_MODEL_COUNT; ++model) {
      if (model == CPS_ROD_CORDE_EXPLICIT || (space && plane_only(model))) continue;
      int32_t elements = model == CPS_ROD_SUPER_CLOTHOID ? 8 : 40;
      Shape shape = settle((CpsRodModel)model, elements, space, 5e-3);
      double error = apart(&shape, &reference);
      print_message("%s %s: %.1e\n", cps_rod_model_name((CpsRodModel)model), space ? "in space" : "in a plane", error);
      assert_below(error, 3e-3);
    }
  }
}

// The swing of 0.1 s from the natural shape; the step of 0.2 ms leaves an error of its own, different for coordinates
// that are points and those that are curvatures.
static void models_swing_alike(void** state) {
  (void)state;
  for (int space = 0; space < 2; ++space) {
    Shape reference = run(CPS_ROD_SUPER_CLOTHOID, 12, space, 0.0, 2e-4, 500);
    for (int model = 0; model < CPS_ROD_MODEL_COUNT; ++model) {
      if (model == CPS_ROD_CORDE_EXPLICIT || (space && plane_only(model))) continue;
      int32_t elements = model == CPS_ROD_SUPER_CLOTHOID ? 8 : 40;
      Shape shape = run((CpsRodModel)model, elements, space, 0.0, 2e-4, 500);
      double error = apart(&shape, &reference);
      print_message("%s %s: %.1e\n", cps_rod_model_name((CpsRodModel)model), space ? "in space" : "in a plane", error);
      assert_below(error, 1e-3);
    }
  }
}

// The explicit model needs steps of 2 µs for 8 segments: it is compared with the implicit one of the same resolution.
static void explicit_corde_swings_like_the_implicit_one(void** state) {
  (void)state;
  Shape implicit = run(CPS_ROD_CORDE, 8, true, 0.0, 1e-5, 2000);
  Shape explicit_one = run(CPS_ROD_CORDE_EXPLICIT, 8, true, 0.0, 2e-6, 10000);
  assert_below(apart(&implicit, &explicit_one), 2e-3);
}

// Doubling the elements divides the error at rest by 4; of the super-clothoid by 16.
static void errors_fall_with_their_order(void** state) {
  (void)state;
  static const struct {
    CpsRodModel model;
    int32_t elements;
    double least, most;
  } CASES[] = {{CPS_ROD_SUPER_HELIX, 8, 3.5, 4.5},
               {CPS_ROD_SUPER_HELIX_RECURSIVE, 8, 3.5, 4.5},
               {CPS_ROD_SUPER_CLOTHOID, 6, 12.0, 24.0},
               {CPS_ROD_CORDE, 16, 3.5, 4.5},
               {CPS_ROD_DER, 16, 3.2, 4.8},
               {CPS_ROD_DER_INEXTENSIBLE, 16, 3.2, 4.8}};
  Shape reference = settle(CPS_ROD_SUPER_CLOTHOID, 32, true, 5e-3);
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; ++i) {
    Shape coarse = settle(CASES[i].model, CASES[i].elements, true, 5e-3);
    Shape fine = settle(CASES[i].model, 2 * CASES[i].elements, true, 5e-3);
    double ratio = apart(&coarse, &reference) / apart(&fine, &reference);
    print_message("%s: %.2f\n", cps_rod_model_name(CASES[i].model), ratio);
    assert_true(ratio > CASES[i].least && ratio < CASES[i].most);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(models_come_to_rest_in_the_same_shape),
      cmocka_unit_test(models_swing_alike),
      cmocka_unit_test(explicit_corde_swings_like_the_implicit_one),
      cmocka_unit_test(errors_fall_with_their_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
