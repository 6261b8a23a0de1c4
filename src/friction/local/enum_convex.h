// One contact under the law convex, by enumeration. See enum_convex.c.
#ifndef CAPSTAN_FRICTION_LOCAL_ENUM_CONVEX_H
#define CAPSTAN_FRICTION_LOCAL_ENUM_CONVEX_H

#include "friction/local/local.h"

// mu > 0, law convex, any dimension.
CpsLocalResult cps_enum_solve_convex(const CpsLocalProblem* problem, const CpsLocalSettings* settings, double* r);

#endif
