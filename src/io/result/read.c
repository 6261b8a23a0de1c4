// Reading a result. Everything is checked before it is used: the file may be truncated, damaged or written by another program.
#include "capstan/result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "io/result/packed.h"
#include "io/result/reader.h"

#define ATTEMPTS 8      // attempts to open a growing file
#define PACKED_SINCE 4  // first format with packed states

bool cps_result_recognise(const char* path) {
  if (!path) return false;
  CpsResult result = {0};
  bool found = false;
  H5E_BEGIN_TRY {
    if (cps_h5_open(&result.h5, path, NULL) == CPS_OK) {
      found = cps_result_is_result(&result);
      cps_h5_close(&result.h5);
    }
  }
  H5E_END_TRY
  return found;
}

static CpsStatus open_once(const char* path, int64_t most_frames, CpsResult** result, CpsError* error) {
  CpsResult* made = calloc(1, sizeof *made);
  char* copy = malloc(strlen(path) + 1);
  if (!made || !copy) {
    free(made);
    free(copy);
    return cps_io_fail(error, CPS_NO_MEMORY, path, NULL, "out of memory");
  }
  made->path = strcpy(copy, path);
  made->most_frames = most_frames;
  CpsStatus status = CPS_OK;
  H5E_BEGIN_TRY {
    status = cps_h5_open(&made->h5, made->path, error);
    if (status == CPS_OK) status = cps_result_examine(made);
  }
  H5E_END_TRY
  if (status != CPS_OK) {
    cps_result_destroy(made);
    return status;
  }
  made->h5.error = NULL;
  *result = made;
  return CPS_OK;
}

// Whether a writer may be active.
static bool has_journal(const char* path) {
  size_t size = strlen(path) + sizeof ".journal";
  char* journal = malloc(size);
  if (!journal) return false;
  snprintf(journal, size, "%s.journal", path);
  bool found = access(journal, F_OK) == 0;
  free(journal);
  return found;
}

// The number of frames, read without anything else. INT64_MAX if there is no counter: the full check reports what is
// wrong.
static CpsStatus count_frames(const char* path, int64_t* frames, CpsError* error) {
  CpsResult look = {0};
  CpsStatus status = CPS_OK;
  *frames = INT64_MAX;
  H5E_BEGIN_TRY {
    status = cps_h5_open(&look.h5, path, error);
    if (status == CPS_OK) {
      look.h5.error = error;
      if (cps_h5_read_int(&look.h5, CPS_RESULT_COUNTER, frames) != CPS_OK) *frames = INT64_MAX;
      cps_h5_close(&look.h5);
    }
  }
  H5E_END_TRY
  return status;
}

// First the frames are counted, then the file is opened again for that many: all their data were written before the
// counter, so the second pass finds them however fast the writer is. A single pass would compare extents cached by
// HDF5 with a newer counter. HDF5 records the end of the file when it opens it and rejects data that a writer appends
// later, so a growing file may seem truncated to either pass. Both are then repeated after a pause that gives the
// processor to the writer.
static CpsStatus open_growing(const char* path, CpsResult** result, CpsError* error) {
  CpsStatus status = CPS_OK;
  for (int attempt = 0; attempt < ATTEMPTS; ++attempt) {
    const struct timespec pause = {.tv_nsec = attempt == 0 ? 0 : 500000L << attempt};
    if (attempt > 0) nanosleep(&pause, NULL);
    int64_t frames = 0;
    status = count_frames(path, &frames, error);
    if (status == CPS_OK) status = open_once(path, frames, result, error);
    if (status != CPS_BAD_FORMAT) break;
  }
  return status;
}

CpsStatus cps_result_open(const char* path, CpsResult** result, CpsError* error) {
  if (!path || !result) return cps_io_fail(error, CPS_BAD_ARGUMENT, "cps_result_open", NULL, "path or result is NULL");
  CpsResult* made = NULL;
  CpsStatus status = has_journal(path) ? open_growing(path, &made, error) : open_once(path, INT64_MAX, &made, error);
  if (status != CPS_OK) return status;
  *result = made;
  if (error) error->text[0] = '\0';
  return CPS_OK;
}

void cps_result_destroy(CpsResult* result) {
  if (!result) return;
  H5E_BEGIN_TRY {
    if (result->h5.path) cps_h5_close(&result->h5);
  }
  H5E_END_TRY
  free(result->path);
  free(result->title);
  free(result->scene_text);
  free(result->version);
  free(result->times);
  free(result->lines);
  free(result->sheets);
  cps_result_forget_parts(result);
  free(result);
}

