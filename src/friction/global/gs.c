// `gs`: block Gauss-Seidel over the contacts in their order, with any local solver, on W or matrix-free (gs_loop.c).
//
// Not guaranteed: convergence. On over-constrained problems the rate degrades with the height of the stacks.
#include "friction/global/gs_loop.h"
#include "friction/global/node_sweeps.h"

#include <math.h>

static CpsStatus run_contacts(CpsSolve* solve, double* r) {
  CpsGsLoop loop;
  CpsStatus status = cps_gs_loop_create(solve, solve->options->local, solve->options->local_failsafe, false, r, &loop);
  if (status != CPS_OK) return status;
  cps_gs_loop_run(solve, &loop);
  cps_gs_loop_finish(solve, &loop);
  return CPS_OK;
}

// Grain nodes are swept directly (node_sweeps.c), other large members through the W they represent.
static CpsStatus run(CpsSolve* solve, double* r) {
  bool go;
  if (cps_node_rows_fit(solve->problem)) return cps_node_sweeps(solve, INFINITY, r, &go);
  return solve->problem->sparse ? cps_solve_on_W(solve, run_contacts, r) : run_contacts(solve, r);
}

const CpsMethodEntry cps_method_gs = {
    .info = {.name = "gs",
             .summary = "block Gauss-Seidel with any local solver; freezing; on W or matrix-free",
             .reference = "Daviet, Bertails-Descoubes, Boissieux 2011, Algorithm 1; Jean 1999",
             .laws = CPS_ALL_LAWS,
             .exact = true,
             .uses_local = true,
             .available = true},
    .run = run,
    .sparse = true,
};
