// Sheets, solids and tapered fibres in exports, read back: by our own reader of VTK files, by VTK, and by a parser of glTF, USD and OBJ that
// is no part of the project's writers.
#include <sys/wait.h>

#include "capstan/export.h"
#include "capstan/frame.h"
#include "capstan/mesh.h"
#include "capstan/solid.h"
#include "io/export/scenes.h"

enum { FRAMES = 3 };

static const char scene[] =
    "title: a cloth, a cube and a horn\n"
    "time: {step: 4 ms, end: 0.08 s}\n"
    "output: {frames: 8 ms, contacts: false}\n"
    "obstacles: {floor: {plane: {}}}\n"
    "sheets: {cloth: {grid: {size: [0.3, 0.2], cells: [6, 4]}, position: [0, 0, 1 mm], thickness: 1 mm, velocity: "
    "[0.5, 0.1, 0]}}\n"
    "solids: {cube: {box: {size: [0.1, 0.1, 0.1], cells: [2, 2, 2]}, position: [0, -1, 0.052], radius: 1 mm}}\n"
    "fibres: {horn: {model: super-helix, elements: 2, length: 0.2, radius: [8 mm, 2 mm], position: [0, 1, "
    "1],\n"
    "  root: clamped}}\n"
    "contact: {mu: 0.3}\n";

static int run_command(const char* command) {
  int status = system(command);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void write_vectors(FILE* out, const CpsVec3* v, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    fprintf(out, "%s%.9g,%.9g,%.9g", i > 0 ? "," : "", v[i].x, v[i].y, v[i].z);
  }
}

// A surface as a reader must find it: its triangles in numbers of its own, and places and impulses of all frames.
static void write_surface(FILE* out, CpsShow* show, int32_t k) {
  const CpsThings* t = cps_show_things(show);
  const CpsResultSheet* s = &t->sheets[k];
  fprintf(out, "%s{\"name\":\"%s\",\"triangles\":[", k > 0 ? "," : "", t->sheet_names[k]);
  for (int64_t i = 0; i < 3 * (int64_t)s->triangle_count; ++i) {
    fprintf(out, "%s%d", i > 0 ? "," : "", (int)(t->triangles[3 * s->first_triangle + i] - s->first_vertex));
  }
  fprintf(out, "],\"frames\":[");
  for (int64_t f = 0; f < cps_show_frame_count(show); ++f) {
    assert_int_equal(cps_show_read(show, f, NULL), CPS_OK);
    const CpsFrame* frame = cps_show_frame(show);
    fprintf(out, "%s{\"vertices\":[", f > 0 ? "," : "");
    write_vectors(out, frame->vertices + s->first_vertex, s->vertex_count);
    fprintf(out, "],\"impulses\":[");
    write_vectors(out, frame->vertex_impulses + s->first_vertex, s->vertex_count);
    fprintf(out, "]}");
  }
  fprintf(out, "]}");
}

// What a reader must find, as JSON.
static void write_expected(CpsShow* show, const char* path) {
  const CpsThings* t = cps_show_things(show);
  FILE* out = fopen(path, "w");
  assert_non_null(out);
  fprintf(out, "{\"radii\":[");
  for (int32_t k = 0; k < t->lines[0].count; ++k) {
    fprintf(out, "%s%.9g", k > 0 ? "," : "", cps_result_line_radius(&t->lines[0], k));
  }
  fprintf(out, "],\"surfaces\":[");
  for (int32_t k = 0; k < t->sheet_count; ++k) write_surface(out, show, k);
  fprintf(out, "]}\n");
  assert_int_equal(fclose(out), 0);
}

// The raw floats of a point array of a .vtp file.
static const float* find_array(const char* bytes, size_t size, const char* name, uint64_t* count) {
  char key[64];
  snprintf(key, sizeof key, "Name=\"%s\"", name);
  const char* at = strstr(bytes, key);
  assert_non_null(at);
  at = strstr(at, "offset=\"");
  assert_non_null(at);
  size_t offset = (size_t)strtoull(at + 8, NULL, 10);
  const char* begin = strstr(at, "<AppendedData");
  begin = strchr(begin, '_') + 1;
  memcpy(count, begin + offset, sizeof *count);
  assert_true((size_t)(begin - bytes) + offset + 8 + *count <= size);
  *count /= sizeof(float);
  return (const float*)(const void*)(begin + offset + 8);
}

