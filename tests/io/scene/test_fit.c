// What scenes fit: chains of helices to lines, contact radii to strands that overlap, a head to roots.
#include "capstan/hair.h"
#include "io/scene/build_text.h"
#include "io/scene/texts.h"

#include <stdio.h>
#include <string.h>

static double radius_of(const CpsWorld* world, int32_t i) {
  CpsFibreInfo info;
  assert_int_equal(cps_world_fibre_info(world, cps_world_fibre(world, i), &info), CPS_OK);
  return info.radius;
}

#define LINE "radius: 0.3 mm, length: 0.2, elements: 4, root: clamped, "
// Axes 1 and 3 mm apart: the near pair shares 1.1 mm, the third takes what may be; a fourth entry keeps what it says.
static void contact_radii_fit_between_neighbours(void** state) {
  (void)state;
  CpsWorld* world = build(
      "start: keep\nfibres:\n"
      "  f: {" LINE
      "contact_radius: {fit: 2 mm}, copies: [[0, 0, 0], [0, 1 mm, 0], [0, 4 mm, 0]]}\n"
      "  g: {" LINE "contact_radius: 1 mm, position: [0, -2.2 mm, 0]}\n",
      CPS_OK, NULL);
  const double expected[4] = {0.55e-3, 0.55e-3, 2e-3, 1e-3};  // 0 and g: 1.55 mm fit into 2.42 mm
  for (int32_t i = 0; i < 4; ++i) assert_near(radius_of(world, i), expected[i], 1e-12);
  cps_world_destroy(world);
  // without a length: ten times the radius, and less beside what does not give way
  world = build("start: keep\nfibres:\n  f: {" LINE
                "contact_radius: fit}\n"
                "  g: {" LINE "contact_radius: 1 mm, position: [0, 2 mm, 0]}\n",
                CPS_OK, NULL);
  assert_near(radius_of(world, 0), 1.1 * 2e-3 - 1e-3, 1e-12);
  cps_world_destroy(world);
  world = build("fibres: {f: {" LINE "contact_radius: fit}}\n", CPS_OK, NULL);
  assert_near(radius_of(world, 0), 3e-3, 1e-12);
  cps_world_destroy(world);
  // axes 0.2 mm apart: nearer than they are thick, so that each keeps its section and a third one the rest
  world = build("start: keep\nfibres:\n  f: {" LINE
                "contact_radius: {fit: 2 mm}, copies: [[0, 0, 0], [0, 0.2 mm, 0], [0, -1 mm, 0]]}\n",
                CPS_OK, NULL);
  assert_near(radius_of(world, 0), 0.3e-3, 1e-12);
  assert_near(radius_of(world, 1), 0.3e-3, 1e-12);
  assert_near(radius_of(world, 2), 1.1 * 1e-3 - 0.3e-3, 1e-12);
  cps_world_destroy(world);
  // an upper limit below the section is one all the same
  world = build("start: keep\nfibres:\n  f: {" LINE
                "contact_radius: {fit: 0.1 mm}, copies: [[0, 0, 0], [0, 0.01 mm, 0]]}\n",
                CPS_OK, NULL);
  assert_near(radius_of(world, 0), 0.1e-3, 1e-12);
  cps_world_destroy(world);
  build("fibres: {f: {" LINE "contact_radius: fat}}\n", CPS_BAD_FORMAT, "contact_radius");
}

// A helix drawn as points: its chain of helices is it, wherever it is placed.
static void a_line_becomes_a_chain_of_helices(void** state) {
  (void)state;
  const char* helix = "curve: {x: '0.05 * t', y: '0.03 * sin(4 * t)', z: '0.03 * cos(4 * t)', to: 2, points: 60}";
  char text[600];
  snprintf(text, sizeof text, "fibres: {f: {%s, fit: tangents, elements: 12, position: [1, 2, 3]}}", helix);
  CpsWorld* world = build(text, CPS_OK, NULL);
  CpsVec3 found[41];
  assert_int_equal(cps_world_fibre_points(world, cps_world_fibre(world, 0), 41, found), CPS_OK);
  // arc length is linear in t
  for (int i = 0; i <= 40; ++i) {
    const double t = 2.0 * i / 40.0;
    assert_near(found[i].x, 1.0 + 0.05 * t, 3e-4);
    assert_near(found[i].y, 2.0 + 0.03 * sin(4.0 * t), 3e-4);
    assert_near(found[i].z, 3.0 + 0.03 * cos(4.0 * t), 3e-4);
  }
  cps_world_destroy(world);
  snprintf(text, sizeof text, "fibres: {f: {%s, fit: tangents, model: der, elements: 12}}", helix);
  build(text, CPS_BAD_DATA, "does not support helices");
  build("fibres: {f: {fit: tangents}}", CPS_BAD_FORMAT, "needs a line to fit");
  snprintf(text, sizeof text, "fibres: {f: {%s, fit: tangents, elements: 201}}", helix);
  build(text, CPS_BAD_DATA, "at most 200");
}

