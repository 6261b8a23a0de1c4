// Sparse LU of an unsymmetric matrix: block triangular form, AMD ordering and left-looking LU of KLU (Davis and
// Palamadai Natarajan 2010, algorithm 907), rows scaled by their largest entry.
//
//   P R A Q = L U                                                                       (1)
//
// KLU has its own integer type; it may have another name than int64_t but has its size, so the pattern is passed unchanged.
#include "sparse/lu.h"

#include <assert.h>
#include <klu.h>
#include <stdlib.h>

static_assert(sizeof(SuiteSparse_long) == sizeof(int64_t), "SuiteSparse_long has 64 bits");

struct CpsLu {
  int64_t n;
  SuiteSparse_long* col_start;  // the caller's arrays; KLU's interface lacks const but does not write
  SuiteSparse_long* row;
  klu_l_common common;
  klu_l_symbolic* symbolic;  // NULL if the pattern is singular
  klu_l_numeric* numeric;
  bool no_memory;
};

CpsLu* cps_lu_create(int64_t n, const int64_t* col_start, const int64_t* row) {
  CpsLu* lu = calloc(1, sizeof *lu);
  if (!lu) return NULL;
  lu->n = n;
  lu->col_start = (SuiteSparse_long*)(uintptr_t)col_start;
  lu->row = (SuiteSparse_long*)(uintptr_t)row;
  if (!klu_l_defaults(&lu->common)) {
    free(lu);
    return NULL;
  }
  lu->common.halt_if_singular = 1;
  if (n == 0) return lu;
  lu->symbolic = klu_l_analyze((SuiteSparse_long)n, lu->col_start, lu->row, &lu->common);
  if (!lu->symbolic && lu->common.status == KLU_OUT_OF_MEMORY) {
    cps_lu_destroy(lu);
    return NULL;
  }
  // structurally singular: every factorisation will fail
  if (lu->symbolic && lu->common.structural_rank < n) klu_l_free_symbolic(&lu->symbolic, &lu->common);
  return lu;
}

void cps_lu_destroy(CpsLu* lu) {
  if (!lu) return;
  if (lu->numeric) klu_l_free_numeric(&lu->numeric, &lu->common);
  if (lu->symbolic) klu_l_free_symbolic(&lu->symbolic, &lu->common);
  free(lu);
}

bool cps_lu_factor(CpsLu* lu, const double* value) {
  if (lu->n == 0) return true;
  lu->no_memory = false;
  if (!lu->symbolic) return false;
  if (lu->numeric) klu_l_free_numeric(&lu->numeric, &lu->common);
  double* values = (double*)(uintptr_t)value;
  lu->numeric = klu_l_factor(lu->col_start, lu->row, values, lu->symbolic, &lu->common);
  if (lu->numeric && lu->common.status == KLU_OK) return true;
  lu->no_memory = lu->common.status == KLU_OUT_OF_MEMORY;
  if (lu->numeric) klu_l_free_numeric(&lu->numeric, &lu->common);
  return false;
}

bool cps_lu_no_memory(const CpsLu* lu) {
  return lu->no_memory;
}

void cps_lu_solve(CpsLu* lu, double* x) {
  if (lu->n == 0 || !lu->numeric) return;
  klu_l_solve(lu->symbolic, lu->numeric, (SuiteSparse_long)lu->n, 1, x, &lu->common);
}

double cps_lu_rcond(CpsLu* lu) {
  if (lu->n == 0) return 1.0;
  if (!lu->numeric || !klu_l_rcond(lu->symbolic, lu->numeric, &lu->common)) return 0.0;
  return lu->common.rcond;
}
