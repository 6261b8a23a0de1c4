// Fibres in results: the lines that were simulated are those that are read, and a run goes on with the same bits.
#include <math.h>

#include "capstan/fibre.h"
#include "core/quat.h"
#include "io/h5py.h"
#include "io/result/older.h"
#include "io/result/runs.h"

static const char hairs[] =
    "title: hairs\n"
    "time: {step: 2 ms, end: 0.08 s}\n"
    "output: {frames: 4 ms}\n"
    "obstacles:\n"
    "  floor: {plane: , position: [0, 0, -0.05]}\n"
    "  head: {sphere: {radius: 3 cm}, motion: {sine: {amplitude: [0.01, 0, 0], frequency: 5 Hz}}}\n"
    "fibres:\n"
    "  locks:\n"
    "    {model: der, elements: 6, length: 15 cm, radius: 1 mm, young: 1 MPa, position: [0, 0, 4 cm],\n"
    "     root: {on: head}, contact_start: 2 cm, bundle: {count: 7, spacing: 2.5 mm}}\n"
    "  loose: {model: der, elements: 20, length: 10 cm, position: [0.1, 0.1, -0.04], radius: 2 mm}\n";

static void make_hairs(Run* run, const char* set) {
  *run = (Run){0};
  assert_ok(cps_scene_parse(hairs, strlen(hairs), "hairs.yaml", &set, set ? 1 : 0, &run->scene, &run->error),
            run->error);
  assert_ok(cps_scene_build(run->scene, 1, &run->world, &run->error), run->error);
}

static void make_hair_result(const char* path, const char* set, int64_t frames) {
  Run run;
  make_hairs(&run, set);
  start_run(&run, path);
  advance_to(&run, frames);
  assert_ok(cps_result_finish(run.writer, &run.error), run.error);
  free_run(&run);
}

// Points and axes are single precision: 6e-8 of a coordinate of 0.2 m, and twice that of a unit vector.
static void frames_hold_the_centrelines(void** state) {
  (void)state;
  const char* path = scratch_path("lines.h5");
  Run run;
  make_hairs(&run, NULL);
  start_run(&run, path);
  advance_to(&run, 11);
  assert_ok(cps_result_finish(run.writer, &run.error), run.error);
  CpsResult* result = NULL;
  assert_ok(cps_result_open(path, &result, &run.error), run.error);
  CpsResultInfo info = cps_result_info(result);
  assert_int_equal(info.fibres, 8);
  assert_int_equal(info.lines, 8);
  assert_int_equal(info.fibre_points, 7 * 25 + 64);
  CpsVec3 points[7 * 25 + 64], axes[7 * 25 + 64];
  assert_ok(cps_result_frame_fibres(result, info.frames - 1, points, axes, &run.error), run.error);
  for (int32_t i = 0; i < 8; ++i) {
    CpsResultLine line = cps_result_line(result, i);
    assert_int_equal(line.fibre, i);
    assert_int_equal(line.branch, -1);
    assert_int_equal(line.count, i < 7 ? 25 : 64);
    assert_int_equal(line.first, 25 * i);
    assert_true(line.radius == (i < 7 ? 1e-3 : 2e-3));
    double length = i < 7 ? 0.15 : 0.1;
    for (int32_t k = 0; k < line.count; ++k) {
      CpsFibrePoint point;
      CpsFibreId id = cps_world_fibre(run.world, i);
      assert_int_equal(cps_world_fibre_at(run.world, id, length * k / (line.count - 1), &point), CPS_OK);
      CpsVec3 axis = cps_quat_rotate(point.frame, cps_vec3(0.0, 1.0, 0.0));
      assert_true(cps_vec3_norm(cps_vec3_sub(points[line.first + k], point.position)) < 2e-8);
      assert_true(cps_vec3_norm(cps_vec3_sub(axes[line.first + k], axis)) < 2e-7);
    }
  }
  assert_ok(cps_result_frame_fibres(result, 0, points, NULL, &run.error), run.error);
  assert_int_equal(cps_result_frame_fibres(result, 99, points, NULL, &run.error), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_result_line(result, 8).count, 0);
  cps_result_destroy(result);
  const char* python = python_with_h5py();
  if (python) check_with_h5py(python, path);
  free_run(&run);
}

