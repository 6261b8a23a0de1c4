// Resuming a result: an interrupted write is completed from the journal, or is overwritten.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "io/result/reader.h"
#include "io/result/writer.h"

static CpsStatus fail_errno(const CpsResultWriter* writer, int reason, CpsError* error) {
  return cps_io_fail(error, reason == ENOMEM ? CPS_NO_MEMORY : CPS_FILE_ERROR, writer->path, NULL,
                     "cannot be written: %s", strerror(reason));
}

// Refuses a result of another scene before anything is changed. The id of the run makes the journal readable.
static CpsStatus check_same_scene(CpsResultWriter* writer, const CpsScene* scene, CpsError* error) {
  CpsResult* result = NULL;
  CpsStatus status = cps_result_open(writer->path, &result, error);
  if (status != CPS_OK) return status;
  writer->run = result->run;
  if (strcmp(result->info.scene_text, cps_scene_info(scene).text) != 0) {
    status = cps_io_fail(error, CPS_BAD_DATA, writer->path, NULL,
                         "was made from another scene or with other settings (title '%.40s'), and cannot be resumed",
                         result->info.title);
  } else if (result->info.bodies != writer->bodies || result->info.obstacles != writer->obstacles ||
             result->info.fibres != writer->fibres || result->info.fibre_points != writer->lines.point_count ||
             (result->version_number == CPS_RESULT_FORMAT_VERSION && result->info.ties != writer->ties)) {
    status = cps_io_fail(error, CPS_BAD_DATA, writer->path, NULL,
                         "has %d bodies, %d obstacles and %d fibres, the scene now makes others, and cannot be resumed",
                         (int)result->info.bodies, (int)result->info.obstacles, (int)result->info.fibres);
  } else if (result->version_number < CPS_RESULT_FORMAT_VERSION) {
    status =
        cps_io_fail(error, CPS_UNSUPPORTED, writer->path, NULL,
                    "was written in an older format (%lld) and cannot be resumed", (long long)result->version_number);
  }
  cps_result_destroy(result);
  return status;
}

static bool open_datasets(CpsResultWriter* writer) {
  hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
  bool done = access >= 0 && H5Pset_chunk_cache(access, 0, 0, 0.0) >= 0;
  // a result keeps its initial settings
  writer->with_tension = H5Lexists(writer->file, cps_growing[CPS_FRAME_FIBRE_TENSION].name, H5P_DEFAULT) > 0;
  writer->with_velocity = H5Lexists(writer->file, cps_growing[CPS_FRAME_FIBRE_VELOCITY].name, H5P_DEFAULT) > 0;
  writer->with_grain_stress = H5Lexists(writer->file, cps_growing[CPS_FRAME_GRAIN_STRESS].name, H5P_DEFAULT) > 0;
  writer->grains.there =
      writer->grains.there && H5Lexists(writer->file, cps_growing[CPS_STEP_BODY_FORCE].name, H5P_DEFAULT) > 0;
  for (int i = 0; done && i < CPS_GROWING_COUNT; ++i) {
    if (!cps_result_writes(writer, i)) continue;
    writer->dataset[i] = H5Dopen2(writer->file, cps_growing[i].name, access);
    done = writer->dataset[i] >= 0;
  }
  if (access >= 0) H5Pclose(access);
  writer->counter = H5Dopen2(writer->file, CPS_RESULT_COUNTER, H5P_DEFAULT);
  writer->finished = H5Dopen2(writer->file, CPS_RESULT_FINISHED, H5P_DEFAULT);
  return done && writer->counter >= 0 && writer->finished >= 0;
}

// Removes temporary files of a run that was killed before its first frame.
static void remove_part(const CpsResultWriter* writer) {
  size_t size = strlen(writer->path) + sizeof ".part";
  char* part = malloc(size);
  if (!part) return;
  snprintf(part, size, "%s.part", writer->path);
  unlink(part);
  free(part);
}

// Completes a frame that is recorded in the journal, then opens the file for writing.
static CpsStatus open_for_writing(CpsResultWriter* writer, CpsError* error) {
  CpsStatus status = cps_journal_open(&writer->journal, writer->path, error);
  if (status != CPS_OK) return status;
  remove_part(writer);
  writer->journal.run = writer->run;
  writer->descriptor = open(writer->path, O_RDWR | O_CLOEXEC);
  if (writer->descriptor < 0) return fail_errno(writer, errno, error);
  int64_t recorded = -1, counted = 0;
  if (!cps_journal_replay(&writer->journal, writer->descriptor, &recorded)) {
    return fail_errno(writer, writer->journal.reason, error);
  }
  writer->file = cps_ordered_open(&writer->ordered, writer->descriptor, false);
  if (writer->file < 0 || !open_datasets(writer) ||
      H5Dread(writer->counter, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &counted) < 0) {
    return cps_io_fail(error, CPS_BAD_FORMAT, writer->path, NULL, "is damaged, or memory is short");
  }
  if (recorded == counted + 1 &&
      H5Dwrite(writer->counter, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &recorded) < 0) {
    return fail_errno(writer, writer->ordered.reason, error);
  }
  return CPS_OK;
}

