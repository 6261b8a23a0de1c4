// Facts about a problem: sizes, islands, rank.
//
// Islands are the connected components of the block pattern of W (zero blocks do not connect contacts). The symmetric
// part of W splits into one dense block per island. Its rank is the sum of the ranks of the blocks, each found by
// Cholesky with diagonal pivoting (dense.h). The condition figure, largest over smallest accepted pivot, is only a
// lower bound of the condition number. A remainder of the factorisation that is negative well beyond rounding means
// that W is not positive semi-definite.
#include "core/arena.h"
#include "core/sets.h"
#include "friction/sparse_part.h"
#include "sparse/dense.h"

#include <math.h>
#include <string.h>

// Larger islands are not factored: 2000 rows take some seconds.
enum { RANK_ROWS_MAX = 2000 };
static const double RANK_TOLERANCE = 1e-9;
// Matrices from practice carry single-precision rounding (relative -9e-8 was seen): only remainders well beyond it count.
static const double NEGATIVE_TOLERANCE = 1e-6;

static bool is_zero(const double* x, int64_t count) {
  for (int64_t k = 0; k < count; k++) {
    if (x[k] != 0.0) return false;
  }
  return true;
}

static void join_by_W(const CpsBlockMatrix* W, int32_t* parent) {
  for (int32_t i = 0; i < W->rows; i++) {
    for (int64_t k = W->start[i]; k < W->start[i + 1]; k++) {
      if (!is_zero(W->value + W->at[k], W->at[k + 1] - W->at[k])) cps_sets_join(parent, i, W->col[k]);
    }
  }
}

// Matrix-free: contacts of one body are connected. first[B]: first contact seen on each body.
static void join_by_bodies(const CpsProblem* problem, int32_t* first, int32_t* parent) {
  const CpsFactors* F = &problem->factors;
  for (int32_t B = 0; B < F->body_count; B++) first[B] = -1;
  for (int32_t i = 0; i < problem->contact_count; i++) {
    for (int64_t k = F->contact_start[i]; k < F->contact_start[i + 1]; k++) {
      int64_t size = cps_term_at(F, k + 1) - cps_term_at(F, k);
      if (is_zero(F->H + cps_term_at(F, k), size) || is_zero(F->Y + cps_term_at(F, k), size)) continue;
      int32_t B = F->body[k];
      if (first[B] < 0) first[B] = i;
      cps_sets_join(parent, i, first[B]);
    }
  }
}

// Large members: contacts of one component of M are connected.
static void join_by_components(const CpsProblem* problem, int32_t* first, int32_t* parent) {
  const CpsSparsePart* s = problem->sparse;
  for (int32_t c = 0; c < s->component_count; c++) first[c] = -1;
  for (int32_t i = 0; i < problem->contact_count; i++) {
    for (int64_t t = s->node_start[i]; t < s->node_start[i + 1]; t++) {
      if (is_zero(s->A + s->at[t], s->at[t + 1] - s->at[t])) continue;
      int32_t c = s->component[s->node[t]];
      if (first[c] < 0) first[c] = i;
      cps_sets_join(parent, i, first[c]);
    }
  }
}

bool cps_problem_find_islands(const CpsProblem* problem, CpsArena* arena, int32_t* island, int32_t* count) {
  int32_t n = problem->contact_count;
  int32_t* parent = CPS_TAKE(arena, int32_t, n);
  if (!parent) return false;
  for (int32_t i = 0; i < n; i++) parent[i] = i;
  if (problem->has_W) {
    join_by_W(&problem->W, parent);
  } else {
    int32_t* first = CPS_TAKE(arena, int32_t, problem->factors.body_count);
    if (!first) return false;
    join_by_bodies(problem, first, parent);
  }
  if (problem->sparse) {
    int32_t* first = CPS_TAKE(arena, int32_t, problem->sparse->component_count);
    if (!first) return false;
    join_by_components(problem, first, parent);
  }
  *count = 0;
  for (int32_t i = 0; i < n; i++) {
    int32_t root = cps_sets_root(parent, i);
    island[i] = root == i ? (*count)++ : island[root];
  }
  return true;
}

