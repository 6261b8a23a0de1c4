// Refilling a problem: the contacts of the next step in the memory of the last.
#include "friction/refill.h"

#include "core/error.h"
#include "friction/build.h"

static CpsStatus refill(CpsProblem* p, const CpsContactsDef* contacts, const CpsFactoredForm* factored, bool borrow,
                        CpsPool* pool, CpsError* error) {
  if (!p || !factored) return cps_fail(error, CPS_BAD_ARGUMENT, "problem or factored is NULL");
  if (p->has_W || p->global) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "only a problem made by cps_problem_from_bodies() can be refilled");
  }
  CpsStatus status = cps_build_fill(p, contacts, borrow, error);
  if (status != CPS_OK) return status;
  status = cps_build_factors(p, factored, borrow, error);
  if (status == CPS_OK) status = cps_build_complete(p, pool, error);
  if (status != CPS_OK) cps_build_clear(p);
  return status;
}

CpsStatus cps_problem_refill_bodies(CpsProblem* problem, const CpsContactsDef* contacts,
                                    const CpsFactoredForm* factored, CpsError* error) {
  return refill(problem, contacts, factored, false, NULL, error);
}

CpsStatus cps_problem_refill_borrowed(CpsProblem* problem, const CpsContactsDef* contacts,
                                      const CpsFactoredForm* factored, CpsPool* pool, CpsError* error) {
  return refill(problem, contacts, factored, true, pool, error);
}

void cps_problem_set_connected(CpsProblem* problem) {
  problem->connected = true;
}
