// Scissors: the remainder of a fibre keeps its natural strains, and rises by what a rod made short has.
#include "inverse_helpers.h"

#include <string.h>

static const double L = 0.3;

// Inverted, trimmed and brought to rest, against a rod that was made as short with the same natural strains.
static void a_trimmed_rod_is_a_short_rod(void** state) {
  (void)state;
  uint64_t seed = 3;
  for (int m = 0; m < 3; ++m) {
    CpsVec3 drawn[SHAPE_POINTS], n[10], found[PLACES], expected[PLACES];
    draw_shape(&seed, 2.0, L, drawn);
    CpsWorld* world = still_world(0.002);
    CpsFibreDef def = clamped(INVERTIBLE[m], 9);
    def.curvature = drawn;
    def.curvature_count = SHAPE_POINTS;
    def.radius_tip = 0.7 * def.radius;
    def.name = "rod";
    CpsFibreId id = add_fibre(world, &def), old = id;
    invert(world);
    assert_int_equal(cps_world_fibre_natural(world, id, n, NULL), CPS_OK);
    must(cps_world_trim_fibre(world, &id, 0.2, &must_error));
    assert_false(cps_world_fibre_exists(world, old));
    CpsFibreInfo info;
    assert_int_equal(cps_world_fibre_info(world, id, &info), CPS_OK);
    assert_near(info.length, 0.2, 1e-15);
    assert_int_equal(info.elements, 6);
    assert_string_equal(info.name, "rod");
    must(cps_world_settle_fibre(world, id, NULL, &must_error));
    look(world, id, found);
    CpsWorld* other = still_world(0.002);
    def.elements = 6;
    def.length = 0.2;
    def.radius_tip = def.radius * 0.8;
    def.curvature = NULL;
    def.curvature_count = 0;
    CpsFibreId made = add_fibre(other, &def);
    must(cps_world_set_fibre_natural(other, made, n, NULL, &must_error));
    must(cps_world_settle_fibre(other, made, NULL, &must_error));
    look(other, made, expected);
    assert_true(farthest(found, expected, PLACES) < 1e-9 * L);
    cps_world_destroy(world);
    cps_world_destroy(other);
  }
}

// How far the tip of a spring hangs below where it is without weight.
static double hanging_out(CpsWorld* world, CpsFibreId id, CpsWorld* weightless, CpsFibreId other) {
  CpsVec3 a[PLACES], b[PLACES];
  must(cps_world_settle_fibre(world, id, NULL, &must_error));
  must(cps_world_settle_fibre(weightless, other, NULL, &must_error));
  look(world, id, a);
  look(weightless, other, b);
  return b[PLACES - 1].z - a[PLACES - 1].z;
}

// A helical spring that hangs: half as long it hangs out by a quarter, since half the turns carry half the weight.
static void half_a_spring_hangs_out_by_a_quarter(void** state) {
  (void)state;
  const double turns = 16.0, radius = 0.004, wire = 6.283185307179586 * radius * turns;
  const CpsVec3 k = {0.0, 1.0 / radius, 0.0};
  CpsWorldDef none = cps_world_def_default();
  none.gravity = (CpsVec3){0.0, 0.0, 0.0};
  CpsWorld *world = still_world(0.002), *weightless = make_world(&none);
  CpsFibreDef def = clamped(CPS_ROD_SUPER_HELIX_RECURSIVE, 64);
  def.length = wire;
  def.natural = &k;
  def.natural_count = 1;
  for (int a = 0; a < 2; ++a) def.bending[a] = 1e-5;
  def.twisting = 7e-6;
  CpsFibreId id = add_fibre(world, &def), other = add_fibre(weightless, &def);
  const double whole = hanging_out(world, id, weightless, other);
  must(cps_world_trim_fibre(world, &id, 0.5 * wire, &must_error));
  must(cps_world_trim_fibre(weightless, &other, 0.5 * wire, &must_error));
  const double half = hanging_out(world, id, weightless, other);
  print_message("a spring hangs out by %.2f mm, half of it by %.4f of that\n", 1e3 * whole, half / whole);
  assert_near(half / whole, 0.25, 0.03 * 0.25);
  cps_world_destroy(world);
  cps_world_destroy(weightless);
}

// A super-helix may be cut within an element.
static void a_helix_is_cut_anywhere(void** state) {
  (void)state;
  CpsWorld* world = still_world(0.002);
  CpsFibreDef def = clamped(CPS_ROD_SUPER_HELIX, 5);
  CpsFibreId id = add_fibre(world, &def), same = id;
  invert(world);
  CpsVec3 points[PLACES];
  must(cps_world_trim_fibre(world, &id, 0.2137, &must_error));
  look(world, id, points);
  assert_near(points[PLACES - 1].x, 0.2137, 1e-15);  // as it was: level
  assert_near(points[PLACES - 1].z, 0.0, 1e-15);
  step(world, 50);  // it rises
  look(world, id, points);
  assert_true(points[PLACES - 1].z > 1e-3);
  same = id;
  must(cps_world_trim_fibre(world, &id, 1.0, &must_error));  // no longer than that
  assert_true(same.generation == id.generation);
  CpsError error;
  assert_int_equal(cps_world_trim_fibre(world, &id, 0.0, &error), CPS_BAD_DATA);
  assert_int_equal(cps_world_trim_fibre(world, &id, NAN, &error), CPS_BAD_DATA);
  CpsFibreDef der = clamped(CPS_ROD_DER, 5);
  CpsFibreId rod = add_fibre(world, &der);
  assert_int_equal(cps_world_trim_fibre(world, &rod, 0.1, &error), CPS_UNSUPPORTED);
  assert_non_null(strstr(error.text, "super-helices"));
  cps_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_trimmed_rod_is_a_short_rod),
      cmocka_unit_test(half_a_spring_hangs_out_by_a_quarter),
      cmocka_unit_test(a_helix_is_cut_anywhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
