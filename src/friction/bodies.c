// Factors the implicit mass matrix body by body.
//
//   dense    P L U = D M_B D,  D = diag |M_ii|^-1/2: a scaling that makes metres and radians comparable     (1)
//   banded   L D L^T = M_B inside the band, no pivoting: for positive definite M_B                          (2)
//   sparse   M falls into connected components of its pattern, which are the bodies; the small ones are
//            treated as dense, the others by KLU on D M_B D, refactored each time a body is opened so that nothing
//            mutable is kept                                                                                (3)
#include "friction/bodies.h"

#include "core/error.h"
#include "core/sets.h"
#include "friction/build.h"
#include "sparse/dense.h"
#ifdef CAPSTAN_DIRECT
#include "sparse/lu.h"
#endif

#include <inttypes.h>
#include <math.h>
#include <string.h>

// Components up to this size are cheaper as dense blocks; without sparse factorisations all components are dense.
#ifdef CAPSTAN_DIRECT
enum { DENSE_COMPONENT_MAX = 48 };
#else
enum { DENSE_COMPONENT_MAX = 2000 };
#endif

static const double SINGULAR_TOLERANCE = 1e-14;

static CpsStatus no_memory(CpsError* error) {
  return cps_fail(error, CPS_NO_MEMORY, "not enough memory for the mass matrix");
}

static bool take_arrays(CpsArena* arena, CpsBodies* b) {
  b->dofs = CPS_TAKE(arena, int32_t, b->count);
  b->offset = CPS_TAKE(arena, int64_t, (int64_t)b->count + 1);
  b->dof = CPS_TAKE(arena, int32_t, b->dof_count);
  b->body_of = CPS_TAKE(arena, int32_t, b->dof_count);
  b->local_of = CPS_TAKE(arena, int32_t, b->dof_count);
  b->kind = CPS_TAKE_ZERO(arena, uint8_t, b->count);
  b->bandwidth = CPS_TAKE_ZERO(arena, int32_t, b->count);
  b->at = CPS_TAKE(arena, int64_t, (int64_t)b->count + 1);
  b->scale = CPS_TAKE(arena, double, b->dof_count);
  b->pivot = CPS_TAKE(arena, int, b->dof_count);
  return b->dofs && b->offset && b->dof && b->body_of && b->local_of && b->kind && b->bandwidth && b->at && b->scale &&
         b->pivot;
}

static CpsStatus fail_singular(const CpsBodies* b, int32_t body, CpsError* error) {
  if (b->mass_kind == CPS_MASS_SPARSE) {
    return cps_fail(error, CPS_BAD_DATA,
                    "the mass matrix is singular in the part that holds degree of freedom %" PRId32,
                    b->dof[b->offset[body]]);
  }
  return cps_fail(error, CPS_BAD_DATA, "the mass matrix of body %" PRId32 " is singular", body);
}

// (1)
static bool factor_dense(CpsBodies* b, int32_t body) {
  int n = b->dofs[body];
  double *A = b->value + b->at[body], *scale = b->scale + b->offset[body];
  for (int i = 0; i < n; i++) {
    double diagonal = fabs(A[(int64_t)i * n + i]);
    scale[i] = diagonal > 0.0 ? 1.0 / sqrt(diagonal) : 1.0;
  }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) A[(int64_t)i * n + j] *= scale[i] * scale[j];
  }
  return cps_dense_lu_factor(n, A, b->pivot + b->offset[body]);
}

// (2), row by row; L has a unit diagonal, so D is stored there
static bool factor_banded(CpsBodies* b, int32_t body) {
  int32_t n = b->dofs[body], k = b->bandwidth[body];
  double* A = b->value + b->at[body];
  for (int32_t i = 0; i < n; i++) {
    double* row_i = A + (int64_t)i * (k + 1) + k - i;  // row_i[j] is entry (i, j)
    double original = fabs(row_i[i]);
    int32_t first = i > k ? i - k : 0;
    for (int32_t j = first; j < i; j++) {
      const double* row_j = A + (int64_t)j * (k + 1) + k - j;
      int32_t l = j > k && j - k > first ? j - k : first;
      for (; l < j; l++) row_i[j] -= row_i[l] * row_j[l];  // row_i still holds L D to the right of the final entries
    }
    for (int32_t j = first; j < i; j++) {
      double d = A[(int64_t)j * (k + 1) + k];
      double l = row_i[j] / d;
      row_i[i] -= l * row_i[j];
      row_i[j] = l;
    }
    if (!(fabs(row_i[i]) > SINGULAR_TOLERANCE * original)) return false;
  }
  return true;
}

