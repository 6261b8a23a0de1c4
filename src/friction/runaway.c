// The residual is relative to the largest impulse. If W r stays bounded along a direction of the cone, an impulse growing
// without bound makes the residual arbitrarily small although nothing is solved:
//
//   W = diag(0, 1, 1),  b = (-1, 0, 0):   e = const,   e / (||r|| + ...) -> 0   as r_N -> infinity                  (1)
//
// So large impulses are examined: does any impulse satisfy the law at this contact, with the others fixed? At a
// solution one does, its own. If the enumeration proves that none exists, r is not a solution. A runaway shared by
// several contacts, each with a regular W_ii, is not detected.
#include "friction/runaway.h"

#include "friction/local/local.h"

// max ||r_i|| over max xi_i ||b_i|| above which an impulse is examined: stacks and wedges stay far below.
static const double LARGE = 1e4;

int32_t cps_runaway_contact(const CpsProblem* problem, const double* r, const double* u, const CpsMeasure* measure) {
  if (!(measure->largest_r > LARGE * measure->largest_b)) return -1;
  double largest = -1.0;
  int32_t contact = -1;
  for (int32_t i = 0; i < problem->contact_count; ++i) {
    double size = 0.0;
    for (int64_t k = problem->offset[i]; k < problem->offset[i + 1]; ++k) size += r[k] * r[k];
    if (size > largest) {
      largest = size;
      contact = i;
    }
  }
  if (contact < 0) return -1;
  int d = cps_contact_dim(problem, contact);
  const double *W = cps_contact_W(problem, contact), *r_i = r + problem->offset[contact];
  double b[CPS_DIM_MAX], answer[CPS_DIM_MAX] = {0};
  for (int a = 0; a < d; ++a) {
    b[a] = u[problem->offset[contact] + a];
    for (int c = 0; c < d; ++c) b[a] -= W[a * d + c] * r_i[c];
  }
  CpsLocalProblem one = {.dim = d,
                         .law = (CpsLaw)problem->law[contact],
                         .mu = problem->mu[contact],
                         .xi = problem->xi[contact],
                         .W = W,
                         .b = b};
  CpsLocalSettings settings = {.tolerance = 1e-12, .max_iterations = 100, .facets = 4};
  return cps_local_enum.solve(&one, NULL, &settings, answer) == CPS_LOCAL_NO_SOLUTION ? contact : -1;
}
