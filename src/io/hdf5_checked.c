#include "io/hdf5_checked.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/wary_file.h"

// deflate compresses at most by a factor of about 1032: datasets that claim more are invalid
#define LARGEST_EXPANSION 1100

static herr_t refuse_external_link(const char* parent_file, const char* parent_group, const char* child_file,
                                   const char* child_object, unsigned* flags, hid_t file_access, void* data) {
  (void)parent_file, (void)parent_group, (void)child_file, (void)child_object;
  (void)flags, (void)file_access, (void)data;
  return -1;
}

CpsStatus cps_h5_open(CpsH5* h5, const char* path, CpsError* error) {
  *h5 = (CpsH5){.path = path, .error = error, .file = -1, .link_access = -1, .dataset_access = -1};
  struct stat facts;
  if (stat(path, &facts) != 0) return cps_io_fail(error, CPS_FILE_ERROR, path, NULL, "%s", strerror(errno));
  if (S_ISDIR(facts.st_mode)) return cps_io_fail(error, CPS_FILE_ERROR, path, NULL, "is a directory");
  if (!S_ISREG(facts.st_mode)) return cps_io_fail(error, CPS_FILE_ERROR, path, NULL, "is not a regular file");
  if (access(path, R_OK) != 0) return cps_io_fail(error, CPS_FILE_ERROR, path, NULL, "%s", strerror(errno));
  if (H5Fis_hdf5(path) <= 0) return cps_io_fail(error, CPS_BAD_FORMAT, path, NULL, "is not an HDF5 file");
  h5->file_size = (int64_t)facts.st_size;
  bool out_of_memory = false;
  h5->file = cps_wary_open(path, &out_of_memory);
  if (h5->file < 0) {
    if (out_of_memory) return cps_io_fail(error, CPS_NO_MEMORY, path, NULL, "out of memory");
    return cps_io_fail(error, CPS_BAD_FORMAT, path, NULL, "is an HDF5 file but truncated or damaged");
  }
  h5->link_access = H5Pcreate(H5P_LINK_ACCESS);
  h5->dataset_access = H5Pcreate(H5P_DATASET_ACCESS);
  if (h5->link_access < 0 || H5Pset_elink_cb(h5->link_access, refuse_external_link, NULL) < 0 ||
      h5->dataset_access < 0 || H5Pset_elink_cb(h5->dataset_access, refuse_external_link, NULL) < 0 ||
      H5Pset_chunk_cache(h5->dataset_access, 0, 0, 0.0) < 0) {
    cps_h5_close(h5);
    return cps_io_fail(error, CPS_NO_MEMORY, path, NULL, "out of memory");
  }
  return CPS_OK;
}

void cps_h5_close(CpsH5* h5) {
  if (h5->link_access >= 0) H5Pclose(h5->link_access);
  if (h5->dataset_access >= 0) H5Pclose(h5->dataset_access);
  if (h5->file >= 0) H5Fclose(h5->file);
  h5->link_access = h5->dataset_access = h5->file = -1;
}

bool cps_h5_has(const CpsH5* h5, const char* name) {
  // H5Lexists tests the last link only, so each prefix is tested in turn
  char prefix[128];
  size_t length = strlen(name);
  if (length >= sizeof prefix) return false;
  for (size_t i = 1; i <= length; ++i) {
    if (name[i] != '/' && name[i] != '\0') continue;
    memcpy(prefix, name, i);
    prefix[i] = '\0';
    if (H5Lexists(h5->file, prefix, h5->link_access) <= 0) return false;
  }
  return true;
}

// Whether the bytes of `count` entries are really in the file: contiguous data fits in it, chunks are allocated and
// do not exceed the largest compression.
static bool storage_is_plausible(const CpsH5* h5, hid_t dataset, hid_t layout, int64_t count, size_t entry_size) {
  if (count > INT64_MAX / (int64_t)sizeof(double) / LARGEST_EXPANSION) return false;
  if (entry_size == 0 || entry_size > (size_t)h5->file_size) return false;
  if (count > INT64_MAX / (int64_t)entry_size) return false;
  int64_t bytes = count * (int64_t)entry_size;
  int64_t stored = (int64_t)H5Dget_storage_size(dataset);
  if (stored > h5->file_size || stored < 0) return false;
  switch (H5Pget_layout(layout)) {
    case H5D_COMPACT:
    case H5D_CONTIGUOUS:
      return H5Pget_external_count(layout) == 0 && bytes <= stored;
    case H5D_CHUNKED: {
      hsize_t chunk[H5S_MAX_RANK];
      int rank = H5Pget_chunk(layout, H5S_MAX_RANK, chunk);
      if (rank != 1) return false;
      int64_t most = H5Pget_nfilters(layout) > 0 ? stored * LARGEST_EXPANSION : stored;
      return bytes <= most && (count == 0 || chunk[0] <= (hsize_t)most / entry_size);
    }
    default:
      return false;
  }
}

