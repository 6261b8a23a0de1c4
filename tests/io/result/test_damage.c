// Results that are cut, changed or made by somebody else: a sentence, never a crash, and nothing is left open.
#include <fcntl.h>
#include <sys/stat.h>

#include "capstan/export.h"
#include "capstan/frame.h"
#include "core/random.h"
#include "io/result/runs.h"

static char whole[192], bad[192];

static unsigned char* read_file(const char* path, size_t* size) {
  struct stat facts;
  assert_int_equal(stat(path, &facts), 0);
  unsigned char* bytes = malloc((size_t)facts.st_size);
  int file = open(path, O_RDONLY);
  assert_true(bytes && file >= 0);
  assert_int_equal(read(file, bytes, (size_t)facts.st_size), facts.st_size);
  close(file);
  *size = (size_t)facts.st_size;
  return bytes;
}

static void write_file(const char* path, const unsigned char* bytes, size_t size) {
  int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  assert_true(file >= 0);
  assert_int_equal(write(file, bytes, size), (ssize_t)size);
  close(file);
}

// Whether a call succeeded; if not, there must be one sentence.
static bool went_well(CpsStatus status, const CpsError* error) {
  if (status == CPS_OK) return true;
  assert_true(status < 0 && error->text[0] != '\0');
  assert_null(strchr(error->text, '\n'));
  return false;
}

static char exported[192];

// What a damaged result shows may still be exported: what is tested is that nothing crashes.
static void export_everything(CpsResult* result) {
  static int turn = 0;
  CpsError error = {""};
  CpsExportOptions options = cps_export_options_default();
  static const CpsExportFormat FILES[] = {CPS_EXPORT_USDA, CPS_EXPORT_GLTF, CPS_EXPORT_CSV};
  options.format = FILES[turn++ % 3];
  options.around = 6;
  (void)went_well(cps_export(result, exported, &options, NULL, &error), &error);
}

// Reads all there is to read; true if nothing was refused.
static bool read_everything(const char* path, CpsWorld* world) {
  CpsResult* result = NULL;
  CpsError error = {""};
  bool sound = went_well(cps_result_open(path, &result, &error), &error);
  if (sound) {
    CpsResultInfo info = cps_result_info(result);
    CpsPose* poses = malloc(((size_t)info.bodies + 1) * sizeof *poses);
    double* values = malloc(((size_t)info.steps + 1) * sizeof *values);
    assert_true(poses && values);
    for (int64_t i = 0; i < info.frames && i < 20; ++i) {
      sound = went_well(cps_result_frame_poses(result, i, poses, &error), &error) && sound;
      sound = went_well(cps_result_load_frame(result, i, world, &error), &error) && sound;
    }
    CpsShow* show = NULL;
    sound = went_well(cps_show_result(result, &show, &error), &error) && sound;
    for (int64_t i = 0; show && i < info.frames && i < 20; ++i) {
      sound = went_well(cps_show_read(show, i, &error), &error) && sound;
    }
    cps_show_destroy(show);
    export_everything(result);
    sound = went_well(cps_result_series(result, "kinetic", values, &error), &error) && sound;
    sound = went_well(cps_result_series(result, "iterations", values, &error), &error) && sound;
    free(poses);
    free(values);
  }
  cps_result_destroy(result);
  assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
  return sound;
}

static int set_up(void** state) {
  if (make_scratch(state) != 0) return -1;
  snprintf(whole, sizeof whole, "%s", scratch_path("whole.h5"));
  snprintf(bad, sizeof bad, "%s", scratch_path("bad.h5"));
  snprintf(exported, sizeof exported, "%s", scratch_path("exported"));
  make_result(whole, 4);
  return 0;
}

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

// Nothing is checksummed, so a changed number may go unseen; what is tested is that nothing crashes.
static void changed_bytes_do_not_crash_the_reader(void** state) {
  (void)state;
  Run run;
  make_run(&run);
  size_t size = 0;
  unsigned char* bytes = read_file(whole, &size);
  CpsRandom random = cps_random_seed(11);
  int refused = 0;
  for (int i = 0; i < 300; ++i) {
    unsigned char old[3];
    size_t at[3];
    for (int k = 0; k < 3; ++k) {
      // where there is metadata: chunks of fresh results are mostly empty. Times of the clock differ from run to run, so
      // the place must not depend on bytes far away
      at[k] = cps_random_u32(&random) % size;
      while (bytes[at[k]] == 0) at[k] = (at[k] + 1) % size;
      old[k] = bytes[at[k]];
      bytes[at[k]] = (unsigned char)cps_random_u32(&random);
    }
    write_file(bad, bytes, size);
    refused += !read_everything(bad, run.world);
    for (int k = 2; k >= 0; --k) bytes[at[k]] = old[k];
  }
  assert_true(refused > 0);
  free(bytes);
  free_run(&run);
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
  set_number("format_version", true, 8);
  assert_refused(CPS_UNSUPPORTED, "was written by a newer version (format 8, this one reads up to 7)");
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