// The elastic energy, crossings and parts of a step are series, and books close with the elastic energy.
static void series_of_fibres_are_kept(void** state) {
  (void)state;
  const char* path = scratch_path("series.h5");
  make_hair_result(path, NULL, 11);
  CpsResult* result = NULL;
  CpsError error;
  assert_ok(cps_result_open(path, &result, &error), error);
  double values[20], parts[5][20];
  static const char* const PARTS[] = {"seconds_predict", "seconds_detect", "seconds_assemble", "seconds_solve",
                                      "seconds_advance"};
  assert_int_equal(cps_result_info(result).steps, 20);
  assert_ok(cps_result_series(result, "elastic", values, &error), error);
  assert_true(values[19] > 0.0);
  assert_ok(cps_result_series(result, "crossings", values, &error), error);
  for (int i = 0; i < 20; ++i) assert_true(values[i] >= 0.0);
  for (int k = 0; k < 5; ++k) assert_ok(cps_result_series(result, PARTS[k], parts[k], &error), error);
  assert_ok(cps_result_series(result, "seconds", values, &error), error);
  for (int i = 0; i < 20; ++i) {
    double sum = 0.0;
    for (int k = 0; k < 5; ++k) sum += parts[k][i];
    assert_true(sum > 0.0 && sum <= values[i] * (1.0 + 1e-9));
  }
  cps_result_destroy(result);
}

static void check_resumed(const char* set) {
  const char *whole = scratch_path("whole.h5"), *parts = scratch_path("parts.h5");
  make_hair_result(whole, set, 11);
  Run run;
  make_hairs(&run, set);
  start_run(&run, parts);
  advance_to(&run, 4);
  cps_result_close(run.writer);
  free_run(&run);
  make_hairs(&run, set);
  resume_run(&run, parts);
  advance_to(&run, 11);
  uint64_t hash = cps_world_hash(run.world);
  assert_ok(cps_result_finish(run.writer, &run.error), run.error);
  free_run(&run);
  assert_same_content(whole, parts);
  CpsResult* result = NULL;
  assert_ok(cps_result_open(whole, &result, &run.error), run.error);
  assert_true(cps_result_info(result).hash == hash);
  cps_result_destroy(result);
}

// Also with what frames hold only where the scene asks for it.
static void a_resumed_run_of_fibres_gives_the_same_file(void** state) {
  (void)state;
  check_resumed("output.tension=true");
  check_resumed("output.velocity=true");
}

// Contacts between fibres and with the floor name them, and where along them.
static void contacts_name_fibres_and_arc_lengths(void** state) {
  (void)state;
  const char* path = scratch_path("contacts.h5");
  make_hair_result(path, NULL, 20);
  const char* python = python_with_h5py();
  if (python) check_with_h5py(python, path);
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  hid_t thing = H5Dopen2(file, "/contacts/thing", H5P_DEFAULT), place = H5Dopen2(file, "/contacts/place", H5P_DEFAULT);
  hid_t space = H5Dget_space(thing);
  hsize_t extent[3];
  H5Sget_simple_extent_dims(space, extent, NULL);
  assert_true(extent[0] > 0);
  int32_t(*things)[2] = malloc((extent[0] * 2 + 1) * sizeof *things);
  double(*places)[3] = malloc((extent[0] * 2 + 1) * sizeof *places);
  assert_true(H5Dread(thing, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, things) >= 0);
  assert_true(H5Dread(place, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, places) >= 0);
  int loose = 0, floor = 0;
  for (hsize_t i = 0; i < 2 * extent[0]; ++i) {
    floor += things[i][0] == CPS_THING_OBSTACLE;
    if (things[i][0] != CPS_THING_FIBRE) continue;
    const double s = places[i][0];
    loose += things[i][1] == 7;
    assert_true(s >= 0.0 && s <= (things[i][1] == 7 ? 0.1 : 0.15) && places[i][1] == 0.0 && places[i][2] == 0.0);
    // contact_start, rounded up to a joint: segments of 2.5 cm
    if (things[i][1] < 7) assert_true(s >= 0.025 - 1e-9);
  }
  assert_true(loose > 0 && floor > 0);
  free(things);
  free(places);
  H5Sclose(space);
  H5Dclose(thing);
  H5Dclose(place);
  H5Fclose(file);
}

