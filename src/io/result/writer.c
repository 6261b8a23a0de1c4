// The life of a result that is being written: made beside its place, moved in by its first frame, closed or finished.
#define _XOPEN_SOURCE 700  // ftruncate

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "io/result/writer.h"

CpsResultWriter* cps_result_writer_make(const char* path, const CpsScene* scene) {
  CpsResultWriter* writer = calloc(1, sizeof *writer);
  if (!writer) return NULL;
  CpsSceneInfo info = cps_scene_info(scene);
  writer->descriptor = -1;
  writer->journal.descriptor = -1;
  writer->file = writer->counter = writer->finished = -1;
  for (int i = 0; i < CPS_GROWING_COUNT; ++i) writer->dataset[i] = -1;
  writer->bodies = info.bodies;
  writer->obstacles = info.obstacles;
  writer->fibres = info.fibres;
  writer->sheets = info.sheets;
  writer->solids = info.solids;
  cps_result_count_vertices(writer, scene);
  cps_result_count_particles(writer, scene);
  writer->ties = info.ties;
  writer->with_contacts = info.output_contacts;
  writer->with_tension = info.output_tension;
  writer->with_velocity = info.output_velocity;
  writer->with_grain_stress = true;
  writer->path = malloc(strlen(path) + 1);
  writer->series = malloc(CPS_SCALARS_COUNT * sizeof *writer->series);
  writer->tensions = cps_tensions_create();
  if (!writer->path || !writer->series || !writer->tensions || !cps_fibre_lines_plan(&writer->lines, scene) ||
      !cps_result_plan_grains(writer, scene)) {
    cps_result_writer_free(writer, false);
    return NULL;
  }
  strcpy(writer->path, path);
  return writer;
}

void cps_result_writer_free(CpsResultWriter* writer, bool remove_journal) {
  H5E_BEGIN_TRY {
    for (int i = 0; i < CPS_GROWING_COUNT; ++i) {
      if (writer->dataset[i] >= 0) H5Dclose(writer->dataset[i]);
    }
    if (writer->counter >= 0) H5Dclose(writer->counter);
    if (writer->finished >= 0) H5Dclose(writer->finished);
    writer->ordered.dead = true;  // uncommitted data is dropped
    if (writer->file >= 0) H5Fclose(writer->file);
  }
  H5E_END_TRY
  cps_ordered_release(&writer->ordered);
  if (writer->descriptor >= 0) close(writer->descriptor);
  if (writer->part_path && writer->descriptor >= 0) unlink(writer->part_path);
  cps_journal_close(&writer->journal, remove_journal);
  free(writer->path);
  free(writer->part_path);
  free(writer->series);
  cps_result_forget_grains(writer);
  free(writer->buffer);
  cps_numbering_free(&writer->numbering);
  cps_fibre_lines_free(&writer->lines);
  cps_tensions_destroy(writer->tensions);
  free(writer);
}

// Until the first frame of a new result is safe, the journal may belong to the old one.
static bool journal_is_ours(const CpsResultWriter* writer) {
  struct stat facts;
  if (!writer->part_path) return !writer->ordered.dead;
  return writer->journal.descriptor >= 0 && fstat(writer->journal.descriptor, &facts) == 0 && facts.st_size == 0;
}

// Cuts every dataset after its valid rows. No space is allocated after this.
static void trim(CpsResultWriter* writer) {
  if (writer->part_path || writer->ordered.dead || writer->goes_on) return;
  for (int i = 0; i < CPS_GROWING_COUNT; ++i) {
    int64_t counted = i < CPS_SERIES_FIRST ? writer->rows[i] : writer->series_counted;
    if (writer->dataset[i] < 0 || writer->extent[i] == counted) continue;
    writer->extent[i] = counted;
    hsize_t extent[CPS_RANK_MOST] = {0};
    hid_t space = H5Dget_space(writer->dataset[i]);
    bool known = space >= 0 && H5Sget_simple_extent_dims(space, extent, NULL) >= 0;
    if (space >= 0) H5Sclose(space);
    extent[0] = (hsize_t)counted;
    if (!known || H5Dset_extent(writer->dataset[i], extent) < 0) return;
  }
  if (!cps_ordered_commit(&writer->ordered, writer->file, &writer->journal, writer->frame_count)) return;
  // remains of a frame that is not referenced
  haddr_t end = writer->ordered.end_of_addresses;
  if (end < writer->ordered.end_of_file && ftruncate(writer->descriptor, (off_t)end) == 0) {
    writer->ordered.end_of_file = end;
  }
}

