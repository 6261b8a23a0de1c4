// Reading the matrix groups of FCLIB.
//
//   nz >= 0   triplets: nz entries. CSparse writes rows in i and columns in p; the comment in FCLIB's header says the
//             contrary, so the bounds decide, and where both orders fit it is CSparse's.
//   nz = -1   compressed columns: p has n + 1 offsets, i the rows
//   nz = -2   compressed rows: p has m + 1 offsets, i the columns
//
// nzmax only says how much room the writer had; i, p and x may be longer than the entries that count.
#include "io/fclib/matrix.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct RawMatrix {
  char p_name[64], i_name[64], x_name[64], nz_name[64];
  int64_t nz;
  int64_t *p, *i;
  double* x;
  int64_t p_count, i_count, x_count;
} RawMatrix;

static bool all_inside(const int64_t* index, int64_t count, int64_t bound) {
  for (int64_t k = 0; k < count; ++k) {
    if (index[k] < 0 || index[k] >= bound) return false;
  }
  return true;
}

static CpsStatus check_inside(const CpsH5* h5, const char* name, const int64_t* index, int64_t count, int64_t bound) {
  for (int64_t k = 0; k < count; ++k) {
    if (index[k] < 0 || index[k] >= bound) {
      return cps_io_fail(h5->error, CPS_BAD_FORMAT, h5->path, name, "entry %lld is %lld, outside 0 to %lld",
                         (long long)k, (long long)index[k], (long long)bound - 1);
    }
  }
  return CPS_OK;
}

// Checks that p starts at 0, does not decrease, and ends within the entries of i and x.
static CpsStatus check_offsets(const CpsH5* h5, const RawMatrix* raw, int64_t lines) {
  if (raw->p_count < lines + 1) {
    return cps_io_fail(h5->error, CPS_BAD_FORMAT, h5->path, raw->p_name, "has %lld entries, must have %lld",
                       (long long)raw->p_count, (long long)lines + 1);
  }
  if (raw->p[0] != 0) {
    return cps_io_fail(h5->error, CPS_BAD_FORMAT, h5->path, raw->p_name, "starts at %lld, must start at 0",
                       (long long)raw->p[0]);
  }
  for (int64_t k = 0; k < lines; ++k) {
    if (raw->p[k + 1] < raw->p[k]) {
      return cps_io_fail(h5->error, CPS_BAD_FORMAT, h5->path, raw->p_name, "decreases at entry %lld", (long long)k + 1);
    }
  }
  return CPS_OK;
}

static CpsStatus check_length(const CpsH5* h5, const char* name, int64_t count, int64_t wanted) {
  if (count >= wanted) return CPS_OK;
  return cps_io_fail(h5->error, CPS_BAD_FORMAT, h5->path, name, "has %lld entries, must have %lld", (long long)count,
                     (long long)wanted);
}

static CpsStatus take_triplets(const CpsH5* h5, const RawMatrix* raw, CpsFclibMatrix* matrix) {
  CpsStatus status = check_length(h5, raw->p_name, raw->p_count, matrix->entry_count);
  if (status != CPS_OK) return status;
  const int64_t *row = raw->i, *col = raw->p;
  int64_t count = matrix->entry_count;
  bool csparse_fits = all_inside(row, count, matrix->m) && all_inside(col, count, matrix->n);
  if (!csparse_fits && all_inside(raw->p, count, matrix->m) && all_inside(raw->i, count, matrix->n)) {
    row = raw->p;
    col = raw->i;
  } else if (!csparse_fits) {
    status = check_inside(h5, raw->i_name, row, count, matrix->m);
    return status != CPS_OK ? status : check_inside(h5, raw->p_name, col, count, matrix->n);
  }
  for (int64_t k = 0; k < count; ++k) {
    matrix->row[k] = (int32_t)row[k];
    matrix->col[k] = (int32_t)col[k];
  }
  return CPS_OK;
}

static CpsStatus take_compressed(const CpsH5* h5, const RawMatrix* raw, CpsFclibMatrix* matrix) {
  bool by_rows = raw->nz == -2;
  int64_t lines = by_rows ? matrix->m : matrix->n;
  CpsStatus status = check_inside(h5, raw->i_name, raw->i, matrix->entry_count, by_rows ? matrix->n : matrix->m);
  if (status != CPS_OK) return status;
  for (int64_t line = 0; line < lines; ++line) {
    for (int64_t k = raw->p[line]; k < raw->p[line + 1]; ++k) {
      matrix->row[k] = (int32_t)(by_rows ? line : raw->i[k]);
      matrix->col[k] = (int32_t)(by_rows ? raw->i[k] : line);
    }
  }
  return CPS_OK;
}

static CpsStatus read_size(const CpsH5* h5, const char* group, const char* key, int64_t wanted) {
  char name[64];
  snprintf(name, sizeof name, "%s/%s", group, key);
  int64_t value = 0;
  CpsStatus status = cps_h5_read_int(h5, name, &value);
  if (status != CPS_OK) return status;
  if (value == wanted) return CPS_OK;
  return cps_io_fail(h5->error, CPS_BAD_FORMAT, h5->path, name, "is %lld, must be %lld by the lengths of the vectors",
                     (long long)value, (long long)wanted);
}

