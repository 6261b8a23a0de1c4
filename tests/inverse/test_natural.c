// Natural strains of living fibres: read, set, saved; what an inversion refuses; round trips with statics.
#include "inverse_helpers.h"

#include <string.h>

static const double L = 0.3;  // of clamped()

// A fibre in a drawn shape.
static CpsFibreDef drawn_fibre(CpsRodModel model, int32_t elements, uint64_t* seed, double turn, CpsVec3* curvature) {
  CpsFibreDef def = clamped(model, elements);
  draw_shape(seed, turn, L, curvature);
  def.curvature = curvature;
  def.curvature_count = SHAPE_POINTS;
  def.root_pose.rotation = draw_rotation(seed);
  def.stretching = 20.0;
  return def;
}

// What was set is read again bit by bit, from a world that the state was loaded into too, and both go on alike.
static void natural_strains_are_kept_bit_by_bit(void** state) {
  (void)state;
  uint64_t seed = 5;
  for (int m = 0; m < MODELS; ++m) {
    CpsVec3 curvature[SHAPE_POINTS], set[16], got[16];
    double lengths[16], got_lengths[16];
    CpsFibreDef def = drawn_fibre(INVERTIBLE[m], 7, &seed, 2.0, curvature);
    CpsWorld *world = still_world(0.002), *other = still_world(0.002);
    CpsFibreId id = add_fibre(world, &def), twin = add_fibre(other, &def);
    CpsNaturalCounts counts;
    assert_int_equal(cps_world_fibre_natural_counts(world, id, &counts), CPS_OK);
    assert_int_equal(counts.strains, INVERTIBLE[m] == CPS_ROD_SUPER_CLOTHOID ? 8 : 7);
    assert_int_equal(counts.lengths, INVERTIBLE[m] == CPS_ROD_DER ? 7 : 0);
    for (int i = 0; i < counts.strains; ++i)
      set[i] = (CpsVec3){0.1 * draw(&seed), 0.1 * draw(&seed), 0.1 * draw(&seed)};
    for (int i = 0; i < counts.lengths; ++i) lengths[i] = L / 7.0 * (1.0 + 1e-3 * draw(&seed));
    must(cps_world_set_fibre_natural(world, id, set, counts.lengths > 0 ? lengths : NULL, &must_error));
    step(world, 20);
    copy_state(world, other);
    assert_int_equal(cps_world_fibre_natural(other, twin, got, got_lengths), CPS_OK);
    assert_memory_equal(got, set, (size_t)counts.strains * sizeof *set);
    assert_memory_equal(got_lengths, lengths, (size_t)counts.lengths * sizeof *lengths);
    step(world, 20);
    step(other, 20);
    assert_true(cps_world_hash(world) == cps_world_hash(other));
    cps_world_destroy(world);
    cps_world_destroy(other);
  }
}

// What a length is more than its double says is read and set apart; lengths that are set have none, and what is no rounding is refused.
static void residues_of_lengths_are_kept_apart(void** state) {
  (void)state;
  CpsWorld* world = still_world(0.002);
  CpsFibreDef def = clamped(CPS_ROD_DER, 7), stiff = clamped(CPS_ROD_SUPER_HELIX, 7);
  CpsFibreId id = add_fibre(world, &def), other = add_fibre(world, &stiff);
  double lengths[7], set[7], got[7];
  assert_int_equal(cps_world_fibre_natural(world, id, NULL, lengths), CPS_OK);
  for (int i = 0; i < 7; ++i) set[i] = (i % 2 ? -1e-17 : 1e-17) * lengths[i];
  must(cps_world_set_fibre_length_residues(world, id, set, &must_error));
  assert_int_equal(cps_world_fibre_length_residues(world, id, got), CPS_OK);
  assert_memory_equal(got, set, sizeof set);
  CpsError error;
  const double wrong[] = {1e-6, NAN, -INFINITY};
  for (int i = 0; i < 3; ++i) {
    double bad[7] = {0};
    bad[3] = wrong[i];
    assert_int_equal(cps_world_set_fibre_length_residues(world, id, bad, &error), CPS_BAD_DATA);
  }
  assert_int_equal(cps_world_set_fibre_length_residues(world, id, NULL, &error), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_world_set_fibre_length_residues(world, (CpsFibreId){9, 1}, set, &error), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_world_set_fibre_length_residues(world, other, set, &error), CPS_UNSUPPORTED);
  assert_int_equal(cps_world_fibre_length_residues(world, id, NULL), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_world_fibre_length_residues(world, id, got), CPS_OK);
  assert_memory_equal(got, set, sizeof set);  // what was refused changed nothing
  must(cps_world_set_fibre_natural(world, id, NULL, lengths, &must_error));
  assert_int_equal(cps_world_fibre_length_residues(world, id, got), CPS_OK);
  for (int i = 0; i < 7; ++i) assert_true(got[i] == 0.0);
  cps_world_destroy(world);
}

