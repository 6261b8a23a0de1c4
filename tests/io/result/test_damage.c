// Results that are cut, changed or made by somebody else: a message, never a crash, and nothing is left open.
#include "io/result/damage.h"

static void a_result_cut_at_any_length_is_refused(void** state) {
  (void)state;
  Run run;
  make_run(&run);
  size_t size = 0;
  unsigned char* bytes = read_file(whole, &size);
  int tried = 0;
  for (size_t length = 0; length < size; length = length < 2000 ? length + 97 : length + size / 150, ++tried) {
    write_file(bad, bytes, length);
    assert_false(read_everything(bad, run.world));
    assert_false(cps_result_recognise(bad));
    CpsResultWriter* writer = NULL;
    assert_true(cps_result_resume(bad, run.scene, run.world, &run.totals, &writer, &run.error) < 0);
  }
  assert_true(tried > 100);
  write_file(bad, bytes, size);
  assert_true(read_everything(bad, run.world));
  free(bytes);
  free_run(&run);
}

static void changed_bytes_do_not_crash_the_reader(void** state) {
  (void)state;
  assert_true(change_bytes(11, 300) > 0);
}

static void set_number(const char* name, bool attribute, int64_t value) {
  hid_t file = H5Fopen(bad, H5F_ACC_RDWR, H5P_DEFAULT);
  hid_t id = attribute ? H5Aopen(file, name, H5P_DEFAULT) : H5Dopen2(file, name, H5P_DEFAULT);
  assert_true(file >= 0 && id >= 0);
  if (attribute) {
    assert_true(H5Awrite(id, H5T_NATIVE_INT64, &value) >= 0);
    H5Aclose(id);
  } else {
    assert_true(H5Dwrite(id, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value) >= 0);
    H5Dclose(id);
  }
  H5Fclose(file);
}

static void assert_refused(CpsStatus wanted, const char* words) {
  CpsResult* result = NULL;
  CpsError error = {""};
  CpsStatus status = cps_result_open(bad, &result, &error);
  if (status != wanted || !strstr(error.text, words)) print_error("status %d: %s\n", status, error.text);
  assert_int_equal(status, wanted);
  assert_non_null(strstr(error.text, words));
  assert_null(result);
}

static void fresh_copy(void) {
  size_t size = 0;
  unsigned char* bytes = read_file(whole, &size);
  write_file(bad, bytes, size);
  free(bytes);
}

static void drop(const char* name) {
  fresh_copy();
  hid_t file = H5Fopen(bad, H5F_ACC_RDWR, H5P_DEFAULT);
  assert_true(H5Ldelete(file, name, H5P_DEFAULT) >= 0);
  H5Fclose(file);
}

static void what_is_wrong_is_said(void** state) {
  (void)state;
  fresh_copy();
  set_number("format_version", true, 9);
  assert_refused(CPS_UNSUPPORTED, "was written by a newer version (format 9, this one reads up to 8)");
  assert_true(cps_result_recognise(bad));
  fresh_copy();
  set_number("frame_count", false, 5);
  assert_refused(CPS_BAD_FORMAT, "does not hold the 5 rows that are counted");
  set_number("frame_count", false, INT64_MAX);
  assert_refused(CPS_BAD_FORMAT, "/frame_count: is missing or damaged");
  set_number("frame_count", false, -1);
  assert_refused(CPS_BAD_FORMAT, "/frame_count: is missing or damaged");
  set_number("frame_count", false, 0);
  assert_refused(CPS_BAD_FORMAT, "has no complete frame");
  drop("/frames/pose");
  assert_refused(CPS_BAD_FORMAT, "/frames/pose: is missing or damaged");
  drop("/steps/nu");
  assert_refused(CPS_BAD_FORMAT, "/steps/nu: is missing or damaged");
  drop("/scene");
  assert_refused(CPS_BAD_FORMAT, "/scene: is missing or damaged");
  fresh_copy();
  hid_t file = H5Fopen(bad, H5F_ACC_RDWR, H5P_DEFAULT);
  assert_true(H5Adelete(file, "format") >= 0);
  H5Fclose(file);
  assert_refused(CPS_BAD_FORMAT, "is an HDF5 file but not a result of a simulation");
  assert_false(cps_result_recognise(bad));
  assert_false(cps_result_recognise(scratch_path("nowhere.h5")));
  assert_false(cps_result_recognise(NULL));
}

// The state of a frame belongs to a world of as many bodies.
static void a_state_does_not_fit_another_world(void** state) {
  (void)state;
  Run run;
  make_run(&run);
  assert_int_equal(cps_world_remove_body(run.world, cps_world_body(run.world, 0), &run.error), CPS_OK);
  CpsResult* result = NULL;
  assert_ok(cps_result_open(whole, &result, &run.error), run.error);
  uint64_t before = cps_world_hash(run.world);
  assert_true(cps_result_load_frame(result, 1, run.world, &run.error) < 0);
  assert_non_null(strstr(run.error.text, "/state/bytes: frame 1: "));
  assert_true(cps_world_hash(run.world) == before);
  cps_result_destroy(result);
  free_run(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_result_cut_at_any_length_is_refused),
      cmocka_unit_test(changed_bytes_do_not_crash_the_reader),
      cmocka_unit_test(what_is_wrong_is_said),
      cmocka_unit_test(a_state_does_not_fit_another_world),
  };
  return cmocka_run_group_tests(tests, set_up, remove_scratch);
}