CpsStatus cps_problem_islands(const CpsProblem* problem, int32_t* island, int32_t* count) {
  if (!problem || !count || (!island && problem->contact_count > 0)) return CPS_BAD_ARGUMENT;
  CpsArena arena = {0};
  int32_t* found = CPS_TAKE(&arena, int32_t, problem->contact_count);
  int32_t found_count = 0;
  bool ok = found && cps_problem_find_islands(problem, &arena, found, &found_count);
  if (ok) {
    for (int32_t i = 0; i < problem->contact_count; i++) island[i] = found[i];
    *count = found_count;
  }
  cps_arena_free(&arena);
  return ok ? CPS_OK : CPS_NO_MEMORY;
}

// The contacts of each island, in order.
typedef struct Islands {
  int32_t count;
  int32_t* of;     // island of each contact
  int32_t* start;  // count + 1
  int32_t* contact;
  int64_t* rows;   // scalar rows of each
  int64_t* local;  // first scalar row of each contact inside its island
} Islands;

static bool list_islands(const CpsProblem* problem, CpsArena* arena, Islands* s) {
  int32_t n = problem->contact_count;
  s->of = CPS_TAKE(arena, int32_t, n);
  s->contact = CPS_TAKE(arena, int32_t, n);
  s->local = CPS_TAKE(arena, int64_t, n);
  if (!s->of || !s->contact || !s->local || !cps_problem_find_islands(problem, arena, s->of, &s->count)) return false;
  s->start = CPS_TAKE_ZERO(arena, int32_t, (int64_t)s->count + 1);
  s->rows = CPS_TAKE_ZERO(arena, int64_t, s->count);
  int32_t* next = CPS_TAKE(arena, int32_t, s->count);
  if (!s->start || !s->rows || !next) return false;
  for (int32_t i = 0; i < n; i++) {
    s->start[s->of[i] + 1]++;
    s->local[i] = s->rows[s->of[i]];
    s->rows[s->of[i]] += cps_contact_dim(problem, i);
  }
  for (int32_t k = 0; k < s->count; k++) {
    s->start[k + 1] += s->start[k];
    next[k] = s->start[k];
  }
  for (int32_t i = 0; i < n; i++) s->contact[next[s->of[i]]++] = i;
  return true;
}

// Dense (W + W^T)/2 of one island.
static void gather_island(const CpsProblem* problem, const CpsBlockMatrix* W, const Islands* s, int32_t island,
                          double* A) {
  int64_t size = s->rows[island];
  memset(A, 0, (size_t)(size * size) * sizeof(double));
  for (int32_t c = s->start[island]; c < s->start[island + 1]; c++) {
    int32_t i = s->contact[c];
    int d_i = cps_contact_dim(problem, i);
    for (int64_t k = W->start[i]; k < W->start[i + 1]; k++) {
      int32_t j = W->col[k];
      if (s->of[j] != island) continue;  // a stored block of zeros
      int d_j = cps_contact_dim(problem, j);
      for (int a = 0; a < d_i; a++) {
        for (int b = 0; b < d_j; b++) {
          double half = 0.5 * W->value[W->at[k] + a * d_j + b];
          A[(s->local[i] + a) * size + s->local[j] + b] += half;
          A[(s->local[j] + b) * size + s->local[i] + a] += half;
        }
      }
    }
  }
}

// Blocks of the W of a matrix-free problem, which is not formed. seen: contact_count entries.
static int64_t count_blocks(const CpsProblem* problem, int32_t* seen) {
  const CpsFactors* F = &problem->factors;
  int64_t count = 0;
  for (int32_t i = 0; i < problem->contact_count; i++) seen[i] = -1;
  for (int32_t i = 0; i < problem->contact_count; i++) {
    seen[i] = i;
    count++;
    for (int64_t k = F->contact_start[i]; k < F->contact_start[i + 1]; k++) {
      for (int64_t l = F->body_start[F->body[k]]; l < F->body_start[F->body[k] + 1]; l++) {
        int32_t j = F->term_contact[F->body_term[l]];
        if (seen[j] != i) count++;
        seen[j] = i;
      }
    }
  }
  return count;
}

