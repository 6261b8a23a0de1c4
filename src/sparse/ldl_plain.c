// Sparse L D L^T without other libraries, for builds without SuiteSparse: level-set ordering and up-looking factorisation.
//
//   P A P^T = L D L^T,   L unit lower triangular, D diagonal of any sign                    (1)
//
// Row k of L solves  L_(0..k-1) D y = a_k  for the column a_k of the permuted matrix above the diagonal; its pattern is the set
// of nodes that the elimination tree reaches from a_k (Liu 1990). No pivoting: stable for positive definite and quasi-definite
// A, not in general.
#include "sparse/ldl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sparse/order.h"

struct CpsLdl {
  int64_t n;
  const int64_t* col_start;  // the caller's
  const int64_t* row;
  int64_t* index;  // one block that holds the integer arrays below
  int64_t *order, *position, *parent, *filled, *seen, *path, *start;
  int64_t* L_row;
  double* L_value;
  double *D, *y, *x;
};

// Marks and lists the nodes on the way up the tree from `node` that row k has not visited. Returns their number.
static int64_t climb(CpsLdl* ldl, int64_t node, int64_t k, int64_t* list) {
  int64_t count = 0;
  for (; ldl->seen[node] != k; node = ldl->parent[node]) {
    if (ldl->parent[node] < 0) ldl->parent[node] = k;
    ldl->seen[node] = k;
    list[count++] = node;
  }
  return count;
}

// The elimination tree and the lengths of the columns of L.
static void analyse(CpsLdl* ldl) {
  for (int64_t k = 0; k < ldl->n; ++k) ldl->position[ldl->order[k]] = k;
  for (int64_t k = 0; k < ldl->n; ++k) {
    ldl->parent[k] = -1;
    ldl->seen[k] = k;
    for (int64_t e = ldl->col_start[ldl->order[k]]; e < ldl->col_start[ldl->order[k] + 1]; ++e) {
      int64_t i = ldl->position[ldl->row[e]];
      if (i >= k) continue;
      int64_t count = climb(ldl, i, k, ldl->path);
      for (int64_t p = 0; p < count; ++p) ldl->filled[ldl->path[p]]++;
    }
  }
  for (int64_t k = 0; k < ldl->n; ++k) ldl->start[k + 1] = ldl->start[k] + ldl->filled[k];
}

CpsLdl* cps_ldl_create(int64_t n, const int64_t* col_start, const int64_t* row) {
  CpsLdl* ldl = calloc(1, sizeof *ldl);
  if (!ldl) return NULL;
  *ldl = (CpsLdl){.n = n, .col_start = col_start, .row = row};
  if (n == 0) return ldl;
  size_t size = (size_t)n;
  ldl->index = calloc(7 * size + 1, sizeof *ldl->index);
  ldl->D = calloc(3 * size, sizeof *ldl->D);
  if (!ldl->index || !ldl->D) goto failed;
  int64_t** arrays[] = {&ldl->order, &ldl->position, &ldl->parent, &ldl->filled, &ldl->seen, &ldl->path, &ldl->start};
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i) *arrays[i] = ldl->index + i * size;
  ldl->y = ldl->D + size;
  ldl->x = ldl->y + size;
  if (!cps_pattern_order(n, col_start, row, ldl->order)) goto failed;
  analyse(ldl);
  size_t entries = (size_t)ldl->start[n];
  ldl->L_row = malloc((entries + 1) * sizeof *ldl->L_row);
  ldl->L_value = malloc((entries + 1) * sizeof *ldl->L_value);
  if (!ldl->L_row || !ldl->L_value) goto failed;
  return ldl;

failed:
  cps_ldl_destroy(ldl);
  return NULL;
}

void cps_ldl_destroy(CpsLdl* ldl) {
  if (!ldl) return;
  free(ldl->index);
  free(ldl->D);
  free(ldl->L_row);
  free(ldl->L_value);
  free(ldl);
}

// Column k of the permuted matrix into y, and the pattern of row k of L into path[top..n), children before parents. Returns top.
static int64_t gather_row(CpsLdl* ldl, int64_t k, const double* value) {
  int64_t top = ldl->n;
  ldl->seen[k] = k;
  for (int64_t e = ldl->col_start[ldl->order[k]]; e < ldl->col_start[ldl->order[k] + 1]; ++e) {
    int64_t i = ldl->position[ldl->row[e]];
    if (i > k) continue;
    ldl->y[i] += value[e];
    // the list grows at the front of `path` and moves to its end: both fit, because no node is in both
    int64_t count = climb(ldl, i, k, ldl->path);
    while (count > 0) ldl->path[--top] = ldl->path[--count];
  }
  return top;
}

bool cps_ldl_factor(CpsLdl* ldl, const double* value) {
  int64_t n = ldl->n;
  for (int64_t k = 0; k < n; ++k) {
    ldl->filled[k] = 0;
    ldl->seen[k] = -1;
    ldl->y[k] = 0.0;
  }
  for (int64_t k = 0; k < n; ++k) {
    int64_t top = gather_row(ldl, k, value);
    double d = ldl->y[k];
    ldl->y[k] = 0.0;
    for (int64_t p = top; p < n; ++p) {
      int64_t i = ldl->path[p], e = ldl->start[i], end = e + ldl->filled[i]++;
      double yi = ldl->y[i], l = yi / ldl->D[i];
      ldl->y[i] = 0.0;
      for (; e < end; ++e) ldl->y[ldl->L_row[e]] -= ldl->L_value[e] * yi;
      d -= l * yi;
      ldl->L_row[end] = k;
      ldl->L_value[end] = l;
    }
    ldl->D[k] = d;
    if (!(fabs(d) > 0.0)) return false;  // also NaN
  }
  return true;
}

bool cps_ldl_no_memory(const CpsLdl* ldl) {
  (void)ldl;  // cps_ldl_create allocates all memory
  return false;
}

void cps_ldl_solve(const CpsLdl* ldl, double* x) {
  int64_t n = ldl->n;
  double* z = ldl->x;
  for (int64_t k = 0; k < n; ++k) z[k] = x[ldl->order[k]];
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t e = ldl->start[j]; e < ldl->start[j + 1]; ++e) z[ldl->L_row[e]] -= ldl->L_value[e] * z[j];
  }
  for (int64_t j = 0; j < n; ++j) z[j] /= ldl->D[j];
  for (int64_t j = n - 1; j >= 0; --j) {
    for (int64_t e = ldl->start[j]; e < ldl->start[j + 1]; ++e) z[j] -= ldl->L_value[e] * z[ldl->L_row[e]];
  }
  for (int64_t k = 0; k < n; ++k) x[ldl->order[k]] = z[k];
}

int64_t cps_ldl_root_count(const CpsLdl* ldl) {
  return ldl->n == 0 ? 0 : ldl->n + ldl->start[ldl->n];
}

bool cps_ldl_root(const CpsLdl* ldl, int64_t* col_start, int64_t* row, double* value) {
  for (int64_t j = 0; j < ldl->n; ++j) {
    if (!(ldl->D[j] > 0.0)) return false;
  }
  int64_t at = 0;
  for (int64_t j = 0; j < ldl->n; ++j) {
    double root = sqrt(ldl->D[j]);
    col_start[j] = at;
    row[at] = ldl->order[j];
    value[at++] = root;
    for (int64_t e = ldl->start[j]; e < ldl->start[j + 1]; ++e, ++at) {
      row[at] = ldl->order[ldl->L_row[e]];
      value[at] = ldl->L_value[e] * root;
    }
  }
  col_start[ldl->n] = at;
  return true;
}
