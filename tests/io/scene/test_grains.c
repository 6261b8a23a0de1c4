// Grains of scenes: what they fill, spouts, and what is wrong with them.
#include "capstan/grains.h"
#include "capstan/mesh.h"
#include "io/scene/texts.h"
#include "io/scratch.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#define GRID "grid: {cell: 2 cm}\n"

static double volume_of(const CpsScene* scene, CpsWorld** world) {
  CpsError error;
  if (cps_scene_build(scene, 1, world, &error) != CPS_OK) fail_msg("%s", error.text);
  return cps_world_grains_info(*world).volume;
}

static double volume_in(const char* text) {
  CpsScene* scene = read_scene(text, NULL);
  CpsWorld* world = NULL;
  const double volume = volume_of(scene, &world);
  cps_world_destroy(world);
  cps_scene_destroy(scene);
  return volume;
}

// Places of particles are counted: exact where the surface runs between them.
static void what_is_below_a_surface_is_filled(void** state) {
  (void)state;
  // a ramp from 0 to 10 cm over 20 cm: columns of 1 cm are 0 (0.25 cm), 1 (0.75), 1, 2, ... particles high, 100 in all
  assert_near(volume_in(GRID "grains: {s: {box: {to: [0.2, 0.1, 0.1]}, below: 0.5 * x}}\n"), 0.6 * 100 * 10 * 1e-6,
              1e-15);
  // parameters, and a surface above or below all of the box
  assert_near(volume_in("parameters: {a: 6 cm}\n" GRID "grains: {s: {box: {to: [0.2, 0.1, 0.1]}, below: a}}\n"),
              0.6 * 0.2 * 0.1 * 0.06, 1e-15);
  assert_near(volume_in(GRID "grains: {s: {box: {to: [0.2, 0.1, 0.1]}, below: \"= 1 + x * y\"}}\n"),
              0.6 * 0.2 * 0.1 * 0.1, 1e-15);
  // in the plane, and with a cylinder
  assert_near(volume_in("grid: {cell: 2 cm, plane: xz}\ngrains: {s: {box: {to: [0.2, 0, 0.1]}, below: 0.5 * x}}\n"),
              0.6 * 100 * 1e-4, 1e-15);
  const double round =
      volume_in(GRID
                "grains: {s: {box: {from: [-0.1, -0.1, 0], to: [0.1, 0.1, 0.1]}, below: 0.05, cylinder: "
                "{radius: 10 cm}}}\n");
  assert_near(round, 0.6 * 0.05 * acos(-1.0) * 0.01, 0.02 * round);  // 20 x 20 squares for a disc
}

