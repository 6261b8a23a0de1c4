// Large members as an operator: products with W through the factor of M, velocities of the members, and W written out.
//
//   f = A^T x,   M v = f,   z = G^T x,   W x = A v + G z                                                           (1)
#include "friction/build.h"
#include "friction/sparse_part.h"

#include <stdlib.h>
#include <string.h>

// f += A_i^T x, node by node at `place`, and out += A_i v.
static void add(const CpsProblem* p, int32_t i, const int64_t* place, const double* x, double* f) {
  const CpsSparsePart* s = p->sparse;
  int d = cps_contact_dim(p, i);
  for (int64_t t = s->node_start[i]; t < s->node_start[i + 1]; ++t) {
    const double* A = s->A + s->at[t];
    double* to = f + (place ? place[t] : 3 * (int64_t)s->node[t]);
    for (int a = 0; a < d; ++a) {
      for (int c = 0; c < 3; ++c) to[c] += A[3 * a + c] * x[a];
    }
  }
}

static void pull(const CpsProblem* p, int32_t i, const int64_t* place, const double* v, double* out) {
  const CpsSparsePart* s = p->sparse;
  int d = cps_contact_dim(p, i);
  for (int64_t t = s->node_start[i]; t < s->node_start[i + 1]; ++t) {
    const double *A = s->A + s->at[t], *from = v + (place ? place[t] : 3 * (int64_t)s->node[t]);
    for (int a = 0; a < d; ++a) out[a] += A[3 * a] * from[0] + A[3 * a + 1] * from[1] + A[3 * a + 2] * from[2];
  }
}

void cps_sparse_push(const CpsProblem* problem, const double* x, double* v, double* work) {
  memset(v, 0, 3 * (size_t)problem->sparse->node_count * sizeof *v);
  for (int32_t i = 0; i < problem->contact_count; ++i) add(problem, i, NULL, x + problem->offset[i], v);
  const double* inverse = problem->sparse->inverse;
  if (!inverse) cps_mass_factor_solve(problem->mass, 1, v, work);
  for (int64_t k = 0; inverse && k < 3 * (int64_t)problem->sparse->node_count; ++k) v[k] *= inverse[k / 3];
}

int64_t cps_sparse_scratch_count(const CpsProblem* problem) {
  const CpsFactors* F = &problem->factors;
  return F->body_offset[F->body_count] + 3 * (int64_t)problem->sparse->node_count;
}

// out += A M^-1 A^T x, along the paths of the elimination tree that the contacts reach.
static void add_large(const CpsProblem* p, const double* x, double* y, double* out) {
  const CpsSparsePart* s = p->sparse;
  bool loaded = false;
  for (int64_t k = 0; k < p->row_count && !loaded; ++k) loaded = x[k] != 0.0;
  if (!loaded) return;
  for (int32_t k = 0; k < s->reach_count; ++k) {
    int64_t from = cps_mass_factor_first(p->mass, s->reach[k]), to = cps_mass_factor_first(p->mass, s->reach[k] + 1);
    memset(y + 3 * from, 0, 3 * (size_t)(to - from) * sizeof *y);
  }
  for (int32_t i = 0; i < p->contact_count; ++i) add(p, i, s->place, x + p->offset[i], y);
  cps_mass_factor_half(p->mass, s->reach_count, s->reach, 1, y);
  cps_mass_factor_half_back(p->mass, s->reach_count, s->reach, 1, y);
  for (int32_t i = 0; i < p->contact_count; ++i) pull(p, i, s->place, y, out + p->offset[i]);
}

// The same for a diagonal M.
static void add_diagonal(const CpsProblem* p, const double* x, double* y, double* out) {
  const CpsSparsePart* s = p->sparse;
  memset(y, 0, 3 * (size_t)s->node_count * sizeof *y);
  for (int32_t i = 0; i < p->contact_count; ++i) add(p, i, NULL, x + p->offset[i], y);
  for (int64_t k = 0; k < 3 * (int64_t)s->node_count; ++k) y[k] *= s->inverse[k / 3];
  for (int32_t i = 0; i < p->contact_count; ++i) pull(p, i, NULL, y, out + p->offset[i]);
}

void cps_sparse_apply_W(const CpsProblem* problem, CpsPool* pool, const double* x, const double* b, double* scratch,
                        double* out) {
  const CpsFactors* F = &problem->factors;
  cps_factors_push(problem, pool, x, scratch);
  cps_factors_velocities(problem, pool, scratch, b, out);
  double* y = scratch + F->body_offset[F->body_count];
  if (problem->sparse->inverse) {
    add_diagonal(problem, x, y, out);
  } else {
    add_large(problem, x, y, out);
  }
}

