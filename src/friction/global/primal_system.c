// Pattern, assembly and factor of the linear system of the primal methods.
#include "friction/global/primal_system.h"

#include "core/error.h"
#include "friction/build.h"
#include "sparse/block_matrix.h"

#include <string.h>

// Nodes of a small member of m degrees of freedom.
static int32_t nodes_of(int32_t m) {
  return (m + 2) / 3;
}

// The terms of all contacts; those of small members are cut into threes.
static bool make_terms(CpsSolve* solve, CpsPrimalSystem* x) {
  const CpsProblem* p = x->problem;
  const CpsSparsePart* s = p->sparse;
  const CpsFactors* F = &p->factors;
  CpsArena* arena = solve->arena;
  int32_t* body_node = CPS_TAKE(arena, int32_t, (int64_t)F->body_count + 1);
  x->term_start = CPS_TAKE(arena, int64_t, (int64_t)p->contact_count + 1);
  if (!body_node || !x->term_start) return false;
  x->nodes = s->node_count;
  for (int32_t body = 0; body < F->body_count; ++body) {
    body_node[body] = x->nodes;
    x->nodes += nodes_of(F->body_dofs[body]);
  }
  int64_t terms = 0, values = 0;
  for (int32_t i = 0; i < p->contact_count; ++i) {
    int64_t before = terms;
    x->term_start[i] = terms;
    terms += s->node_start[i + 1] - s->node_start[i];
    for (int64_t t = F->contact_start[i]; t < F->contact_start[i + 1]; ++t) terms += nodes_of(F->body_dofs[F->body[t]]);
    values += 3 * (int64_t)cps_contact_dim(p, i) * (terms - before);
  }
  x->term_start[p->contact_count] = terms;
  x->term_node = CPS_TAKE(arena, int32_t, terms);
  x->term_at = CPS_TAKE(arena, int64_t, terms + 1);
  x->A = CPS_TAKE_ZERO(arena, double, values);
  if (!x->term_node || !x->term_at || !x->A) return false;
  int64_t k = 0, at = 0;
  for (int32_t i = 0; i < p->contact_count; ++i) {
    int d = cps_contact_dim(p, i);
    for (int64_t t = s->node_start[i]; t < s->node_start[i + 1]; ++t, ++k, at += 3 * d) {
      x->term_node[k] = s->node[t];
      x->term_at[k] = at;
      memcpy(x->A + at, s->A + s->at[t], 3 * (size_t)d * sizeof(double));
    }
    for (int64_t t = F->contact_start[i]; t < F->contact_start[i + 1]; ++t) {
      int m = F->body_dofs[F->body[t]];
      for (int first = 0; first < m; first += 3, ++k, at += 3 * d) {
        x->term_node[k] = body_node[F->body[t]] + first / 3;
        x->term_at[k] = at;
        for (int a = 0; a < d; ++a) {
          for (int c = 0; c < 3 && first + c < m; ++c)
            x->A[at + 3 * a + c] = F->H[cps_term_at(F, t) + (int64_t)a * m + first + c];
        }
      }
    }
  }
  x->term_at[terms] = at;
  return true;
}

// The contacts of each node.
typedef struct Touching {
  int64_t* start;  // nodes + 2
  int32_t* contact;
} Touching;

static bool list_touching(const CpsPrimalSystem* x, CpsArena* arena, Touching* of) {
  int32_t n = x->problem->contact_count;
  of->start = CPS_TAKE_ZERO(arena, int64_t, (int64_t)x->nodes + 2);
  of->contact = CPS_TAKE(arena, int32_t, x->term_start[n]);
  if (!of->start || !of->contact) return false;
  for (int64_t t = 0; t < x->term_start[n]; ++t) of->start[x->term_node[t] + 2]++;
  for (int32_t k = 0; k < x->nodes; ++k) of->start[k + 2] += of->start[k + 1];
  for (int32_t i = 0; i < n; ++i) {
    for (int64_t t = x->term_start[i]; t < x->term_start[i + 1]; ++t) of->contact[of->start[x->term_node[t] + 1]++] = i;
  }
  return true;
}

