// Checking and copying M and A, factoring M, and the exact diagonal blocks of W.
//
//   W_ii = sum_B G_iB G_iB^T + sum over pairs (a, b) of the nodes of contact i of A_ia (M^-1)_ab A_ib^T             (1)
//        = sum_B G_iB G_iB^T + Y_i^T Y_i,   Y_i = L^-1 A_i^T,   M = L L^T                                          (2)
//
// (1) applies if all the pairs are in the pattern of M, as for contacts of one node or of one triangle: selected inversion
// gives its blocks of the inverse for all contacts at once; if M is diagonal, as in a granular medium, they are known. (2)
// applies otherwise, for example to a vertex on a distant triangle: half a solve, limited to the few nodes it reaches. Both
// give entries of the true inverse, not estimates, because xi_i = d_i / tr W_ii enters the common residual.
#include "core/error.h"
#include "core/sets.h"
#include "friction/build.h"
#include "friction/sparse_part.h"
#include "sparse/block_matrix.h"

#include <inttypes.h>
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

static CpsStatus factor_mass(CpsProblem* p, CpsCholesky* factor, CpsPool* pool, CpsError* error) {
  const CpsSparsePart* s = p->sparse;
  if (factor) {
    p->mass = cps_masses_borrow(&p->masses, factor);
    return p->mass ? CPS_OK : no_memory(error);
  }
  p->mass = cps_masses_get(&p->masses, pool, s->node_count, s->M_start, s->M_column);
  if (!p->mass) return no_memory(error);
  int32_t node;
  if (cps_mass_factor_factor(p->mass, s->M_value, &node)) return CPS_OK;
  return cps_fail(error, CPS_BAD_DATA, "the sparse mass matrix is not positive definite at node %" PRId32, node);
}

static CpsStatus find_reach(CpsProblem* p, CpsError* error) {
  CpsSparsePart* s = p->sparse;
  int64_t terms = s->node_start[p->contact_count];
  s->reach = CPS_TAKE(&p->arena, int32_t, cps_mass_factor_supernodes(p->mass));
  s->place = CPS_TAKE(&p->arena, int64_t, terms);
  int32_t* work = CPS_TAKE(&p->arena, int32_t, terms);
  if (!s->reach || !s->place || !work) return no_memory(error);
  s->reach_count = cps_mass_factor_reach(p->mass, (int32_t)terms, s->node, s->reach, work);
  for (int64_t t = 0; t < terms; ++t) s->place[t] = 3 * (int64_t)cps_mass_factor_position(p->mass, s->node[t]);
  return CPS_OK;
}

// Block of M at (row, column), both orders; -1 if the pattern lacks it.
static int64_t find_block(const CpsSparsePart* s, int32_t row, int32_t column) {
  if (row < column) return find_block(s, column, row);
  return cps_column_find(s->M_column, s->M_start[row], s->M_start[row + 1], column);
}

static bool all_pairs_stored(const CpsSparsePart* s, int32_t i) {
  for (int64_t b = s->node_start[i]; b < s->node_start[i + 1]; ++b) {
    for (int64_t a = s->node_start[i]; a < b; ++a) {
      if (find_block(s, s->node[a], s->node[b]) < 0) return false;
    }
  }
  return true;
}

// W += A_a B A_b^T, B read transposed if `turned`, and its transpose if `both`.
static void add_pair(int d, const double* A_a, const double* B, bool turned, const double* A_b, bool both, double* W) {
  for (int r = 0; r < d; ++r) {
    double row[3];
    for (int c = 0; c < 3; ++c) {
      row[c] = turned ? A_a[3 * r] * B[3 * c] + A_a[3 * r + 1] * B[3 * c + 1] + A_a[3 * r + 2] * B[3 * c + 2]
                      : A_a[3 * r] * B[c] + A_a[3 * r + 1] * B[3 + c] + A_a[3 * r + 2] * B[6 + c];
    }
    for (int c = 0; c < d; ++c) {
      double sum = row[0] * A_b[3 * c] + row[1] * A_b[3 * c + 1] + row[2] * A_b[3 * c + 2];
      W[r * d + c] += sum;
      if (both) W[c * d + r] += sum;
    }
  }
}

// (1)
static void diag_from_inverse(CpsProblem* p, int32_t i, const double* inverse) {
  const CpsSparsePart* s = p->sparse;
  for (int64_t b = s->node_start[i]; b < s->node_start[i + 1]; ++b) {
    for (int64_t a = s->node_start[i]; a <= b; ++a) {
      const double* B = inverse + 9 * find_block(s, s->node[a], s->node[b]);
      add_pair(cps_contact_dim(p, i), s->A + s->at[a], B, s->node[a] < s->node[b], s->A + s->at[b], a != b,
               p->diag + cps_diag_at(p, i));
    }
  }
}

// (2). y: 3 d numbers per node; reach: one per supernode.
static void diag_from_half(CpsProblem* p, int32_t i, double* y, int32_t* reach, int32_t* work) {
  const CpsSparsePart* s = p->sparse;
  int d = cps_contact_dim(p, i);
  int64_t first_term = s->node_start[i], last_term = s->node_start[i + 1];
  int32_t count = cps_mass_factor_reach(p->mass, (int32_t)(last_term - first_term), s->node + first_term, reach, work);
  for (int32_t k = 0; k < count; ++k) {
    int64_t from = cps_mass_factor_first(p->mass, reach[k]), to = cps_mass_factor_first(p->mass, reach[k] + 1);
    memset(y + 3 * d * from, 0, 3 * (size_t)d * (size_t)(to - from) * sizeof *y);
  }
  for (int64_t t = first_term; t < last_term; ++t) {
    double* to = y + 3 * d * (int64_t)cps_mass_factor_position(p->mass, s->node[t]);
    for (int e = 0; e < 3 * d; ++e) to[(e % 3) * d + e / 3] = s->A[s->at[t] + e];
  }
  cps_mass_factor_half(p->mass, count, reach, d, y);
  double* W = p->diag + cps_diag_at(p, i);
  for (int32_t k = 0; k < count; ++k) {
    int64_t from = cps_mass_factor_first(p->mass, reach[k]), to = cps_mass_factor_first(p->mass, reach[k] + 1);
    for (const double* row = y + 3 * d * from; row < y + 3 * d * to; row += d) {
      for (int a = 0; a < d; ++a) {
        for (int c = 0; c < d; ++c) W[a * d + c] += row[a] * row[c];
      }
    }
  }
}