static void a_closed_mesh_is_filled(void** state) {
  (void)state;
  char path[500], text[900];
  CpsVec3 x[8] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}};
  int32_t faces[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                       2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
  CpsMeshFile cube = {.vertex_count = 8, .vertices = x, .triangle_count = 12, .triangles = faces};
  CpsError error;
  assert_non_null(getcwd(path, 300));
  snprintf(path + strlen(path), 200, "/%s", scratch_path("m.msh"));
  if (cps_mesh_file_write(path, &cube, &error) != CPS_OK) fail_msg("%s", error.text);
  // 12 cm along each axis, on the places of the grid: exact; turned by 45 degrees about z: the same within the surface's places
  static const char PLACE[] = "scale: 0.12, position: [-6 cm, 4 cm, 2 cm]";
  snprintf(text, sizeof text, GRID "grains: {s: {mesh: {file: %s, %s}}}\n", path, PLACE);
  assert_near(volume_in(text), 0.6 * 0.12 * 0.12 * 0.12, 1e-15);
  snprintf(text, sizeof text, GRID "grains: {s: {mesh: {file: %s, %s, rotation: {axis: [0, 0, 1], angle: 45 deg}}}}\n",
           path, PLACE);
  assert_near(volume_in(text), 0.6 * 0.12 * 0.12 * 0.12, 0.03 * 0.6 * 0.12 * 0.12 * 0.12);
  // the part of it inside a box and below a surface: its lower right quarter
  snprintf(text, sizeof text,
           GRID "grains: {s: {box: {from: [0, 0, 0], to: [1, 0.4, 0.4]}, below: 8 cm, mesh: {file: %s, %s}}}\n", path,
           PLACE);
  assert_near(volume_in(text), 0.6 * 0.06 * 0.12 * 0.06, 1e-15);
  // one of its faces alone is open; as a surface to be below of it is as good as any
  cube.triangle_count = 2;
  cube.triangles = faces + 6;  // z = 1
  if (cps_mesh_file_write(path, &cube, &error) != CPS_OK) fail_msg("%s", error.text);
  snprintf(text, sizeof text, GRID "grains: {s: {box: {to: [0.2, 0.1, 0.2]}, below: {file: %s, scale: 0.12}}}\n", path);
  assert_near(volume_in(text), 0.6 * 0.12 * 0.1 * 0.12, 1e-15);
  snprintf(text, sizeof text, GRID "grains: {s: {mesh: {file: %s}}}\n", path);
  CpsScene* scene = NULL;
  assert_int_equal(cps_scene_parse(text, strlen(text), "x.yaml", NULL, 0, &scene, &error), CPS_BAD_DATA);
  assert_non_null(strstr(error.text, "the surface is not closed: 4 edges"));
}

static void a_spout_is_read(void** state) {
  (void)state;
  CpsScene* scene = read_scene(
      GRID
      "grains: {s: {mu: 0.4, emitter: {centre: [0, 0, 1], radius: 4 cm, velocity: [0, 0, -2], rate: 3.6 t/h, from: 0.5 "
      "s}}}\ntime: {end: 2 s}\n",
      NULL);
  const CpsGrainsDef* def = &scene->grains[0].def;
  assert_near(def->rate, 1.0, 1e-12);
  assert_true(def->radius == 0.04 && def->from == 0.5 && def->until == 2.0 && def->velocity.z == -2.0 &&
              def->mu == 0.4);
  CpsWorld* world = NULL;
  assert_true(volume_of(scene, &world) == 0.0);
  const CpsGrainsInfo info = cps_world_grains_info(world);
  assert_int_equal(info.waiting_count, 300 * 52);  // 3 m of layers at 1 cm, 52 of 8 x 8 places in the disc
  assert_int_equal(cps_scene_info(scene).particles, 300 * 52);
  cps_world_destroy(world);
  cps_scene_destroy(scene);
}

