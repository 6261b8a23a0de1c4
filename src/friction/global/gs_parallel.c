// `gs-parallel`: block Gauss-Seidel by colours, several contacts at once, the same bits for any number of threads
// (gs_loop.c).
//
// Not guaranteed: convergence, nor the same number of sweeps as `gs`, because the order of the contacts matters. A body
// shared by most contacts makes as many colours as it has contacts, which leaves nothing to run in parallel.
#include "friction/global/gs_loop.h"

static CpsStatus run(CpsSolve* solve, double* r) {
  CpsGsLoop loop;
  CpsStatus status = cps_gs_loop_create(solve, solve->options->local, solve->options->local_failsafe, true, r, &loop);
  if (status != CPS_OK) return status;
  cps_gs_loop_run(solve, &loop);
  cps_gs_loop_finish(solve, &loop);
  return CPS_OK;
}

const CpsMethodEntry cps_method_gs_parallel = {
    .info = {.name = "gs-parallel",
             .summary = "block Gauss-Seidel by colours on several threads, the same bits for any number of them",
             .reference = "Daviet, Bertails-Descoubes, Boissieux 2011, Algorithm 1; colouring: Adams 2001",
             .laws = CPS_ALL_LAWS,
             .exact = true,
             .uses_local = true,
             .available = true},
    .run = run,
};
