// Problems with large members: checking and copying M and A, factoring M, and the exact diagonal blocks of W.
//
//   W_ii = sum_B G_iB G_iB^T + sum over pairs (a, b) of the nodes of contact i of A_ia (M^-1)_ab A_ib^T             (1)
//
// The blocks of M^-1 that (1) needs are entries of the true inverse, not estimates: xi_i = d_i / tr W_ii is part of the
// common residual.
#include "core/error.h"
#include "core/sets.h"
#include "friction/build.h"
#include "friction/sparse_part.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static CpsStatus no_memory(CpsError* error) {
  return cps_fail(error, CPS_NO_MEMORY, "not enough memory for the sparse mass matrix");
}

static CpsStatus check_mass(const CpsSparseForm* form, CpsError* error) {
  if (!form->M_start || !form->M_column || !form->M_value || form->M_start[0] != 0) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "an array of the sparse mass matrix is NULL or does not begin with 0");
  }
  for (int32_t i = 0; i < form->node_count; ++i) {
    int64_t first = form->M_start[i], last = form->M_start[i + 1];
    if (last <= first || form->M_column[last - 1] != i) {
      return cps_fail(error, CPS_BAD_DATA, "row %" PRId32 " of the sparse mass matrix does not end with its diagonal",
                      i);
    }
    for (int64_t k = first; k < last; ++k) {
      if (form->M_column[k] < 0 || (k > first && form->M_column[k] <= form->M_column[k - 1])) {
        return cps_fail(error, CPS_BAD_DATA, "the columns of row %" PRId32 " of the sparse mass matrix do not ascend",
                        i);
      }
    }
    if (cps_build_find_bad(form->M_value + 9 * first, 9 * (last - first)) >= 0) {
      return cps_fail(error, CPS_BAD_DATA, "row %" PRId32 " of the sparse mass matrix is not finite", i);
    }
  }
  return CPS_OK;
}

static CpsStatus check_nodes(const CpsProblem* p, const CpsSparseForm* form, CpsError* error) {
  if (!form->node_start || form->node_start[0] != 0) {
    return cps_fail(error, CPS_BAD_DATA, "node_start is NULL or does not begin with 0");
  }
  const double* A = form->A;
  for (int32_t i = 0; i < p->contact_count; ++i) {
    int64_t first = form->node_start[i], last = form->node_start[i + 1];
    if (last < first) return cps_fail(error, CPS_BAD_DATA, "node_start decreases at contact %" PRId32, i);
    if (last > first && (!form->node || !A)) return cps_fail(error, CPS_BAD_ARGUMENT, "node or A is NULL");
    for (int64_t t = first; t < last; ++t) {
      if (form->node[t] < 0 || form->node[t] >= form->node_count) {
        return cps_fail(error, CPS_BAD_DATA, "contact %" PRId32 " names node %" PRId32 " of %" PRId32, i, form->node[t],
                        form->node_count);
      }
      for (int64_t s = first; s < t; ++s) {
        if (form->node[s] == form->node[t]) {
          return cps_fail(error, CPS_BAD_DATA, "contact %" PRId32 " names node %" PRId32 " twice", i, form->node[t]);
        }
      }
    }
    int64_t size = 3 * (int64_t)cps_contact_dim(p, i) * (last - first);
    if (size > 0 && cps_build_find_bad(A, size) >= 0) {
      return cps_fail(error, CPS_BAD_DATA, "A of contact %" PRId32 " is not finite", i);
    }
    A += size;
  }
  return CPS_OK;
}

static void find_components(CpsSparsePart* s, int32_t* parent) {
  for (int32_t k = 0; k < s->node_count; ++k) parent[k] = k;
  for (int32_t i = 0; i < s->node_count; ++i) {
    for (int64_t k = s->M_start[i]; k < s->M_start[i + 1]; ++k) cps_sets_join(parent, i, s->M_column[k]);
  }
  s->component_count = 0;
  for (int32_t k = 0; k < s->node_count; ++k) {
    int32_t root = cps_sets_root(parent, k);
    s->component[k] = root == k ? s->component_count++ : s->component[root];
  }
}

static void* copy(CpsArena* arena, const void* from, int64_t count, size_t size) {
  void* to = cps_arena_take(arena, count, size);
  if (to && count > 0) memcpy(to, from, (size_t)count * size);
  return to;
}