static void solve_banded(const CpsBodies* b, int32_t body, double* x) {
  int32_t n = b->dofs[body], k = b->bandwidth[body];
  const double* A = b->value + b->at[body];
  for (int32_t i = 0; i < n; i++) {
    const double* row = A + (int64_t)i * (k + 1) + k - i;
    for (int32_t j = i > k ? i - k : 0; j < i; j++) x[i] -= row[j] * x[j];
  }
  for (int32_t i = n - 1; i >= 0; i--) x[i] /= A[(int64_t)i * (k + 1) + k];
  for (int32_t i = n - 1; i >= 0; i--) {
    const double* row = A + (int64_t)i * (k + 1) + k - i;
    for (int32_t j = i > k ? i - k : 0; j < i; j++) x[j] -= row[j] * x[i];
  }
}

// Dense blocks and bands: the bodies are given and their dofs are in order.
static CpsStatus create_given(const CpsMass* M, CpsArena* arena, CpsBodies* b, CpsError* error) {
  bool banded = M->kind == CPS_MASS_BANDED;
  int64_t dofs = 0, values = 0;
  if (M->body_count < 0) return cps_fail(error, CPS_BAD_DATA, "the number of bodies is negative");
  if (M->body_count > 0 && (!M->body_dofs || !M->value || (banded && !M->bandwidth))) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "an array of the mass matrix is NULL");
  }
  b->count = M->body_count;
  if (!take_arrays(arena, b)) return no_memory(error);
  for (int32_t body = 0; body < b->count; body++) {
    int32_t n = M->body_dofs[body], k = banded ? M->bandwidth[body] : 0;
    if (n < 1 || n > b->dof_count - dofs) {
      return cps_fail(error, CPS_BAD_DATA,
                      "body %" PRId32 " has %" PRId32 " degrees of freedom, which does not fit the total of %" PRId64,
                      body, n, b->dof_count);
    }
    if (k < 0 || k >= n) {
      return cps_fail(error, CPS_BAD_DATA, "body %" PRId32 " of %" PRId32 " degrees of freedom has bandwidth %" PRId32,
                      body, n, k);
    }
    b->dofs[body] = n;
    b->offset[body] = dofs;
    b->bandwidth[body] = k;
    b->kind[body] = banded ? CPS_BODY_BANDED : CPS_BODY_DENSE;
    b->at[body] = values;
    for (int32_t i = 0; i < n; i++, dofs++) {
      b->dof[dofs] = (int32_t)dofs;
      b->body_of[dofs] = body;
      b->local_of[dofs] = i;
    }
    values += (int64_t)n * (banded ? k + 1 : n);
  }
  b->offset[b->count] = dofs;
  b->at[b->count] = values;
  if (dofs != b->dof_count) {
    return cps_fail(error, CPS_BAD_DATA, "the bodies have %" PRId64 " degrees of freedom together, not %" PRId64, dofs,
                    b->dof_count);
  }
  b->value = CPS_TAKE(arena, double, values);
  if (!b->value) return no_memory(error);
  if (values > 0) memcpy(b->value, M->value, (size_t)values * sizeof(double));
  for (int32_t body = 0; body < b->count; body++) {
    int32_t n = b->dofs[body], k = b->bandwidth[body];
    for (int32_t i = 0; banded && i < k; i++) {  // entries left of the matrix are ignored
      for (int32_t j = 0; j < k - i; j++) b->value[b->at[body] + (int64_t)i * (k + 1) + j] = 0.0;
    }
    int64_t bad = cps_build_find_bad(b->value + b->at[body], b->at[body + 1] - b->at[body]);
    if (bad >= 0) {
      return cps_fail(error, CPS_BAD_DATA, "the mass matrix of body %" PRId32 " holds %g in row %" PRId64, body,
                      b->value[b->at[body] + bad], bad / (banded ? k + 1 : n));
    }
    if (!(banded ? factor_banded(b, body) : factor_dense(b, body))) return fail_singular(b, body, error);
  }
  return CPS_OK;
}

CpsStatus cps_bodies_check_sparse(const CpsMass* M, CpsError* error) {
  if (M->dof_count < 0 || M->dof_count > INT32_MAX) {
    return cps_fail(error, CPS_BAD_DATA, "the mass matrix has %" PRId64 " degrees of freedom", M->dof_count);
  }
  if (!M->col_start) return cps_fail(error, CPS_BAD_ARGUMENT, "an array of the mass matrix is NULL");
  if (M->col_start[0] != 0) return cps_fail(error, CPS_BAD_DATA, "the columns of the mass matrix do not start at 0");
  for (int64_t j = 0; j < M->dof_count; j++) {
    if (M->col_start[j + 1] < M->col_start[j]) {
      return cps_fail(error, CPS_BAD_DATA, "column %" PRId64 " of the mass matrix has a negative length", j);
    }
    if (M->col_start[j + 1] > 0 && (!M->row || !M->value)) {
      return cps_fail(error, CPS_BAD_ARGUMENT, "an array of the mass matrix is NULL");
    }
    for (int64_t k = M->col_start[j]; k < M->col_start[j + 1]; k++) {
      if (M->row[k] < 0 || M->row[k] >= M->dof_count) {
        return cps_fail(error, CPS_BAD_DATA, "column %" PRId64 " of the mass matrix has row index %" PRId32, j,
                        M->row[k]);
      }
      if (!isfinite(M->value[k])) {
        return cps_fail(error, CPS_BAD_DATA, "the mass matrix holds %g in column %" PRId64, M->value[k], j);
      }
    }
  }
  return CPS_OK;
}

