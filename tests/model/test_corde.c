// CORDE behind rod.h: forces from energies, bending and twisting in closed form, conservation, the limit of the explicit
// form.
#include "chain_facts.h"

static const CpsVec3 NO_GRAVITY = {0, 0, 0};

// A twisted, curved, flat noodle.
static CpsFibreDef flat_noodle(int32_t elements) {
  static const CpsVec3 NATURAL = {2.0, 3.0, -4.0};
  CpsFibreDef def = noodle(CPS_ROD_CORDE, elements);
  def.radius_across = 1e-3;
  def.natural_count = 1;
  def.natural = &NATURAL;
  return def;
}

static void forces_of_a_bent_and_twisted_rod(void** state) {
  (void)state;
  CpsFibreDef def = flat_noodle(5);
  CpsRod rod = make_rod(&def);
  shake(&rod, 0.2, 1);
  forces_are_minus_the_slope_of_the_energy(&rod, NULL);
  cps_rod_free(&rod);
}

static void forces_of_a_clamped_rod(void** state) {
  (void)state;
  CpsFibreDef def = flat_noodle(4);
  def.root.kind = def.tip.kind = CPS_END_CLAMPED;
  CpsRod rod = make_rod(&def);
  shake(&rod, 0.2, 2);
  forces_are_minus_the_slope_of_the_energy(&rod, NULL);
  cps_rod_free(&rod);
}

static void hessian(void** state) {
  (void)state;
  CpsFibreDef def = flat_noodle(5);
  def.root.kind = CPS_END_CLAMPED;
  // placed in its natural shape with nothing strained
  def.natural_as_placed = true;
  CpsRod rod = make_rod(&def);
  assert_below(elastic_energy(&rod), 1e-25);
  hessian_is_exact_at_rest(&rod);
  shake(&rod, 0.4, 3);
  hessian_is_positive_semidefinite(&rod);
  cps_rod_free(&rod);
}

static void rows_and_impulses(void** state) {
  (void)state;
  for (int root = CPS_END_FREE; root <= CPS_END_CLAMPED; ++root) {
    for (int kind = CPS_ROD_CORDE; kind <= CPS_ROD_CORDE_EXPLICIT; ++kind) {
      CpsFibreDef def = flat_noodle(6);
      def.model = (CpsRodModel)kind;
      def.root.kind = (CpsEndKind)root;
      def.drag = 0.1;
      CpsRod rod = make_rod(&def);
      rows_agree_with_impulses(&rod, 0.013);
      rows_agree_with_impulses(&rod, 0.178);
      rows_agree_with_impulses(&rod, 0.3);
      cps_rod_free(&rod);
    }
  }
}

static void a_rod_falls_freely(void** state) {
  (void)state;
  CpsFibreDef def = flat_noodle(8);
  def.natural_as_placed = true;
  CpsRod rod = make_rod(&def);
  free_fall_is_exact(&rod);
  cps_rod_free(&rod);
}

static void a_free_rod_keeps_its_momentum(void** state) {
  (void)state;
  CpsFibreDef def = flat_noodle(8);
  CpsRod rod = make_rod(&def);
  shake(&rod, 0.1, 6);
  linear_momentum_is_kept(&rod, 1e-3);
  cps_rod_free(&rod);
}

// Strains are measured in the frames of segments: a rigid spin strains nothing, so that angular momentum is kept to the
// order of the step.
static void a_spinning_rod_keeps_its_angular_momentum(void** state) {
  (void)state;
  double lost[2];
  for (int k = 0; k < 2; ++k) {
    CpsFibreDef def = flat_noodle(8);
    def.natural_as_placed = true;
    CpsRod rod = make_rod(&def);
    const CpsModelStep step = {.h = k ? 5e-4 : 1e-3, .theta = 1.0};
    CpsVec3 p, L0, L1;
    rod.type->move_rigidly(&rod, NO_GRAVITY, cps_vec3(1, 2, 3));
    rod.type->momentum(&rod, &p, &L0);
    for (int i = 0; i < (k ? 400 : 200); ++i) step_rod(&rod, &step);
    rod.type->momentum(&rod, &p, &L1);
    lost[k] = cps_vec3_norm(cps_vec3_sub(L1, L0)) / cps_vec3_norm(L0);
    cps_rod_free(&rod);
  }
  assert_below(lost[0], 5e-3);
  assert_below(lost[1], 0.7 * lost[0]);
}

