// Solids of scenes: meshes, matter, pins, what is wrong with them, and the solids of the world that they make.
#include "capstan/mesh.h"
#include "capstan/solid.h"
#include "io/scene/texts.h"
#include "io/scratch.h"

#include <math.h>
#include <unistd.h>

static CpsSolidInfo build(const CpsScene* scene, CpsWorld** world) {
  CpsSolidInfo info;
  CpsError error;
  if (cps_scene_build(scene, 1, world, &error) != CPS_OK) fail_msg("%s", error.text);
  assert_int_equal(cps_world_solid_info(*world, cps_world_solid(*world, 0), &info), CPS_OK);
  return info;
}

static void meshes_have_the_volume_of_what_they_are(void** state) {
  (void)state;
  const double pi = acos(-1.0);
  const struct {
    const char* text;  // %s: a file
    double volume, tolerance;
  } MESHES[] = {
      {"solids: {s: {box: {size: [0.4, 0.3, 0.2], cells: [4, 3, 2]}}}\n", 0.024, 1e-15},
      {"solids: {s: {ball: {radius: 0.1, size: 3 cm}}}\n", 4.0 / 3.0 * pi * 1e-3, 1e-4},
      {"solids: {s: {ball: {radius: 0.1, hollow: 0.06, size: 2 cm}}}\n", 4.0 / 3.0 * pi * (1e-3 - 0.216e-3), 1e-4},
      {"solids: {s: {fill: {file: %s, size: 0.1}, scale: 0.5}}\n", 0.125, 1.5e-2},
      {"solids: {s: {file: %s, scale: 10}}\n", 1000.0 / 6.0, 1e-12},
  };
  CpsVec3 x[12] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0, 0, 1}, {1, 0, 1},
                   {0, 1, 1}, {1, 1, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  int32_t four[4] = {0, 1, 2, 3};
  int32_t faces[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                       2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
  for (size_t i = 0; i < sizeof MESHES / sizeof MESHES[0]; ++i) {
    char text[600];
    CpsMeshFile cube = {.vertex_count = 8, .vertices = x, .triangle_count = 12, .triangles = faces};
    CpsMeshFile one = {.vertex_count = 4, .vertices = x + 8, .tetrahedron_count = 1, .tetrahedra = four};
    char path[500];
    assert_non_null(getcwd(path, 300));
    snprintf(path + strlen(path), 200, "/%s", scratch_path("m.msh"));
    if (i >= 3) assert_int_equal(cps_mesh_file_write(path, i == 3 ? &cube : &one, NULL), CPS_OK);
    snprintf(text, sizeof text, MESHES[i].text, path);
    CpsScene* scene = read_scene(text, NULL);
    CpsWorld* world = NULL;
    CpsSolidInfo info = build(scene, &world);
    assert_near(info.rest_volume, MESHES[i].volume, MESHES[i].tolerance);
    assert_near(info.elastic, 0.0, 1e-9);
    // results and the world have the same surface
    const CpsSceneSurface s = cps_scene_surface(scene, 0);
    assert_true(s.tetrahedra != NULL && s.triangle_count == info.triangle_count && s.vertex_count == info.vertex_count);
    assert_memory_equal(s.triangles, cps_world_solid_triangles(world, cps_world_solid(world, 0)),
                        3 * (size_t)s.triangle_count * sizeof *s.triangles);
    assert_near(s.thickness, 2.0 * info.radius, 1e-15);
    cps_world_destroy(world);
    cps_scene_destroy(scene);
  }
}

static void values_are_those_of_the_text(void** state) {
  (void)state;
  CpsScene* scene = read_scene(
      "obstacles: {o: {plane: {}, position: [0, 0, -5], rotation: {axis: [0, 0, 1], angle: 90 deg}}}\n"
      "solids:\n"
      "  s: {box: {size: [1, 1, 1], cells: [1, 1, 1]}, frame: o, position: [1, 0, 7], velocity: [1, 0, 0],\n"
      "      angular_velocity: [0, 2, 0], law: neo-hookean, young: 2 MPa, poisson: 0.45, density: 900 kg/m3, damping: "
      "3 ms,\n"
      "      mass_damping: 4 Hz, gravity: false, radius: 5 mm, mu: 0.3, self_contact: false, group: 2,\n"
      "      pins: [{side: +x, on: o}, {near: [-0.5, -0.5, -0.5], radius: 1 mm, until: 2 s}, {vertices: [2]}]}\n",
      NULL);
  const CpsSolidDef* d = &scene->solids[0].def;
  assert_int_equal(d->matter.law, CPS_SOLID_NEO_HOOKEAN);
  assert_true(d->matter.young == 2e6 && d->matter.poisson == 0.45 && d->matter.density == 900.0);
  assert_true(d->matter.damping == 3e-3 && d->mass_damping == 4.0 && !d->gravity && d->radius == 5e-3 && d->mu == 0.3);
  assert_true(!d->self_contact && d->contact && d->group == 2);
  assert_near(d->velocity.y, 1.0, 1e-15);
  assert_near(d->spin.x, -2.0, 1e-15);
  assert_near(d->vertices[0].x, 0.5, 1e-15);  // -0.5, -0.5, -0.5 turned by 90 degrees about z and moved by (0, 1, 2)
  assert_near(d->vertices[0].y, 0.5, 1e-15);
  assert_near(d->vertices[0].z, 1.5, 1e-15);
  assert_int_equal(d->pin_count, 3);
  assert_int_equal(d->pins[0].vertex_count, 4);
  assert_int_equal(d->pins[1].vertex_count, 1);
  assert_int_equal(d->pins[1].vertices[0], 0);
  assert_true(scene->solids[0].pin_on[0] == 0 && scene->solids[0].pin_on[1] == -1 && d->pins[1].until == 2.0);
  CpsWorld* world = NULL;
  CpsSolidInfo info = build(scene, &world);
  assert_near(info.mass, 900.0, 1e-9);
  assert_int_equal(cps_world_step(world, NULL, NULL), CPS_OK);
  cps_world_destroy(world);
  cps_scene_destroy(scene);
}

// A tie holds a vertex of a solid to a body: they fall together.
// Even cells of 5 mm in 1 cm about the middle of the top, then wider by one factor up to the border.
static void a_box_is_cut_finely_below_its_top(void** state) {
  (void)state;
  CpsScene* scene =
      read_scene("solids: {s: {box: {size: [0.2, 0.2, 0.1], cells: [10, 10, 6], fine: 1 cm, fine_cells: 2}}}\n", NULL);
  const CpsSolidDef* d = &scene->solids[0].def;
  assert_false(d->smooth.on);
  double x[11], z[7];
  for (int i = 0; i <= 10; ++i) x[i] = d->vertices[i].x;
  for (int k = 0; k <= 6; ++k) z[k] = d->vertices[121 * k].z;
  assert_near(x[5], 0.0, 1e-15);
  assert_near(x[7], 0.01, 1e-15);
  assert_near(x[6], 5e-3, 1e-15);
  assert_near(z[5], 0.045, 1e-15);
  assert_near(z[4], 0.04, 1e-15);
  for (int i = 0; i <= 5; ++i) assert_near(x[i], -x[10 - i], 1e-15);
  assert_near(x[10], 0.1, 1e-15);
  assert_near(z[0], -0.05, 1e-15);
  const double q = (x[8] - x[7]) / 5e-3;
  assert_true(q > 1.5);
  for (int i = 8; i < 10; ++i) assert_near((x[i + 1] - x[i]) / (x[i] - x[i - 1]), q, 1e-9);
  cps_scene_destroy(scene);
}

static void a_surface_is_smooth_if_asked_for(void** state) {
  (void)state;
  CpsScene* scene = read_scene(
      "solids: {s: {box: {size: [1, 1, 1], cells: [1, 1, 1]}, surface: smooth, kernel: interpolating, reach: 2 m,\n"
      "         transport: paper}, t: {box: {size: [1, 1, 1], cells: [1, 1, 1]}, surface: smooth}}\n",
      NULL);
  const CpsSmooth *s = &scene->solids[0].def.smooth, *t = &scene->solids[1].def.smooth;
  assert_true(s->on && s->kernel == CPS_KERNEL_INTERPOLATING && s->reach == 2.0 && s->transport == CPS_TRANSPORT_PAPER);
  assert_true(t->on && t->kernel == CPS_KERNEL_CUBIC && isnan(t->reach) && t->transport == CPS_TRANSPORT_RIGID);
  cps_scene_destroy(scene);
}

static void a_tie_holds_a_vertex(void** state) {
  (void)state;
  CpsScene* scene = read_scene(
      "bodies: {b: {sphere: {radius: 0.1}, mass: 1, position: [0, 0, 1]}}\n"
      "solids: {s: {box: {size: [0.1, 0.1, 0.1], cells: [1, 1, 1]}, position: [0, 0, 0.8]}}\n"
      "ties: [{kind: point, a: {solid: s, at: [0.05, 0.05, 0.85]}, b: {body: b}}]\n",
      NULL);
  assert_int_equal(scene->ties[0].side[0].vertex, 7);
  CpsWorld* world = NULL;
  build(scene, &world);
  for (int i = 0; i < 20; ++i) assert_true(cps_world_step(world, NULL, NULL) >= 0);
  assert_int_equal(cps_world_tie_count(world), 1);
  cps_world_destroy(world);
  cps_scene_destroy(scene);
}

static void mistakes_are_told_with_their_place(void** state) {
  (void)state;
#define S "solids:\n  s: {box: {size: [1, 1, 1], cells: [1, 1, 1]}"
  static const struct {
    const char* text;
    CpsStatus status;
    const char* sentence;
  } CASES[] = {
      {"solids: {s: {}}\n", CPS_BAD_FORMAT, "scenes/x.yaml:1:13: solids.s: choose one: box, ball, file or fill"},
      {S ", scale: 2}\n", CPS_BAD_FORMAT, "scenes/x.yaml:2:49: solids.s.scale: only valid with file or fill"},
      {S ", reach: 2}\n", CPS_BAD_FORMAT, "scenes/x.yaml:2:49: solids.s.reach: only valid with surface: smooth"},
      {S ", surface: smooth, reach: 0.5}\n", CPS_BAD_DATA,
       "scenes/x.yaml:2:6: solids.s: solid s: a reach of 0.5 m leaves a hole in its smooth surface at vertex 0 at "
       "(-0.5, -0.5, "
       "-0.5); 1.49071 m would not"},
      {"solids: {s: {box: {size: [1, 1, 1], cells: [4, 4, 4], fine: 0.1}}}\n", CPS_BAD_FORMAT,
       "scenes/x.yaml:1:19: solids.s.box: fine and fine_cells must be given together"},
      {"solids: {s: {box: {size: [1, 1, 1], cells: [4, 4, 4], fine: 0.1, fine_cells: 2}}}\n", CPS_BAD_DATA,
       "scenes/x.yaml:1:19: solids.s.box: with fine_cells, the numbers of cells along x and y must be even; half of "
       "each, and "
       "the number along z, must be larger"},
      {"solids: {s: {box: {size: [1, 1, 1], cells: [8, 8, 8], fine: 0.6, fine_cells: 2}}}\n", CPS_BAD_DATA,
       "scenes/x.yaml:1:19: solids.s.box: fine must be less than half the size along x and y, and less than the size "
       "along z"},
      {S ", pins: [{}]}\n", CPS_BAD_FORMAT, "scenes/x.yaml:2:56: solids.s.pins[0]: choose one: vertices, near or side"},
      {S ", pins: [{vertices: [8]}]}\n", CPS_BAD_DATA,
       "scenes/x.yaml:2:68: solids.s.pins[0].vertices[0]: the solid has the vertices 0 to 7"},
      {S ", pins: [{near: [9, 9, 9], radius: 1}]}\n", CPS_BAD_DATA,
       "scenes/x.yaml:2:63: solids.s.pins[0].near: no vertex is within the radius"},
      {S ", pins: [{near: [0, 0, 0]}]}\n", CPS_BAD_FORMAT,
       "scenes/x.yaml:2:56: solids.s.pins[0]: the key 'radius' is missing: near needs one"},
      {"solids: {s: {ball: {radius: 1, hollow: 0.9, size: 0.2}}}\n", CPS_BAD_DATA,
       "scenes/x.yaml:1:20: solids.s.ball: hollow leaves no room for tetrahedra of that size"},
      {"solids: {s: {ball: {radius: 1, size: 2}}}\n", CPS_BAD_DATA,
       "scenes/x.yaml:1:20: solids.s.ball: size must be less than the radius"},
      {"solids: {s: {file: nowhere.msh}}\n", CPS_FILE_ERROR,
       "scenes/x.yaml:1:20: solids.s.file: scenes/nowhere.msh: No such file or directory"},
      {"ties: [{kind: point, a: {solid: t, vertex: 1}}]\n" S "}\n", CPS_BAD_FORMAT,
       "scenes/x.yaml:1:33: ties[0].a.solid: unknown solid 't'; did you mean 's'?"},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; ++i) {
    refuse_scene(CASES[i].text, NULL, CASES[i].status, CASES[i].sentence);
  }
}

// A file is refused with its name: no tetrahedra, or cells of other kinds whose vertices belong to nothing else.
static void files_without_a_solid_are_refused_by_name(void** state) {
  (void)state;
  static const struct {
    const char *cells, *why;
  } FILES[] = {
      {"1\n1 2 2 0 0 1 2 3\n", "has no tetrahedra; `fill` or `capstan mesh` makes them from a closed surface"},
      {"1\n1 11 2 0 0 1 2 3 4 1 2 3 4 1 2\n", "has no tetrahedra of four corners, only cells of other kinds (1)"},
      {"2\n1 4 2 0 0 1 2 3 4\n2 1 2 0 0 4 5\n",
       "vertex 4 at (0, 0, 2) belongs to no tetrahedron; the file has 1 cells of other kinds, which are skipped"},
  };
  for (size_t i = 0; i < sizeof FILES / sizeof FILES[0]; ++i) {
    char folder[300], path[500], text[600], sentence[900];
    assert_non_null(getcwd(folder, sizeof folder));
    snprintf(path, sizeof path, "%s/%s", folder, scratch_path("m.msh"));
    FILE* f = fopen(path, "w");
    assert_non_null(f);
    fprintf(
        f, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 0 0 2\n$EndNodes\n");
    fprintf(f, "$Elements\n%s$EndElements\n", FILES[i].cells);
    assert_int_equal(fclose(f), 0);
    snprintf(text, sizeof text, "solids: {s: {file: %s}}\n", path);
    snprintf(sentence, sizeof sentence, "scenes/x.yaml:1:20: solids.s.file: %s: %s", path, FILES[i].why);
    refuse_scene(text, NULL, CPS_BAD_DATA, sentence);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(meshes_have_the_volume_of_what_they_are),
      cmocka_unit_test(values_are_those_of_the_text),
      cmocka_unit_test(a_box_is_cut_finely_below_its_top),
      cmocka_unit_test(a_surface_is_smooth_if_asked_for),
      cmocka_unit_test(a_tie_holds_a_vertex),
      cmocka_unit_test(mistakes_are_told_with_their_place),
      cmocka_unit_test(files_without_a_solid_are_refused_by_name),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
