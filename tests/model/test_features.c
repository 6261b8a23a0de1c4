// Every model against what every rod must offer: free, clamped, pinned and driven ends, natural curvature and twist, elliptic
// sections, gravity, drag, damping, point loads and the spring that a user pulls with. One straight rod along x, a closed form
// for each feature; explicit CORDE, whose steps are too short to come to rest here, must move as the implicit form does.
//
// At rest, with q a load per length, F a force and w the deflection, small against the length L:
//
//   clamped, free:     w(L) = q L^4 / (8 E I),   w(L) = F L^3 / (3 E I)                                              (1)
//   pinned, pinned:    w(L/2) = 5 q L^4 / (384 E I)                                                                  (2)
//   clamped, clamped:  w(L/2) = q L^4 / (384 E I)                                                                    (3)
#include "model/rod.h"

#include "core/quat.h"
#include "test_helpers.h"

static const double PI = 3.14159265358979323846;
static const double LENGTH = 0.2, RADIUS = 1e-3, YOUNG = 2.5e8, DENSITY = 1300.0, H = 0.02;
static const CpsVec3 NONE = {0.0, 0.0, 0.0};

static double line_density(void) {
  return DENSITY * PI * RADIUS * RADIUS;
}

static double rigidity(void) {
  return YOUNG * PI * RADIUS * RADIUS * RADIUS * RADIUS / 4.0;
}

static bool is_explicit(CpsRodModel model) {
  return model == CPS_ROD_CORDE_EXPLICIT;
}

// Errors of second order in the size of the elements: below a hundredth for these numbers, three times as much where both
// ends are clamped and the curvature changes its sign twice.
static const double TOLERANCE = 0.01, HELD = 0.03;

static CpsFibreDef definition(CpsRodModel model) {
  CpsFibreDef def = cps_fibre_def_default();
  def.model = model;
  def.elements = model < CPS_ROD_MASS_SPRING ? 12 : 24;
  def.length = LENGTH;
  def.radius = RADIUS;
  def.young = is_explicit(model) ? 1e-3 * YOUNG : YOUNG;  // explicit forces: soft, for the step
  def.density = DENSITY;
  def.damping = 0.0;
  def.stretching = 50.0;
  return def;
}

static CpsRod make(const CpsFibreDef* def) {
  CpsRod rod;
  CpsError error;
  if (cps_rod_create(def, &rod, &error) != CPS_OK) fail_msg("%s: %s", cps_rod_model_name(def->model), error.text);
  return rod;
}

static void step(CpsRod* rod, double h, CpsVec3 gravity) {
  const CpsModelStep now = {.h = h, .theta = 1.0, .gravity = gravity};
  rod->type->begin(rod, &now);
  rod->type->receive(rod, NULL);
  rod->type->advance(rod, &now);
  rod->type->refresh(rod);
  rod->root.now = rod->root.next;
  rod->tip.now = rod->tip.next;
}

// Twenty of its slowest swings.
static void settle(CpsRod* rod, CpsVec3 gravity) {
  for (int32_t i = 0; i < 200; ++i) step(rod, H, gravity);
}

static CpsFibreDef resting(CpsRodModel model) {
  CpsFibreDef def = definition(model);
  // of the slowest swing of a clamped rod, 3.516 sqrt(E I / (rho L^4)): twice that is critical
  def.drag = 2.0 * 3.516 * sqrt(rigidity() * line_density()) / (LENGTH * LENGTH);
  return def;
}

static CpsVec3 at(const CpsRod* rod, double s) {
  return rod->type->at(rod, s).position;
}

static void check(CpsRodModel model, const char* what, double found, double expected, double tolerance) {
  if (fabs(found - expected) <= tolerance * fabs(expected)) return;
  fail_msg("%s, %s: %g instead of %g", cps_rod_model_name(model), what, found, expected);
}

// Gravity so weak that a clamped rod hangs down by a hundredth of its length.
static double weak(void) {
  return 0.08 * rigidity() / (line_density() * LENGTH * LENGTH * LENGTH);
}