static bool find_rank(const CpsProblem* problem, const Islands* s, CpsArena* arena, CpsProblemInfo* info) {
  int64_t largest = 0;
  for (int32_t k = 0; k < s->count; k++) {
    if (s->rows[k] > largest && s->rows[k] <= RANK_ROWS_MAX) largest = s->rows[k];
    // large matrix-free problems are those whose W would not fit
    if (s->rows[k] > RANK_ROWS_MAX && !problem->has_W) return true;
  }
  CpsBlockMatrix W;
  if (!cps_problem_explicit_W(problem, arena, &W)) return false;
  double* A = CPS_TAKE(arena, double, largest* largest);
  int* order = CPS_TAKE(arena, int, largest);
  if (!A || !order) return false;
  bool complete = true;
  int64_t rank = 0;
  double condition = 1.0;
  for (int32_t k = 0; k < s->count; k++) {
    if (s->rows[k] > RANK_ROWS_MAX) {
      complete = false;
      continue;
    }
    double island_condition, most_negative;
    gather_island(problem, &W, s, k, A);
    rank += cps_dense_rank((int)s->rows[k], A, RANK_TOLERANCE, order, &island_condition, &most_negative);
    condition = fmax(condition, island_condition);
    if (info->indefinite_island < 0 && most_negative < -NEGATIVE_TOLERANCE) info->indefinite_island = k;
  }
  if (complete) {
    info->rank = rank;
    info->condition = condition;
  }
  return true;
}

static void describe_contacts(const CpsProblem* problem, CpsProblemInfo* info) {
  info->contact_count = problem->contact_count;
  info->dim = problem->dim;
  info->row_count = problem->row_count;
  info->dof_count = problem->dof_count;
  info->nu = problem->dof_count > 0 ? (double)problem->row_count / (double)problem->dof_count : -1.0;
  info->asymmetry = problem->asymmetry;
  info->bytes = (int64_t)problem->arena.used + (int64_t)sizeof *problem;
  if (problem->sparse) info->bytes += cps_sparse_bytes(problem);
  info->mu_min = info->mu_max = -1.0;
  for (int32_t i = 0; i < problem->contact_count; i++) {
    info->law_count[problem->law[i]]++;
    if (problem->law[i] != CPS_LAW_COULOMB && problem->law[i] != CPS_LAW_CONVEX) continue;
    info->mu_min = info->mu_min < 0.0 ? problem->mu[i] : fmin(info->mu_min, problem->mu[i]);
    info->mu_max = fmax(info->mu_max, problem->mu[i]);
  }
}

CpsStatus cps_problem_describe(const CpsProblem* problem, CpsProblemInfo* info) {
  if (!problem || !info) return CPS_BAD_ARGUMENT;
  CpsProblemInfo out = {.rank = -1, .condition = -1.0, .indefinite_island = -1};
  describe_contacts(problem, &out);
  CpsArena arena = {0};
  Islands islands;
  int32_t* seen = CPS_TAKE(&arena, int32_t, problem->contact_count);
  bool ok = seen && list_islands(problem, &arena, &islands);
  if (ok) {
    out.block_count = problem->has_W    ? problem->W.start[problem->contact_count]
                      : problem->sparse ? cps_sparse_block_count(problem, &arena)
                                        : count_blocks(problem, seen);
    ok = out.block_count >= 0;
    out.island_count = islands.count;
    for (int32_t k = 0; k < islands.count; k++) {
      int32_t size = islands.start[k + 1] - islands.start[k];
      if (size > out.largest_island) out.largest_island = size;
    }
    ok = ok && find_rank(problem, &islands, &arena, &out);
  }
  cps_arena_free(&arena);
  if (!ok) return CPS_NO_MEMORY;
  *info = out;
  return CPS_OK;
}
