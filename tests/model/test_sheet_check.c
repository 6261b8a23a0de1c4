// What is not a sheet is refused with a message that names the place; fabrics.
#include <string.h>

#include "sheet_setup.h"

// A square of 3 x 3 vertices, eight triangles, that a test may damage.
typedef struct Square {
  CpsVec3 vertices[10];
  int32_t triangles[30];
  double texture[60];
  CpsSheetDef def;
} Square;

static void make_square(Square* q) {
  Rectangle r = make_rectangle(MESH_DIAGONAL, 1.0, 1.0, 2, 2);
  memset(q, 0, sizeof *q);
  memcpy(q->vertices, r.vertices, 9 * sizeof *r.vertices);
  memcpy(q->triangles, r.triangles, 24 * sizeof *r.triangles);
  for (int i = 0; i < 24; ++i) {
    q->texture[2 * i] = r.vertices[r.triangles[i]].x;
    q->texture[2 * i + 1] = r.vertices[r.triangles[i]].y;
  }
  q->def = sheet_of_rectangle(&r);
  q->def.vertices = q->vertices;
  q->def.triangles = q->triangles;
  q->def.name = "flag";
  free_rectangle(&r);
}

static void assert_refused(const CpsSheetDef* def, CpsStatus status, const char* text) {
  CpsError error = {{0}};
  assert_int_equal(cps_sheet_check(def, &error), status);
  if (!strstr(error.text, text)) print_error("\"%s\" does not say \"%s\"\n", error.text, text);
  assert_non_null(strstr(error.text, text));
  assert_int_equal(cps_sheet_check(def, NULL), status);
}

static void good_sheets_pass(void** state) {
  (void)state;
  Square q;
  make_square(&q);
  CpsError error = {"old"};
  assert_int_equal(cps_sheet_check(&q.def, &error), CPS_OK);
  assert_string_equal(error.text, "");
  q.def.texture = q.texture;
  assert_int_equal(cps_sheet_check(&q.def, &error), CPS_OK);
}

static void definition_without_cookie(void** state) {
  (void)state;
  CpsSheetDef def = {0};
  assert_refused(&def, CPS_BAD_ARGUMENT, "cps_sheet_def_default()");
  assert_int_equal(cps_sheet_check(NULL, NULL), CPS_BAD_ARGUMENT);
}

static void triangles_that_are_no_surface(void** state) {
  (void)state;
  Square q;
  make_square(&q);
  q.triangles[4] = 9;
  assert_refused(&q.def, CPS_BAD_DATA, "sheet flag: triangle 1 names vertex 9, there are 9");
  q.triangles[4] = -1;
  assert_refused(&q.def, CPS_BAD_DATA, "triangle 1 names vertex -1");
  q.triangles[4] = q.triangles[3];
  assert_refused(&q.def, CPS_BAD_DATA, "triangle 1 names vertex 1 twice");

  make_square(&q);
  int32_t swap = q.triangles[6];
  q.triangles[6] = q.triangles[7], q.triangles[7] = swap;
  assert_refused(&q.def, CPS_BAD_DATA, "in the same direction");

  make_square(&q);
  q.vertices[9] = (CpsVec3){0.2, 0.2, 1.0};
  q.def.vertex_count = 10;
  q.def.triangle_count = 9;
  memcpy(q.triangles + 24, (int32_t[]){1, 3, 9}, 3 * sizeof(int32_t));
  assert_refused(&q.def, CPS_BAD_DATA, "triangles 0, 1 and 8 share the edge between vertices 1 and 3");

  make_square(&q);
  q.vertices[9] = (CpsVec3){0.2, 0.2, 1.0};
  q.def.vertex_count = 10;
  assert_refused(&q.def, CPS_BAD_DATA, "no triangle uses vertex 9");

  // a bow tie: two triangles that have one corner in common
  const CpsVec3 tie[5] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {-1, 0, 0}, {-1, -1, 0}};
  const int32_t two[6] = {0, 1, 2, 0, 3, 4};
  CpsSheetDef bow = cps_sheet_def_default();
  bow.vertex_count = 5, bow.vertices = tie, bow.triangle_count = 2, bow.triangles = two;
  assert_refused(&bow, CPS_BAD_DATA, "triangles 0 and 1 meet in vertex 0, but share no edge there");
}

static void flat_triangles(void** state) {
  (void)state;
  Square q;
  make_square(&q);
  q.vertices[0] = (CpsVec3){0.25, 0.25, 0.0};
  assert_refused(&q.def, CPS_BAD_DATA, "triangle 0 is flat: its vertices, one at (0.25, 0.25, 0), lie on a line");
  make_square(&q);
  q.def.texture = q.texture;
  for (int i = 18; i < 24; i += 2) q.texture[i + 1] = q.texture[i];
  assert_refused(&q.def, CPS_BAD_DATA, "triangle 3 is flat in texture coordinates");
  q.texture[18] = NAN;
  assert_refused(&q.def, CPS_BAD_DATA, "triangle 3 is flat in texture coordinates");
}

