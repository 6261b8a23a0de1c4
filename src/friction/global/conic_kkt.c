// The linear systems of the interior point, with sparse L D L^T (AMD ordering).
//
//   (A + F^2) dx = g,       A = T S T restricted to the unknowns, r = T x                                         (1)
//   dual form:    factor A + F^2 + delta I                                                                        (2)
//   primal form:  A + epsilon I = L L^T,  [I L^T; L -F^2 - delta I] [y; -dx] = [0; g]                             (3)
//
// (3) has y = L^T dx, the velocity in coordinates in which the kinetic energy is 1/2 ||y||^2: it is the Newton system
// of min 1/2 ||y||^2 over L y + c in K (docs/theory/convex-fixed-point.md, section 4). It is quasi-definite, so L D L^T
// exists for every ordering (Vanderbei 1995). delta and epsilon prevent zero pivots with singular W; iterative
// refinement against (1) removes their effect.
#include "friction/global/conic_kkt.h"

#include <math.h>
#include <string.h>

// delta, epsilon relative to the diagonal of A, which is 1 on average; and refinement steps.
static const double regularisation = 1e-13;
static const int refinements = 3;

static int unknowns(const CpsProblem* problem, int32_t i) {
  switch ((CpsLaw)problem->law[i]) {
    case CPS_LAW_FREE:
      return 0;
    case CPS_LAW_BILATERAL:
      return cps_contact_dim(problem, i);
    default:
      return problem->mu[i] > 0.0 ? cps_contact_dim(problem, i) : 1;
  }
}

bool cps_conic_rows_create(CpsSolve* solve, bool unit_cones, CpsConicRows* rows) {
  const CpsProblem* problem = solve->problem;
  rows->first = CPS_TAKE(solve->arena, int64_t, problem->contact_count + 1);
  rows->row = CPS_TAKE(solve->arena, int64_t, problem->row_count);
  rows->t = CPS_TAKE(solve->arena, double, problem->row_count);
  if (!rows->first || !rows->row || !rows->t) return false;
  int64_t at = 0;
  for (int32_t i = 0; i < problem->contact_count; i++) {
    rows->first[i] = at;
    // sqrt(xi) makes the diagonal 1; (1, mu) or (1/mu, 1) turns K_mu into the unit cone with factors <= 1
    double root = sqrt(problem->xi[i]), mu = problem->mu[i];
    bool cone = unit_cones && problem->law[i] <= CPS_LAW_CONVEX && mu > 0.0;
    for (int k = 0; k < unknowns(problem, i); k++, at++) {
      rows->row[at] = problem->offset[i] + k;
      rows->t[at] = root * (cone ? (k == 0 ? fmin(1.0, 1.0 / mu) : fmin(1.0, mu)) : 1.0);
    }
  }
  rows->first[problem->contact_count] = at;
  rows->count = at;
  return true;
}

static int dim(const CpsConicRows* rows, int32_t i) {
  return (int)(rows->first[i + 1] - rows->first[i]);
}