static CpsStatus copy_form(CpsProblem* p, const CpsSparseForm* form, CpsError* error) {
  CpsArena* arena = &p->arena;
  CpsSparsePart* s = CPS_TAKE_ZERO(arena, CpsSparsePart, 1);
  if (!s) return no_memory(error);
  int64_t n = form->node_count, blocks = form->M_start[n], terms = form->node_start[p->contact_count], values = 0;
  s->node_count = form->node_count;
  s->M_start = copy(arena, form->M_start, n + 1, sizeof(int64_t));
  s->M_column = copy(arena, form->M_column, blocks, sizeof(int32_t));
  s->M_value = copy(arena, form->M_value, 9 * blocks, sizeof(double));
  s->node_start = copy(arena, form->node_start, (int64_t)p->contact_count + 1, sizeof(int64_t));
  s->node = copy(arena, form->node, terms, sizeof(int32_t));
  s->at = CPS_TAKE(arena, int64_t, terms + 1);
  s->component = CPS_TAKE(arena, int32_t, n);
  int32_t* parent = CPS_TAKE(arena, int32_t, n);
  if (!s->M_start || !s->M_column || !s->M_value || !s->node_start || !s->node || !s->at || !s->component || !parent) {
    return no_memory(error);
  }
  for (int32_t i = 0; i < p->contact_count; ++i) {
    for (int64_t t = s->node_start[i]; t < s->node_start[i + 1]; ++t) {
      s->at[t] = values;
      values += 3 * (int64_t)cps_contact_dim(p, i);
    }
  }
  s->at[terms] = values;
  s->A = copy(arena, form->A, values, sizeof(double));
  if (!s->A) return no_memory(error);
  for (int32_t i = 0; i < s->node_count; ++i) {  // the mean of both triangles of a diagonal block
    double* D = s->M_value + 9 * (s->M_start[i + 1] - 1);
    D[1] = D[3] = 0.5 * (D[1] + D[3]);
    D[2] = D[6] = 0.5 * (D[2] + D[6]);
    D[5] = D[7] = 0.5 * (D[5] + D[7]);
  }
  find_components(s, parent);
  p->sparse = s;
  p->dof_count += 3 * n;
  return CPS_OK;
}

static CpsStatus factor_mass(CpsProblem* p, CpsPool* pool, CpsError* error) {
  const CpsSparsePart* s = p->sparse;
  if (!p->mass) p->mass = cps_mass_factor_create();
  if (!p->mass || !cps_mass_factor_analyse(p->mass, s->node_count, s->M_start, s->M_column)) return no_memory(error);
  switch (cps_mass_factor_factor(p->mass, pool, s->M_value)) {
    case CPS_MASS_OK:
      return CPS_OK;
    case CPS_MASS_NO_MEMORY:
      return no_memory(error);
    case CPS_MASS_NOT_DEFINITE:
      break;
  }
  return cps_fail(error, CPS_BAD_DATA, "the sparse mass matrix is not positive definite");
}

// The pairs of nodes (row <= column by place in the contact) that (1) needs, sorted by column: order[k] is where pair k of
// the contacts' own order went.
typedef struct Pairs {
  int64_t count;
  int32_t *row, *column;
  int64_t* place;
  double* block;
} Pairs;

static bool list_pairs(const CpsProblem* p, CpsArena* arena, Pairs* pairs) {
  const CpsSparsePart* s = p->sparse;
  int64_t count = 0;
  for (int32_t i = 0; i < p->contact_count; ++i) {
    int64_t terms = s->node_start[i + 1] - s->node_start[i];
    count += terms * (terms + 1) / 2;
  }
  pairs->count = count;
  pairs->row = CPS_TAKE(arena, int32_t, count);
  pairs->column = CPS_TAKE(arena, int32_t, count);
  pairs->place = CPS_TAKE(arena, int64_t, count);
  pairs->block = CPS_TAKE(arena, double, 9 * count);
  int64_t* next = CPS_TAKE_ZERO(arena, int64_t, (int64_t)s->node_count + 1);
  if (!pairs->row || !pairs->column || !pairs->place || !pairs->block || !next) return false;
  for (int pass = 0; pass < 2; ++pass) {  // count, then place
    int64_t k = 0;
    for (int32_t i = 0; i < p->contact_count; ++i) {
      for (int64_t b = s->node_start[i]; b < s->node_start[i + 1]; ++b) {
        for (int64_t a = s->node_start[i]; a <= b; ++a, ++k) {
          if (pass == 0) {
            next[s->node[b] + 1]++;
            continue;
          }
          int64_t at = next[s->node[b]]++;
          pairs->place[k] = at;
          pairs->row[at] = s->node[a];
          pairs->column[at] = s->node[b];
        }
      }
    }
    for (int32_t n = 0; pass == 0 && n < s->node_count; ++n) next[n + 1] += next[n];
  }
  return true;
}

