// The common error measure (docs/theory/law.md): one function for all methods, computed outside of them.
//
//   e_i = || r_i - P_K(r_i - xi_i u~_i) ||,   residual = max_i e_i / (max_i ||r_i|| + max_i xi_i ||b_i||)          (1)
//
// Beside it the measure of Siconos,  sqrt(sum_i e_i^2 with xi_i = 1) / ||b||.
#include "friction/residual.h"

#include "friction/law.h"

#include <math.h>
#include <stdlib.h>

static double block_norm(const CpsProblem* problem, int32_t i, const double* x) {
  double sum = 0.0;
  for (int64_t k = problem->offset[i]; k < problem->offset[i + 1]; ++k) sum += x[k] * x[k];
  return sqrt(sum);
}

double cps_residual_scale(const CpsProblem* problem, const double* r) {
  double largest_r = 0.0, largest_b = 0.0;
  for (int32_t i = 0; i < problem->contact_count; ++i) {
    largest_r = fmax(largest_r, block_norm(problem, i, r));
    largest_b = fmax(largest_b, problem->xi[i] * block_norm(problem, i, problem->b));
  }
  return largest_r + largest_b;
}

CpsResidual cps_residual_from_velocity(const CpsProblem* problem, const double* r, const double* u) {
  CpsResidual residual = {.worst_contact = -1};
  double worst = -1.0, sum = 0.0, b_squared = 0.0;
  for (int32_t i = 0; i < problem->contact_count; ++i) {
    int64_t o = problem->offset[i];
    int d = cps_contact_dim(problem, i);
    CpsLaw law = (CpsLaw)problem->law[i];
    double e = cps_law_error(law, d, problem->mu[i], problem->xi[i], r + o, u + o);
    double e_siconos = cps_law_error(law, d, problem->mu[i], 1.0, r + o, u + o);
    // NaN must not hide behind a comparison, nor be replaced by the number of a later contact
    if (!isnan(worst) && !(e <= worst)) {
      worst = e;
      residual.worst_contact = i;
    }
    sum += e_siconos * e_siconos;
    for (int k = 0; k < d; ++k) b_squared += problem->b[o + k] * problem->b[o + k];
  }
  if (residual.worst_contact < 0) return residual;
  double scale = cps_residual_scale(problem, r);
  residual.natural = worst == 0.0 ? 0.0 : worst / scale;
  residual.siconos = b_squared > 0.0 ? sqrt(sum) / sqrt(b_squared) : sqrt(sum);
  if (isnan(residual.natural)) residual.natural = INFINITY;
  if (isnan(residual.siconos)) residual.siconos = INFINITY;
  return residual;
}

CpsStatus cps_problem_residual(const CpsProblem* problem, const double* r, CpsResidual* residual) {
  if (!problem || !r || !residual) return CPS_BAD_ARGUMENT;
  double* u = malloc((size_t)(problem->row_count > 0 ? problem->row_count : 1) * sizeof *u);
  if (!u) return CPS_NO_MEMORY;
  cps_problem_law_velocity(problem, r, u);
  *residual = cps_residual_from_velocity(problem, r, u);
  free(u);
  return CPS_OK;
}

void cps_residual_statuses(const CpsProblem* problem, const double* r, const double* u, double tolerance,
                           CpsContactStatus* statuses) {
  double zero = tolerance * cps_residual_scale(problem, r);
  for (int32_t i = 0; i < problem->contact_count; ++i) {
    // velocities are compared with impulses through xi
    double slip = problem->xi[i] * cps_law_tangent_norm(cps_contact_dim(problem, i), u + problem->offset[i]);
    if (problem->law[i] == CPS_LAW_BILATERAL) {
      statuses[i] = CPS_CONTACT_STICK;
    } else if (block_norm(problem, i, r) <= zero) {
      statuses[i] = CPS_CONTACT_TAKEOFF;
    } else {
      statuses[i] = slip <= zero ? CPS_CONTACT_STICK : CPS_CONTACT_SLIDE;
    }
  }
}

CpsStatus cps_problem_contact_statuses(const CpsProblem* problem, const double* r, double tolerance,
                                       CpsContactStatus* statuses) {
  if (!problem || !r || !statuses || !(tolerance > 0.0)) return CPS_BAD_ARGUMENT;
  double* u = malloc((size_t)(problem->row_count > 0 ? problem->row_count : 1) * sizeof *u);
  if (!u) return CPS_NO_MEMORY;
  cps_problem_law_velocity(problem, r, u);
  cps_residual_statuses(problem, r, u, tolerance, statuses);
  free(u);
  return CPS_OK;
}
