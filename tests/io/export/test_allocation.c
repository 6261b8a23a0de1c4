// Exports when memory runs out: a message, and nothing is left.
#include "failing_memory.h"

#include "capstan/export.h"
#include "folders.h"
#include "io/export/scenes.h"

enum { FRAMES = 3, ATTEMPTS = 4000 };

static int count_entries(void) {
  int count = 0;
  DIR* folder = opendir(scratch_folder);
  assert_non_null(folder);
  for (struct dirent* entry; (entry = readdir(folder));) count += entry->d_name[0] != '.';
  closedir(folder);
  return count;
}

static void an_export_that_fails_leaves_nothing(void** state) {
  (void)state;
  const char* result_path = scratch_path("r.h5");
  write_scene_result(touching_scene, result_path, FRAMES);
  CpsResult* result = NULL;
  CpsError error;
  assert_ok(cps_result_open(result_path, &result, &error), error);
  for (int format = 0; format < CPS_EXPORT_COUNT; ++format) {
    CpsExportOptions options = cps_export_options_default();
    options.format = (CpsExportFormat)format;
    options.around = 6;
    int refused = 0;
    allocation_failed = true;
    // the first are tried all, then one in seven
    for (int number = 0; allocation_failed; number += number < 150 ? 1 : 7) {
      assert_true(number < ATTEMPTS);
      const char* path = scratch_path("out");
      fail_allocation(number);
      CpsStatus status = cps_export(result, path, &options, NULL, &error);
      stop_failing();
      // a text that could not be read is taken for a damaged one, a file that could not be opened for one that cannot
      assert_true(status == CPS_OK || status == CPS_NO_MEMORY || status == CPS_BAD_FORMAT || status == CPS_FILE_ERROR);
      assert_true(status == CPS_OK || error.text[0] != '\0');
      refused += status != CPS_OK;
      if (status != CPS_OK) assert_int_equal(count_entries(), 1);
      remove_folder(path);
      remove_folder(scratch_path("out-vtp"));
      remove_folder(scratch_path("out-contacts.csv"));
    }
    assert_true(refused > 10);
  }
  cps_result_destroy(result);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_export_that_fails_leaves_nothing),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