// Components of the pattern, numbered by their first dof: body of each dof; returns their number.
static int32_t find_components(const CpsMass* M, int32_t* parent, int32_t* body_of) {
  int32_t m = (int32_t)M->dof_count, count = 0;
  for (int32_t i = 0; i < m; i++) parent[i] = i;
  for (int32_t j = 0; j < m; j++) {
    for (int64_t k = M->col_start[j]; k < M->col_start[j + 1]; k++) {
      cps_sets_join(parent, M->row[k], j);
    }
  }
  for (int32_t i = 0; i < m; i++) {  // the root of a component is its first dof
    int32_t root = cps_sets_root(parent, i);
    body_of[i] = root == i ? count++ : body_of[root];
  }
  return count;
}

// D M_B D as in (1)
static void scale_sparse(CpsBodies* b, int32_t body) {
  int32_t n = b->dofs[body];
  const int64_t *col_start = b->col_start + b->offset[body] + body, *row = b->row + b->at[body];
  double *value = b->value + b->at[body], *scale = b->scale + b->offset[body];
  for (int32_t j = 0; j < n; j++) {
    scale[j] = 1.0;
    for (int64_t k = col_start[j]; k < col_start[j + 1]; k++) {
      if (row[k] == j && value[k] != 0.0) scale[j] = 1.0 / sqrt(fabs(value[k]));
    }
  }
  for (int32_t j = 0; j < n; j++) {
    for (int64_t k = col_start[j]; k < col_start[j + 1]; k++) value[k] *= scale[row[k]] * scale[j];
  }
}

// Copies the columns of one component, repeated entries added, as a dense block or in CSC.
static void copy_component(const CpsMass* M, CpsBodies* b, int32_t body, int64_t* last, int64_t* end) {
  int32_t n = b->dofs[body];
  const int32_t* dof = b->dof + b->offset[body];
  double* value = b->value + b->at[body];
  if (b->kind[body] == CPS_BODY_DENSE) {
    memset(value, 0, (size_t)n * (size_t)n * sizeof(double));
    for (int32_t j = 0; j < n; j++) {
      for (int64_t k = M->col_start[dof[j]]; k < M->col_start[dof[j] + 1]; k++) {
        value[(int64_t)b->local_of[M->row[k]] * n + j] += M->value[k];
      }
    }
    *end = b->at[body] + (int64_t)n * n;
    return;
  }
  int64_t* col_start = b->col_start + b->offset[body] + body;
  int64_t entries = 0;
  for (int32_t j = 0; j < n; j++) {
    col_start[j] = entries;
    for (int64_t k = M->col_start[dof[j]]; k < M->col_start[dof[j] + 1]; k++) {
      int32_t i = M->row[k];
      // last[i]: where this column stored row i; a value below col_start[j] belongs to an earlier column
      if (last[i] >= col_start[j]) {
        value[last[i]] += M->value[k];
        continue;
      }
      last[i] = entries;
      b->row[b->at[body] + entries] = b->local_of[i];
      value[entries++] = M->value[k];
    }
  }
  col_start[n] = entries;
  *end = b->at[body] + entries;
  scale_sparse(b, body);
}

