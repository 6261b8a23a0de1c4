// Sheets of scenes: meshes, fabrics, pins, what is wrong with them, and the sheets of the world that they make.
#include "capstan/sheet.h"
#include "io/scene/texts.h"

#include <math.h>

static const CpsSceneSheet* only_sheet(const CpsScene* scene) {
  assert_int_equal(scene->sheet_count, 1);
  return &scene->sheets[0];
}

static double area_of(const CpsSheetDef* def) {
  double area = 0.0;
  for (int32_t i = 0; i < def->triangle_count; ++i) {
    const int32_t* t = def->triangles + 3 * (size_t)i;
    CpsVec3 a = def->vertices[t[0]], b = def->vertices[t[1]], c = def->vertices[t[2]];
    area += 0.5 * cps_vec3_norm(cps_vec3_cross(cps_vec3_sub(b, a), cps_vec3_sub(c, a)));
  }
  return area;
}

static void meshes_have_the_area_of_what_they_are(void** state) {
  (void)state;
  const double pi = acos(-1.0);
  const struct {
    const char* text;
    int32_t vertices, triangles;
    double area;
  } MESHES[] = {
      {"sheets: {s: {grid: {size: [0.4, 0.3], cells: [4, 5]}}}\n", 30, 40, 0.12},
      {"sheets: {s: {grid: {size: [0.4, 0.3], cells: [4, 5], diagonals: crossed}}}\n", 50, 80, 0.12},
      {"sheets: {s: {grid: {size: [0.4, 0.3], cells: [4, 6], diagonals: mirrored}}}\n", 35, 48, 0.12},
      {"sheets: {s: {grid: {size: [0.4, 0.3], cells: [20, 5], over: {radius: 0.1, offset: 0.03}}}}\n", 126, 200, 0.12},
      {"sheets: {s: {disc: {radius: 0.1, rings: 3}}}\n", 37, 54, 0.01 * 9.0 * sin(pi / 9.0)},
      {"sheets: {s: {tube: {radius: [0.2, 0.1], length: 0.5, cells: [12, 4]}}}\n", 60, 96,
       6.0 * 2.0 * 0.3 * sin(pi / 12.0) * hypot(0.5, 0.1 * cos(pi / 12.0))},
      {"sheets: {s: {tube: {radius: 0.1, length: 0.5, cells: [12, 4]}}}\n", 60, 96, 0.5 * 24.0 * 0.1 * sin(pi / 12.0)},
  };
  for (size_t i = 0; i < sizeof MESHES / sizeof MESHES[0]; ++i) {
    CpsScene* scene = read_scene(MESHES[i].text, NULL);
    const CpsSheetDef* def = &only_sheet(scene)->def;
    assert_int_equal(def->vertex_count, MESHES[i].vertices);
    assert_int_equal(def->triangle_count, MESHES[i].triangles);
    // a disc of rings is a polygon of 18 corners with 6 k in ring k: a little less
    assert_near(area_of(def), MESHES[i].area, i == 4 ? 1e-4 : 1e-12);
    CpsWorld* world = NULL;
    CpsSheetInfo info;
    assert_int_equal(cps_scene_build(scene, 1, &world, NULL), CPS_OK);
    assert_int_equal(cps_world_sheet_info(world, cps_world_sheet(world, 0), &info), CPS_OK);
    assert_near(info.area, area_of(def), 1e-12);  // also that of the texture of a tube
    assert_near(info.membrane, 0.0, 1e-18);
    cps_world_destroy(world);
    cps_scene_destroy(scene);
  }
}

static void values_stand_over_those_of_the_fabric(void** state) {
  (void)state;
  CpsScene* scene = read_scene(
      "obstacles: {o: {plane: {}, rotation: {axis: [0, 0, 1], angle: 90 deg}}}\n"
      "sheets:\n"
      "  s: {grid: {size: [1, 1], cells: [2, 2]}, fabric: denim, density: 300 g/m2, bending: [1e-4 N m, 2e-4 N m],\n"
      "      bending_law: hinge, membrane: neo-hookean, damping: {bending: 2 ms, mass: 3 Hz}, drag: 1.2,\n"
      "      wind: {velocity: [1, 2, 3], sine: {frequency: 2 Hz}}, frame: o, velocity: [1, 0, 0], mu: 0.3}\n",
      NULL);
  const CpsSheetDef* def = &only_sheet(scene)->def;
  CpsFabric denim;
  assert_true(cps_fabric_find("denim", &denim));
  assert_true(def->thickness == denim.thickness && def->stretch[1] == denim.stretch[1]);
  assert_near(def->density, 0.3, 1e-15);
  assert_true(def->bending[0] == 1e-4 && def->bending[1] == 2e-4);
  assert_true(def->bending_law == CPS_BENDING_HINGE && def->membrane == CPS_MEMBRANE_NEO_HOOKEAN);
  assert_true(def->bending_damping == 2e-3 && def->mass_damping == 3.0 && def->stretch_damping == 1e-3);
  assert_true(def->drag[0] == 1.2 && def->drag[1] == 0.0 && def->wind.z == 3.0);
  assert_int_equal(def->wind_curve.kind, CPS_CURVE_SINE);
  assert_true(def->mu == 0.3);
  assert_near(def->velocity.y, 1.0, 1e-15);  // in the axes of the obstacle
  assert_near(def->warp.y, 1.0, 1e-15);
  cps_scene_destroy(scene);
}

