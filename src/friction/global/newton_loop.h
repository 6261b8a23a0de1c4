// Damped Newton on f_i(r_i, u_i) = 0 for every contact, u = W r + b: shared by newton-ac and newton-fb.
#ifndef CAPSTAN_FRICTION_GLOBAL_NEWTON_LOOP_H
#define CAPSTAN_FRICTION_GLOBAL_NEWTON_LOOP_H

#include "friction/global/newton_system.h"

// f of one contact in impulse units and its partial derivatives (ac_function.h, fb_function.h).
typedef void (*CpsContactFunction)(CpsLaw law, int d, double mu, double rho, const double* r, const double* u,
                                   double* f, double* df_du, double* df_dr);

// The points along a step that the line search evaluates.
typedef struct CpsNewtonLine {
  const CpsProblem* problem;
  CpsContactFunction function;
  const double *r, *u, *d, *Wd;
} CpsNewtonLine;

// q(alpha) = 1/2 ||f(r + alpha d)||^2
double cps_newton_line_merit(const CpsNewtonLine* line, double alpha);

// Returns a step length > 0 given q(0) and q'(0) < 0, and the merit there.
typedef double (*CpsLineSearch)(const CpsNewtonLine* line, double q0, double slope, double* q);

// f, D and E of the system at (r, u); returns 1/2 ||f||^2.
double cps_newton_evaluate(CpsNewtonSystem* system, CpsContactFunction function, const double* r, const double* u);

// Runs the method from r.
CpsStatus cps_newton_run(CpsSolve* solve, double* r, CpsContactFunction function, CpsLineSearch search);

#endif
