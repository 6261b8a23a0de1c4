// The convex step of `convex` and the Cadoux methods.
#include "friction/global/convex_step.h"

#include <string.h>

// Projected gradient steps per convex step: after an inaccurate interior point, or alone.
#ifdef CAPSTAN_DIRECT
static const int64_t apg_iterations = 200;
#else
static const int64_t apg_iterations = 5000;
#endif

CpsStatus cps_convex_step_create(CpsSolve* solve, bool primal, CpsConvexStep* step) {
  memset(step, 0, sizeof *step);
  step->primal = primal;
#ifdef CAPSTAN_DIRECT
  if (!cps_conic_create(solve, true, &step->conic)) return cps_conic_no_memory(solve);
  CpsConicForm form = primal ? CPS_CONIC_PRIMAL : CPS_CONIC_DUAL;
  CpsStatus status = cps_conic_ip_create(solve, &step->conic, form, &step->ip);
  if (status != CPS_OK) return status;
#else
  if (!cps_conic_create(solve, false, &step->conic)) return cps_conic_no_memory(solve);
#endif
  return cps_conic_apg_create(solve, &step->conic, &step->apg) ? CPS_OK : cps_conic_no_memory(solve);
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
  *has_ut = false;
#ifdef CAPSTAN_DIRECT
  if (cps_conic_ip_run(solve, &step->ip, q, tolerance, r, step->primal ? ut : NULL) <= tolerance) {
    *has_ut = step->primal;
    return CPS_OK;
  }
  if (cps_ldl_no_memory(step->ip.kkt.ldl)) return cps_conic_no_memory(solve);
#else
  (void)ut;
#endif
  cps_conic_apg_run(solve, &step->apg, q, tolerance, apg_iterations, r);
  return CPS_OK;
}