// The next rows follow the valid ones and overwrite the others. A dropped frame is valid until the next one is
// written; the scalars of the steps before it stay.
static CpsStatus find_places(CpsResultWriter* writer, const CpsResult* result, bool drop, CpsError* error) {
  CpsResult kept = *result;
  kept.h5.error = error;
  if (drop) {
    int64_t last = --kept.info.frames;
    CpsStatus status = cps_result_rows(&kept, CPS_FRAME_CONTACT_OFFSET, last, 1, H5T_NATIVE_INT64, &kept.contact_count);
    if (status == CPS_OK) {
      status = cps_result_rows(&kept, CPS_FRAME_STATE_OFFSET, last, 1, H5T_NATIVE_INT64, &kept.state_size);
    }
    if (status != CPS_OK) return status;
    if (kept.contact_count < 0 || kept.contact_count > result->contact_count || kept.state_size < 0 ||
        kept.state_size > result->state_size) {
      return cps_io_fail(error, CPS_BAD_FORMAT, writer->path, "/state/offset", "is damaged");
    }
  }
  writer->frame_count = kept.info.frames;
  writer->series_counted = kept.info.steps;
  writer->goes_on = drop || result->info.finished;
  for (int i = 0; i < CPS_GROWING_COUNT; ++i) {
    hsize_t extent[CPS_RANK_MOST] = {0};
    if (writer->dataset[i] < 0) continue;
    hid_t space = H5Dget_space(writer->dataset[i]);
    bool known = space >= 0 && H5Sget_simple_extent_dims(space, extent, NULL) >= 0;
    if (space >= 0) H5Sclose(space);
    if (!known) return fail_errno(writer, ENOMEM, error);
    writer->extent[i] = (int64_t)extent[0];
    writer->rows[i] = cps_result_counted(&kept, i);
  }
  return CPS_OK;
}

static CpsStatus resume(CpsResultWriter* writer, const CpsScene* scene, CpsWorld* world, CpsRunTotals* totals,
                        CpsError* error) {
  CpsStatus status = check_same_scene(writer, scene, error);
  if (status == CPS_OK) status = open_for_writing(writer, error);
  CpsResult* result = NULL;
  if (status == CPS_OK) status = cps_result_open(writer->path, &result, error);
  if (status == CPS_OK) status = find_places(writer, result, false, error);
  if (status == CPS_OK) status = cps_result_load_frame(result, result->info.frames - 1, world, error);
  if (status == CPS_OK) *totals = result->info.totals;
  cps_result_destroy(result);
  return status;
}

CpsStatus cps_result_resume(const char* path, const CpsScene* scene, CpsWorld* world, CpsRunTotals* totals,
                            CpsResultWriter** writer, CpsError* error) {
  if (!path || !scene || !world || !totals || !writer) {
    return cps_io_fail(error, CPS_BAD_ARGUMENT, "cps_result_resume", NULL,
                       "path, scene, world, totals or writer is NULL");
  }
  if (access(path, F_OK) != 0 && errno == ENOENT) return cps_io_fail(error, CPS_FILE_ERROR, path, NULL, "not found");
  CpsStatus status = CPS_OK;
  char* target = cps_file_resolve(path, error, &status);
  if (!target) return status;
  CpsResultWriter* made = cps_result_writer_make(target, scene);
  free(target);
  if (!made) return cps_io_fail(error, CPS_NO_MEMORY, path, NULL, "out of memory");
  H5E_BEGIN_TRY {
    status = resume(made, scene, world, totals, error);
  }
  H5E_END_TRY
  if (status != CPS_OK) {
    // the journal may be needed to complete the last frame
    cps_result_writer_free(made, false);
    return status;
  }
  *writer = made;
  if (error) error->text[0] = '\0';
  return CPS_OK;
}

static CpsStatus drop_frame(CpsResultWriter* writer, CpsError* error) {
  CpsResult* result = NULL;
  CpsStatus status = cps_result_open(writer->path, &result, error);
  if (status == CPS_OK) status = find_places(writer, result, true, error);
  cps_result_destroy(result);
  return status;
}

CpsStatus cps_result_drop_frame(CpsResultWriter* writer, CpsError* error) {
  if (!writer || writer->part_path || writer->frame_count < 2 ||
      writer->rows[CPS_SERIES_FIRST] > writer->series_counted || writer->series_count > 0) {
    return cps_io_fail(error, CPS_BAD_ARGUMENT, "cps_result_drop_frame", NULL,
                       "writer is NULL, has not two frames to drop one of, or has steps after the last");
  }
  CpsStatus status = CPS_OK;
  H5E_BEGIN_TRY {
    status = drop_frame(writer, error);
  }
  H5E_END_TRY
  if (status == CPS_OK && error) error->text[0] = '\0';
  return status;
}
