// A global form with large members:  M v = H^T r + f,  u = H v + w. M and H are kept.
//
// Degrees of freedom form nodes of three, the last one padded with unit masses. b = w + H M^-1 f with the factor of M.
#include "friction/global_sparse.h"

#include "core/error.h"
#include "friction/build.h"
#include "friction/sparse_part.h"
#include "sparse/block_matrix.h"

#include <math.h>
#include <string.h>

// |M_ij - M_ji| up to this share of the largest entry is rounding.
static const double ASYMMETRY = 1e-12;

typedef struct Nodes {
  int32_t count;
  int64_t* start;
  int32_t* column;
  double *lower, *upper;  // blocks from the entries below and above the diagonal blocks; diagonal blocks are in both
  int64_t* term_start;
  int32_t* term;
  double* A;
} Nodes;

// Columns come in ascending order, so appending them to the rows keeps these sorted. The diagonal comes last in a row,
// whether or not M has it.
static bool make_pattern(const CpsMass* M, CpsArena* arena, Nodes* x) {
  int32_t m = (int32_t)M->dof_count;
  x->start = CPS_TAKE_ZERO(arena, int64_t, (int64_t)x->count + 2);
  int32_t* last = CPS_TAKE(arena, int32_t, x->count);
  if (!x->start || !last) return false;
  for (int pass = 0; pass < 2; ++pass) {  // count two positions ahead, then fill one ahead
    for (int32_t k = 0; k < x->count; ++k) last[k] = -1;
    for (int32_t j = 0; j < m; ++j) {
      for (int64_t e = M->col_start[j]; e < M->col_start[j + 1]; ++e) {
        int32_t row = M->row[e] / 3, column = j / 3;
        if (row <= column || last[row] == column) continue;
        last[row] = column;
        if (pass == 0) x->start[row + 2]++;
        if (pass == 1) x->column[x->start[row + 1]++] = column;
      }
      if (j % 3 != 2 && j + 1 != m) continue;
      if (pass == 0) x->start[j / 3 + 2]++;
    }
    if (pass == 1) break;
    for (int32_t k = 0; k < x->count; ++k) x->start[k + 2] += x->start[k + 1];
    x->column = CPS_TAKE(arena, int32_t, x->start[x->count + 1]);
    if (!x->column) return false;
  }
  for (int32_t k = 0; k < x->count; ++k) x->column[x->start[k + 1]++] = k;
  return true;
}

static int64_t find_block(const Nodes* x, int32_t row, int32_t column) {
  return cps_column_find(x->column, x->start[row], x->start[row + 1], column);
}

// Fills both triangles; false if they differ.
static bool fill_blocks(const CpsMass* M, Nodes* x) {
  double largest = 0.0;
  for (int32_t j = 0; j < M->dof_count; ++j) {
    for (int64_t e = M->col_start[j]; e < M->col_start[j + 1]; ++e) {
      int32_t i = M->row[e], row = i / 3, column = j / 3;
      int64_t k = row >= column ? find_block(x, row, column) : find_block(x, column, row);
      if (k < 0 && M->value[e] != 0.0) return false;
      if (k < 0) continue;
      if (row >= column) x->lower[9 * k + 3 * (i % 3) + j % 3] += M->value[e];
      if (row <= column) x->upper[9 * k + 3 * (j % 3) + i % 3] += M->value[e];
      largest = fmax(largest, fabs(M->value[e]));
    }
  }
  for (int64_t e = 0; e < 9 * x->start[x->count]; ++e) {
    if (fabs(x->lower[e] - x->upper[e]) > ASYMMETRY * largest) return false;
  }
  for (int64_t pad = M->dof_count; pad < 3 * (int64_t)x->count; ++pad) {
    x->lower[9 * (x->start[x->count] - 1) + 4 * (pad % 3)] = 1.0;
  }
  return true;
}

