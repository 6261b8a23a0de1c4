// Reading rest states of fibres from HDF5 (rest.h). Everything is checked before anything of the world changes.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "capstan/rest.h"
#include "io/hdf5_checked.h"

typedef struct Rest {
  int64_t fibres, strains, lengths;
  int64_t *strain_first, *length_first;
  double *stiffened, *strain, *length;
  double* below;  // NULL for older files
} Rest;

static void free_rest(Rest* r) {
  free(r->strain_first);
  free(r->length_first);
  free(r->stiffened);
  free(r->strain);
  free(r->length);
  free(r->below);
}

static CpsStatus refuse(const CpsH5* h5, const char* what) {
  return cps_io_fail(h5->error, CPS_BAD_FORMAT, h5->path, NULL, "%s", what);
}

static bool rises(const int64_t* first, int64_t count, int64_t end) {
  if (first[0] != 0 || first[count] != end) return false;
  for (int64_t i = 0; i < count; ++i) {
    if (first[i + 1] < first[i]) return false;
  }
  return true;
}

// Residues of rest lengths beyond double precision, if the file has them.
static CpsStatus read_below(const CpsH5* h5, Rest* r) {
  if (!cps_h5_has(h5, "/length/below")) return CPS_OK;
  int64_t count = 0;
  const CpsStatus status = cps_h5_read_doubles(h5, "/length/below", &r->below, &count);
  if (status != CPS_OK) return status;
  bool fits = count == r->lengths;
  for (int64_t i = 0; fits && i < count; ++i) fits = fabs(r->below[i]) <= 1e-15 * r->length[i];
  return fits ? CPS_OK : refuse(h5, "the roundings in /length/below do not fit the rest lengths");
}

static CpsStatus read_all(const CpsH5* h5, Rest* r) {
  int64_t ends = 0, others = 0;
  CpsStatus status = cps_h5_read_doubles(h5, "/fibre/stiffened", &r->stiffened, &r->fibres);
  if (status == CPS_OK) status = cps_h5_read_ints(h5, "/strain/first", &r->strain_first, &ends);
  if (status == CPS_OK) status = cps_h5_read_table(h5, "/strain/value", 3, &r->strain, &r->strains);
  if (status == CPS_OK) status = cps_h5_read_ints(h5, "/length/first", &r->length_first, &others);
  if (status == CPS_OK) status = cps_h5_read_doubles(h5, "/length/value", &r->length, &r->lengths);
  if (status != CPS_OK) return status;
  if (ends != r->fibres + 1 || others != r->fibres + 1 || !rises(r->strain_first, r->fibres, r->strains) ||
      !rises(r->length_first, r->fibres, r->lengths)) {
    return refuse(h5, "the numbers of strains and lengths do not fit the fibres");
  }
  for (int64_t i = 0; i < 3 * r->strains; ++i) {
    if (!isfinite(r->strain[i])) return refuse(h5, "a natural strain is not finite");
  }
  for (int64_t i = 0; i < r->lengths; ++i) {
    if (!(r->length[i] > 0.0) || !isfinite(r->length[i])) return refuse(h5, "a rest length is not positive");
  }
  for (int64_t i = 0; i < r->fibres; ++i) {
    if (!(r->stiffened[i] > 0.0) || !isfinite(r->stiffened[i])) return refuse(h5, "a stiffness is not positive");
  }
  return read_below(h5, r);
}

// A number at the root; NaN if it is missing.
static double attribute(hid_t file, const char* name) {
  double value = NAN;
  const hid_t at = H5Aexists(file, name) > 0 ? H5Aopen(file, name, H5P_DEFAULT) : -1;
  const hid_t space = at >= 0 ? H5Aget_space(at) : -1, type = at >= 0 ? H5Aget_type(at) : -1;
  const bool number = type >= 0 && H5Tget_class(type) == H5T_FLOAT && H5Sget_simple_extent_npoints(space) == 1;
  if (!number || H5Aread(at, H5T_NATIVE_DOUBLE, &value) < 0) value = NAN;
  if (type >= 0) H5Tclose(type);
  if (space >= 0) H5Sclose(space);
  if (at >= 0) H5Aclose(at);
  return value;
}

// A count of the report; an implausible one is refused.
static bool read_count(hid_t file, const char* name, int32_t* count) {
  const double value = attribute(file, name);
  if (!(value >= 0.0 && value <= INT32_MAX)) return false;
  *count = (int32_t)value;
  return true;
}

static CpsStatus read_report(const CpsH5* h5, CpsRestFacts* facts) {
  CpsInvertInfo* report = &facts->report;
  facts->has_report = H5Aexists(h5->file, "inverted_count") > 0;
  if (!facts->has_report) return CPS_OK;
  const double elements = attribute(h5->file, "element_count");
  report->element_count = elements >= 0.0 && elements <= 1e15 ? (int64_t)elements : -1;
  report->balance = attribute(h5->file, "balance");
  report->least_factor = attribute(h5->file, "least_factor");
  report->most_stiffened = attribute(h5->file, "most_stiffened");
  const bool whole = read_count(h5->file, "fibre_count", &report->fibre_count) &&
                     read_count(h5->file, "inverted_count", &report->inverted_count) &&
                     read_count(h5->file, "refused_count", &report->refused_count) &&
                     read_count(h5->file, "unstable_count", &report->unstable_count) &&
                     read_count(h5->file, "unjudged_count", &report->unjudged_count) &&
                     read_count(h5->file, "stiffened_count", &report->stiffened_count);
  return whole && report->element_count >= 0 ? CPS_OK : refuse(h5, "the report of the inversion is not complete");
}

