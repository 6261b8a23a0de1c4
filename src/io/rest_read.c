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
} Rest;

static void free_rest(Rest* r) {
  free(r->strain_first);
  free(r->length_first);
  free(r->stiffened);
  free(r->strain);
  free(r->length);
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
  return CPS_OK;
}

static CpsStatus read_file(const char* path, Rest* r, CpsError* error) {
  CpsH5 h5;
  CpsStatus status = CPS_OK;
  H5E_BEGIN_TRY {
    status = cps_h5_open(&h5, path, error);
    if (status == CPS_OK) {
      status = read_all(&h5, r);
      cps_h5_close(&h5);
    }
  }
  H5E_END_TRY
  return status;
}

// Whether the fibres of the file are those of the world.
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
  CpsStatus status = read_file(path, &rest, error);
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
  }
  free_rest(&rest);
  return status;
}
