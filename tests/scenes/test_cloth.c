// labels: release whole
// Scenes of cloth: what stays on a slope and what slides, how far a strip hangs down, how a disc drapes, a flag in the wind.
#include "capstan/sheet.h"
#include "scenes/cloth_ramp.h"
#include "scenes/drape.h"
#include "scenes/reference.h"
#include "scenes/scene_world.h"
#include "vertices.h"

enum { MOST_VERTICES = 2000 };

static int32_t all_vertices(const CpsWorld* world, CpsVec3* position, CpsVec3* velocity) {
  CpsSheetInfo info;
  CpsSheetId id = cps_world_sheet(world, 0);
  assert_int_equal(cps_world_sheet_info(world, id, &info), CPS_OK);
  assert_true(info.vertex_count <= MOST_VERTICES);
  assert_int_equal(vertices_of(world, cps_thing_sheet(id), position, velocity), CPS_OK);
  return info.vertex_count;
}

// On two meshes; test_cloth_ramp_long.c has those of the paper.
static void a_cloth_slides_on_a_slope_only_below_the_tangent(void** state) {
  (void)state;
  const double slope = 10.0 * acos(-1.0) / 180.0;
  assert_near(1e3 * 9.81 * (sin(slope) - 0.176 * cos(slope)), 3.159, 5e-4);
  check_ramp(5, 4, 0.177, 0.2);
  check_ramp(5, 4, 0.176, 0.2);
  if (!SHORTER) check_ramp(14, 14, 0.176, 0.2);
}

// Height over width of a strip at rest against the elastica.
static void a_clamped_strip_hangs_like_the_elastica(void** state) {
  (void)state;
  static Reference table;
  static CpsVec3 x[MOST_VERTICES];
  read_reference("cantilever_H_over_W_vs_Gamma.csv", &table);
  for (int exponent = -1; exponent <= (SHORTER ? -1 : 1); ++exponent) {
    const double* row = table.row[10 * (exponent + 3)];
    assert_near(log10(row[0]), exponent, 1e-9);
    Overrides o = {0};
    override(&o, "gamma=%.17g", row[0]);
    CpsWorld* world = open_scene("cantilever-sheet.yaml", &o);
    double T = sqrt(0.2 / 9.81 * row[0] / (1.0 + row[0]));
    Run run = {0};
    while (cps_world_time(world) < 12.0 * T) run_step(world, &run);
    int32_t count = all_vertices(world, x, NULL);
    const CpsVec3 tip = x[2 * count / 3 - 1];  // end of the middle one of three rows
    print_message("gamma %g: height / width %.5g, elastica %.5g\n", row[0], -tip.z / tip.x, row[3]);
    assert_near(-tip.z / tip.x / row[3], 1.0, 0.002);
    cps_world_destroy(world);
  }
}

// The drape of a disc in contact with its stand depends on stiffness over weight alone, and a stiffer cloth covers more.
static void drape_is_a_matter_of_stiffness_over_weight(void** state) {
  (void)state;
  enum { RINGS = 5 };
  static const double BENDING[] = {1e-5, 3e-5, 1e-3};
  double area[3];
  for (int k = 0; k < 3; ++k) {
    double scale = k == 1 ? 3.0 : 1.0;
    Overrides o = {0};
    override(&o, "rings=%d", RINGS);
    override(&o, "sheets.cloth.density=%.17g", 0.2 * scale);
    override(&o, "sheets.cloth.stretch=%.17g", 500.0 * scale);
    override(&o, "sheets.cloth.shear=%.17g", 200.0 * scale);
    override(&o, "sheets.cloth.bending=%.17g", BENDING[k]);
    override(&o, "sheets.cloth.twisting=%.17g", BENDING[k]);
    override(&o, "cover=12 mm");  // the middle vertex
    override(&o, "sheets.cloth.contact=true");
    CpsWorld* world = open_scene("drape.yaml", &o);
    CpsWorldDef settings = cps_world_settings(world);
    settings.solver.tolerance = 1e-8;
    assert_int_equal(cps_world_configure(world, &settings, NULL), CPS_OK);
    Run run = {0};
    while (cps_world_time(world) < (SHORTER ? 0.2 : 0.6)) run_step(world, &run);
    area[k] = drape_shadow(world, RINGS);
    cps_world_destroy(world);
  }
  print_message("shadow %.4g, scaled %.4g, stiffer %.4g m2\n", area[0], area[1], area[2]);
  assert_near(area[1] / area[0], 1.0, 1e-4);
  assert_true(area[2] > 1.02 * area[0]);
}

// Cusick's coefficient of named fabrics that are held between two discs; test_drape_long.c has some lie on one.
static void fabrics_drape_as_they_are_measured_to(void** state) {
  (void)state;
  enum { RINGS = 15 };
  for (int k = 0; k < (SHORTER ? 0 : run_whole() ? DRAPE_FABRICS : 1); ++k) {
    Overrides o = {0};
    override(&o, "rings=%d", RINGS);
    override(&o, "step=20 ms");
    override(&o, "sheets.cloth.fabric=%s", DRAPE_BANDS[k].fabric);
    CpsWorld* world = open_scene("drape.yaml", &o);
    Run run = {0};
    while (cps_world_time(world) < 0.8) run_step(world, &run);
    drape_check(world, RINGS, &DRAPE_BANDS[k]);
    cps_world_destroy(world);
  }
}

// The wind lifts the free end of a flag; what is held stays at the pole.
static void the_wind_lifts_a_flag(void** state) {
  (void)state;
  static CpsVec3 x[MOST_VERTICES];
  double droop[2];
  for (int k = 0; k < 2; ++k) {
    Overrides o = {0};
    override(&o, "speed=%g", k == 0 ? 0.0 : 8.0);
    override(&o, "columns=9");
    override(&o, "rows=6");
    CpsWorld* world = open_scene("flag-pole.yaml", &o);
    Run run = {0};
    while (cps_world_time(world) < (SHORTER ? 0.3 : 1.5)) run_step(world, &run);
    int32_t count = all_vertices(world, x, NULL);
    droop[k] = 0.3 - x[count - 1].z;
    for (int32_t j = 0; j <= 6; ++j) {
      assert_near(x[10 * j].x, -0.45, 1e-12);
      assert_near(x[10 * j].z, 0.1 * j - 0.3, 1e-12);
    }
    cps_world_destroy(world);
  }
  print_message("the end of the flag hangs by %.3g m, in the wind by %.3g m\n", droop[0], droop[1]);
  assert_true(SHORTER || droop[1] < 0.5 * droop[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_cloth_slides_on_a_slope_only_below_the_tangent),
      cmocka_unit_test(a_clamped_strip_hangs_like_the_elastica),
      cmocka_unit_test(drape_is_a_matter_of_stiffness_over_weight),
      cmocka_unit_test(fabrics_drape_as_they_are_measured_to),
      cmocka_unit_test(the_wind_lifts_a_flag),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
