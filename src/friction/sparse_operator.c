// Large members as an operator: products with W through the factor of M, velocities of the members, and W written out.
//
//   f = A^T x,   M v = f,   z = G^T x,   W x = A v + G z                                                           (1)
#include "friction/build.h"
#include "friction/refill.h"
#include "friction/sparse_part.h"

#include <stdlib.h>
#include <string.h>

void cps_sparse_add(const CpsProblem* problem, int32_t i, const double* x, double* f) {
  const CpsSparsePart* s = problem->sparse;
  int d = cps_contact_dim(problem, i);
  for (int64_t t = s->node_start[i]; t < s->node_start[i + 1]; ++t) {
    const double* A = s->A + s->at[t];
    double* to = f + 3 * (int64_t)s->node[t];
    for (int a = 0; a < d; ++a) {
      for (int c = 0; c < 3; ++c) to[c] += A[3 * a + c] * x[a];
    }
  }
}

void cps_sparse_velocity(const CpsProblem* problem, int32_t i, const double* v, double* out) {
  const CpsSparsePart* s = problem->sparse;
  int d = cps_contact_dim(problem, i);
  for (int64_t t = s->node_start[i]; t < s->node_start[i + 1]; ++t) {
    const double *A = s->A + s->at[t], *from = v + 3 * (int64_t)s->node[t];
    for (int a = 0; a < d; ++a) out[a] += A[3 * a] * from[0] + A[3 * a + 1] * from[1] + A[3 * a + 2] * from[2];
  }
}

void cps_sparse_push(const CpsProblem* problem, const double* x, double* v, double* work) {
  memset(v, 0, 3 * (size_t)problem->sparse->node_count * sizeof *v);
  for (int32_t i = 0; i < problem->contact_count; ++i) cps_sparse_add(problem, i, x + problem->offset[i], v);
  cps_mass_factor_solve(problem->mass, v, work);
}

int64_t cps_sparse_scratch_count(const CpsProblem* problem) {
  const CpsFactors* F = &problem->factors;
  return F->body_offset[F->body_count] + 6 * (int64_t)problem->sparse->node_count;
}

void cps_sparse_apply_W(const CpsProblem* problem, CpsPool* pool, const double* x, const double* b, double* scratch,
                        double* out) {
  const CpsFactors* F = &problem->factors;
  double *v = scratch + F->body_offset[F->body_count], *work = v + 3 * (int64_t)problem->sparse->node_count;
  cps_factors_push(problem, pool, x, scratch);
  cps_factors_velocities(problem, pool, scratch, b, out);
  cps_sparse_push(problem, x, v, work);
  for (int32_t i = 0; i < problem->contact_count; ++i) cps_sparse_velocity(problem, i, v, out + problem->offset[i]);
}

CpsStatus cps_problem_sparse_velocity(const CpsProblem* problem, const double* r, double* v, double* z, double* work) {
  if (!problem || (!r && problem->row_count > 0)) return CPS_BAD_ARGUMENT;
  if (problem->has_W) return CPS_UNSUPPORTED;
  const CpsFactors* F = &problem->factors;
  if ((problem->sparse && (!v || !work)) || (F->body_count > 0 && !z)) return CPS_BAD_ARGUMENT;
  int64_t at = 0;
  for (int32_t body = 0; body < F->body_count; ++body) {  // without the gaps that F->body_offset may have
    int m = F->body_dofs[body];
    double* to = z + at;
    memset(to, 0, (size_t)m * sizeof *to);
    for (int64_t k = F->body_start[body]; k < F->body_start[body + 1]; ++k) {
      int64_t t = F->body_term[k];
      int32_t i = F->term_contact[t];
      for (int a = 0; a < cps_contact_dim(problem, i); ++a) {
        double x = r[problem->offset[i] + a];
        for (int c = 0; c < m; ++c) to[c] += F->Y[F->at[t] + (int64_t)a * m + c] * x;
      }
    }
    at += m;
  }
  if (problem->sparse) cps_sparse_push(problem, r, v, work);
  return CPS_OK;
}

void cps_problem_nodes(const CpsProblem* problem, const double* r, double* v, double* work) {
  cps_sparse_push(problem, r, v, work);
}

// What couples contacts: their small members and the components of M. Both as lists of contacts.
typedef struct Couplings {
  int32_t count;     // components
  int64_t* start;    // count + 1
  int32_t* contact;  // ascending in a component, each once
} Couplings;

