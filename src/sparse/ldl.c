// Sparse L D L^T with the approximate minimum degree ordering of AMD (Amestoy, Davis and Duff 2004) and the up-looking
// factorisation of LDL (Davis 2005).
//
//   P A P^T = L D L^T,   L unit lower triangular, D diagonal of any sign                    (1)
//
// There is no pivoting: stable for positive definite and quasi-definite A, not in general.
#include "sparse/ldl.h"

#include <amd.h>
#include <assert.h>
#include <ldl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static_assert(sizeof(SuiteSparse_long) == sizeof(int64_t), "SuiteSparse_long has 64 bits");

struct CpsLdl {
  SuiteSparse_long n;
  SuiteSparse_long* col_start;  // the caller's arrays; LDL's interface lacks const but does not write
  SuiteSparse_long* row;
  SuiteSparse_long* index;  // one block that holds the integer arrays below
  SuiteSparse_long *P, *P_inverse, *parent, *l_count, *flag, *pattern, *L_start;
  SuiteSparse_long* L_row;
  double* L_value;
  double *D, *Y;
  double* x_permuted;
};

CpsLdl* cps_ldl_create(int64_t n, const int64_t* col_start, const int64_t* row) {
  CpsLdl* ldl = calloc(1, sizeof *ldl);
  if (!ldl) return NULL;
  ldl->n = (SuiteSparse_long)n;
  ldl->col_start = (SuiteSparse_long*)(uintptr_t)col_start;
  ldl->row = (SuiteSparse_long*)(uintptr_t)row;
  if (n == 0) return ldl;
  size_t size = (size_t)n;
  ldl->index = calloc(7 * size + 1, sizeof *ldl->index);
  ldl->D = calloc(3 * size, sizeof *ldl->D);
  if (!ldl->index || !ldl->D) goto failed;
  ldl->P = ldl->index;
  ldl->P_inverse = ldl->P + size;
  ldl->parent = ldl->P_inverse + size;
  ldl->l_count = ldl->parent + size;
  ldl->flag = ldl->l_count + size;
  ldl->pattern = ldl->flag + size;
  ldl->L_start = ldl->pattern + size;
  ldl->Y = ldl->D + size;
  ldl->x_permuted = ldl->Y + size;

  SuiteSparse_long ordered = amd_l_order(ldl->n, ldl->col_start, ldl->row, ldl->P, NULL, NULL);
  if (ordered != AMD_OK && ordered != AMD_OK_BUT_JUMBLED) goto failed;
  ldl_l_symbolic(ldl->n, ldl->col_start, ldl->row, ldl->L_start, ldl->parent, ldl->l_count, ldl->flag, ldl->P,
                 ldl->P_inverse);
  size_t entries = (size_t)ldl->L_start[size];
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

bool cps_ldl_factor(CpsLdl* ldl, const double* value) {
  if (ldl->n == 0) return true;
  double* values = (double*)(uintptr_t)value;
  memset(ldl->Y, 0, (size_t)ldl->n * sizeof *ldl->Y);  // LDL leaves it dirty after a zero pivot
  SuiteSparse_long done =
      ldl_l_numeric(ldl->n, ldl->col_start, ldl->row, values, ldl->L_start, ldl->parent, ldl->l_count, ldl->L_row,
                    ldl->L_value, ldl->D, ldl->Y, ldl->pattern, ldl->flag, ldl->P, ldl->P_inverse);
  if (done != ldl->n) return false;
  for (SuiteSparse_long i = 0; i < ldl->n; i++) {
    if (!(fabs(ldl->D[i]) > 0.0)) return false;  // also NaN, which LDL lets pass
  }
  return true;
}

bool cps_ldl_no_memory(const CpsLdl* ldl) {
  (void)ldl;  // cps_ldl_create allocates all memory
  return false;
}

void cps_ldl_solve(const CpsLdl* ldl, double* x) {
  if (ldl->n == 0) return;
  ldl_l_perm(ldl->n, ldl->x_permuted, x, ldl->P);
  ldl_l_lsolve(ldl->n, ldl->x_permuted, ldl->L_start, ldl->L_row, ldl->L_value);
  ldl_l_dsolve(ldl->n, ldl->x_permuted, ldl->D);
  ldl_l_ltsolve(ldl->n, ldl->x_permuted, ldl->L_start, ldl->L_row, ldl->L_value);
  ldl_l_permt(ldl->n, x, ldl->x_permuted, ldl->P);
}

int64_t cps_ldl_root_count(const CpsLdl* ldl) {
  return ldl->n == 0 ? 0 : (int64_t)(ldl->n + ldl->L_start[ldl->n]);
}

bool cps_ldl_root(const CpsLdl* ldl, int64_t* col_start, int64_t* row, double* value) {
  for (SuiteSparse_long j = 0; j < ldl->n; j++) {
    if (!(ldl->D[j] > 0.0)) return false;
  }
  int64_t at = 0;
  for (SuiteSparse_long j = 0; j < ldl->n; j++) {
    double root = sqrt(ldl->D[j]);
    col_start[j] = at;
    row[at] = (int64_t)ldl->P[j];
    value[at++] = root;
    for (SuiteSparse_long e = ldl->L_start[j]; e < ldl->L_start[j + 1]; e++, at++) {
      row[at] = (int64_t)ldl->P[ldl->L_row[e]];
      value[at] = ldl->L_value[e] * root;
    }
  }
  col_start[ldl->n] = at;
  return true;
}
