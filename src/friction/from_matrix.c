// A problem from a given W: block triplets, scalar CSR or scalar CSC.
//
// All three give the same W: blocks sorted by column in each block row, repeated entries added in input order, every
// diagonal block present.
#include "core/error.h"
#include "friction/build.h"
#include "sparse/lanczos.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

// Matrices from practice carry single-precision rounding: eigenvalues of -9e-8 of the largest were seen.
static const double INDEFINITE_SLACK = 1e-6;

// Grows the pattern of W row by row. `last_row[j]` is the last row with an entry in column j, `place[j]` its block.
typedef struct Pattern {
  CpsProblem* problem;
  CpsArena scratch;
  int32_t* last_row;
  int64_t* place;
  int32_t* cols;  // columns of all rows so far
  int64_t count, capacity;
} Pattern;

static bool pattern_begin(Pattern* pattern, CpsProblem* problem) {
  int64_t n = problem->contact_count;
  *pattern = (Pattern){.problem = problem, .capacity = 8 * n + 64};
  pattern->last_row = CPS_TAKE(&pattern->scratch, int32_t, n);
  pattern->place = CPS_TAKE(&pattern->scratch, int64_t, n);
  pattern->cols = malloc((size_t)pattern->capacity * sizeof(int32_t));
  problem->W = (CpsBlockMatrix){.rows = problem->contact_count, .dim = problem->dim, .offset = problem->offset};
  problem->W.start = CPS_TAKE(&problem->arena, int64_t, n + 1);
  if (!pattern->last_row || !pattern->place || !pattern->cols || !problem->W.start) return false;
  for (int32_t j = 0; j < n; ++j) pattern->last_row[j] = -1;
  return true;
}

static bool pattern_add(Pattern* pattern, int32_t i, int32_t j) {
  if (pattern->last_row[j] == i) return true;
  pattern->last_row[j] = i;
  if (pattern->count == pattern->capacity) {
    int64_t larger = 2 * pattern->capacity;
    int32_t* cols = realloc(pattern->cols, (size_t)larger * sizeof(int32_t));
    if (!cols) return false;
    pattern->cols = cols;
    pattern->capacity = larger;
  }
  pattern->cols[pattern->count++] = j;
  return true;
}

static void pattern_end_row(Pattern* pattern, int32_t i) {
  int64_t* start = pattern->problem->W.start;
  start[i + 1] = pattern->count;
  cps_build_sort_columns(pattern->cols + start[i], pattern->count - start[i]);
}

// Moves the columns into W and allocates the values.
static bool pattern_finish(Pattern* pattern) {
  CpsProblem* p = pattern->problem;
  CpsBlockMatrix* W = &p->W;
  W->col = CPS_TAKE(&p->arena, int32_t, pattern->count);
  W->at = CPS_TAKE(&p->arena, int64_t, pattern->count + 1);
  if (!W->col || !W->at) return false;
  int64_t values = 0;
  for (int32_t i = 0; i < W->rows; ++i) {
    for (int64_t k = W->start[i]; k < W->start[i + 1]; ++k) {
      W->col[k] = pattern->cols[k];
      W->at[k] = values;
      values += (int64_t)cps_contact_dim(p, i) * cps_contact_dim(p, W->col[k]);
    }
  }
  W->at[pattern->count] = values;
  W->value = CPS_TAKE_ZERO(&p->arena, double, values);
  return W->value != NULL;
}

static void pattern_free(Pattern* pattern) {
  free(pattern->cols);
  cps_arena_free(&pattern->scratch);
}

// Records the positions of the blocks of row i.
static void pattern_enter_row(Pattern* pattern, int32_t i) {
  const CpsBlockMatrix* W = &pattern->problem->W;
  for (int64_t k = W->start[i]; k < W->start[i + 1]; ++k) pattern->place[W->col[k]] = W->at[k];
}

static CpsStatus out_of_memory(Pattern* pattern, CpsProblem* problem, CpsError* error) {
  pattern_free(pattern);
  cps_problem_destroy(problem);
  return cps_fail(error, CPS_NO_MEMORY, "not enough memory for W");
}

static CpsStatus finish(Pattern* pattern, CpsProblem* built, bool trust_W, CpsProblem** problem, CpsError* error) {
  CpsLanczosResult definite = CPS_LANCZOS_NOT_SEEN;
  if (!trust_W) definite = cps_lanczos_indefinite(&built->W, INDEFINITE_SLACK, &pattern->scratch);
  pattern_free(pattern);
  built->has_W = true;
  CpsStatus status = cps_build_finish(&built, error);
  if (status != CPS_OK) return status;
  if (definite != CPS_LANCZOS_NOT_SEEN) {
    cps_problem_destroy(built);
    return definite == CPS_LANCZOS_NO_MEMORY
               ? cps_fail(error, CPS_NO_MEMORY, "not enough memory for W")
               : cps_fail(error, CPS_BAD_DATA, "W is not positive semi-definite: it has a negative eigenvalue");
  }
  *problem = built;
  return CPS_OK;
}