// Position of row `row` in column `col` of K, rows ascending.
static int64_t find(const int64_t* start, const int64_t* rows, int64_t col, int64_t row) {
  int64_t low = start[col], high = start[col + 1];
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (rows[middle] < row) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// A from the blocks of S. A diagonal block missing in S is stored as zeros, because F^2 needs its position.
static bool build_A(CpsSolve* solve, const CpsConic* conic, CpsConicKkt* kkt) {
  const CpsConicRows* rows = kkt->rows;
  const CpsBlockMatrix* S = &conic->S;
  int64_t entries = 0;
  for (int32_t i = 0; i < S->rows; i++) {
    int64_t width = 0;
    bool diagonal = false;
    for (int64_t k = S->start[i]; k < S->start[i + 1]; k++) {
      width += dim(rows, S->col[k]);
      diagonal = diagonal || S->col[k] == i;
    }
    entries += dim(rows, i) * (width + (diagonal ? 0 : dim(rows, i)));
  }
  kkt->A_start = CPS_TAKE(solve->arena, int64_t, rows->count + 1);
  kkt->A_row = CPS_TAKE(solve->arena, int64_t, entries + 1);
  kkt->A_value = CPS_TAKE(solve->arena, double, entries + 1);
  if (!kkt->A_start || !kkt->A_row || !kkt->A_value) return false;

  int64_t at = 0;
  for (int32_t i = 0; i < S->rows; i++) {
    for (int a = 0; a < dim(rows, i); a++) {
      int64_t column = rows->first[i] + a;
      kkt->A_start[column] = at;
      bool diagonal = false;
      for (int64_t k = S->start[i]; k <= S->start[i + 1]; k++) {
        bool end = k == S->start[i + 1];
        if (!diagonal && (end || S->col[k] > i)) {  // a missing diagonal block, in its position
          for (int b = 0; b < dim(rows, i); b++, at++) {
            kkt->A_row[at] = rows->first[i] + b;
            kkt->A_value[at] = 0.0;
          }
          diagonal = true;
        }
        if (end) break;
        int32_t j = S->col[k];
        diagonal = diagonal || j == i;
        int64_t width = S->offset[j + 1] - S->offset[j];
        for (int b = 0; b < dim(rows, j); b++, at++) {
          int64_t other = rows->first[j] + b;
          kkt->A_row[at] = other;
          kkt->A_value[at] = rows->t[column] * S->value[S->at[k] + a * width + b] * rows->t[other];
        }
      }
    }
  }
  kkt->A_start[rows->count] = at;
  return true;
}

// (2): K = A + delta I
static bool build_dual(CpsSolve* solve, CpsConicKkt* kkt) {
  int64_t entries = kkt->A_start[kkt->rows->count];
  kkt->size = kkt->rows->count;
  kkt->K_start = kkt->A_start;
  kkt->K_row = kkt->A_row;
  kkt->K_base = CPS_TAKE(solve->arena, double, entries + 1);
  if (!kkt->K_base) return false;
  if (entries > 0) memcpy(kkt->K_base, kkt->A_value, (size_t)entries * sizeof(double));
  for (int64_t k = 0; k < kkt->size; k++) kkt->K_base[find(kkt->K_start, kkt->K_row, k, k)] += regularisation;
  return true;
}

// L of A + epsilon I as CSC columns (N x N, rows not sorted), from a separate factorisation.
static CpsStatus root_of_A(CpsSolve* solve, CpsConicKkt* kkt, int64_t** start, int64_t** row, double** value) {
  int64_t n = kkt->rows->count, entries = kkt->A_start[n];
  double* shifted = CPS_TAKE(solve->arena, double, entries + 1);
  if (!shifted) return cps_conic_no_memory(solve);
  CpsLdl* ldl = cps_ldl_create(n, kkt->A_start, kkt->A_row);
  if (!ldl) return cps_conic_no_memory(solve);
  CpsStatus status = CPS_OK;
  int64_t count = cps_ldl_root_count(ldl);
  *start = CPS_TAKE(solve->arena, int64_t, n + 1);
  *row = CPS_TAKE(solve->arena, int64_t, count + 1);
  *value = CPS_TAKE(solve->arena, double, count + 1);
  if (!*start || !*row || !*value) {
    status = cps_conic_no_memory(solve);
  } else {
    // rounding leaves small negative pivots on a singular A: raise epsilon until they vanish
    status = CPS_BAD_DATA;
    for (double epsilon = regularisation; status == CPS_BAD_DATA && epsilon < 1e-2; epsilon *= 10.0) {
      if (entries > 0) memcpy(shifted, kkt->A_value, (size_t)entries * sizeof(double));
      for (int64_t k = 0; k < n; k++) shifted[find(kkt->A_start, kkt->A_row, k, k)] += epsilon;
      solve->factorisations++;
      if (cps_ldl_factor(ldl, shifted)) {
        if (cps_ldl_root(ldl, *start, *row, *value)) status = CPS_OK;
      } else if (cps_ldl_no_memory(ldl)) {
        status = cps_conic_no_memory(solve);
      }
    }
  }
  cps_ldl_destroy(ldl);
  return status;
}

// (3): rows and columns 0 … k-1 are y, k … k+N-1 are x. Both triangles.
static CpsStatus build_primal(CpsSolve* solve, CpsConicKkt* kkt) {
  int64_t n = kkt->rows->count, *L_start = NULL, *L_row = NULL;
  double* L_value = NULL;
  CpsStatus status = root_of_A(solve, kkt, &L_start, &L_row, &L_value);
  if (status != CPS_OK) return status;
  int64_t k = n, size = k + n, L_count = L_start[n], block_entries = 0;
  for (int32_t i = 0; i < kkt->problem->contact_count; i++) block_entries += dim(kkt->rows, i) * dim(kkt->rows, i);
  int64_t entries = k + 2 * L_count + block_entries;
  kkt->size = size;
  kkt->root_count = k;
  kkt->K_start = CPS_TAKE_ZERO(solve->arena, int64_t, size + 2);
  kkt->K_row = CPS_TAKE(solve->arena, int64_t, entries + 1);
  kkt->K_base = CPS_TAKE_ZERO(solve->arena, double, entries + 1);
  int64_t* next = CPS_TAKE(solve->arena, int64_t, n + 1);
  if (!kkt->K_start || !kkt->K_row || !kkt->K_base || !next) return cps_conic_no_memory(solve);

  // lengths of the columns of x: a row of L and a diagonal block
  int64_t* start = kkt->K_start;
  for (int64_t e = 0; e < L_count; e++) start[k + L_row[e] + 1]++;
  for (int64_t j = 0; j < k; j++) start[j + 1] = 1 + L_start[j + 1] - L_start[j];
  for (int32_t i = 0; i < kkt->problem->contact_count; i++) {
    for (int64_t a = kkt->rows->first[i]; a < kkt->rows->first[i + 1]; a++) start[k + a + 1] += dim(kkt->rows, i);
  }
  for (int64_t j = 0; j < size; j++) start[j + 1] += start[j];
  for (int64_t a = 0; a < n; a++) next[a] = start[k + a];

  for (int64_t j = 0; j < k; j++) {  // columns of y, and the same entries as rows of the columns of x
    int64_t at = start[j];
    kkt->K_row[at] = j;
    kkt->K_base[at++] = 1.0;
    for (int64_t e = L_start[j]; e < L_start[j + 1]; e++, at++) {
      kkt->K_row[at] = k + L_row[e];
      kkt->K_base[at] = L_value[e];
      int64_t other = next[L_row[e]]++;
      kkt->K_row[other] = j;
      kkt->K_base[other] = L_value[e];
    }
  }
  for (int32_t i = 0; i < kkt->problem->contact_count; i++) {
    for (int64_t a = kkt->rows->first[i]; a < kkt->rows->first[i + 1]; a++) {
      for (int64_t b = kkt->rows->first[i]; b < kkt->rows->first[i + 1]; b++) {
        kkt->K_row[next[a]] = k + b;
        kkt->K_base[next[a]++] = a == b ? -regularisation : 0.0;
      }
    }
  }
  return CPS_OK;
}

CpsStatus cps_conic_kkt_create(CpsSolve* solve, const CpsConic* conic, const CpsConicRows* rows, CpsConicForm form,
                               CpsConicKkt* kkt) {
  *kkt = (CpsConicKkt){.form = form, .problem = conic->problem, .rows = rows, .refinements = refinements};
  if (!build_A(solve, conic, kkt)) return cps_conic_no_memory(solve);
  CpsStatus status = form == CPS_CONIC_PRIMAL ? build_primal(solve, kkt)
                                              : (build_dual(solve, kkt) ? CPS_OK : cps_conic_no_memory(solve));
  if (status != CPS_OK) return status;

  int32_t count = kkt->problem->contact_count;
  int64_t blocks = 0;
  for (int32_t i = 0; i < count; i++) blocks += dim(rows, i) * dim(rows, i);
  kkt->K_value = CPS_TAKE(solve->arena, double, kkt->K_start[kkt->size] + 1);
  kkt->F2_first = CPS_TAKE(solve->arena, int64_t, count + 1);
  kkt->F2_at = CPS_TAKE(solve->arena, int64_t, blocks + 1);
  kkt->rhs = CPS_TAKE(solve->arena, double, kkt->size);
  kkt->residual = CPS_TAKE(solve->arena, double, rows->count);
  if (!kkt->K_value || !kkt->F2_first || !kkt->F2_at || !kkt->rhs || !kkt->residual) return cps_conic_no_memory(solve);
  int64_t at = 0;
  for (int32_t i = 0; i < count; i++) {
    kkt->F2_first[i] = at;
    for (int64_t a = rows->first[i]; a < rows->first[i + 1]; a++) {
      for (int64_t b = rows->first[i]; b < rows->first[i + 1]; b++) {
        // rows ascend: in the dual form the block lies among others, in the primal form after all of y
        kkt->F2_at[at++] = find(kkt->K_start, kkt->K_row, kkt->root_count + a, kkt->root_count + b);
      }
    }
  }
  kkt->F2_first[count] = at;
  kkt->ldl = cps_ldl_create(kkt->size, kkt->K_start, kkt->K_row);
  return kkt->ldl ? CPS_OK : cps_conic_no_memory(solve);
}

void cps_conic_kkt_destroy(CpsConicKkt* kkt) {
  cps_ldl_destroy(kkt->ldl);
  kkt->ldl = NULL;
}

void cps_conic_kkt_multiply(const CpsConicKkt* kkt, const double* x, double* out) {
  // A is symmetric: its columns serve as rows
  for (int64_t k = 0; k < kkt->rows->count; k++) {
    double sum = 0.0;
    for (int64_t e = kkt->A_start[k]; e < kkt->A_start[k + 1]; e++) sum += kkt->A_value[e] * x[kkt->A_row[e]];
    out[k] = sum;
  }
}

bool cps_conic_kkt_factor(CpsConicKkt* kkt, const double* F2) {
  int64_t entries = kkt->K_start[kkt->size], blocks = kkt->F2_first[kkt->problem->contact_count];
  if (entries > 0) memcpy(kkt->K_value, kkt->K_base, (size_t)entries * sizeof(double));
  double sign = kkt->form == CPS_CONIC_PRIMAL ? -1.0 : 1.0;
  for (int64_t k = 0; k < blocks; k++) kkt->K_value[kkt->F2_at[k]] += sign * F2[k];
  return cps_ldl_factor(kkt->ldl, kkt->K_value);
}

// out = g - (A + F^2) dx; returns its largest entry
static double residual(const CpsConicKkt* kkt, const double* F2, const double* g, const double* dx, double* out) {
  cps_conic_kkt_multiply(kkt, dx, out);
  double largest = 0.0;
  for (int32_t i = 0; i < kkt->problem->contact_count; i++) {
    const double* block = F2 + kkt->F2_first[i];
    int64_t first = kkt->rows->first[i];
    int d = dim(kkt->rows, i);
    for (int a = 0; a < d; a++) {
      for (int b = 0; b < d; b++) out[first + a] += block[a * d + b] * dx[first + b];
    }
  }
  for (int64_t k = 0; k < kkt->rows->count; k++) {
    out[k] = g[k] - out[k];
    if (!(fabs(out[k]) <= largest)) largest = fabs(out[k]);
  }
  return largest;
}

// x <- K^-1 x on the unknowns of (1)
static void back_solve(CpsConicKkt* kkt, const double* g, double* dx) {
  int64_t k = kkt->root_count, n = kkt->rows->count;
  double sign = kkt->form == CPS_CONIC_PRIMAL ? -1.0 : 1.0;
  for (int64_t j = 0; j < k; j++) kkt->rhs[j] = 0.0;
  for (int64_t j = 0; j < n; j++) kkt->rhs[k + j] = g[j];
  cps_ldl_solve(kkt->ldl, kkt->rhs);
  for (int64_t j = 0; j < n; j++) dx[j] += sign * kkt->rhs[k + j];
}

void cps_conic_kkt_solve(CpsConicKkt* kkt, const double* F2, const double* g, double* dx) {
  int64_t n = kkt->rows->count;
  for (int64_t j = 0; j < n; j++) dx[j] = 0.0;
  back_solve(kkt, g, dx);
  if (kkt->refinements == 0) return;
  double size = residual(kkt, F2, g, dx, kkt->residual);
  for (int k = 0; k < kkt->refinements; k++) {
    back_solve(kkt, kkt->residual, dx);
    double next = residual(kkt, F2, g, dx, kkt->residual);
    if (!(next < 0.5 * size)) break;
    size = next;
  }
}
