// Solids in results: what is written is what is there, frames of a file and of a world are alike, a resumed run has the same
// bits.
#include "capstan/frame.h"
#include "capstan/solid.h"
#include "io/result/text_runs.h"

static const char soft[] =
    "title: a sheet and a solid on a floor\n"
    "time: {step: 4 ms, end: 0.08 s}\n"
    "output: {frames: 8 ms, velocity: true}\n"
    "materials: {rubber: {mu: 0.4}}\n"
    "obstacles: {floor: {plane: {}}}\n"
    "sheets: {rug: {grid: {size: [0.3, 0.2], cells: [3, 2]}, position: [0, 1, 1 mm]}}\n"
    "solids: {cube: {box: {size: [0.1, 0.1, 0.1], cells: [1, 2, 2]}, position: [0, 0, 0.052], radius: 1 mm, material: "
    "rubber}}\n";

static void a_file_shows_what_the_world_shows(void** state) {
  (void)state;
  Both both;
  show_both(&both, soft, scratch_path("soft.h5"));
  check_surfaces(&both);
  const CpsThings *a = cps_show_things(both.file), *b = cps_show_things(both.world);
  const CpsFrame *f = cps_show_frame(both.file), *w = cps_show_frame(both.world);
  assert_true(a->sheet_count == 2 && a->solid_count == 1);
  assert_int_equal(a->vertex_count, 12 + 18);
  for (int i = 0; i < 2; ++i) assert_string_equal(a->sheet_names[i], i ? "cube" : "rug");
  assert_string_equal(a->material_names[a->sheet_materials[1]], "rubber");
  // 1 x 2 x 2 cells of five tetrahedra or six
  assert_true(a->tetrahedron_count >= 20 && a->tetrahedron_count == b->tetrahedron_count);
  assert_memory_equal(a->tetrahedra, b->tetrahedra, 4 * (size_t)a->tetrahedron_count * sizeof *a->tetrahedra);
  assert_non_null(f->stress);
  double most = 0.0;
  for (int64_t i = 0; i < 6 * a->tetrahedron_count; ++i) {
    assert_true(f->stress[i] == (float)w->stress[i]);
    most = fmax(most, fabs(f->stress[i]));
  }
  assert_true(most > 1.0);  // its weight on its lower face: 1000 * 9.81 * 0.1 Pa
  double up = 0.0;
  for (int64_t i = a->sheets[1].first_vertex; i < a->vertex_count; ++i) up += f->vertex_impulses[i].z;
  assert_true(up > 1e-3);  // the floor carries it, 0.04 N s in a step
  int of_solid = 0;
  for (int32_t i = 0; i < f->contact_count; ++i) {
    const CpsThing thing = f->contacts[i].side[0].thing;
    if (thing.kind != CPS_THING_SOLID) continue;
    of_solid++;
    assert_int_equal(thing.index, 0);
    assert_string_equal(cps_things_name(a, thing), "cube");
    assert_true(f->contacts[i].side[0].part < a->sheets[1].triangle_count);
    assert_string_equal(cps_things_name(a, f->contacts[i].side[1].thing), "floor");
  }
  assert_int_equal(of_solid, 6);
  forget_both(&both);
}

typedef struct Array {
  int rank;
  hsize_t extent[3];
  hid_t type;
  size_t count;  // numbers
  char* bytes;
} Array;

static Array take(hid_t file, const char* name) {
  Array a = {0};
  hid_t set = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(set);
  assert_true(set >= 0);
  a.rank = H5Sget_simple_extent_dims(space, a.extent, NULL);
  a.type = H5Dget_type(set);
  a.count = (size_t)H5Sget_simple_extent_npoints(space);
  a.bytes = malloc(a.count * H5Tget_size(a.type) + 1);
  assert_true(H5Dread(set, a.type, H5S_ALL, H5S_ALL, H5P_DEFAULT, a.bytes) >= 0);
  H5Sclose(space);
  H5Dclose(set);
  assert_true(H5Ldelete(file, name, H5P_DEFAULT) >= 0);
  return a;
}

static void give(hid_t file, const char* name, const Array* a, bool grows) {
  const hsize_t most[3] = {H5S_UNLIMITED, H5S_UNLIMITED, H5S_UNLIMITED};
  hid_t space = H5Screate_simple(a->rank, a->extent, grows ? most : NULL), list = H5Pcreate(H5P_DATASET_CREATE);
  if (grows) H5Pset_chunk(list, a->rank, a->extent);
  hid_t set = H5Dcreate2(file, name, a->type, space, H5P_DEFAULT, list, H5P_DEFAULT);
  assert_true(set >= 0 && H5Dwrite(set, a->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, a->bytes) >= 0);
  H5Dclose(set);
  H5Pclose(list);
  H5Sclose(space);
}