// Removes the asymmetry due to rounding.
static void make_symmetric(int d, double* W) {
  for (int r = 0; r < d; ++r) {
    for (int c = 0; c < r; ++c) W[r * d + c] = W[c * d + r] = 0.5 * (W[r * d + c] + W[c * d + r]);
  }
}

// (1) where M is diagonal: W += A A^T / m of each node.
static void diag_apart(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  CpsProblem* p = data;
  const CpsSparsePart* s = p->sparse;
  for (int32_t i = (int32_t)first; i < last; ++i) {
    const int d = cps_contact_dim(p, i);
    double* W = p->diag + cps_diag_at(p, i);
    for (int64_t t = s->node_start[i]; t < s->node_start[i + 1]; ++t) {
      const double* A = s->A + s->at[t];
      for (int a = 0; a < d; ++a) {
        const double by = s->inverse[s->node[t]], row[3] = {by * A[3 * a], by * A[3 * a + 1], by * A[3 * a + 2]};
        for (int c = a; c < d; ++c) W[a * d + c] += row[0] * A[3 * c] + row[1] * A[3 * c + 1] + row[2] * A[3 * c + 2];
      }
    }
    for (int a = 0; a < d; ++a) {
      for (int c = 0; c < a; ++c) W[a * d + c] = W[c * d + a];
    }
  }
}

static bool is_diagonal(const CpsSparsePart* s) {
  if (s->component_count < s->node_count) return false;
  for (int32_t k = 0; k < s->node_count; ++k) {
    const double* M = s->M_value + 9 * s->M_start[k];
    if (M[0] != M[4] || M[0] != M[8] || M[1] != 0.0 || M[2] != 0.0 || M[5] != 0.0) return false;
  }
  return true;
}

// The inverse of a diagonal M. False if memory runs out.
static bool invert_diagonal(CpsProblem* p) {
  CpsSparsePart* s = p->sparse;
  if (!is_diagonal(s)) return true;
  s->inverse = CPS_TAKE(&p->arena, double, s->node_count);
  if (!s->inverse) return false;
  for (int32_t k = 0; k < s->node_count; ++k) s->inverse[k] = 1.0 / s->M_value[9 * s->M_start[k]];
  return true;
}

static CpsStatus fill_diag(CpsProblem* p, CpsError* error) {
  const CpsSparsePart* s = p->sparse;
  CpsArena* arena = &p->arena;
  CpsArenaMark mark = cps_arena_mark(arena);
  int64_t n = s->node_count, most = 0;
  bool *wanted = CPS_TAKE_ZERO(arena, bool, n), *stored = CPS_TAKE(arena, bool, p->contact_count), any = false;
  if (!wanted || !stored) return no_memory(error);
  for (int32_t i = 0; i < p->contact_count; ++i) {
    int64_t terms = s->node_start[i + 1] - s->node_start[i];
    stored[i] = all_pairs_stored(s, i);
    any = any || (stored[i] && terms > 0);
    most = terms > most ? terms : most;
    for (int64_t t = s->node_start[i]; stored[i] && t < s->node_start[i + 1]; ++t) wanted[s->node[t]] = true;
  }
  double* y = CPS_TAKE(arena, double, 3 * CPS_DIM_MAX * n);
  int32_t *reach = CPS_TAKE(arena, int32_t, cps_mass_factor_supernodes(p->mass)),
          *work = CPS_TAKE(arena, int32_t, most);
  if (!y || !reach || !work) return no_memory(error);
  const double* inverse = any ? cps_mass_factor_inverse(p->mass, wanted, s->M_start[n], arena) : NULL;
  if (any && !inverse) return no_memory(error);
  for (int32_t i = 0; i < p->contact_count; ++i) {
    if (stored[i]) {
      diag_from_inverse(p, i, inverse);
    } else {
      diag_from_half(p, i, y, reach, work);
    }
    make_symmetric(cps_contact_dim(p, i), p->diag + cps_diag_at(p, i));
  }
  cps_arena_release(arena, mark);
  return CPS_OK;
}

CpsStatus cps_sparse_build(CpsProblem* p, const CpsSparseForm* form, CpsCholesky* factor, CpsPool* pool,
                           CpsError* error) {
  CpsStatus status = check_mass(form, error);
  if (status == CPS_OK) status = check_nodes(p, form, error);
  if (status == CPS_OK) status = copy_form(p, form, error);
  if (status == CPS_OK) status = factor_mass(p, factor, pool, error);
  if (status == CPS_OK && !invert_diagonal(p)) status = no_memory(error);
  if (status == CPS_OK && p->sparse->inverse) cps_pool_run(pool, p->contact_count, diag_apart, p);
  if (status != CPS_OK || p->sparse->inverse) return status;
  status = find_reach(p, error);
  return status == CPS_OK ? fill_diag(p, error) : status;
}