// Sparse M: its components become the bodies.
static CpsStatus create_sparse(const CpsMass* M, CpsArena* arena, CpsBodies* b, CpsError* error) {
  CpsStatus status = cps_bodies_check_sparse(M, error);
  if (status != CPS_OK) return status;
  int64_t m = M->dof_count;
  CpsArena scratch = {0};
  int32_t *parent = CPS_TAKE(&scratch, int32_t, m), *body_of = CPS_TAKE(&scratch, int32_t, m);
  int64_t* last = CPS_TAKE(&scratch, int64_t, m);
  if (!parent || !body_of || !last) {
    status = no_memory(error);
    goto done;
  }
  b->count = find_components(M, parent, body_of);
  int64_t capacity = M->col_start[m];  // of all sparse bodies; each dense one adds at most its square
  int32_t* sizes = parent;
  memset(sizes, 0, (size_t)m * sizeof *sizes);
  for (int64_t i = 0; i < m; i++) sizes[body_of[i]]++;
  for (int32_t body = 0; body < b->count; body++) {
    if (sizes[body] <= DENSE_COMPONENT_MAX) capacity += (int64_t)sizes[body] * sizes[body];
  }
  b->value = CPS_TAKE(arena, double, capacity);
  b->row = CPS_TAKE(arena, int64_t, capacity);
  b->col_start = CPS_TAKE(arena, int64_t, m + b->count);
  if (!b->value || !b->row || !b->col_start || !take_arrays(arena, b)) {
    status = no_memory(error);
    goto done;
  }
  int64_t dofs = 0;
  for (int32_t body = 0; body < b->count; body++) {
    b->offset[body] = dofs;
    b->dofs[body] = 0;
    dofs += sizes[body];
    b->kind[body] = sizes[body] <= DENSE_COMPONENT_MAX ? CPS_BODY_DENSE : CPS_BODY_SPARSE;
#ifndef CAPSTAN_DIRECT
    if (b->kind[body] == CPS_BODY_SPARSE) {
      status = cps_fail(error, CPS_UNSUPPORTED,
                        "a sparse mass matrix with %" PRId32
                        " coupled degrees of freedom needs a build with the direct methods",
                        sizes[body]);
      goto done;
    }
#endif
  }
  b->offset[b->count] = dofs;
  for (int32_t i = 0; i < m; i++) {
    int32_t body = body_of[i];
    b->body_of[i] = body;
    b->local_of[i] = b->dofs[body]++;
    b->dof[b->offset[body] + b->local_of[i]] = i;
    last[i] = -1;
  }
  int64_t end = 0;
  for (int32_t body = 0; body < b->count; body++) {
    b->at[body] = end;
    copy_component(M, b, body, last, &end);
    if (b->kind[body] == CPS_BODY_DENSE && !factor_dense(b, body)) {
      status = fail_singular(b, body, error);
      goto done;
    }
  }
  b->at[b->count] = end;
done:
  cps_arena_free(&scratch);
  return status;
}

CpsStatus cps_bodies_create(const CpsMass* M, CpsArena* arena, CpsBodies* bodies, CpsError* error) {
  *bodies = (CpsBodies){.dof_count = M->dof_count, .mass_kind = M->kind};
  if (M->dof_count < 0 || M->dof_count > INT32_MAX) {
    return cps_fail(error, CPS_BAD_DATA, "the mass matrix has %" PRId64 " degrees of freedom", M->dof_count);
  }
  switch (M->kind) {
    case CPS_MASS_DENSE_BLOCKS:
    case CPS_MASS_BANDED:
      return create_given(M, arena, bodies, error);
    case CPS_MASS_SPARSE:
      return create_sparse(M, arena, bodies, error);
  }
  return cps_fail(error, CPS_BAD_ARGUMENT, "unknown kind of mass matrix %d", (int)M->kind);
}

CpsStatus cps_body_open(const CpsBodies* bodies, int32_t body, CpsBodySolver* solver, CpsError* error) {
  *solver = (CpsBodySolver){.bodies = bodies, .body = body};
  if (bodies->kind[body] != CPS_BODY_SPARSE) return CPS_OK;
#ifdef CAPSTAN_DIRECT
  CpsLu* lu = cps_lu_create(bodies->dofs[body], bodies->col_start + bodies->offset[body] + body,
                            bodies->row + bodies->at[body]);
  if (!lu) return no_memory(error);
  if (!cps_lu_factor(lu, bodies->value + bodies->at[body]) || !(cps_lu_rcond(lu) > SINGULAR_TOLERANCE)) {
    bool memory = cps_lu_no_memory(lu);
    cps_lu_destroy(lu);
    return memory ? no_memory(error) : fail_singular(bodies, body, error);
  }
  solver->lu = lu;
  return CPS_OK;
#else
  return cps_fail(error, CPS_UNSUPPORTED, "a large sparse mass matrix needs a build with the direct methods");
#endif
}

void cps_body_solve(const CpsBodySolver* solver, double* x) {
  const CpsBodies* b = solver->bodies;
  int32_t body = solver->body;
  if (b->kind[body] == CPS_BODY_BANDED) {
    solve_banded(b, body, x);
    return;
  }
  const double* scale = b->scale + b->offset[body];
  int n = b->dofs[body];
  for (int i = 0; i < n; i++) x[i] *= scale[i];
  if (b->kind[body] == CPS_BODY_DENSE) cps_dense_lu_solve(n, b->value + b->at[body], b->pivot + b->offset[body], x);
#ifdef CAPSTAN_DIRECT
  if (b->kind[body] == CPS_BODY_SPARSE) cps_lu_solve(solver->lu, x);
#endif
  for (int i = 0; i < n; i++) x[i] *= scale[i];
}

void cps_body_close(CpsBodySolver* solver) {
#ifdef CAPSTAN_DIRECT
  cps_lu_destroy(solver->lu);
#endif
  solver->lu = NULL;
}