// Triplets of each row in input order: order[first[i]] … order[first[i+1]-1].
static bool bucket_rows(int32_t n, int64_t count, const int32_t* rows, CpsArena* arena, int64_t** first,
                        int64_t** order) {
  *first = CPS_TAKE_ZERO(arena, int64_t, (int64_t)n + 2);
  *order = CPS_TAKE(arena, int64_t, count);
  if (!*first || !*order) return false;
  for (int64_t k = 0; k < count; ++k) (*first)[rows[k] + 2]++;
  for (int32_t i = 0; i < n; ++i) (*first)[i + 2] += (*first)[i + 1];
  for (int64_t k = 0; k < count; ++k) (*order)[(*first)[rows[k] + 1]++] = k;
  return true;
}

static CpsStatus check_blocks(const CpsProblem* p, int64_t count, const int32_t* rows, const int32_t* cols,
                              const double* values, int64_t* at, CpsError* error) {
  int64_t value = 0;
  for (int64_t k = 0; k < count; ++k) {
    if (rows[k] < 0 || rows[k] >= p->contact_count || cols[k] < 0 || cols[k] >= p->contact_count) {
      return cps_fail(error, CPS_BAD_DATA,
                      "block %" PRId64 " of W is at (%" PRId32 ", %" PRId32 "), outside of %" PRId32 " contacts", k,
                      rows[k], cols[k], p->contact_count);
    }
    at[k] = value;
    value += (int64_t)cps_contact_dim(p, rows[k]) * cps_contact_dim(p, cols[k]);
    if (cps_build_find_bad(values + at[k], value - at[k]) >= 0) {
      return cps_fail(error, CPS_BAD_DATA, "block (%" PRId32 ", %" PRId32 ") of W has an entry that is not finite",
                      rows[k], cols[k]);
    }
  }
  return CPS_OK;
}

CpsStatus cps_problem_from_blocks(const CpsContactsDef* contacts, int64_t block_count, const int32_t* rows,
                                  const int32_t* cols, const double* values, CpsProblem** problem, CpsError* error) {
  if (!problem) return cps_fail(error, CPS_BAD_ARGUMENT, "problem is NULL");
  if (block_count < 0) return cps_fail(error, CPS_BAD_DATA, "the number of blocks of W is negative");
  if (block_count > 0 && (!rows || !cols || !values)) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "rows, cols or values of W is NULL");
  }
  CpsProblem* p;
  CpsStatus status = cps_build_contacts(contacts, &p, error);
  if (status != CPS_OK) return status;
  Pattern pattern;
  if (!pattern_begin(&pattern, p)) return out_of_memory(&pattern, p, error);
  int64_t* at = CPS_TAKE(&pattern.scratch, int64_t, block_count);
  if (!at) return out_of_memory(&pattern, p, error);
  status = check_blocks(p, block_count, rows, cols, values, at, error);
  if (status != CPS_OK) {
    pattern_free(&pattern);
    cps_problem_destroy(p);
    return status;
  }
  int64_t *first, *order;
  if (!bucket_rows(p->contact_count, block_count, rows, &pattern.scratch, &first, &order)) {
    return out_of_memory(&pattern, p, error);
  }
  p->W.start[0] = 0;
  for (int32_t i = 0; i < p->contact_count; ++i) {
    bool ok = pattern_add(&pattern, i, i);
    for (int64_t k = first[i]; ok && k < first[i + 1]; ++k) ok = pattern_add(&pattern, i, cols[order[k]]);
    if (!ok) return out_of_memory(&pattern, p, error);
    pattern_end_row(&pattern, i);
  }
  if (!pattern_finish(&pattern)) return out_of_memory(&pattern, p, error);
  for (int32_t i = 0; i < p->contact_count; ++i) {
    pattern_enter_row(&pattern, i);
    for (int64_t k = first[i]; k < first[i + 1]; ++k) {
      int32_t j = cols[order[k]];
      double* block = p->W.value + pattern.place[j];
      const double* source = values + at[order[k]];
      for (int e = 0; e < cps_contact_dim(p, i) * cps_contact_dim(p, j); ++e) block[e] += source[e];
    }
  }
  return finish(&pattern, p, contacts->trust_W, problem, error);
}

static CpsStatus check_csr(const CpsProblem* p, const int64_t* start, const int32_t* index, const double* value,
                           CpsError* error) {
  if (start[0] != 0) return cps_fail(error, CPS_BAD_DATA, "the offsets of W do not begin with 0");
  for (int64_t row = 0; row < p->row_count; ++row) {
    if (start[row + 1] < start[row]) return cps_fail(error, CPS_BAD_DATA, "the offsets of W decrease at %" PRId64, row);
  }
  int64_t count = start[p->row_count];
  if (count > 0 && (!index || !value)) return cps_fail(error, CPS_BAD_ARGUMENT, "indices or values of W is NULL");
  for (int64_t k = 0; k < count; ++k) {
    if (index[k] < 0 || index[k] >= p->row_count) {
      return cps_fail(error, CPS_BAD_DATA, "entry %" PRId64 " of W has index %" PRId32 ", outside of %" PRId64 " rows",
                      k, index[k], p->row_count);
    }
  }
  int64_t bad = cps_build_find_bad(value, count);
  if (bad >= 0)
    return cps_fail(error, CPS_BAD_DATA, "entry %" PRId64 " of W is %g; it must be finite", bad, value[bad]);
  return CPS_OK;
}

