// Shared by the solvers of the convex subproblem (1) of conic.h: its matrix, its sets and its error.
#include "friction/global/conic.h"

#include "core/error.h"
#include "friction/law.h"

#include <math.h>
#include <string.h>

// Below this, W counts as symmetric: its asymmetry is assembly rounding, and every solver reads W unchanged.
static const double symmetric_enough = 1e-14;

bool cps_conic_create(CpsSolve* solve, bool explicit_S, CpsConic* conic) {
  const CpsProblem* problem = solve->problem;
  bool symmetric = problem->asymmetry <= symmetric_enough;
  memset(conic, 0, sizeof *conic);
  conic->problem = problem;
  if (symmetric && !explicit_S) return true;

  CpsBlockMatrix W;
  if (!cps_problem_explicit_W(problem, solve->arena, &W)) return false;
  conic->has_S = true;
  if (symmetric) {
    conic->S = W;
    return true;
  }
  solve->symmetrised = true;
  return cps_block_matrix_symmetrise(&W, solve->arena, &conic->S);
}

CpsStatus cps_conic_no_memory(CpsSolve* solve) {
  return cps_fail(solve->error, CPS_NO_MEMORY, "not enough memory for method '%s'",
                  cps_method_entry(solve->options->method)->info.name);
}

void cps_conic_apply(const CpsConic* conic, const double* x, double* out) {
  if (conic->has_S) {
    cps_block_matrix_multiply(&conic->S, x, out);
  } else {
    cps_problem_apply_W(conic->problem, x, out);
  }
}

void cps_conic_project(const CpsProblem* problem, int32_t i, double* r_i) {
  int d = cps_contact_dim(problem, i);
  switch ((CpsLaw)problem->law[i]) {
    case CPS_LAW_COULOMB:
    case CPS_LAW_CONVEX:
      cps_law_project_cone(d, problem->mu[i], r_i);
      break;
    case CPS_LAW_BILATERAL:
      break;
    case CPS_LAW_FREE:
      for (int k = 0; k < d; k++) r_i[k] = 0.0;
      break;
  }
}

double cps_conic_error(const CpsProblem* problem, const double* r, const double* g) {
  double error = 0.0;
  for (int32_t i = 0; i < problem->contact_count; i++) {
    // the error of the convex law is that of C_i without De Saxce's shift
    CpsLaw law = (CpsLaw)problem->law[i];
    if (law == CPS_LAW_COULOMB) law = CPS_LAW_CONVEX;
    int64_t at = problem->offset[i];
    double e = cps_law_error(law, cps_contact_dim(problem, i), problem->mu[i], problem->xi[i], r + at, g + at);
    if (!(e <= error)) error = e;  // keep a NaN
  }
  return error;
}
