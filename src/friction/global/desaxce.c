// desaxce: projection fixed point on De Saxce's form of Coulomb's law (De Saxce and Feng 1998).
//
//   r_i = P_{K_mu}(r_i - rho_i u~_i),   u~ = u + mu ||u_T|| e,   u = W r + b                                      (1)
//   r'_i = P(r_i - rho xi_i u~_i(r)),   r_i <- P(r_i - rho xi_i u~_i(r'))                                         (2)
//   rho ||xi (u~(r) - u~(r'))|| <= L ||r - r'||,  norms weighted by 1/xi_i                                        (3)
//
// (2) is the extragradient step of Korpelevich 1976 with the adaptive step of Khobotov 1987: rho shrinks by 2/3 until
// (3) holds with L = 0.9 and grows by 3/2 if (3) holds with L = 0.3. rho_i = rho xi_i with the xi_i of the error
// measure. W is used as given, even if unsymmetric. u~ is not a monotone function of r, so convergence is not
// guaranteed; it is at best linear, and slow on redundant contacts.
#include "friction/global/conic.h"
#include "friction/law.h"

#include <math.h>
#include <string.h>

static const double ratio_max = 0.9, ratio_min = 0.3, shrink = 2.0 / 3.0, grow = 1.5;

// u~ from u, block by block
static void shift_all(const CpsProblem* problem, const double* u, double* ut) {
  for (int32_t i = 0; i < problem->contact_count; i++) {
    int64_t at = problem->offset[i];
    cps_law_desaxce((CpsLaw)problem->law[i], cps_contact_dim(problem, i), problem->mu[i], u + at, ut + at);
  }
}

// out_i = P(r_i - rho xi_i ut_i)
static void project_step(const CpsProblem* problem, double rho, const double* r, const double* ut, double* out) {
  for (int32_t i = 0; i < problem->contact_count; i++) {
    for (int64_t k = problem->offset[i]; k < problem->offset[i + 1]; k++) out[k] = r[k] - rho * problem->xi[i] * ut[k];
    cps_conic_project(problem, i, out + problem->offset[i]);
  }
}

// Left side of (3) over ||r - r'||; 0 if they are equal
static double ratio(const CpsProblem* problem, double rho, const double* r, const double* r2, const double* ut,
                    const double* ut2) {
  double change = 0.0, length = 0.0;
  for (int32_t i = 0; i < problem->contact_count; i++) {
    double du = 0.0, dr = 0.0;
    for (int64_t k = problem->offset[i]; k < problem->offset[i + 1]; k++) {
      du += (ut[k] - ut2[k]) * (ut[k] - ut2[k]);
      dr += (r[k] - r2[k]) * (r[k] - r2[k]);
    }
    change += problem->xi[i] * du;
    length += dr / problem->xi[i];
  }
  return length > 0.0 ? rho * sqrt(change / length) : 0.0;
}

static CpsStatus run(CpsSolve* solve, double* r) {
  const CpsProblem* problem = solve->problem;
  int64_t rows = problem->row_count;
  double* u = CPS_TAKE(solve->arena, double, rows);
  double* ut = CPS_TAKE(solve->arena, double, rows);
  double* ut2 = CPS_TAKE(solve->arena, double, rows);
  double* r2 = CPS_TAKE(solve->arena, double, rows);
  if (!u || !ut || !ut2 || !r2) return cps_conic_no_memory(solve);

  double rho = 1.0;
  for (int32_t i = 0; i < problem->contact_count; i++) cps_conic_project(problem, i, r + problem->offset[i]);
  cps_problem_law_velocity(problem, r, u);
  do {
    shift_all(problem, u, ut);
    double seen = 0.0;
    for (int trial = 0; trial < 40; trial++) {
      project_step(problem, rho, r, ut, r2);
      cps_problem_law_velocity(problem, r2, u);
      shift_all(problem, u, ut2);
      seen = ratio(problem, rho, r, r2, ut, ut2);
      if (!(seen > ratio_max)) break;
      rho *= fmin(shrink, 0.9 * ratio_max / seen);
    }
    project_step(problem, rho, r, ut2, r2);
    memcpy(r, r2, (size_t)rows * sizeof *r);
    if (seen < ratio_min) rho *= grow;
    cps_problem_law_velocity(problem, r, u);
  } while (cps_solve_check(solve, r, u, NULL));
  return CPS_OK;
}

const CpsMethodEntry cps_method_desaxce = {
    .info = {.name = "desaxce",
             .summary = "projection fixed point on De Saxce's law, extragradient with adaptive step",
             .reference = "De Saxce and Feng 1998; Khobotov 1987",
             .laws = CPS_ALL_LAWS,
             .exact = true,
             .uses_local = false,
             .available = true},
    .run = run,
};
