// Coulomb's law of one contact as a mixed complementarity problem in (r, lambda). See mcp_function.c for the equations.
#ifndef CAPSTAN_FRICTION_GLOBAL_MCP_FUNCTION_H
#define CAPSTAN_FRICTION_GLOBAL_MCP_FUNCTION_H

#include "capstan/problem.h"

// Value and derivatives of F = (F_r, F_l) at (r, u, l); all in impulse units.
typedef struct CpsMcpValue {
  double F_r[CPS_DIM_MAX];
  double F_l;
  double dFr_du[CPS_DIM_MAX * CPS_DIM_MAX];  // d x d row-major
  double dFr_dr[CPS_DIM_MAX * CPS_DIM_MAX];
  double dFr_dl[CPS_DIM_MAX];
  double dFl_du[CPS_DIM_MAX];
  double dFl_dr[CPS_DIM_MAX];
  double dFl_dl;  // at least 2 - sqrt 2
} CpsMcpValue;

// weight: divisor of the tangential equation (at least cps_mcp_weight at the current iterate), >= 0; with 0 the
// equation is r_T = 0. Laws: coulomb, bilateral, free.
void cps_mcp_function(CpsLaw law, int d, double mu, double rho, double weight, const double* r, const double* u,
                      double l, CpsMcpValue* value);
// mu r_N + l, negative parts taken as 0
double cps_mcp_weight(double mu, const double* r, double l);

#endif
