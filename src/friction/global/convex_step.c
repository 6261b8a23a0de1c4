// The convex step of cadoux-dual and convex.
#include "friction/global/convex_step.h"

#include <string.h>

// Projected gradient steps per convex step: alone, and after an interior point that fell short.
#ifdef CAPSTAN_DIRECT
static const int64_t apg_iterations = 200;
#else
static const int64_t apg_iterations = 5000;
#endif

CpsStatus cps_convex_step_create(CpsSolve* solve, CpsConvexStep* step) {
  memset(step, 0, sizeof *step);
#ifdef CAPSTAN_DIRECT
  if (!cps_conic_create(solve, true, &step->conic)) return CPS_NO_MEMORY;
  CpsStatus status = cps_conic_ip_create(solve, &step->conic, CPS_CONIC_DUAL, &step->ip);
  if (status != CPS_OK) return status;
#else
  if (!cps_conic_create(solve, false, &step->conic)) return CPS_NO_MEMORY;
#endif
  return cps_conic_apg_create(solve, &step->conic, &step->apg) ? CPS_OK : CPS_NO_MEMORY;
}

void cps_convex_step_destroy(CpsConvexStep* step) {
#ifdef CAPSTAN_DIRECT
  cps_conic_ip_destroy(&step->ip);
#else
  (void)step;
#endif
}

CpsStatus cps_convex_step_run(void* data, CpsSolve* solve, const double* q, double tolerance, double* r, double* ut,
                              bool* has_ut) {
  CpsConvexStep* step = data;
  (void)ut;
  *has_ut = false;
#ifdef CAPSTAN_DIRECT
  if (cps_conic_ip_run(solve, &step->ip, q, tolerance, r, NULL) <= tolerance) return CPS_OK;
#endif
  cps_conic_apg_run(solve, &step->apg, q, tolerance, apg_iterations, r);
  return CPS_OK;
}