// Contact of each scalar row.
static int32_t* contact_of_rows(const CpsProblem* p, CpsArena* arena) {
  int32_t* contact = CPS_TAKE(arena, int32_t, p->row_count);
  for (int32_t i = 0; contact && i < p->contact_count; ++i) {
    for (int64_t row = p->offset[i]; row < p->offset[i + 1]; ++row) contact[row] = i;
  }
  return contact;
}

static CpsStatus fill_from_csr(CpsProblem* p, bool trust_W, const int64_t* start, const int32_t* col,
                               const double* value, CpsProblem** problem, CpsError* error) {
  Pattern pattern;
  if (!pattern_begin(&pattern, p)) return out_of_memory(&pattern, p, error);
  const int32_t* contact = contact_of_rows(p, &pattern.scratch);
  if (!contact) return out_of_memory(&pattern, p, error);
  p->W.start[0] = 0;
  for (int32_t i = 0; i < p->contact_count; ++i) {
    bool ok = pattern_add(&pattern, i, i);
    for (int64_t k = start[p->offset[i]]; ok && k < start[p->offset[i + 1]]; ++k) {
      ok = pattern_add(&pattern, i, contact[col[k]]);
    }
    if (!ok) return out_of_memory(&pattern, p, error);
    pattern_end_row(&pattern, i);
  }
  if (!pattern_finish(&pattern)) return out_of_memory(&pattern, p, error);
  for (int32_t i = 0; i < p->contact_count; ++i) {
    pattern_enter_row(&pattern, i);
    for (int64_t row = p->offset[i]; row < p->offset[i + 1]; ++row) {
      for (int64_t k = start[row]; k < start[row + 1]; ++k) {
        int32_t j = contact[col[k]];
        int64_t inside = (row - p->offset[i]) * cps_contact_dim(p, j) + (col[k] - p->offset[j]);
        p->W.value[pattern.place[j] + inside] += value[k];
      }
    }
  }
  return finish(&pattern, p, trust_W, problem, error);
}

CpsStatus cps_problem_from_csr(const CpsContactsDef* contacts, const int64_t* row_start, const int32_t* col,
                               const double* value, CpsProblem** problem, CpsError* error) {
  if (!problem || !row_start) return cps_fail(error, CPS_BAD_ARGUMENT, "problem or row_start is NULL");
  CpsProblem* p;
  CpsStatus status = cps_build_contacts(contacts, &p, error);
  if (status != CPS_OK) return status;
  status = check_csr(p, row_start, col, value, error);
  if (status != CPS_OK) {
    cps_problem_destroy(p);
    return status;
  }
  return fill_from_csr(p, contacts->trust_W, row_start, col, value, problem, error);
}

CpsStatus cps_problem_from_csc(const CpsContactsDef* contacts, const int64_t* col_start, const int32_t* row,
                               const double* value, CpsProblem** problem, CpsError* error) {
  if (!problem || !col_start) return cps_fail(error, CPS_BAD_ARGUMENT, "problem or col_start is NULL");
  CpsProblem* p;
  CpsStatus status = cps_build_contacts(contacts, &p, error);
  if (status != CPS_OK) return status;
  status = check_csr(p, col_start, row, value, error);
  if (status != CPS_OK) {
    cps_problem_destroy(p);
    return status;
  }
  // to CSR by counting
  CpsArena arena = {0};
  int64_t rows = p->row_count, count = col_start[rows];
  int64_t* start = CPS_TAKE_ZERO(&arena, int64_t, rows + 2);
  int32_t* col = CPS_TAKE(&arena, int32_t, count);
  double* sorted = CPS_TAKE(&arena, double, count);
  if (!start || !col || !sorted) {
    cps_arena_free(&arena);
    cps_problem_destroy(p);
    return cps_fail(error, CPS_NO_MEMORY, "not enough memory for W");
  }
  for (int64_t k = 0; k < count; ++k) start[row[k] + 2]++;
  for (int64_t i = 0; i < rows; ++i) start[i + 2] += start[i + 1];
  for (int64_t j = 0; j < rows; ++j) {
    for (int64_t k = col_start[j]; k < col_start[j + 1]; ++k) {
      int64_t place = start[row[k] + 1]++;
      col[place] = (int32_t)j;
      sorted[place] = value[k];
    }
  }
  status = fill_from_csr(p, contacts->trust_W, start, col, sorted, problem, error);
  cps_arena_free(&arena);
  return status;
}
