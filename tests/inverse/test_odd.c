// What must not happen: a crash, a number that is none, or a shape that moves and was called still.
#include "inverse_helpers.h"

#include <string.h>

static CpsWorld* world_with(CpsVec3 gravity) {
  CpsWorldDef def = cps_world_def_default();
  def.gravity = gravity;
  def.step = 0.002;
  return make_world(&def);
}

static CpsFibreDef drawn_fibre(CpsRodModel model, CpsVec3* drawn) {
  uint64_t seed = 11;
  CpsFibreDef def = clamped(model, 10);
  draw_shape(&seed, 3.0, def.length, drawn);
  def.curvature = drawn;
  def.curvature_count = SHAPE_POINTS;
  def.stretching = 20.0;
  return def;
}

// Without gravity the natural shape is the one that is there.
static void without_gravity_the_shape_is_natural(void** state) {
  (void)state;
  for (int m = 0; m < MODELS; ++m) {
    CpsVec3 drawn[SHAPE_POINTS], before[PLACES], after[PLACES];
    CpsWorld* world = world_with((CpsVec3){0.0, 0.0, 0.0});
    CpsFibreDef def = drawn_fibre(INVERTIBLE[m], drawn);
    CpsFibreId id = add_fibre(world, &def);
    CpsInvertInfo info = invert(world);
    assert_true(info.balance <= 1e-12 && info.unstable_count == 0);
    look(world, id, before);
    step(world, 50);
    look(world, id, after);
    assert_true(farthest(before, after, PLACES) < 1e-12 * def.length);
    assert_true(cps_world_energy(world).elastic < 1e-18);
    cps_world_destroy(world);
  }
}

// Too soft, and nobody asked for more: it is counted and named, with the factor that would hold it, and stays as soft.
static void what_is_too_soft_is_named(void** state) {
  (void)state;
  for (int m = 0; m < MODELS; ++m) {
    CpsWorld* world = still_world(0.002);
    CpsFibreDef def = clamped(INVERTIBLE[m], 20);
    def.root_pose.rotation = about_y(-1.5707963267948966);  // upright
    for (int a = 0; a < 2; ++a) def.bending[a] *= 0.5;
    CpsFibreId id = add_fibre(world, &def);
    CpsInvertInfo info = invert(world);
    assert_int_equal(info.unstable_count, 1);
    assert_true(info.unstable.index == id.index && info.unstable.generation == id.generation);
    // w L^3 / E I over 7.8373 of the heavy column; twenty elements or edges
    assert_near(info.least_factor, 8e-4 * GRAVITY * 0.027 / (0.5 * 3.1e-5) / 7.8373, 0.01);
    CpsFibreInfo fibre;
    assert_int_equal(cps_world_fibre_info(world, id, &fibre), CPS_OK);
    assert_true(fibre.stiffened == 1.0);
    cps_world_destroy(world);
  }
}

// Ten strands in the place of one, all inside each other, with friction and without: an answer, and what is called still is.
static void everything_touches_everything(void** state) {
  (void)state;
  const CpsRodModel models[4] = {CPS_ROD_SUPER_HELIX, CPS_ROD_SUPER_HELIX, CPS_ROD_DER_INEXTENSIBLE,
                                 CPS_ROD_DER_PROJECTED};
  for (int k = 0; k < 4; ++k) {
    CpsWorld* world = still_world(0.002);
    CpsVec3 drawn[SHAPE_POINTS];
    enum { COUNT = 10 };
    CpsFibreId id[COUNT];
    uint64_t seed = 5;
    for (int i = 0; i < COUNT; ++i) {
      CpsFibreDef def = drawn_fibre(models[k], drawn);
      def.elements = k < 2 ? 5 : 10;
      def.contact_radius = 2e-3;
      def.mu = k == 0 ? 0.0 : 0.5;
      def.self_contact = false;
      def.pieces = 10;
      def.root_pose.position = (CpsVec3){1e-3 * draw(&seed), 1e-3 * draw(&seed), 1e-3 * draw(&seed)};
      for (int a = 0; a < 2; ++a) def.bending[a] *= 4.0;
      id[i] = add_fibre(world, &def);
    }
    CpsInvertInfo info;
    CpsError error;
    const CpsStatus status = cps_world_invert(world, NULL, &info, &error);
    assert_int_equal(status, CPS_OK);
    assert_true(info.balance <= 1e-12 && isfinite(info.bending_left));
    print_message("%d contacts, %d carry, %d too deep, %d unsteady, %d fibres unstable\n", (int)info.contact_count,
                  (int)info.carrying_count, (int)info.overlap_count, (int)info.unsteady_count,
                  (int)info.unstable_count);
    assert_int_equal(info.unstable_count, 0);
    CpsVec3 before[COUNT][PLACES], after[PLACES];
    for (int i = 0; i < COUNT; ++i) look(world, id[i], before[i]);
    step(world, SANITIZED ? 3 : 20);
    for (int i = 0; i < COUNT; ++i) {
      look(world, id[i], after);
      assert_true(farthest(before[i], after, PLACES) < 1e-9);
    }
    cps_world_destroy(world);
  }
}