static void mistakes_have_their_sentence(void** state) {
  (void)state;
  static const struct {
    const char* text;
    CpsStatus status;
    const char* sentence;
  } BAD[] = {
      {"grains: {s: {mu: 0.5}}\n", CPS_BAD_FORMAT, "scenes/x.yaml:1:10: grains.s: needs one of box, mesh or emitter"},
      {"grains: {s: {box: {to: [1, 1, 1]}, fraction: 0.7}}\n", CPS_BAD_DATA,
       "scenes/x.yaml:1:36: grains.s.fraction: is more than fraction_max = 0.6"},
      {"grains: {s: {box: {to: [1, 1, 1]}, slope: 185 deg}}\n", CPS_BAD_DATA,
       "scenes/x.yaml:1:36: grains.s.slope: is 185 degrees; grains flow on a slope of less than 90"},
      {"grains: {s: {box: {to: [1, 1, 1]}, slope: 90 deg}}\n", CPS_BAD_DATA,
       "scenes/x.yaml:1:36: grains.s.slope: is 90 degrees; grains flow on a slope of less than 90"},
      {"flow: {domain: {to: [1, 1, 1]}, cells: [2, 2], ball: {radius: 0.1}}\n", CPS_UNSUPPORTED,
       "scenes/x.yaml:1:48: flow.ball: needs a flow in space: give `cells` three numbers, along x, y and z"},
      {"flow: {domain: {to: [1, 1, 1]}, cells: [2, 2], back: {wall: slip}}\n", CPS_UNSUPPORTED,
       "scenes/x.yaml:1:48: flow.back: needs a flow in space: give `cells` three numbers, along x, y and z"},
      {"flow: {domain: {to: [1, 1, 1]}, cells: [2, 2, 2], disc: {radius: 0.1}, ball: {radius: 0.1}}\n", CPS_UNSUPPORTED,
       "scenes/x.yaml:1:72: flow.ball: cannot be combined with `disc`"},
      {"grains: {s: {box: {to: [1, 1, 1]}, below: 2 * q}}\n", CPS_BAD_DATA,
       "scenes/x.yaml:1:43: grains.s.below: unknown parameter 'q'; the scene has no parameters (at x = 0.0025, y = "
       "0.0025)"},
      {"grains: {s: {box: {to: [1, 1, 1]}, below: -1}}\ngrid: {cell: 0.1}\n", CPS_BAD_DATA,
       "scenes/x.yaml:1:10: grains.s: contains no particle: nothing of the lattice is inside; check positions and "
       "units, "
       "or use smaller cells"},
      {"grains: {s: {box: {to: [1, 1, 1]}, below: x}}\ngrid: {cell: 1 mm}\n", CPS_BAD_DATA,
       "scenes/x.yaml:1:10: grains.s: has a box of 8e+09 places for particles, more than 1e+08; use larger cells "
       "(grid.cell)"},
      {"grains: {s: {box: {to: [1, 1, 1]}, emitter: {centre: [0, 0, 0], radius: 1, velocity: [0, 0, 1], rate: 1}}}\n",
       CPS_BAD_FORMAT, "scenes/x.yaml:1:14: grains.s.box: cannot be combined with emitter"},
      {"grains: {s: {emitter: {centre: [0, 0, 0], radius: 1, velocity: [0, 0, 1], rate: 1, from: 2}}}\n", CPS_BAD_DATA,
       "scenes/x.yaml:1:14: grains.s.emitter: ends at 1 s, not after its beginning at 2 s"},
  };
  for (size_t i = 0; i < sizeof BAD / sizeof *BAD; ++i) refuse_scene(BAD[i].text, NULL, BAD[i].status, BAD[i].sentence);
}

// What only the library refuses names the grains once, by their place in the scene.
static void a_refusal_of_the_library_names_grains_once(void** state) {
  (void)state;
  static const char* const BAD[][2] = {
      {GRID "grains: {s: {box: {from: [-1e9, 0, 0], to: [-999999999.9, 0.1, 0.1]}}}\n",
       "grains.s: the box is more than "},
      {GRID "grains: {s: {emitter: {centre: [0, 0, 0], radius: 1 cm, velocity: [0, 0, -1], rate: 10}}}\n"
            "time: {end: 1 s}\n",
       "grains.s: a spout with the radius 0.01 m passes at most "},
  };
  for (size_t i = 0; i < sizeof BAD / sizeof *BAD; ++i) {
    CpsScene* scene = read_scene(BAD[i][0], NULL);
    CpsWorld* world = NULL;
    CpsError error = {{0}};
    assert_int_equal(cps_scene_build(scene, 1, &world, &error), CPS_BAD_DATA);
    if (!strstr(error.text, BAD[i][1])) fail_msg("%s", error.text);
    assert_null(world);
    cps_scene_destroy(scene);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_below_a_surface_is_filled),
      cmocka_unit_test(a_closed_mesh_is_filled),
      cmocka_unit_test(a_spout_is_read),
      cmocka_unit_test(mistakes_have_their_sentence),
      cmocka_unit_test(a_refusal_of_the_library_names_grains_once),
  };
  return cmocka_run_group_tests_name("io/scene/grains", tests, make_scratch, remove_scratch);
}