// Roots on a part of a sphere give the sphere; a millimetre of noise moves it by no more than that.
static void a_head_is_found_from_roots(void** state) {
  (void)state;
  enum { COUNT = 300 };
  CpsVec3 roots[COUNT], centre;
  double radius;
  for (int noisy = 0; noisy < 2; ++noisy) {
    for (int i = 0; i < COUNT; ++i) {
      // golden spiral over the upper two thirds
      const double z = 1.0 - 1.3 * (i + 0.5) / COUNT, a = 2.399963 * i, r = sqrt(1.0 - z * z);
      const double R = 0.095 + (noisy ? 1e-3 * sin(37.0 * i) : 0.0);
      roots[i] = (CpsVec3){1.0 + R * r * cos(a), 2.0 + R * r * sin(a), 3.0 + R * z};
    }
    CpsError error;
    assert_int_equal(cps_hair_fit_scalp(roots, COUNT, &centre, &radius, &error), CPS_OK);
    const double tolerance = noisy ? 3e-4 : 1e-12;
    assert_near(radius, 0.095, tolerance);
    assert_near(centre.x, 1.0, tolerance);
    assert_near(centre.y, 2.0, tolerance);
    assert_near(centre.z, 3.0, tolerance);
  }
  CpsError error;
  assert_int_equal(cps_hair_fit_scalp(roots, 3, &centre, &radius, &error), CPS_BAD_DATA);
  for (int i = 0; i < COUNT; ++i) roots[i].z = 0.0;
  assert_int_equal(cps_hair_fit_scalp(roots, COUNT, &centre, &radius, &error), CPS_BAD_DATA);
  assert_true(strlen(error.text) > 10);
  assert_int_equal(cps_hair_fit_scalp(NULL, 4, &centre, &radius, &error), CPS_BAD_ARGUMENT);
}

// An octahedron, closed or without its lowest triangle, written from outside or from inside.
static void write_octahedron(const char* path, bool inside_out, bool open) {
  FILE* file = fopen(path, "w");
  assert_non_null(file);
  fputs("v 0.1 0 0\nv 0 0.1 0\nv -0.1 0 0\nv 0 -0.1 0\nv 0 0 0.1\nv 0 0 -0.1\n", file);
  for (int i = 0; i < (open ? 7 : 8); ++i) {
    const int a = i % 4 + 1, b = (i + 1) % 4 + 1, top = i < 4 ? 5 : 6;
    const bool turned = (i >= 4) != inside_out;
    fprintf(file, "f %d %d %d\n", turned ? b : a, turned ? a : b, top);
  }
  assert_int_equal(fclose(file), 0);
}

// Strands that grow out of a head whose triangles face inwards would be pulled in: one message, and a switch that turns them. A head with a
// border is touched from both sides, and a head that is right is taken.
static void a_scalp_that_is_inside_out_is_said(void** state) {
  (void)state;
  const CpsVec3 points[4] = {{0.05, 0.05, 0.0}, {0.2, 0.2, 0.0}, {-0.05, 0.05, 0.001}, {-0.2, 0.2, 0.0}};
  int64_t first[3] = {0, 2, 4};
  CpsVec3 copy[4];
  memcpy(copy, points, sizeof copy);
  CpsHair hair = {.strand_count = 2, .point_count = 4, .first = first, .points = copy};
  assert_int_equal(cps_hair_write("scalp.hair", &hair, NULL), CPS_OK);
  static const char TEXT[] =
      "start: keep\nobstacles: {head: {mesh: {file: scalp.obj%s}}}\n"
      "fibres: {hair: {hair: {file: scalp.hair}, radius: 40 um, root: {kind: clamped, on: head}}}\n";
  for (int c = 0; c < 5; ++c) {
    const bool inside_out = c == 1 || c == 3 || c == 4, open = c >= 3;
    char text[400];
    (void)snprintf(text, sizeof text, TEXT, c == 2 ? ", flip: true" : "");
    write_octahedron("scalp.obj", inside_out || c == 2, open);
    cps_world_destroy(build(text, c == 1 ? CPS_BAD_DATA : CPS_OK, c == 1 ? "inside out: 2 of 2 strands" : NULL));
  }
  assert_int_equal(remove("scalp.hair") | remove("scalp.obj"), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_scalp_that_is_inside_out_is_said),
      cmocka_unit_test(contact_radii_fit_between_neighbours),
      cmocka_unit_test(a_line_becomes_a_chain_of_helices),
      cmocka_unit_test(a_head_is_found_from_roots),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