// A ball against the clamp itself has nothing to hold: any force would do there, and none is chosen.
static void contacts_beside_the_clamp_carry_nothing(void** state) {
  (void)state;
  for (int m = 0; m < MODELS; ++m) {
    CpsWorld* world = still_world(0.002);
    CpsFibreDef def = clamped(INVERTIBLE[m], 10);
    def.contact_radius = 1e-3;
    add_fibre(world, &def);
    CpsObstacleDef ball = cps_obstacle_def_default();
    ball.shape = cps_sphere(0.01);
    ball.pose.position = (CpsVec3){-0.0105, 0.0, -1e-3};  // behind the root and a little below
    add_obstacle(world, &ball);
    CpsInvertInfo info;
    must(cps_world_invert(world, NULL, &info, &must_error));
    assert_true(fabs(info.lifted) < 1e-6 && info.balance <= 1e-12);
    CpsStepInfo stepped;
    must(cps_world_step(world, &stepped, &must_error));
    for (int32_t i = 0; i < cps_world_contact_count(world); ++i) {
      assert_true(fabs(cps_world_contact(world, i).impulse[0]) < 1e-9);
    }
    cps_world_destroy(world);
  }
}

// Hair cut to a tenth of a millimetre, twice as thick as long: its elastic forces are so much larger than its weight that rounding
// leaves 1e-8 of the weight, which moves nothing.
static void a_stub_is_at_rest(void** state) {
  (void)state;
  const CpsVec3 points[3] = {{0, 0, 0}, {5e-5, 0, 1e-5}, {1e-4, 0, 0}};
  for (int m = 0; m < MODELS; ++m) {
    CpsWorld* world = still_world(0.002);
    CpsFibreDef def = clamped(INVERTIBLE[m], 12);
    def.points = points;
    def.point_count = 3;
    def.natural_as_placed = true;
    def.line_density = 1e-5;
    def.bending[0] = def.bending[1] = def.twisting = 2e-8;
    CpsFibreId id = add_fibre(world, &def);
    CpsVec3 before[PLACES], after[PLACES];
    look(world, id, before);
    must(cps_world_invert(world, NULL, NULL, &must_error));
    step(world, 20);
    look(world, id, after);
    assert_true(farthest(before, after, PLACES) < 1e-12 * 1e-4);
    cps_world_destroy(world);
  }
}

// Hair is 1e9 times as stiff along its axis as it is heavy: rest lengths that are rounded to doubles leave up to 1e-9 of its weight, on
// each segment. Those of the model are finer, also in a state that is loaded.
static void rest_lengths_are_finer_than_doubles(void** state) {
  (void)state;
  const double lengths[3] = {0.01, 0.1, 0.25};
  for (int k = 0; k < 3; ++k) {
    CpsWorld *world = still_world(0.002), *other = still_world(0.002);
    const CpsVec3 arc = {0.0, 0.8 / lengths[k], 0.0};
    CpsFibreDef def = clamped(CPS_ROD_DER, 20);
    def.length = lengths[k];
    def.curvature = &arc;
    def.curvature_count = 1;
    def.radius = 4e-5;
    def.line_density = 6.6e-6;
    def.bending[0] = def.bending[1] = def.twisting = 8e-9 * (k < 2 ? 1.0 : 20.0);
    def.stretching = 20.0;
    CpsFibreId id = add_fibre(world, &def);
    add_fibre(other, &def);
    const CpsInvertInfo info = invert(world);
    assert_int_equal(info.unstable_count, 0);
    assert_true(info.balance <= 1e-12);
    copy_state(world, other);
    CpsVec3 before[PLACES], after[PLACES];
    look(world, id, before);
    step(world, 500);
    step(other, 500);
    look(world, id, after);
    assert_true(farthest(before, after, PLACES) < 1e-12 * def.length);
    assert_true(cps_world_hash(world) == cps_world_hash(other));
    cps_world_destroy(world);
    cps_world_destroy(other);
  }
}

// Points that repeat are a line that leads nowhere: one message at the door.
static void equal_neighbours_are_refused(void** state) {
  (void)state;
  const CpsVec3 points[4] = {{0, 0, 0}, {0.1, 0, 0}, {0.1, 0, 0}, {0.2, 0.05, 0}};
  for (int m = 0; m < MODELS; ++m) {
    CpsWorld* world = still_world(0.002);
    CpsFibreDef def = clamped(INVERTIBLE[m], 10);
    def.points = points;
    def.point_count = 4;
    CpsFibreId id;
    CpsError error = {{0}};
    const CpsStatus status = cps_world_add_fibre(world, &def, &id, &error);
    if (status == CPS_OK) {
      CpsVec3 before[PLACES], after[PLACES];
      const CpsStatus inverted = cps_world_invert(world, NULL, NULL, &error);
      look(world, id, before);
      if (inverted == CPS_OK) step(world, 5);
      look(world, id, after);
      assert_true(inverted == CPS_OK ? farthest(before, after, PLACES) < 1e-10 : strlen(error.text) > 20);
    } else {
      assert_true(strlen(error.text) > 10);
    }
    cps_world_destroy(world);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_gravity_the_shape_is_natural),
      cmocka_unit_test(what_is_too_soft_is_named),
      cmocka_unit_test(everything_touches_everything),
      cmocka_unit_test(contacts_beside_the_clamp_carry_nothing),
      cmocka_unit_test(a_stub_is_at_rest),
      cmocka_unit_test(rest_lengths_are_finer_than_doubles),
      cmocka_unit_test(equal_neighbours_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