static CpsStatus read_raw(const CpsH5* h5, const char* group, RawMatrix* raw) {
  snprintf(raw->p_name, sizeof raw->p_name, "%s/p", group);
  snprintf(raw->i_name, sizeof raw->i_name, "%s/i", group);
  snprintf(raw->x_name, sizeof raw->x_name, "%s/x", group);
  snprintf(raw->nz_name, sizeof raw->nz_name, "%s/nz", group);
  CpsStatus status = cps_h5_read_int(h5, raw->nz_name, &raw->nz);
  if (status == CPS_OK && raw->nz < -2) {
    status = cps_io_fail(h5->error, CPS_BAD_FORMAT, h5->path, raw->nz_name,
                         "is %lld, must be a number of triplets, -1 (columns) or -2 (rows)", (long long)raw->nz);
  }
  if (status == CPS_OK) status = cps_h5_read_ints(h5, raw->p_name, &raw->p, &raw->p_count);
  if (status == CPS_OK) status = cps_h5_read_ints(h5, raw->i_name, &raw->i, &raw->i_count);
  if (status == CPS_OK) status = cps_h5_read_doubles(h5, raw->x_name, &raw->x, &raw->x_count);
  return status;
}

// Counts the entries, checks that i, x and nzmax have room for them, and that the values are numbers.
static CpsStatus check_entries(const CpsH5* h5, const char* group, const RawMatrix* raw, CpsFclibMatrix* matrix) {
  CpsStatus status = CPS_OK;
  int64_t count = raw->nz;
  if (raw->nz < 0) {
    int64_t lines = raw->nz == -2 ? matrix->m : matrix->n;
    status = check_offsets(h5, raw, lines);
    if (status != CPS_OK) return status;
    count = raw->p[lines];
  }
  char name[64];
  snprintf(name, sizeof name, "%s/nzmax", group);
  int64_t room = 0;
  status = cps_h5_read_int(h5, name, &room);
  if (status == CPS_OK && room < count) {
    status = cps_io_fail(h5->error, CPS_BAD_FORMAT, h5->path, name, "is %lld, less than the %lld entries",
                         (long long)room, (long long)count);
  }
  if (status == CPS_OK) status = check_length(h5, raw->i_name, raw->i_count, count);
  if (status == CPS_OK) status = check_length(h5, raw->x_name, raw->x_count, count);
  for (int64_t k = 0; status == CPS_OK && k < count; ++k) {
    if (!isfinite(raw->x[k])) {
      status = cps_io_fail(h5->error, CPS_BAD_DATA, h5->path, raw->x_name, "entry %lld is not a finite number",
                           (long long)k);
    }
  }
  matrix->entry_count = count;
  return status;
}

CpsStatus cps_fclib_matrix_read(const CpsH5* h5, const char* group, int32_t m, int32_t n, CpsFclibMatrix* matrix) {
  *matrix = (CpsFclibMatrix){.m = m, .n = n};
  RawMatrix raw = {0};
  if (!cps_h5_has(h5, group)) return cps_io_fail(h5->error, CPS_BAD_FORMAT, h5->path, group, "is missing");
  CpsStatus status = read_size(h5, group, "m", m);
  if (status == CPS_OK) status = read_size(h5, group, "n", n);
  if (status == CPS_OK) status = read_raw(h5, group, &raw);
  if (status == CPS_OK) status = check_entries(h5, group, &raw, matrix);
  if (status == CPS_OK) {
    size_t room = (size_t)matrix->entry_count + 1;
    matrix->row = malloc(room * sizeof *matrix->row);
    matrix->col = malloc(room * sizeof *matrix->col);
    if (!matrix->row || !matrix->col) {
      cps_io_fail(h5->error, CPS_NO_MEMORY, h5->path, group, "out of memory");
      status = CPS_NO_MEMORY;
    }
  }
  if (status == CPS_OK) status = raw.nz >= 0 ? take_triplets(h5, &raw, matrix) : take_compressed(h5, &raw, matrix);
  matrix->value = raw.x;
  free(raw.p);
  free(raw.i);
  if (status != CPS_OK) cps_fclib_matrix_free(matrix);
  return status;
}

void cps_fclib_matrix_free(CpsFclibMatrix* matrix) {
  free(matrix->row);
  free(matrix->col);
  free(matrix->value);
  *matrix = (CpsFclibMatrix){0};
}

bool cps_fclib_matrix_compress(const CpsFclibMatrix* matrix, bool by_rows, CpsFclibCompressed* compressed) {
  int64_t lines = by_rows ? matrix->m : matrix->n;
  const int32_t* line = by_rows ? matrix->row : matrix->col;
  const int32_t* across = by_rows ? matrix->col : matrix->row;
  size_t room = (size_t)matrix->entry_count + 1;
  // the extra last offset is the insertion cursor shifted by one line
  compressed->start = calloc((size_t)lines + 2, sizeof *compressed->start);
  compressed->index = malloc(room * sizeof *compressed->index);
  compressed->value = malloc(room * sizeof *compressed->value);
  if (!compressed->start || !compressed->index || !compressed->value) {
    cps_fclib_compressed_free(compressed);
    return false;
  }
  int64_t* cursor = compressed->start + 1;
  for (int64_t k = 0; k < matrix->entry_count; ++k) cursor[line[k] + 1]++;
  for (int64_t l = 0; l < lines; ++l) cursor[l + 1] += cursor[l];
  for (int64_t k = 0; k < matrix->entry_count; ++k) {
    int64_t at = cursor[line[k]]++;
    compressed->index[at] = across[k];
    compressed->value[at] = matrix->value[k];
  }
  return true;
}

void cps_fclib_compressed_free(CpsFclibCompressed* compressed) {
  free(compressed->start);
  free(compressed->index);
  free(compressed->value);
  *compressed = (CpsFclibCompressed){0};
}
