// Friction on a polygon P (friction/facets.h) instead of the disc:  -u_T is normal to mu r_N P at r_T,  0 <= r_N _|_
// u_N >= 0.
//
// By corners p_k, D = [p_1 … p_nu], r_T = D beta, unknowns (r_N, beta, lambda) of each contact (Renouf et al. 2005,
// eq. 32, corrected; the form of Stewart and Trinkle 1996 and Anitescu and Potra 1997):
//
//   0 <= r_N  _|_  u_N >= 0,   0 <= beta  _|_  D^T u_T + lambda e >= 0,   0 <= lambda  _|_  mu r_N - e^T beta >= 0 (1)
//
// By sides c_k with apothem a, C = [c_1 … c_nu], S = W_TT^-1, unknowns (r_N, kappa) (the same paper's outer form,
// corrected: -u_T = + sum kappa_k c_k):
//
//   0 <= r_N  _|_  u_N >= 0,   0 <= kappa  _|_  a mu r_N - C^T r_T >= 0,   r_T = -S (b_T + W_TN r_N + C kappa) (2)
//
// Both describe the same law for the same polygon; (2) is smaller but needs a regular W_TT. Contacts without friction
// only have r_N. W may be unsymmetric.
#include "friction/global/facet_lcp.h"

#include "friction/facets.h"

#include <math.h>

int cps_facet_lcp_corners(const CpsFacetIsland* island, int32_t k) {
  const CpsProblem* problem = island->problem;
  int32_t i = island->contact[k];
  return problem->mu[i] > 0.0 ? cps_facet_count(cps_contact_dim(problem, i), island->facets) : 0;
}

int64_t cps_facet_lcp_size(const CpsFacetIsland* island) {
  int64_t size = 0;
  for (int32_t k = 0; k < island->count; k++) {
    int nu = cps_facet_lcp_corners(island, k);
    size += nu > 0 ? 2 + nu : 1;
  }
  return size;
}

void cps_facet_lcp_scales(const CpsFacetIsland* island, double* velocity_scale, double* impulse_unit) {
  const CpsProblem* problem = island->problem;
  double sum = 0.0, largest = 0.0;
  for (int32_t k = 0; k < island->count; k++) {
    int32_t i = island->contact[k];
    sum += problem->xi[i];
    for (int64_t row = problem->offset[i]; row < problem->offset[i + 1]; row++) {
      largest = fmax(largest, fabs(problem->b[row]));
    }
  }
  *velocity_scale = sum / island->count;
  *impulse_unit = *velocity_scale * largest;
}

// Direction of unknown `a` of a contact: a = 0 the normal, a >= 1 corner a - 1.
static void push_direction(const CpsFacetIsland* island, int d, int a, double* x) {
  x[0] = a == 0 ? 1.0 : 0.0;
  for (int c = 1; c < d; c++) x[c] = 0.0;
  if (a > 0) cps_facet_corner(d, island->facets, island->kind, a - 1, x + 1);
}

// The part of M from one block of W: every direction of contact k against every direction of contact l.
static void add_block(const CpsFacetIsland* island, CpsFacetLcp* lcp, int32_t k, int32_t l, const double* block) {
  int d_row = cps_contact_dim(island->problem, island->contact[k]);
  int d_col = cps_contact_dim(island->problem, island->contact[l]);
  for (int b = 0; b <= cps_facet_lcp_corners(island, l); b++) {
    double x[3], y[3] = {0.0, 0.0, 0.0};
    push_direction(island, d_col, b, x);
    for (int row = 0; row < d_row; row++) {
      for (int col = 0; col < d_col; col++) y[row] += block[row * d_col + col] * x[col];
    }
    for (int a = 0; a <= cps_facet_lcp_corners(island, k); a++) {
      push_direction(island, d_row, a, x);
      double sum = 0.0;
      for (int row = 0; row < d_row; row++) sum += x[row] * y[row];
      lcp->M[(size_t)(lcp->first[k] + a) * (size_t)lcp->size + (size_t)(lcp->first[l] + b)] +=
          lcp->velocity_scale * sum;
    }
  }
}

// The rows of lambda and its columns in (1).
static void add_cone(const CpsFacetIsland* island, CpsFacetLcp* lcp, int32_t k) {
  int nu = cps_facet_lcp_corners(island, k);
  if (nu == 0) return;
  size_t size = (size_t)lcp->size, normal = (size_t)lcp->first[k], lambda = normal + 1 + (size_t)nu;
  lcp->M[lambda * size + normal] = island->problem->mu[island->contact[k]];
  for (size_t beta = normal + 1; beta < lambda; beta++) {
    lcp->M[lambda * size + beta] = -1.0;
    lcp->M[beta * size + lambda] = 1.0;
  }
}

bool cps_facet_lcp_by_corners(const CpsFacetIsland* island, CpsArena* arena, CpsFacetLcp* lcp) {
  const CpsProblem* problem = island->problem;
  int64_t size = cps_facet_lcp_size(island);
  lcp->size = (int)size;
  lcp->M = CPS_TAKE_ZERO(arena, double, size* size);
  lcp->q = CPS_TAKE_ZERO(arena, double, size);
  lcp->first = CPS_TAKE(arena, int, island->count);
  if (lcp->M == NULL || lcp->q == NULL || lcp->first == NULL) return false;
  lcp->by_sides = false;
  cps_facet_lcp_scales(island, &lcp->velocity_scale, &lcp->impulse_unit);
  int next = 0;
  for (int32_t k = 0; k < island->count; k++) {
    int nu = cps_facet_lcp_corners(island, k);
    lcp->first[k] = next;
    next += nu > 0 ? 2 + nu : 1;
  }
  double q_factor = lcp->velocity_scale / lcp->impulse_unit;
  for (int32_t k = 0; k < island->count; k++) {
    int32_t i = island->contact[k];
    for (int64_t at = island->W->start[i]; at < island->W->start[i + 1]; at++) {
      int32_t l = island->local[island->W->col[at]];
      if (l >= 0) add_block(island, lcp, k, l, island->W->value + island->W->at[at]);
    }
    add_cone(island, lcp, k);
    int d = cps_contact_dim(problem, i);
    for (int a = 0; a <= cps_facet_lcp_corners(island, k); a++) {
      double x[3], sum = 0.0;
      push_direction(island, d, a, x);
      for (int c = 0; c < d; c++) sum += x[c] * problem->b[problem->offset[i] + c];
      lcp->q[lcp->first[k] + a] = q_factor * sum;
    }
  }
  return true;
}

void cps_facet_lcp_impulses(const CpsFacetIsland* island, const CpsFacetLcp* lcp, const double* z, double* r) {
  const CpsProblem* problem = island->problem;
  if (lcp->by_sides) {
    cps_facet_lcp_impulses_by_sides(island, lcp, z, r);
    return;
  }
  for (int32_t k = 0; k < island->count; k++) {
    int32_t i = island->contact[k];
    int d = cps_contact_dim(problem, i);
    double* r_i = r + problem->offset[i];
    for (int c = 0; c < d; c++) r_i[c] = 0.0;
    for (int a = 0; a <= cps_facet_lcp_corners(island, k); a++) {
      double x[3];
      push_direction(island, d, a, x);
      for (int c = 0; c < d; c++) r_i[c] += lcp->impulse_unit * z[lcp->first[k] + a] * x[c];
    }
  }
}