static void check_vtp(const char* path, const CpsThings* t, const CpsFrame* frame) {
  CpsMeshFile mesh;
  CpsError error;
  assert_ok(cps_mesh_file_read(path, &mesh, &error), error);
  assert_int_equal(mesh.vertex_count, t->vertex_count);
  assert_int_equal(mesh.triangle_count, t->triangle_count);
  assert_memory_equal(mesh.triangles, t->triangles, 3 * (size_t)t->triangle_count * sizeof *t->triangles);
  // what the result holds is single precision
  for (int64_t i = 0; i < t->vertex_count; ++i) {
    assert_true(mesh.vertices[i].x == frame->vertices[i].x && mesh.vertices[i].y == frame->vertices[i].y &&
                mesh.vertices[i].z == frame->vertices[i].z);
  }
  cps_mesh_file_free(&mesh);
  FILE* file = fopen(path, "rb");
  assert_non_null(file);
  static char bytes[1 << 20];
  size_t size = fread(bytes, 1, sizeof bytes - 1, file);
  fclose(file);
  uint64_t count = 0;
  const float* impulses = find_array(bytes, size, "impulse", &count);
  assert_int_equal(count, 3 * t->vertex_count);
  for (int64_t i = 0; i < t->vertex_count; ++i) {
    float r[3];
    memcpy(r, (const char*)impulses + 12 * i, sizeof r);
    assert_true(r[0] == (float)frame->vertex_impulses[i].x && r[2] == (float)frame->vertex_impulses[i].z);
  }
}

// A result of a scene and what there is to see of it.
typedef struct Shown {
  CpsResult* result;
  CpsShow* show;
} Shown;

static Shown show_scene(const char* text, const char* name) {
  Shown out = {0};
  CpsError error;
  char path[192];
  snprintf(path, sizeof path, "%s", scratch_path(name));
  write_scene_result(text, path, FRAMES);
  assert_ok(cps_result_open(path, &out.result, &error), error);
  assert_ok(cps_show_result(out.result, &out.show, &error), error);
  return out;
}

static void close_shown(Shown* shown) {
  cps_show_destroy(shown->show);
  cps_result_destroy(shown->result);
}

static void export_as(CpsResult* result, CpsExportFormat format, const char* path) {
  CpsExportOptions options = cps_export_options_default();
  CpsError error;
  options.format = format;
  assert_ok(cps_export(result, path, &options, NULL, &error), error);
}

static void check_by_others(const char* folder) {
  char command[1024];
  const char* s = scratch_folder;
  if (run_command("node --version >/dev/null 2>&1") == 0) {
    snprintf(command, sizeof command,
             "node %s/tests/io/export/check_sheets.mjs %s/expected.json %s/a.glb %s/a.usda %s/obj", SOURCE_DIR, s, s, s,
             s);
    assert_int_equal(run_command(command), 0);
    // Khronos' validator, and another parser of USD
    static const char* const FILES[] = {"a.glb", "a.usda"};
    for (int i = 0; i < 2; ++i) {
      snprintf(command, sizeof command, "node %s/tests/io/export/read_export.mjs %s/%s %s/back.usda", SOURCE_DIR, s,
               FILES[i], s);
      const int code = run_command(command);
      if (code == 77) print_message("skipped: the packages of web/ are not installed\n");
      assert_true(code == 0 || code == 77);
    }
  } else {
    print_message("skipped: no Node to read glTF, USD and OBJ\n");
  }
  if (run_command("/usr/bin/python3 -c 'import vtk' >/dev/null 2>&1") == 0) {
    snprintf(command, sizeof command,
             "/usr/bin/python3 %s/tests/io/export/check_sheets.py %s/expected.json 2 %s/sheets-0002.vtp", SOURCE_DIR, s,
             folder);
    assert_int_equal(run_command(command), 0);
  } else {
    print_message("skipped: no Python with vtk (python3-vtk9)\n");
  }
}

static void sheets_are_read_back(void** state) {
  (void)state;
  Shown shown = show_scene(scene, "a.h5");
  CpsResult* result = shown.result;
  CpsShow* show = shown.show;
  const CpsThings* t = cps_show_things(show);
  assert_int_equal(t->vertex_count, 35 + 27);
  assert_near(t->lines[0].radius, 8e-3, 1e-15);
  assert_near(t->lines[0].radius_tip, 2e-3, 1e-15);
  assert_near(cps_result_line_radius(&t->lines[0], (t->lines[0].count - 1) / 2), 5e-3, 1e-12);
  write_expected(show, scratch_path("expected.json"));
  assert_int_equal(cps_show_read(show, 2, NULL), CPS_OK);
  const CpsFrame* frame = cps_show_frame(show);
  double pushed[2] = {0.0, 0.0};
  for (int i = 0; i < 62; ++i) pushed[i >= 35] += frame->vertex_impulses[i].z;
  assert_true(pushed[0] > 0.0 && pushed[1] > 0.0);  // both lie on the floor by then
  export_as(result, CPS_EXPORT_PVD, scratch_path("a.pvd"));
  export_as(result, CPS_EXPORT_GLTF, scratch_path("a.glb"));
  export_as(result, CPS_EXPORT_USDA, scratch_path("a.usda"));
  export_as(result, CPS_EXPORT_OBJ, scratch_path("obj"));
  char folder[192], file[256];
  snprintf(folder, sizeof folder, "%s", scratch_path("a-vtp"));
  snprintf(file, sizeof file, "%s/sheets-0002.vtp", folder);
  check_vtp(file, t, frame);
  check_by_others(folder);
  remove_folder(folder);
  remove_folder(scratch_path("obj"));
  close_shown(&shown);
}