// F L^3 / 3 E I about either axis, to second order in 1 / n; shearing adds F L / P.
static void a_small_load_bends_by_the_beam_formula(void** state) {
  (void)state;
  for (int axis = 1; axis <= 2; ++axis) {
    double error[2];
    for (int k = 0; k < 2; ++k) {
      CpsFibreDef def = noodle(CPS_ROD_CORDE, k ? 20 : 10);
      def.radius_across = 1e-3;
      def.root.kind = CPS_END_CLAMPED;
      CpsRod rod = make_rod(&def);
      double EI = rod.spec.branch[0].stiffness[axis], F = 1e-4 * EI / 0.09;
      // about the second axis, y, it bends along z
      CpsVec3 tip = rest_under(&rod, axis == 1 ? cps_vec3(0, 0, F) : cps_vec3(0, F, 0), NO_GRAVITY, 400, 1.0);
      double moved = axis == 1 ? tip.z - 0.3 : tip.y - 0.2;
      double exact = F * 0.3 * 0.3 * 0.3 / (3.0 * EI) + F * 0.3 / rod.spec.stretch;
      error[k] = fabs(moved / exact - 1.0);
      assert_below(error[k], k ? 2e-3 : 7e-3);
      cps_rod_free(&rod);
    }
    assert_near(error[0] / error[1], 4.0, 0.3);
  }
}

static void a_hanging_rod_stretches_under_its_weight(void** state) {
  (void)state;
  weight_stretches_by_the_formula(CPS_ROD_CORDE);
}

// Both ends clamped, the tip turned by phi about the rod: the energy is G J phi^2 / 2 L, so the torque G J phi / L, when
// the turn has spread evenly. 4 tan(phi / 4 n) is phi / n to (phi / 4 n)^2 / 3.
static void a_twisted_rod_stores_the_torsion_formula(void** state) {
  (void)state;
  CpsFibreDef def = noodle(CPS_ROD_CORDE, 10);
  def.root.kind = def.tip.kind = CPS_END_CLAMPED;
  CpsRod rod = make_rod(&def);
  double phi = 1.0, GJ = rod.spec.branch[0].stiffness[0];
  const CpsModelStep step = {.h = 0.05, .theta = 1.0};
  const int turning = 100;
  rod.root.next = rod.root.now;
  for (int k = 0; k < 400; ++k) {
    rod.tip.spin = cps_vec3(k < turning ? phi / (turning * step.h) : 0.0, 0, 0);
    rod.tip.next.rotation = cps_quat_multiply(cps_quat_exp(cps_vec3_scale(step.h, rod.tip.spin)), rod.tip.now.rotation);
    rod.tip.next.position = rod.tip.now.position;
    step_rod(&rod, &step);
  }
  assert_near(elastic_energy(&rod) / (0.5 * GJ * phi * phi / 0.3), 1.0, 1e-3);
  // and every joint has the same share
  for (int k = 1; k < 10; ++k) assert_near(rod.type->at(&rod, 0.03 * k).curvature.x, phi / 0.3, 1e-3 * phi / 0.3);
  cps_rod_free(&rod);
}

static void natural_curvature_and_twist_are_taken_on(void** state) {
  (void)state;
  static const CpsVec3 NATURAL = {4.0, 3.0, -6.0}, STRAIGHT = {0, 0, 0};
  CpsFibreDef def = noodle(CPS_ROD_CORDE, 24);
  def.root.kind = CPS_END_CLAMPED;
  def.natural_count = 1;
  def.natural = &NATURAL;
  CpsRod exact = make_rod(&def);
  CpsVec3 want = exact.type->at(&exact, 0.3).position;
  def.curvature_count = 1;
  def.curvature = &STRAIGHT;
  CpsRod rod = make_rod(&def);
  CpsVec3 tip = rest_under(&rod, NO_GRAVITY, NO_GRAVITY, 1000, 0.1);
  assert_below(elastic_energy(&rod), 1e-12);
  // second order in the angle of a segment, 0.1 rad
  assert_below(cps_vec3_norm(cps_vec3_sub(tip, want)), 1e-3);
  cps_rod_free(&rod);
  cps_rod_free(&exact);
}

