// Mass-spring chains behind rod.h: forces from energies, statics in closed form, conservation.
#include "chain_facts.h"

static const CpsVec3 NO_GRAVITY = {0, 0, 0};

// Straight at rest, the section round: the energy does not depend on the carried frames.
static void forces_of_a_bent_chain(void** state) {
  (void)state;
  CpsFibreDef def = noodle(CPS_ROD_MASS_SPRING, 6);
  CpsRod rod = make_rod(&def);
  shake(&rod, 0.3, 1);
  forces_are_minus_the_slope_of_the_energy(&rod, NULL);
  cps_rod_free(&rod);
}

static void forces_of_a_clamped_chain(void** state) {
  (void)state;
  CpsFibreDef def = noodle(CPS_ROD_MASS_SPRING, 5);
  def.root.kind = def.tip.kind = CPS_END_CLAMPED;
  CpsRod rod = make_rod(&def);
  shake(&rod, 0.2, 2);
  forces_are_minus_the_slope_of_the_energy(&rod, NULL);
  cps_rod_free(&rod);
}

static bool in_plane(int32_t entry) {
  return entry % 3 != 2;
}

// In a plane the frames do not turn: natural curvature about the third axis and a flat section, motions in the plane.
static void forces_of_a_naturally_curved_chain(void** state) {
  (void)state;
  CpsVec3 natural = {0, 0, 6.0};
  CpsFibreDef def = noodle(CPS_ROD_MASS_SPRING, 6);
  def.root.kind = CPS_END_CLAMPED;
  def.natural_count = 1;
  def.natural = &natural;
  def.radius_across = 1e-3;
  CpsRod rod = make_rod(&def);
  CpsChain c = cps_chain_of(&rod);
  for (int32_t i = 1; i <= c.segments; ++i) c.x[i].y += 0.01 * sin(3.0 * i);
  rod.type->refresh(&rod);
  forces_are_minus_the_slope_of_the_energy(&rod, in_plane);
  cps_rod_free(&rod);
}

static void hessian(void** state) {
  (void)state;
  CpsFibreDef def = noodle(CPS_ROD_MASS_SPRING, 6);
  def.root.kind = CPS_END_CLAMPED;
  CpsRod rod = make_rod(&def);
  hessian_is_exact_at_rest(&rod);
  shake(&rod, 0.4, 3);
  hessian_is_positive_semidefinite(&rod);
  cps_rod_free(&rod);
}

static void rows_and_impulses(void** state) {
  (void)state;
  for (int root = CPS_END_FREE; root <= CPS_END_CLAMPED; ++root) {
    CpsFibreDef def = noodle(CPS_ROD_MASS_SPRING, 6);
    def.root.kind = (CpsEndKind)root;
    def.drag = 0.1;
    def.damping = 1e-3;
    CpsRod rod = make_rod(&def);
    shake(&rod, 0.2, 4);
    rows_agree_with_impulses(&rod, 0.013);
    rows_agree_with_impulses(&rod, 0.178);
    rows_agree_with_impulses(&rod, 0.3);
    cps_rod_free(&rod);
  }
}

static void a_chain_falls_freely(void** state) {
  (void)state;
  CpsFibreDef def = noodle(CPS_ROD_MASS_SPRING, 8);
  CpsVec3 natural = {0, 3.0, 4.0};
  def.natural_count = 1;
  def.natural = &natural;
  def.natural_as_placed = true;
  CpsRod rod = make_rod(&def);
  free_fall_is_exact(&rod);
  cps_rod_free(&rod);
}

static void a_free_chain_keeps_its_momentum(void** state) {
  (void)state;
  CpsFibreDef def = noodle(CPS_ROD_MASS_SPRING, 8);
  CpsRod rod = make_rod(&def);
  shake(&rod, 0.1, 6);
  linear_momentum_is_kept(&rod, 1e-3);
  cps_rod_free(&rod);
}

// F L^3 / 3 E I, to second order in 1 / n.
static void a_small_load_bends_by_the_beam_formula(void** state) {
  (void)state;
  double error[2];
  for (int k = 0; k < 2; ++k) {
    CpsFibreDef def = noodle(CPS_ROD_MASS_SPRING, k ? 20 : 10);
    def.root.kind = CPS_END_CLAMPED;
    CpsRod rod = make_rod(&def);
    double EI = rod.spec.branch[0].stiffness[2], F = 1e-4 * EI / 0.09;
    CpsVec3 tip = rest_under(&rod, cps_vec3(0, F, 0), NO_GRAVITY, 400, 1.0);
    double exact = F * 0.3 * 0.3 * 0.3 / (3.0 * EI);
    error[k] = fabs((tip.y - 0.2) / exact - 1.0);
    assert_below(error[k], k ? 2e-3 : 7e-3);
    cps_rod_free(&rod);
  }
  assert_near(error[0] / error[1], 4.0, 0.2);
}

static void a_hanging_chain_stretches_under_its_weight(void** state) {
  (void)state;
  weight_stretches_by_the_formula(CPS_ROD_MASS_SPRING);
}