// A tree has a line for its trunk and one for each branch, which begins where its parent says.
static void the_branches_of_a_tree_are_lines(void** state) {
  (void)state;
  static const char TREE[] =
      "fibres:\n"
      "  oak: {model: super-helix-recursive, elements: 4, length: 1, root: clamped, branches: [\n"
      "        {at: 1, length: 0.5, radius: 1 mm, elements: 3, rotation: {axis: [0, 0, 1], angle: 90 deg}},\n"
      "        {parent: 0, at: 2, length: 0.25, radius: 0.1 mm, elements: 2}]}\n";
  const char* path = scratch_path("tree.h5");
  Run run = {0};
  assert_ok(cps_scene_parse(TREE, strlen(TREE), "tree.yaml", NULL, 0, &run.scene, &run.error), run.error);
  assert_ok(cps_scene_build(run.scene, 1, &run.world, &run.error), run.error);
  start_run(&run, path);
  assert_ok(cps_result_finish(run.writer, &run.error), run.error);
  CpsResult* result = NULL;
  assert_ok(cps_result_open(path, &result, &run.error), run.error);
  CpsResultInfo info = cps_result_info(result);
  assert_int_equal(info.fibres, 1);
  assert_int_equal(info.lines, 3);
  static const int32_t COUNTS[] = {17, 13, 9};
  static const CpsVec3 ENDS[3][2] = {
      {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}}, {{0.5, 0.0, 0.0}, {0.5, 0.5, 0.0}}, {{0.5, 0.5, 0.0}, {0.5, 0.75, 0.0}}};
  CpsVec3 points[17 + 13 + 9];
  assert_int_equal(info.fibre_points, 17 + 13 + 9);
  assert_ok(cps_result_frame_fibres(result, 0, points, NULL, &run.error), run.error);
  for (int32_t i = 0; i < 3; ++i) {
    CpsResultLine line = cps_result_line(result, i);
    assert_int_equal(line.branch, i - 1);
    assert_int_equal(line.count, COUNTS[i]);
    // single precision, and 1e-9 of the length that keeps arc lengths of neighbours apart
    assert_true(cps_vec3_norm(cps_vec3_sub(points[line.first], ENDS[i][0])) < 1e-7);
    assert_true(cps_vec3_norm(cps_vec3_sub(points[line.first + line.count - 1], ENDS[i][1])) < 1e-7);
  }
  assert_true(cps_result_line(result, 2).radius == 1e-4);
  cps_result_destroy(result);
  free_run(&run);
}

static void the_scene_chooses_the_points(void** state) {
  (void)state;
  const char* path = scratch_path("few.h5");
  Run run;
  make_hairs(&run, "output.fibre_points=3");
  start_run(&run, path);
  assert_ok(cps_result_finish(run.writer, &run.error), run.error);
  CpsResult* result = NULL;
  assert_ok(cps_result_open(path, &result, &run.error), run.error);
  assert_int_equal(cps_result_info(result).fibre_points, 24);
  cps_result_destroy(result);
  free_run(&run);
}