CpsResultInfo cps_result_info(const CpsResult* result) {
  return result ? result->info : (CpsResultInfo){.title = "", .scene_text = "", .version = ""};
}

double cps_result_frame_time(const CpsResult* result, int64_t frame) {
  return result && frame >= 0 && frame < result->info.frames ? result->times[frame] : NAN;
}

// cps_result_rows() with HDF5's own messages disabled and the caller's error.
static CpsStatus rows(const CpsResult* result, int which, int64_t first, int64_t count, hid_t memory, void* values,
                      CpsError* error) {
  CpsResult with_error = *result;
  with_error.h5.error = error;
  CpsStatus status = CPS_OK;
  H5E_BEGIN_TRY {
    status = cps_result_rows(&with_error, which, first, count, memory, values);
  }
  H5E_END_TRY
  if (status == CPS_OK && error) error->text[0] = '\0';
  return status;
}

CpsStatus cps_result_check_frame(const CpsResult* result, int64_t frame, CpsError* error) {
  if (frame >= 0 && frame < result->info.frames) return CPS_OK;
  return cps_io_fail(error, CPS_BAD_ARGUMENT, result->path, NULL, "has no frame %lld, the last is %lld",
                     (long long)frame, (long long)result->info.frames - 1);
}

// Poses of one frame from a dataset.
static CpsStatus read_poses(const CpsResult* result, int which, int64_t frame, int32_t count, CpsPose* poses,
                            CpsError* error) {
  CpsStatus status = cps_result_check_frame(result, frame, error);
  if (status != CPS_OK) return status;
  double* values = malloc(((size_t)count * 7 + 1) * sizeof *values);
  if (!values) return cps_io_fail(error, CPS_NO_MEMORY, result->path, NULL, "out of memory");
  status = rows(result, which, frame, 1, H5T_NATIVE_DOUBLE, values, error);
  for (int32_t i = 0; status == CPS_OK && i < count; ++i) {
    const double* at = values + 7 * (size_t)i;
    poses[i] = (CpsPose){{at[0], at[1], at[2]}, {at[3], at[4], at[5], at[6]}};
  }
  free(values);
  return status;
}

CpsStatus cps_result_frame_poses(const CpsResult* result, int64_t frame, CpsPose* poses, CpsError* error) {
  if (!result || !poses) {
    return cps_io_fail(error, CPS_BAD_ARGUMENT, "cps_result_frame_poses", NULL, "result or poses is NULL");
  }
  return read_poses(result, CPS_FRAME_POSE, frame, result->info.bodies, poses, error);
}

CpsStatus cps_result_frame_obstacles(const CpsResult* result, int64_t frame, CpsPose* poses, CpsError* error) {
  if (!result || !poses) {
    return cps_io_fail(error, CPS_BAD_ARGUMENT, "cps_result_frame_obstacles", NULL, "result or poses is NULL");
  }
  return read_poses(result, CPS_FRAME_OBSTACLE_POSE, frame, result->info.obstacles, poses, error);
}

CpsResultLine cps_result_line(const CpsResult* result, int32_t i) {
  return result && i >= 0 && i < result->info.lines ? result->lines[i] : (CpsResultLine){0};
}

CpsStatus cps_result_frame_fibres(const CpsResult* result, int64_t frame, CpsVec3* points, CpsVec3* axes,
                                  CpsError* error) {
  if (!result || !points) {
    return cps_io_fail(error, CPS_BAD_ARGUMENT, "cps_result_frame_fibres", NULL, "result or points is NULL");
  }
  CpsStatus status = cps_result_check_frame(result, frame, error);
  if (status != CPS_OK || result->info.fibre_points == 0) return status;
  size_t count = (size_t)result->info.fibre_points;
  double* values = malloc(count * 3 * sizeof *values);
  if (!values) return cps_io_fail(error, CPS_NO_MEMORY, result->path, NULL, "out of memory");
  CpsVec3* const targets[2] = {points, axes};
  for (int k = 0; status == CPS_OK && k < (axes ? 2 : 1); ++k) {
    status = rows(result, CPS_FRAME_FIBRE_POINT + k, frame, 1, H5T_NATIVE_DOUBLE, values, error);
    for (size_t i = 0; status == CPS_OK && i < count; ++i) {
      targets[k][i] = (CpsVec3){values[3 * i], values[3 * i + 1], values[3 * i + 2]};
    }
  }
  free(values);
  return status;
}

