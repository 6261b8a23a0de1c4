// Assembly and solution of the Newton system of a whole problem.
//
// f_i(r_i, u_i) = 0 for every contact with u = W r + b has the total derivative
//
//   A = D W + E,   D = diag df_i/du_i,  E = diag df_i/dr_i                              (1)
//
// The pattern of (1) is that of W with its diagonal blocks. It is laid out once, and each block (i, j) has fixed
// positions in its columns. Contacts at rest with D_i = 0 leave only the rows of E_i: their zeros are removed before
// the factorisation, whose block triangular form then removes such contacts at no cost. Patterns are analysed again
// only after a change.
//
// W is often singular; then A is singular too when many contacts stick. A is replaced by
//
//   A_s = D (W + s X^-1) + E,   X = diag xi_i,  xi_i = d_i / tr W_ii                    (2)
//
// a proximal term in the natural metric, with the smallest s of 0, 1e-10, 1e-9, … that makes it regular.
#include "friction/global/newton_system.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double SHIFT_FIRST = 1e-10;
static const double SHIFT_LAST = 1e-1;
static const double SHIFT_GROWTH = 10.0;
// Below this, the pivots of KLU show A to be singular within rounding.
static const double RCOND_MIN = 1e-14;

static bool take_buffers(CpsSolve* solve, CpsNewtonSystem* s, int64_t entries) {
  CpsArena* arena = solve->arena;
  const CpsProblem* p = s->problem;
  int64_t n = p->row_count, blocks = cps_diag_at(p, p->contact_count);
  s->f = CPS_TAKE(arena, double, n);
  s->D = CPS_TAKE(arena, double, blocks);
  s->E = CPS_TAKE(arena, double, blocks);
  s->full_row = CPS_TAKE(arena, int64_t, entries);
  s->full_value = CPS_TAKE(arena, double, entries);
  s->col_start = CPS_TAKE(arena, int64_t, n + 1);
  s->row = CPS_TAKE(arena, int64_t, entries);
  s->value = CPS_TAKE(arena, double, entries);
  s->old_start = CPS_TAKE(arena, int64_t, n + 1);
  s->old_row = CPS_TAKE(arena, int64_t, entries);
  return s->f && s->D && s->E && s->full_row && s->full_value && s->col_start && s->row && s->value && s->old_start &&
         s->old_row;
}

// Height of each block column so far, then the positions of all blocks.
static bool lay_out(CpsSolve* solve, CpsNewtonSystem* s) {
  const CpsProblem* p = s->problem;
  const CpsBlockMatrix* W = &s->W;
  int32_t n = p->contact_count;
  int64_t* height = CPS_TAKE_ZERO(solve->arena, int64_t, n);
  s->within = CPS_TAKE(solve->arena, int64_t, W->start[n]);
  s->diag_within = CPS_TAKE(solve->arena, int64_t, n);
  s->full_start = CPS_TAKE(solve->arena, int64_t, p->row_count + 1);
  if (!height || !s->within || !s->diag_within || !s->full_start) return false;
  for (int32_t i = 0; i < n; i++) {
    int d = cps_contact_dim(p, i);
    s->diag_within[i] = -1;
    for (int64_t k = W->start[i]; k < W->start[i + 1]; k++) {
      int32_t j = W->col[k];
      s->within[k] = height[j];
      if (j == i) s->diag_within[i] = height[j];
      height[j] += d;
    }
    if (s->diag_within[i] < 0) {
      s->diag_within[i] = height[i];
      height[i] += d;
    }
  }
  int64_t entries = 0;
  for (int32_t j = 0; j < n; j++) {
    for (int64_t c = p->offset[j]; c < p->offset[j + 1]; c++) {
      s->full_start[c] = entries;
      entries += height[j];
    }
  }
  s->full_start[p->row_count] = entries;
  return take_buffers(solve, s, entries);
}

static void number_rows(CpsNewtonSystem* s, int32_t i, int32_t j, int64_t within) {
  const CpsProblem* p = s->problem;
  for (int64_t c = p->offset[j]; c < p->offset[j + 1]; c++) {
    for (int a = 0; a < cps_contact_dim(p, i); a++) s->full_row[s->full_start[c] + within + a] = p->offset[i] + a;
  }
}

bool cps_newton_system_create(CpsSolve* solve, CpsNewtonSystem* system) {
  *system = (CpsNewtonSystem){.problem = solve->problem};
  if (!cps_problem_explicit_W(solve->problem, solve->arena, &system->W) || !lay_out(solve, system)) return false;
  for (int32_t i = 0; i < system->W.rows; i++) {
    number_rows(system, i, i, system->diag_within[i]);
    for (int64_t k = system->W.start[i]; k < system->W.start[i + 1]; k++) {
      number_rows(system, i, system->W.col[k], system->within[k]);
    }
  }
  return true;
}

void cps_newton_system_destroy(CpsNewtonSystem* system) {
  cps_lu_destroy(system->lu);
  system->lu = NULL;
}

static bool is_zero(const double* x, int count) {
  for (int k = 0; k < count; k++) {
    if (x[k] != 0.0) return false;
  }
  return true;
}