// Shapes come back as they were, for those who draw.
static void parts_of_shapes_are_read_back(void** state) {
  (void)state;
  const char* path = scratch_path("parts-of.h5");
  make_result(path, 2);
  CpsResult* result = NULL;
  CpsError error;
  assert_ok(cps_result_open(path, &result, &error), error);
  const CpsResultPart* parts = NULL;
  int32_t count = 0;
  assert_ok(cps_result_parts(result, &parts, &count, &error), error);
  assert_int_equal(count, 7);
  assert_true(parts[0].shape.kind == CPS_SHAPE_SPHERE && parts[0].shape.radius == 0.1 && !parts[0].is_obstacle);
  assert_true(parts[3].shape.kind == CPS_SHAPE_BOX && parts[3].owner == 3 && parts[4].owner == 3);
  assert_true(parts[4].shape.kind == CPS_SHAPE_CAPSULE && parts[4].pose.position.z == 0.06);
  assert_true(parts[5].is_obstacle && parts[5].owner == 0 && parts[5].shape.kind == CPS_SHAPE_PLANE);
  assert_true(parts[6].shape.size.x == 4.0 && parts[6].owner == 1);
  CpsPose poses[2];
  assert_ok(cps_result_frame_obstacles(result, 1, poses, &error), error);
  assert_true(poses[1].position.z == 0.05);
  cps_result_destroy(result);
}

// Files of the format before fibres can be read: nothing of what came later is looked for.
static void results_of_the_first_format_are_read(void** state) {
  (void)state;
  static const char* const LATER[] = {"/fibres",
                                      "/frames/fibre_point",
                                      "/frames/fibre_axis",
                                      "/totals/crossings",
                                      "/steps/elastic",
                                      "/steps/crossings",
                                      "/steps/seconds_predict",
                                      "/steps/seconds_assemble",
                                      "/steps/seconds_advance",
                                      "/contacts/residual",
                                      "/materials",
                                      "/bodies/material",
                                      "/obstacles/material"};
  static const char* const WITHOUT = "fibres={}";
  const char* path = scratch_path("old.h5");
  Run run = {0};
  assert_ok(cps_scene_parse(small_scene, strlen(small_scene), "small.yaml", &WITHOUT, 1, &run.scene, &run.error),
            run.error);
  assert_ok(cps_scene_build(run.scene, 1, &run.world, &run.error), run.error);
  start_run(&run, path);
  advance_to(&run, 3);
  assert_ok(cps_result_finish(run.writer, &run.error), run.error);
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  for (size_t i = 0; i < sizeof LATER / sizeof LATER[0]; ++i) {
    assert_true(H5Ldelete(file, LATER[i], H5P_DEFAULT) >= 0);
  }
  make_older(file, 1);
  H5Fclose(file);
  CpsResult* result = NULL;
  assert_ok(cps_result_open(path, &result, &run.error), run.error);
  assert_int_equal(cps_result_info(result).fibres, 0);
  assert_int_equal(cps_result_info(result).totals.crossings, 0);
  double values[4] = {1.0, 1.0, 1.0, 1.0};
  assert_ok(cps_result_series(result, "elastic", values, &run.error), run.error);
  assert_true(values[3] == 0.0);
  CpsVec3 none;
  assert_ok(cps_result_frame_fibres(result, 1, &none, NULL, &run.error), run.error);
  cps_result_destroy(result);
  assert_int_equal(cps_result_resume(path, run.scene, run.world, &run.totals, &run.writer, &run.error),
                   CPS_UNSUPPORTED);
  assert_non_null(strstr(run.error.text, "was written in an older format (1) and cannot be resumed"));
  free_run(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(frames_hold_the_centrelines),
      cmocka_unit_test(series_of_fibres_are_kept),
      cmocka_unit_test(a_resumed_run_of_fibres_gives_the_same_file),
      cmocka_unit_test(contacts_name_fibres_and_arc_lengths),
      cmocka_unit_test(the_branches_of_a_tree_are_lines),
      cmocka_unit_test(the_scene_chooses_the_points),
      cmocka_unit_test(parts_of_shapes_are_read_back),
      cmocka_unit_test(results_of_the_first_format_are_read),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