static void pins_find_their_vertices(void** state) {
  (void)state;
  const struct {
    const char* pin;
    int32_t count, first;
  } PINS[] = {
      {"{vertices: [3, 5]}", 2, 3},     {"{near: [-0.5, -0.5, 0], radius: 0.3}", 2, 0},
      {"{edge: left}", 4, 0},           {"{edge: right}", 4, 4},
      {"{edge: top, rows: 2}", 10, 10}, {"{corners: all}", 4, 0},
      {"{corners: bottom}", 2, 0},      {"{edge: bottom, until: 2 s}", 5, 0},
  };
  for (size_t i = 0; i < sizeof PINS / sizeof PINS[0]; ++i) {
    char text[256];
    snprintf(text, sizeof text, "sheets: {s: {grid: {size: [1, 1], cells: [4, 3]}, position: [5, 0, 0], pins: [%s]}}\n",
             PINS[i].pin);
    CpsScene* scene = read_scene(text, NULL);
    const CpsSheetDef* def = &only_sheet(scene)->def;
    assert_int_equal(def->pin_count, 1);
    assert_int_equal(def->pins[0].vertex_count, PINS[i].count);
    assert_int_equal(def->pins[0].vertices[0], PINS[i].first);
    cps_scene_destroy(scene);
  }
}

static void mistakes_are_answered_with_their_place(void** state) {
  (void)state;
#define GRID "sheets: {s: {grid: {size: [1, 1], cells: [2, 2]}, "
  static const struct {
    const char* text;
    CpsStatus status;
    const char* sentence;
  } MISTAKES[] = {
      {"sheets: {s: {}}\n", CPS_BAD_FORMAT,
       "scenes/x.yaml:1:13: sheets.s: a mesh is missing: grid, disc, tube or file"},
      {GRID "disc: {radius: 1, rings: 2}}}\n", CPS_BAD_FORMAT,
       "scenes/x.yaml:1:51: sheets.s.disc: only one mesh is allowed; 'grid' is already given"},
      {"sheets: {s: {grid: {size: [1, 1], cells: [2, 3], diagonals: mirrored}}}\n", CPS_BAD_DATA,
       "scenes/x.yaml:1:42: sheets.s.grid.cells: a mirrored grid has an even number of cells along y"},
      {"sheets: {s: {grid: {size: [1, 1], cells: [2, 3], over: {radius: 0.1}}}}\n", CPS_BAD_DATA,
       "scenes/x.yaml:1:56: sheets.s.grid.over: cells of 0.5 m are too wide for a radius of 0.1 m"},
      {"sheets: {s: {grid: {size: [1, 1], cells: [9, 3], over: {radius: 0.2, offset: 0.6}}}}\n", CPS_BAD_DATA,
       "scenes/x.yaml:1:56: sheets.s.grid.over: an offset of 0.6 m leaves nothing on one side"},
      {GRID "fabric: coton}}\n", CPS_BAD_FORMAT,
       "scenes/x.yaml:1:59: sheets.s.fabric: unknown fabric 'coton'; did you mean 'cotton'?"},
      {GRID "thickness: 0}}\n", CPS_BAD_DATA,
       "scenes/x.yaml:1:62: sheets.s.thickness: expected a length > 0, found '0'"},
      {GRID "density: 3 kg/m3}}\n", CPS_BAD_FORMAT,
       "scenes/x.yaml:1:60: sheets.s.density: expected a density of area > 0, found '3 kg/m3': that is a density"},
      {GRID "bending: 3 N}}\n", CPS_BAD_FORMAT,
       "scenes/x.yaml:1:60: sheets.s.bending: expected a bending stiffness >= 0, found '3 N': that is a force"},
      {GRID "pins: [{edge: rim}]}}\n", CPS_BAD_DATA,
       "scenes/x.yaml:1:65: sheets.s.pins[0].edge: this mesh has no edge of that name: a grid has left, right, bottom "
       "and "
       "top, a tube bottom and top, a disc a rim"},
      {GRID "pins: [{edge: left, rows: 4}]}}\n", CPS_BAD_DATA,
       "scenes/x.yaml:1:77: sheets.s.pins[0].rows: from there, the mesh has only 3 rows of vertices"},
      {GRID "pins: [{vertices: [9]}]}}\n", CPS_BAD_DATA,
       "scenes/x.yaml:1:70: sheets.s.pins[0].vertices[0]: the sheet has the vertices 0 to 8"},
      {GRID "pins: [{near: [9, 9, 9], radius: 1}]}}\n", CPS_BAD_DATA,
       "scenes/x.yaml:1:65: sheets.s.pins[0].near: no vertex is within the radius"},
      {GRID "pins: [{}]}}\n", CPS_BAD_FORMAT,
       "scenes/x.yaml:1:58: sheets.s.pins[0]: choose one: vertices, near, edge or corners"},
      {GRID "pins: [{edge: left, on: pole}]}}\n", CPS_BAD_FORMAT,
       "scenes/x.yaml:1:75: sheets.s.pins[0].on: unknown obstacle 'pole'"},
      {GRID "pins: [{edge: left}, {edge: bottom}]}}\n", CPS_BAD_DATA,
       "scenes/x.yaml:1:13: sheets.s: sheet s: pins 0 and 1 both hold vertex 0 at t = 0 s, at (-0.5, -0.5, 0)"},
      {GRID "scale: 2}}\n", CPS_BAD_FORMAT, "scenes/x.yaml:1:51: sheets.s.scale: only valid with file"},
      {"sheets: {s: {grid: {size: [1, 1], cells: [20000, 20000]}}}\n", CPS_BAD_DATA,
       "scenes/x.yaml:1:20: sheets.s.grid: 400040001 vertices; a sheet has at most 500000"},
      {"sheets: {s: {file: none.obj}}\n", CPS_FILE_ERROR,
       "scenes/x.yaml:1:20: sheets.s.file: scenes/none.obj: No such file or directory"},
  };
  for (size_t i = 0; i < sizeof MISTAKES / sizeof MISTAKES[0]; ++i) {
    refuse_scene(MISTAKES[i].text, NULL, MISTAKES[i].status, MISTAKES[i].sentence);
  }
}