static void a_free_rod_falls(void** state) {
  (void)state;
  for (CpsRodModel m = 0; m < CPS_ROD_MODEL_COUNT; ++m) {
    CpsFibreDef def = definition(m);
    CpsRod rod = make(&def);
    const double h = 1e-4;
    for (int i = 0; i < 100; ++i) step(&rod, h, cps_vec3(0, 0, -9.81));
    // the sum of the scheme, h^2 g n (n + 1) / 2; rounding
    for (int i = 0; i <= 4; ++i) assert_near(at(&rod, 0.25 * i * LENGTH).z, -9.81 * h * h * 5050.0, 1e-12);
    cps_rod_free(&rod);
  }
}

static void air_slows_a_free_rod(void** state) {
  (void)state;
  for (CpsRodModel m = 0; m < CPS_ROD_MODEL_COUNT; ++m) {
    CpsFibreDef def = definition(m);
    def.drag = 3.0 * line_density();  // 3/s
    CpsRod rod = make(&def);
    rod.type->move_rigidly(&rod, cps_vec3(0.3, -0.2, 0.1), NONE);
    const double h = 2e-5;  // short enough for explicit stretching
    for (int i = 0; i < 1000; ++i) step(&rod, h, NONE);
    double left = pow(1.0 + 3.0 * h, -1000.0);
    CpsVec3 v = rod.type->velocity(&rod, 0.7 * LENGTH, CPS_VELOCITY_AFTER);
    // the explicit model takes its drag at the beginning of the step as well: first order, h
    double near = is_explicit(m) ? 1e-4 : 1e-9;
    assert_near(v.x, 0.3 * left, near);
    assert_near(v.y, -0.2 * left, near);
    assert_near(v.z, 0.1 * left, near);
    cps_rod_free(&rod);
  }
}

// (1) for a weight, and the same by a root that is driven with constant acceleration: a weight in its own axes.
static void a_clamped_rod_bends_by_its_weight_or_when_its_root_is_driven(void** state) {
  (void)state;
  for (CpsRodModel m = 0; m < CPS_ROD_MODEL_COUNT; ++m) {
    if (is_explicit(m)) continue;
    for (int driven = 0; driven < 2; ++driven) {
      CpsFibreDef def = resting(m);
      def.root.kind = CPS_END_CLAMPED;
      if (driven) def.drag = 0.0, def.damping = 0.05;  // air would rest, and press against it
      CpsRod rod = make(&def);
      if (!driven) settle(&rod, cps_vec3(0, 0, -weak()));
      for (int i = 0; driven && i < 400; ++i) {
        double v = weak() * H * (i + 1);
        rod.root.velocity_before = rod.root.velocity;
        rod.root.velocity = cps_vec3(0, 0, v);
        rod.root.next.position.z = rod.root.now.position.z + H * v;
        step(&rod, H, NONE);
      }
      check(m, driven ? "driven root" : "weight", at(&rod, 0.0).z - at(&rod, LENGTH).z, 0.01 * LENGTH, TOLERANCE);
      cps_rod_free(&rod);
    }
  }
}

// (2), (3)
static void both_ends_may_be_held(void** state) {
  (void)state;
  for (CpsRodModel m = 0; m < CPS_ROD_MODEL_COUNT; ++m) {
    if (is_explicit(m)) continue;
    // what cannot stretch cannot bend between ends as far apart as it is long
    if (m == CPS_ROD_DER_INEXTENSIBLE || m == CPS_ROD_DER_PROJECTED) continue;
    for (int clamped = 0; clamped < 2; ++clamped) {
      CpsFibreDef def = resting(m);
      def.root.kind = def.tip.kind = clamped ? CPS_END_CLAMPED : CPS_END_PINNED;
      // a hundredth of the weight: it is stretched by w^2 / L, which shall be nothing
      CpsRod rod = make(&def);
      settle(&rod, cps_vec3(0, 0, -0.01 * weak()));
      double w = (clamped ? 1.0 : 5.0) / 384.0 * 8.0 * 1e-4 * LENGTH;
      check(m, clamped ? "two clamps" : "two pins", -at(&rod, 0.5 * LENGTH).z, w, HELD);
      cps_rod_free(&rod);
    }
  }
}

