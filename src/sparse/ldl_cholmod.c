// Sparse L D L^T by CHOLMOD (Chen, Davis, Hager and Rajamanickam 2008), in place of ldl.c in a build with
// CAPSTAN_CHOLMOD.
//
//   P A P^T = L L^T      supernodal, with BLAS; positive definite A with much work per entry                (1)
//   P A P^T = L D L^T    simplicial, any signs in D; all others                                             (2)
//
// CHOLMOD chooses by the work per entry of L; if a matrix proves not to be positive definite, its pattern uses (2) from
// then on. Neither pivots. The bits of (1) depend on the BLAS.
#include "sparse/ldl.h"

#include <assert.h>
#include <cholmod.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static_assert(sizeof(SuiteSparse_long) == sizeof(int64_t), "SuiteSparse_long has 64 bits");

// Separate, because a solve with a const CpsLdl writes here.
typedef struct Work {
  cholmod_common common;
  cholmod_dense *x, *y, *e;  // buffers of solves; created by the first solve with a factor
} Work;

struct CpsLdl {
  cholmod_sparse A;  // the caller's arrays; CHOLMOD does not write them
  cholmod_factor* L;
  Work* work;
  double* zero;
  int64_t root_count;
  bool no_memory;
};

// Entries on and below the diagonal of a supernode's columns, stored as one dense trapezoid.
static int64_t count_root(const cholmod_factor* L) {
  int64_t count = 0;
  if (L->is_super) {
    const SuiteSparse_long *super = L->super, *pi = L->pi;
    for (size_t s = 0; s < L->nsuper; s++) {
      int64_t cols = super[s + 1] - super[s], rows = pi[s + 1] - pi[s];
      count += cols * rows - cols * (cols - 1) / 2;
    }
  } else {
    const SuiteSparse_long* col_count = L->ColCount;
    for (size_t j = 0; j < L->n; j++) count += col_count[j];
  }
  return count;
}

CpsLdl* cps_ldl_create(int64_t n, const int64_t* col_start, const int64_t* row) {
  CpsLdl* ldl = calloc(1, sizeof *ldl);
  if (!ldl) return NULL;
  ldl->A.nrow = ldl->A.ncol = (size_t)n;
  if (n == 0) return ldl;
  ldl->work = calloc(1, sizeof *ldl->work);
  if (!ldl->work) goto failed;
  cholmod_common* common = &ldl->work->common;
  cholmod_l_start(common);
  common->print = 0;
  common->error_handler = NULL;
  common->try_catch = 1;  // no message if a matrix is not positive definite
  common->nmethods = 1;
  common->method[0].ordering = CHOLMOD_AMD;
  common->supernodal = CHOLMOD_AUTO;
  ldl->zero = calloc((size_t)n, sizeof *ldl->zero);
  if (!ldl->zero) goto failed;

  cholmod_sparse* A = &ldl->A;
  A->nzmax = (size_t)col_start[n];
  A->p = (void*)(uintptr_t)col_start;
  A->i = (void*)(uintptr_t)row;
  A->stype = 1;  // reads the upper triangle
  A->itype = CHOLMOD_LONG;
  A->xtype = CHOLMOD_PATTERN;
  A->dtype = CHOLMOD_DOUBLE;
  A->packed = 1;
  ldl->L = cholmod_l_analyze(A, common);
  if (!ldl->L) goto failed;
  ldl->root_count = count_root(ldl->L);
  return ldl;

failed:
  cps_ldl_destroy(ldl);
  return NULL;
}

void cps_ldl_destroy(CpsLdl* ldl) {
  if (!ldl) return;
  Work* work = ldl->work;
  if (work) {
    cholmod_l_free_dense(&work->x, &work->common);
    cholmod_l_free_dense(&work->y, &work->common);
    cholmod_l_free_dense(&work->e, &work->common);
    cholmod_l_free_factor(&ldl->L, &work->common);
    cholmod_l_finish(&work->common);
  }
  free(work);
  free(ldl->zero);
  free(ldl);
}

// Position of D_j, or of L_jj in (1), in supernode s.
static double* diagonal(const cholmod_factor* L, size_t s, SuiteSparse_long j) {
  double* value = L->x;
  if (!L->is_super) return value + ((SuiteSparse_long*)L->p)[j];
  const SuiteSparse_long *super = L->super, *pi = L->pi, *px = L->px;
  return value + px[s] + (j - super[s]) * (pi[s + 1] - pi[s] + 1);
}

// Whether the pivots are usable: not zero and not NaN, in (1) positive.
static bool good_pivots(const cholmod_factor* L) {
  size_t s = 0;
  for (size_t j = 0; j < L->n; j++) {
    if (L->is_super && (SuiteSparse_long)j == ((SuiteSparse_long*)L->super)[s + 1]) s++;
    double d = *diagonal(L, s, (SuiteSparse_long)j);
    if (!(L->is_super ? d > 0.0 : fabs(d) > 0.0)) return false;
  }
  return true;
}