void cps_result_close(CpsResultWriter* writer) {
  if (!writer) return;
  H5E_BEGIN_TRY {
    trim(writer);
  }
  H5E_END_TRY
  cps_result_writer_free(writer, journal_is_ours(writer));
}

CpsStatus cps_result_fail_write(const CpsResultWriter* writer, CpsError* error) {
  int reason = writer->ordered.reason;
  CpsStatus status = reason == ENOMEM ? CPS_NO_MEMORY : CPS_FILE_ERROR;
  if (writer->part_path) {
    return cps_io_fail(error, status, writer->path, NULL, "cannot be written: %s", strerror(reason));
  }
  return cps_io_fail(error, status, writer->path, NULL, "cannot be written: %s (%lld frame%s can be read)",
                     strerror(reason), (long long)writer->frame_count, writer->frame_count == 1 ? "" : "s");
}

void cps_result_give_up(CpsResultWriter* writer) {
  if (!writer->ordered.dead) writer->ordered.reason = ENOMEM;
  writer->ordered.dead = true;
}

static CpsStatus open_part(CpsResultWriter* writer, const CpsScene* scene, CpsError* error) {
  size_t size = strlen(writer->path) + sizeof ".part";
  writer->part_path = malloc(size);
  if (!writer->part_path) return cps_io_fail(error, CPS_NO_MEMORY, writer->path, NULL, "out of memory");
  snprintf(writer->part_path, size, "%s.part", writer->path);
  CpsStatus status = cps_journal_open(&writer->journal, writer->path, error);
  if (status != CPS_OK) return status;
  writer->descriptor = open(writer->part_path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (writer->descriptor < 0) {
    return cps_io_fail(error, CPS_FILE_ERROR, writer->path, NULL, "cannot be written: %s", strerror(errno));
  }
  writer->file = cps_ordered_open(&writer->ordered, writer->descriptor, true);
  if (writer->file >= 0 && cps_result_layout(writer, scene)) return CPS_OK;
  cps_result_give_up(writer);
  return cps_result_fail_write(writer, error);
}

CpsStatus cps_result_create(const char* path, const CpsScene* scene, CpsResultWriter** writer, CpsError* error) {
  if (!path || !scene || !writer) {
    return cps_io_fail(error, CPS_BAD_ARGUMENT, "cps_result_create", NULL, "path, scene or writer is NULL");
  }
  CpsStatus status = CPS_OK;
  char* target = cps_file_resolve(path, error, &status);
  if (!target) return status;
  CpsResultWriter* made = cps_result_writer_make(target, scene);
  free(target);
  if (!made) return cps_io_fail(error, CPS_NO_MEMORY, path, NULL, "out of memory");
  H5E_BEGIN_TRY {
    status = open_part(made, scene, error);
  }
  H5E_END_TRY
  if (status != CPS_OK) {
    cps_result_close(made);
    return status;
  }
  *writer = made;
  if (error) error->text[0] = '\0';
  return CPS_OK;
}

bool cps_result_write_number(hid_t dataset, int64_t value) {
  return H5Dwrite(dataset, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value) >= 0;
}

CpsStatus cps_result_finish(CpsResultWriter* writer, CpsError* error) {
  if (error) error->text[0] = '\0';
  if (!writer) return CPS_OK;
  CpsStatus status = CPS_OK;
  if (writer->frame_count == 0) {
    status = cps_io_fail(error, CPS_BAD_ARGUMENT, writer->path, NULL, "has no frame, and is not kept");
  } else if (writer->ordered.dead) {
    status = cps_result_fail_write(writer, error);
  } else {
    H5E_BEGIN_TRY {
      trim(writer);
      if (!cps_result_write_number(writer->finished, 1)) {
        cps_result_give_up(writer);
        status = cps_result_fail_write(writer, error);
      }
    }
    H5E_END_TRY
    if (status == CPS_OK && fsync(writer->descriptor) != 0 && errno != EINVAL) {
      writer->ordered.reason = errno;
      status = cps_result_fail_write(writer, error);
    }
  }
  cps_result_close(writer);
  return status;
}