// (1) for a force at the tip, and for a spring of stiffness k whose other end is d away: it pulls by d k / (1 + k L^3 / 3 E I).
static void a_force_and_a_spring_pull_at_the_tip(void** state) {
  (void)state;
  double soft = 3.0 * rigidity() / (LENGTH * LENGTH * LENGTH), way = 0.01 * LENGTH;
  const CpsRodPull PULLS[] = {{.s = LENGTH, .force = {0, way * soft, 0}},
                              {.s = LENGTH, .stiffness = 2.0 * soft, .target = {LENGTH, 1.5 * way, 0}}};
  for (CpsRodModel m = 0; m < CPS_ROD_MODEL_COUNT; ++m) {
    if (is_explicit(m)) continue;
    for (int k = 0; k < 2; ++k) {
      CpsFibreDef def = resting(m);
      def.root.kind = CPS_END_CLAMPED;
      CpsRod rod = make(&def);
      rod.pull_count = 1;
      rod.pulls = &PULLS[k];
      settle(&rod, NONE);
      check(m, k ? "spring" : "force", at(&rod, LENGTH).y, way, TOLERANCE);
      cps_rod_free(&rod);
    }
  }
}

// Without load a rod takes its natural shape: of curvature k about the second axis a circle, with twist as well a helix, whose
// frame turns by exp([kappa] s). The mass-spring chain knows no twist.
static void a_rod_takes_its_natural_curvature_and_twist(void** state) {
  (void)state;
  static const CpsVec3 NATURAL[] = {{0.0, 4.0, 0.0}, {3.0, 4.0, -2.0}};
  for (CpsRodModel m = 0; m < CPS_ROD_MODEL_COUNT; ++m) {
    if (is_explicit(m)) continue;
    for (int k = 0; k < (m == CPS_ROD_MASS_SPRING ? 1 : 2); ++k) {
      static const CpsVec3 STRAIGHT = {0.0, 0.0, 0.0};
      CpsFibreDef def = resting(m);
      def.root.kind = CPS_END_CLAMPED;
      def.natural_count = def.curvature_count = 1;
      def.natural = &NATURAL[k];
      def.curvature = &STRAIGHT;
      CpsRod rod = make(&def);
      settle(&rod, NONE);
      // x' = exp([kappa] s) e_x integrated by the midpoints of many pieces
      CpsVec3 expected = {0};
      enum { PIECES = 2000 };
      for (int i = 0; i < PIECES; ++i) {
        CpsQuat turn = cps_quat_exp(cps_vec3_scale((i + 0.5) * LENGTH / PIECES, NATURAL[k]));
        expected = cps_vec3_axpy(expected, LENGTH / PIECES, cps_quat_rotate(turn, cps_vec3(1, 0, 0)));
      }
      double error = cps_vec3_norm(cps_vec3_sub(at(&rod, LENGTH), expected));
      if (!(error < TOLERANCE * LENGTH)) fail_msg("%s, natural shape %d: %g", cps_rod_model_name(m), k, error);
      cps_rod_free(&rod);
    }
  }
}

// A section twice as wide as thick, I = pi a b^3 / 4 about the second axis and pi a^3 b / 4 about the third, a along the second.
static void an_elliptic_section_has_a_weak_and_a_strong_axis(void** state) {
  (void)state;
  for (CpsRodModel m = 0; m < CPS_ROD_MODEL_COUNT; ++m) {
    if (is_explicit(m)) continue;
    for (int strong = 0; strong < 2; ++strong) {
      CpsFibreDef def = resting(m);
      def.root.kind = CPS_END_CLAMPED;
      def.radius = sqrt(2.0) * RADIUS;  // the same area
      def.radius_across = sqrt(0.5) * RADIUS;
      CpsRod rod = make(&def);
      // bending about the third axis moves the tip along the second, y
      settle(&rod, strong ? cps_vec3(0, -weak(), 0) : cps_vec3(0, 0, -weak()));
      CpsVec3 tip = at(&rod, LENGTH);
      double w = 0.01 * LENGTH * (strong ? 0.5 : 2.0);
      check(m, strong ? "strong axis" : "weak axis", -(strong ? tip.y : tip.z), w, TOLERANCE);
      cps_rod_free(&rod);
    }
  }
}