// A sheet and a solid as cells: triangles and tetrahedra in one grid, read by our own reader of VTU, with stress and status.
static void cells_are_read_back(void** state) {
  (void)state;
  static const char soft[] =
      "time: {step: 4 ms, end: 0.08 s}\n"
      "output: {frames: 8 ms}\n"
      "obstacles: {floor: {plane: {}}}\n"
      "sheets: {cloth: {grid: {size: [0.3, 0.2], cells: [3, 2]}, position: [0, 1, 1 mm]}}\n"
      "solids: {cube: {box: {size: [0.1, 0.1, 0.1], cells: [1, 2, 2]}, position: [0, 0, 0.052], radius: 1 mm}}\n"
      "contact: {mu: 0.3}\n";
  Shown shown = show_scene(soft, "soft.h5");
  CpsError error;
  const CpsThings* t = cps_show_things(shown.show);
  assert_int_equal(cps_show_read(shown.show, 2, NULL), CPS_OK);
  const CpsFrame* frame = cps_show_frame(shown.show);
  export_as(shown.result, CPS_EXPORT_PVD, scratch_path("soft.pvd"));
  char folder[192], file[256];
  snprintf(folder, sizeof folder, "%s", scratch_path("soft-vtp"));
  snprintf(file, sizeof file, "%s/cells-0002.vtu", folder);
  CpsMeshFile mesh;
  assert_ok(cps_mesh_file_read(file, &mesh, &error), error);
  assert_int_equal(mesh.vertex_count, t->vertex_count);
  assert_int_equal(mesh.triangle_count, t->sheets[0].triangle_count);
  assert_int_equal(mesh.tetrahedron_count, t->tetrahedron_count);
  assert_memory_equal(mesh.tetrahedra, t->tetrahedra, 4 * (size_t)t->tetrahedron_count * sizeof *t->tetrahedra);
  cps_mesh_file_free(&mesh);
  static char bytes[1 << 20];
  FILE* in = fopen(file, "rb");
  assert_non_null(in);
  size_t size = fread(bytes, 1, sizeof bytes - 1, in);
  fclose(in);
  uint64_t count = 0;
  const char* stress = (const char*)find_array(bytes, size, "stress", &count);
  const int64_t cells = t->sheets[0].triangle_count + t->tetrahedron_count;
  assert_int_equal(count, 6 * cells);
  for (int64_t i = 0; i < 6 * cells; ++i) {
    float value;
    memcpy(&value, stress + 4 * i, sizeof value);
    const int64_t k = i - 6 * (int64_t)t->sheets[0].triangle_count;
    assert_true(value == (k < 0 ? 0.0F : (float)frame->stress[k]));
  }
  const char* equivalent = (const char*)find_array(bytes, size, "von_mises", &count);
  assert_int_equal(count, cells);
  for (int64_t i = 0; i < t->tetrahedron_count; ++i) {
    float value;
    memcpy(&value, equivalent + 4 * (t->sheets[0].triangle_count + i), sizeof value);
    assert_true(value == (float)cps_stress_von_mises(frame->stress + 6 * i));
  }
  const char* touch = (const char*)find_array(bytes, size, "status", &count);
  assert_int_equal(count, t->vertex_count);
  int touching = 0;
  for (int64_t i = 0; i < t->vertex_count; ++i) {
    int32_t value;
    memcpy(&value, touch + 4 * i, sizeof value);
    assert_in_range(value + 1, 0, 3);
    // what is pushed touches: the six lower vertices of the cube do
    if (value >= 0 && i >= t->sheets[1].first_vertex) touching++;
  }
  assert_int_equal(touching, 6);
  remove_folder(folder);
  close_shown(&shown);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(sheets_are_read_back), cmocka_unit_test(cells_are_read_back)};
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