static void a_sheet_inside_an_obstacle_is_named(void** state) {
  (void)state;
  CpsScene* scene = read_scene(
      "start: refuse\nobstacles: {floor: {plane: {}}}\n"
      "sheets: {rug: {grid: {size: [1, 1], cells: [2, 2]}, thickness: 2 mm, position: [0, 0, 0.5 mm]}}\n",
      NULL);
  CpsWorld* world = NULL;
  CpsError error;
  assert_int_equal(cps_scene_build(scene, 1, &world, &error), CPS_BAD_DATA);
  assert_non_null(strstr(error.text, "rug and floor by 0.5 mm"));
  cps_scene_destroy(scene);
}

// Two sheets crosswise: refused with names, triangles and place, unless the scene says that they will part.
static void a_start_that_intersects_is_refused(void** state) {
  (void)state;
#define CROSSED                                                                  \
  "sheets:\n"                                                                    \
  "  one: {grid: {size: [1, 1], cells: [2, 2]}}\n"                               \
  "  two: {grid: {size: [0.5, 0.5], cells: [3, 3]}, position: [0.1, 0.2, 0.1], " \
  "rotation: {axis: [1, 0, 0], angle: 80 deg}}\n"
  const struct {
    const char* text;
    CpsStatus status;
  } STARTS[] = {{CROSSED, CPS_BAD_DATA},
                {"start: refuse\n" CROSSED, CPS_BAD_DATA},
                {"start: keep\n" CROSSED, CPS_BAD_DATA},
                {"start: separate\n" CROSSED, CPS_OK}};
  for (size_t i = 0; i < sizeof STARTS / sizeof STARTS[0]; ++i) {
    CpsScene* scene = read_scene(STARTS[i].text, NULL);
    CpsWorld* world = NULL;
    CpsError error;
    assert_int_equal(cps_scene_build(scene, 1, &world, &error), STARTS[i].status);
    if (STARTS[i].status == CPS_OK) {
      assert_true(cps_world_overlap(world, 0).through);
    } else {
      assert_non_null(strstr(error.text, "1 pair of sheets passes through each other at the start: one (triangle "));
      assert_non_null(strstr(error.text, " and two (triangle "));
      assert_non_null(strstr(error.text, "`start: separate` ignores them until they separate"));
    }
    cps_world_destroy(world);
    cps_scene_destroy(scene);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(meshes_have_the_area_of_what_they_are),
      cmocka_unit_test(values_stand_over_those_of_the_fabric),
      cmocka_unit_test(pins_find_their_vertices),
      cmocka_unit_test(mistakes_are_answered_with_their_place),
      cmocka_unit_test(a_sheet_inside_an_obstacle_is_named),
      cmocka_unit_test(a_start_that_intersects_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
