// Sparse LU without other libraries, for builds without SuiteSparse: columns in a level-set order, left-looking, rows scaled by their
// largest entry, partial pivoting that prefers the diagonal.
//
//   P R A Q = L U                                                                       (1)
//
// Column k of L and U solves  L x = R a_q  with the existing columns of L; a depth-first search from the entries of a_q finds the columns
// involved (Gilbert and Peierls 1988), so the work is proportional to the arithmetic.
#include "sparse/lu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sparse/order.h"

static const double DIAGONAL_ENOUGH = 1e-3;  // relative to the largest entry: fill matters more than growth

// Columns of a triangle, growing as they are found.
typedef struct Triangle {
  int64_t* start;
  int64_t* row;
  double* value;
  int64_t count, room;
} Triangle;

struct CpsLu {
  int64_t n;
  const int64_t* col_start;  // the caller's
  const int64_t* row;
  int64_t* index;  // one block that holds the integer arrays below
  int64_t *order, *pivot, *seen, *list, *stack, *place;
  double* number;  // one block that holds the arrays below
  double *scale, *diagonal, *x;
  Triangle L, U;  // L has rows of A, and pivot numbers once complete
  bool factored, no_memory;
};

CpsLu* cps_lu_create(int64_t n, const int64_t* col_start, const int64_t* row) {
  CpsLu* lu = calloc(1, sizeof *lu);
  if (!lu) return NULL;
  *lu = (CpsLu){.n = n, .col_start = col_start, .row = row};
  if (n == 0) return lu;
  size_t size = (size_t)n;
  lu->index = calloc(8 * size + 2, sizeof *lu->index);
  lu->number = calloc(3 * size, sizeof *lu->number);
  if (!lu->index || !lu->number) goto failed;
  int64_t** arrays[] = {&lu->order, &lu->pivot, &lu->seen,    &lu->list,
                        &lu->stack, &lu->place, &lu->L.start, &lu->U.start};
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i) *arrays[i] = lu->index + i * size;
  lu->U.start++;  // after the n + 1 starts of L
  lu->scale = lu->number;
  lu->diagonal = lu->number + size;
  lu->x = lu->number + 2 * size;
  if (!cps_pattern_order(n, col_start, row, lu->order)) goto failed;
  return lu;

failed:
  cps_lu_destroy(lu);
  return NULL;
}

static void free_triangle(Triangle* triangle) {
  free(triangle->row);
  free(triangle->value);
}

void cps_lu_destroy(CpsLu* lu) {
  if (!lu) return;
  free_triangle(&lu->L);
  free_triangle(&lu->U);
  free(lu->index);
  free(lu->number);
  free(lu);
}

// Room for one more column.
static bool reserve(Triangle* triangle, int64_t count) {
  if (triangle->count + count <= triangle->room) return true;
  int64_t room = 2 * triangle->room + count;
  int64_t* row = realloc(triangle->row, (size_t)room * sizeof *row);
  if (row) triangle->row = row;
  double* value = realloc(triangle->value, (size_t)room * sizeof *value);
  if (value) triangle->value = value;
  if (!row || !value) return false;
  triangle->room = room;
  return true;
}

static void put(Triangle* triangle, int64_t row, double value) {
  triangle->row[triangle->count] = row;
  triangle->value[triangle->count++] = value;
}

// Rows reached from `from` through the columns of L, into list[.. top), each after all it reaches. Returns the new top.
static int64_t search(CpsLu* lu, int64_t from, int64_t k, int64_t top) {
  int64_t depth = 0;
  lu->stack[0] = from;
  lu->place[0] = -1;
  while (depth >= 0) {
    int64_t i = lu->stack[depth], column = lu->pivot[i];
    if (lu->place[depth] < 0) {
      lu->seen[i] = k;
      lu->place[depth] = column < 0 ? 0 : lu->L.start[column];
    }
    int64_t end = column < 0 ? 0 : lu->L.start[column + 1];
    while (lu->place[depth] < end && lu->seen[lu->L.row[lu->place[depth]]] == k) lu->place[depth]++;
    if (lu->place[depth] < end) {
      int64_t next = lu->L.row[lu->place[depth]++];
      lu->stack[++depth] = next;
      lu->place[depth] = -1;
    } else {
      lu->list[--top] = i;
      depth--;
    }
  }
  return top;
}

// x = L^-1 R a for a column of A; its rows are list[top .. n). Returns top.
static int64_t solve_column(CpsLu* lu, int64_t column, int64_t k, const double* value) {
  int64_t n = lu->n, top = n, first = lu->col_start[column], last = lu->col_start[column + 1];
  for (int64_t e = first; e < last; ++e) {
    if (lu->seen[lu->row[e]] != k) top = search(lu, lu->row[e], k, top);
  }
  for (int64_t p = top; p < n; ++p) lu->x[lu->list[p]] = 0.0;
  for (int64_t e = first; e < last; ++e) lu->x[lu->row[e]] += lu->scale[lu->row[e]] * value[e];
  for (int64_t p = top; p < n; ++p) {
    int64_t i = lu->list[p], j = lu->pivot[i];
    if (j < 0) continue;
    for (int64_t e = lu->L.start[j]; e < lu->L.start[j + 1]; ++e) lu->x[lu->L.row[e]] -= lu->L.value[e] * lu->x[i];
  }
  return top;
}

