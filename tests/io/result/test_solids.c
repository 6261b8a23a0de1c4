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
  const char* path = scratch_path("soft.h5");
  Run run;
  make_text_run(&run, soft);
  start_run(&run, path);
  for (int i = 0; i < 3; ++i) assert_ok(advance_frame(&run), run.error);
  cps_result_close(run.writer);
  CpsResult* result = NULL;
  CpsShow *file = NULL, *world = NULL;
  CpsError error;
  assert_ok(cps_result_open(path, &result, &error), error);
  assert_ok(cps_show_result(result, &file, &error), error);
  assert_ok(cps_show_world(run.scene, run.world, &world, &error), error);
  const CpsThings *a = cps_show_things(file), *b = cps_show_things(world);
  assert_true(a->sheet_count == 2 && a->solid_count == 1 && b->sheet_count == 2 && b->solid_count == 1);
  assert_int_equal(a->vertex_count, 12 + 18);
  assert_int_equal(b->vertex_count, a->vertex_count);
  assert_int_equal(a->triangle_count, b->triangle_count);
  assert_memory_equal(a->triangles, b->triangles, 3 * (size_t)a->triangle_count * sizeof *a->triangles);
  for (int i = 0; i < 2; ++i) {
    assert_string_equal(a->sheet_names[i], i ? "cube" : "rug");
    assert_string_equal(b->sheet_names[i], a->sheet_names[i]);
    assert_near(a->sheets[i].thickness, b->sheets[i].thickness, 1e-15);
    assert_int_equal(a->sheet_materials[i], b->sheet_materials[i]);
  }
  assert_string_equal(a->material_names[a->sheet_materials[1]], "rubber");
  assert_ok(cps_show_read(file, 3, &error), error);
  assert_ok(cps_show_read(world, 0, &error), error);
  const CpsFrame *f = cps_show_frame(file), *w = cps_show_frame(world);
  for (int64_t i = 0; i < a->vertex_count; ++i) {
    const CpsVec3 *p = &f->vertices[i], *q = &w->vertices[i];
    assert_true(p->x == (float)q->x && p->y == (float)q->y && p->z == (float)q->z);
  }
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
  assert_non_null(f->vertex_impulses);
  double up = 0.0;
  for (int64_t i = a->sheets[1].first_vertex; i < a->vertex_count; ++i) {
    assert_true(f->vertex_impulses[i].z == (float)w->vertex_impulses[i].z);
    up += f->vertex_impulses[i].z;
  }
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
  cps_show_destroy(file);
  cps_show_destroy(world);
  cps_result_destroy(result);
  free_run(&run);
}

static void a_resumed_run_has_the_same_bits(void** state) {
  (void)state;
  uint64_t whole = write_frames(soft, scratch_path("whole.h5"), 0, 8);
  const char* parts = scratch_path("parts.h5");
  assert_true(write_frames(soft, parts, 0, 3) != whole);
  assert_true(write_frames(soft, parts, 3, 5) == whole);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_file_shows_what_the_world_shows),
      cmocka_unit_test(a_resumed_run_has_the_same_bits),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