// A ring segment that is naturally so rests; one that is naturally straight does not, one that is naturally curved
// bends to it in its plane.
static void natural_curvature_is_taken_on(void** state) {
  (void)state;
  CpsVec3 natural = {0, 0, 5.0};
  CpsFibreDef def = noodle(CPS_ROD_MASS_SPRING, 12);
  def.root.kind = CPS_END_CLAMPED;
  def.natural_count = 1;
  def.natural = &natural;
  def.curvature_count = 1;
  CpsVec3 straight = {0, 0, 0};
  def.curvature = &straight;
  CpsRod rod = make_rod(&def);
  CpsVec3 tip = rest_under(&rod, NO_GRAVITY, NO_GRAVITY, 600, 0.1);
  // the chord of the arc, polygons of equal sides being a little longer
  assert_near(tip.x - 0.1, sin(1.5) / 5.0, 2e-4);
  assert_near(tip.y - 0.2, (1.0 - cos(1.5)) / 5.0, 2e-4);
  assert_near(tip.z - 0.3, 0.0, 1e-9);
  assert_below(elastic_energy(&rod), 1e-12);
  cps_rod_free(&rod);
}

// Without ends that tell, the frames turn to the least energy: a free curved chain laid the other way keeps its shape.
static void a_free_curved_chain_rolls_without_effort(void** state) {
  (void)state;
  CpsVec3 natural = {0, 0, 5.0};
  CpsFibreDef def = noodle(CPS_ROD_MASS_SPRING, 12);
  def.natural_count = 1;
  def.natural = &natural;
  CpsRod rod = make_rod(&def);
  const CpsModelStep step = {.h = 1e-3, .theta = 1.0};
  CpsChain c = cps_chain_of(&rod);
  // about the line of its chord: half a turn
  CpsVec3 axis = cps_vec3_unit(cps_vec3_sub(c.x[12], c.x[0])), middle = {0};
  for (int i = 0; i <= 12; ++i) middle = cps_vec3_axpy(middle, 1.0 / 13.0, c.x[i]);
  CpsVec3 w = cps_vec3_scale(3.0, axis);
  rod.type->move_rigidly(&rod, cps_vec3_scale(-1.0, cps_vec3_cross(w, middle)), w);
  double start = total_energy(&rod, NO_GRAVITY);
  for (int k = 0; k < 1000; ++k) step_rod(&rod, &step);
  CpsRodEnergy e;
  rod.type->energy(&rod, NO_GRAVITY, &e);
  // what the implicit step takes in a second, and no more: a frame left behind would store all of it
  assert_true(e.kinetic > 0.5 * start);
  assert_below(e.elastic, 0.05 * start);
  cps_rod_free(&rod);
}

static void energy_does_not_grow(void** state) {
  (void)state;
  CpsFibreDef def = noodle(CPS_ROD_MASS_SPRING, 10);
  energy_of_a_shaken_rod_does_not_grow(&def);
}

// A coil that hangs and swings: the turning of its sections gives no energy, in steps of 1 ms.
static void a_curly_chain_stays_bounded(void** state) {
  (void)state;
  CpsVec3 natural = {8.0, 0, 40.0};
  CpsFibreDef def = noodle(CPS_ROD_MASS_SPRING, 40);
  def.root.kind = CPS_END_CLAMPED;
  def.natural_count = 1;
  def.natural = &natural;
  for (int flat = 0; flat < 2; ++flat) {
    def.radius_across = flat ? 1e-3 : 2e-3;
    CpsRod rod = make_rod(&def);
    const CpsModelStep step = {.h = 1e-3, .theta = 1.0, .gravity = {2.0, 3.0, -9.81}};
    double start = total_energy(&rod, step.gravity), least = start;
    keep_ends(&rod);
    for (int i = 0; i < 3000; ++i) {
      step_rod(&rod, &step);
      double now = total_energy(&rod, step.gravity);
      // what moves is linearised in a step; what it gains is of second order in it
      assert_below(now, least + 1e-3 * fabs(start));
      least = fmin(least, now);
    }
    cps_rod_free(&rod);
  }
}

// A rod driven by its clamped root as a rigid body is not bent by internal damping.
static void damping_does_not_resist_a_driven_translation(void** state) {
  (void)state;
  CpsFibreDef def = noodle(CPS_ROD_MASS_SPRING, 8);
  def.root.kind = CPS_END_CLAMPED;
  def.damping = 0.1;
  CpsRod rod = make_rod(&def);
  const CpsModelStep step = {.h = 1e-2, .theta = 1.0};
  CpsVec3 v = {0, 0.5, 0.2};
  rod.type->move_rigidly(&rod, v, NO_GRAVITY);
  rod.root.velocity = rod.root.velocity_before = v;
  for (int k = 0; k < 20; ++k) {
    rod.root.next.position = cps_vec3_axpy(rod.root.now.position, step.h, v);
    step_rod(&rod, &step);
  }
  assert_below(elastic_energy(&rod), 1e-20);
  assert_near(rod.type->at(&rod, 0.3).position.y, 0.3, 1e-12);
  CpsVec3 end = rod.type->velocity(&rod, 0.0, CPS_VELOCITY_AFTER);
  assert_near(end.y, 0.5, 1e-15);
  cps_rod_free(&rod);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forces_of_a_bent_chain),
      cmocka_unit_test(forces_of_a_clamped_chain),
      cmocka_unit_test(forces_of_a_naturally_curved_chain),
      cmocka_unit_test(hessian),
      cmocka_unit_test(rows_and_impulses),
      cmocka_unit_test(a_chain_falls_freely),
      cmocka_unit_test(a_free_chain_keeps_its_momentum),
      cmocka_unit_test(a_small_load_bends_by_the_beam_formula),
      cmocka_unit_test(a_hanging_chain_stretches_under_its_weight),
      cmocka_unit_test(natural_curvature_is_taken_on),
      cmocka_unit_test(a_free_curved_chain_rolls_without_effort),
      cmocka_unit_test(energy_does_not_grow),
      cmocka_unit_test(a_curly_chain_stays_bounded),
      cmocka_unit_test(damping_does_not_resist_a_driven_translation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
