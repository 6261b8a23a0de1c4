// Sparsity pattern and colours of elements, built once. Greedy colouring in the order of the elements.
#include "model/pattern.h"

#include <stdlib.h>
#include <string.h>

#include "core/error.h"

CpsLists cps_lists_even(CpsArena* arena, int64_t count, int length, int32_t* item) {
  CpsLists lists = {CPS_TAKE(arena, int64_t, count + 1), item};
  for (int64_t i = 0; lists.start && i <= count; ++i) lists.start[i] = length * i;
  return lists;
}

bool cps_lists_invert(const CpsLists* lists, int64_t count, int32_t target_count, CpsArena* arena, CpsLists* inverse) {
  int64_t items = lists->start[count];
  inverse->start = CPS_TAKE_ZERO(arena, int64_t, (int64_t)target_count + 1);
  inverse->item = CPS_TAKE(arena, int32_t, items);
  int64_t* next = malloc(((size_t)target_count + 1) * sizeof *next);
  if (!inverse->start || !inverse->item || !next) {
    free(next);
    return false;
  }
  for (int64_t k = 0; k < items; ++k) inverse->start[lists->item[k] + 1]++;
  for (int32_t i = 0; i < target_count; ++i) inverse->start[i + 1] += inverse->start[i];
  memcpy(next, inverse->start, ((size_t)target_count + 1) * sizeof *next);
  for (int64_t k = 0; k < items; ++k) inverse->item[next[lists->item[k]]++] = (int32_t)k;
  free(next);
  return true;
}

static int compare_columns(const void* a, const void* b) {
  int32_t x = *(const int32_t*)a, y = *(const int32_t*)b;
  return (x > y) - (x < y);
}

// Lookup data of a build: for each set, the elements of each node, and the element of each item.
typedef struct Search {
  const CpsLists* sets;
  int set_count;
  CpsLists of_node[2];
  int32_t* element[2];
  int32_t* stamp;
  int32_t* column;
} Search;

// The columns j <= i of row i, sorted; returns their number.
static int64_t row_columns(Search* s, int32_t i) {
  int64_t count = 0;
  s->column[count++] = i;
  s->stamp[i] = i;
  for (int k = 0; k < s->set_count; ++k) {
    const CpsLists *of_node = &s->of_node[k], *set = &s->sets[k];
    for (int64_t p = of_node->start[i]; p < of_node->start[i + 1]; ++p) {
      int32_t e = s->element[k][of_node->item[p]];
      for (int64_t q = set->start[e]; q < set->start[e + 1]; ++q) {
        int32_t j = set->item[q];
        if (j >= i || s->stamp[j] == i) continue;
        s->stamp[j] = i;
        s->column[count++] = j;
      }
    }
  }
  qsort(s->column, (size_t)count, sizeof *s->column, compare_columns);
  return count;
}

static bool prepare(Search* s, int32_t rows, const int32_t* element_count, CpsArena* scratch) {
  s->stamp = CPS_TAKE(scratch, int32_t, rows);
  s->column = CPS_TAKE(scratch, int32_t, rows);
  if (!s->stamp || !s->column) return false;
  for (int32_t i = 0; i < rows; ++i) s->stamp[i] = -1;
  for (int k = 0; k < s->set_count; ++k) {
    s->element[k] = CPS_TAKE(scratch, int32_t, s->sets[k].start[element_count[k]]);
    if (!s->element[k] || !cps_lists_invert(&s->sets[k], element_count[k], rows, scratch, &s->of_node[k])) return false;
    for (int32_t e = 0; e < element_count[k]; ++e) {
      for (int64_t q = s->sets[k].start[e]; q < s->sets[k].start[e + 1]; ++q) s->element[k][q] = e;
    }
  }
  return true;
}

CpsStatus cps_block_pattern_build(int32_t rows, const CpsLists* sets, const int32_t* element_count, int set_count,
                                  CpsArena* arena, CpsBlockPattern* pattern, CpsError* error) {
  CpsArena scratch = {0};
  Search s = {.sets = sets, .set_count = set_count};
  CpsStatus status = CPS_OK;
  pattern->rows = rows;
  pattern->start = CPS_TAKE(arena, int64_t, (int64_t)rows + 1);
  pattern->col = NULL;
  if (pattern->start && prepare(&s, rows, element_count, &scratch)) {
    pattern->start[0] = 0;
    for (int32_t i = 0; i < rows; ++i) pattern->start[i + 1] = pattern->start[i] + row_columns(&s, i);
    if (pattern->start[rows] > INT32_MAX) {
      status = cps_fail(error, CPS_BAD_DATA, "a mesh of %d nodes is too large", (int)rows);
    } else {
      pattern->col = CPS_TAKE(arena, int32_t, pattern->start[rows]);
      for (int32_t i = 0; i < rows; ++i) s.stamp[i] = -1;
    }
  }
  if (status == CPS_OK && !pattern->col) status = cps_fail(error, CPS_NO_MEMORY, "not enough memory for a mesh");
  for (int32_t i = 0; i < rows && status == CPS_OK; ++i) {
    int64_t count = row_columns(&s, i);
    memcpy(pattern->col + pattern->start[i], s.column, (size_t)count * sizeof *s.column);
  }
  cps_arena_free(&scratch);
  return status;
}

