// Names and materials as a result holds them, checked.
#include <stdlib.h>
#include <string.h>

#include "io/result/reader.h"

static CpsStatus damaged(const CpsResult* result, const char* name) {
  return cps_io_fail(result->h5.error, CPS_BAD_FORMAT, result->path, name, "is missing or damaged");
}

static CpsStatus no_memory(const CpsResult* result) {
  return cps_io_fail(result->h5.error, CPS_NO_MEMORY, result->path, NULL, "out of memory");
}

// Reads the texts of an open dataset of `count` strings and returns their length; 0 if it is something else or memory runs out.
static size_t read_texts(const CpsResult* result, hid_t dataset, int64_t* count, char** texts) {
  hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
  hsize_t extent = 0;
  size_t length = 0;
  bool sound = type >= 0 && space >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
               H5Sget_simple_extent_ndims(space) == 1 && H5Sget_simple_extent_dims(space, &extent, NULL) >= 0 &&
               extent < INT32_MAX;
  if (sound) {
    length = H5Tget_size(type);
    double bytes = (double)length * (double)extent;
    sound = length > 0 && bytes <= (double)result->h5.file_size && bytes <= (double)H5Dget_storage_size(dataset);
  }
  if (sound) {
    *texts = malloc(length * (size_t)extent + 1);
    *count = (int64_t)extent;
    if (!*texts || (extent > 0 && H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *texts) < 0)) sound = false;
  }
  if (space >= 0) H5Sclose(space);
  if (type >= 0) H5Tclose(type);
  return sound ? length : 0;
}

static CpsStatus keep(const CpsResult* result, CpsArena* memory, const char* texts, size_t length, int64_t count,
                      const char* const** names) {
  const char** all = CPS_TAKE(memory, const char*, count);
  char* room = CPS_TAKE(memory, char, count*((int64_t)length + 1));
  if (!all || !room) return no_memory(result);
  for (int64_t i = 0; i < count; ++i, room += length + 1) {
    memcpy(room, texts + (size_t)i * length, length);
    room[length] = '\0';
    all[i] = room;
  }
  *names = all;
  return CPS_OK;
}

CpsStatus cps_result_names(const CpsResult* result, const char* name, CpsArena* memory, const char* const** names,
                           int64_t* count) {
  hid_t dataset = cps_h5_has(&result->h5, name) ? H5Oopen(result->h5.file, name, result->h5.link_access) : -1;
  if (dataset < 0) return damaged(result, name);
  char* texts = NULL;
  size_t length = H5Iget_type(dataset) == H5I_DATASET ? read_texts(result, dataset, count, &texts) : 0;
  H5Oclose(dataset);
  CpsStatus status = length > 0 ? keep(result, memory, texts, length, *count, names) : damaged(result, name);
  free(texts);
  return status;
}

CpsStatus cps_result_materials(const CpsResult* result, const char* name, int32_t materials, CpsArena* memory,
                               const int32_t** numbers, int32_t count) {
  int32_t* all = CPS_TAKE_ZERO(memory, int32_t, count);
  if (!all) return no_memory(result);
  *numbers = all;
  if (!cps_result_has(result, CPS_CONTACT_RESIDUAL)) return CPS_OK;
  int64_t *values = NULL, rows = 0;
  CpsStatus status = cps_h5_read_ints(&result->h5, name, &values, &rows);
  bool sound = rows == count;
  for (int32_t i = 0; status == CPS_OK && sound && i < count; ++i) {
    sound = values[i] >= 0 && values[i] < materials;
    if (sound) all[i] = (int32_t)values[i];
  }
  free(values);
  if (status != CPS_OK) return status;
  return sound ? CPS_OK : damaged(result, name);
}