static void energy_does_not_grow(void** state) {
  (void)state;
  CpsFibreDef def = flat_noodle(10);
  energy_of_a_shaken_rod_does_not_grow(&def);
}

// Largest energy of a slightly shaken explicit rod over 2000 steps, of its energy at the start.
static double growth(double h, double damping) {
  CpsFibreDef def = noodle(CPS_ROD_CORDE_EXPLICIT, 10);
  def.damping = damping;
  CpsRod rod = make_rod(&def);
  shake(&rod, 1e-4, 9);
  const CpsModelStep step = {.h = h, .theta = 1.0};
  double start = total_energy(&rod, NO_GRAVITY), largest = start;
  for (int i = 0; i < 2000 && largest < 1e3 * start; ++i) {
    step_rod(&rod, &step);
    largest = fmax(largest, total_energy(&rod, NO_GRAVITY));
  }
  cps_rod_free(&rod);
  return largest / start;
}

// h < sqrt(damping^2 + 4 / w^2) - damping, w = sqrt(8 P / m) / l, with P = E S here.
static void the_explicit_form_is_stable_up_to_its_limit(void** state) {
  (void)state;
  CpsFibreDef def = noodle(CPS_ROD_CORDE_EXPLICIT, 10);
  CpsRod rod = make_rod(&def);
  double w = sqrt(8.0 * rod.spec.stretch / rod.spec.branch[0].line_density) / 0.03;
  cps_rod_free(&rod);
  for (int k = 0; k < 2; ++k) {
    double damping = k ? 0.5 / w : 0.0;
    double limit = sqrt(damping * damping + 4.0 / (w * w)) - damping;
    // the energy of symplectic steps oscillates near the limit: bounded, not constant
    assert_below(growth(0.95 * limit, damping), 30.0);
    assert_true(growth(1.1 * limit, damping) > 1e3);
  }
}

// The tip of a clamped noodle that falls from the horizontal.
static CpsVec3 fallen_tip(CpsRodModel model, int32_t elements) {
  CpsFibreDef def = noodle(model, elements);
  def.root.kind = CPS_END_CLAMPED;
  CpsRod rod = make_rod(&def);
  keep_ends(&rod);
  const CpsModelStep step = {.h = 2.5e-5, .theta = 1.0, .gravity = {0, 0, -9.81}};
  for (int i = 0; i < 8000; ++i) step_rod(&rod, &step);
  CpsVec3 tip = rod.type->at(&rod, 0.3).position;
  cps_rod_free(&rod);
  return tip;
}

// Where both are stable they agree, but for the inertia of frames, a share of 1 / n^2.
static void explicit_and_implicit_agree(void** state) {
  (void)state;
  double apart[2];
  for (int k = 0; k < 2; ++k) {
    CpsVec3 a = fallen_tip(CPS_ROD_CORDE, k ? 16 : 8), b = fallen_tip(CPS_ROD_CORDE_EXPLICIT, k ? 16 : 8);
    assert_below(a.z, 0.3 - 0.1);
    apart[k] = cps_vec3_norm(cps_vec3_sub(a, b));
  }
  assert_below(apart[0], 0.01);
  assert_below(apart[1], 0.3 * apart[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forces_of_a_bent_and_twisted_rod),
      cmocka_unit_test(forces_of_a_clamped_rod),
      cmocka_unit_test(hessian),
      cmocka_unit_test(rows_and_impulses),
      cmocka_unit_test(a_rod_falls_freely),
      cmocka_unit_test(a_free_rod_keeps_its_momentum),
      cmocka_unit_test(a_spinning_rod_keeps_its_angular_momentum),
      cmocka_unit_test(a_small_load_bends_by_the_beam_formula),
      cmocka_unit_test(a_hanging_rod_stretches_under_its_weight),
      cmocka_unit_test(a_twisted_rod_stores_the_torsion_formula),
      cmocka_unit_test(natural_curvature_and_twist_are_taken_on),
      cmocka_unit_test(energy_does_not_grow),
      cmocka_unit_test(the_explicit_form_is_stable_up_to_its_limit),
      cmocka_unit_test(explicit_and_implicit_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
