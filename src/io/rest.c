// Rest states of fibres in HDF5 (rest.h).
#include "capstan/rest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/fail.h"
#include "io/hdf5_checked.h"

static bool put(hid_t file, const char* name, hid_t type, int rank, const hsize_t* size, const void* data) {
  hid_t space = H5Screate_simple(rank, size, NULL);
  hid_t set = space < 0 ? -1 : H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  bool done = set >= 0 && (size[0] == 0 || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
  if (set >= 0) done = H5Dclose(set) >= 0 && done;
  if (space >= 0) H5Sclose(space);
  return done;
}

static bool put_attribute(hid_t file, const char* name, double value) {
  hid_t space = H5Screate(H5S_SCALAR);
  hid_t at = space < 0 ? -1 : H5Acreate2(file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT);
  bool done = at >= 0 && H5Awrite(at, H5T_NATIVE_DOUBLE, &value) >= 0;
  if (at >= 0) H5Aclose(at);
  if (space >= 0) H5Sclose(space);
  return done;
}

static bool put_report(hid_t file, const CpsInvertInfo* info) {
  if (!info) return true;
  const struct {
    const char* name;
    double value;
  } fields[] = {
      {"fibre_count", info->fibre_count},         {"element_count", (double)info->element_count},
      {"inverted_count", info->inverted_count},   {"refused_count", info->refused_count},
      {"unstable_count", info->unstable_count},   {"unjudged_count", info->unjudged_count},
      {"stiffened_count", info->stiffened_count}, {"balance", info->balance},
      {"least_factor", info->least_factor},       {"most_stiffened", info->most_stiffened},
  };
  bool done = true;
  for (size_t i = 0; done && i < sizeof fields / sizeof *fields; ++i) {
    done = put_attribute(file, fields[i].name, fields[i].value);
  }
  return done;
}

// Contents of the file.
typedef struct Rest {
  int32_t count;
  const char **name, **model;
  double *stiffened, *length, *below;
  CpsVec3* strain;
  int64_t *first, *length_first;
} Rest;

static void free_rest(Rest* r) {
  free(r->name);
  free(r->stiffened);
  free(r->length);
  free(r->below);
  free(r->strain);
  free(r->first);
}

static CpsNaturalCounts counts_of(const CpsWorld* world, CpsFibreId id) {
  CpsNaturalCounts counts = {0, 0};
  (void)cps_world_fibre_natural_counts(world, id, &counts);
  return counts;
}

static bool read_world(const CpsWorld* world, Rest* r) {
  const size_t n = (size_t)cps_world_fibre_count(world);
  r->count = (int32_t)n;
  r->first = calloc(2 * n + 2, sizeof *r->first);
  r->name = calloc(2 * n + 1, sizeof *r->name);
  r->stiffened = calloc(n + 1, sizeof *r->stiffened);
  if (!r->first || !r->name || !r->stiffened) return false;
  r->length_first = r->first + n + 1;
  r->model = r->name + n;
  for (int32_t i = 0; i < r->count; ++i) {
    const CpsNaturalCounts counts = counts_of(world, cps_world_fibre(world, i));
    r->first[i + 1] = r->first[i] + counts.strains;
    r->length_first[i + 1] = r->length_first[i] + counts.lengths;
  }
  r->strain = malloc(((size_t)r->first[n] + 1) * sizeof *r->strain);
  r->length = malloc(((size_t)r->length_first[n] + 1) * sizeof *r->length);
  r->below = calloc((size_t)r->length_first[n] + 1, sizeof *r->below);
  if (!r->strain || !r->length || !r->below) return false;
  for (int32_t i = 0; i < r->count; ++i) {
    const CpsFibreId id = cps_world_fibre(world, i);
    CpsFibreInfo info = {0};
    (void)cps_world_fibre_info(world, id, &info);
    (void)cps_world_fibre_natural(world, id, r->strain + r->first[i], r->length + r->length_first[i]);
    (void)cps_world_fibre_length_residues(world, id, r->below + r->length_first[i]);
    r->name[i] = info.name ? info.name : "";
    r->model[i] = cps_rod_model_name(info.model);
    r->stiffened[i] = info.stiffened;
  }
  return true;
}

static bool write_file(const char* path, const Rest* r, const CpsInvertInfo* info) {
  hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  if (file < 0) return false;
  const hsize_t n[1] = {(hsize_t)r->count}, ends[1] = {(hsize_t)r->count + 1};
  const hsize_t strains[2] = {(hsize_t)r->first[r->count], 3}, lengths[1] = {(hsize_t)r->length_first[r->count]};
  static const char* const GROUPS[] = {"/fibre", "/strain", "/length"};
  bool done = put_attribute(file, "capstan_rest", 1.0) && put_report(file, info);
  for (int g = 0; done && g < 3; ++g) {
    hid_t group = H5Gcreate2(file, GROUPS[g], H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    done = group >= 0 && H5Gclose(group) >= 0;
  }
  done = done && cps_h5_write_texts(file, "/fibre/name", r->name, r->count) &&
         cps_h5_write_texts(file, "/fibre/model", r->model, r->count) &&
         put(file, "/fibre/stiffened", H5T_NATIVE_DOUBLE, 1, n, r->stiffened) &&
         put(file, "/strain/first", H5T_NATIVE_INT64, 1, ends, r->first) &&
         put(file, "/strain/value", H5T_NATIVE_DOUBLE, 2, strains, r->strain) &&
         put(file, "/length/first", H5T_NATIVE_INT64, 1, ends, r->length_first) &&
         put(file, "/length/value", H5T_NATIVE_DOUBLE, 1, lengths, r->length) &&
         put(file, "/length/below", H5T_NATIVE_DOUBLE, 1, lengths, r->below);
  return H5Fclose(file) >= 0 && done;
}

CpsStatus cps_rest_write(const char* path, const CpsWorld* world, const CpsInvertInfo* info, CpsError* error) {
  if (!path || !world) {
    return cps_io_fail(error, CPS_BAD_ARGUMENT, "cps_rest_write", NULL, "path or world is NULL");
  }
  CpsStatus status = cps_file_check(path, error);
  if (status != CPS_OK) return status;
  Rest rest = {0};
  const size_t size = strlen(path) + 8;
  char* part = malloc(size);
  if (!part || !read_world(world, &rest)) {
    status = cps_io_fail(error, CPS_NO_MEMORY, path, NULL, "out of memory");
  } else {
    (void)snprintf(part, size, "%s.part", path);
    bool done = false;
    H5E_BEGIN_TRY {
      done = write_file(part, &rest, info);
    }
    H5E_END_TRY
    if (!done || rename(part, path) != 0) {
      status = cps_io_fail(error, CPS_FILE_ERROR, path, NULL, "cannot be written");
      (void)remove(part);
    }
  }
  free(part);
  free_rest(&rest);
  return status;
}
