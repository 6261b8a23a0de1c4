// The law of one contact: cones, projections, De Saxce's shift and the error of one contact.
#ifndef CAPSTAN_FRICTION_LAW_H
#define CAPSTAN_FRICTION_LAW_H

#include "capstan/problem.h"

// ||x_T|| of a block of dimension d.
double cps_law_tangent_norm(int d, const double* x);
// x <- P_{K_mu}(x), orthogonal projection (the order of the tests matters for mu = 0).
void cps_law_project_cone(int d, double mu, double* x);
// x <- P_{K_mu^*}(x), projection on the dual cone K_{1/mu}.
void cps_law_project_dual(int d, double mu, double* x);
// ut = u + mu ||u_T|| e for Coulomb, u otherwise.
void cps_law_desaxce(CpsLaw law, int d, double mu, const double* u, double* ut);
// e = || r - P(r - xi u~) ||, the error of one contact under its law, in impulse units.
double cps_law_error(CpsLaw law, int d, double mu, double xi, const double* r, const double* u);
// Is r in K_mu, up to slack * ||r||?
bool cps_law_in_cone(int d, double mu, const double* r, double slack);

#endif