// A stiffened fibre stays stiff in a saved state.
static void stiffness_goes_with_the_state(void** state) {
  (void)state;
  CpsWorld *world = still_world(0.002), *other = still_world(0.002);
  CpsFibreDef def = clamped(CPS_ROD_SUPER_HELIX, 8);
  def.root_pose.rotation = about_y(-1.5707);
  for (int a = 0; a < 2; ++a) def.bending[a] = 1e-5;
  CpsFibreId id = add_fibre(world, &def), twin = add_fibre(other, &def);
  CpsInvertOptions options = cps_invert_options_default();
  CpsInvertInfo info;
  options.stiffen = true;
  must(cps_world_invert(world, &options, &info, &must_error));
  assert_int_equal(info.stiffened_count, 1);
  assert_int_equal(info.unstable_count, 0);
  assert_near(info.most_stiffened / (1.1 * info.least_factor), 1.0, 1e-12);
  CpsFibreStability now;
  must(cps_world_fibre_stability(world, id, &now, &must_error));
  assert_near(now.least_factor, 1.0 / 1.1, 1e-9);
  copy_state(world, other);
  must(cps_world_fibre_stability(other, twin, &now, &must_error));
  assert_near(now.least_factor, 1.0 / 1.1, 1e-9);
  CpsVec3 before[PLACES], after[PLACES];
  look(other, twin, before);
  step(world, 100);
  step(other, 100);
  look(other, twin, after);
  assert_true(farthest(before, after, PLACES) < 1e-10 * L);
  assert_true(cps_world_hash(world) == cps_world_hash(other));
  cps_world_destroy(world);
  cps_world_destroy(other);
}

// Natural shape -> equilibrium -> inversion finds the natural shape again; drawn shape -> inversion -> a tug -> equilibrium
// is the drawn shape.
static void statics_and_inversion_undo_each_other(void** state) {
  (void)state;
  uint64_t seed = 21;
  for (int m = 0; m < MODELS; ++m) {
    double worst = 0.0, moved = 0.0;
    for (int trial = 0; trial < 25; ++trial) {
      CpsVec3 curvature[SHAPE_POINTS], natural[16], found[16], before[PLACES], after[PLACES];
      CpsFibreDef def = drawn_fibre(INVERTIBLE[m], 8, &seed, 2.0, curvature);
      for (int a = 0; a < 2; ++a) def.bending[a] *= 4.0;  // stable, most of them
      CpsWorld* world = still_world(0.002);
      def.natural = curvature;
      def.natural_count = SHAPE_POINTS;
      CpsFibreId id = add_fibre(world, &def);
      CpsNaturalCounts counts;
      assert_int_equal(cps_world_fibre_natural_counts(world, id, &counts), CPS_OK);
      assert_int_equal(cps_world_fibre_natural(world, id, natural, NULL), CPS_OK);
      must(cps_world_settle_fibre(world, id, NULL, &must_error));
      invert(world);
      assert_int_equal(cps_world_fibre_natural(world, id, found, NULL), CPS_OK);
      const double unit = m < 3 ? L : 1.0;
      worst = fmax(worst, unit * farthest(natural, found, counts.strains));
      // and the drawn shape
      CpsFibreId drawn = add_fibre(world, &def);
      look(world, drawn, before);
      CpsInvertInfo info;
      must(cps_world_invert_fibre(world, drawn, NULL, &info, &must_error));
      if (info.unstable_count == 0) {
        CpsPullDef pull = cps_pull_def_default();
        pull.at.thing = cps_thing_fibre(drawn);
        pull.at.s = L;
        pull.force = (CpsVec3){1e-4, 1e-4, 1e-4};
        pull.until = 0.01;
        must(cps_world_add_pull(world, &pull, NULL, &must_error));
        step(world, 10);
        look(world, drawn, after);
        assert_true(farthest(before, after, PLACES) > 1e-5 * L);
        must(cps_world_settle_fibre(world, drawn, NULL, &must_error));
        look(world, drawn, after);
        moved = fmax(moved, farthest(before, after, PLACES) / L);
      }
      cps_world_destroy(world);
    }
    print_message("%s: natural strains found again to %.1e, drawn shapes to %.1e L\n",
                  cps_rod_model_name(INVERTIBLE[m]), worst, moved);
    assert_true(worst < 1e-9);
    assert_true(moved < 1e-10);
  }
}