// The entries of solids behind those of sheets along a dimension; numbers of the second are raised by `shift`.
static void join(hid_t file, const char* of_sheets, const char* of_solids, int along, int32_t shift) {
  Array a = take(file, of_sheets), b = take(file, of_solids), all = a;
  all.extent[along] += b.extent[along];
  const size_t size = H5Tget_size(a.type), rows = along == 0 ? 1 : (size_t)a.extent[0];
  const size_t first = a.count / rows * size, second = b.count / rows * size;
  if (shift != 0) {
    for (size_t i = 0; i < b.count; ++i) {
      int32_t value;
      memcpy(&value, b.bytes + 4 * i, sizeof value);
      value += shift;
      memcpy(b.bytes + 4 * i, &value, sizeof value);
    }
  }
  all.bytes = malloc((first + second) * rows + 1);
  for (size_t i = 0; i < rows; ++i) {
    memcpy(all.bytes + i * (first + second), a.bytes + i * first, first);
    memcpy(all.bytes + i * (first + second) + first, b.bytes + i * second, second);
  }
  give(file, of_sheets, &all, along == 1);
  H5Tclose(a.type);
  H5Tclose(b.type);
  free(a.bytes);
  free(b.bytes);
  free(all.bytes);
}

static void set_offsets(hid_t file, const char* name, int64_t first, int64_t second) {
  int64_t values[3] = {0, first, first + second};
  Array a = take(file, name);
  free(a.bytes);
  a.extent[0] = 3;
  a.bytes = (char*)values;
  give(file, name, &a, false);
  H5Tclose(a.type);
}

// A file as format 7 has it: solids are the last of the sheets. It shows the same places, and neither tetrahedra nor stresses.
static void a_file_of_format_7_is_read(void** state) {
  (void)state;
  const char* path = scratch_path("seven.h5");
  (void)write_frames(soft, path, 0, 3);
  CpsResult* result = NULL;
  CpsShow* show = NULL;
  CpsError error;
  CpsVec3 now[30];
  assert_ok(cps_result_open(path, &result, &error), error);
  assert_ok(cps_show_result(result, &show, &error), error);
  assert_ok(cps_show_read(show, 2, &error), error);
  memcpy(now, cps_show_frame(show)->vertices, sizeof now);
  const int64_t triangles = cps_show_things(show)->sheets[1].triangle_count;
  cps_show_destroy(show);
  cps_result_destroy(result);

  hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  assert_true(file >= 0);
  join(file, "/sheets/triangle", "/solids/triangle", 0, 12);
  join(file, "/sheets/rest", "/solids/rest", 0, 0);
  join(file, "/sheets/thickness", "/solids/thickness", 0, 0);
  join(file, "/sheets/material", "/solids/material", 0, 0);
  join(file, "/frames/sheet_vertex", "/frames/solid_vertex", 1, 0);
  join(file, "/frames/sheet_velocity", "/frames/solid_velocity", 1, 0);
  join(file, "/frames/sheet_impulse", "/frames/solid_impulse", 1, 0);
  set_offsets(file, "/sheets/vertex_offset", 12, 18);
  set_offsets(file, "/sheets/triangle_offset", 12, triangles);
  char names[2][5] = {"rug", "cube"};
  Array name = take(file, "/sheets/name");
  free(name.bytes);
  H5Tclose(name.type);
  name.type = H5Tcopy(H5T_C_S1);
  H5Tset_size(name.type, sizeof *names);
  H5Tset_cset(name.type, H5T_CSET_UTF8);
  name.extent[0] = 2;
  name.bytes = (char*)names;
  give(file, "/sheets/name", &name, false);
  H5Tclose(name.type);
  int32_t kinds[2] = {CPS_THING_SHEET, CPS_THING_SOLID};
  const Array kind = {.rank = 1, .extent = {2}, .type = H5T_STD_I32LE, .bytes = (char*)kinds};
  give(file, "/sheets/kind", &kind, false);
  static const char* const NEW[] = {"/solids", "/frames/solid_stress", "/steps/stopped", "/totals/stopped"};
  for (int i = 0; i < 4; ++i) assert_true(H5Ldelete(file, NEW[i], H5P_DEFAULT) >= 0);
  const int64_t seven = 7;
  hid_t version = H5Aopen(file, "format_version", H5P_DEFAULT);
  assert_true(H5Awrite(version, H5T_NATIVE_INT64, &seven) >= 0);
  H5Aclose(version);
  H5Fclose(file);

  assert_ok(cps_result_open(path, &result, &error), error);
  assert_ok(cps_show_result(result, &show, &error), error);
  const CpsThings* t = cps_show_things(show);
  assert_true(t->sheet_count == 2 && t->solid_count == 1 && t->tetrahedron_count == 0 && !t->tetrahedra);
  assert_string_equal(cps_things_name(t, (CpsThing){CPS_THING_SOLID, 0, 0}), "cube");
  assert_ok(cps_show_read(show, 2, &error), error);
  const CpsFrame* f = cps_show_frame(show);
  assert_memory_equal(f->vertices, now, sizeof now);
  assert_true(!f->stress && f->vertex_impulses && f->vertex_velocities);
  cps_show_destroy(show);
  cps_result_destroy(result);
}

static void a_resumed_run_has_the_same_bits(void** state) {
  (void)state;
  check_resumed(soft);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_file_shows_what_the_world_shows),
      cmocka_unit_test(a_file_of_format_7_is_read),
      cmocka_unit_test(a_resumed_run_has_the_same_bits),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