// The row of the next pivot, -1: there is none.
static int64_t choose_pivot(const CpsLu* lu, int64_t column, int64_t top) {
  int64_t best = -1;
  double largest = 0.0;
  for (int64_t p = top; p < lu->n; ++p) {
    int64_t i = lu->list[p];
    if (lu->pivot[i] >= 0 || !(fabs(lu->x[i]) > largest)) continue;
    largest = fabs(lu->x[i]);
    best = i;
  }
  bool has_diagonal = best >= 0 && lu->pivot[column] < 0 && lu->seen[column] == lu->seen[best];
  return has_diagonal && fabs(lu->x[column]) >= DIAGONAL_ENOUGH * largest ? column : best;
}

static bool factor_column(CpsLu* lu, int64_t k, const double* value) {
  int64_t column = lu->order[k], top = solve_column(lu, column, k, value), row = choose_pivot(lu, column, top);
  if (row < 0 || !isfinite(lu->x[row])) return false;
  if (!reserve(&lu->L, lu->n - top) || !reserve(&lu->U, lu->n - top)) {
    lu->no_memory = true;
    return false;
  }
  double pivot = lu->diagonal[k] = lu->x[row];
  for (int64_t p = top; p < lu->n; ++p) {
    int64_t i = lu->list[p];
    if (lu->pivot[i] >= 0) {
      put(&lu->U, lu->pivot[i], lu->x[i]);
    } else if (i != row) {
      put(&lu->L, i, lu->x[i] / pivot);
    }
  }
  lu->pivot[row] = k;
  lu->L.start[k + 1] = lu->L.count;
  lu->U.start[k + 1] = lu->U.count;
  return true;
}

// One over the largest entry of each row. False: a row is empty, or an entry is not finite.
static bool scale_rows(CpsLu* lu, const double* value) {
  int64_t entries = lu->col_start[lu->n];
  for (int64_t i = 0; i < lu->n; ++i) lu->scale[i] = 0.0;
  for (int64_t e = 0; e < entries; ++e) {
    if (!(fabs(value[e]) <= lu->scale[lu->row[e]])) lu->scale[lu->row[e]] = fabs(value[e]);
  }
  bool good = true;
  for (int64_t i = 0; i < lu->n; ++i) {
    good = good && lu->scale[i] > 0.0 && isfinite(lu->scale[i]);
    lu->scale[i] = 1.0 / lu->scale[i];
  }
  return good;
}

bool cps_lu_factor(CpsLu* lu, const double* value) {
  lu->no_memory = false;
  lu->factored = false;
  if (lu->n > 0 && !scale_rows(lu, value)) return false;
  lu->L.count = lu->U.count = 0;
  for (int64_t i = 0; i < lu->n; ++i) lu->pivot[i] = lu->seen[i] = -1;
  for (int64_t k = 0; k < lu->n; ++k) {
    if (!factor_column(lu, k, value)) return false;
  }
  for (int64_t e = 0; e < lu->L.count; ++e) lu->L.row[e] = lu->pivot[lu->L.row[e]];
  lu->factored = true;
  return true;
}

bool cps_lu_no_memory(const CpsLu* lu) {
  return lu->no_memory;
}

void cps_lu_solve(CpsLu* lu, double* x) {
  if (lu->n == 0 || !lu->factored) return;
  double* z = lu->x;
  for (int64_t i = 0; i < lu->n; ++i) z[lu->pivot[i]] = lu->scale[i] * x[i];
  for (int64_t k = 0; k < lu->n; ++k) {
    for (int64_t e = lu->L.start[k]; e < lu->L.start[k + 1]; ++e) z[lu->L.row[e]] -= lu->L.value[e] * z[k];
  }
  for (int64_t k = lu->n - 1; k >= 0; --k) {
    z[k] /= lu->diagonal[k];
    for (int64_t e = lu->U.start[k]; e < lu->U.start[k + 1]; ++e) z[lu->U.row[e]] -= lu->U.value[e] * z[k];
  }
  for (int64_t k = 0; k < lu->n; ++k) x[lu->order[k]] = z[k];
}

double cps_lu_rcond(CpsLu* lu) {
  if (lu->n == 0) return 1.0;
  if (!lu->factored) return 0.0;
  double least = INFINITY, most = 0.0;
  for (int64_t k = 0; k < lu->n; ++k) {
    least = fmin(least, fabs(lu->diagonal[k]));
    most = fmax(most, fabs(lu->diagonal[k]));
  }
  return least / most;
}