// Inverted under a force and a spring, it is still while they act.
static void pulls_count_as_they_are(void** state) {
  (void)state;
  uint64_t seed = 8;
  for (int m = 0; m < MODELS; ++m) {
    CpsVec3 curvature[SHAPE_POINTS], before[PLACES], after[PLACES];
    CpsFibreDef def = drawn_fibre(INVERTIBLE[m], 8, &seed, 2.0, curvature);
    for (int a = 0; a < 2; ++a) def.bending[a] *= 40.0;
    def.twisting *= 40.0;
    CpsWorld* world = still_world(0.002);
    CpsFibreId id = add_fibre(world, &def);
    CpsPullDef pull = cps_pull_def_default();
    pull.at.thing = cps_thing_fibre(id);
    pull.at.s = 0.2;
    pull.force = (CpsVec3){1e-3, 0.0, 1e-3};
    must(cps_world_add_pull(world, &pull, NULL, &must_error));
    pull.at.s = 0.3;
    pull.force = (CpsVec3){0.0, 0.0, 0.0};
    pull.stiffness = 0.01;
    pull.target = (CpsVec3){0.1, 0.2, 0.1};
    must(cps_world_add_pull(world, &pull, NULL, &must_error));
    look(world, id, before);
    CpsInvertInfo info = invert(world);
    assert_int_equal(info.unstable_count, 0);
    step(world, 500);
    look(world, id, after);
    assert_true(farthest(before, after, PLACES) < 1e-10 * L);
    cps_world_destroy(world);
  }
}

// A tree: trunk and two branches, in any pose.
static void a_tree_stands_still(void** state) {
  (void)state;
  CpsFibreDef def = clamped(CPS_ROD_SUPER_HELIX_RECURSIVE, 6);
  const CpsFibreBranch branches[2] = {{.parent = -1,
                                       .at = 3,
                                       .rotation = {0.9, 0.1, 0.4, -0.2},
                                       .elements = 4,
                                       .length = 0.1,
                                       .radius = 4e-4,
                                       .curvature = {1.0, 5.0, -3.0}},
                                      {.parent = 0,
                                       .at = 1,
                                       .rotation = {0.8, 0.3, -0.4, 0.2},
                                       .elements = 3,
                                       .length = 0.05,
                                       .radius = 3e-4,
                                       .curvature = {0.0, -8.0, 2.0}}};
  def.branches = branches;
  def.branch_count = 2;
  def.young = 3e9;
  def.bending[0] = def.bending[1] = def.twisting = NAN;
  def.root_pose.rotation = about_y(-1.0);
  CpsWorld* world = still_world(0.004);
  CpsFibreId id = add_fibre(world, &def);
  CpsInvertInfo info = invert(world);
  assert_int_equal(info.unstable_count, 0);
  assert_true(info.balance < 1e-12);
  CpsFibrePoint before[3], after[3];
  for (int i = 0; i < 3; ++i) cps_world_fibre_at(world, id, 0.299 + 0.0755 * i, &before[i]);
  step(world, 2500);
  for (int i = 0; i < 3; ++i) {
    cps_world_fibre_at(world, id, 0.299 + 0.0755 * i, &after[i]);
    assert_near(before[i].position.x, after[i].position.x, 1e-10 * L);
    assert_near(before[i].position.z, after[i].position.z, 1e-10 * L);
  }
  cps_world_destroy(world);
}

