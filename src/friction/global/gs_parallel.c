// `gs-parallel`: block Gauss-Seidel by colours, several contacts at once, the same bits for any number of threads
// (gs_loop.c).
//
// Not guaranteed: convergence, and that it takes as many sweeps as `gs`; the order of the contacts matters. A body that
// most contacts share makes as many colours as it has contacts, and then nothing runs at once.
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
