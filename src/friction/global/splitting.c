// `splitting`: alternating directions in the velocities (splitting_loop.c) until the end, for problems with large members.
// Where there are none it is `admm`.
#include "friction/global/method.h"

#ifdef CAPSTAN_DIRECT
#include "friction/global/splitting_loop.h"

#include <math.h>

// Patience with a rate that shows no end.
static const double NO_LIMIT = INFINITY;

static CpsStatus run(CpsSolve* solve, double* r) {
  if (!solve->problem->sparse) return cps_method_admm.run(solve, r);
  CpsSplitting splitting;
  CpsStatus status = cps_splitting_create(solve, NULL, r, &splitting);
  if (status == CPS_OK) (void)cps_splitting_run(solve, &splitting, NO_LIMIT, r);
  return status;
}
#endif

const CpsMethodEntry cps_method_splitting = {
    .info = {.name = "splitting",
             .summary = "alternating directions in the velocities of sheets and solids; without them `admm`",
             .reference = "Boyd et al. 2011; Carpentier et al. 2024; docs/theory/primal.md",
             .laws = CPS_ALL_LAWS,
             .exact = true,
#ifdef CAPSTAN_DIRECT
             .available = true},
    .run = run,
#else
             .available = false},
#endif
    .sparse = true,
};