// The component of a term of contact i; 0 if an earlier term has the same one.
static int contact_components(const CpsSparsePart* s, int32_t i, int64_t done, int32_t* component) {
  for (int64_t t = s->node_start[i]; t < done; ++t) {
    if (s->component[s->node[t]] == s->component[s->node[done]]) return 0;
  }
  *component = s->component[s->node[done]];
  return 1;
}

static bool list_couplings(const CpsProblem* p, CpsArena* arena, Couplings* couplings) {
  const CpsSparsePart* s = p->sparse;
  int32_t component = 0;
  couplings->count = s->component_count;
  couplings->start = CPS_TAKE_ZERO(arena, int64_t, (int64_t)s->component_count + 2);
  couplings->contact = CPS_TAKE(arena, int32_t, s->node_start[p->contact_count]);
  if (!couplings->start || !couplings->contact) return false;
  for (int pass = 0; pass < 2; ++pass) {  // count two places on, then fill one place on
    for (int32_t i = 0; i < p->contact_count; ++i) {
      for (int64_t t = s->node_start[i]; t < s->node_start[i + 1]; ++t) {
        if (!contact_components(s, i, t, &component)) continue;
        if (pass == 0) {
          couplings->start[component + 2]++;
        } else {
          couplings->contact[couplings->start[component + 1]++] = i;
        }
      }
    }
    for (int32_t c = 0; pass == 0 && c < s->component_count; ++c) couplings->start[c + 2] += couplings->start[c + 1];
  }
  return true;
}

// Contacts that share a small member or a component with contact i, itself included, each once, ascending.
static int64_t neighbours(const CpsProblem* p, const Couplings* couplings, int32_t i, int32_t* seen, int32_t* list) {
  const CpsSparsePart* s = p->sparse;
  const CpsFactors* F = &p->factors;
  int64_t count = 0;
  int32_t component = 0;
  seen[i] = i;
  list[count++] = i;
  for (int64_t t = s->node_start[i]; t < s->node_start[i + 1]; ++t) {
    if (!contact_components(s, i, t, &component)) continue;
    for (int64_t k = couplings->start[component]; k < couplings->start[component + 1]; ++k) {
      int32_t j = couplings->contact[k];
      if (seen[j] != i) list[count++] = j;
      seen[j] = i;
    }
  }
  for (int64_t t = F->contact_start[i]; t < F->contact_start[i + 1]; ++t) {
    for (int64_t k = F->body_start[F->body[t]]; k < F->body_start[F->body[t] + 1]; ++k) {
      int32_t j = F->term_contact[F->body_term[k]];
      if (seen[j] != i) list[count++] = j;
      seen[j] = i;
    }
  }
  cps_build_sort_columns(list, count);
  return count;
}

bool cps_sparse_is_isolated(const CpsProblem* problem, int32_t i) {
  const CpsSparsePart* s = problem->sparse;
  for (int64_t t = s->node_start[i]; t < s->node_start[i + 1]; ++t) {
    for (int32_t j = 0; j < problem->contact_count; ++j) {
      for (int64_t k = s->node_start[j]; k < s->node_start[j + 1] && j != i; ++k) {
        if (s->component[s->node[k]] == s->component[s->node[t]]) return false;
      }
    }
  }
  return true;
}

int64_t cps_sparse_block_count(const CpsProblem* problem, CpsArena* arena) {
  Couplings couplings;
  int32_t n = problem->contact_count;
  int32_t *seen = CPS_TAKE(arena, int32_t, n), *list = CPS_TAKE(arena, int32_t, n);
  if (!seen || !list || !list_couplings(problem, arena, &couplings)) return -1;
  int64_t count = 0;
  for (int32_t i = 0; i < n; ++i) seen[i] = -1;
  for (int32_t i = 0; i < n; ++i) count += neighbours(problem, &couplings, i, seen, list);
  return count;
}

