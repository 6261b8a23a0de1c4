// The table of one-contact solvers and their shared functions.
#include "friction/local/local.h"

#include "friction/law.h"
#include "friction/local/small.h"

const CpsLocalSolver* cps_local_solver(CpsLocal local) {
  switch (local) {
    case CPS_LOCAL_MFB:
      return &cps_local_mfb;
    case CPS_LOCAL_AC:
      return &cps_local_ac;
    case CPS_LOCAL_AC_DAMPED:
      return &cps_local_ac_damped;
    case CPS_LOCAL_ENUM:
      return &cps_local_enum;
    case CPS_LOCAL_DURIEZ06:
      return &cps_local_duriez06;
    case CPS_LOCAL_DURIEZ08:
      return &cps_local_duriez08;
    case CPS_LOCAL_PYRAMID:
      return &cps_local_pyramid;
    case CPS_LOCAL_RADIAL:
      return &cps_local_radial;
    case CPS_LOCAL_COUNT:
      break;
  }
  return NULL;
}

void cps_local_velocity(const CpsLocalProblem* problem, const double* r, double* u) {
  cps_small_apply(problem->dim, problem->W, r, u);
  for (int i = 0; i < problem->dim; i++) u[i] += problem->b[i];
}

double cps_local_error(const CpsLocalProblem* problem, const double* r) {
  const int d = problem->dim;
  double u[CPS_DIM_MAX] = {0};
  cps_local_velocity(problem, r, u);
  const double error = cps_law_error(problem->law, d, problem->mu, problem->xi, r, u);
  const double scale = cps_small_norm(d, r) + problem->xi * cps_small_norm(d, problem->b);
  return error == 0.0 ? 0.0 : error / scale;
}