static void vertices_at_one_place(void** state) {
  (void)state;
  Square q;
  make_square(&q);
  q.vertices[8] = q.vertices[4];
  assert_refused(&q.def, CPS_BAD_DATA, "vertices 4 and 8 are both at (0.5, 0.5, 0)");
  make_square(&q);
  q.vertices[5].y = NAN;
  assert_refused(&q.def, CPS_BAD_DATA, "vertex 5 is at (1, nan, 0)");
  q.vertices[5].y = 1e200;
  assert_refused(&q.def, CPS_BAD_DATA, "vertex 5 is at");
}

static void numbers_out_of_range(void** state) {
  (void)state;
  Square q;
  const struct {
    size_t at;
    double value;
    const char* text;
  } cases[] = {
      {offsetof(CpsSheetDef, thickness), 0.0, "thickness (m) is 0; it must be positive"},
      {offsetof(CpsSheetDef, density), -1.0, "density (kg/m^2) is -1"},
      {offsetof(CpsSheetDef, density), NAN, "density (kg/m^2) is nan"},
      {offsetof(CpsSheetDef, stretch[1]), INFINITY, "stretch along the weft (N/m) is inf, which is too large"},
      {offsetof(CpsSheetDef, shear), 0.0, "shear (N/m) is 0"},
      {offsetof(CpsSheetDef, poisson), 1.0, "poisson is 1; it must be between -1 and 1"},
      {offsetof(CpsSheetDef, bending[0]), -1e-6, "bending of the warp (N m) is -1e-06; it must not be negative"},
      {offsetof(CpsSheetDef, drag[0]), -1.0, "drag across is -1"},
      {offsetof(CpsSheetDef, mu), -0.1, "mu is -0.1"},
      {offsetof(CpsSheetDef, restitution), 1.5, "restitution is 1.5; it must be at most 1"},
      {offsetof(CpsSheetDef, wind), NAN, "velocity or wind is not finite"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    make_square(&q);
    memcpy((char*)&q.def + cases[i].at, &cases[i].value, sizeof(double));
    assert_refused(&q.def, CPS_BAD_DATA, cases[i].text);
  }
  // edges of 1/2 and sqrt(1/2): a thicker sheet touches itself where it lies flat, unless it may pass through itself
  make_square(&q);
  q.def.thickness = 0.6;
  assert_refused(&q.def, CPS_BAD_DATA,
                 "sheet flag: thickness (m) is 0.6, more than the mean length of its edges, 0.551777");
  q.def.self_contact = false;
  assert_int_equal(cps_sheet_check(&q.def, NULL), CPS_OK);
  make_square(&q);
  q.def.warp = (CpsVec3){0.0, 0.0, 0.0};
  assert_refused(&q.def, CPS_BAD_DATA, "the warp has no direction");
  q.def.warp = (CpsVec3){0.0, 0.0, 1.0};
  assert_int_equal(cps_sheet_check(&q.def, NULL), CPS_OK);  // does not matter for an isotropic sheet
  q.def.stretch[0] = 1.0;
  assert_refused(&q.def, CPS_BAD_DATA, "triangle 0 is at right angles to the direction of the warp");
  make_square(&q);
  q.def.membrane = (CpsMembraneLaw)7;
  assert_refused(&q.def, CPS_BAD_ARGUMENT, "an unknown law");
  make_square(&q);
  q.def.triangle_count = 0;
  assert_refused(&q.def, CPS_BAD_ARGUMENT, "sheet flag has 0 triangles");
  make_square(&q);
  q.def.pin_count = 1;
  assert_refused(&q.def, CPS_BAD_ARGUMENT, "declares 1 pins but has no array of them");
}

static void pins_that_contradict_each_other(void** state) {
  (void)state;
  Square q;
  make_square(&q);
  const int32_t first[] = {0, 1, 2, 1}, second[] = {2}, none[] = {9};
  CpsPin pins[2] = {cps_pin_default(), cps_pin_default()};
  pins[0].vertices = first, pins[0].vertex_count = 4;
  pins[1].vertices = second, pins[1].vertex_count = 1;
  q.def.pins = pins, q.def.pin_count = 2;
  assert_refused(&q.def, CPS_BAD_DATA, "pins 0 and 1 both hold vertex 2 at t = 0 s");
  pins[0].until = 1.0, pins[1].from = 0.5;
  assert_refused(&q.def, CPS_BAD_DATA, "both hold vertex 2 at t = 0.5 s");
  pins[1].from = 1.0;
  assert_int_equal(cps_sheet_check(&q.def, NULL), CPS_OK);  // one takes over from the other
  pins[1].until = 1.0;
  assert_refused(&q.def, CPS_BAD_DATA, "pin 1 holds from 1 s until 1 s");
  pins[1] = cps_pin_default();
  assert_refused(&q.def, CPS_BAD_ARGUMENT, "pin 1 holds no vertex");
  pins[1].vertices = none, pins[1].vertex_count = 1;
  assert_refused(&q.def, CPS_BAD_DATA, "pin 1 holds vertex 9, there are 9");
  pins[1].cookie = 0;
  assert_refused(&q.def, CPS_BAD_ARGUMENT, "cps_pin_default()");
}

static void seams_and_pleats_to_nowhere(void** state) {
  (void)state;
  Square q;
  make_square(&q);
  CpsSheetSeam seam = {0, 9};
  q.def.seams = &seam, q.def.seam_count = 1;
  assert_refused(&q.def, CPS_BAD_DATA, "seam 0 joins vertices 0 and 9, but the sheet has the vertices 0 to 8");
  seam.b = 8;
  assert_refused(&q.def, CPS_BAD_DATA, "which are 1.41421 m apart");
  q.def.texture = q.texture;
  seam.b = 1;
  assert_refused(&q.def, CPS_BAD_DATA, "a seam joins vertices 0 and 1 of one triangle, 0");
  make_square(&q);
  CpsSheetPleat pleat = {0, 1, 0.5};
  q.def.pleats = &pleat, q.def.pleat_count = 1;
  assert_refused(&q.def, CPS_BAD_DATA, "pleat 0: no edge between two triangles joins vertices 0 and 1");
  pleat = (CpsSheetPleat){1, 4, 4.0};
  assert_refused(&q.def, CPS_BAD_DATA, "pleat 0 has the angle 4");
  pleat.angle = NAN;
  assert_refused(&q.def, CPS_BAD_DATA, "pleat 0 has the angle nan");
  const CpsSheetPleat twice[2] = {{1, 4, 0.5}, {4, 1, -0.5}};
  q.def.pleats = twice, q.def.pleat_count = 2;
  assert_refused(&q.def, CPS_BAD_DATA,
                 "pleats 0 and 1 fold the edge between vertices 4 and 1 by different angles, 0.5 and -0.5");
}

static void laws_and_fabrics_by_name(void** state) {
  (void)state;
  CpsMembraneLaw membrane;
  CpsBendingLaw bending;
  for (int i = 0; i < CPS_MEMBRANE_LAW_COUNT; ++i) {
    assert_true(cps_membrane_law_find(cps_membrane_law_name((CpsMembraneLaw)i), &membrane) && (int)membrane == i);
  }
  for (int i = 0; i < CPS_BENDING_LAW_COUNT; ++i) {
    assert_true(cps_bending_law_find(cps_bending_law_name((CpsBendingLaw)i), &bending) && (int)bending == i);
  }
  assert_false(cps_membrane_law_find("steel", NULL));
  assert_false(cps_bending_law_find(NULL, NULL));
  assert_null(cps_bending_law_name((CpsBendingLaw)-1));
  CpsFabric fabric;
  assert_false(cps_fabric_find("steel", &fabric));
  assert_false(cps_fabric_get(cps_fabric_count(), &fabric));
  for (int32_t i = 0; i < cps_fabric_count(); ++i) {
    Square q;
    CpsFabric found;
    make_square(&q);
    assert_true(cps_fabric_get(i, &fabric) && cps_fabric_find(fabric.name, &found));
    assert_memory_equal(&fabric, &found, sizeof fabric);
    assert_true(strlen(fabric.source) > 20);
    cps_sheet_def_use_fabric(&q.def, &fabric);
    for (int law = 0; law < CPS_MEMBRANE_LAW_COUNT; ++law) {
      q.def.membrane = (CpsMembraneLaw)law;
      assert_int_equal(cps_sheet_check(&q.def, NULL), CPS_OK);
    }
    // bending lengths (B / rho g)^(1/3) of cloth are 1 to 5 cm, of paper 9 cm
    double length = cbrt(fabric.bending[0] / (fabric.density * 9.81));
    assert_true(length > 0.01 && length < 0.1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(good_sheets_pass),
      cmocka_unit_test(definition_without_cookie),
      cmocka_unit_test(triangles_that_are_no_surface),
      cmocka_unit_test(flat_triangles),
      cmocka_unit_test(vertices_at_one_place),
      cmocka_unit_test(numbers_out_of_range),
      cmocka_unit_test(pins_that_contradict_each_other),
      cmocka_unit_test(seams_and_pleats_to_nowhere),
      cmocka_unit_test(laws_and_fabrics_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
