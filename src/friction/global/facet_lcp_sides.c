// Friction on a polygon, written with its sides; equation (2) of facet_lcp.c as an LCP in z = (r_N, kappa):
//
//   M = [ W_NN - W_NT S W_TN      -W_NT S C ]     q = [ b_N - W_NT S b_T ]      S = W_TT^-1                (3)
//       [ a mu + C^T S W_TN        C^T S C  ]         [ C^T S b_T        ]
//
// (Renouf et al. 2005, section 5, with the sign of kappa corrected). W_TT is the tangential part of the whole island,
// so S is dense; it is singular as soon as the island has more tangential rows than degrees of freedom.
#include "friction/facets.h"
#include "friction/global/facet_lcp.h"
#include "sparse/dense.h"

#include <math.h>
#include <string.h>

// Largest condition number (by entries) of W_TT for which (3) is trusted: half of the digits remain.
static const double condition_limit = 1e8;

// The pieces of (3): n normals, t tangent rows, `sides` unknowns kappa.
typedef struct Pieces {
  int n, t, sides;
  int* tangent;    // n: first tangent row of each contact; not used without friction
  double* W_nn;    // n x n
  double* W_nt;    // n x t
  double* W_tn;    // t x n
  double* W_tt;    // t x t, then its LU factors
  double* C;       // t x sides
  double* b_n;     // n
  double* column;  // t
  int* pivot;      // t
} Pieces;

static double* entry(double* A, int cols, int row, int col) {
  return A + (size_t)row * (size_t)cols + (size_t)col;
}

static bool take(const CpsFacetIsland* island, CpsArena* arena, Pieces* p, CpsFacetLcp* lcp) {
  int n = p->n = island->count;
  p->t = p->sides = 0;
  p->tangent = CPS_TAKE(arena, int, n);
  lcp->first = CPS_TAKE(arena, int, n);
  if (p->tangent == NULL || lcp->first == NULL) return false;
  for (int32_t k = 0; k < n; k++) {
    int nu = cps_facet_lcp_corners(island, k);
    p->tangent[k] = p->t;
    lcp->first[k] = n + p->sides;
    if (nu > 0) p->t += cps_contact_dim(island->problem, island->contact[k]) - 1;
    p->sides += nu;
  }
  int64_t t = p->t, sides = p->sides, size = n + sides;
  p->W_nn = CPS_TAKE_ZERO(arena, double, (int64_t)n* n);
  p->W_nt = CPS_TAKE_ZERO(arena, double, n* t);
  p->W_tn = CPS_TAKE_ZERO(arena, double, t* n);
  p->W_tt = CPS_TAKE_ZERO(arena, double, t* t);
  p->C = CPS_TAKE_ZERO(arena, double, t* sides);
  p->b_n = CPS_TAKE(arena, double, n);
  p->column = CPS_TAKE(arena, double, t);
  p->pivot = CPS_TAKE(arena, int, t);
  lcp->S_tn = CPS_TAKE(arena, double, t* n);
  lcp->S_c = CPS_TAKE(arena, double, t* sides);
  lcp->S_b = CPS_TAKE(arena, double, t);
  lcp->M = CPS_TAKE_ZERO(arena, double, size* size);
  lcp->q = CPS_TAKE_ZERO(arena, double, size);
  lcp->size = (int)size;
  lcp->tangent_count = p->t;
  lcp->by_sides = true;
  return p->W_nn != NULL && p->W_nt != NULL && p->W_tn != NULL && p->W_tt != NULL && p->C != NULL && p->b_n != NULL &&
         p->column != NULL && p->pivot != NULL && lcp->S_tn != NULL && lcp->S_c != NULL && lcp->S_b != NULL &&
         lcp->M != NULL && lcp->q != NULL;
}

// One scaled block of W, sorted into the four parts.
static void gather_block(Pieces* p, double scale, int k, int l, int rows, int cols, int d_col, const double* block) {
  for (int a = 0; a < rows; a++) {
    for (int c = 0; c < cols; c++) {
      double value = scale * block[a * d_col + c];
      int row = p->tangent[k] + a - 1, col = p->tangent[l] + c - 1;
      if (a == 0 && c == 0) *entry(p->W_nn, p->n, k, l) = value;
      if (a == 0 && c > 0) *entry(p->W_nt, p->t, k, col) = value;
      if (a > 0 && c == 0) *entry(p->W_tn, p->n, row, l) = value;
      if (a > 0 && c > 0) *entry(p->W_tt, p->t, row, col) = value;
    }
  }
}

// Active rows of contact k: only the normal without friction.
static int row_count(const CpsFacetIsland* island, int32_t k) {
  return cps_facet_lcp_corners(island, k) > 0 ? cps_contact_dim(island->problem, island->contact[k]) : 1;
}

static void gather(const CpsFacetIsland* island, Pieces* p, CpsFacetLcp* lcp) {
  const CpsProblem* problem = island->problem;
  const CpsBlockMatrix* W = island->W;
  double b_factor = lcp->velocity_scale / lcp->impulse_unit;
  for (int32_t k = 0; k < p->n; k++) {
    int32_t i = island->contact[k];
    int rows = row_count(island, k), d = cps_contact_dim(problem, i);
    for (int64_t at = W->start[i]; at < W->start[i + 1]; at++) {
      int32_t j = W->col[at], l = island->local[j];
      if (l < 0) continue;
      gather_block(p, lcp->velocity_scale, k, l, rows, row_count(island, l), cps_contact_dim(problem, j),
                   W->value + W->at[at]);
    }
    const double* b_i = problem->b + problem->offset[i];
    p->b_n[k] = b_factor * b_i[0];
    for (int a = 1; a < rows; a++) lcp->S_b[p->tangent[k] + a - 1] = b_factor * b_i[a];
    for (int side = 0; side < cps_facet_lcp_corners(island, k); side++) {
      double c[2];
      cps_facet_normal(d, island->facets, island->kind, side, c);
      for (int a = 1; a < d; a++) *entry(p->C, p->sides, p->tangent[k] + a - 1, lcp->first[k] - p->n + side) = c[a - 1];
    }
  }
}