// Sentences for what cannot be, and nothing changes.
static void what_cannot_be_inverted_is_named(void** state) {
  (void)state;
  CpsWorld* world = still_world(0.001);
  CpsFibreDef def = clamped(CPS_ROD_MASS_SPRING, 5);
  def.name = "rope";
  CpsError error;
  CpsInvertInfo info;
  CpsNaturalCounts counts;
  CpsFibreStability stability;
  CpsFibreId rope = add_fibre(world, &def);
  def = clamped(CPS_ROD_SUPER_HELIX, 5);
  def.root.kind = CPS_END_PINNED;
  CpsFibreId pinned = add_fibre(world, &def);
  def.root.kind = CPS_END_CLAMPED;
  CpsFibreId good = add_fibre(world, &def);
  uint64_t before = cps_world_hash(world);
  assert_int_equal(cps_world_fibre_natural_counts(world, rope, &counts), CPS_UNSUPPORTED);
  assert_int_equal(cps_world_set_fibre_natural(world, rope, &(CpsVec3){0}, NULL, &error), CPS_UNSUPPORTED);
  assert_non_null(strstr(error.text, "mass-spring"));
  assert_int_equal(cps_world_settle_fibre(world, pinned, NULL, &error), CPS_UNSUPPORTED);
  assert_int_equal(cps_world_fibre_stability(world, pinned, &stability, &error), CPS_UNSUPPORTED);
  assert_int_equal(cps_world_invert_fibre(world, pinned, NULL, NULL, &error), CPS_NO_SOLUTION);
  assert_non_null(strstr(error.text, "N m"));
  assert_true(cps_world_hash(world) == before);
  assert_int_equal(cps_world_invert(world, NULL, &info, &error), CPS_NO_SOLUTION);
  assert_non_null(strstr(error.text, "rope"));
  assert_int_equal(info.fibre_count, 3);
  assert_int_equal(info.inverted_count, 1);
  assert_int_equal(info.refused_count, 2);
  assert_int_equal(info.refused.index, rope.index);
  // bad numbers
  CpsVec3 strains[5] = {{0}};
  strains[3].y = NAN;
  before = cps_world_hash(world);
  assert_int_equal(cps_world_set_fibre_natural(world, good, strains, NULL, &error), CPS_BAD_DATA);
  assert_int_equal(cps_world_set_fibre_natural(world, good, NULL, &(double){1.0}, &error), CPS_UNSUPPORTED);
  assert_true(cps_world_hash(world) == before);
  CpsInvertOptions options = cps_invert_options_default();
  options.stiffen_most = 0.5;
  assert_int_equal(cps_world_invert(world, &options, NULL, &error), CPS_BAD_DATA);
  options.cookie = 0;
  assert_int_equal(cps_world_invert(world, &options, NULL, &error), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_world_invert(NULL, NULL, NULL, &error), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_world_fibre_natural(world, (CpsFibreId){9, 9}, NULL, NULL), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_world_invert_fibre(world, (CpsFibreId){9, 9}, NULL, NULL, &error), CPS_BAD_ARGUMENT);
  cps_world_destroy(world);
}

// Nothing to hold: natural is as placed, wherever the root is.
static void without_gravity_the_natural_shape_is_the_drawn_one(void** state) {
  (void)state;
  uint64_t seed = 2;
  for (int m = 0; m < MODELS; ++m) {
    CpsVec3 curvature[SHAPE_POINTS], before[PLACES], after[PLACES];
    CpsFibreDef def = drawn_fibre(INVERTIBLE[m], 8, &seed, 3.0, curvature);
    def.gravity = false;
    def.root.kind = (CpsEndKind)(m % 3);
    CpsWorld* world = still_world(0.002);
    CpsFibreId id = add_fibre(world, &def);
    look(world, id, before);
    invert(world);
    step(world, 100);
    look(world, id, after);
    assert_true(farthest(before, after, PLACES) < 1e-12 * L);
    cps_world_destroy(world);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(natural_strains_are_kept_bit_by_bit),
      cmocka_unit_test(residues_of_lengths_are_kept_apart),
      cmocka_unit_test(stiffness_goes_with_the_state),
      cmocka_unit_test(statics_and_inversion_undo_each_other),
      cmocka_unit_test(pulls_count_as_they_are),
      cmocka_unit_test(a_tree_stands_still),
      cmocka_unit_test(what_cannot_be_inverted_is_named),
      cmocka_unit_test(without_gravity_the_natural_shape_is_the_drawn_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