// W += A_a B A_b^T, and its transpose for a != b.
static void add_pair(int d, const double* A_a, const double* B, const double* A_b, bool both, double* W) {
  for (int r = 0; r < d; ++r) {
    double row[3];
    for (int c = 0; c < 3; ++c) row[c] = A_a[3 * r] * B[c] + A_a[3 * r + 1] * B[3 + c] + A_a[3 * r + 2] * B[6 + c];
    for (int c = 0; c < d; ++c) {
      double sum = row[0] * A_b[3 * c] + row[1] * A_b[3 * c + 1] + row[2] * A_b[3 * c + 2];
      W[r * d + c] += sum;
      if (both) W[c * d + r] += sum;
    }
  }
}

// (1), the part of the nodes. What rounding makes unsymmetric is made symmetric.
static CpsStatus fill_diag(CpsProblem* p, CpsError* error) {
  const CpsSparsePart* s = p->sparse;
  CpsArenaMark mark = cps_arena_mark(&p->arena);
  Pairs pairs;
  double* work = CPS_TAKE(&p->arena, double, 6 * (int64_t)s->node_count);
  if (!work || !list_pairs(p, &p->arena, &pairs)) return no_memory(error);
  cps_mass_factor_inverse(p->mass, pairs.count, pairs.row, pairs.column, pairs.block, work);
  int64_t k = 0;
  for (int32_t i = 0; i < p->contact_count; ++i) {
    int d = cps_contact_dim(p, i);
    double* W = p->diag + p->diag_offset[i];
    for (int64_t b = s->node_start[i]; b < s->node_start[i + 1]; ++b) {
      for (int64_t a = s->node_start[i]; a <= b; ++a, ++k) {
        add_pair(d, s->A + s->at[a], pairs.block + 9 * pairs.place[k], s->A + s->at[b], a != b, W);
      }
    }
    for (int r = 0; r < d; ++r) {
      for (int c = 0; c < r; ++c) W[r * d + c] = W[c * d + r] = 0.5 * (W[r * d + c] + W[c * d + r]);
    }
  }
  cps_arena_release(&p->arena, mark);
  return CPS_OK;
}

// Everything behind the contacts, which p holds already.
static CpsStatus fill(CpsProblem* p, const CpsSparseForm* form, CpsPool* pool, CpsError* error) {
  CpsFactoredForm small = form->small;
  if (form->node_count < 0) return cps_fail(error, CPS_BAD_DATA, "the number of nodes is negative");
  if (small.body_count == 0 && !small.contact_start) {
    small.contact_start = CPS_TAKE_ZERO(&p->arena, int64_t, (int64_t)p->contact_count + 1);
    if (!small.contact_start) return no_memory(error);
  }
  if (form->node_count == 0) {
    CpsStatus status = cps_build_factors(p, &small, false, error);
    return status == CPS_OK ? cps_build_complete(p, pool, error) : status;
  }
#ifndef CAPSTAN_DIRECT
  return cps_fail(error, CPS_UNSUPPORTED, "a sparse mass matrix needs a build with the direct methods");
#endif
  if (small.H != small.Y) return cps_fail(error, CPS_BAD_ARGUMENT, "H and Y of the small members must be one array");
  CpsStatus status = cps_build_plain_factors(p, &small, error);
  if (status == CPS_OK) status = check_mass(form, error);
  if (status == CPS_OK) status = check_nodes(p, form, error);
  if (status == CPS_OK) status = copy_form(p, form, error);
  if (status == CPS_OK) status = factor_mass(p, pool, error);
  if (status == CPS_OK) status = fill_diag(p, error);
  if (status == CPS_OK) status = cps_build_complete(p, pool, error);
  return status;
}

CpsStatus cps_problem_from_sparse(const CpsContactsDef* contacts, const CpsSparseForm* form, CpsProblem** problem,
                                  CpsError* error) {
  if (!problem || !form) return cps_fail(error, CPS_BAD_ARGUMENT, "problem or form is NULL");
  CpsProblem* p;
  CpsStatus status = cps_build_contacts(contacts, &p, error);
  if (status != CPS_OK) return status;
  status = fill(p, form, NULL, error);
  if (status == CPS_OK) {
    *problem = p;
  } else {
    cps_problem_destroy(p);
  }
  return status;
}

CpsStatus cps_problem_refill_sparse(CpsProblem* problem, const CpsContactsDef* contacts, const CpsSparseForm* form,
                                    CpsError* error) {
  if (!problem || !form) return cps_fail(error, CPS_BAD_ARGUMENT, "problem or form is NULL");
  if (problem->has_W || problem->global) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "only a problem made from bodies or the sparse form can be refilled");
  }
  CpsStatus status = cps_build_fill(problem, contacts, error);
  if (status != CPS_OK) return status;
  status = fill(problem, form, NULL, error);
  if (status != CPS_OK) cps_build_clear(problem);
  return status;
}

int32_t cps_problem_node_count(const CpsProblem* problem) {
  return problem && problem->sparse ? problem->sparse->node_count : 0;
}