// @param facts  NULL: the report is not read
static CpsStatus read_file(const char* path, Rest* r, CpsRestFacts* facts, CpsError* error) {
  CpsH5 h5;
  CpsStatus status = CPS_OK;
  H5E_BEGIN_TRY {
    status = cps_h5_open(&h5, path, error);
    if (status == CPS_OK) {
      status = read_all(&h5, r);
      if (status == CPS_OK && facts) status = read_report(&h5, facts);
      cps_h5_close(&h5);
    }
  }
  H5E_END_TRY
  return status;
}

// Whether the fibres of the file match those of the world.
static CpsStatus compare(const char* path, const Rest* r, const CpsWorld* world, int32_t first, int32_t count,
                         CpsError* error) {
  if (r->fibres != count) {
    return cps_io_fail(error, CPS_BAD_DATA, path, NULL, "has %lld fibres, and there are %d", (long long)r->fibres,
                       (int)count);
  }
  for (int32_t i = 0; i < count; ++i) {
    CpsNaturalCounts counts = {0, 0};
    (void)cps_world_fibre_natural_counts(world, cps_world_fibre(world, first + i), &counts);
    const int64_t strains = r->strain_first[i + 1] - r->strain_first[i],
                  lengths = r->length_first[i + 1] - r->length_first[i];
    if (strains == counts.strains && lengths == counts.lengths) continue;
    return cps_io_fail(
        error, CPS_BAD_DATA, path, NULL,
        "fibre %d has %lld strains and %lld lengths there, and %d and %d here: another model or number of elements",
        (int)i, (long long)strains, (long long)lengths, (int)counts.strains, (int)counts.lengths);
  }
  return CPS_OK;
}

CpsStatus cps_rest_read(const char* path, CpsWorld* world, int32_t first, int32_t count, CpsError* error) {
  if (!path || !world || first < 0 || count < 0 || count > cps_world_fibre_count(world) - first) {
    return cps_io_fail(error, CPS_BAD_ARGUMENT, "cps_rest_read", NULL,
                       "path or world is NULL, or there are no such fibres");
  }
  Rest rest = {0};
  CpsStatus status = read_file(path, &rest, NULL, error);
  if (status == CPS_OK) status = compare(path, &rest, world, first, count, error);
  for (int32_t i = 0; status == CPS_OK && i < count; ++i) {
    const CpsFibreId id = cps_world_fibre(world, first + i);
    const CpsVec3* strain = (const CpsVec3*)(const void*)(rest.strain + 3 * rest.strain_first[i]);
    const bool lengths = rest.length_first[i + 1] > rest.length_first[i];
    if (rest.strain_first[i + 1] == rest.strain_first[i]) continue;
    status = cps_world_set_fibre_stiffened(world, id, rest.stiffened[i], error);
    if (status == CPS_OK) {
      status =
          cps_world_set_fibre_natural(world, id, strain, lengths ? rest.length + rest.length_first[i] : NULL, error);
    }
    if (status == CPS_OK && lengths && rest.below) {
      status = cps_world_set_fibre_length_residues(world, id, rest.below + rest.length_first[i], error);
    }
  }
  free_rest(&rest);
  return status;
}

bool cps_rest_recognise(const char* path) {
  bool found = false;
  if (!path) return false;
  H5E_BEGIN_TRY {
    CpsH5 h5;
    if (cps_h5_open(&h5, path, NULL) == CPS_OK) {
      found = attribute(h5.file, "capstan_rest") == 1.0;
      cps_h5_close(&h5);
    }
  }
  H5E_END_TRY
  return found;
}

CpsStatus cps_rest_describe(const char* path, CpsRestFacts* facts, CpsError* error) {
  if (!path || !facts) return cps_io_fail(error, CPS_BAD_ARGUMENT, "cps_rest_describe", NULL, "path or facts is NULL");
  Rest rest = {0};
  CpsRestFacts found = {.most_stiffened = 1.0};
  const CpsStatus status = read_file(path, &rest, &found, error);
  if (status == CPS_OK) {
    found.fibre_count = rest.fibres;
    found.strain_count = rest.strains;
    found.length_count = rest.lengths;
    for (int64_t i = 0; i < rest.fibres; ++i) {
      found.stiffened_count += rest.stiffened[i] > 1.0;
      found.most_stiffened = fmax(found.most_stiffened, rest.stiffened[i]);
    }
    for (int64_t i = 0; i < 3 * rest.strains; ++i)
      found.curvature_max = fmax(found.curvature_max, fabs(rest.strain[i]));
    *facts = found;
  }
  free_rest(&rest);
  return status;
}