static bool solve(const CpsLdl* ldl, double* x) {
  size_t n = ldl->A.nrow;
  cholmod_dense b = {.nrow = n, .ncol = 1, .nzmax = n, .d = n, .x = x, .xtype = CHOLMOD_REAL, .dtype = CHOLMOD_DOUBLE};
  Work* work = ldl->work;
  return cholmod_l_solve2(CHOLMOD_A, ldl->L, &b, NULL, &work->x, NULL, &work->y, &work->e, &work->common);
}

static bool factor(CpsLdl* ldl, const double* value) {
  cholmod_common* common = &ldl->work->common;
  cholmod_sparse A = ldl->A;
  A.x = (void*)(uintptr_t)value;
  A.xtype = CHOLMOD_REAL;
  bool done = cholmod_l_factorize(&A, ldl->L, common);
  if (ldl->L->is_super && done && (common->status == CHOLMOD_NOT_POSDEF || !good_pivots(ldl->L))) {
    common->supernodal = CHOLMOD_SIMPLICIAL;
    cholmod_factor* simplicial = cholmod_l_analyze(&ldl->A, common);
    if (!simplicial) return false;
    cholmod_l_free_factor(&ldl->L, common);
    ldl->L = simplicial;
    done = cholmod_l_factorize(&A, ldl->L, common);
  }
  if (!done || common->status != CHOLMOD_OK || !good_pivots(ldl->L)) return false;
  return solve(ldl, ldl->zero);  // allocates the memory of solves here, where a failure can be reported
}

bool cps_ldl_factor(CpsLdl* ldl, const double* value) {
  if (ldl->A.nrow == 0) return true;
  bool done = factor(ldl, value);
  int status = ldl->work->common.status;
  ldl->no_memory = !done && (status == CHOLMOD_OUT_OF_MEMORY || status == CHOLMOD_TOO_LARGE);
  return done;
}

bool cps_ldl_no_memory(const CpsLdl* ldl) {
  return ldl->no_memory;
}

void cps_ldl_solve(const CpsLdl* ldl, double* x) {
  size_t n = ldl->A.nrow;
  if (n == 0) return;
  if (solve(ldl, x)) {
    memcpy(x, ldl->work->x->x, n * sizeof *x);
  } else {
    for (size_t i = 0; i < n; i++) x[i] = NAN;  // unreachable: cps_ldl_factor has tried it
  }
}

int64_t cps_ldl_root_count(const CpsLdl* ldl) {
  return ldl->root_count;
}

// L L^T of (1), without the zeros that pad a supernode.
static void super_root(const cholmod_factor* L, int64_t* col_start, int64_t* row, double* value) {
  const SuiteSparse_long *super = L->super, *pi = L->pi, *P = L->Perm;
  int64_t at = 0;
  for (size_t s = 0; s < L->nsuper; s++) {
    const SuiteSparse_long* rows = (SuiteSparse_long*)L->s + pi[s];
    SuiteSparse_long height = pi[s + 1] - pi[s];
    for (SuiteSparse_long j = super[s]; j < super[s + 1]; j++) {
      const double* column = diagonal(L, s, j);
      SuiteSparse_long first = j - super[s];
      col_start[j] = at;
      for (SuiteSparse_long k = first; k < height; k++) {
        if (k > first && column[k - first] == 0.0) continue;
        row[at] = (int64_t)P[rows[k]];
        value[at++] = column[k - first];
      }
    }
  }
  col_start[L->n] = at;
}

static bool simplicial_root(const cholmod_factor* L, int64_t* col_start, int64_t* row, double* value) {
  const SuiteSparse_long *start = L->p, *index = L->i, *length = L->nz, *P = L->Perm;
  const double* entry = L->x;
  for (size_t j = 0; j < L->n; j++) {
    if (!(entry[start[j]] > 0.0)) return false;
  }
  int64_t at = 0;
  for (size_t j = 0; j < L->n; j++) {
    double root = sqrt(entry[start[j]]);
    col_start[j] = at;
    row[at] = (int64_t)P[j];
    value[at++] = root;
    for (SuiteSparse_long e = start[j] + 1; e < start[j] + length[j]; e++, at++) {
      row[at] = (int64_t)P[index[e]];
      value[at] = entry[e] * root;
    }
  }
  col_start[L->n] = at;
  return true;
}

bool cps_ldl_root(const CpsLdl* ldl, int64_t* col_start, int64_t* row, double* value) {
  if (ldl->A.nrow == 0) {
    col_start[0] = 0;
    return true;
  }
  if (!ldl->L->is_super) return simplicial_root(ldl->L, col_start, row, value);
  super_root(ldl->L, col_start, row, value);  // its pivots are positive
  return true;
}