// out = S right, column by column; both t x count row-major.
static void solve_columns(Pieces* p, int count, double* right, double* out) {
  for (int c = 0; c < count; c++) {
    for (int k = 0; k < p->t; k++) p->column[k] = *entry(right, count, k, c);
    cps_dense_lu_solve(p->t, p->W_tt, p->pivot, p->column);
    for (int k = 0; k < p->t; k++) *entry(out, count, k, c) = p->column[k];
  }
}

static double largest_entry(const double* x, int64_t count) {
  double largest = 0.0;
  for (int64_t k = 0; k < count; k++) largest = fmax(largest, fabs(x[k]));
  return largest;
}

// S W_TN, S C and S b_T. False if W_TT is singular or nearly so.
static bool invert(Pieces* p, CpsFacetLcp* lcp) {
  if (p->t == 0) return true;
  double largest = largest_entry(p->W_tt, (int64_t)p->t * p->t);
  if (!cps_dense_lu_factor(p->t, p->W_tt, p->pivot)) return false;
  solve_columns(p, p->n, p->W_tn, lcp->S_tn);
  solve_columns(p, p->sides, p->C, lcp->S_c);
  cps_dense_lu_solve(p->t, p->W_tt, p->pivot, lcp->S_b);
  // The sides point in all directions, so the entries of S C are as large as those of S.
  return largest * largest_entry(lcp->S_c, (int64_t)p->t * p->sides) <= condition_limit;
}

// Adds factor * (row k of [S W_TN, S C | S b_T]) to row `row` of [M | q].
static void add_row(const Pieces* p, CpsFacetLcp* lcp, int row, double factor, int k) {
  double* out = entry(lcp->M, lcp->size, row, 0);
  const double* normal = entry(lcp->S_tn, p->n, k, 0);
  const double* side = entry(lcp->S_c, p->sides, k, 0);
  for (int col = 0; col < p->n; col++) out[col] += factor * normal[col];
  for (int col = 0; col < p->sides; col++) out[p->n + col] += factor * side[col];
  lcp->q[row] += factor * lcp->S_b[k];
}

static void assemble(const CpsFacetIsland* island, const Pieces* p, CpsFacetLcp* lcp) {
  for (int32_t k = 0; k < p->n; k++) {
    memcpy(entry(lcp->M, lcp->size, k, 0), entry(p->W_nn, p->n, k, 0), (size_t)p->n * sizeof(double));
    lcp->q[k] = p->b_n[k];
    for (int row = 0; row < p->t; row++) {
      double w = *entry(p->W_nt, p->t, k, row);
      if (w != 0.0) add_row(p, lcp, k, -w, row);
    }
    int32_t i = island->contact[k];
    int d = cps_contact_dim(island->problem, i);
    double apothem = cps_facet_apothem(d, island->facets, island->kind);
    for (int side = 0; side < cps_facet_lcp_corners(island, k); side++) {
      int kappa = lcp->first[k] + side;
      *entry(lcp->M, lcp->size, kappa, k) = apothem * island->problem->mu[i];
      for (int a = 1; a < d; a++) {
        int row = p->tangent[k] + a - 1;
        add_row(p, lcp, kappa, *entry(p->C, p->sides, row, kappa - p->n), row);
      }
    }
  }
}

bool cps_facet_lcp_by_sides(const CpsFacetIsland* island, CpsArena* arena, CpsFacetLcp* lcp, bool* regular) {
  Pieces pieces;
  *regular = false;
  if (!take(island, arena, &pieces, lcp)) return false;
  cps_facet_lcp_scales(island, &lcp->velocity_scale, &lcp->impulse_unit);
  gather(island, &pieces, lcp);
  if (!invert(&pieces, lcp)) return true;
  assemble(island, &pieces, lcp);
  *regular = true;
  return true;
}

void cps_facet_lcp_impulses_by_sides(const CpsFacetIsland* island, const CpsFacetLcp* lcp, const double* z, double* r) {
  const CpsProblem* problem = island->problem;
  int n = island->count, sides = lcp->size - n, row = 0;
  for (int32_t k = 0; k < n; k++) {
    int32_t i = island->contact[k];
    int d = cps_contact_dim(problem, i);
    double* r_i = r + problem->offset[i];
    r_i[0] = lcp->impulse_unit * z[k];
    for (int a = 1; a < d; a++) r_i[a] = 0.0;
    if (cps_facet_lcp_corners(island, k) == 0) continue;
    for (int a = 1; a < d; a++, row++) {
      double sum = lcp->S_b[row];
      for (int col = 0; col < n; col++) sum += *entry(lcp->S_tn, n, row, col) * z[col];
      for (int col = 0; col < sides; col++) sum += *entry(lcp->S_c, sides, row, col) * z[n + col];
      r_i[a] = -lcp->impulse_unit * sum;
    }
  }
}