// The node terms of each contact from the rows of H.
static bool make_terms(const CpsProblem* p, const CpsGlobalForm* global, CpsArena* arena, Nodes* x) {
  int64_t entries = p->row_count > 0 ? global->H_row_start[p->row_count] : 0, terms = 0, values = 0;
  int64_t* place = CPS_TAKE(arena, int64_t, x->count);  // of each node in A, for the current contact
  x->term_start = CPS_TAKE_ZERO(arena, int64_t, (int64_t)p->contact_count + 1);
  x->term = CPS_TAKE(arena, int32_t, entries);
  x->A = CPS_TAKE_ZERO(arena, double, 3 * CPS_DIM_MAX * entries);
  if (!place || !x->term_start || !x->term || !x->A) return false;
  for (int32_t k = 0; k < x->count; ++k) place[k] = -1;
  for (int32_t i = 0; i < p->contact_count; ++i) {
    int d = cps_contact_dim(p, i);
    int64_t first = values;
    for (int a = 0; a < d; ++a) {
      int64_t row = p->offset[i] + a;
      for (int64_t e = global->H_row_start[row]; e < global->H_row_start[row + 1]; ++e) {
        int32_t node = global->H_col[e] / 3;
        if (place[node] < first) {
          place[node] = values;
          x->term[terms++] = node;
          values += 3 * d;
        }
        x->A[place[node] + 3 * a + global->H_col[e] % 3] += global->H_value[e];
      }
    }
    x->term_start[i + 1] = terms;
  }
  return true;
}

// b = w + A M^-1 f
static bool add_free_velocity(CpsProblem* p, const double* f, int64_t dofs) {
  CpsSparsePart* s = p->sparse;
  int64_t m = 3 * (int64_t)s->node_count;
  s->free = CPS_TAKE_ZERO(&p->arena, double, m);
  double* work = CPS_TAKE(&p->arena, double, m);
  if (!s->free || !work) return false;
  if (dofs > 0) memcpy(s->free, f, (size_t)dofs * sizeof *f);
  cps_mass_factor_solve(p->mass, 1, s->free, work);
  for (int32_t i = 0; i < p->contact_count; ++i) {
    for (int64_t t = s->node_start[i]; t < s->node_start[i + 1]; ++t) {
      const double *A = s->A + s->at[t], *v = s->free + 3 * (int64_t)s->node[t];
      for (int a = 0; a < cps_contact_dim(p, i); ++a) {
        double u = A[3 * a] * v[0] + A[3 * a + 1] * v[1] + A[3 * a + 2] * v[2];
        p->b_plain[p->offset[i] + a] += u;
        if (p->b != p->b_plain) p->b[p->offset[i] + a] += u;
      }
    }
  }
  return true;
}

static CpsStatus keep(const CpsContactsDef* contacts, const CpsGlobalForm* global, const CpsProblem* checked,
                      CpsArena* scratch, CpsProblem** problem, bool* kept, CpsError* error) {
  Nodes x = {.count = (int32_t)((global->M.dof_count + 2) / 3)};
  *kept = false;
  bool memory = make_pattern(&global->M, scratch, &x) && make_terms(checked, global, scratch, &x);
  if (memory) {
    x.lower = CPS_TAKE_ZERO(scratch, double, 9 * x.start[x.count]);
    x.upper = CPS_TAKE_ZERO(scratch, double, 9 * x.start[x.count]);
  }
  if (!memory || !x.lower || !x.upper) return cps_fail(error, CPS_NO_MEMORY, "not enough memory for the global form");
  if (!fill_blocks(&global->M, &x)) return CPS_OK;
  CpsSparseForm form = {.node_count = x.count,
                        .M_start = x.start,
                        .M_column = x.column,
                        .M_value = x.lower,
                        .node_start = x.term_start,
                        .node = x.term,
                        .A = x.A};
  CpsProblem* p = NULL;
  CpsStatus status = cps_problem_from_sparse(contacts, &form, &p, error);
  if (status == CPS_BAD_DATA) return CPS_OK;  // not positive definite
  if (status != CPS_OK) return status;
  *kept = true;
  p->dof_count = global->M.dof_count;
  if (!add_free_velocity(p, global->f, global->M.dof_count)) {
    status = cps_fail(error, CPS_NO_MEMORY, "not enough memory for the global form");
  } else if (cps_build_find_bad(p->b, p->row_count) >= 0) {
    status = cps_fail(error, CPS_BAD_DATA, "M^-1 is so large that W or b overflows");
  }
  if (status == CPS_OK) *problem = p;
  if (status != CPS_OK) cps_problem_destroy(p);
  return status;
}

CpsStatus cps_global_sparse(const CpsContactsDef* contacts, const CpsGlobalForm* global, CpsProblem** problem,
                            bool* kept, CpsError* error) {
  CpsProblem* checked = NULL;
  CpsArena scratch = {0};
  CpsStatus status = cps_build_contacts(contacts, &checked, error);
  if (status == CPS_OK) status = keep(contacts, global, checked, &scratch, problem, kept, error);
  cps_problem_destroy(checked);
  cps_arena_free(&scratch);
  return status;
}
