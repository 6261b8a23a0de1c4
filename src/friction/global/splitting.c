// `splitting`: alternating directions in the velocities (splitting_loop.c) throughout, for problems with large members.
// For other problems it is `admm`.
//
// The nodes of a granular medium, coupled only by contacts, are swept first (node_sweeps.c) if there are many: at a rough tolerance and from
// a warm start that is many times faster.
#include "friction/global/method.h"

#ifdef CAPSTAN_DIRECT
#include "friction/global/node_sweeps.h"
#include "friction/global/splitting_loop.h"

#include <math.h>

// Patience if the rate promises no end.
static const double NO_LIMIT = INFINITY;

// Sweeps over nodes with about the cost of alternating directions, whose factor grows faster than the nodes: this number, plus one per
// this many contacts.
static const double NODE_SWEEPS = 60.0, NODES_A_SWEEP = 20.0;
// Contacts: smaller problems start with alternating directions, which also preserves symmetries that a sweep order breaks; for
// larger ones the factor of all velocities takes minutes and gigabytes.
enum { SWEEP_FROM = 1000, SPLIT_MOST = 20000 };

// False: the solve is over, or an error.
static bool sweep_nodes(CpsSolve* solve, double* r, CpsStatus* status) {
  const CpsProblem* p = solve->problem;
  bool go = true;
  if (p->contact_count < SWEEP_FROM || !cps_node_rows_fit(p)) return true;
  // leave half of the iterations for alternating directions
  const double worth =
      fmin(NODE_SWEEPS + p->contact_count / NODES_A_SWEEP, 0.5 * (double)solve->options->max_iterations);
  *status = cps_node_sweeps(solve, p->contact_count > SPLIT_MOST ? INFINITY : worth, r, &go);
  return *status == CPS_OK && go;
}

static CpsStatus run(CpsSolve* solve, double* r) {
  if (!solve->problem->sparse) return cps_method_admm.run(solve, r);
  CpsSplitting splitting;
  CpsStatus status = CPS_OK;
  if (!sweep_nodes(solve, r, &status)) return status;
  status = cps_splitting_create(solve, NULL, r, &splitting);
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
             .available = CPS_DIRECT_AVAILABLE},
    .run = CPS_DIRECT(run),
    .sparse = true,
};