// Columns of one row of J up to the diagonal, ascending; returns how many.
static int64_t row_columns(const CpsPrimalSystem* x, const Touching* of, int32_t row, int32_t* seen, int32_t* list) {
  const CpsSparsePart* s = x->problem->sparse;
  int64_t count = 0, plain = 0;
  if (row < s->node_count) {
    for (int64_t k = s->M_start[row]; k < s->M_start[row + 1]; ++k) {
      seen[s->M_column[k]] = row;
      list[count++] = s->M_column[k];
    }
  } else {
    seen[row] = row;
    list[count++] = row;
  }
  plain = count;
  for (int64_t k = of->start[row]; k < of->start[row + 1]; ++k) {
    int32_t i = of->contact[k];
    for (int64_t t = x->term_start[i]; t < x->term_start[i + 1]; ++t) {
      int32_t column = x->term_node[t];
      if (column > row || seen[column] == row) continue;
      seen[column] = row;
      list[count++] = column;
    }
  }
  if (count > plain) cps_build_sort_columns(list, count);
  return count;
}

static bool make_pattern(CpsSolve* solve, CpsPrimalSystem* x) {
  CpsArena* arena = solve->arena;
  Touching of;
  int64_t n = x->nodes;
  int32_t *seen = CPS_TAKE(arena, int32_t, n), *list = CPS_TAKE(arena, int32_t, n);
  x->start = CPS_TAKE(arena, int64_t, n + 1);
  if (!seen || !list || !x->start || !list_touching(x, arena, &of)) return false;
  for (int32_t k = 0; k < n; ++k) seen[k] = -1;
  x->start[0] = 0;
  for (int32_t k = 0; k < n; ++k) x->start[k + 1] = x->start[k] + row_columns(x, &of, k, seen, list);
  x->column = CPS_TAKE(arena, int32_t, x->start[n]);
  x->mass = CPS_TAKE_ZERO(arena, double, 9 * x->start[n]);
  x->value = CPS_TAKE(arena, double, 9 * x->start[n]);
  if (!x->column || !x->mass || !x->value) return false;
  for (int32_t k = 0; k < n; ++k) seen[k] = -1;
  for (int32_t k = 0; k < n; ++k) row_columns(x, &of, k, seen, x->column + x->start[k]);
  return true;
}

// Block (row, column), column <= row, of the pattern.
static int64_t find_block(const CpsPrimalSystem* x, int32_t row, int32_t column) {
  return cps_column_find(x->column, x->start[row], x->start[row + 1], column);
}

static void copy_mass(CpsPrimalSystem* x) {
  const CpsSparsePart* s = x->problem->sparse;
  for (int32_t row = 0; row < s->node_count; ++row) {
    int64_t to = x->start[row];
    for (int64_t k = s->M_start[row]; k < s->M_start[row + 1]; ++k, ++to) {
      while (x->column[to] != s->M_column[k]) ++to;
      memcpy(x->mass + 9 * to, s->M_value + 9 * k, 9 * sizeof(double));
    }
  }
  for (int32_t row = s->node_count; row < x->nodes; ++row) {
    double* D = x->mass + 9 * (x->start[row + 1] - 1);
    D[0] = D[4] = D[8] = 1.0;
  }
}

static bool list_pairs(CpsSolve* solve, CpsPrimalSystem* x) {
  int32_t n = x->problem->contact_count;
  x->pair_start = CPS_TAKE(solve->arena, int64_t, (int64_t)n + 1);
  if (!x->pair_start) return false;
  x->pair_start[0] = 0;
  for (int32_t i = 0; i < n; ++i) {
    int64_t terms = x->term_start[i + 1] - x->term_start[i];
    x->pair_start[i + 1] = x->pair_start[i] + terms * (terms + 1) / 2;
  }
  x->pair = CPS_TAKE(solve->arena, int64_t, x->pair_start[n]);
  if (!x->pair) return false;
  int64_t k = 0;
  for (int32_t i = 0; i < n; ++i) {
    for (int64_t a = x->term_start[i]; a < x->term_start[i + 1]; ++a) {
      for (int64_t b = x->term_start[i]; b <= a; ++b) {
        int32_t one = x->term_node[a], two = x->term_node[b];
        x->pair[k++] = one >= two ? find_block(x, one, two) : find_block(x, two, one);
      }
    }
  }
  return true;
}

static bool find_reach(CpsSolve* solve, CpsPrimalSystem* x) {
  int64_t terms = x->term_start[x->problem->contact_count];
  int32_t* work = CPS_TAKE(solve->arena, int32_t, terms);
  x->reach = CPS_TAKE(solve->arena, int32_t, cps_mass_factor_supernodes(x->factor));
  x->place = CPS_TAKE(solve->arena, int64_t, terms);
  x->y = CPS_TAKE(solve->arena, double, 3 * (int64_t)x->nodes);
  if (!work || !x->reach || !x->place || !x->y) return false;
  x->reach_count = cps_mass_factor_reach(x->factor, (int32_t)terms, x->term_node, x->reach, work);
  for (int64_t t = 0; t < terms; ++t) x->place[t] = 3 * (int64_t)cps_mass_factor_position(x->factor, x->term_node[t]);
  return true;
}