void cps_newton_system_assemble(CpsNewtonSystem* s) {
  const CpsProblem* p = s->problem;
  const CpsBlockMatrix* W = &s->W;
  memset(s->full_value, 0, (size_t)s->full_start[p->row_count] * sizeof(double));
  for (int32_t i = 0; i < p->contact_count; i++) {
    int d = cps_contact_dim(p, i);
    const double *D = s->D + cps_diag_at(p, i), *E = s->E + cps_diag_at(p, i);
    for (int64_t k = W->start[i]; k < W->start[i + 1] && !is_zero(D, d * d); k++) {
      int32_t j = W->col[k];
      int d_j = cps_contact_dim(p, j);
      const double* W_ij = W->value + W->at[k];
      for (int c = 0; c < d_j; c++) {
        double* column = s->full_value + s->full_start[p->offset[j] + c] + s->within[k];
        for (int a = 0; a < d; a++) {
          double sum = 0.0;
          for (int l = 0; l < d; l++) sum += D[a * d + l] * W_ij[l * d_j + c];
          column[a] = sum;
        }
      }
    }
    double s_over_xi = s->shift / p->xi[i];
    for (int c = 0; c < d; c++) {
      double* column = s->full_value + s->full_start[p->offset[i] + c] + s->diag_within[i];
      for (int a = 0; a < d; a++) column[a] += s_over_xi * D[a * d + c] + E[a * d + c];
    }
  }
}

// Removes the zeros; true if the pattern is that of the last factorisation.
static bool compress(CpsNewtonSystem* s) {
  int64_t n = s->problem->row_count, entries = 0;
  int64_t *start = s->old_start, *row = s->old_row;
  s->old_start = s->col_start;
  s->old_row = s->row;
  s->col_start = start;
  s->row = row;
  for (int64_t c = 0; c < n; c++) {
    start[c] = entries;
    for (int64_t k = s->full_start[c]; k < s->full_start[c + 1]; k++) {
      if (s->full_value[k] == 0.0) continue;
      row[entries] = s->full_row[k];
      s->value[entries++] = s->full_value[k];
    }
  }
  start[n] = entries;
  return s->lu && memcmp(start, s->old_start, (size_t)(n + 1) * sizeof *start) == 0 &&
         memcmp(row, s->old_row, (size_t)entries * sizeof *row) == 0;
}

bool cps_newton_system_factor(CpsSolve* solve, CpsNewtonSystem* s) {
  if (compress(s)) {
    // the analysis refers to the arrays passed to it
    int64_t *start = s->col_start, *row = s->row;
    s->col_start = s->old_start;
    s->row = s->old_row;
    s->old_start = start;
    s->old_row = row;
  } else {
    cps_lu_destroy(s->lu);
    s->lu = cps_lu_create(s->problem->row_count, s->col_start, s->row);
  }
  s->no_memory = !s->lu;
  if (!s->lu) return false;
  solve->factorisations++;
  bool factored = cps_lu_factor(s->lu, s->value);
  s->no_memory = cps_lu_no_memory(s->lu);
  return factored && cps_lu_rcond(s->lu) > RCOND_MIN;
}

static bool all_finite(const double* x, int64_t count) {
  for (int64_t k = 0; k < count; k++) {
    if (!isfinite(x[k])) return false;
  }
  return true;
}

// f.(D Wd + E d)
static double slope_along(const CpsNewtonSystem* s, const double* d, const double* Wd) {
  const CpsProblem* p = s->problem;
  double slope = 0.0;
  for (int32_t i = 0; i < p->contact_count; i++) {
    int n = cps_contact_dim(p, i);
    const double *D = s->D + cps_diag_at(p, i), *E = s->E + cps_diag_at(p, i);
    for (int a = 0; a < n; a++) {
      double sum = 0.0;
      for (int c = 0; c < n; c++) sum += D[a * n + c] * Wd[p->offset[i] + c] + E[a * n + c] * d[p->offset[i] + c];
      slope += s->f[p->offset[i] + a] * sum;
    }
  }
  return slope;
}

// d = -A^T f from the assembled matrix
static void steepest_descent(CpsNewtonSystem* s, double* d) {
  s->shift = 0.0;
  cps_newton_system_assemble(s);
  for (int64_t c = 0; c < s->problem->row_count; c++) {
    d[c] = 0.0;
    for (int64_t k = s->full_start[c]; k < s->full_start[c + 1]; k++) d[c] -= s->full_value[k] * s->f[s->full_row[k]];
  }
}

bool cps_newton_system_direction(CpsSolve* solve, CpsNewtonSystem* s, double* d, double* Wd, double* slope) {
  int64_t n = s->problem->row_count;
  double f_squared = 0.0;
  for (int64_t k = 0; k < n; k++) f_squared += s->f[k] * s->f[k];
  for (; s->shift <= SHIFT_LAST; s->shift = fmax(SHIFT_FIRST, SHIFT_GROWTH * s->shift)) {
    cps_newton_system_assemble(s);
    bool factored = cps_newton_system_factor(solve, s);
    if (s->no_memory) return false;
    if (!factored) continue;
    for (int64_t k = 0; k < n; k++) d[k] = -s->f[k];
    cps_lu_solve(s->lu, d);
    if (!all_finite(d, n)) continue;
    cps_block_matrix_multiply(&s->W, d, Wd);
    *slope = slope_along(s, d, Wd);
    if (*slope <= -0.1 * f_squared) return true;  // -1 times it without a shift and without rounding
  }
  steepest_descent(s, d);
  cps_block_matrix_multiply(&s->W, d, Wd);
  *slope = 0.0;
  for (int64_t k = 0; k < n; k++) *slope -= d[k] * d[k];
  return false;
}