int32_t cps_block_pattern_find(const CpsBlockPattern* pattern, int32_t i, int32_t j) {
  int64_t first = pattern->start[i], last = pattern->start[i + 1];
  while (first < last) {
    int64_t middle = first + (last - first) / 2;
    if (pattern->col[middle] == j) return (int32_t)middle;
    if (pattern->col[middle] < j) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  return -1;
}

void cps_block_pattern_multiply(const CpsBlockPattern* pattern, const double* value, const double* x, double* y) {
  for (int32_t i = 0; i < pattern->rows; ++i) {
    for (int64_t k = pattern->start[i]; k < pattern->start[i + 1]; ++k) {
      const double* A = value + 9 * k;
      int64_t r = 3 * (int64_t)i, c = 3 * (int64_t)pattern->col[k];
      for (int a = 0; a < 3; ++a) y[r + a] += A[3 * a] * x[c] + A[3 * a + 1] * x[c + 1] + A[3 * a + 2] * x[c + 2];
      for (int b = 0; b < 3 && r != c; ++b) y[c + b] += A[b] * x[r] + A[3 + b] * x[r + 1] + A[6 + b] * x[r + 2];
    }
  }
}

void cps_block_add(double* value, double scale, const CpsMat3* A, bool turned) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) value[3 * i + j] += scale * (turned ? A->m[3 * j + i] : A->m[3 * i + j]);
  }
}

// The smallest colour not used by an element with a common node.
static int32_t free_colour(const CpsLists* elements, const CpsLists* of_node, const int32_t* owner, int32_t e,
                           const int32_t* colour, int32_t* taken) {
  for (int64_t q = elements->start[e]; q < elements->start[e + 1]; ++q) {
    int32_t n = elements->item[q];
    for (int64_t p = of_node->start[n]; p < of_node->start[n + 1]; ++p) {
      int32_t other = owner[of_node->item[p]];
      if (other >= e) break;  // not coloured yet
      taken[colour[other]] = e;
    }
  }
  int32_t c = 0;
  while (taken[c] == e) ++c;
  return c;
}

CpsStatus cps_colours_build(int32_t rows, const CpsLists* elements, int32_t element_count, CpsArena* arena,
                            CpsColours* colours, CpsError* error) {
  CpsArena scratch = {0};
  CpsLists of_node;
  int32_t* owner = CPS_TAKE(&scratch, int32_t, elements->start[element_count]);
  int32_t* colour = CPS_TAKE(&scratch, int32_t, element_count);
  int32_t* taken = CPS_TAKE(&scratch, int32_t, (int64_t)element_count + 1);
  colours->order = CPS_TAKE(arena, int32_t, element_count);
  bool ok =
      owner && colour && taken && colours->order && cps_lists_invert(elements, element_count, rows, &scratch, &of_node);
  colours->count = 0;
  for (int32_t e = 0; e < element_count && ok; ++e) {
    for (int64_t q = elements->start[e]; q < elements->start[e + 1]; ++q) owner[q] = e;
  }
  for (int32_t e = 0; e <= element_count && ok; ++e) taken[e] = -1;
  for (int32_t e = 0; e < element_count && ok; ++e) {
    colour[e] = free_colour(elements, &of_node, owner, e, colour, taken);
    if (colour[e] + 1 > colours->count) colours->count = colour[e] + 1;
  }
  colours->start = ok ? CPS_TAKE_ZERO(arena, int32_t, (int64_t)colours->count + 1) : NULL;
  if (!colours->start) {
    cps_arena_free(&scratch);
    return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a mesh");
  }
  for (int32_t e = 0; e < element_count; ++e) colours->start[colour[e] + 1]++;
  for (int32_t c = 0; c < colours->count; ++c) colours->start[c + 1] += colours->start[c];
  memcpy(taken, colours->start, (size_t)colours->count * sizeof *taken);
  for (int32_t e = 0; e < element_count; ++e) colours->order[taken[colour[e]]++] = e;
  cps_arena_free(&scratch);
  return CPS_OK;
}
