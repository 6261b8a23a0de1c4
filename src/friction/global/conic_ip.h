// Primal-dual interior point for the convex subproblem (1) of conic.h. Needs SuiteSparse.
#ifndef CAPSTAN_FRICTION_GLOBAL_CONIC_IP_H
#define CAPSTAN_FRICTION_GLOBAL_CONIC_IP_H

#include "friction/global/conic_kkt.h"
#include "friction/global/soc.h"

typedef struct CpsConicIp {
  const CpsConic* conic;
  CpsConicRows rows;
  CpsConicKkt kkt;
  CpsSocScaling* F;  // per contact
  double* F2;
  double *x, *z, *c, *g, *dx, *dz, *rhs, *best, *best_z;
} CpsConicIp;

// Destroy `ip` on failure too. The conic's S must be explicit. CPS_OK or an error < 0.
CpsStatus cps_conic_ip_create(CpsSolve* solve, const CpsConic* conic, CpsConicForm form, CpsConicIp* ip);
void cps_conic_ip_destroy(CpsConicIp* ip);
// Solves the subproblem with right side q until its error is at most `tolerance` (impulse units) or progress stops; r
// in: first guess, out: the best iterate. ut (may be NULL): the velocity z of that iterate for blocks with a cone, S r
// + q for the others. Returns the error of r. Increments solve->inner_iterations and factorisations.
double cps_conic_ip_run(CpsSolve* solve, CpsConicIp* ip, const double* q, double tolerance, double* r, double* ut);

#endif
