// The common error measure on arrays that are already at hand.
#ifndef CAPSTAN_FRICTION_RESIDUAL_H
#define CAPSTAN_FRICTION_RESIDUAL_H

#include "friction/problem.h"

// Residuals of r with its velocity u = W r + b (shift included) already known.
CpsResidual cps_residual_from_velocity(const CpsProblem* problem, const double* r, const double* u);
// max_i ||r_i|| + max_i xi_i ||b_i||: what errors in impulse units are divided by.
double cps_residual_scale(const CpsProblem* problem, const double* r);

// Status of each contact with its velocity u already known; see cps_problem_contact_statuses().
void cps_residual_statuses(const CpsProblem* problem, const double* r, const double* u, double tolerance,
                           CpsContactStatus* statuses);

#endif
