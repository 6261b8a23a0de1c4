// The modified Fischer-Burmeister function of one contact and its derivatives. See fb_function.c for the equations.
#ifndef CAPSTAN_FRICTION_LOCAL_FB_FUNCTION_H
#define CAPSTAN_FRICTION_LOCAL_FB_FUNCTION_H

#include "capstan/problem.h"

// f(r, u) of dimension d, in impulse units; zero iff (u, r) obeys the law. rho > 0 (impulse / velocity): d / tr W.
// df_du, df_dr: d x d row-major partial derivatives (the total one is df_du W + df_dr); each may be NULL.
void cps_fb_function(CpsLaw law, int d, double mu, double rho, const double* r, const double* u, double* f,
                     double* df_du, double* df_dr);

#endif