// Opens a dataset of the wanted class and returns the number of its entries; a scalar counts as 1. With columns > 0
// it must have two dimensions, the second of this size, otherwise one.
static CpsStatus open_dataset(const CpsH5* h5, const char* name, H5T_class_t class, int64_t columns, hid_t* dataset,
                              int64_t* count) {
  if (!cps_h5_has(h5, name)) return cps_io_fail(h5->error, CPS_BAD_FORMAT, h5->path, name, "is missing");
  hid_t id = H5Oopen(h5->file, name, h5->link_access);
  if (id < 0) return cps_io_fail(h5->error, CPS_BAD_FORMAT, h5->path, name, "cannot be opened");
  if (H5Iget_type(id) != H5I_DATASET) {
    H5Oclose(id);
    return cps_io_fail(h5->error, CPS_BAD_FORMAT, h5->path, name, "is not a dataset");
  }
  CpsStatus status = CPS_OK;
  hid_t type = H5Dget_type(id), space = H5Dget_space(id), layout = H5Dget_create_plist(id);
  const char* wanted = class == H5T_INTEGER ? "integers" : class == H5T_FLOAT ? "floating-point numbers" : "text";
  hsize_t extents[2] = {1, 1}, extent = 1;
  int rank = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
  if (type < 0 || space < 0 || layout < 0) {
    status = cps_io_fail(h5->error, CPS_BAD_FORMAT, h5->path, name, "is damaged");
  } else if (H5Tget_class(type) != class) {
    status = cps_io_fail(h5->error, CPS_BAD_FORMAT, h5->path, name, "does not hold %s", wanted);
  } else if (H5Sget_simple_extent_type(space) == H5S_NULL) {
    status = cps_io_fail(h5->error, CPS_BAD_FORMAT, h5->path, name, "is empty");
  } else if (rank < 0 || (columns > 0 ? rank != 2 : rank > 1)) {
    status = cps_io_fail(h5->error, CPS_BAD_FORMAT, h5->path, name, "has %d dimensions, must have %s", rank,
                         columns > 0 ? "two" : "one");
  } else if (rank > 0 && (H5Sget_simple_extent_dims(space, extents, NULL) < 0 ||
                          (columns > 0 && (extents[1] != (hsize_t)columns || extents[0] > (hsize_t)INT32_MAX)))) {
    status = cps_io_fail(h5->error, CPS_BAD_FORMAT, h5->path, name, "is damaged");
  } else if ((extent = extents[0] * extents[1]) > (hsize_t)INT64_MAX ||
             !storage_is_plausible(h5, id, layout, (int64_t)extent, H5Tget_size(type))) {
    status = cps_io_fail(h5->error, CPS_BAD_FORMAT, h5->path, name, "claims %llu entries that are not in the file",
                         (unsigned long long)extent);
  }
  if (type >= 0) H5Tclose(type);
  if (space >= 0) H5Sclose(space);
  if (layout >= 0) H5Pclose(layout);
  if (status != CPS_OK) {
    H5Oclose(id);
    return status;
  }
  *dataset = id;
  *count = (int64_t)extent;
  return CPS_OK;
}

static CpsStatus read_array(const CpsH5* h5, const char* name, H5T_class_t class, int64_t columns, hid_t memory_type,
                            void** values, int64_t* count) {
  hid_t dataset = -1;
  int64_t length = 0;
  CpsStatus status = open_dataset(h5, name, class, columns, &dataset, &length);
  if (status != CPS_OK) return status;
  // both memory types have 8 bytes; one extra entry, so that an empty array is not NULL
  void* buffer = malloc((size_t)(length + 1) * 8);
  if (!buffer) {
    status = cps_io_fail(h5->error, CPS_NO_MEMORY, h5->path, name, "out of memory for %lld entries", (long long)length);
  } else if (length > 0 && H5Dread(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, buffer) < 0) {
    status = cps_io_fail(h5->error, CPS_BAD_FORMAT, h5->path, name, "cannot be read (truncated or damaged)");
  }
  H5Oclose(dataset);
  if (status != CPS_OK) {
    free(buffer);
    return status;
  }
  *values = buffer;
  *count = length;
  return CPS_OK;
}

CpsStatus cps_h5_read_ints(const CpsH5* h5, const char* name, int64_t** values, int64_t* count) {
  void* buffer = NULL;
  CpsStatus status = read_array(h5, name, H5T_INTEGER, 0, H5T_NATIVE_INT64, &buffer, count);
  if (status == CPS_OK) *values = buffer;
  return status;
}

CpsStatus cps_h5_read_doubles(const CpsH5* h5, const char* name, double** values, int64_t* count) {
  void* buffer = NULL;
  CpsStatus status = read_array(h5, name, H5T_FLOAT, 0, H5T_NATIVE_DOUBLE, &buffer, count);
  if (status == CPS_OK) *values = buffer;
  return status;
}