// Appends at most `most` characters of a text, if there is room.
static void add_text(CpsError* error, const char* text, size_t most) {
  size_t length = strlen(error->text), room = sizeof error->text - 1 - length, wanted = strlen(text);
  if (wanted > most) wanted = most;
  if (wanted > room) wanted = room;
  memcpy(error->text + length, text, wanted);
  error->text[length + wanted] = '\0';
}

// The names of all series fit unless the unknown name is too long.
static CpsStatus fail_unknown(const char* name, CpsError* error) {
  if (!error) return CPS_BAD_ARGUMENT;
  error->text[0] = '\0';
  add_text(error, "'", 1);
  add_text(error, name, 8);
  add_text(error, "' is none of:", SIZE_MAX);
  for (int i = CPS_SERIES_FIRST; i < CPS_SERIES_FIRST + CPS_SERIES_COUNT; ++i) {
    const char* own = strrchr(cps_growing[i].name, '/') + 1;
    // the parts of a step and the series of format 4 are left out to save room
    if (strncmp(own, "seconds_", 8) == 0 || cps_growing[i].since >= PACKED_SINCE) continue;
    add_text(error, " ", 1);
    add_text(error, own, SIZE_MAX);
  }
  add_text(error, " ...", SIZE_MAX);
  return CPS_BAD_ARGUMENT;
}

CpsStatus cps_result_series(const CpsResult* result, const char* name, double* values, CpsError* error) {
  if (!result || !name || !values) {
    return cps_io_fail(error, CPS_BAD_ARGUMENT, "cps_result_series", NULL, "result, name or values is NULL");
  }
  if (strncmp(name, "force", 5) == 0) return cps_result_force_series(result, name, values, error);
  for (int i = CPS_SERIES_FIRST; i < CPS_SERIES_FIRST + CPS_SCALARS_COUNT; ++i) {
    if (strcmp(name, strrchr(cps_growing[i].name, '/') + 1) == 0) {
      if (i >= CPS_GRAIN_SERIES_FIRST && !cps_result_has(result, i)) return cps_result_no_grains(result, error);
      if (!cps_result_has(result, i)) {
        for (int64_t k = 0; k < result->info.steps; ++k) values[k] = 0.0;
        if (error) error->text[0] = '\0';
        return CPS_OK;
      }
      return rows(result, i, 0, result->info.steps, H5T_NATIVE_DOUBLE, values, error);
    }
  }
  return fail_unknown(name, error);
}

CpsStatus cps_result_load_frame(const CpsResult* result, int64_t frame, CpsWorld* world, CpsError* error) {
  if (!result || !world) {
    return cps_io_fail(error, CPS_BAD_ARGUMENT, "cps_result_load_frame", NULL, "result or world is NULL");
  }
  int64_t offset[2];
  CpsStatus status = cps_result_check_frame(result, frame, error);
  if (status == CPS_OK) status = rows(result, CPS_FRAME_STATE_OFFSET, frame, 2, H5T_NATIVE_INT64, offset, error);
  if (status != CPS_OK) return status;
  if (offset[0] < 0 || offset[1] < offset[0] || offset[1] > result->state_size) {
    return cps_io_fail(error, CPS_BAD_FORMAT, result->path, "/state/offset", "frame %lld points out of the file",
                       (long long)frame);
  }
  size_t size = (size_t)(offset[1] - offset[0]);
  void* bytes = malloc(size + 1);
  if (!bytes) return cps_io_fail(error, CPS_NO_MEMORY, result->path, NULL, "out of memory");
  status = rows(result, CPS_FRAME_STATE, offset[0], (int64_t)size, H5T_NATIVE_UINT8, bytes, error);
  if (status == CPS_OK && result->version_number >= PACKED_SINCE) {
    void* packed = bytes;
    bytes = NULL;
    status = cps_packed_read(packed, size, &bytes, &size);
    free(packed);
    if (status != CPS_OK) {
      cps_io_fail(error, status, result->path, "/state/bytes", "frame %lld: %s", (long long)frame,
                  status == CPS_NO_MEMORY ? "out of memory" : "is damaged");
    }
  }
  if (status == CPS_OK) {
    CpsError reason = {""};
    status = cps_world_load(world, bytes, size, &reason);
    if (status != CPS_OK) {
      cps_io_fail(error, status, result->path, "/state/bytes", "frame %lld: %s", (long long)frame, reason.text);
    }
  }
  free(bytes);
  return status;
}
