// Sheets in results: what is written is what is there, frames of a file and of a world are alike, a resumed run has the same
// bits, and a damaged file is refused.
#include "capstan/frame.h"
#include "capstan/sheet.h"
#include "io/result/text_runs.h"

static const char cloth[] =
    "title: two sheets on a floor\n"
    "time: {step: 4 ms, end: 0.08 s}\n"
    "output: {frames: 8 ms, velocity: true}\n"
    "materials: {linen: {mu: 0.4}}\n"
    "obstacles: {floor: {plane: {}}}\n"
    "sheets:\n"
    "  rug: {grid: {size: [0.3, 0.2], cells: [3, 2]}, position: [0, 0, 1 mm], material: linen, velocity: [0.5, 0, 0]}\n"
    "  flag: {disc: {radius: 0.1, rings: 2}, position: [0, 1, 0.5], pins: [{near: [0.1, 0, 0], radius: 1 cm}]}\n";

static void a_file_shows_what_the_world_shows(void** state) {
  (void)state;
  Both both;
  show_both(&both, cloth, scratch_path("cloth.h5"));
  check_surfaces(&both);
  const CpsThings* a = cps_show_things(both.file);
  const CpsFrame *f = cps_show_frame(both.file), *w = cps_show_frame(both.world);
  assert_int_equal(a->sheet_count, 2);
  assert_int_equal(a->vertex_count, 12 + 19);
  assert_int_equal(a->triangle_count, 12 + 24);
  assert_string_equal(a->material_names[a->sheet_materials[0]], "linen");
  assert_near(a->rest[0], 0.1, 1e-15);  // the first edge of a grid of cells of 10 cm
  double weight = 0.0, given = 0.0;
  for (int64_t i = 0; i < a->vertex_count; ++i) {
    const CpsVec3* s = &w->vertex_impulses[i];
    if (i >= 12) assert_true(s->x == 0.0 && s->y == 0.0 && s->z == 0.0);  // the flag touches nothing
    weight += s->z;
  }
  // what the vertices have is what the contacts give: on a floor normals point up
  for (int32_t i = 0; i < w->contact_count; ++i) given += w->contacts[i].impulse[0];
  assert_true(given > 0.0);
  assert_near(weight, given, 1e-12 * given);
  assert_true(f->contact_count > 0 && f->contact_count == w->contact_count);
  for (int32_t i = 0; i < f->contact_count; ++i) {
    const CpsFrameContact* shown[2] = {&f->contacts[i], &w->contacts[i]};
    for (int k = 0; k < 2; ++k) {
      const CpsSide *sheet = &shown[k]->side[0], *obstacle = &shown[k]->side[1];
      assert_true(cps_thing_is(sheet->thing, (CpsThing){CPS_THING_SHEET, 0, 0}));
      assert_true(cps_thing_is(obstacle->thing, (CpsThing){CPS_THING_OBSTACLE, 0, 0}));
      assert_true(sheet->part >= 0 && sheet->part < a->sheets[0].triangle_count);
      assert_near(sheet->place.x + sheet->place.y + sheet->place.z, 1.0, 1e-12);
      assert_string_equal(a->material_names[sheet->material], "linen");
    }
  }
  forget_both(&both);
}

static void a_resumed_run_has_the_same_bits(void** state) {
  (void)state;
  check_resumed(cloth);
}

static void a_triangle_without_its_vertices_is_refused(void** state) {
  (void)state;
  const char* path = scratch_path("damaged.h5");
  write_frames(cloth, path, 0, 1);
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  hid_t set = H5Dopen2(file, "/sheets/triangle", H5P_DEFAULT);
  int32_t triangles[36][3];
  assert_true(H5Dread(set, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, triangles) >= 0);
  triangles[5][1] = 12;  // a vertex of the other sheet
  assert_true(H5Dwrite(set, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, triangles) >= 0);
  H5Dclose(set);
  H5Fclose(file);
  CpsResult* result = NULL;
  CpsShow* show = NULL;
  CpsError error;
  assert_ok(cps_result_open(path, &result, &error), error);
  assert_int_equal(cps_show_result(result, &show, &error), CPS_BAD_FORMAT);
  assert_non_null(strstr(error.text, "/sheets/triangle"));
  cps_result_destroy(result);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_file_shows_what_the_world_shows),
      cmocka_unit_test(a_resumed_run_has_the_same_bits),
      cmocka_unit_test(a_triangle_without_its_vertices_is_refused),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