CpsStatus cps_h5_read_int_table(const CpsH5* h5, const char* name, int64_t columns, int64_t** values, int64_t* rows) {
  void* buffer = NULL;
  int64_t count = 0;
  CpsStatus status = read_array(h5, name, H5T_INTEGER, columns, H5T_NATIVE_INT64, &buffer, &count);
  if (status != CPS_OK) return status;
  *values = buffer;
  *rows = count / columns;
  return CPS_OK;
}

CpsStatus cps_h5_read_table(const CpsH5* h5, const char* name, int64_t columns, double** values, int64_t* rows) {
  void* buffer = NULL;
  int64_t count = 0;
  CpsStatus status = read_array(h5, name, H5T_FLOAT, columns, H5T_NATIVE_DOUBLE, &buffer, &count);
  if (status != CPS_OK) return status;
  *values = buffer;
  *rows = count / columns;
  return CPS_OK;
}

CpsStatus cps_h5_read_int(const CpsH5* h5, const char* name, int64_t* value) {
  int64_t* values = NULL;
  int64_t count = 0;
  CpsStatus status = cps_h5_read_ints(h5, name, &values, &count);
  if (status != CPS_OK) return status;
  if (count == 1) {
    *value = values[0];
  } else {
    status =
        cps_io_fail(h5->error, CPS_BAD_FORMAT, h5->path, name, "has %lld entries, must have one", (long long)count);
  }
  free(values);
  return status;
}

// Text is for display only: an invalid one is treated as absent.
void cps_h5_read_text(const CpsH5* h5, const char* name, char* text, size_t size) {
  text[0] = '\0';
  CpsH5 quiet = *h5;
  quiet.error = NULL;
  hid_t dataset = -1;
  int64_t count = 0;
  if (open_dataset(&quiet, name, H5T_STRING, 0, &dataset, &count) != CPS_OK) return;
  hid_t type = H5Dget_type(dataset);
  hid_t space = H5Dget_space(dataset);
  if (type >= 0 && space >= 0 && count == 1) {
    if (H5Tis_variable_str(type) > 0) {
      char* string = NULL;
      hid_t memory = H5Tcopy(H5T_C_S1);
      H5Tset_size(memory, H5T_VARIABLE);
      H5Tset_cset(memory, H5Tget_cset(type));
      if (H5Dread(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, &string) >= 0 && string) {
        snprintf(text, size, "%s", string);
        H5Dvlen_reclaim(memory, space, H5P_DEFAULT, &string);
      }
      H5Tclose(memory);
    } else {
      size_t length = H5Tget_size(type);
      char* string = calloc(length + 1, 1);
      if (string && H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, string) >= 0) {
        snprintf(text, size, "%s", string);
      }
      free(string);
    }
  }
  if (type >= 0) H5Tclose(type);
  if (space >= 0) H5Sclose(space);
  H5Oclose(dataset);
}

static bool write_array(hid_t file, const char* name, hid_t type, hid_t memory_type, const void* values,
                        int64_t count) {
  hsize_t extent = (hsize_t)count;
  hid_t space = H5Screate_simple(1, &extent, NULL);
  if (space < 0) return false;
  hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  bool done = dataset >= 0;
  if (done && count > 0) done = H5Dwrite(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
  if (dataset >= 0 && H5Dclose(dataset) < 0) done = false;
  H5Sclose(space);
  return done;
}

bool cps_h5_write_int(hid_t file, const char* name, int value) {
  return cps_h5_write_ints(file, name, &value, 1);
}

bool cps_h5_write_ints(hid_t file, const char* name, const int* values, int64_t count) {
  return write_array(file, name, H5T_STD_I32LE, H5T_NATIVE_INT, values, count);
}

bool cps_h5_write_doubles(hid_t file, const char* name, const double* values, int64_t count) {
  return write_array(file, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values, count);
}

bool cps_h5_write_texts(hid_t file, const char* name, const char* const* texts, int64_t count) {
  hid_t type = H5Tcopy(H5T_C_S1);
  bool done = type >= 0 && H5Tset_size(type, H5T_VARIABLE) >= 0 && H5Tset_cset(type, H5T_CSET_UTF8) >= 0 &&
              write_array(file, name, type, type, texts, count);
  if (type >= 0) H5Tclose(type);
  return done;
}

bool cps_h5_write_text(hid_t file, const char* name, const char* text) {
  hid_t type = H5Tcopy(H5T_C_S1);
  hid_t space = H5Screate(H5S_SCALAR);
  hid_t dataset = -1;
  bool done = type >= 0 && space >= 0 && H5Tset_size(type, strlen(text) + 1) >= 0;
  if (done) {
    dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    done = dataset >= 0 && H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0;
  }
  if (dataset >= 0 && H5Dclose(dataset) < 0) done = false;
  if (space >= 0) H5Sclose(space);
  if (type >= 0) H5Tclose(type);
  return done;
}

bool cps_h5_make_group(hid_t file, const char* name) {
  hid_t group = H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  return group >= 0 && H5Gclose(group) >= 0;
}
