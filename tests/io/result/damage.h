// Results with changed bytes: read to the end, exported, shown. Shared by the tests of damage.
#ifndef CAPSTAN_TESTS_IO_RESULT_DAMAGE_H
#define CAPSTAN_TESTS_IO_RESULT_DAMAGE_H

#include <fcntl.h>
#include <sys/stat.h>

#include "capstan/export.h"
#include "capstan/frame.h"
#include "core/random.h"
#include "io/result/runs.h"

static char whole[192], bad[192];

static inline unsigned char* read_file(const char* path, size_t* size) {
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

static inline void write_file(const char* path, const unsigned char* bytes, size_t size) {
  int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  assert_true(file >= 0);
  assert_int_equal(write(file, bytes, size), (ssize_t)size);
  close(file);
}

// Whether a call succeeded; if not, there must be one message.
static inline bool went_well(CpsStatus status, const CpsError* error) {
  if (status == CPS_OK) return true;
  assert_true(status < 0 && error->text[0] != '\0');
  assert_null(strchr(error->text, '\n'));
  return false;
}

static char exported[192];

// What a damaged result shows may still be exported: what is tested is that nothing crashes.
static inline void export_everything(CpsResult* result) {
  static int turn = 0;
  CpsError error = {""};
  CpsExportOptions options = cps_export_options_default();
  static const CpsExportFormat FILES[] = {CPS_EXPORT_USDA, CPS_EXPORT_GLTF, CPS_EXPORT_CSV};
  options.format = FILES[turn++ % 3];
  options.around = 6;
  (void)went_well(cps_export(result, exported, &options, NULL, &error), &error);
}

// Reads all there is to read; true if nothing was refused.
static inline bool read_everything(const char* path, CpsWorld* world) {
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

static inline int set_up(void** state) {
  if (make_scratch(state) != 0) return -1;
  snprintf(whole, sizeof whole, "%s", scratch_path("whole.h5"));
  snprintf(bad, sizeof bad, "%s", scratch_path("bad.h5"));
  snprintf(exported, sizeof exported, "%s", scratch_path("exported"));
  make_result(whole, 4);
  return 0;
}

// Three bytes of the file are others, `count` times: how often it was refused. Superblock and headers carry checksums; trees of
// chunks and the data themselves do not, so that a changed number may go unseen. What is tested is that nothing crashes.
static inline int change_bytes(uint64_t seed, int count) {
  Run run;
  make_run(&run);
  size_t size = 0;
  unsigned char* bytes = read_file(whole, &size);
  CpsRandom random = cps_random_seed(seed);
  int refused = 0;
  for (int i = 0; i < count; ++i) {
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
  free(bytes);
  free_run(&run);
  return refused;
}

#endif