static bool lay_out_W(const CpsProblem* p, CpsArena* arena, CpsBlockMatrix* W) {
  int32_t n = p->contact_count;
  Couplings couplings;
  *W = (CpsBlockMatrix){.rows = n, .dim = p->dim, .offset = p->offset};
  W->start = CPS_TAKE(arena, int64_t, (int64_t)n + 1);
  int32_t *seen = CPS_TAKE(arena, int32_t, n), *list = CPS_TAKE(arena, int32_t, n);
  if (!W->start || !seen || !list || !list_couplings(p, arena, &couplings)) return false;
  for (int32_t i = 0; i < n; ++i) seen[i] = -1;
  W->start[0] = 0;
  for (int32_t i = 0; i < n; ++i) W->start[i + 1] = W->start[i] + neighbours(p, &couplings, i, seen, list);
  W->col = CPS_TAKE(arena, int32_t, W->start[n]);
  W->at = CPS_TAKE(arena, int64_t, W->start[n] + 1);
  if (!W->col || !W->at) return false;
  for (int32_t i = 0; i < n; ++i) seen[i] = -1;
  int64_t values = 0;
  for (int32_t i = 0; i < n; ++i) {
    neighbours(p, &couplings, i, seen, W->col + W->start[i]);
    for (int64_t k = W->start[i]; k < W->start[i + 1]; ++k) {
      W->at[k] = values;
      values += (int64_t)cps_contact_dim(p, i) * cps_contact_dim(p, W->col[k]);
    }
  }
  W->at[W->start[n]] = values;
  W->value = CPS_TAKE_ZERO(arena, double, values);
  return W->value != NULL;
}

// A row of W at a time: W_ij for all j coupled with i is the transpose of what unit impulses at i do to j.
typedef struct Forming {
  const CpsProblem* problem;
  const CpsBlockMatrix* W;
  double* scratch;  // of each worker: a velocity of all members and work
  int64_t scratch_count;
} Forming;

static void form_rows(void* data, int64_t first, int64_t last, int worker) {
  const Forming* work = data;
  const CpsProblem* p = work->problem;
  const CpsSparsePart* s = p->sparse;
  const CpsFactors* F = &p->factors;
  int64_t nodes = 3 * (int64_t)s->node_count;
  double *z = work->scratch + worker * work->scratch_count, *v = z + F->body_offset[F->body_count], *rest = v + nodes;
  for (int64_t row = first; row < last; ++row) {
    int32_t i = (int32_t)row;
    int d = cps_contact_dim(p, i);
    for (int a = 0; a < d; ++a) {
      double unit[CPS_DIM_MAX] = {0};
      unit[a] = 1.0;
      memset(z, 0, (size_t)F->body_offset[F->body_count] * sizeof *z);
      cps_factors_add(p, i, unit, z);
      if (s->node_start[i + 1] > s->node_start[i]) {
        memset(v, 0, (size_t)nodes * sizeof *v);
        cps_sparse_add(p, i, unit, v);
        cps_mass_factor_solve(p->mass, v, rest);
      }
      for (int64_t k = work->W->start[i]; k < work->W->start[i + 1]; ++k) {
        int32_t j = work->W->col[k];
        double u[CPS_DIM_MAX];
        cps_factors_velocity(p, j, z, u);
        if (s->node_start[i + 1] > s->node_start[i]) cps_sparse_velocity(p, j, v, u);
        for (int c = 0; c < cps_contact_dim(p, j); ++c) {
          work->W->value[work->W->at[k] + a * cps_contact_dim(p, j) + c] = u[c];
        }
      }
    }
  }
}

// Rounding made unsymmetric what is symmetric: the blocks below the diagonal become those above, transposed, and a block on
// the diagonal that of the problem.
static void make_symmetric(const CpsProblem* p, CpsBlockMatrix* W) {
  for (int32_t i = 0; i < W->rows; ++i) {
    int d = cps_contact_dim(p, i);
    for (int64_t k = W->start[i]; k < W->start[i + 1] && W->col[k] <= i; ++k) {
      int dj = cps_contact_dim(p, W->col[k]);
      double* block = W->value + W->at[k];
      if (W->col[k] == i) {
        memcpy(block, cps_contact_W(p, i), (size_t)(d * d) * sizeof *block);
        continue;
      }
      const double* above = W->value + W->at[cps_block_matrix_find(W, W->col[k], i)];
      for (int a = 0; a < d; ++a) {
        for (int c = 0; c < dj; ++c) block[a * dj + c] = above[c * d + a];
      }
    }
  }
}

bool cps_sparse_explicit_W(const CpsProblem* problem, CpsArena* arena, CpsPool* pool, CpsBlockMatrix* W) {
  if (!lay_out_W(problem, arena, W)) return false;
  Forming work = {.problem = problem, .W = W, .scratch_count = cps_sparse_scratch_count(problem)};
  CpsArenaMark mark = cps_arena_mark(arena);
  work.scratch = CPS_TAKE(arena, double, work.scratch_count* cps_pool_threads(pool));
  if (!work.scratch) return false;
  cps_pool_run(pool, problem->contact_count, form_rows, &work);
  cps_arena_release(arena, mark);
  make_symmetric(problem, W);
  return true;
}
