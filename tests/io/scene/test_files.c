// Scenes of several files: includes, meshes, tables; and files that want too much.
#include "capstan/mesh.h"
#include "io/scene/csv.h"
#include "io/scene/texts.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char folder[] = "/tmp/capstan-scene-XXXXXX";

static const char* path_of(const char* name) {
  static char path[200];
  (void)snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static void put(const char* name, const char* text) {
  FILE* file = fopen(path_of(name), "wb");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
}

static int set_up(void** state) {
  (void)state;
  return mkdtemp(folder) && mkdir(path_of("parts"), 0700) == 0 ? 0 : -1;
}

static int tear_down(void** state) {
  (void)state;
  char command[200];
  (void)snprintf(command, sizeof command, "rm -r %s", folder);
  return system(command);  // NOLINT(cert-env33-c): the folder is ours
}

static CpsScene* load(const char* name) {
  CpsScene* scene = NULL;
  CpsError error;
  if (cps_scene_load(path_of(name), NULL, 0, &scene, &error) != CPS_OK) fail_msg("%s", error.text);
  return scene;
}

// The message begins with the folder, which has a new name each time.
static void refuse(const char* name, CpsStatus expected, const char* sentence) {
  CpsScene* scene = NULL;
  CpsError error;
  CpsStatus status = cps_scene_load(path_of(name), NULL, 0, &scene, &error);
  assert_null(scene);
  char shown[sizeof error.text] = "", *out = shown;
  for (const char* c = error.text; *c;) {
    if (strncmp(c, folder, strlen(folder)) == 0) {
      *out++ = '@';
      c += strlen(folder);
    } else {
      *out++ = *c++;
    }
  }
  *out = '\0';
  assert_string_equal(shown, sentence);
  assert_int_equal(status, expected);
}

static void the_file_that_includes_wins_and_maps_are_merged(void** state) {
  (void)state;
  put("main.yaml", "include: [parts/a.yaml, parts/b.yaml]\ncontact: {mu: 0.1}\nbodies: {own: {sphere: {radius: 1}}}\n");
  put("parts/a.yaml", "contact: {mu: 0.2, restitution: 0.2}\ntime: {step: 2 ms, end: 3 s}\nmaterials: {m: {}}\n");
  put("parts/b.yaml", "include: c.yaml\ncontact: {restitution: 0.3}\nbodies: {other: {sphere: {radius: 2}}}\n");
  put("parts/c.yaml", "title: from c\ntime: {end: 4 s}\n");  // beside the file that names it
  CpsScene* scene = load("main.yaml");
  CpsWorldDef def = cps_scene_world_def(scene);
  assert_true(def.mu == 0.1);           // its own
  assert_true(def.restitution == 0.3);  // of the later file
  assert_true(def.step == 2e-3);
  assert_true(cps_scene_info(scene).end == 4.0);
  assert_string_equal(cps_scene_info(scene).title, "from c");
  assert_int_equal(cps_scene_info(scene).bodies, 2);
  assert_non_null(strstr(cps_scene_info(scene).text, "# contact: {mu: 0.2, restitution: 0.2}\n"));
  assert_non_null(strstr(cps_scene_info(scene).text, "/parts/c.yaml\n# title: from c\n"));
  cps_scene_destroy(scene);
}

static void a_mistake_in_an_included_file_is_found_there(void** state) {
  (void)state;
  put("main.yaml", "include: parts/a.yaml\n");
  put("parts/a.yaml", "\ntime: {stepp: 1}\n");
  refuse("main.yaml", CPS_BAD_FORMAT, "@/parts/a.yaml:2:8: time.stepp: unknown key; did you mean 'step'?");
  put("parts/a.yaml", "- 1\n");
  refuse("main.yaml", CPS_BAD_FORMAT, "@/parts/a.yaml:1:1: expected a map, as in any scene");
  put("main.yaml", "include: {}\n");
  refuse("main.yaml", CPS_BAD_FORMAT, "@/main.yaml:1:10: include: expected a file name or a list of them");
  put("main.yaml", "title: x\ninclude: [nowhere.yaml]\n");
  refuse("main.yaml", CPS_FILE_ERROR, "@/main.yaml:2:11: include[0]: '@/nowhere.yaml': No such file or directory");
  put("main.yaml", "include: parts\n");
  refuse("main.yaml", CPS_FILE_ERROR, "@/main.yaml:1:10: include: '@/parts': is a folder");
  put("main.yaml", "include: /dev/zero\n");
  refuse("main.yaml", CPS_FILE_ERROR, "@/main.yaml:1:10: include: '/dev/zero': is not a regular file");
}

static void a_circle_of_includes_is_refused(void** state) {
  (void)state;
  put("self.yaml", "include: parts/../self.yaml\n");
  refuse("self.yaml", CPS_BAD_FORMAT, "@/self.yaml:1:10: include: '@/parts/../self.yaml' includes itself");
  put("one.yaml", "include: two.yaml\n");
  put("two.yaml", "title: x\ninclude: one.yaml\n");
  refuse("one.yaml", CPS_BAD_FORMAT, "@/two.yaml:2:10: include: '@/one.yaml' includes itself");
  // each level names the next one twice: 2^n files
  for (int i = 0; i < 9; ++i) {
    char name[32], text[64];
    (void)snprintf(name, sizeof name, "n%d.yaml", i);
    (void)snprintf(text, sizeof text, "include: [n%d.yaml, n%d.yaml]\n", i + 1, i + 1);
    put(name, text);
  }
  put("n9.yaml", "title: x\n");
  refuse("n0.yaml", CPS_BAD_FORMAT, "@/n8.yaml:1:20: include[1]: too many files are included, or too deeply");
  put("n4.yaml", "title: x\n");
  cps_scene_destroy(load("n0.yaml"));
}

static void missing_and_bad_files_are_named_with_the_key(void** state) {
  (void)state;
  refuse("nowhere.yaml", CPS_FILE_ERROR, "@/nowhere.yaml: No such file or directory");
  refuse("parts", CPS_FILE_ERROR, "@/parts: is a folder");
  put("m.yaml", "obstacles: {o: {mesh: {file: none.obj}}}\n");
  refuse("m.yaml", CPS_FILE_ERROR, "@/m.yaml:1:30: obstacles.o.mesh.file: @/none.obj: No such file or directory");
  put("bad.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n");
  put("m.yaml", "obstacles: {o: {mesh: {file: bad.obj}}}\n");
  refuse("m.yaml", CPS_BAD_FORMAT,
         "@/m.yaml:1:30: obstacles.o.mesh.file: @/bad.obj: line 4: a corner of a face refers to a vertex that is not "
         "defined before it");
  put("t.csv", "time, value\n0, 1\n1\n");
  put("m.yaml", "bodies: {b: {sphere: {radius: 1}}}\nloads: [{on: b, force: [1, 0, 0], table: t.csv}]\n");
  refuse("m.yaml", CPS_BAD_FORMAT,
         "@/m.yaml:2:42: loads[0].table: @/t.csv: line 3: fewer numbers than in the rows above");
  put("t.csv", "0\n1\n");
  refuse("m.yaml", CPS_BAD_FORMAT, "@/m.yaml:2:42: loads[0].table: the table has 1 columns, not 2");
  put("t.csv", "0 1\n0 1\n");
  refuse("m.yaml", CPS_BAD_DATA, "@/m.yaml:2:42: loads[0].table: the time of entry 1 does not increase");
}

static void meshes_hulls_and_tables_are_read_beside_the_scene(void** state) {
  (void)state;
  put("parts/cube.obj",
      "# a cube\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1 1.0\nvn 0 0 1\nvt 0 0\n"
      "f 4 3 2 1\nf 5/1 6/1 7/1 8/1\nf 1//1 2//1 6//1 5//1\nf -7/1/1 -6/1/1 -2/1/1 -3/1/1\nf 3 4 8 7\ns off\nf 4 1 5 8 "
      "# end\n");
  put("parts/move.csv", "# t, x, y, z\n0, 0, 0, 0\n1.5; 1; 2; 3\n2\t4\t5\t6\n");
  put("main.yaml",
      "obstacles:\n"
      "  m: {mesh: {file: parts/cube.obj, scale: 2}, motion: {keyframes: {file: parts/move.csv}}}\n"
      "  t: {tube: {file: parts/move.csv, radius: 1 cm}}\n"
      "bodies: {h: {hull: {file: parts/cube.obj}}}\n"
      "loads: [{on: h, force: [1, 0, 0], table: {file: parts/move.csv, steps: true, period: 3 s}}]\n");
  CpsScene* scene = load("main.yaml");
  CpsShape mesh = cps_scene_obstacle_shape(scene, 0), tube = cps_scene_obstacle_shape(scene, 1),
           hull = cps_scene_body_shape(scene, 0);
  assert_int_equal(mesh.point_count, 8);
  assert_int_equal(mesh.triangle_count, 12);
  assert_true(mesh.points[6].x == 2.0 && mesh.points[6].z == 2.0);
  assert_int_equal(mesh.triangles[0], 3);      // f 4 3 2 1 begins with 4
  assert_int_equal(mesh.triangles[3 * 6], 1);  // f -7 … counts from the end
  assert_int_equal(mesh.triangles[3 * 6 + 2], 6);
  assert_int_equal(hull.point_count, 8);
  assert_int_equal(tube.point_count, 3);
  assert_true(tube.points[2].x == 2.0 && tube.points[2].z == 5.0);
  const CpsMotion* motion = &scene->obstacles[0].def.motion;
  assert_int_equal(motion->kind, CPS_MOTION_KEYFRAMES);
  assert_true(motion->key_count == 3 && motion->key_times[1] == 1.5 && motion->key_poses[1].position.z == 3.0);
  const CpsCurve* curve = &scene->loads[0].def.curve;
  assert_true(curve->kind == CPS_CURVE_TABLE && curve->count == 3 && curve->values[2] == 4.0 && curve->steps);
  assert_true(curve->period == 3.0);
  cps_scene_destroy(scene);
}

static void bad_lines_of_tables_and_meshes_are_counted(void** state) {
  (void)state;
  static const struct {
    const char *text, *sentence;
  } OBJ[] = {
      {"v 1 2\n", "o: line 1: a vertex has three numbers"},
      {"v 1 2 x\n", "o: line 1: a vertex has three numbers"},
      {"\nv 1 2 1e999\n", "o: line 2: a coordinate is not finite"},
      {"v 0 0 0\nf 1 1\n", "o: line 2: a face has fewer than three corners"},
      {"v 0 0 0\nf 1 -2 1\n", "o: line 2: a corner of a face refers to a vertex that is not defined before it"},
      {"v 0 0 0\nf 1 0 1\n", "o: line 2: a corner of a face refers to a vertex that is not defined before it"},
      {"v 0 0 0\nf 1 99999999999999999999 1\n",
       "o: line 2: a corner of a face refers to a vertex that is not defined before it"},
      {"v 0 0 0\nf a b c\n", "o: line 2: a corner of a face refers to a vertex that is not defined before it"},
  };
  static const struct {
    const char *text, *sentence;
  } CSV[] = {
      {"", "o: contains no numbers"},
      {"a, b\n# c\n", "o: contains no numbers"},
      {"1, 2\n1, x\n", "o: line 2: expected finite numbers"},
      {"1, 2\n1, 1e999\n", "o: line 2: expected finite numbers"},
      {"1\n1, 2\n", "o: line 2: more numbers than in the rows above"},
  };
  CpsArena arena = {0};
  CpsError error;
  CpsMeshFile mesh;
  CpsTable table;
  for (size_t i = 0; i < sizeof OBJ / sizeof OBJ[0]; ++i) {
    assert_int_equal(cps_mesh_file_parse(OBJ[i].text, strlen(OBJ[i].text), "o", &mesh, &error), CPS_BAD_FORMAT);
    assert_string_equal(error.text, OBJ[i].sentence);
  }
  for (size_t i = 0; i < sizeof CSV / sizeof CSV[0]; ++i) {
    assert_int_equal(cps_csv_parse(CSV[i].text, "o", &arena, &table, &error), CPS_BAD_FORMAT);
    assert_string_equal(error.text, CSV[i].sentence);
  }
  cps_arena_free(&arena);
}

static void anchors_and_merge_keys_are_copies(void** state) {
  (void)state;
  put("main.yaml",
      "bodies:\n"
      "  a: &a {sphere: {radius: 1}, mu: 0.1, restitution: 0.5}\n"
      "  b: {<<: *a, mu: 0.2}\n"
      "  c: {<<: [{mu: 0.3}, *a]}\n"
      "  d: {<<: &d {sphere: {radius: 2}}, mu: 0.4}\n"
      "  e: {<<: *d, restitution: 0.25}\n");
  const char* set = "bodies.a.sphere.radius=7";
  CpsScene* scene = NULL;
  assert_int_equal(cps_scene_load(path_of("main.yaml"), &set, 1, &scene, NULL), CPS_OK);
  assert_true(cps_scene_body_shape(scene, 0).radius == 7.0);
  assert_true(cps_scene_body_shape(scene, 1).radius == 1.0);
  assert_true(scene->groups[1].def.mu == 0.2 && scene->groups[1].def.restitution == 0.5);
  assert_true(isnan(scene->groups[4].def.mu) && scene->groups[4].def.restitution == 0.25);
  assert_true(scene->groups[2].def.mu == 0.3 && cps_scene_body_shape(scene, 2).radius == 1.0);
  cps_scene_destroy(scene);
}

static double cpu_seconds(void) {
  return (double)clock() / CLOCKS_PER_SEC;
}

// Files that would take hours or all memory if they were trusted. Each must be refused in bounded time; the bound is a
// second in a release build, and ten where a sanitizer slows everything.
static void bombs_are_refused_quickly(void** state) {
  (void)state;
  static const char LAUGHS[] =
      "a: &a [x, x, x, x, x, x, x, x, x]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a]\n"
      "c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b]\nd: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c]\n"
      "e: &e [*d, *d, *d, *d, *d, *d, *d, *d, *d]\nf: &f [*e, *e, *e, *e, *e, *e, *e, *e, *e]\n"
      "g: &g [*f, *f, *f, *f, *f, *f, *f, *f, *f]\n";
  double start = cpu_seconds();
  refuse_scene(LAUGHS, NULL, CPS_BAD_FORMAT,
               "scenes/x.yaml:7:8: the scene has more than 700000 values, aliases expanded");
  size_t size = (size_t)8 << 20;
  char* text = malloc(size + 2);
  assert_non_null(text);
  memset(text, '[', 100000);
  text[100000] = '\0';
  refuse_scene(text, NULL, CPS_BAD_FORMAT, "scenes/x.yaml:1:50: lists and maps are nested too deeply");
  memset(text, ' ', size + 1);
  text[size + 1] = '\0';
  refuse_scene(text, NULL, CPS_BAD_FORMAT, "scenes/x.yaml: larger than 8 MB");
  // a chain of anchors, each twenty levels deeper than the last
  size_t used = 0;
  for (int i = 0; i < 100; ++i) {
    used += (size_t)snprintf(text + used, size - used, "a%d: &a%d [[[[[[[[[[[[[[[[[[[[", i, i);
    used += (size_t)snprintf(text + used, size - used, i ? "*a%d" : "1", i - 1);
    used += (size_t)snprintf(text + used, size - used, "]]]]]]]]]]]]]]]]]]]]\n");
  }
  refuse_scene(text, NULL, CPS_BAD_FORMAT, "scenes/x.yaml:3:29: lists and maps are nested too deeply");
  // many anchors
  used = 0;
  for (int i = 0; i < 2000; ++i) used += (size_t)snprintf(text + used, size - used, "a%d: &a%d 1\n", i, i);
  refuse_scene(text, NULL, CPS_BAD_FORMAT, "scenes/x.yaml:1001:8: too many anchors in one file");
  free(text);
  refuse_scene("bodies: {b: {sphere: {radius: 1}, grid: {count: [2e9, 2e9, 2e9], spacing: 1}}}", NULL, CPS_BAD_DATA,
               "scenes/x.yaml:1:41: bodies.b.grid: 8e+27 more bodies; a scene has at most 1000000");
  refuse_scene("bodies: {b: {pile: {count: 2e9}}}", NULL, CPS_BAD_DATA,
               "scenes/x.yaml:1:20: bodies.b.pile: 2000000000 more bodies; a scene has at most 1000000");
  refuse_scene("bodies: {b: {wall: {columns: 2e9, rows: 2e9, brick: [1, 1, 1]}}}", NULL, CPS_BAD_DATA,
               "scenes/x.yaml:1:20: bodies.b.wall: 4.000000001e+18 more bodies; a scene has at most 1000000");
  // each of these is allowed once, and not many times
  static const struct {
    const char *map, *entry, *sentence;
  } REPEATED[] = {
      {"obstacles", "{tube: {radius: 1, curve: {x: t, y: t, z: t, points: 20000}}}",
       "scenes/x.yaml:18:34: obstacles.e16.tube.curve: too large: the files, curves, hulls, stones, sheets and solids "
       "of the scene up to here take about 68 MB, more than 67 MB"},
      {"bodies", "{arch: {stones: 5000, radius: 1, thickness: 1, depth: 1}}",
       "scenes/x.yaml:8:14: bodies.e6.arch: too large: the files, curves, hulls, stones, sheets and solids of the "
       "scene "
       "up to here take about 70 MB, more than 67 MB"},
  };
  for (size_t k = 0; k < sizeof REPEATED / sizeof REPEATED[0]; ++k) {
    char many[4000];
    size_t length = (size_t)snprintf(many, sizeof many, "%s:\n", REPEATED[k].map);
    for (int i = 0; i < 30; ++i) {
      length += (size_t)snprintf(many + length, sizeof many - length, "  e%d: %s\n", i, REPEATED[k].entry);
    }
    refuse_scene(many, NULL, CPS_BAD_DATA, REPEATED[k].sentence);
  }
  assert_true(cpu_seconds() - start < 10.0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_file_that_includes_wins_and_maps_are_merged),
      cmocka_unit_test(a_mistake_in_an_included_file_is_found_there),
      cmocka_unit_test(a_circle_of_includes_is_refused),
      cmocka_unit_test(missing_and_bad_files_are_named_with_the_key),
      cmocka_unit_test(meshes_hulls_and_tables_are_read_beside_the_scene),
      cmocka_unit_test(bad_lines_of_tables_and_meshes_are_counted),
      cmocka_unit_test(anchors_and_merge_keys_are_copies),
      cmocka_unit_test(bombs_are_refused_quickly),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