CpsStatus cps_primal_system_create(CpsSolve* solve, CpsPrimalSystem* system) {
  *system = (CpsPrimalSystem){.problem = solve->problem};
  if (!*solve->factor) *solve->factor = cps_mass_factor_create();
  system->factor = *solve->factor;
  bool ok = system->factor && make_terms(solve, system) && make_pattern(solve, system) && list_pairs(solve, system) &&
            cps_mass_factor_analyse(system->factor, solve->problem->mass, solve->pool, system->nodes, system->start,
                                    system->column) &&
            find_reach(solve, system);
  if (!ok) return cps_fail(solve->error, CPS_NO_MEMORY, "not enough memory for the system of the velocities");
  copy_mass(system);
  solve->outside_bytes = cps_mass_factor_bytes(system->factor);
  return CPS_OK;
}

// block += A_a^T D A_b
static void add_product(int d, const double* A_a, const double* D, const double* A_b, double* block) {
  double DA[3 * CPS_DIM_MAX];
  for (int r = 0; r < d; ++r) {
    for (int c = 0; c < 3; ++c) {
      double sum = 0.0;
      for (int k = 0; k < d; ++k) sum += 0.5 * (D[r * d + k] + D[k * d + r]) * A_b[3 * k + c];
      DA[3 * r + c] = sum;
    }
  }
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) {
      for (int k = 0; k < d; ++k) block[3 * r + c] += A_a[3 * k + r] * DA[3 * k + c];
    }
  }
}

static bool is_zero(const double* x, int count) {
  for (int k = 0; k < count; ++k) {
    if (x[k] != 0.0) return false;
  }
  return true;
}

bool cps_primal_system_factor(CpsSolve* solve, CpsPrimalSystem* x, const double* D) {
  const CpsProblem* p = x->problem;
  memcpy(x->value, x->mass, 9 * (size_t)x->start[x->nodes] * sizeof(double));
  for (int32_t i = 0; i < p->contact_count; ++i) {
    int d = cps_contact_dim(p, i);
    const double* D_i = D + cps_diag_at(p, i);
    int64_t k = x->pair_start[i];
    if (is_zero(D_i, d * d)) continue;
    for (int64_t a = x->term_start[i]; a < x->term_start[i + 1]; ++a) {
      for (int64_t b = x->term_start[i]; b <= a; ++b, ++k) {
        bool lower = x->term_node[a] >= x->term_node[b];
        const double *first = x->A + x->term_at[lower ? a : b], *second = x->A + x->term_at[lower ? b : a];
        add_product(d, first, D_i, second, x->value + 9 * x->pair[k]);
      }
    }
  }
  solve->factorisations++;
  int32_t node;
  return cps_mass_factor_factor(x->factor, x->value, &node);
}

void cps_primal_system_respond(CpsPrimalSystem* system, const double* x, double* out) {
  const CpsProblem* p = system->problem;
  double* y = system->y;
  for (int32_t k = 0; k < system->reach_count; ++k) {
    int64_t from = cps_mass_factor_first(system->factor, system->reach[k]);
    int64_t to = cps_mass_factor_first(system->factor, system->reach[k] + 1);
    memset(y + 3 * from, 0, 3 * (size_t)(to - from) * sizeof *y);
  }
  for (int32_t i = 0; i < p->contact_count; ++i) {
    const double* x_i = x + p->offset[i];
    int d = cps_contact_dim(p, i);
    for (int64_t t = system->term_start[i]; t < system->term_start[i + 1]; ++t) {
      const double* A = system->A + system->term_at[t];
      double* to = y + system->place[t];
      for (int a = 0; a < d; ++a) {
        for (int q = 0; q < 3; ++q) to[q] += A[3 * a + q] * x_i[a];
      }
    }
  }
  cps_mass_factor_half(system->factor, system->reach_count, system->reach, 1, y);
  cps_mass_factor_half_back(system->factor, system->reach_count, system->reach, 1, y);
  for (int32_t i = 0; i < p->contact_count; ++i) {
    double sum[CPS_DIM_MAX] = {0};
    int d = cps_contact_dim(p, i);
    for (int64_t t = system->term_start[i]; t < system->term_start[i + 1]; ++t) {
      const double *A = system->A + system->term_at[t], *from = y + system->place[t];
      for (int a = 0; a < d; ++a) sum[a] += A[3 * a] * from[0] + A[3 * a + 1] * from[1] + A[3 * a + 2] * from[2];
    }
    memcpy(out + p->offset[i], sum, (size_t)d * sizeof *out);
  }
}