// With next to no mass, damping d and stiffness balance: K (q + d q') = 0, a bent rod straightens by d / (d + h) in a step.
static void damping_holds_a_bent_rod_back(void** state) {
  (void)state;
  static const CpsVec3 BENT = {0.0, 0.01, 0.0};  // points stretch to second order, and stretching is damped as well
  for (CpsRodModel m = 0; m < CPS_ROD_MODEL_COUNT; ++m) {
    if (is_explicit(m)) continue;
    CpsFibreDef def = definition(m);
    def.line_density = 1e-6 * line_density();
    def.root.kind = CPS_END_CLAMPED;
    def.damping = 0.1;
    def.curvature_count = 1;
    def.curvature = &BENT;
    CpsRod rod = make(&def);
    double before = at(&rod, LENGTH).z;
    for (int i = 0; i < 10; ++i) step(&rod, H, NONE);
    check(m, "damping", at(&rod, LENGTH).z, before * pow(0.1 / (0.1 + H), 10.0), TOLERANCE);
    cps_rod_free(&rod);
  }
}

// A soft rod with everything at once: natural curvature and twist, an elliptic section, weight, drag, a force, a spring, and a
// root that is free, pinned, clamped or driven.
static CpsVec3 moved_tip(CpsRodModel model, int root, int32_t elements, double h) {
  static const CpsVec3 NATURAL = {2.0, 3.0, -1.0}, STRAIGHT = {0.0, 0.0, 0.0};
  static const CpsRodPull PULLS[] = {{.s = 0.5 * 0.2, .force = {0.0, 2e-3, 0.0}},
                                     {.s = 0.2, .stiffness = 0.5, .damping = 1e-3, .target = {0.2, 0.01, 0.01}}};
  CpsFibreDef def = definition(model);
  def.elements = elements;
  def.young = 2.5e6;
  def.radius_across = 0.7 * RADIUS;
  def.natural_count = def.curvature_count = 1;
  def.natural = &NATURAL;
  def.curvature = &STRAIGHT;
  def.drag = 0.1;
  def.root.kind = root == 0 ? CPS_END_FREE : root == 1 ? CPS_END_PINNED : CPS_END_CLAMPED;
  CpsRod rod = make(&def);
  rod.pull_count = 2;
  rod.pulls = PULLS;
  CpsVec3 from = at(&rod, LENGTH);
  for (int i = 0; i < (int)lround(0.006 / h); ++i) {
    if (root == 3) {
      rod.root.velocity_before = rod.root.velocity = cps_vec3(0.0, 0.2, 0.1);
      rod.root.next.position = cps_vec3_axpy(rod.root.now.position, h, rod.root.velocity);
    }
    step(&rod, h, cps_vec3(0, 0, -9.81));
  }
  CpsVec3 way = cps_vec3_sub(at(&rod, LENGTH), from);
  cps_rod_free(&rod);
  return way;
}

// The explicit form adds inertia of second order in the size of the segments: the difference goes as its square.
static void explicit_corde_feels_all_that_the_implicit_one_feels(void** state) {
  (void)state;
  for (int root = 0; root < 4; ++root) {
    double apart[2], way = 0.0;
    for (int k = 0; k < 2; ++k) {
      CpsVec3 implicit = moved_tip(CPS_ROD_CORDE, root, 20 << k, 1e-5);
      CpsVec3 other = moved_tip(CPS_ROD_CORDE_EXPLICIT, root, 20 << k, 1e-5);
      apart[k] = cps_vec3_norm(cps_vec3_sub(other, implicit));
      way = cps_vec3_norm(implicit);
    }
    assert_true(way > 5e-4);
    assert_below(apart[1], 0.3 * apart[0]);
    assert_below(apart[1], 0.04 * way);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_free_rod_falls),
      cmocka_unit_test(air_slows_a_free_rod),
      cmocka_unit_test(a_clamped_rod_bends_by_its_weight_or_when_its_root_is_driven),
      cmocka_unit_test(both_ends_may_be_held),
      cmocka_unit_test(a_force_and_a_spring_pull_at_the_tip),
      cmocka_unit_test(a_rod_takes_its_natural_curvature_and_twist),
      cmocka_unit_test(an_elliptic_section_has_a_weak_and_a_strong_axis),
      cmocka_unit_test(damping_holds_a_bent_rod_back),
      cmocka_unit_test(explicit_corde_feels_all_that_the_implicit_one_feels),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