// The coupling of contacts: their small members and the components of M. Both as lists of contacts.
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
  for (int pass = 0; pass < 2; ++pass) {  // count two positions ahead, then fill one ahead
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

// Contacts that share a small member or a component with contact i, including i, each once, ascending.
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

// Columns of W, a few contacts at a time: the effect of unit impulses at contact i on all coupled j. W is symmetric, so
// they are stored as its rows.
enum { COLUMNS = 48 };

typedef struct Forming {
  const CpsProblem* problem;
  const CpsBlockMatrix* W;
  double* scratch;  // of each worker
  int64_t scratch_count;
} Forming;

// The part of the small members of row i.
static void form_small(const CpsProblem* p, const CpsBlockMatrix* W, int32_t i, double* z) {
  const CpsFactors* F = &p->factors;
  for (int a = 0; a < cps_contact_dim(p, i); ++a) {
    double unit[CPS_DIM_MAX] = {0}, u[CPS_DIM_MAX];
    unit[a] = 1.0;
    memset(z, 0, (size_t)F->body_offset[F->body_count] * sizeof *z);
    cps_factors_add(p, i, unit, z);
    for (int64_t k = W->start[i]; k < W->start[i + 1]; ++k) {
      int d = cps_contact_dim(p, W->col[k]);
      cps_factors_velocity(p, W->col[k], z, u);
      for (int c = 0; c < d; ++c) W->value[W->at[k] + a * d + c] = u[c];
    }
  }
}

// Position of the node of a term in a vector: in elimination order, or in node order for a diagonal M.
static int64_t place_of(const CpsSparsePart* s, int64_t term) {
  return s->inverse ? 3 * (int64_t)s->node[term] : s->place[term];
}

// Adds A_j x of the columns [at, at + d) of x to row i.
static void form_large(const CpsProblem* p, const CpsBlockMatrix* W, int32_t i, int columns, int at, const double* x) {
  const CpsSparsePart* s = p->sparse;
  for (int64_t k = W->start[i]; k < W->start[i + 1]; ++k) {
    int32_t j = W->col[k];
    int d = cps_contact_dim(p, j);
    for (int64_t t = s->node_start[j]; t < s->node_start[j + 1]; ++t) {
      const double *A = s->A + s->at[t], *v = x + place_of(s, t) * columns + at;
      for (int a = 0; a < cps_contact_dim(p, i); ++a) {
        for (int c = 0; c < d; ++c) {
          W->value[W->at[k] + a * d + c] +=
              A[3 * c] * v[a] + A[3 * c + 1] * v[columns + a] + A[3 * c + 2] * v[2 * columns + a];
        }
      }
    }
  }
}

// Clears the entries of x that are read: the nodes of the reach, or all nodes for a diagonal M.
static void clear(const CpsProblem* p, int columns, double* x) {
  const CpsSparsePart* s = p->sparse;
  if (s->inverse) memset(x, 0, 3 * (size_t)s->node_count * (size_t)columns * sizeof *x);
  for (int32_t k = 0; !s->inverse && k < s->reach_count; ++k) {
    const int64_t from = cps_mass_factor_first(p->mass, s->reach[k]),
                  to = cps_mass_factor_first(p->mass, s->reach[k] + 1);
    memset(x + 3 * from * columns, 0, 3 * (size_t)(to - from) * (size_t)columns * sizeof *x);
  }
}

// x <- M^-1 x.
static void divide_by_mass(const CpsProblem* p, int columns, double* x) {
  const CpsSparsePart* s = p->sparse;
  if (!s->inverse) {
    cps_mass_factor_half(p->mass, s->reach_count, s->reach, columns, x);
    cps_mass_factor_half_back(p->mass, s->reach_count, s->reach, columns, x);
    return;
  }
  for (int32_t k = 0; k < s->node_count; ++k) {
    for (int64_t e = 3 * (int64_t)k * columns; e < 3 * ((int64_t)k + 1) * columns; ++e) x[e] *= s->inverse[k];
  }
}

static void form_rows(void* data, int64_t first, int64_t last, int worker) {
  const Forming* work = data;
  const CpsProblem* p = work->problem;
  const CpsSparsePart* s = p->sparse;
  const CpsFactors* F = &p->factors;
  double *z = work->scratch + worker * work->scratch_count, *x = z + F->body_offset[F->body_count];
  for (int64_t i = first, end; i < last; i = end) {
    int columns = 0;
    for (end = i; end < last && columns + cps_contact_dim(p, (int32_t)end) <= COLUMNS; ++end) {
      columns += cps_contact_dim(p, (int32_t)end);
    }
    clear(p, columns, x);
    int at = 0;
    for (int64_t j = i; j < end; at += cps_contact_dim(p, (int32_t)j++)) {
      for (int64_t t = s->node_start[j]; t < s->node_start[j + 1]; ++t) {
        for (int64_t e = s->at[t]; e < s->at[t + 1]; ++e) {
          int64_t q = e - s->at[t];
          x[(place_of(s, t) + q % 3) * columns + at + q / 3] = s->A[e];
        }
      }
    }
    divide_by_mass(p, columns, x);
    at = 0;
    for (int64_t j = i; j < end; at += cps_contact_dim(p, (int32_t)j++)) {
      form_small(p, work->W, (int32_t)j, z);
      form_large(p, work->W, (int32_t)j, columns, at, x);
    }
  }
}

// Restores the symmetry lost to rounding: blocks below the diagonal become the transposes of those above, and diagonal
// blocks those of the problem.
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
  Forming work = {.problem = problem,
                  .W = W,
                  .scratch_count = problem->factors.body_offset[problem->factors.body_count] +
                                   3 * (int64_t)problem->sparse->node_count * COLUMNS};
  CpsArenaMark mark = cps_arena_mark(arena);
  work.scratch = CPS_TAKE(arena, double, work.scratch_count* cps_pool_threads(pool));
  if (!work.scratch) return false;
  cps_pool_run(pool, problem->contact_count, form_rows, &work);
  cps_arena_release(arena, mark);
  make_symmetric(problem, W);
  return true;
}

int64_t cps_sparse_bytes(const CpsProblem* problem) {
  return cps_mass_factor_bytes(problem->mass);
}
